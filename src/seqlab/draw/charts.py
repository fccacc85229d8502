"""Charts by matplotlib: curves, tracks along a sequence, heat maps, reliability of probabilities."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import whole_number
from seqlab.errors import OptionError, Place, ShapeError
from seqlab.views.chart import Chart, Inks, check_series, line_style, scaled
from seqlab.views.palette import SERIES, STRONGEST
from seqlab.views.picture import Picture, words_width
from seqlab.views.text import clip, printable

Point = tuple[float, float]
MOST_DOTS = 40  # points of a curve that are marked one by one
CURVES, LANE, TRACKS_GAP = 170, 16, 16  # pixels: height of curves and of a state's lane, between tracks
MOST_POSITIONS = 20_000  # in a picture of tracks
CELL_HEIGHT, LEAST_CELL = 28.0, 44.0  # of a shaded table
MANY, TWICE = 9, 15  # with more labels a table is grouped; with more, names stand on all its sides
WEAK = 0.1  # numbers in weaker shades are faint among many
SHARES = "blue: right, vermilion: wrong; the deeper, the larger its share of the row"  # of confusions
NORMAL_95 = 1.96  # half a 95 % interval, in standard deviations


@dataclass(frozen=True)
class _Panel:
    """Curves over one upright axis; `mark` is an x to point out."""

    curves: Mapping[str, Sequence[Point]]
    y_name: str
    mark: float | None = None
    mark_name: str = ""

    def draw(self, axes: Any, inks: Inks) -> dict[str, Any]:
        """Draw the curves, each in its colour, and return them by name."""
        handles = {}
        for number, (name, points) in enumerate(self.curves.items()):
            if points:
                look = line_style(number, inks) | {"marker": "o" if len(points) <= MOST_DOTS else ""}
                (handles[name],) = axes.plot(*zip(*points, strict=True), **look)
        low, high = axes.dataLim.intervalx
        if self.mark is not None and low <= self.mark <= high:
            axes.axvline(self.mark, color=inks["faint"], linewidth=0.8, linestyle="dashed")
            side, shift = ("left", 5) if self.mark <= (low + high) / 2 else ("right", -5)
            place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "ha": side}
            words = printable(self.mark_name)
            axes.annotate(words, (self.mark, 1), (shift, -8), color=inks["faint"], **place)
        axes.set_ylabel(printable(self.y_name))
        axes.grid(axis="y")
        return handles


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

    log_x, log_y   logarithmic axes; points at 0 and below are left out
    mark           an x to highlight, labelled mark_name; title is above the picture, x_name and y_name are at the axes
    """
    usable = {name: _usable(points, log_x=log_x, log_y=log_y) for name, points in curves.items()}
    return _chart([_Panel(usable, y_name, mark, mark_name)], title, x_name, log_x=log_x, log_y=log_y)


def learning_picture(given: Any, *, title: str = "Learning curve") -> Picture:
    """Draw the objective of every epoch, and below it the score on the development set, if there was one.

    given   a `history_`, a tagger that has one, or {name: history or tagger} to compare several
    title   above the picture
    """
    named = given if isinstance(given, Mapping) else {"": given}
    histories = {str(name): getattr(one, "history_", one) for name, one in named.items()}
    for history, one in zip(histories.values(), named.values(), strict=True):
        if not hasattr(history, "epochs"):
            raise OptionError(f"a history_ or a fitted tagger is wanted, got {one!r:.80}")

    def curves(what: str) -> dict[str, list[Point]]:
        found = {}
        for name, history in histories.items():
            values = ((one.iteration, getattr(one, what, one.more.get(what))) for one in history.epochs)
            found[name] = _usable([(float(x), float(y)) for x, y in values if y is not None])
        return found

    losses = ((what, curves(what)) for what in ("objective", "mistakes"))
    panels = [_Panel(found, what) for what, found in losses if any(found.values())][:1]
    scores = curves("dev_score")
    if any(scores.values()):
        first = next(iter(histories.values()))
        kept = float(first.best) if len(histories) == 1 and first.best is not None else None
        panels.append(_Panel(scores, f"{first.metric or 'score'} on the development set", kept, "kept"))
    if not panels:
        raise OptionError("there is nothing to draw: the history has no epoch with an objective or a score")
    return _chart(panels, title, "epoch")


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
            handles |= panel.draw(axes, inks)
            xs = axes.dataLim.intervalx
            scaled(axes, "x", log=log_x, whole=bool((xs == xs.round()).all()))
            scaled(axes, "y", log=log_y)
        all_axes[0].set_title(printable(title))
        all_axes[-1].set_xlabel(printable(x_name))
        if len(names) > 1:
            shown = {name: clip(printable(name), 24, "…") for name in names if name in handles}
            lines = [handles[name] for name in shown]
            made.legend(lines, shown.values(), loc="outside right upper", handlelength=3)

    return Chart(640, 340 * len(panels), title or "curves", (), paint)


