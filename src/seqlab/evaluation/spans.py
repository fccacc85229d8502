"""The span part of a report: which scheme, how invalid labels were treated, and the four ways to count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqlab.errors import SchemeError
from seqlab.evaluation.headline import span_counts
from seqlab.evaluation.inputs import Paired
from seqlab.evaluation.matching import match, table_of
from seqlab.evaluation.scores import Counts, ScoreTable
from seqlab.tags.coding import Coded
from seqlab.tags.detection import detect_coded
from seqlab.tags.parsing import LabelTable, parse, refuse_unreadable
from seqlab.tags.reading import Reading, check_repair, read
from seqlab.tags.schemes import Scheme


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
    return report, span_counts(gold, predicted, matches, data.sentence_count)
