"""The figures at the top of a report: counted for each sentence once, then added up, resampled, or swapped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from seqlab.evaluation.inputs import Paired
from seqlab.evaluation.scores import Counts, Numbers, f1_of, ratio
from seqlab.evaluation.spans import WAYS
from seqlab.tags.coding import Bools, Places

LARGEST_BLOCK = 1 << 21  # weights in memory at one time: 16 MB


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies when sentences are drawn anew."""

    low: float
    high: float


def token_counts(data: Paired) -> dict[str, Counts]:
    """Tokens, right ones, the same for unseen words, and sentences, for each sentence."""
    offsets, right = data.gold.offsets, data.right
    tokens, right_tokens = np.diff(offsets), _within(right, offsets)
    counts = {
        "tokens": tokens,
        "right": right_tokens,
        "sentences": (tokens > 0).astype(np.int64),  # an empty one has nothing to be right about
        "right_sentences": ((tokens > 0) & (right_tokens == tokens)).astype(np.int64),
    }
    if data.unseen is not None:
        counts["unseen"] = _within(data.unseen, offsets)
        counts["right_unseen"] = _within(data.unseen & right, offsets)
    return counts


def _within(flags: Bools, offsets: Places) -> Counts:
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(flags)])
    within: Counts = before[offsets[1:]] - before[offsets[:-1]]
    return within


def figures(totals: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Headline figures from sums of counts, of one corpus or of many resampled ones (arrays)."""
    found = {"accuracy": accuracy(totals)}
    if "unseen" in totals:
        unseen = ratio(totals["right_unseen"], totals["unseen"])
        found["unseen_accuracy"] = np.where(totals["unseen"] > 0, unseen, np.nan)
    found["sentence_accuracy"] = sentence_accuracy(totals)
    if "gold_spans" not in totals:
        return found
    found["span_precision"] = ratio(totals["strict_correct"], totals["predicted_spans"])
    found["span_recall"] = ratio(totals["strict_found"], totals["gold_spans"])
    found["span_f1"] = span_f1(totals)
    return found | {f"{way}_f1": span_f1(totals, way) for way in WAYS if way != "strict"}


def accuracy(totals: Mapping[str, Numbers]) -> Numbers:
    """The share of tokens with the right label."""
    return ratio(totals["right"], totals["tokens"])


def sentence_accuracy(totals: Mapping[str, Numbers]) -> Numbers:
    """The share of sentences with all labels right."""
    return ratio(totals["right_sentences"], totals["sentences"])


def span_f1(totals: Mapping[str, Numbers], way: str = "strict") -> Numbers:
    """F1 over all types."""
    precision = ratio(totals[f"{way}_correct"], totals["predicted_spans"])
    return f1_of(precision, ratio(totals[f"{way}_found"], totals["gold_spans"]))


def totals_of(counts: Mapping[str, Counts]) -> dict[str, Numbers]:
    """The sums over all sentences."""
    return {name: np.asarray(column.sum(), dtype=np.float64) for name, column in counts.items()}


def intervals(
    counts: Mapping[str, Counts], resamples: int, confidence: float, seed: int
) -> dict[str, Interval]:
    """Percentile bootstrap: sentences drawn with replacement, as many as there are, `resamples` times."""
    names, table = list(counts), np.stack(list(counts.values()), axis=1).astype(np.float64)
    size = len(table)
    generator = np.random.default_rng(seed)
    sums = np.empty((resamples, len(names)))
    step = max(1, LARGEST_BLOCK // size)
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        drawn = generator.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * size).reshape(rows, size)
        sums[first : first + rows] = weights.astype(np.float64) @ table
    resampled = figures(dict(zip(names, sums.T, strict=True)))
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    found = {}
    for name, values in resampled.items():
        known = values[~np.isnan(values)]
        if len(known):
            low, high = np.quantile(known, tails)
            found[name] = Interval(float(low), float(high))
    return found
