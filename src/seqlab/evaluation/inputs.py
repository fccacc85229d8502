"""Gold and predicted labels: checked once, and encoded with one numbering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.corpus.columns import counted
from seqlab.errors import LabelError, OptionError, Place, ShapeError
from seqlab.shown import Brief
from seqlab.tags.coding import Bools, Coded, encode, many

WORD_COLUMNS = ("word", "form")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Paired(Brief):
    """Gold and predicted labels in one coding, labels in alphabetical order.

    words    their words, if known
    unseen   (tokens,) words not seen in training, or None if unknown
    source   the corpus of the gold labels, or None; it has file and line of a sentence
    """

    gold: Coded
    predicted: Coded
    words: Coded | None = None
    unseen: Bools | None = None
    source: Any = None

    @property
    def right(self) -> Bools:
        """(tokens,) where both labels are the same."""
        return np.asarray(self.gold.codes == self.predicted.codes)


def is_corpus(value: Any) -> bool:
    """Return True if this has columns by name, as a Corpus has."""
    return hasattr(value, "columns") and callable(getattr(value, "column", None))


def pair(
    gold: Any,
    predicted: Any,
    column: str | None,
    words: Any = None,
    known: Any = None,
    *,
    name: str = "predicted",
) -> Paired:
    """Align both sides token by token; `name` is the name of the second in messages."""
    if column is not None and not is_corpus(gold) and not is_corpus(predicted):
        raise OptionError(f"column={column!r} names a column of a corpus, but gold and {name} are lists")
    one, other = _coded_alike({"gold": gold, name: predicted}, column)
    _check_lengths(one, other, "label")
    if not len(one.codes):
        raise ShapeError(f"gold and {name} have no tokens at all, so there is nothing to evaluate")
    source = gold if is_corpus(gold) else None
    if words is None and source is not None:
        words = _words_of(gold)
    coded_words = None
    if words is not None:
        coded_words = encode(many(words, "words"), "words", what="word")
        _check_lengths(one, coded_words, "word")
    unseen: Bools | None = None
    if known is not None:
        if coded_words is None:
            raise OptionError("known= is there, but no words to compare: pass words=..., or a corpus as gold")
        seen = _known_words(known)
        unseen = np.array([word not in seen for word in coded_words.values], dtype=bool)[coded_words.codes]
    return Paired(one, other, coded_words, unseen, source)


def _coded_alike(sides: Mapping[str, Any], column: str | None) -> list[Coded]:
    """Encode several lists of sequences, or columns of corpora, with one numbering: labels in alphabetical order."""
    index: dict[str, int] = {}
    coded = []
    for name, value in sides.items():
        if is_corpus(value) and column is None:
            raise OptionError(
                f"{name} is a corpus with the columns {', '.join(value.columns)}; say which one to compare, "
                f"for example column={value.columns[-1]!r}"
            )
        labels = value.column(column) if is_corpus(value) else value
        coded.append(encode(many(labels, name), name, index))
    values = sorted(index)
    rank = np.zeros(len(values), dtype=np.int32)
    rank[[index[value] for value in values]] = np.arange(len(values))
    return [Coded(values, rank[side.codes], side.offsets, side.name) for side in coded]


def _check_lengths(gold: Coded, other: Coded, what: str) -> None:
    """Reject a different number of sentences, or a sentence of different length."""
    name = other.name
    if len(gold.offsets) != len(other.offsets):
        raise ShapeError(
            f"gold has {counted(len(gold.offsets) - 1, 'sentence')}, but {name} has {len(other.offsets) - 1}"
        )
    wanted, found = np.diff(gold.offsets), np.diff(other.offsets)
    differ = np.flatnonzero(wanted != found)
    if len(differ):
        i = int(differ[0])
        more = f" ({len(differ)} sentences differ)" if len(differ) > 1 else ""
        raise ShapeError(
            f"gold[{i}] has {counted(wanted[i], 'label')}, but {name}[{i}] has {counted(found[i], what)}; "
            f"every token needs one of each{more}",
            place=Place(i),
        )


def _words_of(corpus: Any) -> list[list[str]] | None:
    name = next((name for name in WORD_COLUMNS if name in corpus.columns), None)
    return None if name is None else corpus.column(name)


def _known_words(known: Any) -> set[str]:
    """Collect the words of training: from a set, a list of words, a list of sentences, or a corpus."""
    items = known
    if is_corpus(known):
        items = _words_of(known)
        if items is None:
            raise OptionError(
                f"known is a corpus without a word column; it has {', '.join(known.columns)}; pass the words themselves"
            )
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise OptionError(
            f"known must be a set of words, a list of sentences or a corpus, got {type(known).__name__}"
        )
    words: set[Any] = set()
    for item in items:
        words.update(item if isinstance(item, Iterable) and not isinstance(item, (str, bytes)) else (item,))
    wrong = next((word for word in words if not isinstance(word, str)), None)
    if wrong is not None:
        raise LabelError(f"known holds {wrong!r} ({type(wrong).__name__}), but words are strings")
    return words
