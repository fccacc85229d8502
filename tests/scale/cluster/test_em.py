"""EM on a cluster is EM of one process."""

import numpy as np
import pytest

import seqlab
from seqlab.errors import OptionError


def tables(model):
    found = model.model_
    emitted = found.emissions
    more = emitted.probabilities if hasattr(emitted, "probabilities") else emitted.means
    return [found.pi, found.A, more]


def same(one, other):
    return all((a == b).all() for a, b in zip(tables(one), tables(other), strict=True))


@pytest.mark.parametrize("learner", [seqlab.BaumWelch(max_iterations=4), seqlab.HardEM(max_iterations=3)])
def test_cluster_is_one_process(client, stream, tmp_path, learner):
    here, far = (
        seqlab.HMM(4, learner=learner, column="pos").fit(stream, cache=tmp_path, client=place)
        for place in ("threads", client)
    )
    assert same(here, far)
    assert here.history_[-1].objective == far.history_[-1].objective


def test_shards_are_one_sum_within_rounding(stream, whole, tmp_path):
    learner = seqlab.BaumWelch(max_iterations=5, restarts=2)
    shards = seqlab.HMM(4, learner=learner, column="pos").fit(stream, cache=tmp_path, client="threads")
    memory = seqlab.HMM(4, learner=learner, column="pos").fit(whole)
    assert shards.history_[-1].objective == pytest.approx(memory.history_[-1].objective, rel=1e-9)
    assert all(np.allclose(a, b, atol=1e-8) for a, b in zip(tables(shards), tables(memory), strict=True))


def test_vectors_and_their_moments(client, tmp_path):
    chance = np.random.default_rng(3)
    X = [chance.normal(size=(int(n), 2)) + chance.integers(0, 2) * 4 for n in chance.integers(3, 40, 200)]
    learner = seqlab.BaumWelch(max_iterations=5)
    here, far, memory = (
        seqlab.HMM(2, seqlab.Gaussian(), learner=learner).fit(X, **where)
        for where in (
            {"cache": tmp_path, "client": "threads"},
            {"cache": tmp_path, "client": client},
            {},
        )
    )
    assert same(here, far)
    assert all(np.allclose(a, b, atol=1e-8) for a, b in zip(tables(here), tables(memory), strict=True))


def test_killed_worker_changes_no_bit(local_cluster, kill_one, stream, tmp_path):
    learner = seqlab.BaumWelch(max_iterations=4)
    here = seqlab.HMM(4, learner=learner, column="pos").fit(stream, cache=tmp_path, client="threads")
    with local_cluster(2) as client:

        def kill(epoch):
            if epoch.iteration == 1:
                kill_one(client)

        far = seqlab.HMM(4, learner=learner, column="pos").fit(
            stream, cache=tmp_path, client=client, callbacks=kill
        )
    assert same(here, far)


def test_counting_needs_no_cluster(stream, tmp_path):
    near, far = (
        seqlab.HMM().fit(stream, "pos", cache=tmp_path, **more) for more in ({}, {"client": "threads"})
    )
    assert near.score(stream_sentences(), "pos") == far.score(stream_sentences(), "pos")


def stream_sentences():
    return seqlab.demo_corpus("test")[:50]


def test_checkpoints_are_refused(stream, tmp_path):
    hmm = seqlab.HMM(4, learner=seqlab.BaumWelch(max_iterations=2), column="pos")
    with pytest.raises(OptionError, match="stores no checkpoints yet"):
        hmm.fit(stream, cache=tmp_path / "cache", client="threads", checkpoint=tmp_path / "kept")
