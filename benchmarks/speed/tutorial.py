"""The job of sklearn-crfsuite's tutorial: dicts of features made in Python, c1 = c2 = 0.1, all transitions, predict.

Both sides get the same dicts. A fit is the whole call, from Python lists on: taking them in, training, and on their
side writing the model. Of CRFsuite one training is run, of 600 iterations; the clock at its hundredth iteration, and
the objective there, are those of the tutorial. Ours are the defaults, nothing tuned to a corpus.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.speed import data, goals
from benchmarks.speed.figure import Figure, widest_spread
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.lessons import Course
from benchmarks.speed.table import Table
from benchmarks.speed.timing import Timing, measure
from seqlab import CRF, LBFGS, Corpus, read
from seqlab.encode import Encoder
from seqlab.errors import ConvergenceWarning

CASE = "tutorial"
PEER = "sklearn-crfsuite"
C1 = C2 = 0.1
TUTORIAL, LONG = 100, 600  # iterations
QUICK_SENTENCES = 150
Tokens = list[list[Any]]
Labels = list[list[str]]

REACH = {TUTORIAL: Goal(10, 20), LONG: Goal(25, 40)}
STOP = Goal(6, 10)
RIDGE = Goal(15, 25)
PREDICT = Goal(12, 20)


@dataclass(frozen=True, slots=True)
class Subject:
    """A corpus, and the columns that the features see and the model learns; `more` are sentences to predict."""

    name: str
    train: str
    more: str
    label: str
    columns: tuple[str, ...] = ()
    seen: tuple[str, ...] = ("word",)

    def corpus(self, name: str) -> Corpus | None:
        """None without the file."""
        path = data.found(name)
        if path is None:
            return None
        return read(path, columns=list(self.columns)) if self.columns else read(path)


SUBJECTS = (
    Subject("WNUT17", "wnut17/train.txt", "wnut17/dev.txt", "ner", ("word", "ner")),
    Subject("CoNLL-2000", "conll2000/train.txt", "conll2000/test.txt", "chunk", seen=("word", "pos")),
    Subject("EWT", "ud-en-ewt/train.conllu", "ud-en-ewt/dev.conllu", "upos"),
    Subject("PTB", "ptb-sample/train.txt", "ptb-sample/dev.txt", "pos", ("word", "pos")),
)


def features(sentence: Sequence[Sequence[str]], t: int) -> dict[str, Any]:
    """The features of the tutorial: strings, switches and a constant, of the token and of both neighbours."""
    word, *tag = sentence[t]
    found: dict[str, Any] = {"bias": 1.0, "word[-3:]": word[-3:], "word[-2:]": word[-2:]}
    found["word.isdigit()"] = word.isdigit()
    for offset, prefix in ((0, ""), (-1, "-1:"), (1, "+1:")):
        if not 0 <= t + offset < len(sentence):
            found["BOS" if offset < 0 else "EOS"] = True
            continue
        near, *tag = sentence[t + offset]
        found[f"{prefix}word.lower()"] = near.lower()
        found[f"{prefix}word.istitle()"] = near.istitle()
        found[f"{prefix}word.isupper()"] = near.isupper()
        for one in tag:
            found[f"{prefix}postag"] = one
            found[f"{prefix}postag[:2]"] = one[:2]
    return found


def strings(token: dict[str, Any]) -> list[str]:
    """The same features as a list of strings, the other way to hand them to CRFsuite."""
    return [
        f"{name}:{value}" if isinstance(value, str) else name
        for name, value in token.items()
        if value is not False
    ]


def dicts(corpus: Corpus, seen: Iterable[str]) -> Tokens:
    columns = [corpus.column(name) for name in seen]
    sentences = [list(zip(*parts, strict=True)) for parts in zip(*columns, strict=True)]
    return [[features(sentence, t) for t in range(len(sentence))] for sentence in sentences]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A corpus as both sides get it."""

    name: str
    X: Tokens
    y: Labels
    new: Tokens

    @property
    def input_hash(self) -> str:
        encoded = Encoder(None).fit(Corpus.from_lists(self.X, self.y))
        return hash_of(encoded.offsets, encoded.ids)


