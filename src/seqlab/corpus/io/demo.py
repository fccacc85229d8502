"""The demo corpus that is part of the package."""

from __future__ import annotations

import functools
import operator

from seqlab.corpus.corpus import Corpus
from seqlab.corpus.io.reader import read
from seqlab.errors import OptionError

DEMO_COLUMNS = ("word", "pos", "chunk", "entity")
DEMO_PARTS = {"train": ("train",), "test": ("test",), "all": ("train", "test")}


def demo_corpus(part: str = "all") -> Corpus:
    """English sentences of several registers with parts of speech, chunks and entities.

    part    "train", "test", or "all" for both, train first

    Columns: word, pos (Universal Dependencies), chunk and entity (IOB2).
    """
    if not isinstance(part, str) or part not in DEMO_PARTS:
        raise OptionError(f"part must be one of {sorted(DEMO_PARTS)}, got {part!r}")
    from importlib.resources import as_file, files  # slow to import

    found = []
    for name in DEMO_PARTS[part]:
        with as_file(files("seqlab.corpus") / "demo" / f"{name}.txt") as path:
            found.append(read(path, "conll", columns=DEMO_COLUMNS, separator="\t", docstart=False))
    return functools.reduce(operator.add, found)
