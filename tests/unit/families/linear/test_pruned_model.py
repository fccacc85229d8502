"""Which weights leave, and that those that stay are what a file will have."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.stored import linear
from seqlab import store
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.prune import larger_than, largest, pruned
from seqlab.store.codec import state_of, value_of
from seqlab.store.fields import DTYPES, packed, unpacked
from seqlab.store.state import State

SHAPES = st.tuples(st.integers(1, 4), st.integers(0, 8), st.booleans(), st.integers(0, 4))


def made(shape):
    labels, attributes, second, edges = shape
    return linear(tuple("ABCD"[:labels]), attributes, second=second, edges=edges)


def table(begin, other, weights):
    """{(attribute, label or move): weight}, the slow way."""
    return {
        (a, int(other[i])): float(weights[i])
        for a in range(len(begin) - 1)
        for i in range(int(begin[a]), int(begin[a + 1]))
    }


def weights_of(model):
    edge = {} if model.edge is None else table(model.edge.begin, model.edge.move, model.edge.weights)
    return table(model.begin, model.label, model.weights), edge


def renamed(weights, kept):
    """With the numbers that attributes had before."""
    old = np.flatnonzero(kept).tolist()
    return {(old[a], other): weight for (a, other), weight in weights.items()}


@given(SHAPES, st.floats(0, 3))
def test_weights_at_most_the_threshold_leave_and_nothing_else_changes(shape, threshold):
    model = made(shape)
    less = pruned(model, larger_than(threshold), "float64")
    pairs = [(model, less.model)]
    if model.coarse is not None:
        pairs.append((model.coarse, less.model.coarse))
    for before, after in pairs:
        for one, other, kept in zip(
            weights_of(before), weights_of(after), (less.kept, less.edge_kept), strict=True
        ):
            wanted = {at: weight for at, weight in one.items() if abs(weight) > threshold}
            assert renamed(other, kept) == wanted
        np.testing.assert_array_equal(before.moves, after.moves)
        np.testing.assert_array_equal(before.move_seen, after.move_seen)
        assert (before.labels, before.keep, before.order) == (after.labels, after.keep, after.order)
        assert len(after.begin) - 1 == less.kept.sum()
        if before.triples is not None:
            np.testing.assert_array_equal(before.triples, after.triples)
    used = {a for one, _ in pairs for (a, _), weight in weights_of(one)[0].items() if abs(weight) > threshold}
    assert set(np.flatnonzero(less.kept).tolist()) == used


@given(SHAPES, st.one_of(st.integers(0, 30), st.floats(0, 1)))
def test_the_largest_weights_stay(shape, keep):
    model = made(shape)
    less = pruned(model, largest(keep), "float64").model
    before = np.concatenate([model.weights, [] if model.edge is None else model.edge.weights])
    after = np.concatenate([less.weights, [] if less.edge is None else less.edge.weights])
    count = min(keep if isinstance(keep, int) else round(keep * len(before)), len(before))
    assert sorted(np.abs(after)) == sorted(np.abs(before))[len(before) - count :]


def test_of_equal_weights_the_first_stay_and_zeros_never():
    assert largest(2)(np.array([1.0, -2.0, 1.0, 0.0])).tolist() == [True, True, False, False]
    assert largest(9)(np.array([1.0, 0.0])).tolist() == [True, False]
    assert largest(1.0)(np.array([0.0, 1.0])).tolist() == [False, True]
    assert largest(0)(np.array([1.0])).tolist() == [False]
    assert largest(1)(np.array([0.0, 0.0])).tolist() == [False, False]
    assert larger_than(0)(np.array([-0.0, 1e-300])).tolist() == [False, True]


@settings(max_examples=50)
@given(SHAPES, st.sampled_from(DTYPES), st.floats(0, 1))
def test_the_file_has_the_weights_that_memory_has(shape, storage, threshold):
    less = pruned(made(shape), larger_than(threshold), storage).model
    back = value_of(LinearModel, store.revived(store.as_bytes(state_of(replace(less, dtype=storage)))))
    for one, other in ((less, back), (less.coarse, back.coarse)):
        if one is not None:
            assert one.theta.tobytes() == other.theta.tobytes()


@pytest.mark.parametrize("storage", DTYPES)
def test_what_is_rounded_to_zero_leaves_too(storage):
    model = linear(("A", "B", "C"), 400)
    rng = np.random.default_rng(1)
    scales = np.exp(rng.normal(size=model.size, scale=6)) * 1e-3
    model = model.with_theta(np.clip(model.theta * scales, -1e4, 1e4))
    less = pruned(model, larger_than(0), storage).model
    assert (less.weights != 0).all()
    lost = len(model.weights) - len(less.weights)
    assert (lost > 0) == (storage in {"float16", "int8"})
    back = value_of(LinearModel, state_of(replace(less, dtype=storage)))
    assert back.weights.tobytes() == less.weights.tobytes()


TINY = st.one_of(st.floats(-1e-38, 1e-38), st.floats(-1e-44, 1e-44), st.floats(-100, 100), st.just(0.0))


@given(st.lists(TINY, max_size=600), st.sampled_from(DTYPES))
def test_rounding_twice_is_rounding_once(weights, dtype):
    def rounded(array):
        return unpacked(State("w", {}, packed("w", array, dtype)), "w", array.shape)

    once = rounded(np.array(weights, dtype=np.float64))
    assert rounded(once).tobytes() == once.tobytes()
