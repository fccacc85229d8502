"""What `seqlab train` says on the way."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlab.cli.terminal.printing import counted, duration, size

if TYPE_CHECKING:
    from seqlab.cli.terminal.progress import Silent
    from seqlab.corpus import Corpus
    from seqlab.learning.history import Epoch, History

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
FURTHER = ("mistakes", "loss", "duality_gap", "rate")  # numbers of a learner's own that are worth a column
# Columns of the table: heading, width, format of a number.
SHOWN = {
    "objective": ("objective", 13, ".4f"),
    "gradient_norm": ("gradient", 10, ".3g"),
    **dict.fromkeys(FURTHER, ("", 12, "")),
    "active": ("weights", 10, ""),
    "dev_score": ("dev score", 10, ".4f"),
}


def odd_labels(corpus: Corpus, label: str) -> Iterator[str]:
    """Warnings of a label that all tokens have, mostly the wrong column, and of one without a name, an empty cell."""
    import numpy as np

    column = corpus.strings(label)
    used = np.unique(column.codes)
    if len(used) == 1:
        others = ", ".join(name for name in corpus.columns if name != label)
        yield f"warning   every token has the label {column.values[used[0]]!r}; --label names another column: {others}"
    blank = [code for code, value in enumerate(column.values) if not value.strip()]
    tokens = np.flatnonzero(np.isin(column.codes, blank))
    if len(tokens):
        sentence = int(np.searchsorted(corpus.offsets, tokens[0], side="right")) - 1
        place = corpus.place(sentence, int(tokens[0] - corpus.offsets[sentence]))
        yield f"warning   {counted(len(tokens), 'token')} without a label, the first at {place}"


class EpochTable:
    """A callback: one line an epoch, under a head that fits the first one.

    limit   epochs that there will be, unless training ends earlier; None when nobody knows
    """

    def __init__(self, screen: Silent, limit: int | None = None) -> None:
        self._screen = screen
        self._limit = limit
        self._began = time.perf_counter()
        self._last: int | None = None
        self._columns: list[str] = []

    def __call__(self, epoch: Epoch) -> None:
        """Show an epoch."""
        if self._last is None:
            self._columns = [name for name in SHOWN if _value(epoch, name) is not None]
            heads = (
                f"{SHOWN[name][0] or name.replace('_', ' '):>{SHOWN[name][1]}}" for name in self._columns
            )
            self._screen.line(" ".join([f"{'iteration':>9}", *heads, f"{'seconds':>8}"]))
            self._screen.step("training", self._limit)
        elif epoch.iteration <= self._last:
            self._screen.line("from here on with order 2")
        self._last = epoch.iteration
        self._screen.advance(1, f"iteration {epoch.iteration}")
        # Some learners know their objective now and then only, and not at first.
        late = [name for name in SHOWN if name not in FURTHER and _value(epoch, name) is not None]
        shown = (name for name in SHOWN if name in self._columns or name in late)
        cells = (_cell(_value(epoch, name), *SHOWN[name][1:]) for name in shown)
        seconds = f"{time.perf_counter() - self._began:>8.1f}"
        self._screen.line(" ".join([f"{epoch.iteration:>9}", *cells, seconds]))


def _value(epoch: Epoch, name: str) -> float | None:
    return epoch.more.get(name) if name in FURTHER else getattr(epoch, name)


def _cell(value: float | None, width: int, form: str) -> str:
    if value is None:
        return " " * width
    return f"{value:>{width}{form or ('.0f' if float(value).is_integer() else '.4g')}}"


def ended(history: History | None, seconds: float) -> str:
    """Why training ended, and which weights were kept."""
    if history is None or not len(history):
        return f"\ncounted in {duration(seconds)}"
    why = REASONS.get(history.reason, history.reason)
    text = f"\nended     after {counted(history[-1].iteration, 'iteration')} ({duration(seconds)}), {why}"
    if history.metric is not None and history.best is not None:
        score = next(e.dev_score for e in reversed(history.epochs) if e.iteration == history.best)
        text += f"\nbest      iteration {history.best}, {history.metric} {score:.4f}"
    return text


def saved_line(path: str, count: int, tagger: Any) -> str:
    """Where the model went, and how large it is."""
    more = ""
    if hasattr(tagger, "top_features"):
        more = f", {tagger.encoder_.size:,} attributes, {tagger.model_.size:,} weights"
    return f"saved     {path}\n          {size(count)}{more}"


def record_of(settings: argparse.Namespace, train: Corpus, label: str) -> dict[str, Any]:
    """What a model file shall tell about its making; `seqlab inspect` shows it."""
    given = {
        name: value
        for name, value in vars(settings).items()
        if value not in (None, []) and name not in {"parser", "command", "files", "json", "quiet", "output"}
    }
    return {
        "files": [str(name) for name in settings.files],
        "sentences": len(train),
        "tokens": train.token_count,
        "columns": list(train.columns),
        "label": label,
        "given": {
            name: value if isinstance(value, (int, float)) else _text(value) for name, value in given.items()
        },
    }


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(_text(one) for one in value)
    if isinstance(value, dict):
        return ",".join(f"{name}={one}" for name, one in value.items())
    return str(value)