def prepare(subject: Subject, *, quick: bool = False) -> Prepared | None:
    """None without the corpus."""
    corpus, more = subject.corpus(subject.train), subject.corpus(subject.more)
    if corpus is None or more is None:
        return None
    if quick:
        corpus, more = corpus[:QUICK_SENTENCES], more[:QUICK_SENTENCES]
    X, y = dicts(corpus, subject.seen), corpus.column(subject.label)
    return Prepared(subject.name, X, y, dicts(more, subject.seen))


# ---------------------------------------------------------------- both sides


def theirs(prepared: Prepared, **options: Any) -> tuple[Any, Course]:
    """sklearn-crfsuite's model, and when (CPU seconds since the call) each iteration ended with which objective.

    Writing the model counts as part of every iteration, since a shorter training would write it too.
    """
    import pycrfsuite
    import sklearn_crfsuite

    steps: list[tuple[float, float]] = []

    class Timed(pycrfsuite.Trainer):  # type: ignore[misc]
        def message(self, message: str) -> None:
            if self.logparser.feed(message) == "iteration":
                steps.append((time.process_time() - begin, self.logparser.last_iteration["loss"]))

    begin = time.process_time()
    crf = sklearn_crfsuite.CRF("lbfgs", all_possible_transitions=True, trainer_cls=Timed, **options)
    crf.fit(prepared.X, prepared.y)
    rest = time.process_time() - begin - steps[-1][0]
    return crf, Course(tuple((seconds + rest, objective) for seconds, objective in steps))


def ours(prepared: Prepared, *, l1: float = C1, until: float | None = None) -> tuple[CRF, Course]:
    """Our model, trained to an objective or to its own stop, and its course in CPU seconds since the call.

    To an objective it goes on where it would have stopped before.
    """
    steps: list[tuple[float, float]] = []

    def note(epoch: Any) -> bool:
        steps.append((time.process_time() - begin, epoch.objective))
        return until is None or epoch.objective > until

    begin = time.process_time()
    learner = LBFGS(l1=l1, l2=C2) if until is None else LBFGS(l1=l1, l2=C2, epsilon=0.0, delta=0.0)
    crf = CRF(None, learner, transitions="all", threads=1)
    crf._zeros = True  # weights also for switches that a label was seen with only off, as CRFsuite has them
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        crf.fit(prepared.X, prepared.y, callbacks=note)
    if until is not None and steps[-1][1] > until:
        raise AssertionError(f"training ended at {steps[-1][1]:.2f}, above {until:.2f}")
    return crf, Course((*steps, (time.process_time() - begin, steps[-1][1])))


def reading(prepared: Prepared) -> float:
    """The part of a fit of ours that takes the dicts in, in CPU seconds."""
    begin = time.process_time()
    Encoder(None).fit(Corpus.from_lists(prepared.X, prepared.y))
    return time.process_time() - begin


# ---------------------------------------------------------------- rows


def run(*, quick: bool = False, parts: Sequence[str] | None = None) -> list[Figure]:
    figures: list[Figure] = []
    for subject in SUBJECTS:
        prepared = prepare(subject, quick=quick)
        if prepared is None:
            continue
        for name, part in PARTS.items():
            if parts is None or name in parts:
                figures += part(prepared, quick=quick)
    if not figures:
        print(data.absent(CASE))
    return figures


def fits(prepared: Prepared, *, quick: bool) -> list[Figure]:
    """With both penalties, to two objectives of CRFsuite and to our own stop."""
    rounds = 1 if quick else 3
    _, course = theirs(prepared, c1=C1, c2=C2, max_iterations=LONG, epsilon=1e-12, delta=1e-12)
    goal_at = {n: course.steps[min(n, len(course.steps)) - 1] for n in REACH}
    read_in = reading(prepared)
    found = []
    for n, goal in REACH.items():
        seconds, objective = goal_at[n]
        taken = [ours(prepared, until=objective)[1] for _ in range(rounds)]
        found.append(
            fit_figure(prepared, f"l1 + l2 to its {n}", taken, (seconds, objective, n), goal, read_in)
        )
    stops = [ours(prepared)[1] for _ in range(rounds)]
    return [
        *found,
        fit_figure(prepared, "l1 + l2 to our stop", stops, (*goal_at[TUTORIAL], TUTORIAL), STOP, read_in),
    ]


