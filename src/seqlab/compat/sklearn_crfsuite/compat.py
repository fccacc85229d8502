"""The base class that sklearn-crfsuite takes from scikit-learn."""

from __future__ import annotations

from sklearn.base import BaseEstimator

__all__ = ["BaseEstimator"]
