"""Gold and predicted labels at the door: checked once, coded alike, and trusted from there on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from seqlab.corpus.columns import counted
from seqlab.errors import LabelError, OptionError, Place, ShapeError
from seqlab.tags.coding import Bools, Coded, encode, many

WORD_COLUMNS = ("word", "form")


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """Gold and predicted labels in one coding, labels in alphabetical order.

    words    their words, if known
    unseen   (tokens,) words that training has not seen, or None when that was not asked
    source   the corpus of the gold labels, or None; it knows where a sentence stands
    """

    gold: Coded
    predicted: Coded
    words: Coded | None = None
    unseen: Bools | None = None
    source: Any = None

    @property
    def right(self) -> Bools:
        """(tokens,) where both labels are the same."""
        right: Bools = self.gold.codes == self.predicted.codes
        return right

    @property
    def sentence_count(self) -> int:
        """How many sentences, empty ones included."""
        return len(self.gold.offsets) - 1


def is_corpus(value: Any) -> bool:
    """Tell whether this has columns by name, as a Corpus has."""
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
    """Both sides, sentence by sentence and word by word beside each other; `name` is what to call the second."""
    if column is not None and not is_corpus(gold) and not is_corpus(predicted):
        raise OptionError(f"column={column!r} names a column of a corpus, but gold and {name} are lists")
    one, other = coded_alike([_taken(gold, "gold", column), _taken(predicted, name, column)])
    _check_lengths(one, other, "label", name)
    if not len(one.codes):
        raise ShapeError(f"gold and {name} have no tokens at all, so there is nothing to evaluate")
    if words is None and is_corpus(gold):
        words = _words_of(gold)
    coded_words = None
    if words is not None:
        coded_words = encode(many(words, "words"), "words", what="word")
        _check_lengths(one, coded_words, "word", "words")
    source = gold if is_corpus(gold) else None
    return Paired(one, other, coded_words, _unseen(coded_words, known), source)


def _taken(value: Any, name: str, column: str | None) -> tuple[list[Sequence[str]], str]:
    if is_corpus(value):
        if column is None:
            raise OptionError(
                f"{name} is a corpus with the columns {', '.join(value.columns)}; say which one to compare, "
                f"for example column={value.columns[-1]!r}"
            )
        return many(value.column(column), name), name
    return many(value, name), name


def coded_alike(sides: Iterable[tuple[list[Sequence[str]], str]]) -> list[Coded]:
    """Several lists of sequences in one coding, with the labels in alphabetical order."""
    index: dict[str, int] = {}
    coded = [encode(sequences, name, index) for sequences, name in sides]
    values = sorted(index)
    rank = np.zeros(len(values), dtype=np.int32)
    rank[[index[value] for value in values]] = np.arange(len(values))
    return [Coded(values, rank[side.codes], side.offsets) for side in coded]


def _check_lengths(gold: Coded, other: Coded, what: str, name: str) -> None:
    """Refuse another number of sentences, or a sentence of another length."""
    if len(gold.offsets) != len(other.offsets):
        raise ShapeError(
            f"gold has {counted(len(gold.offsets) - 1, 'sentence')}, but {name} has {len(other.offsets) - 1}"
        )
    differ = np.diff(gold.offsets) != np.diff(other.offsets)
    if differ.any():
        i = int(np.argmax(differ))
        one, two = (int(side.offsets[i + 1] - side.offsets[i]) for side in (gold, other))
        more = f" ({int(differ.sum())} sentences differ)" if differ.sum() > 1 else ""
        raise ShapeError(
            f"gold[{i}] has {counted(one, 'label')}, but {name}[{i}] has {counted(two, what)}; "
            f"every token needs one of each{more}",
            place=Place(i),
        )


def _words_of(corpus: Any) -> list[list[str]] | None:
    name = next((name for name in WORD_COLUMNS if name in corpus.columns), None)
    return None if name is None else corpus.column(name)


def _unseen(words: Coded | None, known: Any) -> Bools | None:
    if known is None:
        return None
    if words is None:
        raise OptionError("known= is there, but no words to compare: pass words=..., or a corpus as gold")
    seen = known_words(known)
    new = np.fromiter((word not in seen for word in words.values), dtype=bool, count=len(words.values))
    unseen: Bools = new[words.codes]
    return unseen


def known_words(known: Any) -> frozenset[str] | set[str]:
    """The words of training: from a set, a list of words, a list of sentences, or a corpus."""
    if is_corpus(known):
        sentences = _words_of(known)
        if sentences is None:
            raise OptionError(
                f"known is a corpus without a word column; it has {', '.join(known.columns)}; pass the words themselves"
            )
        return {word for sentence in sentences for word in sentence}
    if isinstance(known, (str, bytes)) or not isinstance(known, Iterable):
        raise OptionError(
            f"known must be a set of words, a list of sentences or a corpus, got {type(known).__name__}"
        )
    items = known if isinstance(known, (set, frozenset)) else list(known)
    inner = ((item,) if isinstance(item, (str, bytes)) else _inner(item) for item in items)
    words: set[Any] = set(chain.from_iterable(inner))
    wrong = next((word for word in words if not isinstance(word, str)), None)
    if wrong is not None:
        raise LabelError(f"known holds {wrong!r} ({type(wrong).__name__}), but words are strings")
    return words


def _inner(item: Any) -> Iterable[Any]:
    return item if isinstance(item, Iterable) else (item,)
