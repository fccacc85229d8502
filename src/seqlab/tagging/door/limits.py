"""Options of a training out of core."""

from __future__ import annotations

import os

Size = int | str | None  # of memory: bytes, or "2G"
Folder = str | os.PathLike[str] | None
