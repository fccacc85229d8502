"""Tag dictionaries: which labels a word may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import Scores
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, LabelError, OptionError

Dictionary = Mapping[str, Iterable[str]]


@dataclass(frozen=True, slots=True, eq=False)
class TagDictionary:
    """Which labels a word may have; one that is not listed may have any.

    column   the column that holds the words
    row      word -> row of `rows`
    rows     (words, L)   True for what the word may be
    """

    column: str
    row: Mapping[str, int]
    rows: npt.NDArray[np.bool_]

    @staticmethod
    def of(allowed: Dictionary | None, labels: Sequence[str], column: str | None) -> TagDictionary | None:
        """From {word: labels}. Labels that training does not have are left out, but one must remain for each word."""
        if allowed is None:
            return None
        if not isinstance(allowed, Mapping):
            raise OptionError(f"allowed must be {{word: labels}}, got {allowed!r:.60}")
        if column is None:
            raise CorpusError("allowed speaks of words, but there is no column that holds them")
        place = {label: i for i, label in enumerate(labels)}
        rows = np.zeros((len(allowed), len(labels)), dtype=bool)
        for i, (word, some) in enumerate(allowed.items()):
            if not isinstance(word, str):
                raise OptionError(f"allowed must have words as keys, got {word!r:.60}, which is no string")
            known = [place[label] for label in label_list(word, some, "allowed") if label in place]
            if not known:
                raise LabelError(f"allowed[{word!r}] is {some!r:.60}, but training has none of these labels")
            rows[i, known] = True
        return TagDictionary(column, {word: i for i, word in enumerate(allowed)}, rows)

    def mask(self, corpus: Corpus) -> npt.NDArray[np.bool_]:
        """(tokens, L)   True for what each token may be."""
        words = corpus.strings(self.column).compact()
        return self.flags(words.values)[words.codes]

    def allowed(self, corpus: Corpus) -> Allowed:
        """The same as models take it."""
        return Allowed(self.mask(corpus))

    def flags(self, words: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(words, L)   True for what each word may be."""
        table = np.vstack(
            [self.rows, np.ones((1, self.rows.shape[1]), dtype=bool)]
        )  # the last row: any label
        found = np.array([self.row.get(word, -1) for word in words], dtype=np.int64)
        flags: npt.NDArray[np.bool_] = table[found]
        return flags


def label_list(word: str, some: Any, name: str) -> Iterable[str]:
    """What a dictionary says of a word, or an error that names the dictionary."""
    if isinstance(some, str) or not isinstance(some, Iterable):
        raise LabelError(f"{name}[{word!r}] must be a list of labels, got {some!r}; write [{some!r}]")
    return some


def forbidden_by(dictionary: TagDictionary | None, corpus: Corpus, node: Scores) -> Scores:
    """The scores (tokens, L) with -inf for what the dictionary forbids."""
    return node if dictionary is None else np.where(dictionary.mask(corpus), node, -np.inf)


class Allowed:
    """What tokens may be, as models take it: a mask over scores."""

    def __init__(self, mask: npt.NDArray[np.bool_]) -> None:
        self._mask = mask

    def mask(self, node: Scores) -> None:
        """-inf into the scores (tokens, L) of what is not allowed."""
        node[~self._mask] = -np.inf
