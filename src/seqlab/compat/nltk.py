"""NLTK's tagger interface for any tagger of seqlab; nltk is imported for its tables of confusion only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Self

from seqlab.errors import ShapeError
from seqlab.tagging.tagger import Tagger

Tagged = list[tuple[str, str]]
TABLES = frozenset({"confusion", "precision", "recall", "f_measure", "evaluate_per_tag", "_confusion_cached"})


class TaggerI:
    """A tagger with the methods of nltk.tag.api.TaggerI, over a fitted tagger of seqlab.

    tagger   a fitted tagger that reads words: CRF("pos"), HMM(), MostFrequentTag(), ...

    If nltk is loaded, its instances are also instances of nltk.tag.api.TaggerI. confusion, precision, recall, f_measure
    and evaluate_per_tag are NLTK's own methods, which need it.
    """

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger
        theirs = getattr(sys.modules.get("nltk.tag.api"), "TaggerI", None)
        if theirs is not None and hasattr(theirs, "register"):
            theirs.register(TaggerI)

    @classmethod
    def train(
        cls, tagged_sents: Iterable[Sequence[tuple[str, str]]], tagger: Any = None, **options: Any
    ) -> Self:
        """Train a tagger on sentences of (word, tag) pairs, and wrap it in NLTK's interface.

        tagged_sents   lists of (word, tag) pairs, as NLTK's corpora have them
        tagger         an unfitted tagger of seqlab; None for CRF("pos")
        options        of its fit: dev, callbacks, ...
        """
        if tagger is None:
            from seqlab import CRF

            tagger = CRF("pos")
        words, tags = _apart(tagged_sents)
        tagger.fit(words, tags, **options)
        return cls(tagger)

    def tag(self, tokens: Iterable[str]) -> Tagged:
        """Tag the tokens of a sentence; return a list of (token, tag)."""
        words = list(tokens)
        return list(zip(words, self.tagger.tag(words) if words else [], strict=True))

    def tag_sents(self, sentences: Iterable[Iterable[str]]) -> list[Tagged]:
        """Tag many sentences at once, each a list of tokens."""
        some = [list(sentence) for sentence in sentences]
        found = self.tagger.predict(some) if any(some) else [[] for _ in some]
        return [list(zip(words, tags, strict=True)) for words, tags in zip(some, found, strict=True)]

    def accuracy(self, gold: Iterable[Sequence[tuple[str, str]]]) -> float:
        """Compute the accuracy on gold, sentences of (word, tag) pairs."""
        words, tags = _apart(gold)
        total = sum(map(len, tags))
        if not total:
            raise ShapeError("gold has no tagged word, so accuracy has no meaning")
        pairs = zip(self.tag_sents(words), tags, strict=True)
        return (
            sum(one[1] == tag for found, right in pairs for one, tag in zip(found, right, strict=True))
            / total
        )

    def evaluate(self, gold: Iterable[Sequence[tuple[str, str]]]) -> float:
        """Compute accuracy(gold); its name in older versions of NLTK."""
        return self.accuracy(gold)

    def __getattr__(self, name: str) -> Any:
        """Find NLTK's method of this name, if it is one of those that count what tag_sents confuses."""
        if name not in TABLES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(import_module("nltk.tag.api").TaggerI, name).__get__(self)


def _apart(tagged: Iterable[Sequence[tuple[str, str]]]) -> tuple[list[list[str]], list[list[str]]]:
    """Split sentences of pairs into words and tags."""
    some = [list(sentence) for sentence in tagged]
    return [[word for word, _ in one] for one in some], [[tag for _, tag in one] for one in some]
