"""Data of a search: sentences to learn from and to be scored on, cut once for all trials, and the score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, ShapeError
from seqlab.tagging.sklearn import Estimator
from seqlab.tagging.training import metric_number
from seqlab.tags import Scheme
from seqlab.trellis import Constraints

Places = npt.NDArray[np.int64]
LEAST_SENTENCES = 10  # of the smallest part of successive halving


@dataclass(frozen=True)
class Data:
    """Sentences and their labels, as fit takes them; y is None where there are none."""

    X: Any
    y: Any

    def __len__(self) -> int:
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)

    def take(self, places: Places) -> Data:
        """Some of the sentences."""
        y = self.y if self.y is None or isinstance(self.y, str) else _taken(self.y, places)
        return Data(_taken(self.X, places), y)

    def gold(self) -> Any:
        """The right labels as lists; None where there are none."""
        if isinstance(self.y, str):
            return self.X.column(self.y) if isinstance(self.X, Corpus) else None
        return self.y


@dataclass(frozen=True)
class Split:
    """What one training learns from, in the order of which it may be given the beginning, and what it is scored on."""

    train: Data
    order: Places
    test: Data

    def beginning(self, share: float) -> Data:
        """A share of the sentences, in their own order; a larger share has all of a smaller one."""
        if share >= 1:
            return self.train
        count = min(len(self.order), max(LEAST_SENTENCES, round(share * len(self.order))))
        return self.train.take(np.sort(self.order[:count]))


def checked_data(X: Any, y: Any) -> Data:
    """X and y, which fit together."""
    if not (hasattr(X, "shape") or hasattr(X, "__len__")):
        raise ShapeError(f"X must be a Corpus, a list of sentences or an array, got {type(X).__name__}")
    data = Data(X, y)
    if y is not None and not isinstance(y, str) and len(y) != len(data):
        raise ShapeError(f"X has {len(data)} sentences and y has {len(y)}; one list of labels each is wanted")
    return data


def splits(data: Data, dev: Any, folds: int | None, seed: int) -> list[Split]:
    """One split for a development set, k for k folds, which chance makes."""
    if dev is not None and folds is not None:
        raise OptionError("dev= and folds= exclude each other: score on one set, or on each part in turn")
    generator = np.random.default_rng(seed)
    if dev is not None:
        return [Split(data, _shuffled(len(data), generator), _dev(dev, data.y))]
    count = 5 if folds is None else whole_number(folds, "folds", 2)
    if count > len(data):
        raise OptionError(f"folds={count}, but there are {len(data)} sentences; pass fewer folds")
    order = _shuffled(len(data), generator)
    found = []
    for part in np.array_split(order, count):
        rest = np.setdiff1d(order, part)
        train = data.take(rest)
        found.append(Split(train, _shuffled(len(train), generator), data.take(np.sort(part))))
    return found


def _dev(dev: Any, y: Any) -> Data:
    if isinstance(dev, tuple) and len(dev) == 2:
        return checked_data(*dev)
    if y is not None and not isinstance(y, str):
        raise OptionError(
            "dev must be (X, y) when y is a list of labels; a Corpus alone goes with a column name"
        )
    if isinstance(y, str) and isinstance(dev, Corpus):
        dev.strings(y)  # which says what columns there are
    return checked_data(dev, y)


def _shuffled(count: int, generator: np.random.Generator) -> Places:
    return generator.permutation(count).astype(np.int64)


def _taken(values: Any, places: Places) -> Any:
    if isinstance(values, Corpus):
        return values.take(places)
    if hasattr(values, "shape"):
        return values[places]
    return [values[i] for i in places.tolist()]


def narrow(model: Any, part: Data, rest: Iterable[Data]) -> Any:
    """The model, whose class_weight and constraints name no label that only the rest of the sentences has.

    A rare label may be in one fold alone. Without it in training there is nothing to weigh or to forbid; a label that
    no sentence has stays, and fit says so.
    """
    options = model.get_params(deep=False) if isinstance(model, Estimator) else {}
    named = {
        name: options[name] for name in ("class_weight", "constraints") if _names_labels(options.get(name))
    }
    if named:
        absent = set[str]().union(*map(_labels, rest)) - _labels(part)
        if absent:
            model.set_params(**{name: _without(absent, value) for name, value in named.items()})
    return model


def _names_labels(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, Scheme))


def _labels(data: Data) -> set[str]:
    found: set[str] = set()
    for labels in data.gold() or ():
        for label in labels:
            found.update(label if isinstance(label, (set, frozenset)) else (label,))
    return found


def _without(absent: set[str], value: Any) -> Any:
    if isinstance(value, Mapping):
        return {label: weight for label, weight in value.items() if label not in absent}
    if isinstance(value, Constraints):
        return replace(
            value,
            forbidden_moves=_moves(absent, value.forbidden_moves),
            forbidden_starts=_some(absent, value.forbidden_starts),
            forbidden_ends=_some(absent, value.forbidden_ends),
        )
    return _moves(absent, value)


def _moves(absent: set[str], moves: Any) -> Any:
    if not isinstance(moves, Iterable) or isinstance(moves, np.ndarray):  # fit knows what to say of it
        return moves
    return [move for move in moves if not isinstance(move, tuple) or absent.isdisjoint(move)]


def _some(absent: set[str], labels: Any) -> Any:
    if not isinstance(labels, Iterable) or isinstance(labels, (str, np.ndarray)):
        return labels
    return [label for label in labels if label not in absent]


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
