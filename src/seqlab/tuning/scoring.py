"""What counts: a figure of the report, a function, or the model's own score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seqlab.errors import OptionError
from seqlab.tagging.dev import metric_number
from seqlab.tuning.parts import Data

OWN = "score"  # model.score(X)
SHARES = ("accuracy", "unseen_accuracy", "sentence_accuracy")  # 1 - figure is an error


@dataclass(frozen=True)
class Scorer:
    """Scores fitted models; larger is better.

    name       of the figure
    function   (right labels, predicted labels) -> number, or None for a figure of the report, or the model's own
    """

    name: str
    function: Callable[[Any, Any], Any] | None = None

    @property
    def is_share(self) -> bool:
        """Whether it lies between 0 and 1, so that 1 - score is an error."""
        return self.function is None and (
            self.name in SHARES or self.name.startswith("span_") or self.name.endswith("_f1")
        )

    def __call__(self, model: Any, data: Data) -> float:
        """The score of a fitted model on sentences; NaN where it has no meaning there."""
        if self.function is not None:
            return metric_number(self.name, self.function(_lists(data), model.predict(data.X)))
        if self.name == OWN:
            return metric_number(
                self.name, model.score(data.X) if data.y is None else model.score(data.X, data.y)
            )
        figures = _figures(model, data)
        return float(figures.get(self.name, math.nan))


def scorer_of(metric: Any, model: Any, data: Data) -> Scorer:
    """The figure that was asked for; None means span_f1 where labels are tags, accuracy for other labels."""
    if callable(metric):
        if data.y is None:
            raise OptionError("a function as metric compares labels with labels, but y is None")
        return Scorer(getattr(metric, "__name__", "metric"), metric)
    labelled = data.y is not None and hasattr(model, "predict")
    if not labelled or metric == OWN:
        if metric not in (None, OWN):
            raise OptionError(f"metric={metric!r} compares labels, but there are none; leave it out")
        if not hasattr(model, "score"):
            raise OptionError(f"{type(model).__name__} has no score(X); pass a function as metric")
        return Scorer(OWN)
    known = _known(data)
    if metric is None:
        return Scorer("span_f1" if "span_f1" in known else "accuracy")
    if metric not in known:
        listed = ", ".join(map(repr, known))
        raise OptionError(f"metric must be a function, 'score', or one of {listed}, got {metric!r}")
    return Scorer(str(metric))


def _known(data: Data) -> list[str]:
    """The figures that a report on these labels has."""
    from seqlab.evaluation import evaluate

    gold = data.gold()
    if gold is None or any(not isinstance(label, str) for labels in gold for label in labels):
        return ["accuracy"]
    return [*evaluate(gold, gold).figures, "unseen_accuracy"]


def _figures(model: Any, data: Data) -> dict[str, float]:
    if hasattr(model, "evaluate"):
        return dict(model.evaluate(data.X, data.y).figures)
    from seqlab.evaluation import evaluate

    return dict(evaluate(_lists(data), model.predict(data.X)).figures)


def _lists(data: Data) -> Any:
    gold = data.gold()
    if gold is None:
        raise OptionError("y names a column, so X must be a Corpus that has it")
    return gold
