"""The definition: alpha and beta against all prefixes and all paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.clear import logsumexp
from oracle.closeness import SINGLE, is_single, size
from oracle.paths import Labelling, all_paths
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference
from seqlab.errors import ImpossibleError
from seqlab.inference import Semiring

FOLDS = {Semiring.log_sum: logsumexp, Semiring.max: lambda scores: np.max(scores, initial=-np.inf)}
semirings = st.sampled_from(list(FOLDS))


def state(path: Labelling, t: int, order: int) -> Labelling:
    """The last `order` labels up to t, with 0 for each one before the first position."""
    return (0,) * max(order - 1 - t, 0) + path[max(t - order + 1, 0) : t + 1]


def table(tables: Tables, semiring: Semiring, *, prefixes: bool) -> np.ndarray:
    """(T, L, ..., L): the scores of all prefixes that end in a state, or of all paths that lead through it."""
    found = np.full((tables.T,) + (tables.L,) * tables.order, -np.inf)
    for t in range(tables.T):
        cells: dict[Labelling, list[float]] = {}
        for path, score in all_paths(tables.prefix(t + 1) if prefixes else tables):
            cells.setdefault(state(path, t, tables.order), []).append(score)
        for cell, scores in cells.items():
            found[(t, *cell)] = FOLDS[semiring](np.array(scores))
    return found


def assert_close(found: np.ndarray, expected: np.ndarray, tables: Tables) -> None:
    assert (np.isneginf(found) == np.isneginf(expected)).all()
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=(SINGLE if is_single(tables) else 1e-14) * size(tables)
    )


@given(trellises(), semirings)
def test_forward_has_all_prefixes_by_their_last_labels(tables: Tables, semiring: Semiring) -> None:
    # eq:forward eq:order-k eq:masks
    alpha = inference.forward(tables.trellis(), semiring=semiring)
    assert_close(alpha, table(tables, semiring, prefixes=True), tables)


@given(trellises(), semirings)
def test_forward_and_backward_meet_in_all_paths_through_a_state(tables: Tables, semiring: Semiring) -> None:
    # eq:backward eq:viterbi
    trellis = tables.trellis()
    alpha, beta = (message(trellis, semiring=semiring) for message in (inference.forward, inference.backward))
    assert_close(alpha + beta, table(tables, semiring, prefixes=False), tables)


@given(trellises(min_T=1, possible=False))
def test_forward_dies_where_the_first_position_without_a_path_is(tables: Tables) -> None:  # eq:forward
    alpha = inference.forward(tables.trellis())
    dead = np.isneginf(alpha.reshape(tables.T, -1)).all(axis=1)
    if not dead.any():
        assert np.isfinite(inference.log_partition(tables.trellis()))
        return
    with pytest.raises(ImpossibleError) as caught:
        inference.log_partition(tables.trellis())
    assert caught.value.position == int(np.argmax(dead))
    assert dead[caught.value.position :].all()


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("message", [inference.forward, inference.backward])
def test_messages_of_a_batch_are_those_of_its_trellises(message, order) -> None:  # eq:forward eq:backward
    rng = np.random.default_rng(order)
    edge = rng.normal(size=(3,) * (order + 1))
    many = [Trellis(rng.normal(size=(T, 3)), edge, order=order) for T in (4, 0, 1, 2, 6)]
    many.append(Trellis(rng.normal(size=(3, 2)).astype(np.float32), np.zeros((2, 2), np.float32)))
    together = message(many, threads=2)
    assert [found.shape for found in together[:4]] == [(T,) + (3,) * order for T in (4, 0, 1, 2)]
    for one, found in zip(many, together, strict=True):
        assert found.dtype == np.float64
        assert (found == message(one)).all()
