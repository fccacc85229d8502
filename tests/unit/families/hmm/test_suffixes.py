"""What endings say of labels, by hand."""

from collections import Counter

import numpy as np
import pytest

from oracle.counted import coded, counted
from seqlab import HMM, demo_corpus
from seqlab.errors import OptionError
from seqlab.families.hmm.counting import SuffixModel

# walked V, talked V, red A, Bed N: lower-case endings in "ed" are V, V, A; the capital has a tree of its own.
TEXT = [[("walked", "V"), ("talked", "V")], [("red", "A"), ("Bed", "N")]]
LABELS = ("A", "N", "V")
OVERALL = np.array([1, 1, 2]) / 4


def by_ending(model, word):
    share = np.zeros(model.L)
    assert model.lexicon.by_ending(word, share)
    return share


def test_longer_endings_lean_on_shorter_ones():  # eq:suffix-model
    model = counted(TEXT, unknown=SuffixModel(strength=2.0))
    lower = np.array([1, 0, 2])  # the empty ending, "d" and "ed"
    share = OVERALL
    for _ in range(3):
        share = (lower + 2 * share) / 5
    assert by_ending(model, "fed") == pytest.approx(share)
    longer = share
    for _ in range(2):  # "ked" and "lked"; no word ends in "ulked"
        longer = (np.array([0, 0, 2]) + 2 * longer) / 4
    assert by_ending(model, "bulked") == pytest.approx(longer)


def test_brants_weights_do_not_depend_on_counts():  # eq:suffix-model
    model = counted(TEXT, unknown=SuffixModel(strength=None))
    theta = np.sqrt(((OVERALL - 1 / 3) ** 2).sum() / 2)
    share = OVERALL
    for _ in range(3):
        share = (np.array([1, 0, 2]) / 3 + theta * share) / (1 + theta)
    assert by_ending(model, "fed") == pytest.approx(share)


def test_looks_have_trees_of_their_own():
    model = counted(TEXT, unknown=SuffixModel(strength=1.0))
    share = OVERALL
    for _ in range(3):  # the empty ending, "d", "ed" of capitalised words
        share = (np.array([0, 1, 0]) + share) / 2
    assert by_ending(model, "Ted") == pytest.approx(share)
    assert by_ending(model, "RED") == pytest.approx(OVERALL)  # no word in capitals was seen
    assert by_ending(model, "7") == pytest.approx(OVERALL)


@pytest.mark.parametrize(
    ("one", "other"),
    [("abc", "ab-c"), ("abc", "Abc"), ("Abc", "ABC"), ("1", "a1"), ("1", "!"), ("A-b", "a-b"), ("É", "é")],
)
def test_different_looks(one, other):
    model = counted([[(one, "X"), (other, "Y")]], unknown=SuffixModel(longest=0, strength=1e-6))
    assert by_ending(model, one)[0] > 0.99
    assert by_ending(model, other)[1] > 0.99


def test_letters_are_code_points_not_bytes():
    model = counted([[("né", "X"), ("nè", "Y"), ("fé", "X")]], unknown=SuffixModel(longest=1, strength=1e-6))
    assert by_ending(model, "ré") == pytest.approx([1, 0], abs=1e-5)
    assert by_ending(model, "rè") == pytest.approx([0, 1], abs=1e-5)


def test_endings_are_no_longer_than_asked_and_words_not_more_frequent():
    text = [[("xab", "X"), ("yab", "Y"), *[("zab", "Y")] * 11]]
    short = counted(text, unknown=SuffixModel(longest=2, strength=1e-6))
    assert by_ending(short, "xab") == pytest.approx([0.5, 0.5], abs=1e-3)
    assert by_ending(counted(text, unknown=SuffixModel(strength=1e-6)), "qxab")[0] > 0.99
    everything = counted(text, unknown=SuffixModel(longest=2, strength=1e-6, rare=100))
    assert by_ending(everything, "ab") == pytest.approx([1 / 13, 12 / 13], abs=1e-3)


def test_a_known_word_leans_on_others_with_its_ending():
    """eq:suffix-model for a known word: red leaves itself out of its endings, so its relatives say V."""
    options = SuffixModel(strength=2.0, known=0.5, least=0.0)
    model = counted(TEXT, order=1, smoothing="interpolated", unknown=options)
    share = OVERALL
    for _ in range(3):
        share = (np.array([0, 0, 2]) + 2 * share) / 4
    share = (np.array([1, 0, 0]) + 0.5 * share) / 1.5
    column = model.emissions()[:, model.words.pool.find("red")]
    seen = 1 - 0.5  # all words were seen once, and no more than half is kept for new ones
    whole = column.sum() / (share * seen * 0.25 / OVERALL).sum()  # a factor that all labels and words have
    assert column == pytest.approx(whole * share * seen * 0.25 / OVERALL)
    assert 0.5 < whole < 1
    assert model.emissions().sum(axis=1).max() == pytest.approx(seen)


def test_a_new_word_leans_on_the_same_word_in_other_case():
    options = SuffixModel(strength=2.0, folded=1.0, least=0.0)
    model = counted(TEXT, order=1, smoothing="interpolated", unknown=options)
    share = (np.array([0, 0, 1]) + by_ending(model, "WALKED")) / 2
    (trellis,) = model.trellises(*coded([["WALKED"]]))
    start = model.move_probabilities[-1]
    assert np.exp(trellis.node[0]) == pytest.approx(start * share * 0.5 / OVERALL / (share / OVERALL).max())
    without = counted(TEXT, order=1, smoothing="interpolated", unknown=SuffixModel(folded=None, least=0.0))
    (trellis,) = without.trellises(*coded([["WALKED"]]))
    assert np.exp(trellis.node[0]) == pytest.approx(start * 0.5)


def test_known_words_have_all_mass_but_that_of_new_ones_on_the_average_over_labels():  # eq:suffix-model
    train = demo_corpus("train")
    words = [word for row in train.column("word") for word in row]
    new = sum(count == 1 for count in Counter(words).values()) / len(words)
    exact = HMM(unknown=SuffixModel(known=0.0)).fit(train, "pos").model_.emissions().sum(axis=1)
    assert exact == pytest.approx(np.full(len(exact), 1 - new))
    model = HMM(unknown=SuffixModel(least=0.0)).fit(train, "pos").model_
    sums, shares = model.emissions().sum(axis=1), model.words.label_totals / len(words)
    assert 0.95 * (1 - new) < sums @ shares < sums.max() == pytest.approx(1 - new)
    gap = np.abs(HMM().fit(train, "pos").model_.emissions().sum(axis=1) - (1 - new))
    assert 0.01 < gap.max() < 0.1  # as the guide says


def test_unlikely_labels_are_left_out():
    many = counted(TEXT, unknown=SuffixModel(least=0.0)).trellises(*coded([["fed"]]))[0]
    few = counted(TEXT, unknown=SuffixModel(least=0.8)).trellises(*coded([["fed"]]))[0]
    assert not many.allowed
    assert few.allowed[0].tolist() == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"longest": -1}, "longest must be a whole number from 0 up, got -1"),
        ({"longest": 65}, "longest must be at most 64"),
        ({"rare": float("nan")}, "rare must be a number from 0 up, got nan"),
        ({"strength": 0}, "strength must be a number from 1e-09 up, got 0"),
        ({"known": float("inf")}, "known must be a number from 0 up, got inf"),
        ({"folded": "yes"}, "folded must be a number from 1e-09 up, got 'yes'"),
        ({"least": 2}, "least must be a number from 0 to 1, got 2"),
        ({"known": True}, "known must be a number from 0 up, got True"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        SuffixModel(**options)
