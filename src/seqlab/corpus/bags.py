"""Ready-made features as python-crfsuite and sklearn-crfsuite take them: one dict or list of strings a token.

["a", "b"]                    a and b, weight 1
{"w": "the"}                  w:the, weight 1
{"len": 3, "cap": True}       len with weight 3, cap with weight 1; False is weight 0
{"w": {"-1": "the"}}          w:-1:the, and so on inward
{"suffix": ["e", "he"]}       suffix:e and suffix:he; a set does the same
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import BagColumn, offsets_of
from seqlab.errors import CorpusError, Place

Lengths = npt.NDArray[np.int64]
Bag = list[tuple[str, float]]  # attribute, weight; in the order given, and nothing merged


def bag(item: Mapping[str, Any] | Iterable[str], *, where: str = "") -> Bag:
    """List the attributes of one token; `where` is put before the message when something is wrong."""
    try:
        return list(_entries(item))
    except CorpusError as error:
        raise CorpusError(f"{where}: {error.message}" if where else error.message) from None


def bags(items: Iterable[Mapping[str, Any] | Iterable[str]], *, where: str = "") -> list[Bag]:
    """List the attributes of every token of a sentence."""
    if isinstance(items, (str, bytes, Mapping)):
        raise CorpusError(
            f"{where + ': ' if where else ''}a sentence is a list with one dict or list of strings a token, "
            f"got {items!r}"
        )
    return [bag(item, where=f"{where}, token {t}" if where else f"token {t}") for t, item in enumerate(items)]


def _entries(item: Any) -> Iterator[tuple[str, float]]:
    if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise CorpusError(f"a token is a dict or a list of strings, got {item!r}; write [{item!r}]")
    if not isinstance(item, Mapping):
        # Sets have no order of their own, and results must not depend on the hash seed.
        keys = sorted(item, key=str) if isinstance(item, (set, frozenset)) else item
        yield from ((_text(key), 1.0) for key in keys)
        return
    for key, value in item.items():
        name = _text(key)
        if isinstance(value, (str, bytes)):
            yield f"{name}:{_text(value)}", 1.0
        elif isinstance(value, (Mapping, list, tuple, set, frozenset)):
            yield from ((f"{name}:{inner}", weight) for inner, weight in _entries(value))
        else:
            yield name, _weight(value, name)


def _text(key: Any) -> str:
    try:
        if isinstance(key, bytes):
            return key.decode()
        if isinstance(key, str):
            key.encode()  # half a surrogate pair cannot be written to any file
            return str(key)
    except UnicodeError:
        raise CorpusError(f"an attribute must be text in UTF-8, got {key!r}") from None
    raise CorpusError(f"an attribute must be a string, got {key!r} of type {type(key).__name__}")


def _weight(value: Any, name: str) -> float:
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise CorpusError(
            f"attribute {name!r} has the value {value!r} of type {type(value).__name__}; "
            f"a string, a number, a bool, a dict, a list or a set is wanted"
        )
    try:
        weight = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorpusError(f"attribute {name!r} has a weight that is no number: {value!r}") from error
    if not math.isfinite(weight):
        raise CorpusError(f"attribute {name!r} has the weight {weight!r}; weights must be finite")
    return weight


# ---------------------------------------------------------------------------------------------- columns of them


def bag_column(sentences: Sequence[Any], name: str) -> tuple[BagColumn, Lengths]:
    """Make a column of lists of items, and count the items of each sentence."""
    sentences = sentences if isinstance(sentences, list) else list(sentences)
    pool = _core.StringPool()
    usual = _core.intern_items(pool, sentences)
    if usual is not None:
        indptr, codes, weights, lengths = usual
        return BagColumn(indptr, codes, weights, pool), lengths
    # Nested dicts, sets, other kinds of numbers, and whatever deserves an error.
    pool = _core.StringPool()
    entries: list[Bag] = []
    for s, sentence in enumerate(sentences):
        if not isinstance(sentence, (list, tuple)):
            place = Place(s, within=(name,))
            raise CorpusError(f" must be a list of items, got {sentence!r:.80}", place=place)
        for t, item in enumerate(sentence):
            try:
                entries.append(bag(item))
            except CorpusError as error:
                raise error.at(sentence=s, position=t, item="token", within=(name,)) from None
    flat = [entry for token in entries for entry in token]
    column = BagColumn(
        offsets_of([len(token) for token in entries]),
        np.array([pool.intern(attribute) for attribute, _ in flat], dtype=np.int32),
        None if all(weight == 1.0 for _, weight in flat) else np.array([weight for _, weight in flat]),
        pool,
    )
    return column, np.array([len(sentence) for sentence in sentences], dtype=np.int64)


def known_bags(sentences: list[Any], pool: _core.StringPool) -> tuple[BagColumn, Lengths] | None:
    """Make a column without attributes that the pool does not have; None for shapes that are left to bag_column()."""
    usual = _core.find_items(pool, sentences)
    if usual is None:
        return None
    indptr, codes, weights, lengths = usual
    return BagColumn(indptr, codes, weights, pool), lengths
