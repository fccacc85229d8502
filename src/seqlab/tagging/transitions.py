"""Results about Markov chains: named, frozen, by the user's symbols."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.errors import LabelError, QuestionError
from seqlab.shown import Brief, Table, Tabular

START, END = "<s>", "</s>"  # names of the two ends of a sequence
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(Brief):
    """Probabilities of symbols.

    names           the symbols; the unknown word and the end stand last
    probabilities   (names,) sum to 1
    """

    names: tuple[str, ...]
    probabilities: Numbers

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> float:
        return float(self.probabilities[_place(self._places, name)])

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def items(self) -> Iterator[tuple[str, float]]:
        """Return (symbol, probability) in the order of names."""
        return zip(self.names, self.probabilities.tolist(), strict=True)

    def most_likely(self, n: int = 10) -> list[tuple[str, float]]:
        """Return the n most probable symbols, highest first; ties in the order of names."""
        best = np.argsort(-self.probabilities, kind="stable")[: whole_number(n, "n", 0)]
        return [(self.names[i], float(self.probabilities[i])) for i in best.tolist()]


@dataclass(frozen=True, eq=False, repr=False)
class Transitions(Tabular):
    """Transition probabilities of a Markov chain (between words) or an HMM (between states).

    sources   names of the rows: the start, then the words (states). In order k, histories as tuples of k names, oldest
              first: those at the beginning of a sequence, padded with the start, then all of k words (states)
    targets   names of the columns: the words (the states), then the end if there is one
    matrix    (sources, targets) every row sums to 1

    transitions["a", "b"] is a single probability; in order 2 transitions[("a", "b"), "c"].
    """

    sources: tuple[Any, ...]
    targets: tuple[str, ...]
    matrix: Numbers

    def _columns(self) -> Table:
        return {"": list(self.sources), **dict(zip(self.targets, self.matrix.T, strict=True))}

    @cached_property
    def _places(self) -> tuple[dict[Any, int], dict[Any, int]]:
        return (
            {name: i for i, name in enumerate(self.sources)},
            {name: i for i, name in enumerate(self.targets)},
        )

    def __getitem__(self, move: tuple[Any, str]) -> float:
        if not isinstance(move, tuple) or len(move) != 2:
            raise LabelError(f"two symbols are wanted, as in matrix['a', 'b'], got {move!r:.80}")
        sources, targets = self._places
        return float(self.matrix[_place(sources, move[0]), _place(targets, move[1])])


@dataclass(frozen=True, slots=True)
class Perplexity:
    """Perplexity of a chain on some text.

    value         exp(-log_prob / tokens); inf when something was impossible
    log_prob      of all sentences together, natural
    tokens        how many symbols were predicted: words, and ends if sentences have them
    sentences     how many sentences
    oov           how many words were not in the vocabulary
    without_oov   the perplexity of all symbols but these words
    """

    value: float
    log_prob: float
    tokens: int
    sentences: int
    oov: int
    without_oov: float

    def __float__(self) -> float:
        return self.value


def history_names(names: Sequence[str], order: int) -> tuple[Any, ...]:
    """List all histories: those at the beginning of a sequence, padded with the start, then those of `order` names."""
    made = [
        (*(START,) * (order - j), *history)
        for j in range(order + 1)
        for history in itertools.product(names, repeat=j)
    ]
    return tuple(name for (name,) in made) if order == 1 else tuple(made)


def _place(places: dict[Any, int], name: Any) -> int:
    named = isinstance(name, str) or (isinstance(name, tuple) and all(isinstance(one, str) for one in name))
    found = places.get(name) if named else None
    if found is None and isinstance(next(iter(places), None), tuple):
        size = len(next(iter(places)))
        raise LabelError(
            f"{name!r:.80} is no history of {size} symbols here; write matrix[(...), 'a'] with a tuple of {size} "
            f"names, oldest first, {START!r} before the first symbol"
        )
    if found is None:
        raise LabelError(
            f"{name!r:.80} is none of the {len(places)} symbols here; what is not in the vocabulary goes by the name "
            f"of the unknown word, if the chain has one"
        )
    return found


# ------------------------------------------------------------------------------------------------ in the long run


def long_run(moves: Numbers, names: tuple[str, ...]) -> Distribution:
    """eq:stationary   Compute the stationary distribution pi = pi A from transitions (S, S) whose rows sum to 1."""
    recurrent, others = _closed_class(moves > 0)
    if others:
        first = names[int(np.flatnonzero(recurrent)[0])]
        raise QuestionError(
            f"the chain has no single stationary distribution: it can stay for ever with {first!r} and what follows "
            f"it, or elsewhere, as with {names[others[0]]!r}; smooth the counts, or let sentences have an end"
        )
    inside = np.flatnonzero(recurrent)
    equations = np.eye(len(inside)) - moves[np.ix_(inside, inside)].T
    equations[-1] = 1.0  # one equation is redundant; the shares sum to 1 instead
    right = np.zeros(len(inside))
    right[-1] = 1.0
    shares = np.zeros(len(names))
    shares[inside] = np.clip(np.linalg.solve(equations, right), 0.0, None)
    return Distribution(names, shares / shares.sum())


def _closed_class(moves: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], list[int]]:
    """Find (S,) recurrent states, and states from which they are not reached."""
    state = 0
    while True:
        ahead, behind = _reached(moves, state), _reached(moves.T, state)
        gone = np.flatnonzero(ahead & ~behind)
        if not len(gone):
            return ahead, np.flatnonzero(~behind).tolist()
        state = int(gone[0])


def _reached(moves: npt.NDArray[np.bool_], state: int) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(moves), dtype=bool)
    found[state] = True
    edge = found
    while edge.any():
        edge = moves[edge].any(axis=0) & ~found
        found = found | edge
    return found
