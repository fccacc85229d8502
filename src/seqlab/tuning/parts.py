"""Sentences to learn from and sentences to be scored on: cut once, the same for every trial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, ShapeError

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
