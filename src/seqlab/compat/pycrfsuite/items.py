"""Sequences of items: the attributes of each token, in the form of python-crfsuite."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from seqlab import _core
from seqlab.errors import CorpusError, Place

# The attributes of a sequence: offsets of its items (T + 1,), numbers in a pool, and values, or None if all are 1.
Items = tuple[Any, Any, Any]


class ItemError(CorpusError, TypeError):
    """A sequence or an item is not what trainers and taggers read; a TypeError, too, as in the original."""


def listed(sequence: Any) -> list[Any]:
    """Copy the items of a sequence to a list of dicts, lists and sets, which seqlab's taggers read.

    sequence   an ItemSequence, or any iterable of items: dicts, lists, sets, dict.keys(), generators of strings
    """
    if isinstance(sequence, ItemSequence):
        return sequence.tokens
    if isinstance(sequence, (str, bytes)) or not isinstance(sequence, Iterable):
        raise ItemError(f"a sequence is a list with the features of each item, got {sequence!r:.60}")
    return [item.copy() if type(item) in COPIED else _item(item, t) for t, item in enumerate(sequence)]


COPIED = (dict, list, set)


def _item(item: Any, t: int) -> Any:
    if isinstance(item, dict):
        return dict(item.items())
    if isinstance(item, (list, tuple, set, frozenset)):
        return list(item) if isinstance(item, (list, tuple)) else frozenset(item)
    if isinstance(item, (str, bytes)):
        raise ItemError(
            f"an item is a dict or a list of features, got the string {item!r:.60}; write [{item!r:.60}], "
            f"because a string alone would be read letter by letter",
            place=Place(None, t),
        )
    if isinstance(item, ItemSequence) or not isinstance(item, Iterable):
        raise ItemError(f"an item is a dict or a list of features, got {item!r:.60}", place=Place(None, t))
    return list(item)


def plain(value: Any, depth: int = 32) -> Any:
    """Convert dicts and lists of other classes to plain ones, which the core reads, to this depth."""
    if isinstance(value, dict) and depth:
        return {
            key: inner if type(inner) in USUAL else plain(inner, depth - 1) for key, inner in value.items()
        }
    return list(value) if isinstance(value, (list, tuple)) else value


USUAL = frozenset({str, bool, float, int})


def whole(number: Any) -> int:
    """Read a group or a position: a whole number, or a float, whose fraction is dropped as in the original."""
    return operator.index(int(number) if isinstance(number, float) else number)


class ItemSequence:
    """A sequence of items, read once for use in several trainers and taggers.

    pyseq   an iterable of items: {"key": number}, {"key": True}, {"key": "value"} for "key:value", ["key", ...], or
            dicts of such dicts, lists and sets
    """

    def __init__(self, pyseq: Any) -> None:
        given = listed(pyseq)
        self._bags = bags_of(given)
        made = self.items()
        flat = all(len(item) == len(bag) for item, bag in zip(made, self._bags, strict=True))
        # An attribute that occurs twice counts twice, which a dict cannot express.
        self.tokens: list[Any] = made if flat else given

    def items(self) -> list[dict[str, float]]:
        """Return {attribute: value} for each item, as used by the models."""
        return [dict(bag) for bag in self._bags]

    def __len__(self) -> int:
        return len(self._bags)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def read_items(pool: _core.StringPool, sequence: Any) -> Items:
    """Read the attributes of a sequence, which are added to the pool.

    sequence   an ItemSequence, or any iterable of items
    """
    found = _core.intern_items(pool, [sequence]) if type(sequence) is list else None
    if found is not None:
        return found[:3]
    tokens = listed(sequence)
    found = _core.intern_items(pool, [tokens])
    return _read_slowly(pool, tokens) if found is None else found[:3]


def _read_slowly(pool: _core.StringPool, tokens: list[Any]) -> Items:
    from seqlab.corpus.lists import bag_column  # NumPy comes with it, and most sequences do not need it

    try:
        column, _ = bag_column([tokens], "attributes")
    except CorpusError as error:
        raise ItemError(error.message, place=Place(position=error.place.position)) from error.__cause__
    for name in column.values:
        pool.intern(name)
    return column.indptr, _core.translate(column.pool, pool)[column.codes], column.weights


def bags_of(tokens: list[Any]) -> list[list[tuple[str, float]]]:
    """Read the attributes and values of each token."""
    pool = _core.StringPool()
    offsets, numbers, weights = read_items(pool, tokens)
    names, codes = pool.strings(), numbers.tolist()
    values = [1.0] * len(codes) if weights is None else weights.tolist()
    pairs = [(names[code], value) for code, value in zip(codes, values, strict=True)]
    return [pairs[begin:end] for begin, end in pairwise(offsets)]
