"""What `seqlab train` says on the way."""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlab.cli.printing import counted, duration, size

if TYPE_CHECKING:
    from seqlab.cli.progress import Silent
    from seqlab.corpus import Corpus
    from seqlab.learning.history import Epoch, History

COLUMNS = 80
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


def corpus_facts(corpus: Corpus) -> dict[str, Any]:
    """How much was read, as data and as text."""
    sentences, tokens = counted(len(corpus), "sentence"), counted(corpus.token_count, "token")
    shown = corpus.columns if len(corpus.columns) <= 10 else (*corpus.columns[:9], "...")
    return {
        "file": corpus.name,
        "sentences": len(corpus),
        "tokens": corpus.token_count,
        "columns": list(corpus.columns),
        "format": corpus.layout.format,
        "text": f"{sentences}, {tokens}, columns {' '.join(shown)}",
    }


def labels_line(corpus: Corpus, label: str) -> str:
    """How many labels there are, and the first of them."""
    names = sorted(set(corpus.strings(label).compact().values))
    text = f"{len(names)} in column {label}: {' '.join(names)}"
    return textwrap.shorten(text, COLUMNS - 10, placeholder=" ...")


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


def settings_lines(tagger: Any) -> Iterator[str]:
    """The call in Python that makes the same tagger, over as many lines as it takes."""
    shown = _without_template(repr(tagger))
    lines = textwrap.wrap(shown, COLUMNS - 10, break_long_words=False, break_on_hyphens=False)
    for i, line in enumerate(lines):
        yield f"{'model' if i == 0 else '':<10}{line}"


def _without_template(text: str) -> str:
    """A template is pages long, and has its own line."""
    return (
        text
        if "Template(" not in text
        else text.partition("features=Template(")[0] + "features=<template>, ..."
    )


class EpochTable:
    """A callback: one line an epoch, under a head that fits the first one.

    limit   epochs that there will be, unless training ends earlier; None when nobody knows
    """

    def __init__(self, screen: Silent, limit: int | None = None) -> None:
        self._screen = screen
        self._limit = limit
        self._began = time.perf_counter()
        self._last: int | None = None
        self._further: tuple[str, ...] = ()

    def __call__(self, epoch: Epoch) -> None:
        """Show an epoch."""
        if self._last is None:
            self._further = tuple(name for name in FURTHER if name in epoch.more)
            self._screen.line(self._head(epoch))
            self._screen.step("training", self._limit)
        elif epoch.iteration <= self._last:
            self._screen.line("from here on with order 2")
        self._last = epoch.iteration
        self._screen.advance(1, f"iteration {epoch.iteration}")
        self._screen.line(self._row(epoch))

    def _head(self, epoch: Epoch) -> str:
        names = [f"{'iteration':>9}"]
        names += [f"{'objective':>13}"] if epoch.objective is not None else []
        names += [f"{'gradient':>10}"] if epoch.gradient_norm is not None else []
        names += [f"{name.replace('_', ' '):>12}" for name in self._further]
        names += [f"{'weights':>10}"] if epoch.active is not None else []
        names += [f"{'dev score':>10}"] if epoch.dev_score is not None else []
        return " ".join([*names, f"{'seconds':>8}"])

    def _row(self, epoch: Epoch) -> str:
        cells = [f"{epoch.iteration:>9}"]
        cells += [f"{epoch.objective:>13.4f}"] if epoch.objective is not None else []
        cells += [f"{epoch.gradient_norm:>10.3g}"] if epoch.gradient_norm is not None else []
        cells += [_further(epoch.more.get(name)) for name in self._further]
        cells += [f"{epoch.active:>10}"] if epoch.active is not None else []
        cells += [f"{epoch.dev_score:>10.4f}"] if epoch.dev_score is not None else []
        return " ".join([*cells, f"{time.perf_counter() - self._began:>8.1f}"])


def _further(value: float | None) -> str:
    if value is None:
        return f"{'':>12}"
    return f"{value:>12.0f}" if float(value).is_integer() else f"{value:>12.4g}"


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
