"""Quality of an output: figures by token, by sentence and by span, and whether a difference is more than luck."""

from __future__ import annotations

from seqlab.evaluation.checking import Check, Finding, check
from seqlab.evaluation.headline import Interval, Significance, significance
from seqlab.evaluation.report import Report, evaluate
from seqlab.evaluation.scores import Confusion, Mistake, Score, ScoreTable
from seqlab.evaluation.spans import Invalid, SpanReport

__all__ = [
    "Check",
    "Confusion",
    "Finding",
    "Interval",
    "Invalid",
    "Mistake",
    "Report",
    "Score",
    "ScoreTable",
    "Significance",
    "SpanReport",
    "check",
    "evaluate",
    "significance",
]
