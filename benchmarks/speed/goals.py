"""Jobs with two marks: what a ratio to the peer must reach at least, and what it aims at; all in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.speed.figure import Figure, Peer, mark
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import Timing


@dataclass(frozen=True, slots=True)
class Goal:
    """Ratios peer / ours."""

    at_least: float
    aim: float


def figure(
    case: str,
    name: str,
    unit: str,
    ours: Timing,
    peer: tuple[str, Timing],
    goal: Goal,
    input_hash: str,
    *,
    scale: float = 1.0,
    details: Mapping[str, Any] | None = None,
) -> Figure:
    """Samples of both sides as a figure; `scale` turns samples into the unit."""
    side, theirs = peer
    return Figure(
        case=case,
        name=name,
        unit=unit,
        median=ours.median * scale,
        spread=ours.spread,
        repetitions=ours.repetitions,
        input_hash=input_hash,
        at_least=goal.at_least,
        peer=Peer(side, theirs.median * scale, theirs.spread, theirs.repetitions),
        details={"aim": goal.aim, **(details or {})},
    )


def table(title: str, figures: Sequence[Figure], note: str = "") -> Table:
    """One row a job; a star marks a ratio below "at least"."""
    return Table(
        title=title,
        header=("", "unit", "peer", "seqlab", "ratio", "at least", "aim"),
        rows=tuple(row(one) for one in figures),
        note=note,
    )


def row(one: Figure) -> tuple[str, ...]:
    least, aim = one.at_least, one.details["aim"]
    return (
        one.name,
        one.unit,
        "-" if one.peer is None else number(one.peer.median),
        number(one.median),
        "-" if one.ratio is None else mark(times(one.ratio), one),
        "-" if least is None else times(least),
        times(aim),
    )


def times(ratio: float) -> str:
    """12x, 5.5x, 1.75x: two digits are enough, three where ratios are small."""
    digits = 0 if ratio >= 9.95 else 1 if ratio >= 2.995 else 2
    text = f"{ratio:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "x"
