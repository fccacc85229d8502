"""What a hidden Markov model can be asked beyond what every tagger answers: it knows how observations come about."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqlab import inference
from seqlab.arrays import whole_number
from seqlab.errors import ImpossibleError, LabelError, OptionError, QuestionError
from seqlab.families.hmm.counted_engine import as_tables
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.inference.streaming import Filter, Filtered, FilterStep
from seqlab.tagging.decoding import blocks, event_log_partition
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.transitions import END, START, Transitions
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.trellis import Trellis

LONGEST = 100_000  # of a sequence drawn from a model with an end, before it is given up


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """Sequences drawn from a model: observations[i] and states[i] belong together."""

    observations: list[list[Any]]
    states: list[list[str]]

    def __len__(self) -> int:
        return len(self.states)


class HMMStream:
    """Observations one by one: what is known of the state after each, and decisions `lag` positions later."""

    def __init__(self, hmm: Any, lag: int) -> None:
        start, edge, _ = hmm.model_.edges()
        self._hmm = hmm
        self._filter = Filter(edge, start=start, labels=hmm.labels_, lag=lag)

    def push(self, observation: Any) -> FilterStep:
        """The next observation; None for one that is missing."""
        corpus = self._hmm._corpus_of_one([observation])
        row = self._hmm.model_.emissions.scores(self._hmm._observed(corpus))[0]
        allowed = self._hmm._mask(corpus)
        try:
            return self._filter.push(row if allowed is None else np.where(allowed[0], row, -np.inf))
        except ImpossibleError as error:
            advice = self._hmm.model_.advice()
            raise ImpossibleError(
                f"position {error.position} of the stream: no state can have emitted {observation!r:.60} there; the "
                f"stream stays before it, so push another{'; ' if advice else ''}{advice}",
                position=error.position,
            ) from None

    def finish(self) -> Any:
        """What is still open when the stream ends."""
        return self._filter.finish()


class HMMQuestions:
    """Mixed into HMM."""

    model_: Any
    labels_: tuple[str, ...]
    rules_: Rules
    threads: int | None

    if TYPE_CHECKING:  # a Tagger has them

        def _check_fitted(self, question: str) -> None: ...
        def _corpus(self, X: Any, lengths: Any = None) -> Corpus: ...
        def _trellises(self, corpus: Corpus, threads: int) -> Any: ...

    # ------------------------------------------------------------------------------------------ probabilities

    def log_likelihood(self, tokens: Any) -> float:
        """log P(tokens): the sum over all paths of states; -inf for what cannot be."""
        self._check_fitted("log_likelihood")
        try:
            return float(inference.log_partition(self._one(tokens)))
        except ImpossibleError:
            return float("-inf")

    def log_likelihoods(self, X: Any, *, lengths: Any = None, threads: int | None = None) -> Floats:
        """(N,) log P of every sequence."""
        self._check_fitted("log_likelihoods")
        corpus, count = self._corpus(X, lengths), thread_count(threads)
        parts = [np.zeros(0)]
        for _, part in blocks(corpus, 50_000):
            made = self._trellises(part, count)
            try:
                parts.append(np.asarray(inference.log_partition(made, threads=count), dtype=np.float64))
            except ImpossibleError:
                parts.append(np.array([_log_z(one) for one in made]))
        return np.concatenate(parts)

    def log_joint(self, tokens: Any, labels: Iterable[Any]) -> float:
        """eq:hmm-joint   log P(tokens, labels); a label may be None (any) or a set (one of these)."""
        self._check_fitted("log_joint")
        return event_log_partition(self._one(tokens), labels)

    def aic(self, X: Any, *, lengths: Any = None) -> float:
        """eq:aic   -2 log P(X) + 2 · parameters: smaller is better."""
        return -2 * float(self.log_likelihoods(X, lengths=lengths).sum()) + 2 * self.n_parameters_

    def bic(self, X: Any, *, lengths: Any = None) -> float:
        """eq:bic   -2 log P(X) + parameters · log(tokens): smaller is better."""
        corpus = self._corpus(X, lengths)
        likelihood = float(self.log_likelihoods(corpus).sum())
        return -2 * likelihood + self.n_parameters_ * float(np.log(max(corpus.token_count, 1)))

    @property
    def n_parameters_(self) -> int:
        """How many numbers were free to choose."""
        self._check_fitted("n_parameters_")
        return int(self._chain("n_parameters_").parameters)

    def stationary(self) -> Floats:
        """(L,) the long-run share of every state."""
        self._check_fitted("stationary")
        return self._chain("stationary").stationary()

    @property
    def transition_matrix(self) -> Transitions:
        """P(next state | state) with names: a row "<s>" for the start, and a column "</s>" where there is an end.

        Numbers as they were learned or given: a move that constraints= forbids is not taken, whatever it has here.
        """
        self._check_fitted("transition_matrix")
        model = self._chain("transition_matrix")
        for name in (START, END):
            if name in model.labels:
                raise QuestionError(
                    f"transition_matrix has no meaning here: a state is called {name!r}, as its start or end would be; "
                    f"look at model_"
                )
        rows = np.vstack([model.pi, model.A])
        if model.end is None:
            return Transitions((START, *model.labels), model.labels, rows)
        ends = np.append(0.0, model.end)[:, None]
        return Transitions((START, *model.labels), (*model.labels, END), np.hstack([rows, ends]))

    def top_symbols(self, state: str, n: int | None = 10) -> list[tuple[Any, float]]:
        """The n symbols that a state most often emits, with their probabilities; None for all of them."""
        self._check_fitted("top_symbols")
        if state not in self.labels_:
            raise LabelError(
                f"there is no state {state!r:.60}; the states are {', '.join(self.labels_):.200}"
            )
        table = self._chain("top_symbols").emissions
        if not isinstance(table, SymbolDistribution):
            raise QuestionError(
                "top_symbols has no meaning here: these states emit no symbols; look at model_.emissions"
            )
        row = table.probabilities[:, self.labels_.index(state)]
        most = len(row) if n is None else whole_number(n, "n", 1)
        names = table.symbols.words or range(len(row))
        return [(names[i], float(row[i])) for i in np.argsort(-row, kind="stable")[:most].tolist()]

    # ------------------------------------------------------------------------------------------ streams

    def filter(self, tokens: Any) -> Filtered:
        """P(state at t | observations up to t) for every position: what was known at the time."""
        self._check_fitted("filter")
        return inference.filter(self._one(tokens))

    def stream(self, *, lag: int = 0) -> HMMStream:
        """Observations as they come: push(x) gives the distribution over states, and decisions `lag` later."""
        self._check_fitted("stream")
        if not isinstance(self.model_, HiddenMarkov):
            raise QuestionError(
                "stream has no meaning here: counted words are judged by the whole sentence's lists"
            )
        return HMMStream(self, lag)

    # ------------------------------------------------------------------------------------------ chance

    def generate(self, n: int = 1, length: Any = None, *, seed: int = 0) -> Generated:
        """n sequences of observations and states, drawn from the model; the same seed draws the same ones.

        length   of every sequence, or a list with one for each; None with an end state, which ends them
        """
        self._check_fitted("generate")
        model = self._chain("generate")
        n, seed = whole_number(n, "n", 1), whole_number(seed, "seed", 0)
        rng = np.random.default_rng(seed)
        tables = _cumulated(model, open_end=length is None)
        paths = [_path(model, tables, size, rng) for size in _lengths(length, n, model)]
        all_drawn = model.emissions.draw(np.concatenate([np.zeros(0, dtype=np.int64), *paths]), rng)
        ends = np.cumsum([0, *map(len, paths)]).tolist()
        drawn = [all_drawn[b:e] for b, e in itertools.pairwise(ends)]
        return Generated(drawn, [[self.labels_[i] for i in path.tolist()] for path in paths])

    def _one(self, tokens: Any) -> Trellis:
        own: Any = self
        made: Trellis = own.trellis(tokens)
        return made

    def _chain(self, question: str) -> HiddenMarkov:
        if isinstance(self.model_, HiddenMarkov):
            return self.model_
        tables = as_tables(self.model_, self.rules_)
        if tables is None:
            raise QuestionError(
                f"{question} has no meaning here: this model looks {self.model_.order} labels back, so it has no plain "
                f"tables; count with order=1, or with smoothing='mle'"
            )
        return tables


def _log_z(trellis: Any) -> float:
    try:
        return float(inference.log_partition(trellis))
    except ImpossibleError:
        return float("-inf")


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


def _cumulated(model: HiddenMarkov, *, open_end: bool) -> tuple[Floats, Floats]:
    """Running sums of the start and of the rows of moves, with the end as the last column where there is one."""
    start, edge, end = model.edges()
    moves = np.exp(edge)
    if open_end and end is not None:
        moves = np.hstack([moves, np.exp(end)[:, None]])
    return np.cumsum(np.exp(start)), np.cumsum(moves, axis=1)


def _path(
    model: HiddenMarkov, tables: tuple[Floats, Floats], length: int | None, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """States by chance: `length` of them, or until the end."""
    first, rows = tables
    path: list[int] = []
    while length is None or len(path) < length:
        row = rows[path[-1]] if path else first
        if not row[-1] > 0:
            raise OptionError(
                f"no state can follow {model.labels[path[-1]]!r}, so a sequence cannot be {length} long"
            )
        y = int(np.searchsorted(row, rng.random() * row[-1], side="right"))
        if y >= model.size:
            break
        path.append(y)
        if len(path) > LONGEST:
            raise OptionError(f"a sequence is still going on after {LONGEST} states; give its length")
    return np.array(path, dtype=np.int64)
