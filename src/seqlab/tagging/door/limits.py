"""Options of a training out of core."""

from __future__ import annotations

import os
from typing import Any

from seqlab.errors import OptionError

Size = int | str | None  # of memory: bytes, or "2G"
Folder = str | os.PathLike[str] | None


NEEDS = {"start": "attributes on disk are numbered by their own frequency, not behind those of another model"}


def in_memory_only(**given: Any) -> None:
    """Refuse options of fit that a training out of core does not have."""
    for option, value in given.items():
        if value is not None:
            raise OptionError(
                f"{option} is for a training in memory: {NEEDS[option]}; leave it out, or leave max_memory and cache "
                f"out",
                option=option,
            )
