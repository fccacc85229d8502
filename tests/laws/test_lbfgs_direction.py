"""The direction of L-BFGS, taken from inner products, is that of BFGS with whole matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.descent import inverse_hessian
from seqlab import _core

pytestmark = pytest.mark.usefixtures("kernel")


def moves_and_changes(rng, count, size):
    """Moves on a quadratic, so that s·y > 0."""
    root = rng.normal(size=(size, size))
    moves = rng.normal(size=(count, size))
    return moves, moves @ (root @ root.T / size + np.eye(size))


def direction(moves, changes, slope, *, diagonal=None, late=False, memory=10, float32=False):
    d = np.empty_like(slope)
    _core.lbfgs_direction(moves, changes, slope, diagonal, late, memory, float32, d)
    return d


@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(1, 40), st.integers(1, 12), st.booleans())
def test_direction_equals_bfgs_with_whole_matrices(seed, count, size, memory, with_diagonal):  # eq:lbfgs
    rng = np.random.default_rng(seed)
    moves, changes = moves_and_changes(rng, count, size)
    slope = rng.normal(size=size)
    diagonal = np.exp(rng.normal(size=size)) if with_diagonal else None
    found = direction(moves, changes, slope, diagonal=diagonal, memory=memory)
    H = inverse_hessian(moves[-memory:], changes[-memory:], np.ones(size) if diagonal is None else diagonal)
    # Moves that nearly coincide make H large; what it does to the slope is then known to fewer digits.
    assert found == approx(-H @ slope, rel=1e-6, abs=1e-9 * np.linalg.norm(H, 2) * np.linalg.norm(slope))


@pytest.mark.parametrize("size", [1, 30, 2100])
def test_a_diagonal_that_comes_late_is_as_good_as_one_from_the_start(size):  # eq:lbfgs
    rng = np.random.default_rng(size)
    moves = rng.normal(size=(5, size))
    changes = moves * np.geomspace(1.0, 10.0, size)
    slope, diagonal = rng.normal(size=size), np.exp(rng.normal(size=size))
    early = direction(moves, changes, slope, diagonal=diagonal, memory=4)
    late = direction(moves, changes, slope, diagonal=diagonal, late=True, memory=4)
    assert late == approx(early, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [1, 2047, 2048, 2049, 5000])
@pytest.mark.parametrize("float32", [False, True])
def test_direction_satisfies_the_secant_equation_over_many_blocks(size, float32):  # eq:lbfgs
    rng = np.random.default_rng(size)
    moves = rng.normal(size=(7, size))
    changes = moves * np.geomspace(1.0, 10.0, size)
    if float32:
        moves, changes = (np.float64(np.float32(x)) for x in (moves, changes))
    found = direction(moves, changes, changes[-1], float32=float32)
    assert found == approx(-moves[-1], rel=1e-9, abs=1e-9)


def test_float32_history_changes_the_direction_in_the_seventh_digit_only():
    rng = np.random.default_rng(3)
    moves, changes = moves_and_changes(rng, 6, 300)
    slope = rng.normal(size=300)
    exact = direction(moves, changes, slope)
    rounded = direction(moves, changes, slope, float32=True)
    assert np.linalg.norm(rounded - exact) < 1e-5 * np.linalg.norm(exact)
    assert (rounded != exact).any()


@pytest.mark.parametrize("bad", ["upwards", "nothing", "infinite"])
def test_moves_without_curvature_are_not_remembered(bad):
    rng = np.random.default_rng(4)
    moves, changes = moves_and_changes(rng, 3, 20)
    slope = rng.normal(size=20)
    worse_moves, worse_changes = np.vstack([moves, moves[:1]]), np.vstack([changes, changes[:1]])
    worse_changes[-1] *= {"upwards": -1.0, "nothing": 0.0, "infinite": np.inf}[bad]
    assert (direction(worse_moves, worse_changes, slope) == direction(moves, changes, slope)).all()
