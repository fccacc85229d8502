"""Second-order trellises, over the labels that a first-order model keeps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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


def second_order_trellises(
    model: LinearModel, encoded: EncodedCorpus, *, allowed: Any, dtype: Any, threads: int
) -> TrellisBatch | Sequence[Trellis]:
    """Make a second-order trellis for every sentence."""
    assert model.triples is not None  # noqa: S101  (the caller asks order == 2 first)
    node = model.node_scores(encoded.node, dtype=dtype, threads=threads)
    if allowed is not None:
        allowed.mask(node)
    pairs = model.edge_scores(encoded, dtype=dtype)
    triples = np.asarray(model.triples, dtype=dtype)
    lengths = np.diff(encoded.offsets)
    more: dict[str, Any] = {
        "order": 2,
        "labels": model.labels,
        "constraints": model.rules.as_constraints(),
    }
    batch: Sequence[Trellis]
    if pairs.ndim == 2:  # one table for all sentences, checked and masked once
        batch = TrellisBatch(node, lengths, triples + pairs, head=(pairs,), **more)
    else:
        slabs = np.concatenate([[0], np.cumsum(np.maximum(lengths - 1, 0))]).tolist()
        batch = []
        for s, (begin, end) in enumerate(itertools.pairwise(encoded.offsets.tolist())):
            edge, head = _slabs(triples, pairs[slabs[s] : slabs[s + 1]], s)
            batch.append(Trellis(node[begin:end], edge, head=(head,), **more))
    if model.coarse is None:
        return batch
    likely = likely_labels(model.coarse, encoded, model.keep, allowed=allowed, threads=threads)
    rows = itertools.pairwise(encoded.offsets.tolist())
    return [one.constrain(allowed=likely[begin:end]) for one, (begin, end) in zip(batch, rows, strict=True)]


def _slabs(triples: Scores, pairs: Scores, sentence: int) -> tuple[Scores, Scores]:
    """Compute edges (T - 2, L, L, L) and head (L, L) of one sentence with per-position pairs (T - 1, L, L)."""
    L = triples.shape[0]
    if len(pairs) * triples.size > MOST_SLAB_CELLS:
        raise OptionError(
            f"features of label pairs with order 2 need {len(pairs)} tables of {L}³ numbers, "
            f"which is too much; use order=1, or cut the sentence",
            place=Place(sentence),
        )
    if not len(pairs):
        return triples, np.zeros((L, L), dtype=triples.dtype)
    return triples[None] + pairs[1:, None], pairs[0]


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
