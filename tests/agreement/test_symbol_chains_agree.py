"""Chains of symbols give the counts of the trellises that they stand for, on every kernel, however odd the tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from seqlab import inference
from seqlab.errors import ImpossibleError
from seqlab.families.hmm.em import Evidence, expect
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.emissions.symbols import Symbols, listed
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.tagging.door.constraints import Rules


def odd_table(rng, shape, scale, holes):
    """Rows that sum to one, with entries of very different size and exact zeros."""
    table = 10.0 ** -(scale * rng.random(shape)) * (rng.random(shape) >= holes)
    table[..., 0] += table.sum(axis=-1) == 0
    return table / table.sum(axis=-1, keepdims=True)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 3, 7, 9, 17, 45]),
    st.sampled_from([0.0, 3.0, 60.0, 250.0]),
    st.sampled_from([0.0, 0.4]),
    st.booleans(),
    st.sampled_from([1, 3]),
)
def test_expected_counts_are_those_of_the_trellises(kernel, seed, L, scale, holes, with_end, threads):
    rng, V = np.random.default_rng(seed), 6
    end = None
    A = odd_table(rng, (L, L + with_end), scale, holes)
    if with_end:
        end, A = A[:, L].copy(), np.ascontiguousarray(A[:, :L])
    B = SymbolDistribution(Symbols(V), np.ascontiguousarray(odd_table(rng, (L, V), scale, holes).T))
    pi = odd_table(rng, (L,), scale, holes)
    model = HiddenMarkov(tuple(map(str, range(L))), pi, A, end, B, Rules.none(L))
    lengths = [
        0,
        *rng.integers(1, 30, size=12).tolist(),
        3,
        3,
        3,
        3,
        80,
        *([1100, 5] if seed % 3 == 0 else []),
    ]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ids = rng.integers(-1, V, size=offsets[-1]).astype(np.int32)
    weights = None if seed % 2 else rng.integers(0, 3, size=len(lengths)).astype(float)
    found = expect(model, Evidence(listed(ids), offsets, weights), threads)

    edge, counts, start, last = np.zeros((L, L)), np.zeros((V, L)), np.zeros(L), np.zeros(L)
    for s, one in enumerate(model.batch(listed(ids), offsets)):
        weight = 1.0 if weights is None else weights[s]
        if one.T == 0:
            continue
        try:
            right = inference.expected_counts(one, threads=1)
        except ImpossibleError:
            assert found.log_z[s] == -np.inf
            continue
        assert found.log_z[s] == approx(right.log_z, rel=1e-10, abs=1e-10)
        symbols = ids[offsets[s] : offsets[s + 1]]
        np.add.at(counts, symbols[symbols >= 0], weight * right.node[symbols >= 0])
        edge += weight * right.edge.reshape(L, L)
        start += weight * right.node[0]
        last += weight * right.node[-1]
    assert found.edge == approx(edge, rel=1e-9, abs=1e-9)
    assert found.emissions["counts"] == approx(counts, rel=1e-9, abs=1e-9)
    assert found.start == approx(start, rel=1e-9, abs=1e-9)
    assert found.end == approx(last, rel=1e-9, abs=1e-9)
