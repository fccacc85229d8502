"""Texts whose tokens and sentences are known: tokenised lines beside their text, or written as people do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from seqlab.errors import CorpusError, Place
from seqlab.text.document import Document
from seqlab.text.places import checked_text

# Forms of treebanks for characters of the text.
WRITTEN = {"``": ('"', "“"), "''": ('"', "”"), "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",),
           "-LCB-": ("{",), "-RCB-": ("}",)}  # fmt: skip


def arrays(*lists: list[int]) -> Any:
    """Return arrays of places."""
    return (np.array(one, dtype=np.int64) for one in lists)


def place_of(form: str, text: str, at: int, place: Place) -> tuple[int, int]:
    """Return where a token stands in the text, from `at` on, blanks skipped."""
    while at < len(text) and text[at].isspace() and not form[:1].isspace():
        at += 1
    for written in (form, *WRITTEN.get(form, ())):
        if written and text.startswith(written, at):
            return at, at + len(written)
    raise CorpusError(
        f"the token {form!r:.40} is not in the text, which goes on with {text[at : at + 20]!r}; tokens and "
        f"text must be the same characters",
        place=place,
    )


def align(text: str, sentences: Iterable[Iterable[str]], *, name: str = "") -> Document:
    """Find the tokens of sentences in their text.

    text        the raw text
    sentences   lists of words, or lines with blanks between words; together they have every character of the text
                that is no blank, in its order. Treebanks' brackets and quotes (-LRB-, ``) are known
    name        of the document, for messages
    """
    checked_text(text)
    at, found = 0, []
    for number, sentence in enumerate(sentences):
        places = []
        for position, word in enumerate(sentence.split() if isinstance(sentence, str) else sentence):
            place = Place(number, position, path=name or None, item="token")
            begin, at = place_of(word, text, at, place)
            places.append((begin, at))
        if places:
            found.append(places)
    if text[at:].strip():
        raise CorpusError(
            f"the text goes on with {text[at:].strip()[:20]!r} where the sentences end; tokens and text must be "
            f"the same characters",
            place=Place(path=name or None),
        )
    return Document.from_offsets(text, found, name=name)


def detokenise(sentences: Iterable[Iterable[str]]) -> Document:
    """Write sentences of words as people do, without blanks around punctuation and before clitics.

    sentences   lists of words; the document keeps the place of each
    """
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    offsets = [0]
    continued: list[bool] = []
    size = 0
    for sentence in sentences:
        words = list(sentence)
        glued = [False] * len(words)
        opened = False
        for t, (before, word) in enumerate(pairwise(words), 1):
            opened ^= before == '"'
            glued[t] = _glued(before, word, opened=opened)
        text = "".join(word if t == 0 or glued[t] else f" {word}" for t, word in enumerate(words))
        at = 0
        size += 1 if pieces else 0
        for t, word in enumerate(words):
            at += 0 if t == 0 or glued[t] else 1
            begins.append(size + at)
            at += len(word)
            ends.append(size + at)
            continued.append(glued[t] and word.lower() in CLITICS)
        pieces.append(text)
        size += len(text)
        offsets.append(len(begins))
    made = Document(" ".join(pieces), *arrays(begins, ends, offsets))
    return replace(made, joined=np.array(continued, dtype=bool))


CLOSING = frozenset(".,;:!?)]}%…”’»")
OPENING = frozenset("([{$£€#“‘«")
CLITICS = frozenset(
    {"'s", "'m", "'d", "'re", "'ve", "'ll", "n't", "’s", "’m", "’d", "’re", "’ve", "’ll", "n’t", "'"}
)


def _glued(before: str, word: str, *, opened: bool) -> bool:
    """Tell whether people write no blank between two words."""
    if (
        word.lower() in CLITICS
        or word in "'’"
        or (len(word) <= 3 and word and all(c in CLOSING for c in word))
    ):
        return True
    if word == '"':
        return opened
    return before in OPENING or (before == '"' and opened)
