"""Labelled words counted the slow way, in the words of docs/equations/counting.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from seqlab import _core
from seqlab.families.hmm.counted import CountedHMM

Sentences = Sequence[Sequence[tuple[str, str]]]
START = None


def coded(sentences: Sequence[Sequence[str]]):
    """(pool of distinct words, codes, offsets) of lists of words."""
    pool = _core.StringPool()
    codes = [pool.intern(word) for sentence in sentences for word in sentence]
    offsets = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])]).astype(np.int64)
    return pool, np.array(codes, dtype=np.int32), offsets


def counted(sentences: Sentences, *, labels: Sequence[str] | None = None, **options) -> CountedHMM:
    """A CountedHMM of sentences of (word, label)."""
    names = sorted({label for s in sentences for _, label in s}) if labels is None else list(labels)
    ids = np.array([names.index(label) for s in sentences for _, label in s], dtype=np.int32)
    return CountedHMM.count(
        *coded([[word for word, _ in sentence] for sentence in sentences]), ids, names, **options
    )


def move_counts(sentences: Sentences, order: int) -> Counter[tuple]:
    """(labels before..., label) -> how often; None before the beginning."""
    found: Counter[tuple] = Counter()
    for sentence in sentences:
        labels = [START] * order + [label for _, label in sentence]
        for t in range(order, len(labels)):
            found[tuple(labels[t - order : t + 1])] += 1
    return found


def deleted_weights(sentences: Sentences, order: int) -> list[float]:
    """Brants' weights for histories of 0, 1, ..., order labels, n-gram by n-gram (eq:deleted-interpolation)."""
    whole = move_counts(sentences, order)
    grams = [Counter() for _ in range(order + 1)]
    histories = [Counter() for _ in range(order + 1)]
    for gram, count in whole.items():
        for j in range(order + 1):
            grams[j][gram[order - j :]] += count
            histories[j][gram[order - j : -1]] += count
    weights = [0.0] * (order + 1)
    for gram, count in whole.items():
        worth = []
        for j in range(order + 1):
            rest = histories[j][gram[order - j : -1]] - 1
            worth.append((grams[j][gram[order - j :]] - 1) / rest if rest else 0.0)
        if max(worth) > 0:
            weights[max(j for j in range(order + 1) if worth[j] == max(worth))] += count
    total = sum(weights)
    return [one / total for one in weights] if total else [1 / (order + 1)] * (order + 1)
