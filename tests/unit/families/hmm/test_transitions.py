"""Probabilities of label n-grams against counts made by hand and against the slow way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.counted import counted, deleted_weights
from seqlab.errors import OptionError
from seqlab.families.hmm.counting import (
    _levels,
    end_probabilities,
    probabilities,
    table_shape,
    usual_order,
)
from seqlab.families.hmm.counting import deleted_weights as fast_weights
from seqlab.learning.smoothing import MLE, AddLambda, Interpolated, KneserNey, WittenBell


def labelled(*sentences):
    return [[("w", label) for label in sentence] for sentence in sentences]


def test_deleted_interpolation_by_hand():  # eq:deleted-interpolation
    # Bigrams: ∘X 2, XX 1, XY 2. Without one occurrence:
    #   ∘X  history 0: (3-1)/(5-1) = 1/2, history 1: (2-1)/(2-1) = 1    -> λ1 += 2
    #   XX  history 0: 1/2,               history 1: (1-1)/(3-1) = 0    -> λ0 += 1
    #   XY  history 0: (2-1)/(5-1) = 1/4, history 1: (2-1)/(3-1) = 1/2  -> λ1 += 2
    model = counted(labelled("XXY", "XY"), order=1, smoothing="interpolated", unknown=None)
    assert fast_weights(_levels(model.moves)) == pytest.approx([1 / 5, 4 / 5])
    x, y = 0, 1
    assert model.move_probabilities[x, y] == pytest.approx(1 / 5 * 2 / 5 + 4 / 5 * 2 / 3)
    assert model.move_probabilities[2, x] == pytest.approx(1 / 5 * 3 / 5 + 4 / 5)
    # After Y nothing was seen: only the label alone counts.
    assert model.move_probabilities[y] == pytest.approx([3 / 5, 2 / 5])


@given(
    st.lists(st.text("XYZ", max_size=7), min_size=1, max_size=6).filter(any),
    st.sampled_from([1, 2, 3]),
)
def test_weights_are_those_of_the_slow_way(sentences, order):  # eq:deleted-interpolation
    text = labelled(*sentences)
    found = fast_weights(_levels(counted(text, order=order).moves))
    assert found == pytest.approx(deleted_weights(text, order))


def test_witten_bell_by_hand():
    counts = np.array([[1.0, 2.0], [0.0, 0.0], [2.0, 0.0]])
    alone = (np.array([3.0, 2.0]) + 2 * 0.5) / (5 + 2)
    found = probabilities(counts, WittenBell())
    assert found[0] == pytest.approx((counts[0] + 2 * alone) / (3 + 2))
    assert found[1] == pytest.approx(alone)
    assert found[2] == pytest.approx((counts[2] + 1 * alone) / (2 + 1))


def test_kneser_ney_by_hand():
    counts = np.array([[1.0, 2.0], [0.0, 0.0], [2.0, 0.0]])
    kinds = np.array([2.0, 1.0])  # X came after two things, Y after one
    alone = (kinds - 0.5 + 1.0 * 0.5) / 3
    found = probabilities(counts, KneserNey(0.5))
    assert found[0] == pytest.approx((counts[0] - 0.5 + 1.0 * alone) / 3)
    assert found[1] == pytest.approx(alone)
    assert found[2] == pytest.approx((np.array([1.5, 0.0]) + 0.5 * alone) / 2)


@given(
    st.lists(st.text("WXYZ", max_size=12), min_size=1, max_size=8).filter(any),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([MLE(), AddLambda(0.3), WittenBell(), KneserNey(), Interpolated()]),
    st.floats(1e-3, 1e3),
)
def test_every_smoothing_gives_probabilities_whatever_tokens_weigh(sentences, order, smoothing, weight):
    text = labelled(*sentences)
    weights = np.full(sum(map(len, text)), weight)
    found = counted(text, order=order, smoothing=smoothing, weights=weights).move_probabilities
    assert (found >= 0).all()
    assert found.sum(axis=-1) == pytest.approx(np.ones(found.shape[:-1]))


def test_how_sentences_end():
    last, total = np.array([1.0, 0.0, 0.0]), np.array([4.0, 4.0, 0.0])
    assert end_probabilities(last, total, MLE()).tolist() == [0.25, 0.0, 0.5]
    assert end_probabilities(last, total, AddLambda(1)).tolist() == [2 / 8, 1 / 8, 1 / 4]
    assert end_probabilities(last, total, KneserNey()) == pytest.approx([(1 + 1 / 6) / 5, 1 / 6 / 5, 1 / 6])


def test_very_many_labels_get_a_shorter_memory():
    assert [usual_order(L) for L in (1, 45, 200, 201, 5000)] == [2, 2, 2, 1, 1]
    with pytest.raises(OptionError, match="order 2 with 400 labels needs a table of 64,320,400 moves"):
        table_shape(2, 400)
