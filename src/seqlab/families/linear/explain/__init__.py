"""Explanations: the weights of a model by name, and the contributions to a decision, which add up to its score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.families.linear.explain.asking import explain, explained
    from seqlab.families.linear.explain.explanation import Contribution, Explanation, MoveContribution
    from seqlab.families.linear.explain.weights import (
        FeatureWeight,
        TransitionWeight,
        edited,
        state_features,
        top_features,
        top_transitions,
        transition_features,
    )
else:  # otherwise a type checker would accept any attribute of the package
    _OF_WEIGHTS = ("state_features", "top_features", "top_transitions", "transition_features")
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "asking": ("explain", "explained"),
            "explanation": ("Contribution", "Explanation", "MoveContribution"),
            "weights": ("FeatureWeight", "TransitionWeight", "edited", *_OF_WEIGHTS),
        },
    )

__all__ = ["Contribution", "Explanation", "FeatureWeight", "MoveContribution", "TransitionWeight", "edited"]
__all__ += ["explain", "explained", "state_features", "top_features", "top_transitions"]
__all__ += ["transition_features"]
