"""Explain what a model has learned, and why it chose a label: weights by name, and accounts that add up."""

from __future__ import annotations

from seqlab.families.linear.explain.asking import explain
from seqlab.families.linear.explain.explanation import Contribution, Explanation, MoveContribution
from seqlab.families.linear.weights import (
    FeatureWeight,
    TransitionWeight,
    state_features,
    top_features,
    top_transitions,
    transition_features,
)

__all__ = [
    "Contribution",
    "Explanation",
    "FeatureWeight",
    "MoveContribution",
    "TransitionWeight",
    "explain",
    "state_features",
    "top_features",
    "top_transitions",
    "transition_features",
]
