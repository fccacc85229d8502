"""EM of sequences that do not fit in memory: one shard after the other, the bits of a cluster."""

import numpy as np
import pytest

import seqlab
from seqlab import HMM, BaumWelch, HardEM
from seqlab.errors import OptionError
from seqlab.families.hmm import far
from seqlab.scale.sizes import resident

FEW = {"max_iterations": 4}


@pytest.fixture
def tight(monkeypatch):
    """Tokens so large that 8 GB hold a shard, but not the corpus."""
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 2 << 20)


def vectors():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(int(n), 2)) + s % 3 for s, n in enumerate(rng.integers(3, 30, 400))]


def tables(model):
    return [model.model_.pi, model.model_.A, *model.model_.head]


CASES = {
    "words": (lambda: HMM(4, learner=BaumWelch(**FEW)), ()),
    "hard": (lambda: HMM(4, learner=HardEM(**FEW)), ()),
    "order 2": (lambda: HMM(3, order=2, learner=BaumWelch(**FEW)), ()),
    "labels": (lambda: HMM(learner=BaumWelch(max_iterations=2)), ("pos",)),
    "restarts": (lambda: HMM(3, learner=BaumWelch(restarts=2, **FEW)), ()),
}


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(tables(one), tables(other), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_shards_one_by_one_have_the_bits_of_a_cluster(name, tight, stream, tmp_path):
    make, y = CASES[name]
    alone = make().fit(stream, *y, max_memory="8G", cache=tmp_path)
    shared = make().fit(stream, *y, max_memory="8G", cache=tmp_path, client="threads")
    assert same(alone, shared)
    assert alone.history_[-1].objective == shared.history_[-1].objective


@pytest.mark.parametrize("learner", [BaumWelch(**FEW), HardEM(**FEW)])
def test_the_model_is_that_of_memory_up_to_rounding(learner, whole, stream, monkeypatch):
    begin = HMM(4, learner=BaumWelch(max_iterations=1)).fit(whole)
    near = HMM(4, init=begin, learner=learner).fit(whole)
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 2 << 20)
    distant = HMM(4, init=begin, learner=learner).fit(stream, max_memory="8G")
    assert distant.history_[-1].objective == pytest.approx(near.history_[-1].objective, rel=1e-9)
    for one, other in zip(tables(near), tables(distant), strict=True):
        assert np.allclose(one, other, atol=1e-7)


def test_vectors_one_shard_after_the_other(monkeypatch):
    sequences = vectors()
    begin = HMM(3, seqlab.Gaussian(), learner=BaumWelch(max_iterations=1)).fit(sequences)
    near = HMM(3, seqlab.Gaussian(), init=begin, learner=BaumWelch(**FEW)).fit(sequences)
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 2 << 20)
    distant = HMM(3, seqlab.Gaussian(), init=begin, learner=BaumWelch(**FEW)).fit(
        iter(sequences), max_memory="8G"
    )
    assert distant.history_[-1].objective == pytest.approx(near.history_[-1].objective, rel=1e-9)


def test_every_word_has_a_probability(tight, whole, stream):
    """Also words that are not in the shard that EM begins with."""
    model = HMM(3, learner=BaumWelch(max_iterations=2)).fit(stream, max_memory="8G")
    assert len(model.predict(whole)) == len(whole)


def test_a_checkpoint_goes_on(tight, stream, files, tmp_path):
    make = lambda: HMM(3, learner=BaumWelch(max_iterations=6, tolerance=0.0))  # noqa: E731
    given = {"max_memory": "8G", "cache": tmp_path / "cache", "checkpoint": tmp_path / "kept"}
    near = make().fit(stream, max_memory="8G", cache=tmp_path / "cache")

    def stop(epoch):
        if len(seen := [*stopped, epoch]) == 4:
            raise RuntimeError("killed")
        stopped[:] = seen

    stopped = []
    with pytest.raises(RuntimeError, match="killed"):
        make().fit(
            stream, callbacks=stop, **{**given, "checkpoint": seqlab.Checkpoint(tmp_path / "kept", every=0)}
        )
    assert same(make().fit(stream, **given), near)
    other = seqlab.stream_corpus(files / "part-1.txt", columns=("word", "pos", "chunk", "entity"))
    with pytest.raises(seqlab.errors.SeqlabError, match="shards"):
        make().fit(other, **given)


def test_shards_that_do_not_fit_are_refused_with_the_figure(stream, monkeypatch):
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 1 << 30)
    with pytest.raises(
        OptionError, match=r"4 states and the data of a shard .* need [\d.e+]+ [GT]B of memory, but"
    ):
        HMM(4, learner=BaumWelch(**FEW)).fit(stream, max_memory="8G")


def test_tables_that_do_not_fit_are_refused_with_the_figure(stream):
    limit = resident() + (200 << 20)
    with pytest.raises(
        OptionError, match=r"tables of 3000 states .* need [\d.]+ [GT]B of memory, but max_memory"
    ):
        HMM(3000, learner=BaumWelch(**FEW)).fit(stream, max_memory=limit)


def test_weights_of_sentences_need_memory(tight, stream, whole):
    with pytest.raises(OptionError, match="EM over shards has no weights") as caught:
        HMM(3).fit(stream, sample_weight=np.arange(len(whole)) + 1.0, max_memory="8G")
    assert caught.value.option == "sample_weight"
