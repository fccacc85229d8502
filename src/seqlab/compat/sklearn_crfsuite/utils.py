"""Helpers of sklearn-crfsuite."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any


def flatten(y: Iterable[Iterable[Any]]) -> list[Any]:
    """Join the lists of y into one list."""
    return list(chain.from_iterable(y))
