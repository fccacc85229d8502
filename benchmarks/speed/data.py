"""The shared corpora: where they are, or that they are not there."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.speed.machine import ROOT

FOLDER = "SEQLAB_DATA"


def folder() -> Path:
    """The folder in the environment variable, else the sibling ../shared/data."""
    return Path(os.environ.get(FOLDER) or ROOT.parent / "shared" / "data")


def found(name: str) -> Path | None:
    """A file of that folder; None when it is not there."""
    path = folder() / name
    return path if path.is_file() else None


def absent(case: str) -> str:
    """What to print in place of a measurement."""
    return f"{case}: skipped, no corpora in {folder()}; set {FOLDER} to the folder that has them"
