"""Inputs to begin with, for the targets in C++: the files of the doors, behind the bytes that say how to read them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from fuzz import doors


def _files(name: str, *heads: bytes) -> list[bytes]:
    _, seeds, _ = doors.MAKERS[name]()
    return [head + seed.removeprefix(b"\0") for head in heads or (b"",) for seed in seeds]


def _any(count: int = 16, size: int = 200) -> list[bytes]:
    """Targets that make their data of numbers begin with any."""
    rng = random.Random(1)
    return [rng.randbytes(size) for _ in range(count)] + [bytes(size)]


NATIVE: dict[str, Callable[[], Sequence[bytes]]] = {
    "columns": lambda: _files("conll", b"\1\0\0\0\0\7") + _files("conllu", b"\4\0\0\5", b"\4\2\1\4\0\5"),
    "attributes": lambda: _files("crfsuite", b"\0\7"),
    "lines": lambda: _files("slash", b"\1\0\7") + _files("text", b"\0\0\7"),
    "json": lambda: _files("json_batch"),
    "crfsuite": lambda: _files("crfsuite_model"),
    "arpa": lambda: _files("arpa"),
    "tokeniser": lambda: _files("tokeniser", *(bytes([8 + flags]) for flags in range(8))) + _any(),
    "functions": lambda: _files("tokeniser", b"\1\3\1\1\5\2\1") + _any(size=60),
    "pool": _any,
    "ngrams": lambda: _any(size=120),
    "templates": _any,
    "tables": _any,
    "inference": lambda: _any(size=200),
}
