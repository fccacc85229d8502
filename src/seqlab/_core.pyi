"""
The compiled core of seqlab. Everything here trusts its caller; use seqlab.inference.
"""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Batch32:
    """Trellises, checked and borrowed."""

    def __init__(self) -> None: ...

    def add(self, node: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], order: int, per_position: bool, head: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]], where: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def add_many(self, node: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], order: int, per_position: bool, head: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]) -> None: ...

    def __len__(self) -> int: ...

@overload
def scan(scores: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> tuple[int, float]: ...

@overload
def scan(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> tuple[int, float]:
    """
    Index of the first NaN or +inf (or -1), and the largest finite magnitude.
    """

class Batch64:
    """Trellises, checked and borrowed."""

    def __init__(self) -> None: ...

    def add(self, node: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], order: int, per_position: bool, head: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], where: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def add_many(self, node: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], order: int, per_position: bool, head: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]) -> None: ...

    def __len__(self) -> int: ...

@overload
def viterbi(batch: Batch32, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def viterbi(batch: Batch64, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Best paths (eq:viterbi)."""

@overload
def beam(batch: Batch32, width: int, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], exact: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], dead: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def beam(batch: Batch64, width: int, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], exact: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], dead: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Good paths from the best few states of each position (eq:beam)."""

@overload
def path_score(batch: Batch32, i: int, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> float: ...

@overload
def path_score(batch: Batch64, i: int, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> float:
    """Score of one path (eq:path-score)."""

@overload
def first_dead(batch: Batch32, i: int) -> int: ...

@overload
def first_dead(batch: Batch64, i: int) -> int:
    """The first position that no legal path reaches, or -1."""

@overload
def log_partition(batch: Batch32, log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def log_partition(batch: Batch64, log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Log of the sum over all paths (eq:log-partition)."""

@overload
def node_marginals(batch: Batch32, node: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_space: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def node_marginals(batch: Batch64, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_space: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """P(y_t) for every position (eq:node-marginal)."""

@overload
def expected_counts(batch: Batch32, node: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, edge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], head1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], head2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shared: bool, spread: bool, log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_space: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def expected_counts(batch: Batch64, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, edge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], head1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], head2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shared: bool, spread: bool, log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_space: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Marginals and expected moves (eq:expected-counts)."""

@overload
def entropy(batch: Batch32, i: int) -> float: ...

@overload
def entropy(batch: Batch64, i: int) -> float:
    """Entropy of the distribution over paths, in nats (eq:entropy)."""

@overload
def sample(batch: Batch32, n: int, seed: int, streams: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], possible: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def sample(batch: Batch64, n: int, seed: int, streams: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], possible: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Paths drawn from the distribution over paths (eq:sample)."""

@overload
def filtered(batch: Batch32, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def filtered(batch: Batch64, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """P(y_t | x_1..t) for every position (eq:filter)."""

def unjoined_count() -> int:
    """
    Long chains of this process that were cut into chunks in vain (eq:mixing).
    """

def fallback_count() -> int:
    """
    Sequences of this process that were redone in log space (eq:certificate).
    """

class NBest32:
    """
    Paths of one sequence, best first, as many as are asked for (eq:nbest).
    """

    def __init__(self, batch: Batch32, i: int) -> None: ...

    def take(self, n: int, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

class NBest64:
    """
    Paths of one sequence, best first, as many as are asked for (eq:nbest).
    """

    def __init__(self, batch: Batch64, i: int) -> None: ...

    def take(self, n: int, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

class Messages32:
    """
    Both messages of one sequence, kept for questions about stretches (eq:span).
    """

    def __init__(self, batch: Batch32, i: int) -> None: ...

    def span(self, i: int, j: int, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> float: ...

class Messages64:
    """
    Both messages of one sequence, kept for questions about stretches (eq:span).
    """

    def __init__(self, batch: Batch64, i: int) -> None: ...

    def span(self, i: int, j: int, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> float: ...

class Stream:
    """
    Forward recursion fed one position at a time (eq:filter, eq:fixed-lag).
    """

    def __init__(self, L: int, order: int, edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], head1: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], head2: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lag: int) -> None: ...

    def push(self, node: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> bool: ...

    def filtered(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @property
    def position(self) -> int: ...

    @property
    def log_z(self) -> float: ...

    @property
    def decides(self) -> bool: ...

    def decided(self) -> int: ...

    def rest(self) -> list[int]: ...

def kernel() -> str:
    """Instruction set in use."""

def kernels() -> list[str]:
    """Instruction sets this machine can run, plainest first."""

def use_kernel(name: str) -> bool:
    """Choose one; False when this machine cannot run it."""

def peak_gflops(float32: bool) -> float:
    """Measured multiply-add rate of one core with the kernel in use."""
