"""A path and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from seqlab.arrays import LabelIds
from seqlab.trellis.labels import Label, LabelSet


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One labelling of a sequence.

    ids        (T,) label numbers
    labels     the same in the user's words (numbers where the trellis has no names)
    score      sum of its node and edge scores
    log_prob   score - log Z, or None when log Z was not asked for
    exact      False when a beam may have lost a better path
    """

    ids: LabelIds
    score: float
    log_prob: float | None = None
    exact: bool = True
    _names: LabelSet | None = field(default=None, repr=False)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Label names, or numbers where there are no names."""
        return tuple(self.ids.tolist()) if self._names is None else self._names.words(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return NotImplemented
        return self.labels == other.labels and self.score == other.score

    def __hash__(self) -> int:
        return hash((self.labels, self.score))

    def __repr__(self) -> str:
        shown = self.ids[:12]
        words = shown.tolist() if self._names is None else list(self._names.words(shown))
        more = f" + {len(self) - 12} more" if len(self) > 12 else ""
        chance = "" if self.log_prob is None else f", log_prob={self.log_prob:.6g}"
        doubt = "" if self.exact else ", exact=False"
        return f"Path({words}{more}, score={self.score:.6g}{chance}{doubt})"
