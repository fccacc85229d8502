"""Whether probabilities can be taken at their word: of labels said with 80 %, are 80 % right?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError, Place, ShapeError
from seqlab.views.svg.chart import Chart, line_style, scaled, titled
from seqlab.views.svg.figure import Inks
from seqlab.views.svg.picture import Picture

WIDTH, HEIGHT = 480, 560
Numbers = npt.NDArray[np.float64]
STRETCH = 1.96  # of a 95 % interval


def reliability_picture(
    probabilities: Any,
    gold: Any,
    labels: Sequence[str] | None = None,
    *,
    bins: int = 10,
    title: str = "Reliability",
) -> Picture:
    """Draw how often the most probable label of a token is right, against the probability it had.

    probabilities   for every sentence (T, L), as predict_proba gives them; or one list of dicts label -> probability
                    per sentence, as predict_marginals gives them
    gold            the right labels, in lists
    labels          what the L columns are: `labels_` of the tagger; not needed for dicts
    bins            of equal width

    Dots on the diagonal are honest; below it the model is too sure of itself. Bars show 95 % intervals, the small bars
    below how many tokens fall into each bin. ECE is the mean distance from the diagonal, by tokens.
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or not 1 <= bins <= 50:
        raise OptionError(f"bins must be a whole number from 1 to 50, got {bins!r:.40}")
    confidence, right = _outcomes(probabilities, gold, labels)
    used, place = np.unique(np.minimum((confidence * bins).astype(int), bins - 1), return_inverse=True)
    counts = np.bincount(place)
    chance, share = np.bincount(place, confidence) / counts, np.bincount(place, right) / counts
    error = float(counts @ np.abs(chance - share)) / len(confidence)
    tokens = f"{len(confidence):,} tokens, {right.mean():.1%} right"
    summary = f"{tokens}, mean probability {confidence.mean():.1%}, ECE {error:.3f}"

    def paint(made: Any, inks: Inks) -> None:
        upper, lower = made.subplots(2, sharex=True, height_ratios=(7, 1))
        titled(upper, title, inks, summary)
        upper.plot([0, 1], [0, 1], color=inks["faint"], linewidth=1, linestyle="dashed")
        upper.plot(chance, share, marker="o", **line_style(0, inks))
        upper.vlines(chance, *_intervals(share, counts), color=inks["blue"], alpha=0.6)
        upper.set(ylim=(0, 1.02), ylabel="share of labels that are right")
        upper.grid(axis="y")
        scaled(upper, "x")
        scaled(upper, "y")
        lower.bar(used / bins, counts, 0.9 / bins, align="edge", color=inks["shade"])
        lower.set(xlim=(0, 1), xlabel="probability of the label that was chosen", ylabel="tokens")
        lower.set_yticks([max(counts)], [f"{max(counts):,}"])

    return Chart(WIDTH, HEIGHT, f"{title}: {summary}", (), paint)


def _intervals(share: Numbers, n: npt.NDArray[np.intp]) -> tuple[Numbers, Numbers]:
    """Compute Wilson's intervals, which are sound for few tokens and for shares near 0 and 1."""
    z = STRETCH**2 / n
    middle = (share + z / 2) / (1 + z)
    half = STRETCH / (1 + z) * np.sqrt(share * (1 - share) / n + z / (4 * n))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _outcomes(
    probabilities: Any, gold: Any, labels: Sequence[str] | None
) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """Of every token the probability of its most probable label, and whether that is right."""
    sentences, right_labels = list(probabilities), list(gold)
    if len(sentences) != len(right_labels):
        raise ShapeError(
            f"{len(sentences)} sentences of probabilities, but {len(right_labels)} of right labels"
        )
    confidence: list[float] = []
    hits: list[bool] = []
    for s, (given, wanted) in enumerate(zip(sentences, right_labels, strict=True)):
        rows = list(getattr(given, "node", given))  # of a Posterior
        if len(rows) != len(wanted):
            raise ShapeError(
                f"probabilities for {len(rows)} tokens, but {len(wanted)} right labels", place=Place(s)
            )
        for row, label in zip(rows, wanted, strict=True):
            best, probability = _best(row, labels)
            confidence.append(probability)
            hits.append(best == label)
    if not confidence:
        raise ShapeError("there is no token to judge probabilities by")
    found = np.array(confidence, dtype=np.float64)
    if not ((found >= 0) & (found <= 1 + 1e-6)).all():
        raise OptionError("probabilities lie between 0 and 1; give predict_proba(X) or predict_marginals(X)")
    return np.minimum(found, 1.0), np.array(hits, dtype=bool)


def _best(row: Any, labels: Sequence[str] | None) -> tuple[str, float]:
    if isinstance(row, dict):
        best = max(row, key=row.__getitem__)
        return best, float(row[best])
    if labels is None or len(labels) != len(row):
        wanted = "none" if labels is None else f"{len(labels)} labels"
        raise OptionError(
            f"labels must name the {len(row)} columns of the probabilities, got {wanted}; pass labels_"
        )
    i = int(np.argmax(row))
    return labels[i], float(row[i])
