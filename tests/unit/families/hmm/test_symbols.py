"""Tables with names: which state follows which, what a state emits; states that nothing is left for, in the plural."""

import numpy as np
import pytest

from seqlab import HMM, Counting, Gaussian
from seqlab.errors import LabelError, NotFittedError, OptionError, QuestionError, TrainingWarning


def weather(**options):
    return HMM.from_tables(
        pi=[0.5, 0.5],
        A=[[0.9, 0.1], [0.2, 0.8]],
        B=[[0.1, 0.6, 0.3], [0.5, 0.0, 0.5]],
        states=["warm", "cold"],
        **options,
    )


def test_symbols_come_most_probable_first_and_equal_ones_in_their_order():
    hmm = weather(symbols=["read", "swim", "walk"])
    assert hmm.top_symbols("warm") == [("swim", 0.6), ("walk", 0.3), ("read", 0.1)]
    assert hmm.top_symbols("cold", 2) == [("read", 0.5), ("walk", 0.5)]
    assert len(hmm.top_symbols("cold", None)) == 3
    assert weather().top_symbols("warm", 1) == [(1, 0.6)]


def test_of_counted_words():
    X, y = [["the", "dog"], ["the", "cat"], ["the", "dog"]], [["D", "N"]] * 3
    top = HMM(smoothing="mle").fit(X, y).top_symbols("N")
    assert [word for word, _ in top] == ["dog", "cat", "the"]
    assert np.allclose([p for _, p in top], [2 / 3, 1 / 3, 0])


def test_moves_have_names_with_start_and_end():
    moves = weather().transition_matrix
    assert moves.sources == ("<s>", "warm", "cold")
    assert moves.targets == ("warm", "cold")
    assert moves["<s>", "cold"] == 0.5
    assert moves["cold", "warm"] == 0.2
    ending = HMM.from_tables(
        [0.6, 0.4], [[0.5, 0.3], [0.2, 0.7]], np.eye(2), states=["x", "y"], end=[0.2, 0.1]
    )
    moves = ending.transition_matrix
    assert moves.targets == ("x", "y", "</s>")
    assert np.allclose(moves.matrix, [[0.6, 0.4, 0.0], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1]])
    assert moves["x", "</s>"] == pytest.approx(0.2)
    with pytest.raises(LabelError, match="'z' is none of"):
        moves["z", "x"]


def test_moves_of_counted_words_have_names():
    X, y = [["the", "dog"], ["the", "cat"], ["dogs"]], [["D", "N"], ["D", "N"], ["N"]]
    moves = HMM(order=1, learner=Counting("mle", unknown="none"), end=True).fit(X, y).transition_matrix
    assert moves["<s>", "N"] == pytest.approx(1 / 3)
    assert moves["D", "N"] == moves["N", "</s>"] == 1.0
    pairs = HMM(order=2, smoothing="mle", end=True).fit(X, y).transition_matrix
    assert pairs.matrix.shape == (1 + 2 + 4, 3)
    assert pairs[("<s>", "<s>"), "N"] == pytest.approx(1 / 3)
    assert pairs[("<s>", "D"), "N"] == pairs[("D", "N"), "</s>"] == 1.0
    with pytest.raises(NotFittedError, match="transition_matrix: this HMM has learned nothing"):
        HMM(2).transition_matrix  # noqa: B018
    with pytest.raises(QuestionError, match="a state is called '<s>'"):
        HMM.from_tables([1.0], [[1.0]], [[1.0]], states=["<s>"]).transition_matrix  # noqa: B018


def test_wrong_questions():
    with pytest.raises(NotFittedError):
        HMM(2).top_symbols("s0")
    with pytest.raises(LabelError, match="there is no state 'hot'; the states are warm, cold"):
        weather().top_symbols("hot")
    with pytest.raises(OptionError, match="n must be"):
        weather().top_symbols("warm", 0)
    vectors = HMM(2, Gaussian()).fit([np.arange(20.0).reshape(10, 2)])
    with pytest.raises(QuestionError, match="emit no symbols"):
        vectors.top_symbols("s0")


def test_several_empty_states_are_named_together():
    allowed = {"a": ["x"], "b": ["x", "y"]}
    with pytest.warns(TrainingWarning, match="nothing is left for the states 'v', 'w': their probabilities"):
        HMM(states=["v", "w", "x", "y"], allowed=allowed).fit([["a", "b", "a", "b"]])
