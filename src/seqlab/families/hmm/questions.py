"""Methods of a hidden Markov model beyond those of every tagger: streams, samples, tables, the number of states."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import families, inference
from seqlab.arrays import choice, whole_number
from seqlab.errors import ImpossibleError, LabelError, OptionError, QuestionError
from seqlab.families.hmm import histories
from seqlab.families.hmm.emissions.base import Floats, SymbolRows, VectorRows
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.emissions.vectors import LARGEST
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.inference.streaming import Filter, FilterStep
from seqlab.shown import Brief, Table, Tabular, columns_of
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.transitions import END, START, Transitions, history_names

SYMBOL_TYPES = (str, int, type(None))  # types whose scores are cached
MOST_ROWS = 10_000  # largest number of symbols in the cache
LONGEST = 100_000  # limit for a sequence drawn from a model with an end


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Generated(Brief):
    """Sequences drawn from a model: observations[i] with states[i]; vectors as an array (T, D)."""

    observations: list[Any]
    states: list[list[Any]]

    def __len__(self) -> int:
        return len(self.states)


class HMMStream:
    """Online decoding: the distribution over states after each observation, and decisions `lag` positions later."""

    def __init__(self, hmm: families.HMM, lag: int) -> None:
        if not hmm._engine.streams:
            raise QuestionError(
                "stream has no meaning here: counted words are judged by the whole sentence's lists"
            )
        self._hmm, self._model = hmm, hmm._tables("stream")
        model = self._model
        start, edge, _ = model.edges()
        self._filter = Filter(
            edge, order=model.order, head=model.head_edges(), start=start, labels=model.labels, lag=lag
        )
        self._table, self._width = model.emissions.table(), model.emissions.vector_width
        self._rows: dict[str | int | None, Floats] = {}  # cached scores of symbols

    def push(self, observation: Any) -> FilterStep:
        """Add the next observation; None for a missing one."""
        try:
            return self._filter.push(self._row(observation))
        except ImpossibleError as error:
            advice = self._model.advice()
            raise ImpossibleError(
                f"position {error.position} of the stream: no state can have emitted {observation!r:.60} there; the "
                f"stream is unchanged, so push another{'; ' if advice else ''}{advice}",
                position=error.position,
            ) from None

    def _row(self, observation: Any) -> Floats:
        """Compute log P(observation | y), (L,); scores of symbols are cached."""
        vector = self._vector(observation)
        if vector is not None:
            return self._model.emissions.scores(VectorRows(vector[None]))[0]  # type: ignore[no-any-return]
        if self._width is not None or type(observation) not in SYMBOL_TYPES:
            return self._scores(observation)
        row = self._rows.get(observation)
        if row is None:
            row = self._scores(observation)
            if len(self._rows) == MOST_ROWS:
                del self._rows[next(iter(self._rows))]
            self._rows[observation] = row
        return row

    def _vector(self, observation: Any) -> Floats | None:
        """Return the observation as a vector, if it is a valid one; None for anything that _scores() has to check."""
        if self._width is None or self._hmm.dictionary_ is not None:
            return None
        try:
            vector = np.atleast_1d(np.asarray(observation))
        except ValueError:  # lists of unequal lengths
            return None
        sound = (
            vector.dtype.kind in "fiu" and vector.shape == (self._width,) and np.abs(vector).max() <= LARGEST
        )
        return vector.astype(np.float64) if sound else None

    def _scores(self, observation: Any) -> Floats:
        """Compute the scores of any observation, with all checks of a corpus."""
        corpus = self._hmm._corpus_of_one([observation])
        column, dictionary = self._hmm._column_in(corpus), self._hmm.dictionary_
        seen = self._model.emissions.observe(corpus, column, unknown=self._hmm.unknown_)
        if self._table is not None and isinstance(seen, SymbolRows):
            row: Floats = seen.scores(self._table)[0]
        else:
            row = self._model.emissions.scores(seen)[0]
        return row if dictionary is None else np.where(dictionary.mask(corpus)[0], row, -np.inf)

    def finish(self) -> Any:
        """Return the remaining decisions at the end of the stream."""
        return self._filter.finish()


def transitions_of(model: HiddenMarkov) -> Transitions:
    """Return transition probabilities with names, a row for the start, and a column for the end if there is one."""
    for name in (START, END):
        if name in model.labels:
            raise QuestionError(
                f"transition_matrix has no meaning here: a state is called {name!r}, as its start or end would be; "
                f"look at model_"
            )
    tables = [model.pi[None], *(histories.exits(one, model.end) for one in model.moves)]
    if model.end is not None:
        tables[0] = np.append(model.pi, 0.0)[None]
    matrix = np.concatenate([one.reshape(-1, one.shape[-1]) for one in tables])
    sources = history_names(model.labels, model.order)
    return Transitions(sources, model.labels if model.end is None else (*model.labels, END), matrix)


def top_symbols(model: HiddenMarkov, state: str, n: int | None) -> list[tuple[Any, float]]:
    """List the n most probable symbols of a state, with their probabilities; None for all of them."""
    if state not in model.labels:
        raise LabelError(f"there is no state {state!r:.60}; the states are {', '.join(model.labels):.200}")
    table = model.emissions
    if not isinstance(table, SymbolDistribution):
        raise QuestionError(
            "top_symbols has no meaning here: these states emit no symbols; look at model_.emissions"
        )
    row = table.probabilities[:, model.labels.index(state)]
    most = len(row) if n is None else whole_number(n, "n", 1)
    names = table.symbols.words or range(len(row))
    return [(names[i], float(row[i])) for i in np.argsort(-row, kind="stable")[:most].tolist()]


def log_partitions(trellises: Trellises, threads: int) -> Floats:
    """Compute (N,) log Z of every trellis; -inf without a legal path."""
    try:
        return np.asarray(inference.log_partition(trellises, threads=threads), dtype=np.float64)
    except ImpossibleError:
        return np.array([log_partition(one) for one in trellises])


def log_partition(trellis: Any) -> float:
    """Compute log Z; -inf without a legal path."""
    try:
        return float(inference.log_partition(trellis))
    except ImpossibleError:
        return float("-inf")


def named(
    paths: list[list[Any]], names: list[Any], states: str, as_given: list[Any] | None = None
) -> list[list[Any]]:
    """Return paths by name (`as_given`, if not None), or with states="index" by number."""
    if choice(states, "states", ("name", "index")) == "name" and as_given in (None, names):
        return paths
    to: Any = range(len(names)) if states == "index" else as_given
    number = dict(zip(names, to, strict=True))
    return [[number[name] for name in path] for path in paths]


# ------------------------------------------------------------------------------------------------ chance


def generated(model: HiddenMarkov, n: int, length: Any, seed: int) -> Generated:
    """Draw n sequences of observations and states."""
    n, rng = whole_number(n, "n", 1), np.random.default_rng(whole_number(seed, "seed", 0))
    start, edge, end = model.edges()
    moves = tuple(map(np.exp, (*model.head_edges(), edge)))
    if length is None and end is not None:
        moves = tuple(histories.exits(one, np.exp(end)) for one in moves)
    tables = tuple(np.cumsum(one, axis=-1) for one in (np.exp(start), *moves))
    paths = [_path(model, tables, size, rng) for size in _lengths(length, n, model)]
    all_drawn: Any = model.emissions.draw(np.concatenate([np.zeros(0, dtype=np.int64), *paths]), rng)
    ends = np.cumsum([0, *map(len, paths)]).tolist()
    if all_drawn and isinstance(all_drawn[0], np.ndarray):
        all_drawn = np.stack(all_drawn)
    drawn = [all_drawn[b:e] for b, e in itertools.pairwise(ends)]
    return Generated(drawn, [[model.labels[i] for i in path.tolist()] for path in paths])


def _lengths(length: Any, n: int, model: HiddenMarkov) -> list[int | None]:
    if length is None:
        if model.end is None:
            raise OptionError(
                "length says how long a sequence is; only a model with an end state (end=True) ends by itself"
            )
        return [None] * n
    if isinstance(length, (Sequence, np.ndarray)):
        if len(length) != n:
            raise OptionError(f"length has {len(length)} entries, but n is {n}")
        return [whole_number(one, "length", 0) for one in length]
    return [whole_number(length, "length", 0)] * n


def _path(
    model: HiddenMarkov, tables: histories.Moves, length: int | None, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Draw states: `length` of them, or until the end; tables[j] has cumulative probabilities after j states."""
    path: list[int] = []
    while length is None or len(path) < length:
        history = path[max(len(path) - model.order, 0) :]
        row = tables[len(history)][tuple(history)]
        if not row[-1] > 0:
            named = ", ".join(repr(model.labels[y]) for y in history)
            raise OptionError(f"no state can follow {named}, so a sequence cannot be {length} long")
        y = int(np.searchsorted(row, rng.random() * row[-1], side="right"))
        if y >= model.size:
            break
        path.append(y)
        if len(path) > LONGEST:
            raise OptionError(f"a sequence is still going on after {LONGEST} states; give its length")
    return np.array(path, dtype=np.int64)


