"""CRFsuite's training log, line by line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from seqlab.compat.pycrfsuite import parameters

TITLES = {
    "lbfgs": "L-BFGS optimization",
    "l2sgd": "Stochastic Gradient Descent (SGD)",
    "averaged-perceptron": "Averaged perceptron",
    "passive-aggressive": "Passive Aggressive",
    "arow": "Adaptive Regularization of Weights (AROW)",
}
PROGRESS = "0....1....2....3....4....5....6....7....8....9...."
SPOKEN = {"period": "stop", "max_linesearch": "linesearch.max_iterations"}  # names in L-BFGS's log
FIRST = ("c1", "c2", "num_memories")  # what L-BFGS's log begins with; then as in the list of parameters


class TrainingLog:
    """The log of one training.

    message     called with every line, and with every step of a progress bar
    algorithm   its name in CRFsuite
    values      values of all its parameters
    labels      labels in the order of the model

    rank        rank of the current weights; training keeps those of the highest rank
    """

    def __init__(
        self,
        message: Callable[[str], Any],
        algorithm: str,
        values: Mapping[str, Any],
        labels: Sequence[str],
    ) -> None:
        self._say = message
        self.algorithm, self._values, self._labels = algorithm, values, labels
        self._holdout: tuple[list[list[str]], list[list[str]]] | None = None
        self.rank = 0.0
        self._size = 0
        self._began = self._since = time.perf_counter()

    def _lines(self, *lines: str) -> None:
        for line in lines:
            self._say(line + "\n")

    def _settings(self, names: Iterable[str], instead: Mapping[str, Any] = {}) -> None:
        for name in names:
            value = instead.get(name, self._values[name])
            shown = (
                f"{value:f}" if isinstance(value, float) else str(int(value) if value in (0, 1) else value)
            )
            self._lines(f"{SPOKEN.get(name, name) if self.algorithm == 'lbfgs' else name}: {shown}")

    def start(self, holdout: int) -> None:
        """Log the beginning of training; holdout is the group for evaluation, -1 for none."""
        if holdout >= 0:
            self._lines(f"Holdout group: {holdout + 1}", "")
        self._lines("Feature generation", "type: CRF1d")
        self._settings(parameters.FEATURES)

    def prepared(self, size: int) -> None:
        """Log the algorithm, its parameters and the number of weights."""
        self._size = size
        for step in (*PROGRESS, "10"):
            self._say(step)
        self._say("\n")
        now = time.perf_counter()
        self._lines(f"Number of features: {size}", f"Seconds required: {now - self._began:.3f}", "")
        self._lines(TITLES[self.algorithm])
        names = [name for name in parameters.PARAMETERS[self.algorithm] if name not in parameters.CALIBRATION]
        if self.algorithm == "lbfgs":
            names = list(dict.fromkeys((*FIRST, *names)))
        self._settings(names)
        self._lines("")
        self._began = self._since = now

    def calibrating(self, samples: int) -> None:
        """Log that learning rates are tried out, on this number of sequences."""
        self._lines("Calibrating the learning rate (eta)")
        self._settings(parameters.CALIBRATION, {"calibration.samples": samples})

    def calibrated(self, eta: float, seconds: float) -> None:
        """Log the chosen learning rate."""
        self._since = time.perf_counter()
        self._lines(f"Best learning rate (eta): {eta:f}", f"Seconds required: {seconds:.3f}", "")

    def line(self, text: str) -> None:
        """Log one line."""
        self._lines(text)

    def evaluated(self, right: list[list[str]], predicted: list[list[str]]) -> float:
        """Keep the labels predicted for the holdout group; return the rank of the weights as their score."""
        self._holdout = right, predicted
        return self.rank

    def iteration(self, heading: str, *lines: str) -> None:
        """Log an iteration: its heading, its numbers, its seconds, the scores of the holdout group."""
        self._lines(f"***** {heading} *****", *lines)
        now = time.perf_counter()
        self._lines(f"Seconds required for this iteration: {now - self._since:.3f}")
        self._since = now
        if self._holdout is not None:
            self._performance(*self._holdout)
        self._lines("")

    def _performance(self, right: list[list[str]], predicted: list[list[str]]) -> None:
        pairs = [
            pair for one, other in zip(right, predicted, strict=True) for pair in zip(one, other, strict=True)
        ]
        self._lines("Performance by label (#match, #model, #ref) (precision, recall, F1):")
        every = np.zeros(3)
        for label in self._labels:
            match = sum(1 for pair in pairs if pair == (label, label))
            model = sum(1 for _, guess in pairs if guess == label)
            ref = sum(1 for gold, _ in pairs if gold == label)
            told = f"    {label}: ({match}, {model}, {ref})"
            if not ref:  # such a label counts as 0 in the means
                self._lines(f"{told} (******, ******, ******)")
                continue
            found = scores(match, model, ref)
            every += found
            self._lines(f"{told} ({', '.join(f'{score:.4f}' for score in found)})")
        means = ", ".join(f"{score:f}" for score in (every / max(len(self._labels), 1)).tolist())
        items = sum(gold == guess for gold, guess in pairs)
        whole = sum(one == other for one, other in zip(right, predicted, strict=True))
        self._lines(f"Macro-average precision, recall, F1: ({means})")
        self._lines(f"Item accuracy: {items} / {len(pairs)} ({items / max(len(pairs), 1):.4f})")
        self._lines(f"Instance accuracy: {whole} / {len(right)} ({whole / max(len(right), 1):.4f})")

    def trained(self) -> None:
        """Log the end of training."""
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
