"""Counts by hand, and what they say of sentences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.counted import START, coded, counted, move_counts
from seqlab import inference
from seqlab.errors import ImpossibleError, OptionError
from seqlab.families.hmm.counting import SuffixModel
from seqlab.families.hmm.emissions.symbols import MISSING
from seqlab.learning.smoothing import AddLambda, Interpolated, KneserNey, WittenBell

SMALL = [[("a", "X"), ("b", "Y")], [("a", "X")]]
TEXT = [
    [("the", "D"), ("dog", "N"), ("barks", "V")],
    [("the", "D"), ("old", "A"), ("man", "N"), ("barks", "V"), ("loudly", "R")],
    [("dogs", "N"), ("bark", "V")],
    [("old", "A"), ("dogs", "N"), ("man", "V"), ("the", "D"), ("boats", "N")],
]
LETTERS = st.characters(exclude_characters=MISSING, exclude_categories=["Cs"])
SMOOTHINGS = ["mle", 0.5, "witten-bell", "kneser-ney", "interpolated"]


def test_relative_frequencies_are_those_counted_by_hand():  # eq:counting
    model = counted(SMALL, order=1, smoothing="mle", unknown=None)
    #                                    before X    before Y    at the beginning
    assert model.moves.tolist() == [[0.0, 1.0], [0.0, 0.0], [2.0, 0.0]]
    assert model.last.tolist() == [1.0, 1.0]
    # After Y nothing was seen, so both labels are as likely.
    assert model.move_probabilities.tolist() == [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
    assert model.emissions().tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_prior_adds_to_every_count():  # eq:counting
    model = counted(SMALL, order=1, smoothing=AddLambda(1.0), unknown=None)
    assert model.move_probabilities.tolist() == [[1 / 3, 2 / 3], [0.5, 0.5], [0.75, 0.25]]
    assert model.emissions() == pytest.approx(np.array([[3 / 4, 1 / 4], [1 / 3, 2 / 3]]))
    words, codes, offsets = coded([["new", "a"]])
    (trellis,) = model.trellises(words, codes, offsets)
    assert trellis.node[0] == pytest.approx(np.log([0.75, 0.25]))  # a new word says nothing here
    ends = counted(SMALL, order=1, smoothing=AddLambda(1.0), unknown=None, end=True).end_probabilities
    assert ends == pytest.approx([2 / 5, 2 / 4])  # of L + 1 events


@pytest.mark.parametrize("order", [1, 2, 3])
def test_moves_are_counted_with_the_beginning_as_a_label(order):  # eq:counting
    model = counted(TEXT, order=order)
    number = {START: model.L, **{name: i for i, name in enumerate(model.labels)}}
    table = np.zeros_like(model.moves)
    for gram, count in move_counts(TEXT, order).items():
        table[tuple(number[label] for label in gram)] = count
    assert np.array_equal(model.moves, table)
    assert dict(zip(model.labels, model.last.tolist(), strict=True)) == {
        "A": 0,
        "D": 0,
        "N": 1,
        "R": 1,
        "V": 2,
    }


def test_weights_count_tokens_several_times():
    twice = counted([*TEXT, *TEXT[:2]], order=2)
    weights = np.array([2.0] * 8 + [1.0] * 7)
    weighted = counted(TEXT, order=2, weights=weights)
    assert np.array_equal(twice.moves, weighted.moves)
    assert np.array_equal(twice.last, weighted.last)
    assert np.array_equal(twice.words.count, weighted.words.count)


def test_a_word_of_no_weight_is_a_new_word():
    weights = np.array([1.0, 0.0, 1.0])
    model = counted(SMALL, order=1, weights=weights)
    assert model.words.pool.strings() == ["a"]
    assert np.isfinite(model.trellises(*coded([["b"]]))[0].node).any()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_rows_of_moves_sum_to_one(smoothing, order):
    model = counted(TEXT, order=order, smoothing=smoothing)
    rows = model.move_probabilities.sum(axis=-1)
    assert rows == pytest.approx(np.ones(rows.shape))
    assert (model.move_probabilities >= 0).all()


def test_emissions_of_relative_frequencies_sum_to_one():
    for smoothing in ("mle", 0.5):
        model = counted(TEXT, smoothing=smoothing, unknown=None)
        assert model.emissions().sum(axis=1) == pytest.approx(np.ones(model.L))
        model = counted(TEXT, smoothing=smoothing)
        assert model.emissions().sum(axis=1) == pytest.approx(np.full(model.L, 1 - model.lexicon.unseen))


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("unknown", [SuffixModel(), SuffixModel(strength=None), None])
def test_the_joint_probability_is_the_score_of_the_path(smoothing, unknown):
    """eq:counting, written out for one path of order 2."""
    model = counted(TEXT, order=2, smoothing=smoothing, unknown=unknown, end=True)
    d, n = model.labels.index("D"), model.labels.index("N")
    (trellis,) = model.trellises(*coded([["the", "dog"]]))
    found = trellis.score([d, n])
    P, B, ends = model.move_probabilities, model.emissions(), model.end_probabilities
    strings = model.words.pool.strings()
    expected = (
        np.log(P[-1, -1, d])
        + np.log(P[-1, d, n])
        + np.log1p(-ends[d])
        + np.log(B[d, strings.index("the")] * B[n, strings.index("dog")])
        + np.log(ends[n])
    )
    assert found == pytest.approx(expected)


def test_an_unknown_word_says_nothing_without_a_suffix_model():
    model = counted(SMALL, order=1, smoothing="mle", unknown=None)
    (trellis,) = model.trellises(*coded([["new"]]))
    assert np.exp(trellis.node).tolist() == [[1.0, 0.0]]  # what the beginning says


def test_an_impossible_sentence_is_named():
    model = counted([[("a", "X"), ("b", "Y")], [("c", "Z")]], order=1, smoothing="mle", unknown=None)
    with pytest.raises(ImpossibleError, match="sentence 1: ") as caught:
        model.label_ids(*coded([["a", "b"], ["b"]]))
    assert caught.value.sequence == 1
    assert model.trellises(*coded([["b"]]))[0].score([1]) == -np.inf


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_missing_word_says_nothing_and_is_not_counted(smoothing):
    text = [*TEXT, [(MISSING, "Q"), ("dog", "N")]]
    model = counted(text, order=1, smoothing=smoothing, end=True)
    assert MISSING not in model.words.pool.strings()
    assert model.moves[-1, model.labels.index("Q")] == 1
    (trellis,) = model.trellises(*coded([["the", MISSING, "dog"]]))
    assert trellis.node[1].tolist() == [0.0] * model.L
    ids = model.label_ids(*coded([["the", MISSING, "dog"]]))
    assert inference.viterbi(trellis).ids.tolist() == ids.tolist()
    with pytest.raises(OptionError, match="not one token has a word"):
        counted([[(MISSING, "X")]]).words.some()


def test_a_dictionary_says_what_words_may_be():
    model = counted(TEXT, order=2)
    words, codes, offsets = coded([["the", "old", "man"]])
    allowed = np.ones((3, model.L), dtype=bool)
    allowed[2] = [label == "V" for label in model.labels]
    allowed[1] = [label == "R" for label in model.labels]  # which "old" never was
    ids = model.label_ids(words, codes, offsets, allowed=allowed)
    assert [model.labels[i] for i in ids] == ["D", "R", "V"]
    (trellis,) = model.trellises(words, codes, offsets, allowed=allowed)
    assert inference.viterbi(trellis).ids.tolist() == ids.tolist()
    for smoothing in ("mle", "interpolated"):
        plain = counted(TEXT, order=1, smoothing=smoothing, unknown=None)
        assert plain.trellises(words, codes, offsets, allowed=allowed)[0].allowed[1].tolist() == [3]


def test_one_label_and_empty_sentences():
    model = counted([[("a", "X")], [], [("b", "X"), ("a", "X")]], order=3, end=True)
    ids = model.label_ids(*coded([[], ["a", "zzz", ""], []]))
    assert ids.tolist() == [0, 0, 0]
    made = model.trellises(*coded([[], ["a", "zzz", ""], []]))
    assert [one.T for one in made] == [0, 3, 0]
    assert all(np.isfinite(one.node).all() for one in made)


@given(
    st.lists(
        st.lists(st.tuples(st.text(LETTERS, max_size=12), st.sampled_from("XYZ")), max_size=5),
        min_size=1,
        max_size=5,
    ).filter(any),
    st.lists(st.text(max_size=40), max_size=6),
    st.sampled_from(SMOOTHINGS[1:]),
)
def test_odd_words_give_numbers(sentences, new, smoothing):
    model = counted(sentences, order=2, smoothing=smoothing, end=True)
    words, codes, offsets = coded([new, [word for s in sentences for word, _ in s]])
    for trellis in model.trellises(words, codes, offsets):
        assert not np.isnan(trellis.node).any()
        assert np.isfinite(inference.log_partition(trellis))
    assert (model.label_ids(words, codes, offsets) >= 0).all()


@pytest.mark.parametrize(
    "word", ["", "👩‍👩‍👧", "x" * 100_000, "ÀÉ" * 50, "\u0000", "一二三", "1-2", "ß", "ǅ"]
)
def test_very_odd_words_give_numbers(word):
    model = counted([*TEXT, [(word, "N"), (word + "s", "N")]])
    for tokens in ([word], [word + "s"], ["un" + word]):
        (trellis,) = model.trellises(*coded([tokens]))
        assert np.isfinite(inference.log_partition(trellis))


def test_counts_add_up():
    both = counted(TEXT[:2], order=2).plus(counted([*TEXT[2:], [("new", "Q")]], order=2))
    at_once = counted([*TEXT, [("new", "Q")]], order=2)
    assert both.labels == at_once.labels
    assert np.array_equal(both.moves, at_once.moves)
    assert np.array_equal(both.last, at_once.last)
    asked = coded([["the", "new", "boats"], ["loudly", "man", "xs"]])
    assert np.array_equal(both.label_ids(*asked), at_once.label_ids(*asked))
    with pytest.raises(OptionError, match="order 2 and of order 1 do not add up"):
        both.plus(counted(TEXT, order=1))


def test_smoothing_is_chosen_by_name_number_or_object():
    assert counted(SMALL).smoothing == KneserNey()
    assert counted(SMALL, smoothing="interpolated").smoothing == Interpolated()
    assert counted(SMALL, smoothing=2).smoothing == AddLambda(2)
    assert counted(SMALL, smoothing=WittenBell()).smoothing == WittenBell()
    with pytest.raises(OptionError, match="smoothing must be one of"):
        counted(SMALL, smoothing="good")


def test_orders_that_cannot_be_are_refused():
    with pytest.raises(OptionError, match="order must be 1, 2 or 3, got 4"):
        counted(SMALL, order=4)
    with pytest.raises(OptionError, match="take a lower order"):
        counted([[("a", str(i)) for i in range(200)]], order=3)
