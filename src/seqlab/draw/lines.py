"""Curves over one axis: scores over epochs, training and test error over a penalty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqlab.errors import OptionError
from seqlab.views.svg.chart import Chart, check_series, line_style, scaled
from seqlab.views.svg.figure import Inks
from seqlab.views.svg.picture import Picture
from seqlab.views.svg.shapes import Point
from seqlab.views.text.width import clip, printable

WIDTH, HEIGHT = 640, 340
MOST_DOTS = 40  # points of a curve that are marked one by one


@dataclass(frozen=True)
class _Panel:
    """Curves over one upright axis; `mark` is an x to point out."""

    curves: Mapping[str, Sequence[Point]]
    y_name: str
    mark: float | None = None
    mark_name: str = ""


def line_picture(
    curves: Mapping[str, Sequence[Point]],
    *,
    title: str = "",
    x_name: str = "",
    y_name: str = "",
    log_x: bool = False,
    log_y: bool = False,
    mark: float | None = None,
    mark_name: str = "",
) -> Picture:
    """Draw curves by name, each as points (x, y), with a legend beside them.

    log_x, log_y   equal steps multiply; points at 0 and below are left out
    mark           an x to point out, with a name
    """
    usable = {name: _usable(points, log_x=log_x, log_y=log_y) for name, points in curves.items()}
    return _chart([_Panel(usable, y_name, mark, mark_name)], title, x_name, log_x=log_x, log_y=log_y)


def learning_picture(given: Any, *, title: str = "Learning curve") -> Picture:
    """Draw the objective of every epoch, and below it the score on the development set, if there was one.

    given   a `history_`, a tagger that has one, or {name: history or tagger} to compare several
    """
    named = given if isinstance(given, Mapping) else {"": given}
    histories = {str(name): _history(one) for name, one in named.items()}
    panels: list[_Panel] = []
    for what in ("objective", "mistakes"):
        curves = {name: _points(history, what) for name, history in histories.items()}
        if any(curves.values()) and not panels:
            panels.append(_Panel(curves, what))
    scores = {name: _points(history, "dev_score") for name, history in histories.items()}
    if any(scores.values()):
        first = next(iter(histories.values()))
        kept = float(first.best) if len(histories) == 1 and first.best is not None else None
        y_name = f"{first.metric or 'score'} on the development set"
        panels.append(_Panel(scores, y_name, kept, "kept"))
    if not panels:
        raise OptionError("there is nothing to draw: the history has no epoch with an objective or a score")
    return _chart(panels, title, "epoch")


def _history(given: Any) -> Any:
    history = getattr(given, "history_", given)
    if not hasattr(history, "epochs"):
        raise OptionError(f"a history_ or a fitted tagger is wanted, got {given!r:.80}")
    return history


def _points(history: Any, what: str) -> list[Point]:
    values = [(epoch.iteration, getattr(epoch, what, epoch.more.get(what))) for epoch in history.epochs]
    return _usable([(float(x), float(y)) for x, y in values if y is not None])


def _usable(points: Sequence[Point], *, log_x: bool = False, log_y: bool = False) -> list[Point]:
    """Keep the points that can be drawn, in order."""
    drawn = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    return sorted((x, y) for x, y in drawn if (x > 0 or not log_x) and (y > 0 or not log_y))


def _chart(
    panels: list[_Panel], title: str, x_name: str, *, log_x: bool = False, log_y: bool = False
) -> Picture:
    names = list(panels[0].curves)
    if not any(points for panel in panels for points in panel.curves.values()):
        raise OptionError("there is nothing to draw: no curve has a point with finite numbers")
    check_series(len(names), f"{len(names)} curves are in one picture")

    def paint(made: Any, inks: Inks) -> None:
        all_axes = made.subplots(len(panels), sharex=True, squeeze=False)[:, 0]
        handles: dict[str, Any] = {}
        for axes, panel in zip(all_axes, panels, strict=True):
            handles |= _curves(axes, panel, inks)
            xs = axes.dataLim.intervalx
            scaled(axes, "x", log=log_x, whole=bool((xs == xs.round()).all()))
            scaled(axes, "y", log=log_y)
            axes.set_ylabel(printable(panel.y_name))
            axes.grid(axis="y")
        all_axes[0].set_title(printable(title))
        all_axes[-1].set_xlabel(printable(x_name))
        if len(names) > 1:
            shown = {name: clip(printable(name), 24, "…") for name in names if name in handles}
            lines = [handles[name] for name in shown]
            made.legend(lines, shown.values(), loc="outside right upper", handlelength=3)

    return Chart(WIDTH, HEIGHT * len(panels), title or "curves", (), paint)


def _curves(axes: Any, panel: _Panel, inks: Inks) -> dict[str, Any]:
    """Draw the curves of a panel, each in the ink of its number, and return them by name."""
    handles = {}
    for number, (name, points) in enumerate(panel.curves.items()):
        if points:
            dots = "o" if len(points) <= MOST_DOTS else ""
            (handles[name],) = axes.plot(*zip(*points, strict=True), marker=dots, **line_style(number, inks))
    low, high = axes.dataLim.intervalx
    if panel.mark is not None and low <= panel.mark <= high:
        axes.axvline(panel.mark, color=inks["faint"], linewidth=0.8, linestyle="dashed")
        left = panel.mark <= (low + high) / 2
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        words = printable(panel.mark_name)
        side = "left" if left else "right"
        axes.annotate(words, (panel.mark, 1), (5 if left else -5, -8), ha=side, color=inks["faint"], **place)
    return handles
