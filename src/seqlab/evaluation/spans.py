"""The span part of a report: which scheme, how invalid labels were treated, and four ways to count.

strict          a span with the same start, end and type
lenient         a span of the same type that shares a position with it
type_only       as many spans of that type in the same sentence, wherever they stand
boundary_only   a span with the same start and end, of whatever type
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from seqlab.errors import SchemeError
from seqlab.evaluation.inputs import Paired
from seqlab.evaluation.scores import Counts, ScoreTable, score_table
from seqlab.tags.coding import Bools, Coded, Codes, LabelTable, Places, parse, refuse_unreadable
from seqlab.tags.detection import detect_coded
from seqlab.tags.reading import Reading, check_repair, read
from seqlab.tags.schemes import Scheme

WAYS = ("strict", "lenient", "type_only", "boundary_only")


@dataclass(frozen=True, slots=True)
class Invalid:
    """How much of one side breaks the scheme."""

    labels: int
    spans: int
    sentences: int


@dataclass(frozen=True, slots=True)
class SpanReport:
    """Spans, counted in four ways (see docs/guide/evaluation.md).

    detected   whether the scheme was found by looking at the labels
    repair     "conlleval": spans with invalid labels were kept; "strict": they were dropped, on both sides
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
        """Strict, over all types."""
        return self.strict.precision

    @property
    def recall(self) -> float:
        """Strict, over all types."""
        return self.strict.recall

    @property
    def f1(self) -> float:
        """Strict, over all types: the figure that conlleval calls FB1."""
        return self.strict.f1


def choose_scheme(data: Paired, scheme: Scheme | str | None, repair: str) -> Scheme | None:
    """The scheme that was given, or the one that the gold labels follow; None for labels that are no tags."""
    if scheme is None:
        return None
    chosen = _detected(data) if is_auto(scheme) else Scheme.of(scheme)
    if chosen is not None:
        check_repair(repair, chosen, none=False)
    return chosen


def is_auto(scheme: Scheme | str | None) -> bool:
    """Whether the scheme is to be found by looking at the labels."""
    return isinstance(scheme, str) and scheme.strip().lower() == "auto"


def _detected(data: Paired) -> Scheme | None:
    """Found on the gold labels; the predicted ones must have the same form, and add letters they use."""
    found = detect_coded(data.gold)
    if found.scheme is not None:
        return found.scheme
    used = np.unique(data.gold.codes)
    alone = Coded(
        [data.gold.values[i] for i in used],
        np.searchsorted(used, data.gold.codes).astype(np.int32),
        data.gold.offsets,
    )
    gold_scheme = detect_coded(alone).scheme
    if gold_scheme is not None:
        raise SchemeError(
            f"gold follows {gold_scheme}, but with predicted {found.reason}; correct them, or pass scheme=None "
            f"to compare labels without spans"
        )
    return None


def read_side(
    side: Coded, table: LabelTable, scheme: Scheme, name: str, repair: str
) -> tuple[Reading, Invalid]:
    """The spans of one side that count, and what was invalid."""
    refuse_unreadable(side, table, scheme, name, one=False)
    reading = read(side, table, scheme)
    hurt = len(np.unique(side.sequence_of[reading.bad]))
    return reading.kept(repair), Invalid(int(reading.bad.sum()), int(reading.bad_spans.sum()), hurt)


def span_report(
    data: Paired, scheme: Scheme, repair: str, *, detected: bool
) -> tuple[SpanReport, dict[str, Counts]]:
    """The report, and the counts of each sentence for resampling."""
    table = parse(data.gold.values, scheme)
    gold, gold_invalid = read_side(data.gold, table, scheme, "gold", repair)
    predicted, predicted_invalid = read_side(data.predicted, table, scheme, "predicted", repair)
    matches = match(gold, predicted, len(data.gold.codes))
    tables = {way: table_of(gold, predicted, hits) for way, hits in matches.items()}
    report = SpanReport(scheme, detected, repair, gold_invalid, predicted_invalid, **tables)
    return report, _span_counts(gold, predicted, matches, data.sentence_count)


