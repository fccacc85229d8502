"""
The compiled core of seqlab. Everything here trusts its caller; use seqlab.inference.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, Any, overload

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

class Semiring(enum.Enum):
    """Sum or maximum over alternatives."""

    log_sum = 0

    max = 1

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
def span_probabilities(batch: Batch32, types: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], borders: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], type: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], probability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def span_probabilities(batch: Batch64, types: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], borders: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], type: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], probability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Probabilities of spans of types (eq:typed-span)."""

@overload
def sample(batch: Batch32, n: int, seed: int, streams: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def sample(batch: Batch64, n: int, seed: int, streams: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Paths drawn from the distribution over paths (eq:sample)."""

@overload
def filtered(batch: Batch32, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def filtered(batch: Batch64, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """P(y_t | x_1..t) for every position (eq:filter)."""

@overload
def forward(batch: Batch32, semiring: Semiring, table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def forward(batch: Batch64, semiring: Semiring, table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Scores of all prefixes by their last labels (eq:forward)."""

@overload
def backward(batch: Batch32, semiring: Semiring, table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def backward(batch: Batch64, semiring: Semiring, table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Scores of all suffixes by the last labels (eq:backward)."""

def unjoined_count() -> int:
    """Number of long chains whose chunks could not be joined (eq:mixing)."""

def fallback_count() -> int:
    """Number of sequences recomputed in log space (eq:certificate)."""

class NBest32:
    """Paths of one sequence, best first, computed on demand (eq:nbest)."""

    def __init__(self, batch: Batch32, i: int) -> None: ...

    def take(self, n: int, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

class NBest64:
    """Paths of one sequence, best first, computed on demand (eq:nbest)."""

    def __init__(self, batch: Batch64, i: int) -> None: ...

    def take(self, n: int, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

class Messages32:
    """
    Forward and backward messages of one sequence, for probabilities of spans (eq:span).
    """

    def __init__(self, batch: Batch32, i: int) -> None: ...

    def span(self, i: int, j: int, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> float: ...

    def typed_span(self, i: int, j: int, type: int, types: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], borders: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]) -> float: ...

class Messages64:
    """
    Forward and backward messages of one sequence, for probabilities of spans (eq:span).
    """

    def __init__(self, batch: Batch64, i: int) -> None: ...

    def span(self, i: int, j: int, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> float: ...

    def typed_span(self, i: int, j: int, type: int, types: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], borders: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]) -> float: ...

class Stream:
    """
    Forward recursion fed one position at a time (eq:filter, eq:fixed-lag).
    """

    def __init__(self, L: int, order: int, edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], head1: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], head2: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lag: int) -> None: ...

    def push(self, node: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> float: ...

    def filtered(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @property
    def position(self) -> int: ...

    @property
    def log_z(self) -> float: ...

    @property
    def decides(self) -> bool: ...

    def decided(self) -> int: ...

    def rest(self) -> list[int]: ...

    def memory(self) -> tuple[int, float, float, list[float], list[float], list[list[int]]]: ...

    def restore(self, t: int, sum: float, lost: float, alpha: Sequence[float], delta: Sequence[float], back: Sequence[Sequence[int]]) -> None: ...

def kernel() -> str:
    """Instruction set in use."""

def kernels() -> list[str]:
    """Instruction sets this machine can run, plainest first."""

def use_kernel(name: str) -> bool:
    """Choose one; False when this machine cannot run it."""

def return_memory() -> None:
    """
    Return what was freed to the system, so that it is not counted as memory of this program.
    """

class Stopped(KeyboardInterrupt):
    pass

class Flag:
    """
    While a thread is inside its with block and the flag is set, the core raises Stopped.
    """

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    def is_set(self) -> bool: ...

    def __enter__(self) -> object: ...

    def __exit__(self, kind: object | None, error: object | None, trace: object | None) -> None: ...

class StringPool:
    """Distinct strings, numbered in order of first appearance."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def find(self, text: object) -> int:
        """Number of the string; -1 if the pool does not have it."""

    def intern(self, text: object) -> int:
        """
        Number of the string, which is added if it is new; -1 if it is no string.
        """

    def intern_lists(self, sequences: list[Any], missing: bool = False) -> tuple[Any, Any, int, int]:
        """
        (codes, lengths, -1, -1); or (None, None, sequence, position) of what is no string, position -1 for what is no list. With `missing`, None has the code -1.
        """

    def strings(self) -> list[str]:
        """All strings, as str."""

    def string(self, id: int) -> str: ...

    def chosen(self, ids: NDArray[numpy.int32]) -> StringPool:
        """A pool of the strings with these numbers, in this order."""

    def arrays(self) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]:
        """UTF-8 bytes of all strings, and the offset of each, then of the end."""

    def slots(self) -> NDArray[numpy.uint64]:
        """The hash table from strings to numbers."""

def laid_pool(bytes: NDArray[numpy.uint8], begins: NDArray[numpy.int64], slots: NDArray[numpy.uint64]) -> StringPool:
    """A pool from its arrays() and slots(), without a copy."""

def pool_of(bytes: NDArray[numpy.uint8], begins: NDArray[numpy.int64]) -> Any:
    """
    A pool of these strings; None when they are not sound UTF-8, or one occurs twice.
    """

def gather(values: list[str], codes: NDArray[numpy.int32], begin: int, end: int) -> list[Any]: ...

def gather_all(values: list[str], codes: NDArray[numpy.int32], offsets: NDArray[numpy.int64]) -> list[list[Any]]: ...

def intern_rows(pools: list[StringPool], sentences: list[Any]) -> tuple[list[Any], Any] | None:
    """
    (codes of every column, lengths) of tuples with one string for every pool; None for anything else.
    """

class Tally:
    """Counts of attributes by group, and the order in which they were met."""

    def __init__(self) -> None: ...

    def group(self, group: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """(counts, first) by number of the attribute."""

class Bank:
    """Features compiled: from columns to rows of attribute numbers."""

    def __init__(self, values: Sequence[tuple[int, Sequence[tuple[str, int]], int, Sequence[str | None], Sequence[str | None]]], features: Sequence[tuple[Sequence[tuple[int, int, bool]], int]], columns: int, on_moves: bool) -> None: ...

    @property
    def stride(self) -> int: ...

    def learn(self, columns: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], StringPool]], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    def counts(self, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], tokens: int, threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

    def learn_words(self, columns: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], StringPool]], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def add_to(self, tally: Tally, ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], tokens: int, begin: int) -> None: ...

    def forget(self) -> None: ...

    def group_sizes(self) -> list[int]: ...

    def number(self, map: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> int: ...

    def look_up(self, columns: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], StringPool]], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> int: ...

    def name_attributes(self, names: list[str], pieces: Sequence[Sequence[str]]) -> None: ...

    def state(self) -> tuple[list[StringPool], list[StringPool], list[tuple[Any, Any]]]:
        """(words, pools, groups): the learned state, for restore()."""

    def restore(self, words: Sequence[StringPool], pools: Sequence[StringPool], groups: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]]]) -> None:
        """Restore the state of a bank with the same features."""

