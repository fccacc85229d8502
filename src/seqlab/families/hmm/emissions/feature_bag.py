"""Naive-Bayes emissions: a token is a list of features, each drawn by its state on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab.corpus import BagColumn, Corpus
from seqlab.errors import CorpusError
from seqlab.families.hmm.emissions.base import Floats, SymbolRows
from seqlab.families.hmm.emissions.categorical import Categorical, SymbolDistribution
from seqlab.families.hmm.emissions.symbols import Symbols, place


@dataclass(frozen=True, eq=False)
class BagDistribution(SymbolDistribution):
    """eq:naive-bayes-emission   P(x | y) = Π_f B[y, f]^(how often f is in x)."""

    stored_kind: ClassVar[str] = "feature bag"

    @property
    def vocabulary(self) -> None:
        """Features are no words."""
        return

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> SymbolRows:  # noqa: ARG002
        """A corpus as arrays."""
        return bag_rows(self.symbols, corpus, column)

    def grown(self, corpus: Corpus, column: str | None) -> Self:
        """With the symbols of another corpus."""
        return self.extended(self.symbols.joined(Symbols.of(bags_of(corpus, column).values or self.symbols)))

    def draw(self, states: npt.NDArray[np.int64], rng: np.random.Generator) -> list[Any]:
        """One feature for each token: how many a token has is nothing that the model knows."""
        return [[feature] for feature in super().draw(states, rng)]


@dataclass(frozen=True, slots=True)
class FeatureBag(Categorical):
    """A list of features for every token (or {feature: how often}), independent given the state: naive Bayes.

    symbols   the features that may come; None for those of training. Features never seen are left out later on.
    """

    holds = "bags"

    def first(self, corpus: Corpus, column: str | None) -> tuple[SymbolRows, Symbols]:
        """Training data as arrays, and the domain."""
        if self.symbols is not None:
            symbols = Symbols.of(self.symbols)
        else:
            features = tuple(bags_of(corpus, column).values)
            if not features:
                raise CorpusError("no token has a feature, so there is nothing to learn about")
            symbols = Symbols(len(features), features)
        return bag_rows(symbols, corpus, column), symbols

    def _made(self, domain: Symbols, table: Floats) -> BagDistribution:
        return BagDistribution(domain, np.ascontiguousarray(table))


def bags_of(corpus: Corpus, column: str | None) -> BagColumn:
    """The column of bags."""
    found = None if column is None else corpus.data(column)
    if not isinstance(found, BagColumn):
        raise CorpusError(
            f"FeatureBag() wants a list of features for every token, but column {column!r} holds something else"
        )
    return found


def bag_rows(symbols: Symbols, corpus: Corpus, column: str | None) -> SymbolRows:
    """The numbers of features; those that are not among the symbols are left out."""
    if not corpus.token_count:
        return SymbolRows(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
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