# ---------------------------------------------------------------- which spans match


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """One way to count: correct (predicted spans,), found (gold spans,)."""

    correct: Bools
    found: Bools


def match(gold: Reading, predicted: Reading, tokens: int) -> dict[str, Matches]:
    """Every way to count. Both readings have the same type numbers."""
    return {
        "strict": Matches(
            _same(predicted, gold, tokens, typed=True), _same(gold, predicted, tokens, typed=True)
        ),
        "lenient": Matches(_overlapped(predicted, gold, tokens), _overlapped(gold, predicted, tokens)),
        "type_only": Matches(_counted(predicted, gold), _counted(gold, predicted)),
        "boundary_only": Matches(
            _same(predicted, gold, tokens, typed=False), _same(gold, predicted, tokens, typed=False)
        ),
    }


def _same(spans: Reading, others: Reading, tokens: int, *, typed: bool) -> Bools:
    """Spans that stand on the other side too. No two spans of a side begin at one position, so that one decides."""
    end_at = np.full(tokens, -1, dtype=np.int64)
    end_at[others.start] = others.end
    same: Bools = end_at[spans.start] == spans.end
    if typed:
        type_at = np.full(tokens, -1, dtype=np.int32)
        type_at[others.start] = others.types
        same &= type_at[spans.start] == spans.types
    return same


def _overlapped(spans: Reading, others: Reading, tokens: int) -> Bools:
    """Spans that share a position with one of the same type on the other side.

    Each type gets a stretch of numbers of its own. Spans of a side do not overlap, so among those that begin before
    our end the last one reaches furthest.
    """
    if not len(others.start):
        return np.zeros(len(spans.start), dtype=bool)
    shift, other_shift = spans.types.astype(np.int64) * tokens, others.types.astype(np.int64) * tokens
    order = np.argsort(other_shift + others.start)
    starts, ends = (other_shift + others.start)[order], (other_shift + others.end)[order]
    last = np.searchsorted(starts, shift + spans.end) - 1
    overlapped: Bools = (last >= 0) & (ends[last] > shift + spans.start)
    return overlapped


def _counted(spans: Reading, others: Reading) -> Bools:
    """The first n spans of each type in each sentence, when the other side has n of them there."""
    key, other_key = _sentence_and_type(spans), np.sort(_sentence_and_type(others))
    order = np.argsort(key, kind="stable")
    rank = np.zeros(len(key), dtype=np.int64)
    rank[order] = np.arange(len(key)) - np.searchsorted(key[order], key[order])
    available = np.searchsorted(other_key, key, side="right") - np.searchsorted(other_key, key)
    counted: Bools = rank < available
    return counted


def _sentence_and_type(spans: Reading) -> Places:
    key: Places = spans.sequences * (len(spans.type_names) + 1) + spans.types
    return key


def _span_counts(
    gold: Reading, predicted: Reading, matches: Mapping[str, Matches], sentences: int
) -> dict[str, Counts]:
    """Count spans of both sides and their matches, for each sentence."""
    counts = {
        "gold_spans": np.bincount(gold.sequences, minlength=sentences),
        "predicted_spans": np.bincount(predicted.sequences, minlength=sentences),
    }
    for way, hits in matches.items():
        counts[f"{way}_correct"] = np.bincount(predicted.sequences[hits.correct], minlength=sentences)
        counts[f"{way}_found"] = np.bincount(gold.sequences[hits.found], minlength=sentences)
    return counts


def table_of(gold: Reading, predicted: Reading, matches: Matches) -> ScoreTable:
    """Scores by type, in alphabetical order."""
    names = gold.type_names
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)

    def by_type(types: Codes) -> Counts:
        return np.bincount(types, minlength=len(names))[order]

    return score_table(
        [names[i] for i in order],
        by_type(gold.types),
        by_type(predicted.types),
        by_type(predicted.types[matches.correct]),
        by_type(gold.types[matches.found]),
    )
