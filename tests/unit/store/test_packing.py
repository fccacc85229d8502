"""Weights stored with fewer bytes: how much is lost, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from oracle.stored import linear
from seqlab import store
from seqlab.errors import OptionError, StoreError
from seqlab.families.linear.model import LinearModel
from seqlab.store.codec import state_of, value_of
from seqlab.store.fields import RUN, packed, unpacked
from seqlab.store.state import State

WEIGHTS = arrays_of.arrays(
    np.float64,
    st.one_of(
        arrays_of.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=3 * RUN),
        arrays_of.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=5),
    ),
    elements=st.floats(-60000, 60000, width=64),
)


def back(arrays, shape):
    return unpacked(State("w", {}, arrays), "w", shape)


@given(WEIGHTS)
def test_float64_comes_back_bit_for_bit(weights):
    assert back(packed("w", weights), weights.shape).tobytes() == weights.tobytes()


@given(WEIGHTS, st.sampled_from(["float32", "float16"]))
def test_floats_come_back_rounded_to_the_nearest(weights, dtype):
    found = back(packed("w", weights, dtype), weights.shape)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, weights.astype(dtype).astype(np.float64))


@given(WEIGHTS)
def test_int8_is_off_by_half_a_step_of_its_row_at_most(weights):
    arrays = packed("w", weights, "int8")
    found = back(arrays, weights.shape)
    width = RUN if weights.ndim == 1 else max(weights.shape[-1], 1)
    for begin in range(0, weights.size, width):
        row = weights.reshape(-1)[begin : begin + width]
        off = np.abs(found.reshape(-1)[begin : begin + width] - row).max()
        assert (
            off <= np.abs(row).max() / 127 * 0.5 * (1 + 1e-6) + 1e-44
        )  # a scale is no smaller than float32 allows
    assert arrays["w"].dtype == np.int8
    assert len(arrays["w.scale"]) == -(-weights.size // width)
    np.testing.assert_array_equal(found == 0, arrays["w"] == 0)


def test_weights_too_large_are_refused():
    with pytest.raises(StoreError, match="a weight of 1e\\+06 is too large to be stored as float16"):
        packed("w", np.array([1e6]), "float16")
    for dtype in ("float64", "float32", "int8"):
        for weight in (1e300, np.inf, -np.inf, np.nan):
            with pytest.raises(StoreError, match=f"too large to be stored as {dtype}"):
                packed("w", np.array([weight]), dtype)
    assert back(packed("w", np.array([1e30]), "int8"), (1,)) == pytest.approx(1e30)
    with pytest.raises(
        OptionError, match="weights are stored as float64, float32, float16, int8, got 'float8'"
    ):
        packed("w", np.array([1.0]), "float8")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "the array 'w' is missing"),
        ({"w": np.ones(3, np.int32)}, "should hold weights, found int32"),
        ({"w": np.ones(4)}, r"should have shape \(3\), found \(4,\)"),
        ({"w": np.array([1, np.nan, 2])}, "should hold weights up to 1e\\+30"),
        ({"w": np.array([1, np.inf, 2], np.float16)}, "should hold weights up to 1e\\+30"),
        ({"w": np.array([1, -1e31, 2])}, "up to 1e\\+30, found 1e\\+31"),
        ({"w": np.ones(3, np.int8), "w.scale": np.array([3e38], np.float32)}, "up to 1e\\+30"),
        ({"w": np.ones(3, np.int8)}, "the array 'w.scale' is missing"),
        ({"w": np.ones(3, np.int8), "w.scale": np.ones(2, np.float32)}, r"should have shape \(1\)"),
        ({"w": np.ones(3, np.int8), "w.scale": np.array([np.nan], np.float32)}, "numbers from 0 up"),
    ],
)
def test_weights_that_are_not_sound_are_refused(arrays, message):
    with pytest.raises(StoreError, match=message):
        unpacked(State("w", {}, arrays), "w", (3,))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_a_model_with_rounded_weights_is_smaller_and_close(dtype):
    model = linear(("A", "B", "C"), 3000, second=True, edges=50)
    whole, small = (store.as_bytes(state_of(replace(model, dtype=d))) for d in ("float64", dtype))
    assert len(small) < len(whole)
    found = value_of(LinearModel, store.revived(small))
    np.testing.assert_allclose(found.weights, model.weights, atol=0.02)
    np.testing.assert_allclose(found.edge.weights, model.edge.weights, atol=0.02)
    np.testing.assert_allclose(found.moves, model.moves, atol=1e-6)
    np.testing.assert_allclose(found.triples, model.triples, atol=1e-6)
    np.testing.assert_array_equal(found.label, model.label)
    assert found.coarse is not None
    # What is rounded once stays as it is.
    assert store.as_bytes(state_of(replace(found, dtype=dtype))) == small or dtype == "int8"


def test_an_unknown_dtype_is_refused_before_anything_is_made():
    with pytest.raises(OptionError, match="got 'int4'"):
        state_of(replace(linear(("A",), 1), dtype="int4"))


def test_a_model_that_does_not_fit_its_encoder_is_refused():
    state = state_of(linear(("A", "B"), 5))
    with pytest.raises(StoreError, match=r"'begin' should have shape \(7\), found \(6,\)"):
        value_of(LinearModel, state, {"K": 6})


def changed(state, **settings):
    return State(state.kind, {**state.settings, **settings}, state.arrays)


def test_models_that_are_not_sound_are_refused():
    state = state_of(linear(("A", "B"), 5, second=True))
    for wrong, message in [
        (changed(state, labels=["A", "A"]), "the labels of a model should be there, each of them once"),
        (changed(state, labels=[]), "the labels of a model should be there"),
        (changed(state, labels=["A", "B", "C"]), r"should have shape \(3, 3\)"),
        (changed(state, keep=2.0), "'keep' should lie between 0 and 1, found 2.0"),
        (changed(state, keep=float("nan")), "'keep' should lie between 0 and 1"),
        (
            State(state.kind, state.settings, {**state.arrays, "label": state.arrays["label"][::-1]}),
            "should rise|int",
        ),
    ]:
        with pytest.raises(StoreError, match=message):
            value_of(LinearModel, wrong)
