"""The trellis: log-potentials of a sequence, checked once, and its masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.trellis.constraints import Constraints
    from seqlab.trellis.trellis import Trellis, TrellisBatch
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "constraints": ("Constraints",),
            "trellis": ("Trellis", "TrellisBatch"),
        },
    )

__all__ = ["Constraints", "Trellis", "TrellisBatch"]
