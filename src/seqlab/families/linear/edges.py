"""Weights of edge attributes before training, and edge attributes of a corpus on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.encode.encoded import Rows
from seqlab.families.linear.model import Begins, Cells, EdgeWeights, every_pair, moves_seen, unfolded
from seqlab.scale.disk import Disk
from seqlab.scale.sizes import resident
from seqlab.tagging.door.constraints import Bools
from seqlab.tagging.door.sentences import Gold


def empty_edges(rows: Rows, attributes: int, offsets: Begins, gold: Gold, *, all_moves: bool) -> EdgeWeights:
    """Make weights of 0 for the transitions that each edge attribute was seen with, or (all_moves) for every one.

    rows         edge attributes of all tokens
    attributes   how many there are
    """
    size = len(gold.names) ** 2
    pairs = every_pair(attributes, size)
    if not all_moves:
        pairs = _edges_seen(rows, *moves_seen(offsets, gold), attributes, size)
    if rows.moves is not None:
        single = np.zeros(attributes, dtype=bool)
        single[rows.ids[rows.moves >= 0]] = True
        pairs = _with_single(*pairs, single)
    return EdgeWeights(*pairs, np.zeros(len(pairs[1])))


def _with_single(begin: Begins, move: Cells, single: Bools) -> tuple[Begins, Cells]:
    """Replace the weights of some attributes, one per transition, by one for all transitions (-1)."""
    counts = np.where(single, 1, np.diff(begin))
    owner = np.repeat(np.arange(len(single)), np.diff(begin))
    made = np.full(int(counts.sum()), -1, dtype=np.int32)
    made[np.repeat(~single, counts)] = move[~single[owner]]
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), made


def _edges_seen(
    rows: Rows, move: Begins, several: Mapping[int, list[int]], attributes: int, size: int
) -> tuple[Begins, Cells]:
    """Find the edge attributes, with the transitions they were seen with."""
    token = np.repeat(np.arange(len(move)), np.diff(rows.indptr))
    single = move[token] >= 0
    keys = [rows.ids[single].astype(np.int64) * size + move[token[single]]]
    for t, some in several.items():
        seen = rows.ids[rows.indptr[t] : rows.indptr[t + 1]].astype(np.int64)
        keys.append((seen[:, None] * size + np.array(some, dtype=np.int64)).reshape(-1))
    return unfolded(np.unique(np.concatenate(keys)), attributes, size)


def edges_of(
    blocks: Iterable[Corpus], encoder: Encoder, disk: Disk, tokens: int, threads: int
) -> Rows | None:
    """Find the edge attributes of a corpus on disk, which are kept in memory; None without any.

    tokens   of all blocks
    """
    if not encoder.edge_size:
        return None
    parts: list[Rows] = []
    before, taken, done = resident(), 0, 0
    for corpus in blocks:
        encoded = encoder.encode(corpus, threads=threads).checked().edge
        assert encoded is not None  # noqa: S101  (the encoder has edge attributes)
        parts.append(encoded)
        taken, done = taken + 2 * encoded.nbytes, done + corpus.token_count  # in parts, and joined
        disk.check(before + taken * tokens // max(done, 1), "attributes of label pairs")
    return _stacked(parts)


def _stacked(parts: Sequence[Rows]) -> Rows:
    """Put rows of blocks one below another."""
    sizes = np.concatenate([np.diff(part.indptr) for part in parts])
    ids = np.concatenate([part.ids for part in parts])
    valued, moved = (any(getattr(part, name) is not None for part in parts) for name in ("values", "moves"))
    values = [np.ones(len(part.ids)) if part.values is None else part.values for part in parts]
    moves = [np.full(len(part.ids), -1, np.int32) if part.moves is None else part.moves for part in parts]
    return Rows(
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)]),
        ids,
        np.concatenate(values) if valued else None,
        moves=np.concatenate(moves) if moved else None,
    )
