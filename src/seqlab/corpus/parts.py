"""Splits, shuffles and documents of a corpus."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import Offsets, StringColumn, offsets_of
from seqlab.errors import OptionError

DOCUMENT = "document"
COMPUTED = (
    DOCUMENT,
    "document_sentence",
)  # computed columns, which every corpus with documents has

WHOLE = (int, np.integer)


def bounds(parts: Sequence[float], size: int) -> list[int]:
    """Compute begin and end of consecutive parts of `size` sentences."""
    if not parts:
        raise OptionError("split wants shares (0.8, 0.1, 0.1) or counts (1000, 500), got nothing")
    for part in parts:
        real = isinstance(part, (*WHOLE, float, np.floating)) and not isinstance(part, bool)
        if not real or not part >= 0:
            raise OptionError(f"split wants shares between 0 and 1 or counts from 0 up, got {part!r}")
    sums = [math.fsum(parts[:i]) for i in range(len(parts) + 1)]
    total = sums[-1]
    if all(isinstance(part, WHOLE) for part in parts):
        if total > size:
            counts = tuple(map(int, parts))
            raise OptionError(f"counts {counts} add up to {sum(counts)}, but the corpus has {size} sentences")
        ends, whole = list(map(int, sums)), total == size
    else:
        if total > 1 + 1e-9:
            shares = tuple(map(float, parts))
            raise OptionError(f"shares {shares} add up to {total:g}, but 1 is the whole corpus")
        ends, whole = [min(round(share * size), size) for share in sums], total > 1 - 1e-9
    return [*(ends[:-1] if whole else ends), size]


def order(size: int, seed: int) -> npt.NDArray[np.int64]:
    """Shuffle the numbers below `size`; the order depends on the seed alone, not on the version of NumPy."""
    if isinstance(seed, bool) or not isinstance(seed, WHOLE) or seed < 0:
        raise OptionError(f"seed must be a whole number from 0 up, got {seed!r}")
    # The raw stream of a bit generator is guaranteed never to change; permutation() is not.
    keys = np.random.PCG64(int(seed)).random_raw(size)
    return np.argsort(keys, kind="stable")


# ---------------------------------------------------------------------------------------------- documents

Numbers = npt.NDArray[np.int64]


def document_column(name: str, documents: Numbers, lengths: Numbers) -> StringColumn:
    """Compute the column of document numbers, or that of sentence numbers within documents."""
    starts = runs(documents)
    of_run = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    numbers = documents if name == DOCUMENT else np.arange(len(documents)) - starts[of_run]
    pool = _core.StringPool()
    codes = np.array([pool.intern(str(number)) for number in numbers.tolist()], dtype=np.int32)
    return StringColumn(np.repeat(codes, lengths), pool)


def runs(documents: Numbers) -> Offsets:
    """Find the first sentence of each document, and the number of sentences."""
    if not len(documents):
        return offsets_of([])
    begins = np.flatnonzero(np.diff(documents, prepend=documents[0] - 1))
    return np.append(begins, len(documents)).astype(np.int64)


def whole_documents(documents: Numbers, by: str) -> Offsets:
    """Check the option `by`, and find the first sentence of each document; its sentences must be consecutive."""
    if by != DOCUMENT:
        raise OptionError(f"by must be 'document' or None, got {by!r:.60}", option="by")
    starts = runs(documents)
    if len(starts) - 1 != len(np.unique(documents)):
        raise OptionError(
            "the sentences of a document are not together, so the corpus cannot be divided by documents; shuffle it "
            "with by='document'",
            option="by",
        )
    return starts


def rounded(ends: Sequence[int], starts: Offsets) -> list[int]:
    """Move each boundary to the nearest one between documents."""
    return [int(starts[np.argmin(np.abs(starts - end))]) for end in ends]


def shuffled(starts: Offsets, seed: int) -> Numbers:
    """Shuffle whole documents; return the new order of the sentences."""
    chosen = order(len(starts) - 1, seed)
    return np.concatenate(
        [np.zeros(0, dtype=np.int64), *(np.arange(starts[d], starts[d + 1]) for d in chosen)]
    )
