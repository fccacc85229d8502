"""Print a line per epoch of training, and why training ended."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from seqlab import learning
from seqlab.cli.terminal import Screen, counted, duration, table

REASONS = {
    "gradient": "converged: the gradient is small",
    "value": "converged: the objective no longer falls",
    "iterations": "the limit of iterations",
    "epochs": "the limit of epochs",
    "patience": "no better score on the development set",
    "interrupted": "interrupted, the best so far is kept",
    "no mistakes": "no mistakes left",
    "no loss": "no loss left",
    "gap": "converged: the duality gap is small",
    "no progress": "no further progress",
}
FURTHER = ("mistakes", "loss", "duality_gap", "rate", "bytes")  # numbers of a learner that get a column
# Columns of the table: heading, width, format of a number.
SHOWN = {
    "objective": ("objective", 13, ".4f"),
    "gradient_norm": ("gradient", 10, ".3g"),
    **{name: (name.replace("_", " "), 12, "") for name in FURTHER},
    "active": ("weights", 10, ""),
    "dev_score": ("dev score", 10, ".4f"),
}


class EpochTable:
    """Callback that prints one line per epoch below a header; the header is printed again when a column is added.

    limit   largest number of epochs; None if unknown
    """

    def __init__(self, screen: Screen, limit: int | None = None) -> None:
        self._screen, self._limit, self._began = screen, limit, time.perf_counter()
        self._last: int | None = None
        self._shown: set[str] = set()  # numbers with a column in the header

    def __call__(self, epoch: learning.Epoch) -> None:
        """Show an epoch."""
        known = {name: epoch.more.get(name) if name in FURTHER else getattr(epoch, name) for name in SHOWN}
        there = {name for name, value in known.items() if value is not None}
        # Some learners compute their objective only in some epochs, not in the first.
        if not there <= self._shown:
            self._shown |= there
            heads = (f"{SHOWN[name][0]:>{SHOWN[name][1]}}" for name in SHOWN if name in self._shown)
            self._screen.line(" ".join([f"{'iteration':>9}", *heads, f"{'seconds':>8}"]))
        if self._last is None:
            self._screen.step("training", self._limit)
        elif epoch.iteration < self._last:  # one iteration is told twice where float64 takes over
            self._screen.line("from here on with a higher order")
        self._last = epoch.iteration
        self._screen.advance(1, f"iteration {epoch.iteration}")
        columns = [(name, *SHOWN[name][1:]) for name in SHOWN if name in self._shown]
        cells = (_cell(known[name], width, form) for name, width, form in columns)
        seconds = f"{time.perf_counter() - self._began:>8.1f}"
        self._screen.line(" ".join([f"{epoch.iteration:>9}", *cells, seconds]))


def _cell(value: float | None, width: int, form: str) -> str:
    if value is None:
        return " " * width
    return f"{value:>{width}{form or ('.0f' if float(value).is_integer() else '.4g')}}"


def ended(model: Any, seconds: float) -> str:
    """Report why the training of a model ended, and which weights were kept."""
    history: Any = getattr(model, "history_", None)
    ranking: Any = getattr(model, "learned_", None)
    if ranking is not None:
        why, last = REASONS.get(ranking.reason, ranking.reason), counted(ranking.iterations, "iteration")
        return f"\nended     after {last} ({duration(seconds)}), {why}"
    if hasattr(history, "converged"):  # the history of a mixture
        why = REASONS["value" if history.converged else "epochs"]
        last = counted(len(history.log_likelihood) - 1, "epoch")
        told = f"log-likelihood {history.log_likelihood[-1]:.4f}"
        return f"\nended     after {last} ({duration(seconds)}), {why}\n          {told}"
    if history is None or not len(history):
        return f"\n{'learned' if hasattr(model, 'classifier_') else 'counted'} in {duration(seconds)}"
    why = REASONS.get(history.reason, history.reason)
    text = f"\nended     after {counted(history[-1].iteration, 'iteration')} ({duration(seconds)}), {why}"
    if history.metric is not None and history.best is not None:
        score = next(e.dev_score for e in reversed(history.epochs) if e.iteration == history.best)
        text += f"\nbest      iteration {history.best}, {history.metric} {score:.4f}"
    return text


def runs(histories: Sequence[learning.History], kept: learning.History) -> str:
    """Lay out a table of restarts; a star marks the one whose model was kept."""
    rows = []
    for number, one in enumerate(histories):
        last = one[-1] if len(one) else None
        score = next((epoch.dev_score for epoch in one if epoch.iteration == one.best), None)
        rows.append(
            [
                f"{'*' if one is kept else ' '} {number}",
                "" if last is None else str(last.iteration),
                "" if last is None or last.objective is None else f"{last.objective:.4f}",
                *([] if one.metric is None or score is None else [f"{score:.4f}"]),
                REASONS.get(one.reason, one.reason),
            ]
        )
    head = ["  run", "iterations", "objective", *(["dev score"] if kept.metric else []), ""]
    return table(head, rows, indent=0)
