"""Rows of several producers put side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlab.encode.encoded import Rows


def merged(parts: Sequence[Rows]) -> Rows:
    """For every token the entries of all parts, in the order of the parts."""
    if len(parts) == 1:
        return parts[0]
    lengths = [np.diff(part.indptr) for part in parts]
    indptr = np.zeros(len(parts[0].indptr), dtype=np.int64)
    np.cumsum(sum(lengths[1:], lengths[0]), out=indptr[1:])
    ids = np.empty(int(indptr[-1]), dtype=np.int32)
    weighted = any(part.values is not None for part in parts)
    values = np.ones(len(ids)) if weighted else None
    begins = indptr[:-1].copy()
    for part, own in zip(parts, lengths, strict=True):
        places = np.arange(len(part.ids), dtype=np.int64) + np.repeat(begins - part.indptr[:-1], own)
        ids[places] = part.ids
        if values is not None and part.values is not None:
            values[places] = part.values
        begins += own
    return Rows(indptr, ids, values, next((part.kin for part in parts if part.kin is not None), None))
