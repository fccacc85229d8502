"""Span scores of a report: the scheme, the treatment of invalid labels, and four ways to count.

strict          a span with the same start, end and type
lenient         a span of the same type that shares a position with it
type_only       as many spans of that type in the same sentence, anywhere
boundary_only   a span with the same start and end, of whatever type
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.errors import SchemeError
from seqlab.evaluation.scores import Counts, Paired, ScoreTable, score_table
from seqlab.shown import Brief
from seqlab.tags.coding import Bools, Coded, Places, parse, refuse_unreadable
from seqlab.tags.detection import detect_coded
from seqlab.tags.reading import Reading, check_repair, read
from seqlab.tags.schemes import Scheme

WAYS = ("strict", "lenient", "type_only", "boundary_only")


@dataclass(frozen=True, slots=True)
class Invalid:
    """Number of labels, spans and sentences of one side that break the scheme."""

    labels: int
    spans: int
    sentences: int


@dataclass(frozen=True, slots=True, repr=False)
class SpanReport(Brief):
    """Spans, counted in four ways (see docs/guide/evaluation.md).

    detected   True if the scheme was detected from the labels
    repair     "conlleval": spans with invalid labels were kept; "strict": they were dropped, on both sides
    strict, lenient, type_only, boundary_only   four tables; gold_invalid, predicted_invalid: bad labels
    """

    scheme: Scheme
    detected: bool
    repair: str
    gold_invalid: Invalid
    predicted_invalid: Invalid
    strict: ScoreTable
    lenient: ScoreTable
    type_only: ScoreTable
    boundary_only: ScoreTable

    @property
    def precision(self) -> float:
        """Strict precision, over all types."""
        return self.strict.precision

    @property
    def recall(self) -> float:
        """Strict recall, over all types."""
        return self.strict.recall

    @property
    def f1(self) -> float:
        """Strict F1, over all types: the figure that conlleval calls FB1."""
        return self.strict.f1


def choose_scheme(gold: Coded, scheme: Scheme | str | None, repair: str) -> Scheme | None:
    """Choose the given scheme, or the one that the gold labels follow; None for labels that are not tags."""
    if scheme is None:
        return None
    chosen = _detected(gold) if is_auto(scheme) else Scheme.of(scheme)
    if chosen is not None:
        check_repair(repair, chosen, none=False)
    return chosen


def is_auto(scheme: Scheme | str | None) -> bool:
    """Return True if the scheme is to be detected."""
    return isinstance(scheme, str) and scheme.strip().lower() == "auto"


def _detected(gold: Coded) -> Scheme | None:
    """Find it on the gold labels; the predicted ones must have the same form, and add letters they use."""
    found = detect_coded(gold)
    if found.scheme is None:
        used, codes = np.unique(gold.codes, return_inverse=True)
        alone = Coded([gold.values[i] for i in used], codes.astype(np.int32), gold.offsets)
        gold_scheme = detect_coded(alone).scheme
        if gold_scheme is not None:
            raise SchemeError(
                f"gold follows {gold_scheme}, but with predicted {found.reason}; correct them, or pass scheme=None "
                f"to compare labels without spans"
            )
    return found.scheme


def span_report(
    data: Paired, scheme: Scheme, repair: str, *, detected: bool
) -> tuple[SpanReport, dict[str, Counts]]:
    """Compare the spans of both sides: the report, and the counts of each sentence for resampling."""
    table = parse(data.gold.values, scheme)
    sides, invalid = [], []
    for side in (data.gold, data.predicted):
        refuse_unreadable(side, table, scheme)
        reading = read(side, table, scheme)
        hurt = len(np.unique(side.sequence_of[reading.bad]))
        invalid.append(Invalid(int(reading.bad.sum()), int(reading.bad_spans.sum()), hurt))
        sides.append(reading.kept(repair))
    gold, predicted = sides
    sentences = len(data.gold.offsets) - 1
    counts = {
        "gold_spans": np.bincount(gold.sequences, minlength=sentences),
        "predicted_spans": np.bincount(predicted.sequences, minlength=sentences),
    }
    tables = {}
    for way, match in MATCHES.items():
        correct, found = match(predicted, gold), match(gold, predicted)
        tables[way] = _table_of(gold, predicted, correct, found)
        counts[f"{way}_correct"] = np.bincount(predicted.sequences[correct], minlength=sentences)
        counts[f"{way}_found"] = np.bincount(gold.sequences[found], minlength=sentences)
    return SpanReport(scheme, detected, repair, invalid[0], invalid[1], **tables), counts


def _table_of(gold: Reading, predicted: Reading, correct: Bools, found: Bools) -> ScoreTable:
    """Score each type, in alphabetical order."""
    names = gold.type_names
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    counted = (gold.types, predicted.types, predicted.types[correct], gold.types[found])
    by_type = [np.bincount(types, minlength=len(names))[order] for types in counted]
    return score_table([names[i] for i in order], *by_type)


# ---------------------------------------------------------------- which spans match


def _same(spans: Reading, others: Reading) -> Bools:
    """Find spans that occur on both sides, with the same type."""
    same = _looked_up(others.start, others.types, spans.start) == spans.types
    return np.asarray(same & _same_bounds(spans, others))


def _same_bounds(spans: Reading, others: Reading) -> Bools:
    """Find spans that occur on both sides, of any type."""
    return np.asarray(_looked_up(others.start, others.end, spans.start) == spans.end)


def _looked_up(keys: Places, values: Any, wanted: Places) -> Places:
    """Look up the value of each wanted key, -1 where it is missing. No two spans of a side begin at one position."""
    found = np.full(max(keys.max(initial=0), wanted.max(initial=0)) + 1, -1, dtype=np.int64)
    found[keys] = values
    return found[wanted]


def _overlapped(spans: Reading, others: Reading) -> Bools:
    """Find spans that share a position with one of the same type on the other side.

    Each type gets a range of numbers of its own. Spans of a side do not overlap, so among those that begin before our
    end the last one reaches furthest.
    """
    if not len(others.start):
        return np.zeros(len(spans.start), dtype=bool)
    tokens = max(int(spans.end.max(initial=0)), int(others.end.max()))
    shift, other_shift = spans.types.astype(np.int64) * tokens, others.types.astype(np.int64) * tokens
    order = np.argsort(other_shift + others.start)
    starts, ends = (other_shift + others.start)[order], (other_shift + others.end)[order]
    last = np.searchsorted(starts, shift + spans.end) - 1
    return np.asarray((last >= 0) & (ends[last] > shift + spans.start))


def _counted(spans: Reading, others: Reading) -> Bools:
    """Find the first n spans of each type in each sentence, when the other side has n of them there."""
    key, other_key = (side.sequences * (len(spans.type_names) + 1) + side.types for side in (spans, others))
    other_key.sort()
    order = np.argsort(key, kind="stable")
    rank = np.zeros(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    available = np.searchsorted(other_key, key, side="right") - np.searchsorted(other_key, key)
    return np.asarray(rank < available)


MATCHES = {"strict": _same, "lenient": _overlapped, "type_only": _counted, "boundary_only": _same_bounds}
