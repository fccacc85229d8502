"""Parameters of models, and how they become a trellis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.models.linear import LinearModel
    from seqlab.models.rules import Rules
else:  # a type checker would take any name for one of the package
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "linear": ("LinearModel",),
            "rules": ("Rules",),
        },
    )

__all__ = ["LinearModel", "Rules"]
