"""A small trellis as text."""

from __future__ import annotations

from collections.abc import Sequence

from seqlab.draw.compact import compact_lines
from seqlab.draw.sheet import make_sheet
from seqlab.draw.wired import wired_lines
from seqlab.trellis import Trellis
from seqlab.views.text.style import Ink, Style
from seqlab.views.text.width import clip

MAX_WIRED_LABELS = 8


def trellis_text(
    trellis: Trellis,
    tokens: Sequence[str] | None = None,
    *,
    path: Sequence[int | str] | None = None,
    width: int = 80,
    style: Style | None = None,
    max_labels: int = 20,
    max_positions: int = 24,
) -> str:
    """Draw a trellis, one column per position and one row per label.

    tokens   (T,) headings of the columns; positions by default
    path     (T,) labels or ids to highlight; the best path by default, () for none
    width    screen columns; what is wider goes on below, in bands

    A cell shows the score of the best path into it, * marks the best cell of each column, a dot a cell
    that no path reaches. Up to 8 labels are joined by lines that show where each cell came from; with
    more, or on a narrow screen, the cell names the label instead. Of very many labels only those of the
    path and the most probable are shown, of very many positions the first. Cells of the highlighted path
    point to their neighbours on it, also where another way in would score more.
    """
    style = style or Style()
    if trellis.T == 0:
        return "(no positions)"
    sheet = make_sheet(trellis, tokens, path, style, max_labels=max_labels, max_positions=max_positions)
    lines = None
    if sheet.complete and len(sheet.ids) <= MAX_WIRED_LABELS:
        lines = wired_lines(sheet, width, style)
    if lines is None:
        lines = compact_lines(sheet, width, style)
    dots = style.glyphs.ellipsis
    notes = [clip(f"{dots} {note}", width, dots) for note in sheet.left_out]
    return "\n".join(lines + [style.paint(note, Ink.FAINT) for note in notes])
