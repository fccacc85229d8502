"""Tag dictionaries of hidden Markov models: a rule (allowed=) that EM keeps to, a start (init=) that it may leave."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import CRF, HMM, BaumWelch, Counting, HardEM
from seqlab.errors import ImpossibleError, TrainingWarning

STATES = ("x", "y", "z")
LISTED = {"a": ["x"], "b": ["x", "y"]}
X = [["a", "b", "c", "d"], ["c", "b", "a"], ["d", "a", "b", "b"], ["c", "c"]]
Y = [["x", "y", "z", "x"], ["z", "x", "x"], ["y", "x", "y", "y"], ["z", "x"]]


def kept_to(hmm, sentence):
    """Whether listed words have their labels alone, and others any."""
    rows = hmm.posterior(sentence).node
    for word, row, best in zip(sentence, rows, hmm.tag(sentence), strict=True):
        outside = [i for i, label in enumerate(hmm.labels_) if label not in LISTED.get(word, hmm.labels_)]
        if row[outside].any() or best not in LISTED.get(word, hmm.labels_):
            return False
    return True


@pytest.mark.parametrize(
    "options",
    [{}, {"order": 1}, {"smoothing": 0.1}, {"learner": Counting("witten-bell", unknown="none")}],
    ids=str,
)
def test_counted_words_keep_to_it_and_words_not_listed_are_as_without_it(options):
    hmm = HMM(allowed=LISTED, **options).fit(X, Y)
    plain = HMM(**options).fit(X, Y)
    for sentence in (["a", "a", "b", "b"], ["b", "c", "a"], ["new", "a", "d"]):
        assert kept_to(hmm, sentence)
        assert kept_to(hmm, list(reversed(sentence)))
    for sentence in (["c", "d", "c"], ["d", "new"]):
        assert hmm.tag(sentence) == plain.tag(sentence)
        assert np.allclose(hmm.posterior(sentence).node, plain.posterior(sentence).node)
    assert (hmm.posterior(["new"]).node > 0).all()


def test_a_word_not_listed_may_be_anything_for_a_crf_as_well():
    crf = CRF("word[0]", allowed=LISTED).fit(X, Y)
    assert (crf.posterior(["c"]).node > 0).all()
    assert crf.posterior(["a"]).node[0].tolist() == [1.0, 0.0, 0.0]


def test_it_cannot_give_what_plain_counts_do_not_have():
    hmm = HMM(allowed={"c": ["y"]}, smoothing="mle").fit(X, Y)
    with pytest.raises(ImpossibleError, match=r"position 0 .* fit with smoothing=0\.1"):
        hmm.tag(["c"])
    assert HMM(allowed={"c": ["y"]}, smoothing=0.1).fit(X, Y).tag(["c"]) == ["y"]


@given(
    st.integers(0, 2**20),
    st.sampled_from([None, 0.3]),
    st.sampled_from([BaumWelch, HardEM]),
    st.sampled_from([None, LISTED, "random"]),
)
def test_em_keeps_to_it_whatever_the_start(seed, smoothing, learner, init):
    rng = np.random.default_rng(seed)
    text = [rng.choice(list("abcd"), size=n).tolist() for n in rng.integers(1, 7, size=5)] + X[:1]
    hmm = HMM(
        states=STATES,
        allowed=LISTED,
        init=init,
        smoothing=smoothing,
        learner=learner(max_iterations=4),
        seed=seed % 100,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        hmm.fit(text)
    possible = [sentence for sentence in text if hmm.log_likelihood(sentence) > -np.inf]
    assert len(possible) == len(text) or (
        learner is HardEM and not smoothing
    )  # hard counts leave zeros behind
    assert all(kept_to(hmm, sentence) for sentence in possible)
    if smoothing or len(hmm.history_) == 1:
        return
    used = {label for row in hmm.predict(possible) for label in row}
    words, B = hmm.model_.emissions.symbols.words, hmm.model_.emissions.B
    for word, labels in LISTED.items():
        for label in used - set(labels):
            assert B[STATES.index(label), words.index(word)] == 0.0  # what is forbidden is never counted


def test_as_a_start_it_may_be_left_and_as_a_rule_it_is_not():
    lists = {"a": ["x"], "b": ["x"]}
    pairs = [["a", "b", "a", "b"], ["b", "a", "b", "a", "b"], ["a", "b"]]
    begun = HMM(states=["x", "y"], init=lists, learner=BaumWelch(max_iterations=0)).fit(pairs).model_
    assert (begun.emissions.B > 0).all()  # words lean, and no more
    assert HMM(states=["x", "y"], init=lists).fit(pairs).tag(["a", "b"]) == ["x", "y"]
    with pytest.warns(TrainingWarning, match="nothing is left for the state 'y'"):
        held = HMM(states=["x", "y"], init=lists, allowed=lists).fit(pairs)
    assert held.tag(["a", "b"]) == ["x", "x"]
