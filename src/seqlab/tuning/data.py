"""Data of a search: training and held-out sentences, split once for all trials, and the score."""

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
LEAST_SENTENCES = 10  # smallest training set in successive halving
OWN = "score"  # model.score(X)
SHARES = ("accuracy", "unseen_accuracy", "sentence_accuracy")  # 1 - figure is an error


@dataclass(frozen=True)
class Data:
    """Sentences and their labels, as fit takes them; y is None where there are none."""

    X: Any
    y: Any

    def __len__(self) -> int:
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)

    def take(self, places: Places) -> Data:
        """Return some of the sentences."""
        y = self.y if self.y is None or isinstance(self.y, str) else _taken(self.y, places)
        return Data(_taken(self.X, places), y)

    def gold(self) -> Any:
        """Return the gold labels as lists; None if there are none, or if only fit can find them."""
        if isinstance(self.y, str):
            return self.X.column(self.y) if isinstance(self.X, Corpus) else None
        return self.y

    def compared(self, model: Any) -> tuple[Any, Any]:
        """Return the gold labels and those of a model."""
        gold = self.gold()
        if gold is None:
            raise OptionError("y names a column, so X must be a Corpus that has it")
        return gold, model.predict(self.X)


def _taken(values: Any, places: Places) -> Any:
    if isinstance(values, Corpus):
        return values.take(places)
    return values[places] if hasattr(values, "shape") else [values[i] for i in places.tolist()]


@dataclass(frozen=True)
class Split:
    """Training sentences, in an order of which a prefix may be used, and the sentences for scoring."""

    train: Data
    order: Places
    test: Data

    def beginning(self, share: float) -> Data:
        """Return a share of the sentences, in their order; a larger share contains a smaller one."""
        if share >= 1:
            return self.train
        count = min(len(self.order), max(LEAST_SENTENCES, round(share * len(self.order))))
        return self.train.take(np.sort(self.order[:count]))


def checked_data(X: Any, y: Any) -> Data:
    """Check that X and y fit together."""
    if not (hasattr(X, "shape") or hasattr(X, "__len__")) or getattr(X, "ndim", 1) == 0:
        raise ShapeError(f"X must be a Corpus, a list of sentences or an array, got {type(X).__name__}")
    if not (y is None or hasattr(y, "__len__")) or getattr(y, "ndim", 1) == 0:
        raise ShapeError(
            f"y must be a column, a list of labels for every sentence or an array, got {y!r:.60}"
        )
    data = Data(X, y)
    if y is not None and not isinstance(y, str) and len(y) != len(data):
        raise ShapeError(f"X has {len(data)} sentences and y has {len(y)}; one list of labels each is wanted")
    if isinstance(y, str) and isinstance(X, Corpus):
        X.strings(y, missing=True)  # raises an error that lists the columns
    return data


def _documents(data: Data, by: str) -> Places:
    """Return the document number of each sentence, (N,)."""
    if by != "document" or not isinstance(data.X, Corpus):
        raise OptionError(f"by must be 'document', for a Corpus, or None, got {by!r:.60}", option="by")
    return data.X.documents


def splits(data: Data, dev: Any, folds: int | None, seed: int, by: str | None = None) -> list[Split]:
    """Make one split for a development set, or k random folds of sentences, or of documents (by="document")."""
    if dev is not None and folds is not None:
        raise OptionError("dev= and folds= exclude each other: score on one set, or on each part in turn")
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(data))
    if dev is not None:
        pair = isinstance(dev, tuple) and len(dev) == 2
        if not pair and not isinstance(data.y, (str, type(None))):
            raise OptionError(
                "dev must be (X, y) when y is a list of labels; a Corpus alone goes with a column name"
            )
        return [Split(data, order, checked_data(*dev) if pair else checked_data(dev, data.y))]
    count = 5 if folds is None else whole_number(folds, "folds", 2)
    units = np.arange(len(data)) if by is None else _documents(data, by)
    different = np.unique(units)
    if count > len(different):
        what = "sentences" if by is None else "documents"
        raise OptionError(f"folds={count}, but there are {len(different)} {what}; pass fewer folds")
    parts = np.array_split(order, count)
    if by is not None:
        dealt = np.array_split(generator.permutation(different), count)
        parts = [np.flatnonzero(np.isin(units, some)) for some in dealt]
    found = []
    for part in parts:
        train = data.take(np.setdiff1d(order, part))
        found.append(Split(train, generator.permutation(len(train)), data.take(np.sort(part))))
    return found