class QuickRows:
    """Rows of a bank, made of columns on disk at every pass."""

    def __init__(self, bank: Bank, columns: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], StringPool]], large: int, most: int) -> None: ...

    @property
    def width(self) -> int: ...

    def write(self, offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], columns: Sequence[tuple[Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], int]]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]: ...

    def rows(self, offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], columns: Sequence[tuple[Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], int]], written: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], first: int, last: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]: ...

def by_frequency(counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """New numbers by falling count, -1 for those seen too rarely."""

def has_function(name: str) -> bool: ...

def call_all(calls: Sequence[tuple[str, int]], texts: list[str]) -> list[list[str]]:
    """Apply template functions to strings: all results of each."""

def call(calls: Sequence[tuple[str, int]], text: object) -> object:
    """Apply template functions to one string, as the encoder does."""

def unicode_version() -> str: ...

def intern_items(pool: StringPool, sentences: list[Any]) -> tuple[Any, Any, Any, Any] | None:
    """
    (indptr, codes, weights or None, lengths), or None for an unusual shape.
    """

def find_items(pool: StringPool, sentences: list[Any]) -> tuple[Any, Any, Any, Any] | None:
    """
    As intern_items, but without adding strings: unknown ones are left out.
    """

class FileChanged(OSError):
    pass

class CheckedFile:
    """A file that must not change while it is in use."""

    def __init__(self, path: str) -> None: ...

    @property
    def path(self) -> str: ...

    @property
    def size(self) -> int: ...

    def read(self, offset: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Copy bytes from a place on; FileChanged if they are not there."""

class Task:
    """What a linear model is trained on."""

    def __init__(self, L: int, offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_rules(self, forbidden: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], no_start: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], no_end: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_weights(self, weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], gold_weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_token_weights(self, weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_kin(self, kin: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def add_transitions(self, number: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_edges(self, indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], move: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def set_active(self, offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_clamps(self, sequence: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def add_shard(self, tokens: int, labels: tuple[CheckedFile, int, int] | None, indptr: tuple[CheckedFile, int, int], ids: tuple[CheckedFile, int, int], values: tuple[CheckedFile, int, int] | None) -> None: ...

    def add_template_shard(self, labels: tuple[CheckedFile, int, int] | None, rows: QuickRows, offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], columns: Sequence[tuple[CheckedFile, int, int]], written: tuple[CheckedFile, int, int]) -> None: ...

    def set_room(self, bytes: int) -> None:
        """Memory for rows of shards that are kept from pass to pass."""

    @property
    def sentences(self) -> int: ...

    @property
    def size(self) -> int: ...

class Scorer32:
    """Node scores from attributes (eq:linear-score)."""

    def __init__(self, begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], L: int) -> None: ...

    def __call__(self, indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, node: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class Scorer64:
    """Node scores from attributes (eq:linear-score)."""

    def __init__(self, begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], L: int) -> None: ...

    def __call__(self, indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

class Loss:
    """A sum over sequences that batch learners make small."""

    @property
    def size(self) -> int: ...

    def __call__(self, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> float: ...

    def curvature(self, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    def minimise(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], centre: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, l2: float, settings: Settings, threads: int, report: object | None, resumed: object | None = None) -> tuple[Stop, int, int, float, float, int]:
        """Walk theta downhill in place on loss + l2 |theta|²."""

    def descend(self, exact: object | None, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], centre: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, l2: float, precondition: bool, settings: Settings, threads: int, report: object | None, resumed: object | None = None) -> tuple[Stop, int, int, float, float, int]:
        """
        The same by L-BFGS or proximal steps, preconditioned, the loss `exact` taking over near the end.
        """

class Likelihood32(Loss):
    """Negative log-likelihood of a linear-chain CRF (eq:crf-likelihood)."""

    def __init__(self, task: object) -> None: ...

class Likelihood64(Loss):
    """Negative log-likelihood of a linear-chain CRF (eq:crf-likelihood)."""

    def __init__(self, task: object) -> None: ...

class LocalLikelihood32(Loss):
    """Negative log-likelihood of an MEMM (eq:memm-likelihood)."""

    def __init__(self, task: object) -> None: ...

class LocalLikelihood64(Loss):
    """Negative log-likelihood of an MEMM (eq:memm-likelihood)."""

    def __init__(self, task: object) -> None: ...

class AskedLoss(Loss):
    """A loss that Python computes, for example on other machines."""

    def __init__(self, size: int, value: object, curvature: object) -> None:
        """
        value(theta, gradient) writes the gradient and returns the value; curvature(theta, diagonal) writes.
        """

def averaged_start(task: Task, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], l2: float, l1: float, epochs: int, burn_in: int, rate: float, seed: int, local: bool, threads: int, keep: object | None = None, resumed: object | None = None) -> float:
    """
    Averaged stochastic gradient descent from theta, in place (eq:averaged-sgd).
    """

class PairMarks:
    """Labels that each attribute was met with, of one part after another."""

    def __init__(self, attributes: int, L: int) -> None: ...

    def add(self, indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], threads: int) -> None: ...

    def pairs(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
        """(begin, label), as observed_pairs() gives them."""

def observed_pairs(indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], set_offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, set_ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)] | None, attributes: int, L: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
    """Which labels each attribute was met with: (begin, label)."""

def template_tables(bank: Bank, begin: NDArray[numpy.int64], label: NDArray[numpy.int32], weights: NDArray[numpy.float64], L: int) -> dict[str, Any]:
    """
    The arrays that a TemplateDecoder looks at, by name; label and weights come beside them.
    """

def row_tables(begin: NDArray[numpy.int64], label: NDArray[numpy.int32], weights: NDArray[numpy.float64], L: int) -> dict[str, Any]:
    """The same for a RowDecoder."""

class TemplateDecoder:
    """Best labels straight from columns (eq:linear-score, eq:viterbi)."""

    def __init__(self, arrays: dict[str, Any], values: Sequence[tuple[int, Sequence[tuple[str, int]], int, Sequence[str | None], Sequence[str | None]]], features: Sequence[tuple[Sequence[tuple[int, int, bool]], int]], columns: int, edge: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def __call__(self, columns: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], StringPool]], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> int:
        """Writes ids; the first sentence without a legal path, or -1."""

class RowDecoder:
    """Best labels from rows of attributes (eq:linear-score, eq:viterbi)."""

    def __init__(self, arrays: dict[str, Any], edge: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def __call__(self, indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> int:
        """Writes labels; the first sentence without a legal path, or -1."""

class AttributeTagger:
    """
    Labels of tokens that are ready-made attributes, by first-order models (eq:linear-score, eq:viterbi). None is the answer to what is left to Python.
    """

    def __init__(self, arrays: dict[str, Any], labels: list[Any], edge: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def tag(self, tokens: Any) -> list[Any] | None:
        """The best labels of a short sequence."""

    def tag_all(self, sentences: list[Any], threads: int) -> list[list[Any]] | None:
        """The best labels of sequences of any length."""

class CrfsuiteModel:
    """A model file of CRFsuite, used as it lies in memory."""

    @property
    def labels(self) -> list[str]: ...

    def sequence(self, items: object) -> CrfsuiteSequence | None:
        """
        The scores of a sequence; None for unusual items, and where the file is damaged.
        """

class CrfsuiteSequence:
    """
    A sequence under a model of CRFsuite. None is the answer to what is left to Python.
    """

    def __len__(self) -> int: ...

    def best(self) -> list[str]:
        """The best labels (eq:viterbi)."""

    def probability(self, labels: object) -> float | None:
        """P(y)."""

    def marginal(self, label: object, position: object) -> float | None:
        """P(y_t) (eq:node-marginal)."""

    def marginals(self) -> list[dict[str, float]]:
        """P(y_t) of every label at every position, by label."""

def crfsuite_names(content: bytes, begin: int, count: int) -> StringPool | None:
    """
    A pool of the names in the chunk that begins here; None where one is wrong.
    """

def crfsuite_weights(content: bytes, begin: int, end: int, K: int, L: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.uint8]] | None:
    """
    Attribute, label and weight of every entry, where those of each attribute begin, and (L * L) weights and presence of transitions; None where one is wrong, or they do not rise.
    """

def crfsuite_text(content: bytes) -> bytes | None:
    """The text of `crfsuite dump`; None where the file is damaged."""

def crfsuite_model(content: bytes) -> CrfsuiteModel | None:
    """The model of a file with this content; None where it is damaged."""

class RateSchedule(enum.Enum):
    """How the rate falls."""

    inverse = 0

    constant = 1

    sqrt = 2

    exponential = 3

class Stochastic:
    """Stochastic gradient descent (eq:sgd, eq:adagrad)."""

    def __init__(self, task: object, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], l2: float, batch: int, rate: float, schedule: RateSchedule, adagrad: bool, averaged: bool, float32: bool, seed: int) -> None: ...

    @property
    def size(self) -> int: ...

    def epoch(self, threads: int, order: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None) -> tuple[float, float, float, int]:
        """
        Visit every sequence once, or those of an order: losses before the steps, |theta|² after, the last rate, weights not 0.
        """

    def restart(self, rate: float) -> None:
        """Begin anew where the learner began, with this rate."""

    def weights(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The weights of a model that stops now."""

    def snapshot(self) -> dict[str, Any]:
        """The state after an epoch, as views: valid until the next one."""

    def resume(self, arrays: dict[str, Any]) -> None:
        """Go on from a snapshot."""

class SnapshotMismatch(ValueError):
    pass

class Method(enum.Enum):
    """Optimisation method."""

    lbfgs = 0

    proximal = 1

    conjugate_gradient = 2

    gradient = 3

class LineSearch(enum.Enum):
    """Line search method (eq:wolfe)."""

    more_thuente = 0

    backtracking = 1

    strong_backtracking = 2

    armijo = 3

class Stop(enum.Enum):
    """Reason why an optimisation ended (eq:stopping)."""

    gradient = 0

    value = 1

    iterations = 2

    stopped = 3

    no_progress = 4

    bad_start = 5

class Settings:
    """Options of an optimiser."""

    def __init__(self) -> None: ...

    @property
    def epsilon(self) -> float: ...

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

    @property
    def delta(self) -> float: ...

    @delta.setter
    def delta(self, arg: float, /) -> None: ...

    @property
    def period(self) -> int: ...

    @period.setter
    def period(self, arg: int, /) -> None: ...

    @property
    def max_iterations(self) -> int: ...

    @max_iterations.setter
    def max_iterations(self, arg: int, /) -> None: ...

    @property
    def line_search(self) -> LineSearch: ...

    @line_search.setter
    def line_search(self, arg: LineSearch, /) -> None: ...

    @property
    def max_linesearch(self) -> int: ...

    @max_linesearch.setter
    def max_linesearch(self, arg: int, /) -> None: ...

    @property
    def decrease(self) -> float: ...

    @decrease.setter
    def decrease(self, arg: float, /) -> None: ...

    @property
    def curvature(self) -> float: ...

    @curvature.setter
    def curvature(self, arg: float, /) -> None: ...

    @property
    def precision(self) -> float: ...

    @precision.setter
    def precision(self, arg: float, /) -> None: ...

    @property
    def method(self) -> Method: ...

    @method.setter
    def method(self, arg: Method, /) -> None: ...

    @property
    def memory(self) -> int: ...

    @memory.setter
    def memory(self, arg: int, /) -> None: ...

    @property
    def float32(self) -> bool: ...

    @float32.setter
    def float32(self, arg: bool, /) -> None: ...

    @property
    def first_step(self) -> float: ...

    @first_step.setter
    def first_step(self, arg: float, /) -> None: ...

    @property
    def fixed_step(self) -> float: ...

    @fixed_step.setter
    def fixed_step(self, arg: float, /) -> None: ...

    @property
    def restart(self) -> int: ...

    @restart.setter
    def restart(self, arg: int, /) -> None: ...

    def set_diagonal(self, inverse: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_l1(self, all: float, begin: int, end: int) -> None: ...

    def set_l1_each(self, each: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

def minimise(objective: object, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], settings: Settings, report: object | None, resumed: object | None = None) -> tuple[Stop, int, int, float, float, int]:
    """
    Walk theta downhill in place; objective(theta, gradient) writes the gradient and returns the value (eq:lbfgs, eq:owlqn, eq:proximal, eq:conjugate-gradient, eq:gradient-descent).
    """

class OnlineLearner:
    """Weights that change after every sequence."""

    @property
    def size(self) -> int: ...

    def epoch(self, order: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None) -> tuple[int, int, float]:
        """
        One visit to every sequence, or to those of an order: wrong tokens, sequences that changed weights, summed loss.
        """

    def weights(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The weights of a model that stops now."""

    def last_weights(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The weights after the last visit, not their mean."""

    def snapshot(self) -> dict[str, Any]:
        """The state after an epoch, as views: valid until the next one."""

    def resume(self, arrays: dict[str, Any]) -> None:
        """Go on from a snapshot."""

class StructuredSvm(OnlineLearner):
    """eq:structured-svm"""

    def check(self, threads: int) -> tuple[float, float]:
        """
        Primal and dual value (eq:duality-gap); the dual is NaN where there is none.
        """

    def renew(self) -> int:
        """
        Chooses paths for labels known in part by the weights of the moment: how many are new.
        """

def frank_wolfe(task: object, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], l2: float, averaged: bool, seed: int) -> StructuredSvm:
    """eq:structured-svm"""

def subgradient(task: object, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], l2: float, averaged: bool, seed: int) -> StructuredSvm:
    """eq:structured-svm"""

class LibcRandom:
    """rand() of Linux's C library, from its first number on."""

    def __init__(self) -> None: ...

    def shuffle(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Swap each entry with one by chance, as CRFsuite does."""

def perceptron(task: object, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], averaged: bool, shuffle: bool, seed: int) -> OnlineLearner:
    """eq:perceptron"""

def passive_aggressive(task: object, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], kind: int, C: float, cost: int, averaged: bool, shuffle: bool, seed: int) -> OnlineLearner:
    """eq:passive-aggressive"""

def arow(task: object, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], r: float, shuffle: bool, seed: int) -> OnlineLearner:
    """eq:arow"""

class Expectation:
    """The E step of a hidden Markov model (eq:baum-welch)."""

    def __init__(self, offset: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], L: int, weight: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, allowed: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, order: int, beside: Expectation | None) -> None: ...

    def over_scores(self, start: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, head: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gamma: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], starts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ends: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], heads: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

    def over_symbols(self, start: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], edge: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], end: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, head: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], symbols: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, table: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], starts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], ends: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], heads: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int, number: int) -> None: ...

def symbol_scores(table: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], symbols: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Sums of the rows of each token's symbols."""

def symbol_counts(gamma: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], L: int, begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], symbols: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Expected counts of symbols."""

def diagonal_scores(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], precision: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Log densities of Gaussians with independent dimensions; x is (D, T)."""

def diagonal_moments(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], gamma: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Weighted sums of x - mean and its square; x is (D, T)."""

def full_scores(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], node: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Log densities of Gaussians by triangular factors of their precisions; x is (D, T).
    """

def full_moments(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], gamma: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Weighted sums of x - mean and of its products; x is (D, T)."""

def k_means(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], sample: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], chance: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], rounds: int, still: float, threads: int, cluster: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Clusters of vectors (eq:k-means); x and sample are (T, D), chance (runs, K).
    """

class BlockReader:
    """Reads blocks of whole lines into one table."""

    def feed(self, block: bytes, begin: int, end: int) -> tuple[str, int, int, int, int] | None:
        """None, or (kind, line, begin, end, number) of the first error."""

    def finish(self) -> None: ...

    def take(self) -> tuple[Any, Any, Any, Any]:
        """The sentences read so far: (columns, offsets, lines, extras)."""

    @property
    def lines(self) -> int: ...

    @property
    def crlf_lines(self) -> int: ...

    @property
    def first_crlf(self) -> int: ...

    @property
    def ends_in_newline(self) -> bool: ...

class ColumnReader(BlockReader):
    """Reads one token per line, in columns."""

    def __init__(self, separator: int, width: int, picks: Sequence[int], comment: str, docstart: bool, numbered: bool, longest_line: int) -> None: ...

    @property
    def separator(self) -> int: ...

    @property
    def width(self) -> int: ...

class LineReader(BlockReader):
    """Reads one sentence per line; tagged: word/TAG."""

    def __init__(self, tagged: bool, longest_line: int) -> None: ...

    @property
    def escaped(self) -> bool: ...

class AttributeReader(BlockReader):
    """CRFsuite's files."""

    def __init__(self, longest_line: int) -> None: ...

    def take_bag(self) -> tuple[Any, Any, Any, StringPool]:
        """
        (indptr, codes, weights, pool); weights are None when all of them are 1.
        """

def last_sentence_end(block: bytes, line_is_sentence: bool) -> int: ...

def join_pools(pools: Sequence[StringPool]) -> tuple[StringPool, list[NDArray[numpy.int32]]]:
    """
    One pool of all strings, and for each pool the new number of each string.
    """

def intern_all(pool: StringPool, strings: StringPool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """Add the strings of one pool to another: the number there of each."""

def compact_pool(codes: NDArray[numpy.int32], pool: StringPool) -> tuple[NDArray[numpy.int32], StringPool]:
    """
    The same strings by new numbers, with a pool that holds no others; negative numbers stay.
    """

def translate(from_pool: StringPool, to_pool: StringPool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
    """Number in the second pool of each string of the first, or -1."""

class Sheet:
    """Sentences to be written; begin and end count sentences."""

    def __init__(self, columns: Sequence[tuple[object, object]], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], sentence: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], position: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], text: object, pool: object, newline: str) -> None: ...

    def columns(self, separator: str, begin: int, end: int) -> bytes: ...

    def text(self, escape_words: bool, begin: int, end: int) -> bytes: ...

    def attributes(self, indptr: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, pool: StringPool, begin: int, end: int) -> bytes: ...

def first_unwritable(codes: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], pool: StringPool, bytes: str, empty: bool, backslash: bool) -> int:
    """The first token whose string breaks a rule, or the number of tokens."""

