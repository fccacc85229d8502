"""Training under watch: the development set, its metric, and everything else that fit is asked to do on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from seqlab import _core, inference
from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.errors import CorpusError, LabelError, OptionError, ShapeError
from seqlab.learning.monitor import Bar, Monitor, Weights, checked_callbacks, checked_patience
from seqlab.tagging.decoding import path_ids
from seqlab.tagging.door.dictionary import Allowed, TagDictionary
from seqlab.tagging.door.labels import read_gold
from seqlab.tagging.door.sentences import WORD_COLUMNS, read_sentences, vocabulary


class Weighted(Protocol):
    """A model that is its weights."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Their names, in order."""
        ...

    def with_theta(self, theta: Weights) -> Any:
        """The same model with other weights."""
        ...


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What fit was asked beside the data."""

    dev: Any
    metric: Any
    patience: Any
    callbacks: Any
    progress: bool

    def __post_init__(self) -> None:
        if self.dev is None and (self.metric is not None or self.patience is not None):
            raise OptionError("metric and patience look at a development set; pass one as dev=")
        checked_callbacks(self.callbacks)
        checked_patience(self.patience)

    def watch(self, judge: DevScorer | None, model: Weighted) -> Monitor:
        """A watch for the training of a model of this shape."""

        def judged(theta: Weights) -> float:
            return judge(model.with_theta(theta)) if judge is not None else 0.0

        return Monitor(
            None if judge is None else judged,
            None if judge is None else judge.name,
            checked_patience(self.patience),
            checked_callbacks(self.callbacks),
            Bar() if self.progress else None,
        )


def metric_number(name: str, score: Any) -> float:
    """Return what a metric gave, if it is a number."""
    number = isinstance(score, (int, float, np.number)) and not isinstance(score, bool)
    if not number or math.isnan(score):
        raise OptionError(f"metric {name!r} gave {score!r:.60}, but a number is wanted, larger is better")
    return float(score)


class DevScorer:
    """Scores models on a development set, encoded once.

    right    the right labels of its corpus
    decode   gives the numbers of the labels that a model says
    labels   all that it may say
    known    the words of training, or None
    """

    def __init__(
        self,
        corpus: Corpus,
        right: list[list[str]],
        decode: Callable[..., Any],
        metric: Any,
        *,
        labels: Sequence[str],
        known: frozenset[str] | None,
    ) -> None:
        self._corpus, self._right, self._decode, self._metric = corpus, right, decode, metric
        self._options: dict[str, Any] = {}
        if callable(metric):
            self.name = getattr(metric, "__name__", "metric")
            return
        figures = self._possible(labels)
        if known is not None and vocabulary(corpus) is not None:
            figures.append("unseen_accuracy")
        usual = "span_f1" if "span_f1" in figures else "accuracy"
        self.name = usual if metric is None else str(metric)
        if self.name not in figures:
            raise OptionError(
                f"metric must be a function or one of {', '.join(map(repr, figures))}, got {metric!r}"
            )
        if self.name == "unseen_accuracy":
            self._ask_unseen(known)

    def __call__(self, model: Weighted) -> float:
        """The score of a model: larger is better."""
        predicted = _core.gather_all(list(model.labels), self._decode(model), self._corpus.offsets)
        if callable(self._metric):
            return metric_number(self.name, self._metric(self._right, predicted))
        return float(self._figures(predicted)[self.name])

    def _possible(self, labels: Sequence[str]) -> list[str]:
        """The figures that any prediction has: those of spans only where all labels are tags."""
        from seqlab.evaluation import evaluate

        every = [*self._right, list(labels)]
        found = list(evaluate(every, every).figures)
        if "span_f1" not in found:
            self._options["scheme"] = None
        return found

    def _ask_unseen(self, known: frozenset[str] | None) -> None:
        name = next(name for name in WORD_COLUMNS if name in self._corpus.columns)
        self._options |= {"words": self._corpus.column(name), "known": known}
        if self.name not in self._figures(self._right):
            raise OptionError(
                f"metric={self.name!r}: training has seen every word of dev; choose another metric"
            )

    def _figures(self, predicted: Sequence[Sequence[str]]) -> dict[str, float]:
        from seqlab.evaluation import evaluate

        return dict(evaluate(self._right, predicted, **self._options).figures)


def dev_scorer(
    options: FitOptions,
    tagger: Any,
    column: str | None,
    encoder: Encoder,
    dictionary: TagDictionary | None,
    threads: int,
    *,
    labels: Sequence[str],
    known: frozenset[str] | None,
) -> DevScorer | None:
    """Who scores weights on the development set; None without one.

    labels   all that the model may say
    known    the words of training, or None
    """
    if options.dev is None:
        return None
    corpus, right = development(options.dev, tagger, column)
    encoded = encoder.encode(corpus, threads=threads).checked()
    mask = None if dictionary is None else dictionary.mask(corpus)

    def decode(model: Weighted) -> Any:
        allowed = None if mask is None else Allowed(mask)
        batch = tagger._batch_for_dev(model, encoded, allowed, threads)
        return path_ids(inference.viterbi(batch, threads=threads))

    return DevScorer(corpus, right, decode, options.metric, labels=labels, known=known)


def development(dev: Any, tagger: Any, column: str | None) -> tuple[Corpus, list[list[str]]]:
    """The corpus, and its right labels."""
    if isinstance(dev, tuple) and len(dev) == 2:
        X, y = dev
    else:
        X, y = dev, column
    if y is None:
        raise OptionError(
            f"dev must be (X, y) when fit was given lists, got {dev!r:.60}; a Corpus alone is enough after a Corpus"
        )
    try:
        corpus = read_sentences(X, words=tagger._reads_words, labelled=isinstance(y, str))
        gold = read_gold(corpus, y)
    except (CorpusError, LabelError, ShapeError) as error:
        raise error.inside("dev", option="dev") from error.__cause__
    if not corpus.token_count:
        raise ShapeError(
            f"dev has {len(corpus)} sentences and no token at all; leave it out, or give it some"
        )
    if gold.partial:
        raise ShapeError(
            "every token of dev needs one label: not None, and not several",
            place=gold.open_place(corpus.offsets)._replace(within=("dev",)),
            option="dev",
        )
    return corpus, _core.gather_all(list(gold.names), gold.ids, corpus.offsets)
