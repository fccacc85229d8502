"""Options of a training out of core."""

from __future__ import annotations

import os
from typing import Any

from seqlab.errors import OptionError

Size = int | str | None  # of memory: bytes, or "2G"
Folder = str | os.PathLike[str] | None


def in_memory_only(**given: Any) -> None:
    """Refuse options of fit that a training out of core does not have."""
    for option, value in given.items():
        if value is not None:
            raise OptionError(
                f"{option} is for a training in memory; leave it out, or leave max_memory and cache out",
                option=option,
            )
