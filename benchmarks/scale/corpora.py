"""A corpus of any size: the demo corpus repeated with variation, some words with a number after them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

import seqlab

COLUMNS = ("word", "pos", "chunk")
VARIED = 0.1  # share of words that get a number


def write(path: Path, tokens: int, *, seed: int = 1, rarity: float = 1.3) -> Path:
    """Write at least so many tokens to a file, gzipped; the same for the same seed.

    rarity   exponent of the numbers: the larger, the fewer different words
    """
    sentences = [list(zip(*(s[name] for name in COLUMNS), strict=True)) for s in seqlab.demo_corpus("train")]
    rng, done = np.random.default_rng(seed), 0
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
        while done < tokens:
            for sentence in sentences:
                varied = rng.random(len(sentence)) < VARIED
                numbers = np.minimum(rng.zipf(rarity, len(sentence)), 99_999).tolist()
                for (word, pos, chunk), vary, number in zip(sentence, varied.tolist(), numbers, strict=True):
                    file.write(f"{word}{number if vary else ''}\t{pos}\t{chunk}\n")
                file.write("\n")
                done += len(sentence)
                if done >= tokens:
                    break
    return path
