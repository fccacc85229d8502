"""eq:many-to-one, eq:v-measure   Scores of states without names, against scikit-learn and enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import v_measure_score

from seqlab import Corpus
from seqlab.errors import OptionError, ShapeError
from seqlab.evaluation import many_to_one, one_to_one, v_measure

tokens = st.lists(st.tuples(st.sampled_from("DNVA"), st.sampled_from("0123")), min_size=1, max_size=30)


def sides(pairs):
    """Both sides as sentences of uneven lengths."""
    cut = len(pairs) // 3
    return tuple([[one[i] for one in part] for part in (pairs[:cut], [], pairs[cut:])] for i in (0, 1))


def flat(rows):
    return [one for row in rows for one in row]


@given(tokens, st.sampled_from([0.5, 1.0, 3.0]))
def test_v_measure_is_that_of_scikit_learn(pairs, beta):
    gold, found = sides(pairs)
    wanted = v_measure_score(flat(gold), flat(found), beta=beta)
    assert v_measure(gold, found, beta=beta) == pytest.approx(wanted, abs=1e-9)


@given(tokens)
def test_names_by_enumeration(pairs):
    gold, found = sides(pairs)
    labels = sorted({label for label, _ in pairs})
    states = sorted({state for _, state in pairs})

    def right(names):
        return sum(names.get(state) == label for label, state in pairs) / len(pairs)

    ways = itertools.product(labels, repeat=len(states))
    assert many_to_one(gold, found) == pytest.approx(
        max(right(dict(zip(states, w, strict=True))) for w in ways)
    )
    names = [*labels, *[None] * len(states)]
    ways = itertools.permutations(names, len(states))
    assert one_to_one(gold, found) == pytest.approx(
        max(right(dict(zip(states, w, strict=True))) for w in ways)
    )
    assert one_to_one(gold, found) <= many_to_one(gold, found) + 1e-12


def test_perfect_states_and_one_state():
    gold = [["D", "N"], ["V"]]
    same = [[7, 2], [5]]
    assert many_to_one(gold, same) == one_to_one(gold, same) == v_measure(gold, same) == 1.0
    assert many_to_one(gold, [np.array([7, 2]), np.array([5])]) == 1.0
    assert v_measure(gold, [["x", "x"], ["x"]]) == 0.0
    assert one_to_one(gold, [["x", "x"], ["x"]]) == pytest.approx(1 / 3)
    corpus = Corpus.from_lists(word=[["the", "dog"], ["runs"]], pos=gold)
    assert many_to_one(corpus, same, "pos") == 1.0


def test_sides_that_do_not_fit_are_refused():
    for score in (many_to_one, one_to_one, v_measure):
        with pytest.raises(ShapeError):
            score([["D", "N"]], [["x"]])
        with pytest.raises(ShapeError, match="no tokens at all"):
            score([[]], [[]])
    with pytest.raises(OptionError, match="beta"):
        v_measure([["D"]], [["x"]], beta=-1)
