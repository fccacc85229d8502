"""The trellis: log-potentials of a sequence, checked once, and the masks that may lie on it."""

from __future__ import annotations

from seqlab.trellis.batch import TrellisBatch
from seqlab.trellis.constraints import Constraints
from seqlab.trellis.trellis import Trellis

__all__ = ["Constraints", "Trellis", "TrellisBatch"]
