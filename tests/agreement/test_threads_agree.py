"""One, two and eight threads give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.corpora import ragged, random_batch
from seqlab import CRF, LBFGS, TrellisBatch, inference

pytestmark = pytest.mark.usefixtures("kernel")


def answers(batch: TrellisBatch, threads: int) -> dict[str, list[object]]:
    """Every number that a batch can be asked for."""
    posteriors = inference.posterior(batch, threads=threads)
    counts = inference.expected_counts(batch, threads=threads)
    return {
        "viterbi": [(p.ids.tolist(), p.score) for p in inference.viterbi(batch, threads=threads)],
        "log_prob": [p.log_prob for p in inference.viterbi(batch, log_prob=True, threads=threads)],
        "max_marginal": [p.ids.tolist() for p in inference.max_marginal(batch, threads=threads)],
        "nbest": [[p.ids.tolist() for p in n] for n in inference.nbest(batch, 4, threads=threads)],
        "beam": [(p.ids.tolist(), p.score) for p in inference.beam(batch, 3, threads=threads)],
        "log_partition": list(inference.log_partition(batch, threads=threads)),
        "node": [p.node.tobytes() for p in posteriors],
        "edge": [p.edge.tobytes() for p in posteriors],
        "entropy": [p.entropy for p in posteriors],
        "counts": [array.tobytes() for array in (counts.node, counts.edge, *counts.head)],
        "sample": [s.ids.tolist() for s in inference.sample(batch, 7, seed=5, threads=threads)],
        "filter": [f.node.tobytes() for f in inference.filter(batch, threads=threads)],
    }


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("order", "L", "N"), [(1, 9, 67), (1, 22, 300), (1, 45, 10), (2, 6, 23), (3, 4, 11)])
def test_threads_do_not_change_a_bit(order: int, L: int, N: int, dtype: type) -> None:
    batch = random_batch(N, ragged(N, N), L, order=order, dtype=dtype)
    alone = answers(batch, 1)
    for threads in (2, 8):
        shared = answers(batch, threads)
        for name, expected in alone.items():
            assert shared[name] == expected, f"{name} with {threads} threads"


def test_threads_do_not_change_the_samples_of_one_sequence() -> None:  # eq:sample
    trellis = random_batch(1, [50], 7)[0]
    alone = inference.sample(trellis, 333, seed=1, threads=1).ids
    for threads in (2, 8):
        assert np.array_equal(inference.sample(trellis, 333, seed=1, threads=threads).ids, alone)


def test_threads_do_not_change_one_long_sequence() -> None:
    trellis = random_batch(2, [20_000], 5)[0]
    for ask in (
        lambda threads: inference.posterior(trellis, threads=threads).node,
        lambda threads: inference.expected_counts(trellis, threads=threads).edge,
        lambda threads: inference.viterbi(trellis, threads=threads).ids,
        lambda threads: np.array(inference.log_partition(trellis, threads=threads)),
    ):
        alone = ask(1)
        assert np.array_equal(ask(2), alone)
        assert np.array_equal(ask(8), alone)


def test_repeated_runs_give_the_same_bits() -> None:
    batch = random_batch(9, ragged(9, 40), 12)
    first = answers(batch, 2)
    for _ in range(3):
        assert answers(batch, 2) == first


@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_threads_do_not_change_the_steps_over_long_vectors(l1: float) -> None:  # eq:lbfgs, eq:owlqn
    """Vectors of several slices, and a corpus of several stretches."""
    rng = np.random.default_rng(3)
    words = rng.integers(0, 8_000, size=(1_200, 20))
    X = [[f"w{word}" for word in sentence] for sentence in words]
    y = [[f"l{(word * 7 + t) % 9}" for t, word in enumerate(sentence)] for sentence in words]

    def weights(threads: int) -> bytes:
        crf = CRF("word[-2..2]", LBFGS(l1=l1, l2=0.1, max_iterations=8), threads=threads).fit(X, y)
        assert crf.model_.theta.size > 2 * 2**15
        return bytes(crf.model_.theta.tobytes())

    assert weights(1) == weights(2) == weights(3)
