"""A tokeniser and sentence splitter that has learned from tokenised text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from seqlab import _core, store
from seqlab.errors import StoreError
from seqlab.evaluation.segmentation import SegmentationReport, score_segmentation
from seqlab.shown import cut
from seqlab.store.codec import Part, state_of
from seqlab.store.fields import Array, Record
from seqlab.text.document import Document
from seqlab.text.places import checked_text
from seqlab.text.rules import RuleTokeniser

BOUNDARIES = ("inside", "word", "token", "sentence")  # labels of a place, in the order of the core


@dataclass(frozen=True, eq=False, repr=False)
class TrainedTokeniser:
    """Cut texts into tokens and sentences as a corpus has shown: a linear chain over the places of a text.

    Each place where a token may begin has one of four labels: inside a token, a word inside a token (n't in don't), a
    token, a sentence (as in Elephant; eq:viterbi finds the best ones together). An empty line always ends a sentence.
    Make one with TrainedTokeniser.train.

    rules        a tokeniser by rules, whose answers are features
    pairs        (classes, classes)   1 where every place between characters of two classes is decided
    cuts         contexts of other places that are decided, as hashes
    words        words of training, as hashes
    word_kinds   (words,)   1 for words that hardly ever have a capital letter, 3 for those that nearly always do, 2
    keys         (features,)   hashes of features
    weights      (features, 4)   for each label
    moves        (4, 4)   from label to label
    documents, sentences, tokens   of training
    multiwords   tokens that stand for several words, in small letters, with a tab between token and words
    """

    stored_kind: ClassVar[str] = "trained tokeniser"

    rules: Annotated[RuleTokeniser, Part(RuleTokeniser)]
    pairs: Annotated[npt.NDArray[np.uint8], Array(np.uint8, "C", "C", least=0, below=2)]
    cuts: Annotated[npt.NDArray[np.uint64], Array(np.uint64, "cuts")]
    words: Annotated[npt.NDArray[np.uint64], Array(np.uint64, "words")]
    word_kinds: Annotated[npt.NDArray[np.uint8], Array(np.uint8, "words", least=1, below=4)]
    keys: Annotated[npt.NDArray[np.uint64], Array(np.uint64, "features")]
    weights: Annotated[npt.NDArray[np.float16], Array(np.float16, "features", 4, finite=True)]
    moves: Annotated[npt.NDArray[np.float32], Array(np.float32, 4, 4, finite=True)]
    documents: Annotated[int, Record(int, least=0)] = 0
    sentences: Annotated[int, Record(int, least=0)] = 0
    tokens: Annotated[int, Record(int, least=0)] = 0
    multiwords: tuple[str, ...] = ()

    def check(self) -> None:
        """Check the values read from a file."""
        if len(self.pairs) != _core.class_count:
            raise StoreError(
                f"the tokeniser knows {len(self.pairs)} classes of characters, this version of seqlab has "
                f"{_core.class_count}; train it again"
            )
        bad = next(
            (one for one in self.multiwords if len(one.split("\t")) < 3 or "" in one.split("\t")), None
        )
        if bad is not None:
            raise StoreError(
                f"a token of several words should stand there with tabs between them, found {bad!r:.60}"
            )

    @classmethod
    def train(
        cls,
        documents: Iterable[Document] | str | os.PathLike[str],
        *,
        rules: RuleTokeniser | None = None,
        epochs: int = 8,
        l2: float = 0.05,
        min_count: int = 2,
        prune: float = 0.02,
        seed: int = 0,
        threads: int | None = None,
    ) -> Self:
        """Learn from documents whose tokens and sentences are right.

        documents   Document objects (read_conllu, align and Document.from_offsets make them), or a CoNLL-U file
        rules       a tokeniser by rules, whose answers are features, abbreviations included; None for the usual one
        epochs      visits to every paragraph
        l2          strength of the penalty on weights (c2 of CRFsuite)
        min_count   features that are met less often are left out
        prune       weights of at most this size are left out afterwards
        seed        for the order of visits
        threads     how many to use; None for every core. The tokeniser is the same for any number
        """
        from seqlab.text.training import Options, learn

        made: Self = learn(
            cls,
            documents,
            Options(rules or RuleTokeniser(split_hyphens=True), epochs, l2, min_count, prune, seed, threads),
        )
        return made

    @cached_property
    def _learned(self) -> _core.LearnedTokens:
        made = _core.LearnedTokens(
            self.rules._rules, self.pairs.reshape(-1), self.cuts, self.words, self.word_kinds
        )
        weights = np.ascontiguousarray(self.weights, dtype=np.float32)
        made.set_weights(self.keys, weights.reshape(-1), self.moves.reshape(-1))
        return made

    def __call__(self, text: str) -> Document:
        """Return the text with its tokens and sentences."""
        begins, ends, offsets, joined = self._learned.segmented(checked_text(text))
        made = Document(text, begins, ends, offsets, joined.view(bool))
        return replace(made, multiword=self._expanded(made.words)) if self.multiwords else made

    @cached_property
    def _several(self) -> dict[str, tuple[str, ...]]:
        """{token in small letters: its words}."""
        split = (one.split("\t") for one in self.multiwords)
        return {token: tuple(words) for token, *words in split}

    def _expanded(self, tokens: list[str]) -> dict[int, tuple[str, ...]]:
        """Return {number of a token: the words that it stands for}, with its capital letters."""
        found = {}
        for number, token in enumerate(tokens):
            words = self._several.get(token.lower())
            if words is not None:
                found[number] = _capitalised(words, token)
        return found

    def evaluate(self, documents: Iterable[Document]) -> SegmentationReport:
        """Cut the texts of documents anew, and score tokens, words and sentences against theirs."""
        gold = list(documents)
        return score_segmentation(gold, [self(one.text) for one in gold])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokeniser to a file at path, whole or not at all; seqlab.load(path) reads it."""
        store.write(path, state_of(self))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this process."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __repr__(self) -> str:
        sizes = f"{self.sentences:,} sentences, {self.tokens:,} tokens"
        return cut(f"TrainedTokeniser({len(self.keys):,} features, trained on {sizes})")


def _capitalised(words: tuple[str, ...], token: str) -> tuple[str, ...]:
    if len(token) > 1 and token.isupper():
        return tuple(word.upper() for word in words)
    return (words[0][:1].upper() + words[0][1:], *words[1:]) if token[:1].isupper() else words
