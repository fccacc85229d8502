"""A path and what is known of it."""

from __future__ import annotations

from typing import Any, NoReturn

from seqlab.arrays import LabelIds
from seqlab.trellis.labels import Label, LabelSet


class Path:
    """One labelling of a sequence; frozen.

    ids        (T,) label numbers, read-only
    labels     the same in the user's words (numbers where the trellis has no names)
    score      sum of its node and edge scores
    log_prob   score - log Z, or None when log Z was not asked for
    exact      False when a beam may have lost a better path
    """

    # Written by hand: a frozen dataclass takes three times as long to make, and a corpus has many sentences.
    __slots__ = ("_label_set", "exact", "ids", "log_prob", "score")

    ids: LabelIds
    score: float
    log_prob: float | None
    exact: bool
    _label_set: LabelSet | None

    def __init__(
        self,
        ids: LabelIds,
        score: float,
        log_prob: float | None = None,
        exact: bool = True,  # noqa: FBT001, FBT002  (a field, not a switch)
        label_set: LabelSet | None = None,
    ) -> None:
        _set_ids(self, ids)
        _set_score(self, score)
        _set_log_prob(self, log_prob)
        _set_exact(self, exact)
        _set_label_set(self, label_set)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Label names, or numbers where there are no names."""
        return tuple(self.ids.tolist()) if self._label_set is None else self._label_set.words(self.ids)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Path cannot be changed: {name!r} stays what it is")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.ids, self.score, self.log_prob, self.exact, self._label_set)

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
        words = shown.tolist() if self._label_set is None else list(self._label_set.words(shown))
        more = f" + {len(self) - 12} more" if len(self) > 12 else ""
        chance = "" if self.log_prob is None else f", log_prob={self.log_prob:.6g}"
        doubt = "" if self.exact else ", exact=False"
        return f"Path({words}{more}, score={self.score:.6g}{chance}{doubt})"


_set_ids, _set_score, _set_log_prob, _set_exact, _set_label_set = (
    getattr(Path, name).__set__ for name in ("ids", "score", "log_prob", "exact", "_label_set")
)


def _revived(ids: LabelIds, *rest: Any) -> Path:
    """What unpickling calls: NumPy forgets that an array was read-only."""
    ids.flags.writeable = False
    return Path(ids, *rest)
