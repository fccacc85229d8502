"""Tables whose cells are shaded by their numbers: confusion, and moves between many labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seqlab.errors import OptionError
from seqlab.views.palette import STRONGEST
from seqlab.views.svg.chart import Chart
from seqlab.views.svg.figure import Inks
from seqlab.views.svg.picture import Picture
from seqlab.views.svg.shapes import words_width
from seqlab.views.text.width import clip, printable

MOST_NAME = 20  # screen columns of a label's name
CELL_HEIGHT, LEAST_CELL = 28.0, 44.0

Shade = Callable[[int, int], tuple[str, float]]  # (row, column) -> ink and its share, from 0 to 1


def heat_picture(
    labels: Sequence[str],
    texts: Sequence[Sequence[str]],
    shade: Shade,
    *,
    title: str,
    row_name: str,
    column_name: str,
    note: str = "",
) -> Picture:
    """Draw a square table of texts in shaded cells, its labels at the left and above."""
    names = [clip(printable(name), MOST_NAME, "…") for name in labels]
    longest = max(map(words_width, names))
    cell = max(LEAST_CELL, 12 + max(words_width(text, 12) for row in texts for text in row))
    slanted = longest > cell - 8
    size = len(names)

    def paint(made: Any, inks: Inks) -> None:
        from matplotlib.colors import to_rgba
        from matplotlib.patches import Rectangle

        axes = made.subplots()
        axes.set(xlim=(0, size), ylim=(size, 0))
        slant = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
        axes.set_xticks(np.arange(size) + 0.5, names, **slant)
        axes.set_yticks(np.arange(size) + 0.5, names)
        axes.tick_params(length=0, labeltop=True, labelbottom=False, labelcolor=inks["ink"])
        axes.spines[:].set_visible(False)
        axes.set_xlabel(column_name, loc="left")
        axes.set_ylabel(row_name)
        axes.xaxis.set_label_position("top")
        for i, row in enumerate(texts):
            for j, text in enumerate(row):
                ink, share = shade(i, j)
                colour = to_rgba(inks[ink], STRONGEST * share)
                axes.add_patch(Rectangle((j, i), 1, 1, fc=colour, ec=inks["grid"], lw=0.75))
                axes.text(j + 0.5, i + 0.5, text, ha="center", va="center")
        made.suptitle(printable(title), x=0.02, ha="left", fontsize=11, fontweight="bold")
        if note:
            made.supxlabel(printable(note), x=0.02, ha="left", fontsize=9, color=inks["faint"])

    height = 110 + (0.75 * longest if slanted else 16) + CELL_HEIGHT * size + (24 if note else 0)
    width = 90 + longest + cell * size + (0.75 * longest if slanted else 0)
    width = max(width, 40 + words_width(title, 15, bold=True), 120 + longest + words_width(note, 12))
    return Chart(width, height, title, (), paint)


def confusion_picture(report: Any, *, most: int = 12, title: str = "Confusion of labels") -> Picture:
    """Draw the labels with the most mistakes: rows are right labels, columns what was said.

    report   what evaluate() gave, or its `confusion`
    most     labels that are shown

    A cell is shaded by its share of the row: blue on the diagonal, vermilion beside it.
    """
    confusion = getattr(report, "confusion", report)
    if not hasattr(confusion, "among"):
        raise OptionError(f"a Report of evaluate() is wanted, got {report!r:.80}")
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise OptionError(f"most must be a whole number from 1 up, got {most!r:.40}")
    labels, counts = confusion.among(most)
    whole = confusion.counts.sum(axis=1)
    if not labels:  # no mistake at all
        order = np.sort(np.argsort(-whole, kind="stable")[:most])
        labels, counts = [confusion.labels[i] for i in order], confusion.counts[np.ix_(order, order)]
    totals = np.array([whole[confusion.labels.index(label)] for label in labels])
    shares = counts / np.maximum(totals, 1)[:, None]

    def shade(i: int, j: int) -> tuple[str, float]:
        share = float(shares[i, j])
        # The root makes rare mistakes visible.
        return ("blue", share) if i == j else ("vermilion", share**0.5)

    left_out = len(confusion.labels) - len(labels)
    return heat_picture(
        labels,
        [[f"{count:,}" if count else "·" for count in row] for row in counts.tolist()],
        shade,
        title=title,
        row_name="right label",
        column_name="what was said",
        note=f"{left_out} labels with fewer mistakes are not shown" if left_out else "",
    )
