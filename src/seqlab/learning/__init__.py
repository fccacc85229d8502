"""Learning code independent of the model: optimisers, training history, monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.learning.history import Epoch, History
    from seqlab.learning.optimisers import Iteration, Minimum, minimise
else:  # otherwise a type checker would accept any attribute of the package
    __getattr__, __dir__ = when_used(
        __name__,
        {"history": ("Epoch", "History"), "optimisers": ("Iteration", "Minimum", "minimise")},
    )

__all__ = ["Epoch", "History", "Iteration", "Minimum", "minimise"]
