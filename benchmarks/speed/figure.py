"""One measured number with everything needed to believe it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Peer:
    """The other side of a comparison, measured in turn with ours."""

    name: str
    median: float
    spread: float
    repetitions: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A median in `unit`; with a peer also the ratio peer / ours.

    case      the part of the benchmark, e.g. "hmm"
    name      what was measured, unique within its case: the key of its history
    spread    width of the middle half of the samples / median
    at_most   the aim for the median, when there is one
    at_least  the aim for the ratio to the peer, when there is one
    details   what the tables and a curious reader need besides
    """

    case: str
    name: str
    unit: str
    median: float
    spread: float
    repetitions: int
    input_hash: str
    at_most: float | None = None
    at_least: float | None = None
    peer: Peer | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        if self.peer is None or self.median == 0:
            return None
        return self.peer.median / self.median

    @property
    def met(self) -> bool | None:
        """Whether the aim was reached; None without an aim."""
        if self.at_most is not None:
            return self.median <= self.at_most
        if self.at_least is not None and self.ratio is not None:
            return self.ratio >= self.at_least
        return None

    def as_record(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "met": self.met}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Figure:
        known = {name: record[name] for name in cls.__dataclass_fields__ if name in record}
        if known.get("peer") is not None:
            known["peer"] = Peer(**known["peer"])
        return cls(**known)


def widest_spread(figures: Iterable[Figure]) -> str:
    """The largest spread of a table, as its note gives it."""
    return f"{100 * max((f.spread for f in figures), default=0.0):.0f} %"


def mark(text: str, figure: Figure) -> str:
    """The text of a figure, with a star when it misses its aim."""
    return f"{text} *" if figure.met is False else text