def ridge(prepared: Prepared, *, quick: bool) -> list[Figure]:
    """With l2 alone, each side to its own stop."""
    _, course = theirs(prepared, c1=0.0, c2=C2)
    taken = [ours(prepared, l1=0.0)[1] for _ in range(1 if quick else 3)]
    peer = course.seconds, course.objective, len(course.steps)
    return [fit_figure(prepared, "l2 to own stops", taken, peer, RIDGE, reading(prepared))]


def fit_figure(
    prepared: Prepared,
    name: str,
    taken: Sequence[Course],
    peer: tuple[float, float, int],
    goal: Goal,
    read_in: float,
) -> Figure:
    seconds, objective, iterations = peer
    return figure(
        CASE,
        f"fit {name}, {prepared.name}",
        "s",
        Timing(tuple(course.seconds for course in taken)),
        (PEER, Timing((seconds,))),
        goal,
        prepared.input_hash,
        details={
            "objective": taken[0].objective,
            "peer_objective": objective,
            "iterations": len(taken[0].steps) - 2,
            "peer_iterations": iterations,
            "reading": read_in,
        },
    )


def predictions(prepared: Prepared, *, quick: bool) -> list[Figure]:
    """Labels of new sentences, from dicts and from lists of strings; both models know what 15 iterations teach."""
    listed = Prepared(prepared.name, _listed(prepared.X), prepared.y, _listed(prepared.new))
    return [
        predict_figure(one, name, quick=quick)
        for name, one in (("dicts", prepared), ("lists of strings", listed))
    ]


def _listed(X: Tokens) -> Tokens:
    return [[strings(token) for token in sentence] for sentence in X]


def predict_figure(prepared: Prepared, name: str, *, quick: bool) -> Figure:
    peer, _ = theirs(prepared, c1=C1, c2=C2, max_iterations=15)
    learner = LBFGS(l1=C1, l2=C2, max_iterations=15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        crf = CRF(None, learner, transitions="all", threads=1).fit(prepared.X, prepared.y)
    tokens = sum(map(len, prepared.new))
    begin = time.process_time()
    crf.predict(prepared.new)
    first = time.process_time() - begin
    calls: dict[str, Callable[[], object]] = {
        PEER: lambda: peer.predict(prepared.new),
        "seqlab": lambda: crf.predict(prepared.new),
    }
    timings = measure(calls, seconds=0.2 if quick else 2.0)
    return figure(
        CASE,
        f"predict {name}, {prepared.name}",
        "ns/token",
        timings["seqlab"],
        (PEER, timings[PEER]),
        PREDICT,
        prepared.input_hash,
        scale=1e9 / tokens,
        details={"tokens": tokens, "first_call": round(first * 1e9 / tokens)},
    )


PARTS: dict[str, Callable[..., list[Figure]]] = {
    "fits": fits,
    "ridge": ridge,
    "predictions": predictions,
}


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [one for one in figures if one.case == CASE]
    return [goals.table("The tutorial of sklearn-crfsuite", mine, note(mine))] if mine else []


def note(figures: Sequence[Figure]) -> str:
    """What the rows say besides their times."""
    said = [
        "One thread, CPU seconds of whole calls from dicts to a model, c1 = c2 = 0.1, all transitions.",
        f"Spread up to {widest_spread(figures)}.",
    ]
    stops = [one for one in figures if "own stops" in one.name or "our stop" in one.name]
    if stops:
        ends = (
            f"{one.name.removeprefix('fit ')}: {one.details['objective']:,.0f} and {one.details['peer_objective']:,.0f}"
            for one in stops
        )
        said.append(f"Objectives at the stops, ours and CRFsuite's: {'; '.join(ends)}.")
    return " ".join(said)
