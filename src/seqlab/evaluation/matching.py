"""Which predicted spans are right, and which gold spans were found: four ways to count, for a whole corpus at once.

strict          a span with the same start, end and type
lenient         a span of the same type that shares a position with it
type_only       as many spans of that type in the same sentence, wherever they stand
boundary_only   a span with the same start and end, of whatever type
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqlab.evaluation.scores import Counts, ScoreTable, score_table
from seqlab.tags.coding import Bools, Codes, Places
from seqlab.tags.reading import Reading

WAYS = ("strict", "lenient", "type_only", "boundary_only")


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
