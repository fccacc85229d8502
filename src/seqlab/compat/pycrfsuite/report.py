"""CRFsuite's training log, line by line, and learners that write it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from seqlab.compat.pycrfsuite import parameters
from seqlab.families.linear.learners import LBFGS
from seqlab.learning.monitor import Job, Outcome, Progress, Report, Weights

TITLES = {
    "lbfgs": "L-BFGS optimization",
    "l2sgd": "Stochastic Gradient Descent (SGD)",
    "averaged-perceptron": "Averaged perceptron",
    "passive-aggressive": "Passive Aggressive",
    "arow": "Adaptive Regularization of Weights (AROW)",
}
PROGRESS = "0....1....2....3....4....5....6....7....8....9...."
SPOKEN = {"period": "stop", "max_linesearch": "linesearch.max_iterations"}  # names in L-BFGS's log


class TrainingLog:
    """The log of one training.

    message     called with every line, and with every step of a progress bar
    algorithm   its name in CRFsuite
    values      values of all its parameters
    labels      labels in the order of the model
    sizes       numbers of sequences and of items in training
    """

    def __init__(
        self,
        message: Callable[[str], Any],
        algorithm: str,
        values: Mapping[str, Any],
        labels: Sequence[str],
        sizes: tuple[int, int],
    ) -> None:
        self._say = message
        self.algorithm, self._values, self._labels = algorithm, values, labels
        self._sequences, self._items = sizes
        self._holdout: tuple[list[list[str]], list[list[str]]] | None = None
        self._losses: list[float] = []
        self._start: Progress | None = None
        self._size = 0
        self._began = self._since = time.perf_counter()

    def _lines(self, *lines: str) -> None:
        for line in lines:
            self._say(line + "\n")

    def _settings(self, names: Sequence[str]) -> None:
        for name in names:
            value = self._values[name]
            shown = (
                f"{value:f}" if isinstance(value, float) else str(int(value) if value in (0, 1) else value)
            )
            self._lines(f"{SPOKEN.get(name, name) if self.algorithm == 'lbfgs' else name}: {shown}")

    def start(self, holdout: int) -> None:
        """Log the beginning of training; holdout is the group for evaluation, -1 for none."""
        if holdout >= 0:
            self._lines(f"Holdout group: {holdout + 1}", "")
        self._lines("Feature generation", "type: CRF1d")
        self._settings(list(parameters.FEATURES))

    def prepared(self, size: int) -> None:
        """Log the algorithm, its parameters and the number of weights."""
        self._size = size
        for step in (*PROGRESS, "10"):
            self._say(step)
        self._say("\n")
        now = time.perf_counter()
        self._lines(f"Number of features: {size}", f"Seconds required: {now - self._began:.3f}", "")
        self._lines(TITLES[self.algorithm])
        self._settings(list(parameters.PARAMETERS[self.algorithm]))
        self._lines("")
        self._began = self._since = now

    def evaluated(self, right: list[list[str]], predicted: list[list[str]]) -> float:
        """Keep the labels predicted for the holdout group; a rising score makes training keep the last weights."""
        self._holdout = right, predicted
        return float(len(self._losses))

    def iteration(self, progress: Progress) -> bool:
        """Log an iteration; return False if training should end.

        Iteration 0 is the start, which CRFsuite does not log; it is logged only if no other follows.
        """
        self._start = progress if progress.iteration == 0 else None
        return self._start is not None or self._told(progress)

    def _told(self, progress: Progress) -> bool:
        batch, more = self.algorithm == "lbfgs", progress.more
        loss = self._loss(progress)
        self._losses.append(loss)
        norm = float(np.linalg.norm(progress.weights()))
        epoch = "Epoch" if self.algorithm == "l2sgd" else "Iteration"
        self._lines(f"***** {epoch} #{progress.iteration} *****", f"Loss: {loss:f}")
        self._lines(f"Feature {'L2-norm' if self.algorithm == 'l2sgd' else 'norm'}: {norm:f}")
        if batch:
            self._lines(
                f"Error norm: {progress.gradient_norm or 0.0:f}", f"Active features: {progress.active}"
            )
            self._lines(f"Line search trials: {more['trials']:.0f}", f"Line search step: {more['step']:f}")
        elif self.algorithm == "l2sgd":
            self._lines(f"Learning rate (eta): {more['rate']:f}")
            self._lines(f"Total number of feature updates: {progress.iteration * self._sequences}")
        now = time.perf_counter()
        self._lines(f"Seconds required for this iteration: {now - self._since:.3f}")
        self._since = now
        if self._holdout is not None:
            self._performance(*self._holdout)
        self._lines("")
        return not parameters.ended(self.algorithm, self._values, self._losses, self._sequences)

    def _loss(self, progress: Progress) -> float:
        if progress.objective is not None:
            return progress.objective
        if "loss" in progress.more:
            return progress.more["loss"]
        return progress.more["mistakes"] * self._sequences / max(self._items, 1)

    def _performance(self, right: list[list[str]], predicted: list[list[str]]) -> None:
        pairs = [
            pair for one, other in zip(right, predicted, strict=True) for pair in zip(one, other, strict=True)
        ]
        self._lines("Performance by label (#match, #model, #ref) (precision, recall, F1):")
        every = []
        for label in self._labels:
            match = sum(1 for pair in pairs if pair == (label, label))
            model = sum(1 for _, guess in pairs if guess == label)
            ref = sum(1 for gold, _ in pairs if gold == label)
            told = f"    {label}: ({match}, {model}, {ref})"
            if model or ref:
                every.append(scores(match, model, ref))
                self._lines(f"{told} ({', '.join(f'{score:.4f}' for score in every[-1])})")
            else:
                self._lines(f"{told} (******, ******, ******)")
        mean = np.mean(every, axis=0) if every else np.zeros(3)
        means = ", ".join(f"{score:f}" for score in mean.tolist())
        items = sum(gold == guess for gold, guess in pairs)
        whole = sum(one == other for one, other in zip(right, predicted, strict=True))
        self._lines(f"Macro-average precision, recall, F1: ({means})")
        self._lines(f"Item accuracy: {items} / {len(pairs)} ({items / max(len(pairs), 1):.4f})")
        self._lines(f"Instance accuracy: {whole} / {len(right)} ({whole / max(len(right), 1):.4f})")

    def trained(self, reason: str) -> None:
        """Log the end of training, and its reason."""
        if self._start is not None:
            self._told(replace(self._start, iteration=1))
        if self.algorithm in ("lbfgs", "l2sgd"):
            name = "L-BFGS" if self.algorithm == "lbfgs" else "SGD"
            limit = reason in ("iterations", "epochs")
            why = "maximum number of iterations" if limit else "stopping criteria"
            self._lines(f"{name} terminated with the {why}")
            if name == "SGD" and self._losses:
                self._lines(f"Loss: {self._losses[-1]:f}")
        seconds = time.perf_counter() - self._began
        self._lines(f"Total seconds required for training: {seconds:.3f}", "")

    def stored(self, active: tuple[int, int], attributes: int, store: Callable[[], None]) -> None:
        """Store the model by calling `store`, and log it.

        active   numbers of weights that are not 0, and of attributes with such a weight
        """
        weights, kept = active
        self._lines("Storing the model", f"Number of active features: {weights} ({self._size})")
        self._lines(f"Number of active attributes: {kept} ({attributes})")
        self._lines(f"Number of active labels: {len(self._labels)} ({len(self._labels)})")
        began = time.perf_counter()
        store()
        self._lines("Writing labels", "Writing attributes", "Writing feature references for transitions")
        self._lines("Writing feature references for attributes")
        self._lines(f"Seconds required: {time.perf_counter() - began:.3f}", "")


def scores(match: int, model: int, ref: int) -> tuple[float, float, float]:
    """Compute precision, recall and F1; 0 instead of a division by 0."""
    precision, recall = match / model if model else 0.0, match / ref if ref else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if match else 0.0


class WatchedLBFGS(LBFGS):
    """L-BFGS that writes its iterations to a log."""

    log: TrainingLog

    def train(self, job: Job, theta: Weights, report: Report) -> Outcome:
        """Minimise the objective of the job from theta, in place; every iteration is reported and logged."""
        self.log.prepared(theta.size)
        return super().train(job, theta, reporting(self.log, report))


class Watched:
    """An online learner that writes its epochs to a log.

    learner   the learner that trains
    """

    def __init__(self, learner: Any, log: TrainingLog) -> None:
        self._learner, self._log = learner, log
        self.likelihood = getattr(learner, "likelihood", False)

    def train(self, task: Any, theta: Weights, **options: Any) -> Outcome:
        """Train on a task from theta, which does not change; options are those of the learner."""
        self._log.prepared(theta.size)
        report = reporting(self._log, options.pop("report"))
        outcome: Outcome = self._learner.train(task, theta, report=report, **options)
        return outcome


def reporting(log: TrainingLog, report: Report) -> Report:
    """Make a report function that also writes to the log."""

    def tell(progress: Progress) -> bool:
        known = replace(progress, weights=_once(progress.weights))
        go_on = report(known)  # evaluates the holdout group
        return log.iteration(known) and go_on

    return tell


def _once(weights: Callable[[], Weights]) -> Callable[[], Weights]:
    found: list[Weights] = []

    def again() -> Weights:
        if not found:
            found.append(weights())
        return found[0]

    return again


def watched(learner: Any, log: TrainingLog) -> Any:
    """Make a learner write its iterations to a log."""
    if not isinstance(learner, LBFGS):
        return Watched(learner, log)
    names = [field.name for field in fields(LBFGS)]
    made = WatchedLBFGS(**{name: getattr(learner, name) for name in names})
    object.__setattr__(made, "log", log)  # a frozen dataclass
    return made
