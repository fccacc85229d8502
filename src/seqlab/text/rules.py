"""A tokeniser and sentence splitter by rules."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from seqlab import _core, store
from seqlab.arrays import switch
from seqlab.errors import OptionError
from seqlab.shown import Brief
from seqlab.store.codec import state_of
from seqlab.text import english
from seqlab.text.document import Document
from seqlab.text.places import checked_text


@dataclass(frozen=True, repr=False)
class RuleTokeniser(Brief):
    """Cut any text into tokens and sentences by rules, without a model.

    Words, numbers (1,000.50), links, e-mail addresses, hashtags and emoji stay whole, punctuation stands apart, Chinese
    and Japanese are cut into characters. An empty line ends a sentence.

    clitics         True cuts English clitics off, as treebanks do: do n't, Anna 's. False leaves them
    split_hyphens   True cuts at hyphens: well - known
    lines           True ends a sentence at every line
    titles          abbreviations that never end a sentence, without their last period: "dr"
    abbreviations   others: they end one when a word of `starters` follows
    starters        words that begin a sentence: "the"
    """

    stored_kind: ClassVar[str] = "rule tokeniser"

    clitics: bool = True
    split_hyphens: bool = False
    lines: bool = False
    titles: tuple[str, ...] = english.TITLES
    abbreviations: tuple[str, ...] = english.ABBREVIATIONS
    starters: tuple[str, ...] = english.STARTERS

    def __post_init__(self) -> None:
        for name in ("clitics", "split_hyphens", "lines"):
            switch(getattr(self, name), name)
        for name in ("titles", "abbreviations", "starters"):
            given = getattr(self, name)
            some = () if isinstance(given, str) else tuple(given)
            if isinstance(given, str) or not all(isinstance(one, str) for one in some):
                raise OptionError(f"{name} is a list of words, got {given!r:.80}", option=name)
            object.__setattr__(self, name, some)

    @cached_property
    def _rules(self) -> _core.TokenRules:
        words = ([_folded(one) for one in some] for some in (self.titles, self.abbreviations, self.starters))
        return _core.TokenRules(bool(self.clitics), bool(self.split_hyphens), bool(self.lines), *words)

    def __call__(self, text: str) -> Document:
        """Return the text with its tokens and sentences."""
        begins, ends, offsets, joined = self._rules.segmented(checked_text(text))
        return Document(text, begins, ends, offsets, joined.view(bool))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the options to a file at path, whole or not at all; seqlab.load(path) reads it."""
        store.write(path, state_of(self))

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this process."""
        names = ("clitics", "split_hyphens", "lines", "titles", "abbreviations", "starters")
        return {name: getattr(self, name) for name in names}


def _folded(word: str) -> str:
    """Return an abbreviation as the rules know it; half of a surrogate pair is in none."""
    return word.removesuffix(".").lower().encode("utf-8", "replace").decode()


def tokenise(text: str, *, clitics: bool = True) -> list[str]:
    """Cut a text into words by the rules of RuleTokeniser; clitics as there."""
    return RuleTokeniser(clitics=clitics)(text).words


def split_sentences(text: str, *, lines: bool = False) -> list[str]:
    """Cut a text into sentences by the rules of RuleTokeniser; lines as there."""
    return [one.text for one in RuleTokeniser(lines=lines)(text).sentences]
