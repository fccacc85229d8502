"""Learning: objectives walked downhill. So far the optimisers; learners will stand on them."""

from __future__ import annotations

from seqlab.learning.optimisers import Iteration, Minimum, minimise

__all__ = ["Iteration", "Minimum", "minimise"]
