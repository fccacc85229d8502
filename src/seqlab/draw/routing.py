"""Where the lines between two columns of a trellis run.

Every cell of the right column has one line, from the cell it came from. All lines that leave one cell on
the left share a trunk: straight to the right, then up and down on a track of their own, then straight into
their targets. Two lines may cross but never run on top of each other, so the trunk of a cell r must bend
off row r before the line into r arrives on that row:

    track of r   is left of   track of came_from[r]

Each r has one such rule, so the rules form chains, and at worst rings. A ring is opened at one cell,
whose trunk changes tracks: it leaves its row early and serves its targets late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line: from a row, bending on track `leave` (and again on `serve`, if different), to a row."""

    source: int
    target: int
    leave: int
    serve: int


@dataclass(frozen=True, slots=True)
class Gutter:
    """All lines between two columns, and how many tracks they need."""

    lines: tuple[Line, ...]
    tracks: int


def route(came_from: Sequence[int | None]) -> Gutter:
    """Tracks for the lines into rows 0, 1, ...; None where no line arrives."""
    arrivals = [(source, row) for row, source in enumerate(came_from) if source is not None]
    bending = sorted({source for source, row in arrivals if source != row})
    leave, serve = _assign(bending, came_from)
    lines = tuple(Line(s, row, leave.get(s, 0), serve.get(s, 0)) for s, row in arrivals)
    return Gutter(lines, tracks=max(serve.values(), default=-1) + 1)


def _assign(bending: list[int], came_from: Sequence[int | None]) -> tuple[dict[int, int], dict[int, int]]:
    after = {r: came_from[r] if came_from[r] != r else None for r in bending}
    leave: dict[int, int] = {}
    serve: dict[int, int] = {}
    tracks = iter(range(2 * len(bending)))

    def place(row: int) -> None:
        for earlier in bending:
            if after[earlier] == row and earlier not in leave:
                place(earlier)
        serve[row] = next(tracks)
        leave.setdefault(row, serve[row])

    for row in _ring_heads(bending, after):
        leave[row] = next(tracks)
    for row in [r for r in bending if after[r] is None] + sorted(leave):
        place(row)
    return leave, serve


def _ring_heads(bending: list[int], after: dict[int, int | None]) -> list[int]:
    """One row of every ring."""
    heads: list[int] = []
    seen: set[int] = set()
    for start in bending:
        walked: list[int] = []
        row: int | None = start
        while row is not None and row not in seen:
            seen.add(row)
            walked.append(row)
            row = after[row]
        if row is not None and row in walked:
            heads.append(row)
    return heads
