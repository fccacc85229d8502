"""Explanations of a decision: the contributions of every feature and transition for a label over its rival."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from seqlab.shown import Brief, Table, Written, columns_of, cut


@dataclass(frozen=True, slots=True, repr=False)
class Contribution(Brief):
    """Contribution of one attribute of a token: difference = value * (weight - rival_weight).

    weight, rival_weight   of the attribute with `label` and with `rival`; 0 where the model has none
    position               the token that has the attribute
    label, rival           the two labels of that token
    """

    attribute: str
    value: float
    weight: float
    rival_weight: float
    difference: float
    position: int
    label: str
    rival: str


@dataclass(frozen=True, slots=True, repr=False)
class MoveContribution(Brief):
    """Contribution of one transition between labels.

    labels, rival_labels   two or three consecutive labels of each path
    position               the second token of the transition
    weight, rival_weight   of the two transitions; -inf for one that is not allowed
    share, rival_share     probability of the neighbours given the label, and given the rival;
                           1 in a comparison of two paths
    attribute, value       of an edge attribute; None and 1 for the transition itself
    """

    labels: tuple[str, ...]
    rival_labels: tuple[str, ...]
    weight: float
    rival_weight: float
    difference: float
    position: int
    share: float = 1.0
    rival_share: float = 1.0
    attribute: str | None = None
    value: float = 1.0


@dataclass(frozen=True, slots=True)
class Explanation(Written):
    """An exact additive explanation: `total` is the sum of all contributions, and equals log_odds or margin.

    log_odds      log p(label | sentence) - log p(rival | sentence) at the position; None without probabilities
    margin        score of the best path with the label minus that of the best one with the rival; None with them
    features      by falling size; for a margin, of every position where the two paths differ
    moves         transitions, by falling size; see MoveContribution
    other_moves   the sum of transitions too many to list; 0 unless there are thousands
    normaliser    the part of the scores not due to weights: for an MEMM the normaliser of the next step, for all
                  other models nothing but rounding
    probability, rival_probability   of the two labels at the position, or None
    path, rival_path                 the two paths that a margin compares, or None
    """

    tokens: tuple[str, ...]
    position: int
    label: str
    rival: str
    log_odds: float | None
    margin: float | None
    features: tuple[Contribution, ...]
    moves: tuple[MoveContribution, ...]
    other_moves: float = 0.0
    normaliser: float = 0.0
    probability: float | None = None
    rival_probability: float | None = None
    path: tuple[str, ...] | None = None
    rival_path: tuple[str, ...] | None = None

    @property
    def total(self) -> float:
        """The sum of all contributions, rounded once."""
        parts = [one.difference for one in self.features] + [one.difference for one in self.moves]
        return math.fsum([*parts, self.other_moves, self.normaliser])

    @property
    def from_features(self) -> float:
        """The sum of the contributions of features."""
        return math.fsum(one.difference for one in self.features)

    @property
    def from_before(self) -> float:
        """The sum of the contributions of transitions into the position or an earlier one."""
        return math.fsum(one.difference for one in self.moves if one.position <= self.position)

    @property
    def from_after(self) -> float:
        """The sum of the contributions of transitions into later positions."""
        return math.fsum(one.difference for one in self.moves if one.position > self.position)

    def __str__(self) -> str:
        return self.text()

    def text(self, *, rows: int = 15) -> str:
        """Format as tables of at most 80 columns, each with its `rows` largest contributions."""
        from seqlab.families.linear.explain.text import explanation_text

        return explanation_text(self, rows=rows)

    def __repr__(self) -> str:
        word = self.tokens[self.position]
        return cut(f"Explanation({word!r} is {self.label}, not {self.rival}: {self.total:+.3f})")

    def _columns(self) -> Table:
        parts: list[Any] = [*self.features, *self.moves]
        moves = [isinstance(one, MoveContribution) for one in parts]
        labels = [one.labels if move else (one.label,) for one, move in zip(parts, moves, strict=True)]
        rivals = [one.rival_labels if move else (one.rival,) for one, move in zip(parts, moves, strict=True)]
        numbers = columns_of(parts, "position", "attribute", "value", "weight", "rival_weight", "difference")
        return {"move": moves, "labels": labels, "rival_labels": rivals, **numbers}

    def _views(self) -> Iterator[str | Table]:
        from seqlab.families.linear.explain.text import explanation_views

        return explanation_views(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dicts and numbers; None for the weight of a transition that is not allowed."""
        plain: dict[str, Any] = _plain(asdict(self))
        return {**plain, "total": self.total}


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return None if isinstance(value, float) and math.isinf(value) else value
