"""What one trellis and a batch of them say of themselves in the same words."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqlab.trellis.checks import Tables
from seqlab.trellis.labels import LabelSet


class Described:
    """Labels, order and dtype of checked tables."""

    __slots__ = ()

    _tables: Tables
    _order: int
    _label_set: LabelSet

    @property
    def L(self) -> int:
        """Number of labels."""
        return self._label_set.size

    @property
    def order(self) -> int:
        """How many earlier labels a move looks at."""
        return self._order

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64: what the scores are and what inference computes in."""
        return self._tables.node.dtype

    @property
    def per_position(self) -> bool:
        """Whether edge has one slab per position."""
        return self._tables.per_position

    @property
    def labels(self) -> tuple[str, ...] | None:
        """Names of the labels, if they have any."""
        return self._label_set.names

    @property
    def label_set(self) -> LabelSet:
        """Translates between names and numbers."""
        return self._label_set
