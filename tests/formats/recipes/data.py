"""A few invented sentences, in every form in which a model takes them: to learn from, and to ask about."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import seqlab

WORDS = [
    ["The", "old", "man", "runs"],
    ["Rio", "runs", "."],
    ["the", "Rio", "man", "saw", "Zürich"],
    ["old", "men", "run"],
    ["Zürich", "."],
]
POS = [["D", "J", "N", "V"], ["N", "V", "."], ["D", "N", "N", "V", "N"], ["J", "N", "V"], ["N", "."]]
CHUNK = [
    ["B-NP", "I-NP", "I-NP", "B-VP"],
    ["B-NP", "B-VP", "O"],
    ["B-NP", "I-NP", "I-NP", "B-VP", "B-NP"],
    ["B-NP", "I-NP", "B-VP"],
    ["B-NP", "O"],
]
MORE = [["men", "saw", "Oslo", "."]], [["N", "V", "N", "."]], [["B-NP", "B-VP", "B-NP", "O"]]
NEW = [["the", "old", "Nile", "runs", "."], ["Rio"], ["men", "saw", "the", "🙂"]]
NEW_POS = [["D", "J", "N", "V", "."], ["N"], ["N", "V", "D", "X"]]
KNOWN = [["the", "old", "man", "runs", "."], ["Rio"], ["men", "saw", "the", "Rio"]]
SEEN = [*KNOWN, ["men", "saw", "Rio", "."]]


def pairs(words: list[list[str]], tags: list[list[str]]) -> list[list[tuple[str, str]]]:
    """Sentences of (word, tag)."""
    return [list(zip(*both, strict=True)) for both in zip(words, tags, strict=True)]


def bags(words: list[list[str]]) -> list[list[list[str]]]:
    """Ready-made attributes as strings."""
    return [[[f"w={word}", f"end={word[-1]}", "bias"] for word in sentence] for sentence in words]


def dicts(words: list[list[str]]) -> list[list[dict[str, float]]]:
    """Ready-made attributes with values."""
    return [[{f"w={word}": 1.0, "length": len(word) / 4} for word in sentence] for sentence in words]


def counts(words: list[list[str]]) -> list[np.ndarray]:
    """Two whole numbers for every word."""
    return [np.array([[len(word), word.count("n") + 2 * word.istitle()] for word in one]) for one in words]


def vectors(words: list[list[str]]) -> list[np.ndarray]:
    """Two numbers for every word, no two of them quite alike."""
    return [both + 0.125 * np.sin(np.arange(both.size)).reshape(both.shape) for both in counts(words)]


def codes(words: list[list[str]]) -> list[list[int]]:
    """A whole number for every word."""
    return [[len(word) % 4 for word in sentence] for sentence in words]


def tagged(words: list[list[str]], tags: list[list[str]]) -> seqlab.Corpus:
    """A corpus with columns."""
    return seqlab.Corpus.from_lists(word=words, pos=tags)


def mixed(words: list[list[str]]) -> seqlab.Corpus:
    """Words, attributes with values and vectors side by side."""
    return seqlab.Corpus.from_lists(word=words, bag=dicts(words), vec=vectors(words))


def streams(words: list[list[str]]) -> list[list[tuple[Any, ...]]]:
    """A word and a vector for every token."""
    both = zip(words, vectors(words), strict=True)
    return [[(word, tuple(vector)) for word, vector in zip(*one, strict=True)] for one in both]


ROWS = [{"ball": 3, "goal": 1}, {"ball": 2, "goal": 2}, {"bank": 2, "rate": 3}, {"rate": 1, "bank": 1}]
TABLE = np.array([[3.0, 1, 0, 0], [2, 2, 0, 1], [0, 0, 2, 3], [0, 1, 1, 1]])
POINTS = np.array([[0.0, 0.5], [0.25, 0.0], [4.0, 4.5], [5.0, 4.0], [4.5, 4.25]])

# What a fixture is asked about, by name; where it can learn on, (X, y) to learn on from.
ASKED: dict[str, tuple[Any, Any]] = {
    "words": (NEW, (MORE[0], MORE[2])),
    "trained words": (WORDS[:3], (WORDS[:4], POS[:4])),
    "words with tags": (pairs(NEW, NEW_POS), (pairs(*MORE[:2]), MORE[2])),
    "words for tags": (NEW, (MORE[0], MORE[1])),
    "bags": (bags(NEW), (bags(MORE[0]), MORE[2])),
    "dicts": (dicts(NEW), (dicts(MORE[0]), MORE[2])),
    "vectors": (vectors(NEW), (vectors(MORE[0]), MORE[2])),
    "mixed": (mixed(NEW), (mixed(MORE[0]), MORE[2])),
    "codes": (codes(NEW), (codes(MORE[0]), None)),
    "counts": (counts(NEW), (counts(MORE[0]), None)),
    "streams": (streams(KNOWN), (streams(SEEN), None)),
    "unlabelled words": (KNOWN, (SEEN, None)),
    "unlabelled new words": (NEW, (SEEN, None)),
    "unlabelled vectors": (vectors(NEW), (vectors(MORE[0]), None)),
    "unlabelled bags": (bags(KNOWN), (bags(SEEN), None)),
    "unlabelled dicts": (dicts(KNOWN), (dicts(SEEN), None)),
    "symbols": (NEW, (MORE[0], None)),
    "closed symbols": (KNOWN, None),
    "counts alone": (
        counts(NEW),
        None,
    ),  # these do not learn on, as priors of emissions come back in part only
    "vectors alone": (vectors(NEW), None),
    "rows": (ROWS, None),
    "table": (TABLE, None),
    "points": (POINTS, None),
}


# ------------------------------------------------------------------------------------------------ functions


def endings(sentence: Any, t: int) -> Any:
    """Features of a token."""
    yield sentence["word"][t][-2:]
    yield "length", len(sentence["word"][t]) / 4


def first_letters(sentence: Any, t: int) -> Any:
    """Other ones."""
    yield sentence["word"][t][0]


def neighbours(tokens: Any, labels: Any) -> Any:
    """Features of a whole labelling."""
    yield from (f"{one} {other}" for one, other in itertools.pairwise(labels))
    yield "tokens", len(labels) / 4


FUNCTIONS = {"endings": endings, "first_letters": first_letters, "neighbours": neighbours}
