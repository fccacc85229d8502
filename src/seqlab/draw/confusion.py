"""Which label was taken for which, as a shaded table."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab.draw.heat import heat_picture
from seqlab.draw.picture import Picture
from seqlab.errors import OptionError


def confusion_picture(report: Any, *, most: int = 12, title: str = "Confusion of labels") -> Picture:
    """The labels with the most mistakes: rows are right labels, columns what was said.

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

    def ink(i: int, j: int) -> tuple[str, float]:
        share = float(shares[i, j])
        # The root makes rare mistakes visible.
        return ("blue", share) if i == j else ("vermilion", share**0.5)

    left_out = len(confusion.labels) - len(labels)
    return heat_picture(
        labels,
        labels,
        [[f"{count:,}" if count else "·" for count in row] for row in counts.tolist()],
        ink,
        title=title,
        row_name="right label",
        column_name="what was said",
        note=f"{left_out} labels with fewer mistakes are not shown" if left_out else "",
    )
