"""The report of prune()."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from seqlab.store.packing import check_dtype


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What pruning saved, and what it lost; str() says it in one line.

    weights_before, weights_after         of attributes and of moves, all that the model has
    attributes_before, attributes_after   that the encoder knows, those of label pairs too
    bytes_before, bytes_after             of the arrays in the model file; None for a tagger that cannot be saved
    storage                               how the file holds the weights
    metric                                what was measured on `dev`; None without one, and then the scores are None
    score_before, score_after             larger is better
    """

    weights_before: int
    weights_after: int
    attributes_before: int
    attributes_after: int
    bytes_before: int | None
    bytes_after: int | None
    storage: str
    metric: str | None = None
    score_before: float | None = None
    score_after: float | None = None

    @property
    def loss(self) -> float | None:
        """How much lower the score is; below 0 where pruning helped. None without `dev`."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_before - self.score_after

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings by name."""
        return asdict(self)

    def check(self) -> None:
        """Refuse what no pruning reports."""
        check_dtype(self.storage)

    def __str__(self) -> str:
        share = self.weights_after / self.weights_before if self.weights_before else 1.0
        size = ""
        if self.bytes_before is not None and self.bytes_after is not None:
            size = f", {_size(self.bytes_before)} -> {_size(self.bytes_after)} as {self.storage}"
        return (
            f"{self.weights_before:,} -> {self.weights_after:,} weights ({share:.1%}){size}; "
            f"{self._loss_in_words()}"
        )

    def _loss_in_words(self) -> str:
        if self.loss is None:
            return "loss of accuracy not measured (pass dev=)"
        change = f"{self.metric} {self.score_before:.4f} -> {self.score_after:.4f}"
        if self.loss == 0:
            return f"{change} (no loss)"
        return f"{change} ({'loss' if self.loss > 0 else 'gain'} {abs(self.loss):.4f})"


def _size(count: int) -> str:
    for unit, large in (("MB", 1e6), ("kB", 1e3)):
        if count >= large:
            return f"{count / large:.1f} {unit}"
    return f"{count} bytes"