def read_json_batch(json: bytes) -> tuple[str | None, NDArray[numpy.int32], NDArray[numpy.int64], StringPool, int] | None:
    """
    (model, codes, offsets, pool, longest sentence) of {"batch": [[words], ...], "model": name}; None for anything else.
    """

def write_json_labels(ids: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], names: Sequence[str]) -> bytes:
    """[{"labels": [...]}, ...] as JSON; names has each label as JSON."""

def count_words(words: NDArray[numpy.int32], labels: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, offsets: NDArray[numpy.int64], V: int, L: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
    """
    (begin, label, count): how often each word had each label (eq:counting).
    """

def count_moves(labels: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], order: int, L: int, table: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], last: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Counts of transitions, and of last labels (eq:counting)."""

class LexiconSettings:
    """Options of a Lexicon."""

    def __init__(self) -> None: ...

    @property
    def add(self) -> float: ...

    @add.setter
    def add(self, arg: float, /) -> None: ...

    @property
    def direct(self) -> bool: ...

    @direct.setter
    def direct(self, arg: bool, /) -> None: ...

    @property
    def suffixes(self) -> bool: ...

    @suffixes.setter
    def suffixes(self, arg: bool, /) -> None: ...

    @property
    def longest(self) -> int: ...

    @longest.setter
    def longest(self, arg: int, /) -> None: ...

    @property
    def rare(self) -> float: ...

    @rare.setter
    def rare(self, arg: float, /) -> None: ...

    @property
    def strength(self) -> float: ...

    @strength.setter
    def strength(self, arg: float, /) -> None: ...

    @property
    def theta(self) -> float: ...

    @theta.setter
    def theta(self, arg: float, /) -> None: ...

    @property
    def known(self) -> float: ...

    @known.setter
    def known(self, arg: float, /) -> None: ...

    @property
    def folded(self) -> float: ...

    @folded.setter
    def folded(self, arg: float, /) -> None: ...

    @property
    def least(self) -> float: ...

    @least.setter
    def least(self, arg: float, /) -> None: ...

    @property
    def proper(self) -> bool: ...

    @proper.setter
    def proper(self, arg: bool, /) -> None: ...

class Lexicon:
    """Scores of words given labels."""

    def __init__(self, words: StringPool, begin: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], L: int, settings: LexiconSettings) -> None: ...

    def by_ending(self, word: object, share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> bool:
        """
        P(label | ending of the word) (eq:suffix-model); False if it is no string.
        """

    def rows(self, pool: StringPool, codes: NDArray[numpy.int32], allowed: NDArray[numpy.uint8] | None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]:
        """(begin, label, log P(word | label)) for the strings that codes name."""

    @property
    def unseen(self) -> float:
        """The probability that the next word is an unseen one."""

    def known_mass(self, mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The sum of P(word | label) over all known words, for every label."""

    def label_ids(self, pool: StringPool, codes: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, order: int, allowed: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int) -> int:
        """Best labels of all tokens; the first sentence that has no path, or -1."""

