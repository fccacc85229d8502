"""Taggers made smaller, and what that costs."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from seqlab.errors import OptionError, StoreError
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.prune_report import PruneReport
from seqlab.families.linear.pruned_model import Rule, larger_than, largest, pruned
from seqlab.store.packing import check_dtype
from seqlab.store.state import State
from seqlab.tagging.dev import DevScorer, development
from seqlab.threads import thread_count

Some = TypeVar("Some")


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
    edge_kept = less.edge_kept if less.model.edge is not None else None
    new.fit_ = old.fit_.with_model(less.model, old.encoder_.restricted(less.kept, edge_kept))
    report = _report(old, new, storage)
    if dev is not None:
        report = _scored(report, old, new, dev, metric)
    new.fit_ = replace(new.fit_, pruned=report)
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
    """Report all but the scores."""
    return PruneReport(
        _weights(old.model_),
        _weights(new.model_),
        old.encoder_.size + old.encoder_.edge_size,
        new.encoder_.size + new.encoder_.edge_size,
        _bytes(old),
        _bytes(new),
        storage,
    )


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
        judge = DevScorer(corpus, right, lambda _: ids, metric, labels=old.labels_, known=old.vocabulary_)
        return judge.name, judge(tagger.model_)

    (name, before), (_, after) = score(old), score(new)
    return replace(report, metric=name, score_before=before, score_after=after)
