"""CRFsuite as the other side: its training log as data, kept in build/ because its way to convergence takes minutes.

CRFsuite times its own iterations with `clock()`, CPU time of the process, without generation of features and without
writing the model; those figures are taken as they are.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.lessons import Course, Prepared
from benchmarks.speed.machine import ROOT

CACHE = ROOT / "build" / "benchmarks"
HEAD = re.compile(r"^\*{5} (?:Iteration|Epoch) #\d+ \*{5}$", re.MULTILINE)
LOSS = re.compile(r"^Loss: (\S+)$", re.MULTILINE)
TRIALS = re.compile(r"^Line search trials: (\d+)$", re.MULTILINE)
SECONDS = re.compile(r"^Seconds required for this iteration: (\S+)$", re.MULTILINE)
FEATURES = re.compile(r"^Number of features: (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Iteration:
    loss: float
    seconds: float
    trials: int


@dataclass(frozen=True, slots=True)
class Log:
    """One training: features, iterations, and when it was measured on how busy a machine."""

    features: int
    iterations: tuple[Iteration, ...]
    date: str = ""
    load: float = 0.0

    @property
    def course(self) -> Course:
        steps, clock = [], 0.0
        for iteration in self.iterations:
            clock += iteration.seconds
            steps.append((clock, iteration.loss))
        return Course(tuple(steps))

    def plain_seconds(self) -> list[float]:
        """Iterations that evaluated once; the first, which also evaluates the start, is left out."""
        return [i.seconds for i in self.iterations[1:] if i.trials <= 1]


def parse_log(text: str) -> Log:
    """What CRFsuite printed, as numbers."""
    features = FEATURES.search(text)
    parts = HEAD.split(text)[1:]
    return Log(int(features.group(1)) if features else 0, tuple(_iteration(part) for part in parts))


def _iteration(text: str) -> Iteration:
    loss, seconds, trials = LOSS.search(text), SECONDS.search(text), TRIALS.search(text)
    if loss is None or seconds is None:
        raise ValueError(f"an iteration of CRFsuite's log without loss or seconds: {text!r}")
    return Iteration(float(loss.group(1)), float(seconds.group(1)), int(trials.group(1)) if trials else 1)


def trainer(
    sequences: Iterable[tuple[Any, list[str]]], algorithm: str = "lbfgs", **params: Any
) -> tuple[Any, list[str]]:
    """A pycrfsuite.Trainer that has taken in the data, and the list its messages go to."""
    import pycrfsuite

    lines: list[str] = []

    class Recorded(pycrfsuite.Trainer):  # type: ignore[misc]
        def message(self, message: str) -> None:
            lines.append(message)

    made = Recorded(algorithm, params, verbose=False)
    for items, labels in sequences:
        made.append(pycrfsuite.ItemSequence(items), labels)
    return made, lines


def train(made: Any, lines: list[str], model: Path | None = None) -> Log:
    """Train once more on the same data."""
    lines.clear()
    with tempfile.TemporaryDirectory() as folder:
        made.train(str(model or Path(folder) / "model"))
    load = round(os.getloadavg()[0], 2)
    parsed = parse_log("".join(lines))
    return Log(parsed.features, parsed.iterations, dt.datetime.now(dt.UTC).date().isoformat(), load)


def subject_trainer(prepared: Prepared, algorithm: str = "lbfgs", **params: Any) -> tuple[Any, list[str]]:
    if algorithm == "lbfgs":
        params = {"c1": prepared.subject.l1, "c2": prepared.subject.l2, **params}
    return trainer(zip(prepared.items(), prepared.labels(), strict=True), algorithm, **params)


def converged(prepared: Prepared, *, fresh: bool) -> Log:
    """CRFsuite to its own stop; from build/ when that was measured before and `fresh` is not asked for."""
    subject = prepared.subject
    name = re.sub(r"\W+", "-", subject.name.lower())
    path = CACHE / f"crfsuite-{name}-{prepared.input_hash}-{subject.l1:g}-{subject.l2:g}.json"
    if path.exists() and not fresh:
        return log_from(json.loads(path.read_text()))
    log = train(*subject_trainer(prepared))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(log)))
    return log


def log_from(record: Mapping[str, Any]) -> Log:
    iterations = tuple(Iteration(**iteration) for iteration in record["iterations"])
    return Log(record["features"], iterations, record["date"], record["load"])