class NgramCounts:
    """Counts of n-grams."""

    @staticmethod
    def of(levels: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]]]) -> NgramCounts:
        """Counts from the result of arrays()."""

    def arrays(self) -> list[tuple[Any, Any, Any]]:
        """For every length (parents, last symbols, counts)."""

    @property
    def symbols(self) -> int: ...

    @property
    def order(self) -> int: ...

def count_ngrams(codes: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], order: int, start: int, end: int, symbols: int) -> NgramCounts:
    """Counts of all n-grams up to order + 1 symbols (eq:ngram)."""

def join_ngrams(parts: Sequence[NgramCounts], map: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], symbols: int) -> NgramCounts:
    """Counts added up, with symbol s under the number map[s]."""

class NgramSmoothing(enum.Enum):
    mle = 0

    add_lambda = 1

    witten_bell = 2

    kneser_ney = 3

    interpolated = 4

class NgramTable:
    """Log-probabilities of n-grams, and back-off weights."""

    @staticmethod
    def of(levels: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]], flat: bool) -> NgramTable:
        """A table from the result of arrays()."""

    @property
    def flat(self) -> bool: ...

    def arrays(self) -> list[tuple[Any, Any, Any, Any]]:
        """
        For every length (parents, last symbols, log-probabilities, log back-off weights).
        """

    @property
    def predicted(self) -> int: ...

    @property
    def order(self) -> int: ...

    def score(self, codes: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], end: int, threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Log-probability of every symbol and every end (eq:backoff)."""

    def next(self, history: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], start: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Probability of every symbol after a history."""

    def sample(self, n: int, end: int, most: int, seed: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
        """(codes, offsets) of sentences that were drawn."""

    def arpa(self, names: StringPool) -> bytes:
        """The text of an ARPA file."""

def estimate_ngrams(counts: NgramCounts, kind: NgramSmoothing, add: float, discounts: tuple[float, float, float] | None) -> tuple[NgramTable, tuple[tuple[float, float, float], ...]]:
    """(table, discounts of every length)."""

class ArpaFile:
    """An ARPA file as it was read."""

    @property
    def order(self) -> int: ...

    @property
    def words(self) -> StringPool: ...

    def table(self, map: NDArray[numpy.int32], predicted: int) -> tuple[NgramTable | None, str, int, str]:
        """(table, "", 0, ""), or (None, error, line, text)."""

def read_arpa(text: bytes, longest: int) -> tuple[ArpaFile | None, str, int, str]:
    """(file, "", 0, ""), or (None, error, line, text)."""

class TokenRules:
    """Rules of a tokeniser that needs no model."""

    def __init__(self, clitics: bool, split_hyphens: bool, lines: bool, titles: Sequence[str], abbreviations: Sequence[str], starters: Sequence[str]) -> None: ...

    def segmented(self, text: str) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """(begins, ends, sentence offsets, joined) of the tokens of a text."""

def class_codes(text: str) -> numpy.ndarray:
    """Class of each character, as tokenisers see it."""

class_count: int = 30

def cut_keys(text: str, places: numpy.ndarray) -> numpy.ndarray:
    """Contexts of places in a text, as keys."""

def word_keys(text: str, begins: numpy.ndarray, ends: numpy.ndarray) -> numpy.ndarray:
    """Words of a text in lower case, as keys."""

class LearnedTokens:
    """A trained tokeniser."""

    def __init__(self, rules: TokenRules, pairs: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], word_kinds: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_weights(self, keys: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def examples(self, text: str) -> tuple[Any, ...]:
        """
        (places, gap, offsets of paragraphs, indptr, keys of features) of a text, for training.
        """

    def segmented(self, text: str) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """(begins, ends, sentence offsets, joined) of the tokens of a text."""
