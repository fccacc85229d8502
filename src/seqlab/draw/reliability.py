"""Whether probabilities can be taken at their word: of labels said with 80 %, are 80 % right?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.draw.axes import SMALL, Scale, grid, number
from seqlab.draw.picture import Picture
from seqlab.draw.shapes import Box, Disc, Line, Shape, Text, polyline
from seqlab.errors import OptionError, Place, ShapeError

WIDTH, HEIGHT = 470.0, 560.0
LEFT, RIGHT, TOP, MIDDLE = 66.0, 446.0, 82.0, 432.0
BARS = (470.0, 506.0)  # top and foot of the small bars below
STRETCH = 1.96  # of a 95 % interval


@dataclass(frozen=True, slots=True)
class _Bin:
    confidence: float
    right: float
    count: int
    low: float
    high: float


def reliability_picture(
    probabilities: Any,
    gold: Any,
    labels: Sequence[str] | None = None,
    *,
    bins: int = 10,
    title: str = "Reliability",
) -> Picture:
    """How often the most probable label of a token is right, against the probability it had.

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
    found = _binned(confidence, right, bins)
    x, y = Scale(0, 1, LEFT, RIGHT), Scale(0, 1, MIDDLE, TOP)
    error = sum(one.count * abs(one.confidence - one.right) for one in found) / len(confidence)
    summary = (
        f"{len(confidence):,} tokens, {right.mean():.1%} right, mean probability {confidence.mean():.1%}"
    )
    summary += f", ECE {error:.3f}"
    shapes: list[Shape] = [
        Text(24, 26, title, 15.0, bold=True),
        Text(24, 46, summary, SMALL, ink="faint"),
        *grid(x, y, "", "share of labels that are right"),
        Line(x.at(0), y.at(0), x.at(1), y.at(1), "faint", 1.5, "5 4"),
        *_dots(found, x, y),
        *_bars(found, x, bins),
        Text(
            (LEFT + RIGHT) / 2,
            HEIGHT - 16,
            "probability of the label that was chosen",
            SMALL,
            "middle",
            "faint",
        ),
    ]
    return Picture(WIDTH, HEIGHT, f"{title}: {summary}", tuple(shapes))


def _dots(found: list[_Bin], x: Scale, y: Scale) -> list[Shape]:
    points = [(x.at(one.confidence), y.at(one.right)) for one in found]
    shapes: list[Shape] = [polyline(points, ink="blue", width=2.0)] if len(points) > 1 else []
    for one, (a, b) in zip(found, points, strict=True):
        shapes += [
            Line(a, y.at(one.low), a, y.at(one.high), "blue", 1.5, opacity=0.6),
            Disc(a, b, 4, fill="blue"),
        ]
    return shapes


def _bars(found: list[_Bin], x: Scale, bins: int) -> list[Shape]:
    top, foot = BARS
    most = max(one.count for one in found)
    width = (x.end - x.start) / bins
    shapes: list[Shape] = [Line(LEFT, foot, RIGHT, foot, "grid")]
    for one in found:
        tall = (foot - top) * one.count / most
        place = min(int(one.confidence * bins), bins - 1)
        shapes.append(Box(LEFT + place * width + 2, foot - tall, width - 4, max(tall, 1), fill="shade"))
    shapes.append(Text(LEFT - 8, foot, "tokens", SMALL, "end", "faint"))
    shapes.append(Text(LEFT - 8, top + 8, number(most), SMALL, "end", "faint"))
    return shapes


def _binned(confidence: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], bins: int) -> list[_Bin]:
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    found = []
    for b in np.unique(place).tolist():
        inside = place == b
        n, share = int(inside.sum()), float(right[inside].mean())
        found.append(_Bin(float(confidence[inside].mean()), share, n, *_interval(share, n)))
    return found


def _interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's, which is sound for few tokens and for shares near 0 and 1."""
    z = STRETCH**2 / n
    middle = (share + z / 2) / (1 + z)
    half = STRETCH / (1 + z) * (share * (1 - share) / n + z / (4 * n)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)


def _outcomes(
    probabilities: Any, gold: Any, labels: Sequence[str] | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
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