def track_picture(
    curves: Mapping[str, Iterable[float]],
    tracks: Mapping[str, Sequence[Any]],
    *,
    title: str = "",
    x_name: str = "position",
    y_name: str = "probability",
) -> Picture:
    """Draw numbers and states along a sequence of T positions.

    title, x_name, y_name   above the picture and at its axes
    curves   name -> T numbers; probabilities are drawn from 0 to 1
    tracks   name -> T states, each with its own lane: the gold states, a best path, the observations
    """
    numbers = {str(name): [float(value) for value in row] for name, row in curves.items()}
    states = {str(name): [str(state) for state in row] for name, row in tracks.items()}
    length = _length({**numbers, **states})
    lanes = _lanes(states)
    check_series(len(numbers), f"{len(numbers)} curves are in one picture")
    values = list(itertools.chain(*numbers.values()))
    for value in values:
        if not math.isfinite(value):
            raise OptionError(f"a curve holds finite numbers, got {value}")
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 1, high + 1
    heights = [CURVES] * bool(numbers) + [LANE * len(lanes[name]) for name in states]

    def paint(made: Any, inks: Inks) -> None:
        all_axes = made.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        if numbers:
            for i, (name, row) in enumerate(numbers.items()):
                look = line_style(i, inks)
                all_axes[0].plot(np.arange(length) + 0.5, row, label=_short(name), **look)
            if len(numbers) > 1:
                all_axes[0].legend(loc="center left", bbox_to_anchor=(1, 0.5))
            all_axes[0].set(ylim=(low, high), ylabel=printable(y_name))
            all_axes[0].grid(axis="y")
            scaled(all_axes[0], "y")
        for axes, (name, states_of) in zip(all_axes[bool(numbers) :], states.items(), strict=True):
            _track(axes, states_of, lanes[name], inks)
            axes.set_ylabel(_short(name), rotation=0, ha="right", va="center")
        all_axes[0].set_title(printable(title))
        all_axes[-1].set(xlim=(0, length), xlabel=printable(x_name))
        scaled(all_axes[-1], "x", whole=True)

    height = sum(heights) + TRACKS_GAP * len(heights) + 90
    return Chart(760, height, title or ", ".join([*numbers, *states]), (), paint)


def _length(rows: Mapping[str, Sequence[Any]]) -> int:
    """Return the number of positions, which all rows must have."""
    if not any(rows.values()):
        raise OptionError("there is nothing to draw: no curve and no track has a position")
    first, found = next((name, len(row)) for name, row in rows.items())
    for name, row in rows.items():
        if len(row) != found:
            raise ShapeError(
                f"{name!r:.40} has {len(row)} positions, but {first!r:.40} has {found}; all must have the same"
            )
    if found > MOST_POSITIONS:
        raise OptionError(
            f"a picture shows up to {MOST_POSITIONS:,} positions, got {found:,}; give a part of them"
        )
    return found


