"""eq:k-means   Clusters of vectors: conditions of Lloyd's algorithm at its end, for any number of threads."""

import numpy as np
import pytest

from seqlab import _core
from seqlab.families.hmm.emissions.base import VectorRows
from seqlab.families.hmm.emissions.vectors import k_means


def blobs(sizes, width=3, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return 10.0 * truth[:, None] + rng.normal(size=(len(truth), width)), truth


def clusters(x, K, *, runs=3, rounds=1000, still=0.0, threads=1, seed=0):
    found = np.empty(len(x), dtype=np.int64)
    _core.k_means(x, x, np.random.default_rng(seed).random((runs, K)), rounds, still, threads, found)
    return found


@pytest.mark.parametrize("K", [1, 2, 3, 5, 9])
def test_every_vector_is_nearest_to_the_mean_of_its_cluster(K):
    x = np.random.default_rng(K).normal(size=(700, 2))
    found = clusters(x, K)
    assert set(found.tolist()) == set(range(K))
    means = np.array([x[found == k].mean(axis=0) for k in range(K)])
    squares = ((x[:, None] - means) ** 2).sum(axis=2)
    assert (squares[np.arange(len(x)), found] <= squares.min(axis=1) + 1e-12).all()


def test_clusters_that_lie_apart_are_found():
    x, truth = blobs([300, 20, 900, 60])
    found = clusters(x, 4)
    assert all(len(set(found[truth == k].tolist())) == 1 for k in range(4))
    assert len(set(found.tolist())) == 4


def test_more_runs_are_never_worse():
    x = np.random.default_rng(1).normal(size=(400, 4))

    def inertia(found):
        return sum(((x[found == k] - x[found == k].mean(axis=0)) ** 2).sum() for k in set(found.tolist()))

    one, many = (inertia(clusters(x, 6, runs=runs)) for runs in (1, 20))
    assert many <= one + 1e-9


def test_the_number_of_threads_changes_no_bit():
    x = np.random.default_rng(2).normal(size=(30_000, 3))
    one, more = (clusters(x, 5, rounds=20, threads=threads) for threads in (1, 3))
    assert np.array_equal(one, more)


def test_vectors_that_are_alike_and_fewer_than_clusters():
    assert set(clusters(np.ones((5, 2)), 3).tolist()) == {0}
    assert len(set(clusters(np.array([[0.0], [0.0], [7.0]]), 3).tolist())) == 2


def test_missing_vectors_have_no_cluster_and_large_data_are_sampled():
    x, truth = blobs([4000, 3000, 2500])
    present = np.ones(x.shape, dtype=bool)
    present[::50] = False
    found = k_means(VectorRows(np.where(present, x, 0.0), present), 3, np.random.default_rng(0), runs=4)
    assert (found[::50] == -1).all()
    rest = present.all(axis=1)
    assert all(len(set(found[rest & (truth == k)].tolist())) == 1 for k in range(3))


@pytest.mark.parametrize(("T", "D", "L"), [(1, 1, 1), (511, 2, 3), (1030, 5, 2)])
def test_full_covariances_in_the_core(T, D, L):  # eq:gaussian-emission
    rng = np.random.default_rng(T)
    x, means, gamma = rng.normal(size=(T, D)), rng.normal(size=(L, D)), rng.random((T, L))
    roots = np.tril(rng.normal(size=(L, D, D))) + 3 * np.eye(D)
    node, first, second = np.empty(T * L), np.empty(L * D), np.empty(L * D * D)
    columns, factors = np.ascontiguousarray(x.T), np.linalg.inv(roots)
    _core.full_scores(columns, means, factors, np.arange(L, dtype=np.float64), node)
    _core.full_moments(columns, gamma, means, first, second)
    away = x[:, None] - means
    precisions = np.linalg.inv(roots @ np.swapaxes(roots, 1, 2))
    wanted = np.arange(L) - 0.5 * np.einsum("tld,lde,tle->tl", away, precisions, away)
    assert node.reshape(T, L) == pytest.approx(wanted)
    assert first.reshape(L, D) == pytest.approx(np.einsum("tl,tld->ld", gamma, away))
    assert second.reshape(L, D, D) == pytest.approx(np.einsum("tl,tld,tle->lde", gamma, away, away))
