"""Long chains with few labels are cut into chunks: against the clear recursions, and where chunks do not join."""

from __future__ import annotations

import numpy as np
import pytest
from pytest import approx

from oracle import clear
from oracle.corpora import random_batch, random_tables
from oracle.paths import path_score
from oracle.tables import Tables
from seqlab import _core, inference
from seqlab.errors import ImpossibleError
from seqlab.inference.questions import Question

pytestmark = pytest.mark.usefixtures("kernel")

DTYPES = (np.float32, np.float64)
THRESHOLD = 8192  # CHUNKED_LENGTH; one less runs undivided
LENGTHS = (THRESHOLD - 1, THRESHOLD, THRESHOLD + 1, THRESHOLD + 7, 9001, 11_111)
WIDTHS = (1, 2, 3, 4, 7, 8)
SHAPES = [(5, T) for T in LENGTHS] + [(L, 8197 + L) for L in WIDTHS]


Truth = tuple[float, np.ndarray, np.ndarray]
known: dict[tuple[bytes, bytes], Truth] = {}


def truth(tables: Tables) -> Truth:
    """log Z, node marginals and expected moves by the clear recursions, once for all kernels."""
    key = (tables.node.tobytes(), tables.edge.tobytes())
    if key not in known:
        node = clear.forward_backward(tables).node()
        known[key] = float(clear.log_partition(tables)), node, clear.edge_marginals(tables).sum(axis=0)
    return known[key]


def assert_counts(tables: Tables, *, joined: bool) -> None:
    """All three answers of forward-backward; `joined` says whether the chunks are expected to be enough."""
    log_z, node, edge = truth(tables)
    single = tables.node.dtype == np.float32
    before = _core.unjoined_count()
    counts = inference.expected_counts(tables.trellis())
    assert (_core.unjoined_count() == before) is joined
    assert counts.log_z == approx(log_z, rel=2e-6 if single else 1e-12, abs=1e-9)
    np.testing.assert_allclose(counts.node, node, rtol=0, atol=1e-5 if single else 1e-10)
    np.testing.assert_allclose(counts.node.sum(axis=1), 1, rtol=0, atol=1e-5 if single else 1e-12)
    np.testing.assert_allclose(counts.edge, edge, rtol=1e-5 if single else 1e-9, atol=1e-9)


def assert_best(tables: Tables, *, joined: bool | None, same_labels: bool = True) -> None:
    ids, score = clear.viterbi(tables)
    before = _core.unjoined_count()
    path = inference.viterbi(tables.trellis())
    if joined is not None:
        assert (_core.unjoined_count() == before) is joined
    assert path.score == approx(score, rel=1e-12, abs=1e-9)
    assert path_score(tables, tuple(path.ids.tolist())) == approx(score, rel=1e-12, abs=1e-9)
    if same_labels:
        assert path.ids.tolist() == list(ids)