def _lanes(states: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Order the lanes of every track; tracks that share a state share all their lanes."""
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


def _short(name: str) -> str:
    return clip(printable(name), 18, "…")


def _track(axes: Any, row: Sequence[str], lanes: Sequence[str], inks: Inks) -> None:
    """Draw the runs of states, each state in its own lane with its name at the right."""
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


def by_type(labels: Sequence[str]) -> tuple[list[int], list[int]]:
    """Order labels so that B-NP and I-NP stand together; return the order, and where in it another type begins."""
    types = [label[2:] if label[:2] in {f"{place}-" for place in "BIMELSUW"} else label for label in labels]
    order = sorted(range(len(labels)), key=lambda i: (types.index(types[i]), "BIMELSUW".find(labels[i][:1])))
    grouped = order if len(set(types)) < len(types) else []
    return order, [i for i in range(1, len(grouped)) if types[order[i]] != types[order[i - 1]]]


def heat_picture(
    labels: Sequence[str],
    texts: Sequence[Sequence[str]],
    shades: npt.NDArray[np.float64],
    *,
    title: str,
    row_name: str,
    column_name: str,
    notes: Sequence[str] = (),
) -> Picture:
    """Draw a square table of texts in shaded cells, its labels at the left and above; many are grouped by type.

    shades   from -1 (vermilion) to 1 (blue)
    """
    size, many = len(labels), len(labels) > MANY
    order, breaks = by_type(labels) if many else (list(range(size)), [])
    names = [clip(printable(labels[i]), 20, "…") for i in order]
    longest = max(map(words_width, names))
    cell = max(LEAST_CELL, 12 + max(words_width(text, 12) for row in texts for text in row))
    slanted, twice = longest > cell - 8, size > TWICE
    slant = 0.75 * longest if slanted else 0.0
    width = max(90 + longest * (1 + twice) + cell * size + slant, 40 + words_width(title, 15, bold=True))
    lines = textwrap.wrap(printable("; ".join(notes)), int((width - 40) / 7))

    def paint(made: Any, inks: Inks) -> None:
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Rectangle

        axes = made.subplots()
        axes.set(xlim=(0, size), ylim=(size, 0))
        turn = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
        axes.set_xticks(np.arange(size) + 0.5, names, **turn)
        axes.set_yticks(np.arange(size) + 0.5, names)
        axes.tick_params(length=0, labeltop=True, labelcolor=inks["ink"], labelbottom=twice, labelright=twice)
        for tick in axes.xaxis.get_major_ticks() if slanted else ():
            tick.label1.set(rotation=-45, va="top")
        axes.spines[:].set_visible(False)
        axes.set_xlabel(column_name, loc="left")
        axes.set_ylabel(row_name)
        axes.xaxis.set_label_position("top")
        for (i, j), shade in np.ndenumerate(shades[np.ix_(order, order)]):
            colour = to_rgba(inks["blue" if shade >= 0 else "vermilion"], STRONGEST * abs(shade))
            axes.add_patch(Rectangle((j, i), 1, 1, fc=colour, ec=inks["grid"], lw=0.75))
            ink = inks["faint" if many and abs(shade) < WEAK else "ink"]
            axes.text(j + 0.5, i + 0.5, texts[order[i]][order[j]], ha="center", va="center", color=ink)
        axes.hlines(breaks, 0, size, color=inks["faint"], linewidth=0.6)
        axes.vlines(breaks, 0, size, color=inks["faint"], linewidth=0.6)
        made.suptitle(printable(title), x=0.02, ha="left", fontsize=11, fontweight="bold")
        if lines:
            made.supxlabel("\n".join(lines), x=0.02, ha="left", fontsize=9, color=inks["faint"])

    height = 110 + (slant or 16) * (1 + twice) + CELL_HEIGHT * size + (8 + 16 * len(lines) if lines else 0)
    return Chart(width, height, title, (), paint)


def confusion_picture(report: Any, *, most: int = 12, title: str = "Confusion of labels") -> Picture:
    """Draw the confusion matrix of the labels with the most errors: rows are gold labels, columns predicted ones.

    report   the result of evaluate(), or its `confusion`
    most     number of labels shown; title: above the picture

    A cell is shaded by its share of the row: blue on the diagonal, vermilion beside it.
    """
    confusion = getattr(report, "confusion", report)
    if not hasattr(confusion, "among"):
        raise OptionError(f"a Report of evaluate() is wanted, got {report!r:.80}")
    labels, counts = confusion.among(whole_number(most, "most", 1))
    whole = confusion.counts.sum(axis=1)
    if not labels:  # no errors
        order = np.sort(np.argsort(-whole, kind="stable")[:most])
        labels, counts = [confusion.labels[i] for i in order], confusion.counts[np.ix_(order, order)]
    totals = np.array([whole[confusion.labels.index(label)] for label in labels])
    shares = counts / np.maximum(totals, 1)[:, None]
    left_out = len(confusion.labels) - len(labels)
    return heat_picture(
        labels,
        [[f"{count:,}" if count else "·" for count in row] for row in counts.tolist()],
        np.where(np.eye(len(labels)), shares, -np.sqrt(shares)),  # the root makes rare mistakes visible
        title=title,
        row_name="right label",
        column_name="what was said",
        notes=[SHARES, *([f"labels with fewer mistakes, not shown: {left_out}"] if left_out else [])],
    )


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
    gold            the gold labels, in lists
    labels          what the L columns are: `labels_` of the tagger; not needed for dicts
    bins            of equal width

    Dots on the diagonal are calibrated; below it the model is overconfident. Bars show 95 % intervals, the small bars
    below how many tokens fall into each bin. ECE is the mean distance from the diagonal, by tokens.
    title   above the picture
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
    # Wilson's intervals, which are accurate for few tokens and for shares near 0 and 1.
    z = NORMAL_95**2 / counts
    middle = (share + z / 2) / (1 + z)
    half = NORMAL_95 / (1 + z) * np.sqrt(share * (1 - share) / counts + z / (4 * counts))

    def paint(made: Any, inks: Inks) -> None:
        upper, lower = made.subplots(2, sharex=True, height_ratios=(7, 1))
        upper.set_title(printable(title), pad=24)
        place = {"xycoords": "axes fraction", "textcoords": "offset points"}
        upper.annotate(summary, (0, 1), (0, 8), color=inks["faint"], **place)
        upper.plot([0, 1], [0, 1], color=inks["faint"], linewidth=1, linestyle="dashed", label="honest")
        upper.plot(chance, share, marker="o", label="the model, with 95 % intervals", **line_style(0, inks))
        bars = np.clip([middle - half, middle + half], 0.0, 1.0)
        upper.vlines(chance, *bars, color=inks["blue"], alpha=0.6)
        upper.set(ylim=(0, 1.02), ylabel="share of labels that are right")
        upper.grid(axis="y")
        upper.legend(loc="lower right")
        scaled(upper, "x")
        scaled(upper, "y")
        lower.bar(used / bins, counts, 0.9 / bins, align="edge", color=inks["shade"])
        lower.set(xlim=(0, 1), xlabel="probability of the label that was chosen", ylabel="tokens\n(log)")
        lower.set(yscale="log", ylim=(0.5, max(counts) * 1.2))  # the last bin may have nearly all of them
        lower.set_yticks([1, max(counts)], ["1", f"{max(counts):,}"])
        lower.minorticks_off()

    return Chart(480, 560, f"{title}: {summary}", (), paint)


def _outcomes(
    probabilities: Any, gold: Any, labels: Sequence[str] | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Find the probability of every token's most probable label, and whether that label is right."""
    sentences, right_labels = list(probabilities), list(gold)
    if len(sentences) != len(right_labels):
        raise ShapeError(
            f"{len(sentences)} sentences of probabilities, but {len(right_labels)} of right labels"
        )
    found: list[tuple[float, bool]] = []
    for s, (given, wanted) in enumerate(zip(sentences, right_labels, strict=True)):
        rows = list(getattr(given, "node", given))  # of a Posterior
        if len(rows) != len(wanted):
            raise ShapeError(
                f"probabilities for {len(rows)} tokens, but {len(wanted)} right labels", place=Place(s)
            )
        for row, label in zip(rows, wanted, strict=True):
            if not isinstance(row, dict) and (labels is None or len(labels) != len(row)):
                names = "none" if labels is None else f"{len(labels)} labels"
                raise OptionError(
                    f"labels must name the {len(row)} columns of the probabilities, got {names}; pass labels_"
                )
            named = row if isinstance(row, dict) else dict(zip(labels or (), row, strict=True))
            best = max(named, key=named.__getitem__)
            found.append((float(named[best]), best == label))
    if not found:
        raise ShapeError("there is no token to judge probabilities by")
    confidence, hits = (np.array(column) for column in zip(*found, strict=True))
    if not ((confidence >= 0) & (confidence <= 1 + 1e-6)).all():
        raise OptionError("probabilities lie between 0 and 1; give predict_proba(X) or predict_marginals(X)")
    return np.minimum(confidence, 1.0), hits
