"""Along a long sequence: curves of numbers, and below them tracks that say which state each position is in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from seqlab.errors import OptionError, ShapeError
from seqlab.views.palette import SERIES
from seqlab.views.svg.chart import Chart, check_series, line_style, scaled
from seqlab.views.svg.figure import Inks
from seqlab.views.svg.picture import Picture
from seqlab.views.text.width import clip, printable

WIDTH = 760
CURVES, LANE, GAP = 170, 16, 16  # pixels: height of curves and of a state's lane, between tracks
MOST = 20_000  # positions in a picture


def track_picture(
    curves: Mapping[str, Sequence[float]],
    tracks: Mapping[str, Sequence[Any]],
    *,
    title: str = "",
    x_name: str = "position",
    y_name: str = "probability",
) -> Picture:
    """Draw what is known along a sequence of T positions.

    curves   name -> T numbers; probabilities are drawn from 0 to 1
    tracks   name -> T states, each with a lane of its own: the truth, a best path, what was observed
    """
    numbers = {str(name): [float(value) for value in row] for name, row in curves.items()}
    states = {str(name): [str(state) for state in row] for name, row in tracks.items()}
    length = _length({**numbers, **states})
    lanes = _lanes(states)
    check_series(len(numbers), f"{len(numbers)} curves are in one picture")
    low, high = _range(numbers)
    heights = [CURVES] * bool(numbers) + [LANE * len(lanes[name]) for name in states]

    def paint(made: Any, inks: Inks) -> None:
        all_axes = made.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        if numbers:
            _curves(all_axes[0], numbers, inks)
            all_axes[0].set(ylim=(low, high), ylabel=printable(y_name))
        for axes, (name, row) in zip(all_axes[bool(numbers) :], states.items(), strict=True):
            _track(axes, row, lanes[name], inks)
            axes.set_ylabel(_short(name), rotation=0, ha="right", va="center")
        all_axes[0].set_title(printable(title))
        all_axes[-1].set(xlim=(0, length), xlabel=printable(x_name))
        scaled(all_axes[-1], "x", whole=True)

    height = sum(heights) + GAP * len(heights) + 90
    return Chart(WIDTH, height, title or ", ".join([*numbers, *states]), (), paint)


def _length(rows: Mapping[str, Sequence[Any]]) -> int:
    lengths = {name: len(row) for name, row in rows.items()}
    if not lengths or not max(lengths.values()):
        raise OptionError("there is nothing to draw: no curve and no track has a position")
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first]:
            raise ShapeError(
                f"{name!r:.40} has {length} positions, but {first!r:.40} has {lengths[first]}; all must have the same"
            )
    if lengths[first] > MOST:
        raise OptionError(
            f"a picture shows up to {MOST:,} positions, got {lengths[first]:,}; give a part of them"
        )
    return lengths[first]


def _lanes(states: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The lanes of every track, by name; tracks that share a state share all their lanes, so that they look alike."""
    groups: list[set[str]] = []
    for row in states.values():
        joined = set(row).union(*(group for group in groups if not group.isdisjoint(row)))
        groups = [*(group for group in groups if group.isdisjoint(row)), joined]
    lanes = {}
    for name, row in states.items():
        found = next(group for group in groups if not group.isdisjoint(row))
        check_series(len(found), f"the track {name!r:.40} has {len(found)} states")
        lanes[name] = sorted(
            found, key=lambda state: (not state.isdecimal(), len(state) * state.isdecimal(), state)
        )
    return lanes


def _range(numbers: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    values = list(itertools.chain(*numbers.values()))
    for value in values:
        if not math.isfinite(value):
            raise OptionError(f"a curve holds finite numbers, got {value}")
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1, high + 1)


def _short(name: str) -> str:
    return clip(printable(name), 18, "…")


def _curves(axes: Any, numbers: Mapping[str, Sequence[float]], inks: Inks) -> None:
    for i, (name, row) in enumerate(numbers.items()):
        middles = [t + 0.5 for t in range(len(row))]
        axes.plot(middles, row, label=_short(name), **line_style(i, inks))
    if len(numbers) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axes.grid(axis="y")
    scaled(axes, "y")


def _track(axes: Any, row: Sequence[str], lanes: Sequence[str], inks: Inks) -> None:
    """Draw the runs of states, each state in a lane of its own with its name at the right."""
    runs: dict[str, list[tuple[int, int]]] = {state: [] for state in lanes}
    begin = 0
    for state, run in itertools.groupby(row):
        count = len(list(run))
        runs[state].append((begin, count))
        begin += count
    for lane, state in enumerate(lanes):
        axes.broken_barh(runs[state], (lane - 0.36, 0.72), color=inks[SERIES[lane]])
    axes.set_ylim(len(lanes) - 0.5, -0.5)
    axes.set_yticks(range(len(lanes)), map(_short, lanes))
    axes.tick_params(axis="y", length=0, labelleft=False, labelright=True)
    for lane, words in enumerate(axes.get_yticklabels()):
        words.set(color=inks[SERIES[lane]], fontweight="bold")
    axes.grid(axis="y")
    axes.spines[["left", "bottom"]].set_visible(False)
