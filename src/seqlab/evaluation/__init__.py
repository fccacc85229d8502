"""Evaluation: scores by token, by sentence and by span, and tests of significance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.evaluation.checking import Check, Finding, check
    from seqlab.evaluation.clusters import many_to_one, one_to_one, v_measure
    from seqlab.evaluation.headline import Interval, Significance, significance
    from seqlab.evaluation.places import SpanCounts, TextReport, score_spans
    from seqlab.evaluation.report import Report, evaluate
    from seqlab.evaluation.scores import Confusion, Mistake, Score, ScoreTable
    from seqlab.evaluation.segmentation import Agreement, SegmentationReport, score_segmentation
    from seqlab.evaluation.spans import Invalid, SpanReport
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "checking": ("Check", "Finding", "check"),
            "clusters": ("many_to_one", "one_to_one", "v_measure"),
            "headline": ("Interval", "Significance", "significance"),
            "places": ("SpanCounts", "TextReport", "score_spans"),
            "report": ("Report", "evaluate"),
            "scores": ("Confusion", "Mistake", "Score", "ScoreTable"),
            "segmentation": ("Agreement", "SegmentationReport", "score_segmentation"),
            "spans": ("Invalid", "SpanReport"),
        },
    )

__all__ = ["Agreement", "Check", "Confusion", "Finding", "Interval", "Invalid", "Mistake", "Report", "Score"]
__all__ += ["ScoreTable", "Significance", "SpanReport", "check", "evaluate", "many_to_one", "one_to_one"]
__all__ += [
    "SegmentationReport",
    "SpanCounts",
    "TextReport",
    "score_segmentation",
    "score_spans",
    "significance",
    "v_measure",
]
