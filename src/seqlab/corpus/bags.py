"""A column of ready-made attributes, from items as python-crfsuite takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import BagColumn
from seqlab.corpus.items import bag
from seqlab.errors import CorpusError, Place

Lengths = npt.NDArray[np.int64]


def bag_column(sentences: Sequence[Any], name: str) -> tuple[BagColumn, Lengths]:
    """The column of lists of items, and how many items each sentence has."""
    sentences = sentences if isinstance(sentences, list) else list(sentences)
    pool = _core.StringPool()
    usual = _core.intern_items(pool, sentences)
    if usual is not None:
        indptr, codes, weights, lengths = usual
        return BagColumn(indptr, codes, weights, pool), lengths
    return _unusual(sentences, name)


def known_bags(sentences: list[Any], pool: _core.StringPool) -> tuple[BagColumn, Lengths] | None:
    """The same without attributes that the pool does not have; None for shapes that are left to bag_column()."""
    usual = _core.find_items(pool, sentences)
    if usual is None:
        return None
    indptr, codes, weights, lengths = usual
    return BagColumn(indptr, codes, weights, pool), lengths


def _unusual(sentences: list[Any], name: str) -> tuple[BagColumn, Lengths]:
    """Nested dicts, sets, other kinds of numbers, and whatever deserves an error."""
    pool = _core.StringPool()
    indptr, codes, weights, lengths = [0], [], [], []
    for s, sentence in enumerate(sentences):
        if not isinstance(sentence, (list, tuple)):
            raise CorpusError(
                f" must be a list of items, got {sentence!r:.80}", place=Place(s, within=(name,))
            )
        lengths.append(len(sentence))
        for t, item in enumerate(sentence):
            try:
                entries = bag(item)
            except CorpusError as error:
                raise error.at(sentence=s, position=t, item="token", within=(name,)) from None
            for attribute, weight in entries:
                codes.append(pool.intern(attribute))
                weights.append(weight)
            indptr.append(len(codes))
    column = BagColumn(
        np.array(indptr, dtype=np.int64),
        np.array(codes, dtype=np.int32),
        None if all(weight == 1.0 for weight in weights) else np.array(weights, dtype=np.float64),
        pool,
    )
    return column, np.array(lengths, dtype=np.int64)
