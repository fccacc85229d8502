"""Moves with what they add, collected as arrays; only the largest become objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seqlab.families.linear.explain.around import Logs
from seqlab.families.linear.explain.explanation import MoveContribution

MOST_MOVES = 1000  # an account with more rows is read by nobody
TARGET = -1  # in a pattern: the label of the position that is explained


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    position: int
    pattern: tuple[int, ...]  # TARGET, or the axis that holds this label
    weight: Logs
    rival_weight: Logs
    difference: Logs
    share: Logs
    rival_share: Logs
    attribute: str | None
    value: float


class MoveTable:
    """Rows of an account over the neighbours of one position."""

    def __init__(self, names: Sequence[str], label: int, rival: int) -> None:
        self._names, self._label, self._rival = names, label, rival
        self._parts: list[_Part] = []

    def add(
        self,
        position: int,
        pattern: tuple[int, ...],
        weights: tuple[Logs, Logs],
        difference: Logs,
        shares: tuple[Logs, Logs],
        attribute: str | None = None,
        value: float = 1.0,
    ) -> None:
        """One row for each cell of these arrays, whose axes are the neighbours that `pattern` speaks of."""
        self._parts.append(_Part(position, pattern, *weights, difference, *shares, attribute, value))

    def listed(self) -> tuple[list[MoveContribution], float]:
        """The rows that add something, at most MOST_MOVES of them, and the sum of those left out."""
        sizes = np.concatenate([np.abs(part.difference).ravel() for part in self._parts] or [np.zeros(0)])
        kept = np.argsort(-sizes, kind="stable")[:MOST_MOVES]
        floor = sizes[kept[-1]] if len(sizes) > MOST_MOVES else 0.0
        rows: list[MoveContribution] = []
        rest: list[float] = []
        for part in self._parts:
            size = np.abs(part.difference)
            wanted = (size > 0) & (size >= floor)
            rows += [self._row(part, tuple(cell)) for cell in np.argwhere(wanted).tolist()]
            rest += part.difference[~wanted].tolist()
        return rows, math.fsum(rest)

    def _row(self, part: _Part, cell: tuple[int, ...]) -> MoveContribution:
        return MoveContribution(
            self._spoken(part.pattern, cell, self._label),
            self._spoken(part.pattern, cell, self._rival),
            float(part.weight[cell]),
            float(part.rival_weight[cell]),
            float(part.difference[cell]),
            part.position,
            float(part.share[cell]),
            float(part.rival_share[cell]),
            part.attribute,
            part.value,
        )

    def _spoken(self, pattern: tuple[int, ...], cell: tuple[int, ...], target: int) -> tuple[str, ...]:
        return tuple(self._names[target if axis == TARGET else cell[axis]] for axis in pattern)