def narrow(model: Any, part: Data, rest: Iterable[Data]) -> None:
    """Remove labels that do not occur in the training sentences from class_weight and constraints of a model.

    A rare label may be in one fold alone. Without it in training there is nothing to weigh or to forbid; a label that
    no sentence has stays, and fit says so.
    """
    options = model.get_params(deep=False) if isinstance(model, Estimator) else {}
    named = {name: options.get(name) for name in ("class_weight", "constraints")}
    named = {name: value for name, value in named.items() if not isinstance(value, (str, Scheme, type(None)))}
    absent = set[str]().union(*map(_labels, rest)) - _labels(part) if named else None
    if absent:
        model.set_params(**{name: _without(absent, value) for name, value in named.items()})


def _labels(data: Data) -> set[str]:
    found: set[str] = set()
    for labels in data.gold() or ():
        for label in labels:
            found.update(label if isinstance(label, (set, frozenset)) else (label,))
    return found


def _without(absent: set[str], value: Any) -> Any:
    """Remove labels, and pairs that have one of them."""
    if isinstance(value, Mapping):
        return {label: weight for label, weight in value.items() if label not in absent}
    if isinstance(value, Constraints):
        names = ("forbidden_moves", "forbidden_starts", "forbidden_ends")
        return replace(value, **{name: _without(absent, getattr(value, name)) for name in names})
    if not isinstance(value, Iterable) or isinstance(value, (str, np.ndarray)):  # fit raises the error
        return value
    return [
        one
        for one in value
        if not isinstance(one, (str, tuple)) or absent.isdisjoint((one,) if isinstance(one, str) else one)
    ]


@dataclass(frozen=True)
class Scorer:
    """A score of fitted models; larger is better.

    name       of the figure
    function   (gold labels, predicted labels) -> number, or None for a figure of the report, or the model's own
    """

    name: str
    function: Callable[[Any, Any], Any] | None = None

    @property
    def is_share(self) -> bool:
        """Return True if it lies between 0 and 1, so that 1 - score is an error rate."""
        return self.function is None and (
            self.name in SHARES or self.name.startswith("span_") or self.name.endswith("_f1")
        )

    def __call__(self, model: Any, data: Data) -> float:
        """Compute the score of a fitted model on sentences; NaN where it has no meaning there."""
        if self.function is not None:
            return metric_number(self.name, self.function(*data.compared(model)))
        if self.name == OWN:
            own = model.score(data.X) if data.y is None else model.score(data.X, data.y)
            return metric_number(self.name, own)
        return float(report_of(model, data).figures.get(self.name, math.nan))


def report_of(model: Any, data: Data, **options: Any) -> Any:
    """Evaluate a fitted model on sentences, with scores on unseen words if its vocabulary is known."""
    from seqlab.evaluation import evaluate

    if hasattr(model, "evaluate"):
        return model.evaluate(data.X, data.y, **options)
    return evaluate(*data.compared(model), **options)


def scorer_of(metric: Any, model: Any, data: Data) -> Scorer:
    """Find the requested score; None means span_f1 where labels are tags, accuracy for other labels."""
    from seqlab.evaluation import evaluate

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
    gold, known = data.gold(), ["accuracy"]
    if gold is not None and all(isinstance(label, str) for labels in gold for label in labels):
        known = [*evaluate(gold, gold).figures, "unseen_accuracy"]
    if metric is None:
        return Scorer("span_f1" if "span_f1" in known else "accuracy")
    if metric not in known:
        listed = ", ".join(map(repr, known))
        raise OptionError(f"metric must be a function, 'score', or one of {listed}, got {metric!r}")
    return Scorer(str(metric))
