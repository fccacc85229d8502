"""The corpus that comes with the package: docs/demo-corpus.md says how it was made and what its labels mean."""

from __future__ import annotations

from seqlab.corpus.corpus import Corpus
from seqlab.corpus.io.reader import read
from seqlab.errors import OptionError

COLUMNS = ("word", "pos", "chunk", "entity")
PARTS = {"train": ("train",), "test": ("test",), "all": ("train", "test")}


def demo_corpus(part: str = "all") -> Corpus:
    """English sentences of several registers with parts of speech, chunks and entities.

    part    "train", "test", or "all" for both, train first

    Columns: word, pos (Universal Dependencies), chunk and entity (IOB2).
    """
    if not isinstance(part, str) or part not in PARTS:
        raise OptionError(f"part must be one of {sorted(PARTS)}, got {part!r}")
    first, *rest = [_read(name) for name in PARTS[part]]
    for other in rest:
        first = first + other
    return first


def _read(name: str) -> Corpus:
    from importlib.resources import as_file, files  # slow to import

    with as_file(files("seqlab.corpus") / "demo" / f"{name}.txt") as path:
        return read(path, "conll", columns=COLUMNS, separator="\t", docstart=False)
