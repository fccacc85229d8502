"""Trellises of order 2 and 3, restricted to labels that a first-order model finds likely."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.arrays import Scores
from seqlab.encode import EncodedCorpus
from seqlab.errors import OptionError, Place
from seqlab.families.linear.model import LinearModel
from seqlab.tagging.decoding import constrained
from seqlab.tagging.door.constraints import Allowed, Bools
from seqlab.tagging.tagger import Known
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.constraints import PerPosition

MOST_SLAB_CELLS = 2**26  # limit of the numbers in one sentence's slabs of edge attributes


def likely_labels(
    coarse: LinearModel, encoded: EncodedCorpus, keep: float, *, allowed: Any = None, threads: int = 1
) -> Bools:
    """Compute (tokens, L): labels with a posterior of at least `keep` under the coarse model, and always the best."""
    batch = coarse.trellises(encoded, allowed=allowed, threads=threads)
    node = inference.expected_counts(batch, threads=threads).node if isinstance(batch, TrellisBatch) else None
    if node is None or not len(node):
        return np.ones((encoded.token_count, coarse.L), dtype=bool)
    likely: Bools = node >= keep
    likely[np.arange(len(node)), node.argmax(axis=1)] = True
    # The best path must stay possible under all rules.
    best = inference.viterbi(batch, threads=threads)
    path = np.concatenate([p.ids for p in best]) if len(best) else np.zeros(0, np.int32)
    likely[np.arange(len(path)), path] = True
    return likely


def summed_tables(model: LinearModel, dtype: Any) -> list[Scores]:
    """Sum weights of three, four, ... labels in a row: a table per length, with the weights of shorter ones added."""
    sums: list[Scores] = []
    for weights, _ in model.tables[1:]:
        table = np.asarray(weights, dtype=dtype)
        sums.append(table + sums[-1] if sums else table)
    return sums


def higher_order_trellises(
    model: LinearModel, encoded: EncodedCorpus, *, allowed: Any, dtype: Any, threads: int
) -> TrellisBatch | Sequence[Trellis]:
    """Make a trellis of order 2 or 3 for every sentence."""
    node = model.node_scores(encoded.node, dtype=dtype, threads=threads)
    if allowed is not None:
        allowed.mask(node)
    pairs = model.edge_scores(encoded, dtype=dtype)
    sums = summed_tables(model, dtype)
    lengths = np.diff(encoded.offsets)
    more: dict[str, Any] = {
        "order": model.order,
        "labels": model.labels,
        "constraints": model.rules.as_constraints(),
    }
    batch: Sequence[Trellis]
    if pairs.ndim == 2:  # one table for all sentences, checked and masked once
        shared: list[Scores] = [pairs, *(table + pairs for table in sums)]
        batch = TrellisBatch(node, lengths, shared[-1], head=shared[:-1], **more)
    else:
        batch = []
        for s, own in enumerate(sentence_pairs(pairs, encoded.offsets)):
            check_slabs(len(own), model.L, model.order, s)
            *head, edge = position_tables(sums, own)
            batch.append(Trellis(node[encoded.offsets[s] : encoded.offsets[s + 1]], edge, head=head, **more))
    if model.coarse is None:
        return batch
    likely = likely_labels(model.coarse, encoded, model.keep, allowed=allowed, threads=threads)
    spans = itertools.pairwise(encoded.offsets.tolist())
    return [one.constrain(allowed=likely[begin:end]) for one, (begin, end) in zip(batch, spans, strict=True)]


def sentence_pairs(pairs: Scores, offsets: Any) -> Iterator[Scores]:
    """Split the label pair scores by sentence, (T - 1, L, L) each."""
    tables = np.concatenate([[0], np.cumsum(np.maximum(np.diff(offsets) - 1, 0))]).tolist()
    return (pairs[begin:end] for begin, end in itertools.pairwise(tables))


def check_slabs(positions: int, L: int, order: int, sentence: int) -> None:
    """Check that a sentence with one table per position fits into memory."""
    if positions * L ** (order + 1) > MOST_SLAB_CELLS:
        raise OptionError(
            f"order {order} needs {positions} tables of {L}^{order + 1} numbers here, which is too much; "
            f"use a lower order, or cut the sentence",
            place=Place(sentence),
        )


def position_tables(sums: Sequence[Scores], pairs: Scores) -> list[Scores]:
    """Compute the head (L, L), (L, L, L), ... and edges (T - k, L, ..., L) from label pair scores (T - 1, L, L)."""
    order, L = len(sums) + 1, pairs.shape[-1]
    tables: list[Scores] = []
    for t, table in enumerate((np.zeros_like(pairs, shape=(L, L)), *sums)):
        if t < order - 1:
            tables.append(table + (pairs[t] if t < len(pairs) else 0))
        else:
            tables.append(table + pairs[t:].reshape(max(len(pairs) - t, 0), *(1,) * t, L, L))
    return tables


def narrowed(
    model: LinearModel,
    encoded: EncodedCorpus,
    words: Allowed | None,
    known: Known | None,
    allowed: PerPosition | None,
) -> Trellis:
    """Make the trellis of one sentence with known or allowed labels, which also restrict the coarse model."""
    rough: Trellis = (model.coarse or model).trellises(encoded, allowed=words)[0]
    told = constrained(rough, known, allowed)
    left: Bools = told.node > -np.inf
    for t, ids in told.allowed.items():
        left[t] &= np.isin(np.arange(told.L), ids)
    made: Trellis = model.trellises(encoded, allowed=Allowed(left), dtype=np.float64)[0]
    return made


def widened(
    model: LinearModel,
    encoded: EncodedCorpus,
    words: Allowed | None,
    known: Known | None,
    allowed: PerPosition | None,
) -> Trellis:
    """Make the trellis of one sentence with the labels that the coarse model would prune."""
    whole = replace(model, coarse=None)
    made: Trellis = whole.trellises(encoded, allowed=words, dtype=np.float64)[0]
    return constrained(made, known, allowed)
