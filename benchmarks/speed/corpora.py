"""Real corpora, which are not part of the project: SEQLAB_DATA names their folder, ../shared/data is the default."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmarks.speed.machine import ROOT


def folder() -> Path:
    return Path(os.environ.get("SEQLAB_DATA", ROOT.parent / "shared" / "data"))


def find(name: str) -> Path | None:
    """The file of this name, such as "conll2000/train.txt", when it is there."""
    path = folder() / name
    return path if path.is_file() else None


def missing(name: str) -> None:
    """Say what is left out, and what would help."""
    print(f"left out: {name} is not in {folder()}; SEQLAB_DATA names another folder", file=sys.stderr)
