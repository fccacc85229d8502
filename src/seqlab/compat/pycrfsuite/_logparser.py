"""Parser of CRFsuite's training log."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

STEPS = frozenset("0123456789.") | {"10"}
HEAD = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n")
SECONDS = re.compile(r"Seconds required: (\d+\.\d+)")
# (name, beginning of the line, type of the number that follows)
NUMBERS: tuple[tuple[str, re.Pattern[str], Callable[[str], Any]], ...] = tuple(
    (name, re.compile(begin + (r": (\d+\.\d+)" if kind is float else r": (\d+)")), kind)
    for name, begin, kind in (
        ("loss", "Loss", float),
        ("feature_norm", "Feature norm", float),
        ("error_norm", "Error norm", float),
        ("active_features", "Active features", int),
        ("linesearch_trials", "Line search trials", int),
        ("linesearch_step", "Line search step", float),
        ("time", "Seconds required for this iteration", float),
    )
)
MEANS = re.compile(r"Macro-average precision, recall, F1: \((\d\.\d+), (\d\.\d+), (\d\.\d+)\)")
ACCURACY = re.compile(r"(Item|Instance) accuracy: (\d+) / (\d+)")
BY_LABEL = re.compile(r" {4}(.+): \((\d+), (\d+), (\d+)\) \(([\d.*]+), ([\d.*]+), ([\d.*]+)\)")


class LabelScore(NamedTuple):
    """Scores of a label in the holdout group; None if undefined."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


class TrainLogParser:
    """Parser of the training log, message by message; it finds the end of each stage of training.

    iterations            a dict for each iteration: num, loss, feature_norm, scores, time, ...
    last_iteration        the last of them, or None
    log                   all messages
    events                (name, begin, end) of each stage: its messages are log[begin:end]
    featgen_percent, featgen_num_features, featgen_seconds, training_seconds, storing_seconds
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.featgen_percent = -2
        self.featgen_num_features: int | None = None
        self.featgen_seconds: float | None = None
        self.training_seconds: float | None = None
        self.storing_seconds: float | None = None
        self.iterations: list[dict[str, Any]] = []
        self.last_iteration: Any = None
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []

    def feed(self, line: str) -> str | None:
        """Read a message; return the name of the stage that it ends, or None."""
        self.log.append(line)
        if self.state is None:
            self.state = "STARTING"
            self._starting(line)
            self.events.append(("start", 0, len(self.log)))
            return "start"
        stages = {
            "STARTING": self._starting,
            "FEATGEN": self._features,
            "AFTER_FEATGEN": self._preparing,
            "ITERATION": self._iteration,
            "AFTER_ITERATION": self._between,
            "STORING": self._storing,
        }
        event = stages[self.state](line)
        if event is not None:
            # These stages end with the first line of the next one.
            end = len(self.log) - (event in ("prepared", "optimization_end"))
            self.events.append((event, self.events[-1][2], end))
        return event

    @property
    def last_log(self) -> str:
        """The messages of the last stage."""
        _, begin, end = self.events[-1]
        return "".join(self.log[begin:end])

    def _starting(self, line: str) -> None:
        if line.startswith("Feature generation"):
            self.state = "FEATGEN"

    def _features(self, line: str) -> str | None:
        if line in STEPS:
            self.featgen_percent += 2
            return "featgen_progress"
        found = re.match(r"Number of features: (\d+)", line)
        if found:
            self.featgen_num_features = int(found[1])
        elif (seconds := SECONDS.match(line)) is not None:
            self.featgen_seconds = float(seconds[1])
            self.state = "AFTER_FEATGEN"
            return "featgen_end"
        return None

    def _preparing(self, line: str) -> str | None:
        if HEAD.match(line):
            self.state = "ITERATION"
            self._iteration(line)
            return "prepared"
        if "terminated with error" in line:
            self.state = "AFTER_ITERATION"
            return "prepare_error"
        if line.startswith("Storing the model"):  # trained without an iteration
            self.state = "STORING"
            return "optimization_end"
        self._total(line)
        return None

    def _iteration(self, line: str) -> str | None:
        head = HEAD.match(line)
        if head:
            self.last_iteration = {"num": int(head[1]), "scores": {}}
            self.iterations.append(self.last_iteration)
        elif line == "\n":
            self.state = "AFTER_ITERATION"
            return "iteration"
        elif self.last_iteration is not None:
            _read_numbers(line, self.last_iteration)
        return None

    def _between(self, line: str) -> str | None:
        if HEAD.match(line):
            self.state = "ITERATION"
            return self._iteration(line)
        self._total(line)
        if line.startswith("Storing the model"):
            self.state = "STORING"
            return "optimization_end"
        return None

    def _total(self, line: str) -> None:
        found = re.match(r"Total seconds required for training: (\d+\.\d+)", line)
        if found:
            self.training_seconds = float(found[1])

    def _storing(self, line: str) -> str | None:
        seconds = SECONDS.match(line)
        if seconds:
            self.storing_seconds = float(seconds[1])
        return "end" if line == "\n" else None


def _read_numbers(line: str, known: dict[str, Any]) -> None:
    """Parse a line about an iteration, and add its numbers to the dict."""
    for name, pattern, kind in NUMBERS:
        if found := pattern.match(line):
            known[name] = kind(found[1])
    if found := MEANS.match(line):
        known |= dict(zip(("avg_precision", "avg_recall", "avg_f1"), map(float, found.groups()), strict=True))
    if (found := ACCURACY.match(line)) and int(found[3]):
        share = Fraction(int(found[2]), int(found[3]))
        name = f"{found[1].lower()}_accuracy"
        known |= {name: share, f"{name}_float": float(share)}
    if found := BY_LABEL.match(line):
        numbers = [None if "*" in text else float(text) for text in found.groups()[4:]]
        known["scores"][found[1]] = LabelScore(int(found[2]), int(found[3]), int(found[4]), *numbers)