@pytest.mark.parametrize(("L", "T"), SHAPES)
def test_chunks_equal_the_clear_recursion(L: int, T: int) -> None:  # eq:mixing
    assert_counts(random_tables(L, T, L), joined=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("L", [3, 8])
def test_chunks_with_holes_equal_the_clear_recursion(L: int, dtype: type) -> None:  # eq:mixing
    tables = random_tables(L, 8200, L, dtype=dtype, holes=0.2)
    assert_counts(tables, joined=True)
    assert not counted_where_forbidden(tables)


def counted_where_forbidden(tables: Tables) -> bool:
    """A label of score -inf has the marginal 0, exactly."""
    counts = inference.expected_counts(tables.trellis())
    return bool(np.any(counts.node[np.isneginf(tables.node)])) or bool(
        np.any(counts.edge[np.isneginf(tables.edge)])
    )


@pytest.mark.parametrize(("L", "T"), SHAPES)
def test_chunks_break_ties_like_the_clear_recursion(L: int, T: int) -> None:  # eq:viterbi eq:mixing
    whole = random_tables(T, T, L, whole=True, holes=0.1)
    assert_best(Tables(np.floor(whole.node / 6), np.floor(whole.edge / 6)), joined=None)
    assert_best(random_tables(L, T, L), joined=True)


@pytest.mark.parametrize("scale", [0.0, 0.1, 30.0, 300.0, 1000.0])
def test_chunks_hold_at_every_scale(scale: float) -> None:  # eq:mixing eq:certificate
    tables = random_tables(6, 8231, 6, scale=scale)
    exact = clear.forward_backward(tables, np.longdouble)
    counts = inference.expected_counts(tables.trellis())
    assert counts.log_z == approx(float(exact.log_z), rel=1e-12)
    np.testing.assert_allclose(counts.node, exact.node(), rtol=0, atol=1e-10)
    assert_best(tables, joined=None)


def sticky(stay: float, T: int = 9000, L: int = 4, scale: float = 0.0) -> Tables:
    """Moves that change the label have little weight, and nodes say little: the past is forgotten slowly."""
    edge = np.full((L, L), np.log((1 - stay) / (L - 1)))
    np.fill_diagonal(edge, np.log(stay))
    return Tables(np.random.default_rng(L).normal(scale=scale, size=(T, L)), edge)


@pytest.mark.parametrize("dtype", DTYPES)
def test_slow_mixing_gets_a_longer_warm_up(dtype: type) -> None:  # eq:mixing
    tables = sticky(0.9, scale=0.05)
    assert_counts(Tables(tables.node.astype(dtype), tables.edge.astype(dtype)), joined=True)


def test_chains_that_remember_are_done_undivided() -> None:  # eq:mixing
    tables = sticky(0.9999, scale=0.01)
    assert_counts(tables, joined=False)
    assert_best(tables, joined=False)


def test_labels_that_never_meet_are_done_undivided() -> None:  # eq:mixing
    apart = np.where(np.eye(3, dtype=bool), 0.0, -np.inf)
    node = np.random.default_rng(0).normal(scale=0.1, size=(8500, 3))
    assert_counts(Tables(node, apart), joined=False)
    assert_best(Tables(node, apart), joined=False)


@pytest.mark.parametrize("where", [100, 1000, 4000, 8000])
def test_one_stretch_that_remembers_is_found(where: int) -> None:  # eq:mixing
    """Labels 1 and 2 meet only through label 0, which is forbidden for a while; at its end one of them wins."""
    edge = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -np.inf], [0.0, -np.inf, 0.0]])
    node = np.random.default_rng(1).normal(scale=0.5, size=(9500, 3))
    node[where : where + 1200, 0] = -np.inf
    node[where : where + 1200, 1:] = 0.0
    node[where + 1199, 2] = 3.0
    assert_counts(Tables(node, edge), joined=False)
    assert_best(Tables(node, edge), joined=None)  # the best label may be right by luck


@pytest.mark.parametrize("far", [900.0, 60.0, 7.0])
def test_loss_in_both_directions_is_found(far: float) -> None:  # eq:certificate eq:mixing
    """Section 5 of eq:certificate, across many borders: a chain that is bad, good for long, then bad."""
    apart = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    node = np.zeros((9000, 2))
    node[1:-1, 1] = 2 * far / 8000
    node[[0, -1], 1] = -far
    assert_counts(Tables(node, apart), joined=False)
    assert_best(Tables(node, apart), joined=None)


@pytest.mark.parametrize("t", [0, 1, 1030, 5000, 8999])
def test_impossible_position_is_named(t: int) -> None:
    tables = random_tables(3, 9000, 3)
    tables.node[t] = -np.inf
    for ask in (inference.expected_counts, inference.viterbi):
        with pytest.raises(ImpossibleError) as error:
            ask(tables.trellis())
        assert error.value.position == t


@pytest.mark.parametrize("dtype", DTYPES)
def test_counts_alone_are_the_counts_beside_marginals(dtype: type) -> None:  # eq:expected-counts
    batch = random_batch(4, [9000, 30, 8300], 5, dtype=dtype)
    counts = inference.expected_counts(batch)
    edge, log_z, empty = np.zeros(25), np.empty(3), np.zeros(0)
    _core.expected_counts(
        Question(batch).parts[0].batch, None, edge, empty, empty, True, False, log_z,
        np.zeros(3, np.uint8), 1,
    )  # fmt: skip
    assert np.array_equal(edge.reshape(5, 5), counts.edge)
    assert np.array_equal(log_z, counts.log_z)


@pytest.mark.parametrize("dtype", DTYPES)
def test_threads_and_company_do_not_change_chunks(dtype: type) -> None:  # eq:mixing
    batch = random_batch(7, [9000, 8191, 12_001, 17, 8192], 5, dtype=dtype)
    alone = inference.expected_counts(batch, threads=1)
    nodes = np.concatenate([inference.posterior(one).node for one in batch])
    paths = [(p.ids.tolist(), p.score) for p in inference.viterbi(batch, threads=1)]
    assert nodes.tobytes() == alone.node.tobytes()
    for threads in (2, 8):
        counts = inference.expected_counts(batch, threads=threads)
        assert counts.node.tobytes() == alone.node.tobytes()
        assert counts.edge.tobytes() == alone.edge.tobytes()
        assert [(p.ids.tolist(), p.score) for p in inference.viterbi(batch, threads=threads)] == paths
