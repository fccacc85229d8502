"""Emissions of symbols: words or whole numbers; one for each token, or several (naive Bayes)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from seqlab.corpus import BagColumn, Corpus
from seqlab.errors import CorpusError, OptionError
from seqlab.families.hmm.emissions.base import (
    Chance,
    Distribution,
    Emission,
    Floats,
    Groups,
    Ids,
    Statistics,
    SymbolRows,
    as_floats,
    check_shares,
    checked_tables,
    first_of_groups,
    logs,
    normalised,
    pooled,
    sum_of_logs,
)
from seqlab.families.hmm.emissions.symbols import Stored, Symbols, checked_probabilities, listed, place
from seqlab.store.fields import Array


@dataclass(frozen=True, eq=False, repr=False)
class SymbolDistribution(Distribution):
    """eq:hmm-emission   P(x | y) = B[y, x].

    symbols         the V symbols
    probabilities   (V, L): a row for every symbol, the layout of the core; B is its transpose
    """

    stored_kind: ClassVar[str] = "categorical"
    by_state: ClassVar[Mapping[str, int]] = {"probabilities": 1}

    symbols: Annotated[Symbols, Stored("symbols")]
    probabilities: Annotated[Floats, Array(np.float64, "symbols", "L", finite=True)]

    def check(self) -> None:
        """Check that tables from a file are probabilities."""
        check_shares(self.probabilities, 0, "the emission probabilities of a state")

    @property
    def B(self) -> Floats:  # type: ignore[override]  # made on access
        """(L, V) P(symbol | state)."""
        return np.asarray(self.probabilities.T)

    @property
    def parameters(self) -> int:
        return self.size * (len(self.symbols) - 1)

    @property
    def vocabulary(self) -> frozenset[str] | None:
        """The symbols, if they are words."""
        return None if self.symbols.words is None else frozenset(self.symbols.words)

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> SymbolRows:
        return self.symbols.rows(corpus, column, unknown=unknown)

    def table(self) -> Floats:
        return logs(self.probabilities)

    def scores(self, observed: SymbolRows) -> Floats:
        return observed.scores(self.table())

    def statistics(self, observed: SymbolRows, gamma: Floats) -> Statistics:
        """Count symbols."""
        return {"counts": observed.counts(gamma, len(self.symbols))}

    def added(self, one: Statistics, other: Statistics) -> Statistics:
        """Add the counts of two sets of sentences; the second may have more symbols."""
        counts = other["counts"].copy()
        counts[: len(one["counts"])] += one["counts"]
        return {"counts": counts}

    def maximised(self, found: Statistics, prior: Any, groups: Groups | None, frozen: Sequence[str]) -> Self:  # noqa: ARG002
        counts, extra = pooled(found["counts"], groups, axis=1), self._prior(prior)
        if extra.any():
            counts = counts + extra
        return replace(self, probabilities=normalised(counts, self.probabilities, axis=0))

    def log_prior(self, prior: Any, groups: Groups | None) -> float:
        some = first_of_groups(groups, self.size)
        wide = np.broadcast_to(self._prior(prior), self.probabilities.shape)
        return sum_of_logs(wide[:, some], self.probabilities[:, some]) if np.any(wide) else 0.0

    def _prior(self, prior: Any) -> Floats:
        """Read pseudo-counts as an array that broadcasts to (V, L); users write (L, V), (V,) or a number."""
        given = as_floats(0.0 if prior is None else prior, "the prior of emissions")
        if given.ndim == 0:
            return given
        if given.shape not in {(self.size, len(self.symbols)), (len(self.symbols),)}:
            raise OptionError(
                f"the prior of emissions has shape {given.shape}, but ({self.size}, {len(self.symbols)}) "
                f"or ({len(self.symbols)},) is wanted"
            )
        return given.T if given.ndim == 2 else given[:, None]

    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        cumulated = np.cumsum(self.probabilities, axis=0)  # (V, L)
        pairs = zip(states.tolist(), rng.random(len(states)).tolist(), strict=True)
        found = (np.searchsorted(cumulated[:, y], u * cumulated[-1, y], side="right") for y, u in pairs)
        return [self.symbols[min(int(i), len(self.symbols) - 1)] for i in found]

    def extended(self, symbols: Symbols) -> Self:
        """Add symbols, each with the mean probability."""
        new = len(symbols) - len(self.symbols)
        if new == 0:
            return self
        share = new / len(symbols)
        rows = np.full((new, self.size), share / new)
        wider = np.vstack([self.probabilities * (1 - share), rows])
        return replace(self, symbols=symbols, probabilities=wider)

    def grown(self, corpus: Corpus, column: str | None) -> Self:
        return self.extended(self.symbols.joined(Symbols.seen_in(corpus, column)))


@dataclass(frozen=True, slots=True)
class Categorical(Emission):
    """One symbol for every token, a word or a whole number from 0 up: P(x | y) is a table.

    symbols   the possible words, or the number of whole numbers; None for those of training
    """

    symbols: Any = None

    holds = "symbols"

    def __post_init__(self) -> None:
        if isinstance(self.symbols, Iterator):  # an iterator can be consumed only once
            object.__setattr__(self, "symbols", tuple(self.symbols))
        if self.symbols is not None:
            Symbols.of(self.symbols)

    def over(self, domain: Symbols) -> Self:
        """Return the same option for the symbols of this domain."""
        return replace(self, symbols=domain)

    def first(self, corpus: Corpus, column: str | None) -> tuple[SymbolRows, Symbols]:
        """Read a column of the training corpus as arrays, and the domain."""
        symbols = Symbols.seen_in(corpus, column) if self.symbols is None else Symbols.of(self.symbols)
        return symbols.rows(corpus, column, unknown="error"), symbols

    def random(self, domain: Symbols, observed: SymbolRows, size: int, rng: Chance) -> SymbolDistribution:
        """Draw a random start by rng: frequencies of domain as observed, times random factors, for `size` states."""
        frequencies = observed.frequencies(len(domain))
        base = (frequencies + 0.5) / (frequencies.sum() + 0.5 * len(domain))
        table = base[:, None] * rng.exponential(size=(len(domain), size))
        return self._made(domain, table / table.sum(axis=0))

    def clustered(self, domain: Symbols, observed: SymbolRows, labels: Ids, size: int) -> SymbolDistribution:
        """Initialise `size` states over the domain by clusters, given as labels of the observed tokens."""
        gamma = np.zeros((len(observed), size))
        there = np.flatnonzero(labels >= 0)
        gamma[there, labels[there]] = 1.0
        counts = observed.counts(gamma, len(domain)) + 0.5
        return self._made(domain, counts / counts.sum(axis=0))

    def given(self, tables: Any, domain: Symbols, size: int) -> SymbolDistribution:
        """Initialise `size` states by tables, which are checked, or by a model with new symbols of the domain added."""
        if isinstance(tables, SymbolDistribution):
            return tables.extended(tables.symbols.joined(domain))
        if isinstance(tables, (Mapping, Distribution)):
            tables = checked_tables(tables, "probabilities")["probabilities"]
        checked = checked_probabilities(tables, "emissions", (size, len(domain)))
        return self._made(domain, np.ascontiguousarray(checked.T))

    _made: ClassVar[type[SymbolDistribution]] = SymbolDistribution


@dataclass(frozen=True, eq=False, repr=False)
class BagDistribution(SymbolDistribution):
    """eq:naive-bayes-emission   P(x | y) = Π_f B[y, f]^(how often f is in x)."""

    stored_kind: ClassVar[str] = "feature bag"

    @property
    def vocabulary(self) -> None:
        """None: features are not words."""
        return

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> SymbolRows:  # noqa: ARG002
        return bag_rows(self.symbols, corpus, column)

    def grown(self, corpus: Corpus, column: str | None) -> Self:
        """Add the features of another corpus."""
        return self.extended(self.symbols.joined(Symbols.of(bags_of(corpus, column).values or self.symbols)))

    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        """Draw one feature for each token: the model has no distribution of their number."""
        return [[feature] for feature in super().draw(states, rng)]


@dataclass(frozen=True, slots=True)
class FeatureBag(Categorical):
    """A list of features for every token (or {feature: how often}), independent given the state: naive Bayes.

    symbols   the features that may come; None for those of training. Features never seen are left out later on.
    """

    holds = "bags"

    def first(self, corpus: Corpus, column: str | None) -> tuple[SymbolRows, Symbols]:
        """Read a column of the training corpus as arrays, and the domain."""
        if self.symbols is not None:
            symbols = Symbols.of(self.symbols)
        else:
            features = tuple(bags_of(corpus, column).strings.compact().values)
            if not features:
                raise CorpusError("no token has a feature, so there is nothing to learn about")
            symbols = Symbols(len(features), features)
        return bag_rows(symbols, corpus, column), symbols

    _made = BagDistribution


def bags_of(corpus: Corpus, column: str | None) -> BagColumn:
    """Find the column of bags."""
    found = None if column is None else corpus.data(column)
    if not isinstance(found, BagColumn):
        raise CorpusError(
            f"FeatureBag() wants a list of features for every token, but column {column!r} holds something else"
        )
    return found


def bag_rows(symbols: Symbols, corpus: Corpus, column: str | None) -> SymbolRows:
    """Number the features; unknown ones are left out."""
    if not corpus.token_count:
        return listed(np.zeros(0, dtype=np.int32))
    bags = bags_of(corpus, column)
    of_code = np.array([symbols.number.get(text, -1) for text in bags.values], dtype=np.int32)
    ids = of_code[bags.codes]
    kept = ids >= 0
    if bags.weights is not None:
        bad = ~np.isfinite(bags.weights) | (bags.weights < 0)
        if bad.any():
            entry = int(np.argmax(bad))
            token = int(np.searchsorted(bags.indptr, entry, side="right")) - 1
            raise CorpusError(
                f"a feature counts {bags.weights[entry]:g}, but a count from 0 up is wanted",
                place=place(corpus, token),
            )
        kept &= bags.weights != 0
    before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    values = None if bags.weights is None else np.ascontiguousarray(bags.weights[kept])
    return SymbolRows(before[bags.indptr], np.ascontiguousarray(ids[kept]), values)
