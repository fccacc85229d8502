"""Labels of a corpus on disk: several for a token, of which one is right, are a string of their own in the column."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds
from seqlab.errors import Place
from seqlab.scale.columns import GOLD, ColumnStore

SEVERAL = "\0"  # begins such a string; a list in JSON follows
FIRST = -2  # the number of the first of them; -3 is the second, and so on

Choice = tuple[str, ...]  # labels of which one is right


def written(names: Sequence[str]) -> str:
    """Write one label or several as a string of a column of labels that came beside the sentences."""
    plain = len(names) == 1 and not names[0].startswith(SEVERAL)
    return names[0] if plain else SEVERAL + json.dumps(list(names))


def choices(store: ColumnStore, column: str) -> list[Choice]:
    """Return the labels that every string of a column stands for."""
    beside = column == GOLD
    return [
        tuple(json.loads(text[1:])) if beside and text.startswith(SEVERAL) else (text,)
        for text in store.pools[column].strings()
    ]


def label_numbers(store: ColumnStore, labels: Sequence[str], column: str) -> LabelIds:
    """Return the number of the label of each code of its column; below -1 for several, and the last is for code -1."""
    place, several = {name: i for i, name in enumerate(labels)}, itertools.count(FIRST, -1)
    numbers = (place[some[0]] if len(some) == 1 else next(several) for some in choices(store, column))
    return np.array([*numbers, -1], dtype=np.int32)


def label_sets(store: ColumnStore, labels: Sequence[str], column: str) -> list[tuple[int, ...]]:
    """Return the labels, rising, that the numbers from -2 down stand for."""
    place = {name: i for i, name in enumerate(labels)}
    return [tuple(sorted(place[name] for name in some)) for some in choices(store, column) if len(some) > 1]


def apart(ids: LabelIds, sets: Sequence[tuple[int, ...]]) -> list[LabelIds]:
    """Return arrays (tokens,) that have together all labels of the tokens with several; -1 where there is none."""
    made = []
    for nth in range(max(map(len, sets), default=0)):
        table = np.array([-1, *(some[nth] if nth < len(some) else -1 for some in sets)], dtype=np.int32)
        made.append(table[np.maximum(FIRST + 1 - ids, 0)])
    return made


def open_label(store: ColumnStore, column: str) -> Place | None:
    """Find the first token without a single label, or None."""
    is_open: npt.NDArray[np.bool_] = np.array([*(len(some) > 1 for some in choices(store, column)), True])
    token = 0
    for shard in store.shards:
        found = is_open[store.codes(shard, column)]
        if found.any():
            token += int(np.argmax(found))
            sentence = int(np.searchsorted(store.offsets, token, side="right")) - 1
            return Place(sentence, token - int(store.offsets[sentence]))
        token += len(found)
    return None
