"""The headline scores of a report: counted once for each sentence, then added up, resampled, or swapped.

Bootstrap: sentences are drawn with replacement; the interval of a score contains most of its resampled values.

Approximate randomisation: if two systems were equally good, exchanging their outputs for a sentence would change
nothing. So they are exchanged for each sentence with probability 1/2, many times, and p is the share of times (counting
the observed one) that the difference is at least as large as observed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.arrays import choice, whole_number
from seqlab.errors import SchemeError
from seqlab.evaluation.scores import Counts, Numbers, Paired, f1_of, pair, ratio
from seqlab.evaluation.spans import WAYS, choose_scheme, span_report
from seqlab.tags.coding import Bools, Coded, Places
from seqlab.tags.schemes import Scheme

METRICS = {"accuracy": "accuracy", "span_f1": "span F1 (strict)", "sentence_accuracy": "sentence accuracy"}
# The counts of a score: numerator and denominator; for an F1 those of precision, then those of recall.
NEEDED = {
    "accuracy": ("right", "tokens"),
    "unseen_accuracy": ("right_unseen", "unseen"),
    "sentence_accuracy": ("right_sentences", "sentences"),
    "span_precision": ("strict_correct", "predicted_spans"),
    "span_recall": ("strict_found", "gold_spans"),
} | {
    f"{'span' if way == 'strict' else way}_f1": (
        f"{way}_correct",
        "predicted_spans",
        f"{way}_found",
        "gold_spans",
    )
    for way in WAYS
}
LARGEST_BLOCK = 1 << 21  # weights or signs in memory at a time: 16 MB
SLACK = 1e-12  # tolerance for rounding in comparisons


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence interval of a score, from low to high, by bootstrap over sentences."""

    low: float
    high: float


def token_counts(data: Paired) -> dict[str, Counts]:
    """Count for each sentence: tokens, correct ones, both for unseen words, and sentences."""
    offsets, right = data.gold.offsets, data.right
    tokens, right_tokens = np.diff(offsets), within(right, offsets)
    counts = {
        "tokens": tokens,
        "right": right_tokens,
        "sentences": (tokens > 0).astype(np.int64),  # empty sentences do not count
        "right_sentences": ((tokens > 0) & (right_tokens == tokens)).astype(np.int64),
    }
    if data.unseen is not None:
        counts["unseen"] = within(data.unseen, offsets)
        counts["right_unseen"] = within(data.unseen & right, offsets)
    return counts


def within(flags: Bools, offsets: Places) -> Counts:
    """Count the flags of each sentence."""
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(flags)])
    return np.diff(before[offsets])


def figure(counts: Sequence[Any]) -> Numbers:
    """Compute a score from its counts, of one corpus or of many resampled ones (arrays)."""
    shares = [ratio(part, whole) for part, whole in zip(counts[::2], counts[1::2], strict=True)]
    return shares[0] if len(shares) == 1 else f1_of(*shares)


def figures(totals: Mapping[str, Any]) -> dict[str, Numbers]:
    """Compute the headline scores from sums of counts; NaN for the accuracy on unseen words when there are none."""
    there = {name: needed for name, needed in NEEDED.items() if needed[0] in totals}
    found = {name: figure([totals[count] for count in needed]) for name, needed in there.items()}
    if "unseen_accuracy" in found:
        found["unseen_accuracy"] = np.where(totals["unseen"] > 0, found["unseen_accuracy"], np.nan)
    return found


def intervals(
    counts: Mapping[str, Counts], resamples: int, confidence: float, seed: int
) -> dict[str, Interval]:
    """Compute percentile bootstrap intervals: sentences are drawn with replacement, as many as there are."""
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


@dataclass(frozen=True, slots=True)
class Significance:
    """Two scores by a metric on the same sentences, and the significance of their difference in so many trials.

    difference   a - b
    p_value      the chance of a difference this large, either way, if both were equally good
    differing    sentences on which the counts of a and b differ
    """

    metric: str
    a: float
    b: float
    difference: float
    p_value: float
    trials: int
    sentences: int
    differing: int

    def __str__(self) -> str:
        better = (
            f"{'a' if self.difference > 0 else 'b'} is better" if self.difference else "a and b are equal"
        )
        return (
            f"{METRICS[self.metric]}: a {self.a:.4f}, b {self.b:.4f}, difference {self.difference:+.4f} ({better})\n"
            f"p = {self.p_value:.4g} (approximate randomisation, {self.trials} trials; "
            f"{self.differing} of {self.sentences} sentences differ)"
        )


def significance(
    gold: Any,
    a: Any,
    b: Any,
    metric: str = "accuracy",
    *,
    column: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    scheme: Scheme | str | None = "auto",
    repair: str = "conlleval",
) -> Significance:
    """Test if outputs `a` and `b` for the same gold labels differ significantly.

    metric   "accuracy", "span_f1" or "sentence_accuracy"
    column, scheme, repair   as for evaluate; trials: how many times outputs are swapped by chance, from the seed
    """
    choice(metric, "metric", tuple(METRICS))
    trials, seed = whole_number(trials, "trials", 1), whole_number(seed, "seed", 0)
    one, other = pair(gold, a, column, name="a"), pair(gold, b, column, name="b")
    if metric == "span_f1":
        chosen = _common_scheme(one, other, scheme, repair)
        counts = [span_report(data, chosen, repair, detected=False)[1] for data in (one, other)]
    else:
        counts = [token_counts(data) for data in (one, other)]
    first, second = (np.stack([side[name] for name in NEEDED[metric]], 1) for side in counts)
    a_score, b_score = (float(figure(side.sum(axis=0))) for side in (first, second))
    differ = (first != second).any(axis=1)
    hits = _hits(first, second, differ, abs(a_score - b_score), trials, seed)
    return Significance(
        metric,
        a_score,
        b_score,
        difference=a_score - b_score,
        p_value=(hits + 1) / (trials + 1),
        trials=trials,
        sentences=int((np.diff(one.gold.offsets) > 0).sum()),
        differing=int(differ.sum()),
    )


def _common_scheme(one: Paired, other: Paired, scheme: Scheme | str | None, repair: str) -> Scheme:
    """Detect the tag scheme of the gold labels, with the letters that gold and both outputs use."""
    values = sorted({*one.gold.values, *other.gold.values})
    place = {value: i for i, value in enumerate(values)}
    rank = np.array([place[value] for value in one.gold.values], dtype=np.int32)
    gold = Coded(values, rank[one.gold.codes], one.gold.offsets)
    chosen = choose_scheme(gold, scheme, repair)
    if chosen is None:
        raise SchemeError(
            "span_f1 needs labels that are tags; for plain labels use metric='accuracy' or 'sentence_accuracy'"
        )
    return chosen


def _hits(first: Counts, second: Counts, differ: Bools, observed: float, trials: int, seed: int) -> int:
    """Count the random exchanges that give a difference at least as large as observed."""
    size = int(differ.sum())
    total, rest = first.sum(axis=0) + second.sum(axis=0), second.sum(axis=0)
    change = (first - second)[differ].astype(np.float64)
    generator = np.random.default_rng(seed)
    step, hits = max(1, LARGEST_BLOCK // max(size, 1)), 0
    for begin in range(0, trials, step):
        rows = min(step, trials - begin)
        kept = generator.integers(0, 2, (rows, size), dtype=np.int8).astype(np.float64)
        mine = kept @ change + rest
        difference = np.abs(figure(mine.T) - figure((total - mine).T))
        hits += int((difference >= observed - SLACK).sum())
    return hits
