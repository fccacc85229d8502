"""Pools of strings as plain data."""

from __future__ import annotations

import numpy as np

from seqlab import _core
from seqlab.errors import StoreError
from seqlab.store.state import State


def pool_of(state: State, name: str) -> _core.StringPool:
    """The pool that pool.arrays() laid out; numbers of strings are what they were."""
    content, begins = state.text(name)
    made = _core.pool_of(np.ascontiguousarray(content), np.ascontiguousarray(begins))
    if not isinstance(made, _core.StringPool):
        raise StoreError(f"the strings {name!r} are not sound UTF-8, or one of them is there twice")
    return made