CRITERIA = ("bic", "aic", "dev")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One size: its model, log-likelihood of the training data, free parameters, and criteria (smaller is better)."""

    n_states: int
    model: Any
    log_likelihood: float
    parameters: int
    aic: float
    bic: float
    dev: float | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection(Tabular):
    """Models of several sizes; `best` is the one selected by the criterion."""

    candidates: tuple[Candidate, ...]
    criterion: str

    def _columns(self) -> Table:
        names = ("n_states", "log_likelihood", "parameters", "aic", "bic", "dev")
        chosen = [one is self.chosen for one in self.candidates]
        return {"chosen": chosen, **columns_of(self.candidates, *names)}

    @property
    def best(self) -> Any:
        """The selected model."""
        return self.chosen.model

    @property
    def chosen(self) -> Candidate:
        """The selected candidate."""
        if self.criterion == "dev":
            return max(self.candidates, key=lambda one: -float("inf") if one.dev is None else one.dev)
        return min(self.candidates, key=lambda one: float(getattr(one, self.criterion)))

    def __str__(self) -> str:
        held_out = any(one.dev is not None for one in self.candidates)
        title = "states  log-likelihood  parameters           aic           bic"
        lines = [f"{title}           dev" if held_out else title]
        for one in self.candidates:
            mark = "*" if one is self.chosen else " "
            dev = "" if one.dev is None else f" {one.dev:>13.6f}"
            lines.append(
                f"{one.n_states:>6}{mark} {one.log_likelihood:>15.3f} {one.parameters:>11} "
                f"{one.aic:>13.3f} {one.bic:>13.3f}{dev}"
            )
        return "\n".join(lines)


def select_states(
    hmm: Any, X: Any, sizes: Iterable[int], *, criterion: str, lengths: Any, dev: Any
) -> Selection:
    """Fit one model of every size."""
    choice(criterion, "criterion", CRITERIA)
    if criterion == "dev" and dev is None:
        raise OptionError("criterion='dev' looks at a development set; pass one as dev=")
    wanted = [whole_number(size, "n_states", 1) for size in sizes]
    if not wanted:
        raise OptionError("there is no number of states to choose from")
    corpus = hmm._corpus(X, lengths)
    return Selection(tuple(_candidate(hmm, corpus, size, dev) for size in wanted), criterion)


def _candidate(hmm: Any, corpus: Any, size: int, dev: Any) -> Candidate:
    model = type(hmm)(**{**hmm.get_params(deep=False), "n_states": size})
    model.fit(corpus, dev=dev)
    held_out = None if dev is None else float(model.score(dev[0] if isinstance(dev, tuple) else dev))
    likelihood, size_of = float(model.log_likelihoods(corpus).sum()), model.n_parameters_
    return Candidate(size, model, likelihood, size_of, model.aic(corpus), model.bic(corpus), held_out)
