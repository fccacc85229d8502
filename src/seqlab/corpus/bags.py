"""Attributes of tokens as python-crfsuite takes them: dicts, nested dicts, lists of strings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import BagColumn
from seqlab.errors import CorpusError

LISTS = (list, tuple, set, frozenset)


def bag_column(sentences: Sequence[Any], name: str) -> tuple[BagColumn, list[int]]:
    """The column of lists of items, and how many items each sentence has."""
    pool = _core.StringPool()
    indptr, codes, weights, lengths = [0], [], [], []
    for s, sentence in enumerate(sentences):
        if not isinstance(sentence, (list, tuple)):
            raise CorpusError(f"{name}: sentence {s} must be a list of items, got {sentence!r:.80}")
        lengths.append(len(sentence))
        for t, item in enumerate(sentence):
            for attribute, weight in attributes(item, f"{name}: sentence {s}, token {t}"):
                codes.append(_interned(pool, attribute, f"{name}: sentence {s}, token {t}"))
                weights.append(weight)
            indptr.append(len(codes))
    plain = all(weight == 1.0 for weight in weights)
    column = BagColumn(
        np.array(indptr, dtype=np.int64),
        np.array(codes, dtype=np.int32),
        None if plain else np.array(weights, dtype=np.float64),
        pool,
    )
    return column, lengths


def _interned(pool: _core.StringPool, attribute: str, where: str) -> int:
    code = pool.intern(attribute)
    if code < 0:
        raise CorpusError(f"{where}: an attribute must be text that UTF-8 can write, got {attribute!r}")
    return code


def attributes(item: Any, where: str) -> Iterator[tuple[str, float]]:
    """(attribute, weight) of one item.

    {"bias": 1.0}                weight as given
    {"title": True}              1 for True, 0 for False
    {"word": "the"}              "word:the" with weight 1
    {"near": {"a": 2, "b": 1}}   "near:a" and "near:b"
    {"near": ["a", "b"]}         the same with weight 1
    ["a", "b"]                   "a" and "b" with weight 1
    """
    if isinstance(item, Mapping):
        for key, value in item.items():
            yield from _of_key(_text(key, where), value, where)
    elif isinstance(item, LISTS):
        yield from ((_text(key, where), 1.0) for key in _in_order(item))
    else:
        raise CorpusError(f"{where}: an item must be a dict or a list of strings, got {item!r:.80}")


def _of_key(key: str, value: Any, where: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, (Mapping, *LISTS)):
        yield from ((f"{key}:{name}", weight) for name, weight in attributes(value, where))
    elif isinstance(value, str):
        yield f"{key}:{value}", 1.0
    elif isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        weight = float(value)
        if not math.isfinite(weight):
            raise CorpusError(f"{where}: the weight of {key!r} is {weight}, but a finite number is wanted")
        yield key, weight
    else:
        raise CorpusError(
            f"{where}: the value of {key!r} must be a string, a number, a bool, a dict or a list, got {value!r:.80}"
        )


def _in_order(item: Any) -> Iterable[Any]:
    """Sets have no order of their own, and results must not depend on the hash seed."""
    return sorted(item, key=str) if isinstance(item, (set, frozenset)) else item


def _text(key: Any, where: str) -> str:
    if isinstance(key, str):
        return key
    raise CorpusError(f"{where}: an attribute must be a string, got {key!r:.80}")
