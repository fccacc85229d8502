"""The same HMM on both sides, each in the form that side takes, and the check that they agree."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import TrellisBatch, inference

if TYPE_CHECKING:
    from benchmarks.speed.inputs import Array

TOLERANCE = 1e-9


class DisagreementError(RuntimeError):
    """The two sides do not compute the same thing: no ratio means anything."""


@dataclass(frozen=True, slots=True)
class Job:
    """An HMM with K states over `symbols` symbols, and random observations for it."""

    name: str
    states: int
    symbols: int
    length: int
    sequences: int


@dataclass(frozen=True, slots=True)
class Tables:
    """pi (K,), A (K, K), and the emission probabilities b[t, y] of every position (T, K)."""

    pi: Array
    A: Array
    b: Array
    lengths: Array

    @property
    def frames(self) -> list[Array]:
        return np.split(self.b, np.cumsum(self.lengths)[:-1])


def make_tables(job: Job, *, seed: int = 0) -> Tables:
    rng = np.random.default_rng(seed)
    pi = rng.dirichlet(np.ones(job.states))
    A = rng.dirichlet(np.ones(job.states), job.states)
    B = rng.dirichlet(np.ones(job.symbols), job.states)
    observed = rng.integers(job.symbols, size=job.length * job.sequences)
    return Tables(pi, A, np.ascontiguousarray(B.T[observed]), np.full(job.sequences, job.length))


class Hmmlearn:
    """hmmlearn's routines in the loops of its BaseHMM, without the rest of it."""

    def __init__(self, tables: Tables) -> None:
        self.c = importlib.import_module("hmmlearn._hmmc")
        self.utils = importlib.import_module("hmmlearn.utils")
        self.model = (tables.pi, tables.A)
        self.frames = tables.frames
        self.log_frames = [np.log(frame) for frame in tables.frames]

    def viterbi(self) -> list[Any]:
        return [self.c.viterbi(*self.model, frame) for frame in self.log_frames]

    def scaling(self, *, whole: bool = False) -> tuple[float, Array]:
        """`whole`: from log tables to node marginals, as our side does it; else the C++ routines alone."""
        log_z, xi = 0.0, np.zeros_like(self.model[1])
        for frame in map(np.exp, self.log_frames) if whole else self.frames:
            log_prob, alpha, scale = self.c.forward_scaling(*self.model, frame)
            beta = self.c.backward_scaling(*self.model, frame, scale)
            if whole:
                self.utils.normalize(alpha * beta, axis=1)
            xi += self.c.compute_scaling_xi_sum(alpha, self.model[1], beta, frame)
            log_z += log_prob
        return log_z, xi

    def log(self) -> tuple[float, Array]:
        log_z, xi = 0.0, np.zeros_like(self.model[1])
        for frame in self.log_frames:
            log_prob, alpha = self.c.forward_log(*self.model, frame)
            beta = self.c.backward_log(*self.model, frame)
            xi += np.exp(self.c.compute_log_xi_sum(alpha, self.model[1], beta, frame))
            log_z += log_prob
        return log_z, xi


class Seqlab:
    """The same model as a batch of trellises: the start scores are in the first node rows."""

    def __init__(self, tables: Tables) -> None:
        self.node = np.log(tables.b)
        self.node[np.cumsum(tables.lengths) - tables.lengths] += np.log(tables.pi)
        self.edge = np.log(tables.A)
        self.lengths = tables.lengths
        self.batch = self.build()

    def build(self) -> TrellisBatch:
        return TrellisBatch(self.node, self.lengths, self.edge)

    def viterbi(self) -> list[inference.Path]:
        """Every Path is made, as hmmlearn makes its arrays: the batch answer alone is lazy."""
        return list(inference.viterbi(self.batch, threads=1))

    def expected_counts(self, *, node: bool = True) -> inference.ExpectedCounts:
        return inference.expected_counts(self.batch, node=node, threads=1)


def check_agreement(ours: Seqlab, peer: Hmmlearn) -> dict[str, float]:
    """Relative differences of the answers; raises when one is above the tolerance.

    The transition counts are compared with the scaling mode: at T = 1e6 the log mode itself
    departs from it by 6e-6, having added a million small logs one by one.
    """
    counts = ours.expected_counts()
    ours_log_z, ours_xi = float(np.sum(counts.log_z)), counts.edge.reshape(peer.model[1].shape)
    log_z, xi = peer.scaling()
    differences = {
        "path_score": relative_difference(
            [path.score for path in ours.viterbi()], [score for score, _ in peer.viterbi()]
        ),
        "log_z": relative_difference(ours_log_z, log_z),
        "xi": relative_difference(ours_xi, xi),
    }
    for name, difference in differences.items():
        if not difference <= TOLERANCE:
            raise DisagreementError(
                f"{name}: seqlab and hmmlearn differ by {difference:.2g}, more than {TOLERANCE:g}"
            )
    return differences


def relative_difference(ours: object, theirs: object) -> float:
    """Largest |ours - theirs| / |theirs| over all entries."""
    a, b = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    return float(np.max(np.abs(a - b) / np.abs(b)))
