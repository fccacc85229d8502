"""A corpus of any size: the demo corpus repeated with variation, some words with a number after them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import seqlab

COLUMNS = ("word", "pos", "chunk")
VARIED = 0.1  # share of words that get a number

Words, Chunks = list[tuple[str, str]], list[str]


def sentences(tokens: int, *, seed: int = 1, rarity: float = 1.3) -> Iterator[tuple[Words, Chunks]]:
    """Yield sentences of (word, part of speech) with their chunks, at least so many tokens; the same for the same seed.

    rarity   exponent of the numbers: the larger, the fewer different words
    """
    known = [tuple(list(s[name]) for name in COLUMNS) for s in seqlab.demo_corpus("train")]
    rng, done = np.random.default_rng(seed), 0
    while done < tokens:
        for words, pos, chunks in known:
            varied = rng.random(len(words)) < VARIED
            numbers = np.minimum(rng.zipf(rarity, len(words)), 99_999).tolist()
            own = list(words)
            for t in np.flatnonzero(varied).tolist():
                own[t] += str(numbers[t])
            yield list(zip(own, pos, strict=True)), chunks
            done += len(words)
            if done >= tokens:
                break


def write(path: Path, tokens: int, *, seed: int = 1, rarity: float = 1.3) -> Path:
    """Write such a corpus to a file, gzipped."""
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
        for words, chunks in sentences(tokens, seed=seed, rarity=rarity):
            lines = [f"{word}\t{pos}\t{chunk}\n" for (word, pos), chunk in zip(words, chunks, strict=True)]
            file.write("".join([*lines, "\n"]))
    return path
