"""Emissions: observations as arrays, and the interface of every emission distribution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, StoreError
from seqlab.shown import Brief
from seqlab.store.fields import Array, Sizes
from seqlab.store.state import State

Floats = npt.NDArray[np.float64]
Statistics = dict[str, Floats]  # sums over tokens; the statistics of two sets of sentences may be added
Ids = npt.NDArray[np.int64]
Groups = Ids  # (L,) states with the same number share their emissions
Chance = np.random.Generator
ABOUT = "about"  # the statistic that is a point of reference, and not a sum
TINY = 1e-12  # a state with a smaller count keeps its parameters


@dataclass(frozen=True, slots=True, eq=False)
class SymbolRows:
    """Symbols by number: token t has ids[begin[t]] .. ids[begin[t + 1]], each `values` times; none if it is missing."""

    begin: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    values: Floats | None = None

    def __len__(self) -> int:
        return len(self.begin) - 1

    def some(self, which: npt.NDArray[np.bool_]) -> SymbolRows:
        """Return the tokens that `which` (T,) picks."""
        lengths = np.diff(self.begin)
        kept = np.repeat(which, lengths)
        begin = np.concatenate([[0], np.cumsum(lengths[which])]).astype(np.int64)
        return SymbolRows(begin, self.ids[kept], None if self.values is None else self.values[kept])

    def span(self, begin: int, end: int) -> SymbolRows:
        """Return the tokens begin .. end."""
        first, last = int(self.begin[begin]), int(self.begin[end])
        values = None if self.values is None else self.values[first:last]
        return SymbolRows(self.begin[begin : end + 1] - first, self.ids[first:last], values)

    def scores(self, table: Floats) -> Floats:
        """Compute (T, L): the rows of a table (V, L), summed over the symbols of each token."""
        size = table.shape[1]
        node = np.empty(len(self) * size)
        _core.symbol_scores(np.ascontiguousarray(table), self.begin, self.ids, self.values, node)
        return node.reshape(-1, size)

    def counts(self, gamma: Floats, symbols: int) -> Floats:
        """Compute (V, L): the weights of the tokens with each symbol."""
        size = gamma.shape[1]
        counts = np.zeros(symbols * size)
        _core.symbol_counts(np.ascontiguousarray(gamma), size, self.begin, self.ids, self.values, counts)
        return counts.reshape(symbols, size)

    def frequencies(self, symbols: int) -> Floats:
        """Compute (V,): the number of occurrences of each symbol."""
        return np.bincount(self.ids, self.values, minlength=symbols).astype(np.float64)


@dataclass(frozen=True, eq=False)
class VectorRows:
    """Vectors: values (T, D), with 0 where one is missing; present (T, D) or None when none is missing."""

    values: Floats
    present: npt.NDArray[np.bool_] | None = None

    @cached_property
    def columns(self) -> Floats:
        """(D, T), computed once: one dimension after another."""
        return np.ascontiguousarray(self.values.T)

    @cached_property
    def centre(self) -> Floats:
        """(D,) the mean."""
        return self.values.mean(axis=0) if len(self) else np.zeros(self.values.shape[1])

    @cached_property
    def powers(self) -> Floats:
        """(T, 2 D + 1) distances from the centre, their squares, and 1: products with it are sums over tokens."""
        away = self.values - self.centre
        return np.hstack([away, away * away, np.ones((len(away), 1))])

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def seen(self) -> Floats:
        """(T, D) 1 for an observed number, 0 for a missing one."""
        return np.ones_like(self.values) if self.present is None else self.present.astype(np.float64)

    def some(self, which: npt.NDArray[np.bool_]) -> VectorRows:
        """Return the tokens that `which` (T,) picks."""
        return VectorRows(self.values[which], None if self.present is None else self.present[which])

    def span(self, begin: int, end: int) -> VectorRows:
        """Return the tokens begin .. end, as they would be read without the others."""
        present = None if self.present is None else self.present[begin:end]
        whole = present is None or bool(present.all())
        return VectorRows(self.values[begin:end], None if whole else present)

    @property
    def there(self) -> npt.NDArray[np.bool_]:
        """(T,): True for tokens with any number."""
        return np.asarray(
            np.ones(len(self), dtype=bool) if self.present is None else self.present.any(axis=1)
        )


Observed = SymbolRows | VectorRows | tuple[Any, ...]


class Shaped(Array):
    """An array of finite numbers whose shape depends on another field; check() compares them."""

    def __init__(self) -> None:
        super().__init__(np.float64, finite=True)

    def get(self, state: State, name: str, sizes: Sizes) -> Floats:
        """Read and check the array."""
        shape = state.arrays[name].shape if name in state.arrays else ()
        found: Floats = state.array(name, self.dtype, shape)
        self._check(found, name, sizes)
        return found


def check_shares(table: Floats, axis: int, what: str) -> None:
    """Reject probabilities of a file that do not sum to 1."""
    if (table < 0).any() or (np.abs(table.sum(axis=axis) - 1) > 1e-6).any():
        raise StoreError(f"{what} should be from 0 up and sum to 1")


class Tables:
    """Tables of emissions; each kind has some of them, which a type checker cannot distinguish."""

    __slots__ = ()
    B: Floats
    means: Floats
    covariances: Floats
    rates: Floats
    symbols: Any


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(Brief, Tables, ABC):
    """The emissions of L states, learned or given; immutable: M steps make new ones.

    by_state   fields that are arrays with an axis of states, and which axis that is
    """

    stored_kind: ClassVar[str]
    by_state: ClassVar[Mapping[str, int]] = {}

    @property
    def size(self) -> int:
        """Number of states, L."""
        name, axis = next(iter(self.by_state.items()))
        return int(getattr(self, name).shape[axis])

    def reordered(self, order: Ids) -> Self:
        """Reorder the states: state order[i] comes to index i."""
        arrays = {name: getattr(self, name).take(order, axis) for name, axis in self.by_state.items()}
        return replace(self, **{name: np.ascontiguousarray(array) for name, array in arrays.items()})

    @property
    @abstractmethod
    def parameters(self) -> int:
        """Number of free parameters."""

    @abstractmethod
    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> Observed:
        """Read a corpus as arrays; `unknown` says how unseen symbols are treated."""

    @abstractmethod
    def scores(self, observed: Any) -> Floats:
        """Compute (T, L) log P(x_t | y); 0 for missing observations."""

    @abstractmethod
    def statistics(self, observed: Any, gamma: Floats) -> Statistics:
        """Sum up the statistics of the M step over tokens with weights gamma (T, L)."""

    @abstractmethod
    def maximised(self, found: Statistics, prior: Any, groups: Groups | None, frozen: Sequence[str]) -> Self:
        """Run the M step. A state with a count of zero stays unchanged."""

    @abstractmethod
    def log_prior(self, prior: Any, groups: Groups | None) -> float:
        """Compute the log prior, up to a constant."""

    @abstractmethod
    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        """Draw one observation for every state of a list."""

    def comparable(self, found: Statistics) -> Statistics:
        """Move statistics to a point of reference of this distribution, so that those of all sentences add up."""
        return found

    def added(self, one: Statistics, other: Statistics) -> Statistics:
        """Add the statistics of two sets of sentences."""
        return {name: one[name] + array for name, array in other.items()}

    def grown(self, corpus: Corpus, column: str | None) -> Self:  # noqa: ARG002  (few have anything to learn from it)
        """Add the symbols of another corpus, if it emits symbols."""
        return self

    @property
    def vocabulary(self) -> frozenset[str] | None:
        """The words of training; None when observations are not words."""
        return None

    @property
    def vector_width(self) -> int | None:
        """Length D of vectors, if every finite vector can be emitted; None for other observations."""
        return None

    def table(self) -> Floats | None:
        """(V, L) log P(symbol | y) when tokens are symbols of a table, for the fast E step of the core."""
        return None


class Emission(ABC):
    """An emission distribution as an option: the type of HMM(emissions=...)."""

    holds: str  # "symbols", "bags", "vectors" or "streams": the kind of column it reads

    @abstractmethod
    def first(self, corpus: Corpus, column: str | None) -> tuple[Observed, Any]:
        """Read training data as arrays, and the domain: the symbols, or the number of dimensions."""

    def over(self, domain: Any) -> Self:  # noqa: ARG002  (few have a choice)
        """Return the same option for this domain, where it would else be that of the data."""
        return self

    @abstractmethod
    def random(self, domain: Any, observed: Any, size: int, rng: Chance) -> Distribution:
        """Draw a random start for `size` states."""

    @abstractmethod
    def clustered(self, domain: Any, observed: Any, labels: Ids, size: int) -> Distribution:
        """Make a start from clusters: labels (T,), -1 for tokens in no cluster."""

    @abstractmethod
    def given(self, tables: Any, domain: Any, size: int) -> Distribution:
        """Initialise by tables of the user, which are checked."""


def is_sum(name: str) -> bool:
    """Return True for a statistic that is a sum over tokens; False for a point of reference."""
    return name.rpartition(".")[2] != ABOUT


def divided(sums: Floats, counts: Floats, before: Floats) -> Floats:
    """Divide sums by counts; keep the old values where the count is nearly 0."""
    some = counts > TINY
    return np.ascontiguousarray(np.where(some, sums / np.where(some, counts, 1.0), before))


def pooled(array: Floats, groups: Groups | None, axis: int = 0) -> Floats:
    """Sum over the states of a group; each of them gets the sum."""
    if groups is None:
        return array
    moved = np.moveaxis(array, axis, 0)
    sums = np.zeros((int(groups.max()) + 1, *moved.shape[1:]))
    np.add.at(sums, groups, moved)
    return np.ascontiguousarray(np.moveaxis(sums[groups], 0, axis))


def first_of_groups(groups: Groups | None, size: int) -> Ids:
    """Find the first state of every group, so that shared parameters count once."""
    return np.arange(size) if groups is None else np.unique(groups, return_index=True)[1]


def sum_of_logs(counts: Any, probabilities: Floats) -> float:
    """Compute Σ counts · log p, where 0 · log 0 is 0."""
    counts = np.broadcast_to(np.asarray(counts, dtype=np.float64), probabilities.shape)
    some = counts > 0
    with np.errstate(divide="ignore"):
        return float((counts[some] * np.log(probabilities[some])).sum())


def normalised(counts: Floats, before: Floats, axis: int) -> Floats:
    """Divide counts by their sums; keep the old values where a sum is 0 or NaN."""
    total = counts.sum(axis=axis, keepdims=True)
    sound = np.isfinite(total) & (total > 0)
    return np.asarray(
        counts / total if sound.all() else np.where(sound, counts / np.where(sound, total, 1.0), before)
    )


def as_floats(value: Any, name: str) -> Floats:
    """Read a user's table as an array."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be numbers, with rows of one length, got {value!r:.80}") from None


def checked_tables(tables: Any, first: str, *others: str) -> Mapping[str, Any]:
    """Check that this is a dict of these tables, of which the first is required."""
    names = (first, *others)
    if isinstance(tables, Mapping) and first in tables and set(tables) <= set(names):
        return tables
    wanted = ", ".join(f"{name!r}: ..." for name in names)
    got = f"{tables!r:.60}"
    if isinstance(tables, Mapping):
        got = f"{{{', '.join(f'{name!r}: ...' for name in tables)}}}"
    elif isinstance(tables, Distribution):
        got = f"those of a model whose emissions are {tables.stored_kind}"
    raise OptionError(f"emissions must be {{{wanted}}}, got {got}")


def logs(probabilities: Floats) -> Floats:
    """Take natural logs, -inf for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))
