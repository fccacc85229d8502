"""Parameters of models, and how they become a trellis."""

from __future__ import annotations

from seqlab.models.linear import LinearModel
from seqlab.models.rules import Rules

__all__ = ["LinearModel", "Rules"]
