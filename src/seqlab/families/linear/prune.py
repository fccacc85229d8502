"""Taggers made smaller, and what that costs."""

from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np

from seqlab.errors import OptionError, StoreError
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.pruned_model import Rule, larger_than, largest, pruned
from seqlab.store.packing import check_dtype
from seqlab.store.state import State
from seqlab.tagging.dev import Judged, development
from seqlab.tagging.record import optional
from seqlab.threads import thread_count

Some = TypeVar("Some")


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What pruning saved, and what it lost; str() says it in one line.

    weights_before, weights_after         of attributes and of moves, all that the model has
    attributes_before, attributes_after   that the encoder knows, those of label pairs too
    bytes_before, bytes_after             of the arrays in the model file; None for a tagger that cannot be saved
    storage                               how the file holds the weights
    metric                                what was measured on `dev`; None without one, and then the scores are None
    score_before, score_after             larger is better
    """

    weights_before: int
    weights_after: int
    attributes_before: int
    attributes_after: int
    bytes_before: int | None
    bytes_after: int | None
    storage: str
    metric: str | None = None
    score_before: float | None = None
    score_after: float | None = None

    @property
    def loss(self) -> float | None:
        """How much lower the score is; below 0 where pruning helped. None without `dev`."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_before - self.score_after

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings by name."""
        return asdict(self)

    @staticmethod
    def from_dict(data: dict[str, Any]) -> PruneReport:
        """What `to_dict` gave, if it is that."""
        given = State("pruned", data)
        storage = given.setting("storage", str)
        check_dtype(storage)
        counts = {name: given.number(name, 0, 2**62) for name in _COUNTS}
        sizes = {name: optional(given, name, int) for name in ("bytes_before", "bytes_after")}
        scores = {name: optional(given, name, float) for name in ("score_before", "score_after")}
        return PruneReport(
            **counts, **sizes, storage=storage, metric=optional(given, "metric", str), **scores
        )

    def __str__(self) -> str:
        share = self.weights_after / self.weights_before if self.weights_before else 1.0
        size = ""
        if self.bytes_before is not None and self.bytes_after is not None:
            size = f", {_size(self.bytes_before)} -> {_size(self.bytes_after)} as {self.storage}"
        return (
            f"{self.weights_before:,} -> {self.weights_after:,} weights ({share:.1%}){size}; "
            f"{self._loss_in_words()}"
        )

    def _loss_in_words(self) -> str:
        if self.loss is None:
            return "loss of accuracy not measured (pass dev=)"
        change = f"{self.metric} {self.score_before:.4f} -> {self.score_after:.4f}"
        if self.loss == 0:
            return f"{change} (no loss)"
        return f"{change} ({'loss' if self.loss > 0 else 'gain'} {abs(self.loss):.4f})"


_COUNTS = ("weights_before", "weights_after", "attributes_before", "attributes_after")


def _size(count: int) -> str:
    for unit, large in (("MB", 1e6), ("kB", 1e3)):
        if count >= large:
            return f"{count / large:.1f} {unit}"
    return f"{count} bytes"


def prune(
    tagger: Some, *, threshold: float | None, keep: float | None, storage: str, dev: Any, metric: Any
) -> Some:
    """The tagger with fewer or shorter weights; see LinearTagger.prune."""
    rule = _rule(threshold, keep)
    if not isinstance(storage, str):
        raise OptionError(f"storage must be the name of a dtype such as 'float16', got {storage!r}")
    check_dtype(storage)
    if dev is None and metric is not None:
        raise OptionError("metric looks at a development set; pass one as dev=")
    old: Any = tagger
    less = pruned(old.model_, rule, storage)
    new: Any = copy(old)
    new.model_ = less.model
    edge_kept = less.edge_kept if less.model.edge is not None else None
    new.encoder_ = old.encoder_.restricted(less.kept, edge_kept)
    new.pruned_ = _report(old, new, storage)
    if dev is not None:
        new.pruned_ = _scored(new.pruned_, old, new, dev, metric)
    made: Some = new
    return made


def _rule(threshold: Any, keep: Any) -> Rule:
    if keep is None:
        given = 0.0 if threshold is None else threshold
        if not _is_number(given) or not 0 <= given < np.inf:
            raise OptionError(f"threshold must be a number from 0 up, got {threshold!r}")
        return larger_than(float(given))
    if threshold is not None:
        raise OptionError(
            f"threshold={threshold!r} and keep={keep!r} both say which weights stay; pass one of them"
        )
    whole = isinstance(keep, (int, np.integer)) and not isinstance(keep, bool)
    if whole and keep >= 0:
        return largest(int(keep))
    if not whole and _is_number(keep) and 0 <= keep <= 1:
        return largest(float(keep))
    raise OptionError(
        f"keep must be how many weights stay (an int), or their share (a float from 0.0 to 1.0), got {keep!r}"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _report(old: Any, new: Any, storage: str) -> PruneReport:
    """All but the scores; `new` is told at once how its file is to be written."""
    report = PruneReport(
        _weights(old.model_),
        _weights(new.model_),
        old.encoder_.size + old.encoder_.edge_size,
        new.encoder_.size + new.encoder_.edge_size,
        _bytes(old),
        None,
        storage,
    )
    new.pruned_ = report
    return replace(report, bytes_after=_bytes(new))


def _weights(model: LinearModel) -> int:
    return model.size + (0 if model.coarse is None else model.coarse.size)


def _bytes(tagger: Any) -> int | None:
    try:
        state: State = tagger.state()
    except StoreError:  # features of a nameless function, for example: no reason not to prune
        return None
    return sum(array.nbytes for array in state.arrays.values())


def _scored(report: PruneReport, old: Any, new: Any, dev: Any, metric: Any) -> PruneReport:
    corpus, right = development(dev, old, old.column_)
    threads = thread_count(old.threads)

    def score(tagger: Any) -> tuple[str, float]:
        ids = tagger._label_ids(corpus, threads)
        judge = Judged(corpus, right, lambda _: ids, metric, labels=old.labels_, known=old.vocabulary_)
        return judge.name, judge(tagger.model_)

    (name, before), (_, after) = score(old), score(new)
    return replace(report, metric=name, score_before=before, score_after=after)
