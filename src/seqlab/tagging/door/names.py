"""Names of labels; those given as whole numbers are named by their digits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def is_whole(label: Any) -> bool:
    """Return True for a label that is a whole number, of Python or NumPy."""
    return isinstance(label, (int, np.integer)) and not isinstance(label, bool)


def label_name(label: Any) -> Any:
    """Return the name of a label: the digits of a whole number; anything else as it is."""
    return str(int(label)) if is_whole(label) else label


def by_value(names: Iterable[str]) -> tuple[str, ...]:
    """Sort names of whole numbers by value; other names come last."""
    digits = {name: name.removeprefix("-").isdecimal() for name in names}
    return tuple(sorted(digits, key=lambda name: (not digits[name], int(name) if digits[name] else 0, name)))
