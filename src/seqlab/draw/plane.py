"""Pictures of points in a plane, with the decision boundaries of classifiers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError, ShapeError
from seqlab.views.chart import Chart, Inks, check_series, line_style, scaled
from seqlab.views.palette import SERIES
from seqlab.views.picture import Picture
from seqlab.views.text import clip, printable

Floats = npt.NDArray[np.float64]
FINE = 300  # points per axis of the grid that classifiers predict
SHADE = 0.16  # opacity of a region
LIKE = 2.5  # axes get the same scale if their lengths differ by a smaller factor
MARKS = "osD^vP"  # markers of points, by class


def boundary_picture(
    classifier: Any,
    X: Any,
    y: Any,
    *,
    title: str = "Decision boundary",
    names: Sequence[str] = ("x₁", "x₂"),
) -> Picture:
    """Draw the decision regions and boundaries of a classifier, with its training points.

    classifier   anything with `predict` for rows of two numbers; or {name: classifier}, to compare their boundaries
    X            (n, 2) points
    y            (n,) their classes, two to six
    title        above the picture
    names        of the two numbers, at the axes

    Regions and the solid line belong to the first classifier, other lines to the others. For one linear classifier of
    three classes and more, dashed lines are where the score of a class is zero, f(x) = 0. For linear classifiers
    of two classes the legend gives the margin: the distance to the nearest point, negative where a point is on
    the wrong side.
    """
    named = dict(classifier) if isinstance(classifier, Mapping) else {"": classifier}
    points = points_of(X, 2)
    given = _classes(y, len(points))
    check_series(len(named), f"{len(named)} classifiers are in one picture")
    window = Window.around(points)
    fields = {str(name): _Field.of(one, window) for name, one in named.items()}
    if not fields:
        raise OptionError("there is nothing to draw: no classifier was given")
    if len(names) != 2:
        raise ShapeError(f"two numbers are drawn, but {len(names)} names were given")
    found = {*given, *(label for field in fields.values() for label in field.classes)}
    check_series(len(found), f"{len(found)} classes are in one picture")
    classes, first = sorted(found, key=_by_number), next(iter(fields.values()))
    margins = [_margin(one, points, given) for one in named.values()]
    rows = np.array(given)

    def paint(made: Any, inks: Inks) -> None:
        axes = made.subplots()
        colours = {label: inks[ink] for label, ink in zip(classes, SERIES, strict=False)}
        legend: list[tuple[Any, str]] = []
        for label, mark in zip(classes, MARKS, strict=False):
            first.shade(axes, label, colours[label])
            look = {"color": colours[label], "marker": mark, "linestyle": "none", "markersize": 5}
            (dots,) = axes.plot(*points[rows == label].T, markeredgecolor=inks["paper"], **look)
            legend.append((dots, short_name(label)))
        for i, ((name, field), margin) in enumerate(zip(fields.items(), margins, strict=True)):
            dashes = line_style(i, inks)["linestyle"]
            field.lines(axes, inks["ink"], dashes)
            words = (short_name(name) or "boundary") + ("" if margin is None else f", margin {margin:.2f}")
            (line,) = axes.plot([], [], color=inks["ink"], linestyle=dashes)
            legend.append((line, words))
        for label in first.classes if len(fields) == 1 and first.linear else ():
            first.zero(axes, label, colours[label])
            (line,) = axes.plot([], [], color=colours[label], linestyle="dashed", linewidth=1)
            legend.append((line, f"f = 0 of {short_name(label)}"))
        framed(axes, window, title, names)
        made.legend(*zip(*legend, strict=True), loc="outside right upper", handlelength=3)

    return Chart(640, 440, title or "decision boundary", (), paint)


def _classes(y: Any, count: int) -> list[str]:
    """Check that every point has a class, and return the classes as text."""
    given = np.asarray(y)
    if given.shape != (count,):
        raise ShapeError(f"{count} points need as many classes in a row, got shape {given.shape}")
    return [str(label) for label in given.tolist()]


@dataclass(frozen=True)
class Window:
    """The part of the plane that is shown."""

    low: Floats
    high: Floats

    @staticmethod
    def around(*points: Floats) -> Window:
        """Return the window that contains the points, with a margin."""
        low, high = (f([f(one, axis=0) for one in points], axis=0) for f in (np.min, np.max))
        space = np.where(high > low, 0.08 * (high - low), 1.0)
        return Window(low - space, high + space)

    def grid(self) -> tuple[Floats, Floats, Floats]:
        """Return the coordinates of the grid on both axes, and all its points as rows."""
        x, y = (np.linspace(self.low[i], self.high[i], FINE) for i in (0, 1))
        across, up = np.meshgrid(x, y)
        return x, y, np.column_stack([across.ravel(), up.ravel()])


@dataclass(frozen=True)
class _Field:
    """Scores of the classes on a grid.

    lead     (k, y, x)   score minus the best score of the other classes: above 0 where the class is predicted
    scores   (k, y, x)   f(x) of every class; None if the classifier has no scores
    linear   True for a linear classifier with three or more classes
    """

    classes: tuple[str, ...]
    x: Floats
    y: Floats
    lead: Floats
    scores: Floats | None
    linear: bool

    @staticmethod
    def of(classifier: Any, window: Window) -> _Field:
        """Compute the predictions and scores of a classifier at every point of the grid."""
        if not callable(getattr(classifier, "predict", None)):
            raise OptionError(f"a classifier has a method predict, got {classifier!r:.60}")
        x, y, rows = window.grid()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
            try:
                chosen = np.asarray(classifier.predict(rows))
            except (TypeError, ValueError, AttributeError) as error:
                raise OptionError(
                    f"{classifier!r:.60} does not classify rows of two numbers: {error}"
                ) from error
            return _Field._from(classifier, chosen, x, y, rows)

    @staticmethod
    def _from(classifier: Any, chosen: Any, x: Floats, y: Floats, rows: Floats) -> _Field:
        if chosen.shape != (len(rows),):
            raise ShapeError(
                f"predict gives one class for each row, got shape {chosen.shape} for {len(rows)} rows"
            )
        labels = np.unique(chosen)
        known = np.asarray(getattr(classifier, "classes_", labels))
        scores = _scores(classifier, rows, len(known))
        if scores is not None and (known[scores.argmax(axis=1)] != chosen).mean() < 0.001:
            labels = known
        else:  # no scores, or scores that disagree with the predicted classes
            scores = None
        values = (chosen[:, None] == labels) - 0.5 if scores is None else scores
        if len(labels) == 1:
            lead = np.ones_like(values)
        else:
            others = [np.delete(values, i, axis=1).max(axis=1) for i in range(len(labels))]
            lead = values - np.column_stack(others)
        shape = (len(labels), len(y), len(x))
        names = tuple(str(label) for label in labels.tolist())
        linear = hasattr(classifier, "coef_") and scores is not None and len(labels) > 2
        kept = None if scores is None else scores.T.reshape(shape)
        return _Field(names, x, y, lead.T.reshape(shape), kept, linear)

    def shade(self, axes: Any, label: str, colour: str) -> None:
        """Shade the region of a class."""
        if label not in self.classes:
            return
        lead = self.lead[self.classes.index(label)]
        if lead.max() > 0:
            axes.contourf(
                self.x, self.y, lead, [0, max(np.nextafter(0, 1), lead.max())], colors=[colour], alpha=SHADE
            )

    def lines(self, axes: Any, color: str, linestyle: Any) -> None:
        """Draw the boundaries."""
        # With two classes both boundaries are the same line; with more, neighbouring classes share one.
        for lead in self.lead[: max(1, len(self.classes) - 1)]:
            if lead.min() < 0 < lead.max():
                axes.contour(
                    self.x, self.y, lead, [0], colors=[color], linestyles=[linestyle], linewidths=1.6
                )

    def zero(self, axes: Any, label: str, colour: str) -> None:
        """Draw the line on which the score of a class is 0."""
        if self.scores is not None:
            score = self.scores[self.classes.index(label)]
            if score.min() < 0 < score.max():
                axes.contour(self.x, self.y, score, [0], colors=[colour], linestyles=["dashed"], linewidths=1)


def _scores(classifier: Any, rows: Floats, count: int) -> Floats | None:
    """Return the scores of the classes, (n, k); None if the classifier has none."""
    for name in ("decision_function", "predict_proba"):
        try:
            found = np.asarray(getattr(classifier, name)(rows), dtype=np.float64)
        except (AttributeError, TypeError, ValueError):  # scikit-learn: without probability=True, for example
            continue
        if found.ndim == 1 and count == 2:
            found = np.column_stack([-found, found])
        if found.shape == (len(rows), count) and np.isfinite(found).all():
            return found
    return None


def _margin(classifier: Any, points: Floats, given: Sequence[str]) -> float | None:
    """Return the margin of a linear classifier of two classes: the distance of its hyperplane to the nearest point."""
    weights, bias = (np.asarray(getattr(classifier, name, ())) for name in ("coef_", "intercept_"))
    names = [str(label) for label in np.asarray(getattr(classifier, "classes_", ())).tolist()]
    if weights.size != 2 or bias.size > 1 or len(names) != 2 or not set(given) <= set(names):
        return None
    length = float(np.linalg.norm(weights))
    sides = np.array([1 if label == names[1] else -1 for label in given])
    return float((sides * (points @ weights.ravel() + bias.sum())).min() / length) if length else None


def points_of(X: Any, width: int | None = None) -> Floats:
    """Check points, (n, width) or sequences of them, and return them as one array."""
    try:
        parts = [X] if hasattr(X, "shape") else list(X)
        if parts and all(np.ndim(part) == 2 for part in parts):
            points = np.concatenate([np.asarray(part, dtype=np.float64) for part in parts])
        else:
            points = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"points are rows of numbers, got {X!r:.60}") from error
    if points.ndim == 1 and width in (1, None):
        points = points[:, None]
    if points.ndim != 2 or not points.size or (width is not None and points.shape[1] != width):
        wanted = "D" if width is None else width
        raise ShapeError(f"points have shape (n, {wanted}), got {points.shape}")
    if not np.isfinite(points).all():
        raise OptionError(
            f"row {int(np.argmin(np.isfinite(points).all(axis=1)))} of the points is not finite"
        )
    return points


def framed(axes: Any, window: Window, title: str, names: Sequence[str], *, equal: bool = True) -> None:
    """Set the title, names and limits of the axes; with `equal`, axes with similar ranges get the same scale."""
    axes.set(xlim=(window.low[0], window.high[0]), ylim=(window.low[1], window.high[1]))
    axes.set(xlabel=short_name(names[0]), ylabel=short_name(names[1]))
    axes.set_title(printable(title))
    scaled(axes, "x")
    scaled(axes, "y")
    sides = window.high - window.low
    if equal and sides.max() < LIKE * sides.min():
        axes.set_aspect("equal", adjustable="box")


def short_name(name: Any) -> str:
    """Shorten a name for a legend."""
    return clip(printable(str(name)), 24, "…")


def _by_number(name: str) -> tuple[bool, int, str]:
    """Return the sort key of a name: whole numbers by value, then other names."""
    return (not name.isdecimal(), len(name) * name.isdecimal(), name)
