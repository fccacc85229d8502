"""Node scores of a linear model are sums of weights (eq:linear-score)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab import _core

pytestmark = pytest.mark.usefixtures("kernel")

KINDS = {np.float32: (_core.Scorer32, 1e-5), np.float64: (_core.Scorer64, 1e-12)}


def random_model(rng, L, attributes):
    """begin, label, weights of a model in which attributes have from none to all labels; and the same as a table."""
    table = np.where(
        rng.random((attributes, L)) < rng.random((attributes, 1)), rng.normal(size=(attributes, L)), 0
    )
    begin = np.concatenate([[0], np.cumsum(np.count_nonzero(table, axis=1))]).astype(np.int64)
    rows, columns = np.nonzero(table)
    return begin, columns.astype(np.int32), table[rows, columns], table


def random_tokens(rng, tokens, attributes, *, valued):
    sizes = rng.integers(0, 8, tokens)
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ids = rng.integers(0, attributes, int(indptr[-1])).astype(np.int32)
    return indptr, ids, rng.normal(size=len(ids)) if valued else None


def plain(table, indptr, ids, values):
    weights = np.ones(len(ids)) if values is None else values
    node = np.zeros((len(indptr) - 1, table.shape[1]))
    np.add.at(node, np.repeat(np.arange(len(node)), np.diff(indptr)), table[ids] * weights[:, None])
    return node


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(
    seed=st.integers(0, 2**32),
    L=st.sampled_from([1, 2, 3, 7, 8, 9, 15, 16, 17, 22, 24, 31, 33, 45, 63, 65, 130]),
    tokens=st.sampled_from([0, 1, 2, 30]),
    valued=st.booleans(),
)
def test_scores_are_sums_of_weights(dtype, seed, L, tokens, valued):
    rng = np.random.default_rng(seed)
    begin, label, weights, table = random_model(rng, L, 10)
    indptr, ids, values = random_tokens(rng, tokens, 10, valued=valued)
    kind, digits = KINDS[dtype]
    node = np.full((tokens, L), np.nan, dtype)
    kind(begin, label, weights, L)(indptr, ids, values, node.reshape(-1), 1)
    np.testing.assert_allclose(node, plain(table, indptr, ids, values), atol=digits * 50)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_give_the_same_bits(dtype):
    rng = np.random.default_rng(0)
    begin, label, weights, _ = random_model(rng, 22, 100)
    indptr, ids, _ = random_tokens(rng, 5000, 100, valued=False)
    scorer = KINDS[dtype][0](begin, label, weights, 22)
    answers = set()
    for threads in (1, 2, 8):
        node = np.empty(5000 * 22, dtype)
        scorer(indptr, ids, None, node, threads)
        answers.add(node.tobytes())
    assert len(answers) == 1
