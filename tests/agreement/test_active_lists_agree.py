"""Lists of allowed labels give what -inf everywhere else gives, on sizes where the lists save work."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.corpora import random_tables
from oracle.tables import Tables
from seqlab import Trellis, inference

pytestmark = pytest.mark.usefixtures("kernel")

SHAPES = [(1, 3), (1, 9), (1, 45), (1, 100), (2, 9), (2, 20), (3, 6)]


def lists_and_masks(
    seed: int, order: int, L: int, dtype: type, most: int, per_position: bool
) -> tuple[Trellis, Trellis]:
    """The same restrictions as lists of labels and as -inf; every third position stays free."""
    tables = random_tables(
        seed, 25, L, order=order, dtype=dtype, per_position=per_position, whole=seed % 2 == 0
    )
    rng = np.random.default_rng(seed)
    allowed = {
        t: sorted(rng.choice(L, size=min(L, int(rng.integers(1, most + 1))), replace=False).tolist())
        for t in range(25)
        if t % 3 or most == 1
    }
    node = tables.node.copy()
    for t, labels in allowed.items():
        node[t, np.setdiff1d(np.arange(L), labels)] = -np.inf
    masked = Tables(node, tables.edge, order, tables.head)
    return tables.trellis().constrain(allowed=allowed), masked.trellis()


@pytest.mark.parametrize("per_position", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("order", "L"), SHAPES)
def test_allowed_lists_equal_masks(order: int, L: int, dtype: type, per_position: bool) -> None:  # eq:masks
    tolerance = 2e-4 if dtype == np.float32 else 1e-11
    for seed, most in enumerate((1, 2, 3, 8)):
        listed, masked = lists_and_masks(seed, order, L, dtype, most, per_position)
        assert inference.log_partition(listed) == approx(inference.log_partition(masked), rel=tolerance)
        mine, reference = inference.posterior(listed), inference.posterior(masked)
        np.testing.assert_allclose(mine.node, reference.node, rtol=0, atol=tolerance)
        np.testing.assert_allclose(mine.edge, reference.edge, rtol=0, atol=tolerance)
        assert mine.entropy == approx(reference.entropy, rel=tolerance, abs=10 * tolerance)
        np.testing.assert_allclose(
            inference.expected_counts(listed).edge,
            inference.expected_counts(masked).edge,
            rtol=0,
            atol=25 * tolerance,
        )
        np.testing.assert_allclose(
            inference.filter(listed).node, inference.filter(masked).node, rtol=0, atol=tolerance
        )


@pytest.mark.parametrize(("order", "L"), SHAPES)
def test_allowed_lists_find_the_same_paths_as_masks(order: int, L: int) -> None:  # eq:masks eq:viterbi
    for seed, most in ((0, 2), (2, 3), (4, 8)):
        listed, masked = lists_and_masks(seed, order, L, np.float64, most, False)
        assert inference.viterbi(listed).ids.tolist() == inference.viterbi(masked).ids.tolist()
        assert inference.viterbi(listed).score == inference.viterbi(masked).score
        mine, reference = inference.nbest(listed, 25), inference.nbest(masked, 25)
        assert [p.ids.tolist() for p in mine] == [p.ids.tolist() for p in reference]
        drawn = inference.sample(listed, 20, seed=seed).ids
        assert all(np.isfinite(masked.score(path)) for path in drawn)


def test_allowed_lists_agree_with_the_clear_recursion_on_a_wide_trellis() -> None:  # eq:masks
    rng = np.random.default_rng(7)
    tables = random_tables(7, 40, 300)
    allowed = {t: frozenset(rng.choice(300, 4, replace=False).tolist()) for t in range(40)}
    tables = Tables(tables.node, tables.edge, allowed=allowed)
    posterior = inference.posterior(tables.trellis())
    truth = clear.forward_backward(tables)
    assert posterior.log_z == approx(float(truth.log_z), rel=1e-12)
    np.testing.assert_allclose(posterior.node, truth.node(), rtol=0, atol=1e-12)
    assert inference.viterbi(tables.trellis()).ids.tolist() == list(clear.viterbi(tables)[0])


def test_batch_mixes_free_and_restricted_sequences() -> None:  # eq:masks
    free = random_tables(1, 12, 9).trellis()
    tied = free.constrain(allowed={t: [t % 9, (t + 1) % 9] for t in range(12)})
    batch = [free, tied, free, tied]
    for together, alone in zip(inference.posterior(batch), map(inference.posterior, batch), strict=True):
        assert np.array_equal(together.node, alone.node)
