"""EM has the same bits in memory, beyond memory (one shard after the other), and as sums over shards in threads."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from scale.bits import differences
from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    HardEM,
    Poisson,
    Streams,
)
from seqlab.errors import LabelError, OptionError
from seqlab.families.hmm import engines, far
from seqlab.families.hmm.em import expect
from seqlab.families.hmm.tables import Dirichlet
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.scale import columns
from seqlab.scale.columns import ColumnStore
from seqlab.scale.sizes import resident

FEW = {"max_iterations": 4}
LIMIT = "16G"


@pytest.fixture(autouse=True)
def tiny_shards(monkeypatch):
    """Shards of some 300 tokens; some tests change them further."""
    monkeypatch.setattr(columns, "SHARD", columns.TOKEN * 300)
    monkeypatch.setattr(engines, "BLOCK", 200)


@pytest.fixture
def tight(monkeypatch):
    """Tokens so large that the limit holds a shard, but not the corpus."""
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 16 << 20)


SENTENCES = seqlab.demo_corpus("train")[:100]
WORDS = [list(s["word"]) for s in SENTENCES]
POS = [list(s["pos"]) for s in SENTENCES]
NAMES = sorted({tag for tags in POS for tag in tags})
CHUNKS = sorted({tag for s in SENTENCES for tag in s["chunk"]})


def vectors(width, *, missing=None):
    """Vectors with states one can tell apart; missing: "numbers" or whole "vectors" of them, in some sequences."""
    rng = np.random.default_rng(width)
    made = [rng.normal(size=(len(words), width)) + i % 3 for i, words in enumerate(WORDS)]
    for one in made[30:60] if missing else ():
        one[rng.random(one.shape if missing == "numbers" else len(one)) < 0.2] = np.nan
    return made


def lost(words):
    return [[word if len(word) != 4 else None for word in one] for one in words]


COUNTS = [np.array([[len(w), i % 4] for w in words], dtype=float) for i, words in enumerate(WORDS)]
BAGS = [[[f"w={w.lower()}", f"s={w[-2:]}"] for w in words] for words in WORDS]
COUNTED = [[{f"w={w.lower()}": 1.0 + len(w) % 2, f"s={w[-2:]}": 2.0} for w in words] for words in WORDS]
SOME = [[tag if i % 3 == 0 else None for tag in tags] for i, tags in enumerate(POS)]
SETS = [
    [{tag, "NOUN"} if (i + t) % 3 == 0 else tag for t, tag in enumerate(tags)] for i, tags in enumerate(POS)
]
PAIRS = [list(zip(words, rows, strict=True)) for words, rows in zip(WORDS, vectors(1), strict=True)]
EMPTY = [[], *WORDS[:40], [], [], *WORDS[40:], []]


def em(**options):
    return BaumWelch(**{**FEW, **options})


# A tagger, its observations, and labels if any.
CASES = {
    "words": (lambda: HMM(4, learner=em()), WORDS),
    "hard EM": (lambda: HMM(4, learner=HardEM(**FEW)), WORDS),
    "order 2": (lambda: HMM(3, order=2, learner=em(), end=True), WORDS),
    "order 3": (lambda: HMM(2, order=3, learner=em()), WORDS),
    "order 2, hard EM": (lambda: HMM(3, order=2, learner=HardEM(**FEW)), WORDS),
    "restarts": (lambda: HMM(3, learner=em(restarts=3)), WORDS),
    "priors": (lambda: HMM(3, learner=em(), smoothing=Dirichlet(0.1, 0.2, 0.3, 0.01), end=True), WORDS),
    "clusters": (lambda: HMM(3, learner=em(), init="clusters"), WORDS),
    "a dictionary": (lambda: HMM(4, learner=em(), allowed={"the": ["s0", "s1"], "of": ["s2"]}), WORDS),
    "a start that leans": (lambda: HMM(learner=em(), init={"the": ["A"], "of": ["B"]}), WORDS),
    "labelled sentences to begin with": (lambda: HMM(learner=em(), init=(WORDS[:9], POS[:9])), WORDS),
    "tied": (lambda: HMM(3, learner=em(tied=[("s0", "s1")])), WORDS),
    "frozen": (lambda: HMM(3, learner=em(frozen=["emissions"])), WORDS),
    "empty sentences": (lambda: HMM(3, learner=em()), EMPTY),
    "missing words": (lambda: HMM(3, learner=em()), lost(WORDS)),
    "whole numbers": (lambda: HMM(3, learner=em()), [[len(w) for w in words] for words in WORDS]),
    "given symbols": (lambda: HMM(3, Categorical(40), learner=em()), [[len(w) for w in ws] for ws in WORDS]),
    "bags": (lambda: HMM(3, FeatureBag(), learner=em()), BAGS),
    "counted bags": (lambda: HMM(3, FeatureBag(), learner=em()), COUNTED),
    "Poisson": (lambda: HMM(3, Poisson(rate_prior=0.1, rate_weight=0.1), learner=em()), COUNTS),
    "streams": (lambda: HMM(3, Streams(word=Categorical(), pitch=Gaussian()), learner=em()), PAIRS),
    "labels": (lambda: HMM(learner=em()), WORDS, POS),
    "labels, one step": (lambda: HMM(states=NAMES), WORDS, POS),
    "labels, hard EM": (lambda: HMM(learner=HardEM(**FEW)), WORDS, POS),
    "open labels": (lambda: HMM(states=NAMES, learner=em(unlabelled_weight=0.5)), WORDS, SOME),
    "sets of labels": (lambda: HMM(states=NAMES, learner=em()), WORDS, SETS),
    "nothing but sets": (
        lambda: HMM(learner=em()),
        WORDS,
        [[{tag, "NOUN", "VERB"} - {"X"} for tag in row] for row in POS],
    ),
    "few labels": (lambda: HMM(states=NAMES, learner=em()), WORDS, [*[None] * 97, *POS[97:]]),
    "a scheme": (
        lambda: HMM(states=CHUNKS, constraints="auto", learner=em()),
        WORDS,
        [list(s["chunk"]) for s in SENTENCES],
    ),
    "random vectors": (lambda: HMM(3, Gaussian(), init="random", learner=em(restarts=2)), vectors(3)),
    "vectors and priors": (
        lambda: HMM(3, Gaussian(mean_weight=1, covariance_prior=0.1, covariance_weight=1), learner=em()),
        vectors(3),
    ),
    "many numbers": (lambda: HMM(2, Gaussian("full"), learner=em(max_iterations=2)), vectors(17)),
}
for kind in ("diag", "full", "tied", "spherical"):
    whole = kind in ("full", "tied")
    CASES[f"{kind} Gaussians"] = (lambda kind=kind: HMM(3, Gaussian(kind), learner=em()), vectors(3))
    CASES[f"{kind} mixtures"] = (lambda kind=kind: HMM(3, GaussianMixture(kind), learner=em()), vectors(1))
    CASES[f"{kind}, numbers missing"] = (
        lambda kind=kind: HMM(3, Gaussian(kind), learner=em()),
        vectors(2, missing="vectors" if whole else "numbers"),
    )


def beyond(monkeypatch, make, data, **more):
    """Fit what does not fit in memory, and the same in threads."""
    with monkeypatch.context() as patch:
        patch.setattr(far, "_token_bytes", lambda *_, **__: 16 << 20)
        patch.setattr(ColumnStore, "in_memory", None)
        tight = make().fit(*map(iter, data), max_memory=LIMIT, **more)
    return tight, make().fit(*map(iter, data), client="threads", **more)


@pytest.mark.parametrize("name", CASES)
def test_the_model_is_that_of_memory(name, monkeypatch, tmp_path):
    make, *data = CASES[name]
    near = make().fit(*data)
    for distant in beyond(monkeypatch, make, data):
        assert not differences(near, distant, tmp_path)
        objectives = [[epoch.objective for epoch in one.history_] for one in (near, distant)]
        assert objectives[0] == objectives[1]


@pytest.mark.parametrize(
    "name", ["words", "hard EM", "bags", "labels, one step", "open labels", "diag Gaussians"]
)
def test_weights_of_sentences_are_those_of_memory(name, monkeypatch, tmp_path):
    make, *data = CASES[name]
    weights = [1.0 + i % 3 for i in range(len(data[0]))]
    near = make().fit(*data, sample_weight=weights)
    for distant in beyond(monkeypatch, make, data, sample_weight=weights):
        assert not differences(near, distant, tmp_path)
    assert differences(near, make().fit(*data), tmp_path)


@pytest.mark.parametrize("shard", [50, 300, 700])
@pytest.mark.parametrize("name", ["words", "streams", "open labels"])
def test_whatever_the_shards(name, shard, monkeypatch, tmp_path):
    monkeypatch.setattr(columns, "SHARD", columns.TOKEN * shard)
    make, *data = CASES[name]
    near = make().fit(*data)
    for distant in beyond(monkeypatch, make, data):
        assert not differences(near, distant, tmp_path)


def test_limits_and_threads_do_not_matter(monkeypatch, tmp_path, whole, stream):
    make = lambda threads=1: HMM(4, learner=em(restarts=2), threads=threads)  # noqa: E731
    near = make().fit(whole)
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 2 << 20)
    monkeypatch.setattr(far, "resident", lambda: 70 << 20)  # that of the tests may be more than a limit
    for limit in ("1G", "4G", "64G"):
        distant = make(3).fit(stream, max_memory=limit)
        distant.threads = 1
        assert not differences(near, distant, tmp_path)


def test_a_model_to_begin_with(monkeypatch, tmp_path):
    """Its words keep their numbers, and the new ones follow."""
    begin = HMM(3, learner=em(max_iterations=1)).fit(WORDS[60:])
    make = lambda: HMM(3, init=begin, learner=em())  # noqa: E731
    for distant in beyond(monkeypatch, make, (WORDS,)):
        assert not differences(make().fit(WORDS), distant, tmp_path)


def test_a_development_set(monkeypatch, tmp_path):
    dev = seqlab.demo_corpus("test")[:20]
    make = lambda: HMM(3, learner=em())  # noqa: E731
    near = make().fit(WORDS, dev=[list(s["word"]) for s in dev], patience=2)
    for distant in beyond(monkeypatch, make, (WORDS,), dev=[list(s["word"]) for s in dev], patience=2):
        assert not differences(near, distant, tmp_path)


def test_parts_add_up_to_the_whole():
    """Counts of parts are those of one pass, but for rounding."""
    data = TrainingSet.read(HMM(3), WORDS, None)
    model = HMM(3, learner=em()).fit(WORDS).model_
    evidence = data.evidence(model.emissions.observe(data.corpus, data.column, unknown="error"), 3)
    assert len(evidence.parts) > 5
    some = expect(model, evidence, 1)
    evidence.cuts = None
    one = expect(model, evidence, 1)
    assert some.value == pytest.approx(one.value, rel=1e-12)
    assert np.allclose(some.edge, one.edge, rtol=1e-12)
    assert np.allclose(some.emissions["counts"], one.emissions["counts"], rtol=1e-12)
    assert np.array_equal(some.log_z, one.log_z) or np.allclose(some.log_z, one.log_z, rtol=1e-13)


@given(st.lists(st.integers(0, 40), max_size=40), st.integers(1, 4), st.integers(1, 7))
def test_cuts_are_the_shards_and_blocks_do_not_matter(lengths, width, block):
    corpus = seqlab.HMM(2, Gaussian())._corpus(
        np.zeros((sum(lengths), width)), np.array(lengths, dtype=np.int64)
    )
    cuts = columns.cuts_of(corpus)
    assert cuts[0] == 0
    assert cuts[-1] == len(lengths)
    costs, room = columns.costs(corpus), columns.SHARD
    for first, last in itertools.pairwise(cuts[:-1].tolist()):
        assert costs[first:last].sum() >= room > costs[first : last - 1].sum()
    step = max(len(cuts) - 1, 1)
    chosen, spent = [], 0
    for first in range(0, len(corpus), block):
        some = corpus[first : first + block]
        if spent < room:
            rows = np.arange(len(some))[columns.spread_out(some, -first % step, step, spent)]
            spent += int(columns.costs(some)[rows].sum())
            chosen += (rows + first).tolist()
    assert chosen == np.arange(len(corpus))[columns.spread_out(corpus, 0, step)].tolist()


def test_every_word_has_a_probability(tight, whole, stream):
    """Also words that are not in the sample that EM begins with."""
    model = HMM(3, learner=BaumWelch(max_iterations=2)).fit(stream, max_memory=LIMIT)
    assert len(model.predict(whole)) == len(whole)


def test_a_checkpoint_goes_on(tight, stream, files, tmp_path):
    make = lambda: HMM(3, learner=BaumWelch(max_iterations=6, tolerance=0.0))  # noqa: E731
    given = {"max_memory": LIMIT, "cache": tmp_path / "cache", "checkpoint": tmp_path / "kept"}
    near = make().fit(stream, max_memory=LIMIT, cache=tmp_path / "cache")

    def stop(epoch):
        if len(seen := [*stopped, epoch]) == 4:
            raise RuntimeError("killed")
        stopped[:] = seen

    stopped = []
    with pytest.raises(RuntimeError, match="killed"):
        make().fit(
            stream, callbacks=stop, **{**given, "checkpoint": seqlab.Checkpoint(tmp_path / "kept", every=0)}
        )
    assert not differences(make().fit(stream, **given), near, tmp_path)
    other = seqlab.stream_corpus(files / "part-1.txt", columns=("word", "pos", "chunk", "entity"))
    with pytest.raises(seqlab.errors.SeqlabError, match="shards"):
        make().fit(other, **given)


def test_labels_that_break_the_rules_are_found_where_they_are(tight):
    labels = [["B-X"] * len(words) for words in WORDS]
    labels[70] = ["I-Y"] * len(WORDS[70])
    hmm = HMM(states=["B-X", "I-X", "B-Y", "I-Y"], constraints="IOB2", learner=em())
    with pytest.raises(LabelError, match="sentence 70"):
        hmm.fit(iter(WORDS), iter(labels), max_memory=LIMIT)


def test_shards_that_do_not_fit_are_refused_with_the_figure(stream, monkeypatch):
    monkeypatch.setattr(far, "_token_bytes", lambda *_, **__: 1 << 30)
    with pytest.raises(
        OptionError, match=r"4 states and the data of a shard .* need [\d.e+]+ [GT]B of memory, but"
    ):
        HMM(4, learner=BaumWelch(**FEW)).fit(stream, max_memory=LIMIT)


def test_tables_that_do_not_fit_are_refused_with_the_figure(stream):
    limit = resident() + (200 << 20)
    with pytest.raises(
        OptionError, match=r"tables of 3000 states .* need [\d.]+ [GT]B of memory, but max_memory"
    ):
        HMM(3000, learner=BaumWelch(**FEW)).fit(stream, max_memory=limit)


def test_counts_with_missing_labels_need_memory(tight):
    with pytest.raises(OptionError, match="counts of words with labels, some of them missing") as caught:
        HMM().fit(iter(WORDS), iter(SOME), max_memory=LIMIT)
    assert caught.value.option == "max_memory"
