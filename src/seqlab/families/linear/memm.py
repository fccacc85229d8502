"""The maximum-entropy Markov model: a log-linear classifier at every token, given the previous labels.

Its trellis has log Z = 0, because the probabilities of every token are normalised:

eq:memm-trellis   node'_t(y) = node_t(y) - log Σ_z exp(edge_{t+1}(y, z) + node_{t+1}(z)), and for t = 0 also less
                  log Σ_z exp node_0(z); for order k > 1 the normaliser, which depends on k labels, is in the edge:
                  edge'_t(a, y) = edge_t(a, y) - log Σ_z exp(edge_t(a, z) + node_t(z))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, Scores
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus
from seqlab.errors import OptionError
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.higher_order import (
    check_slabs,
    position_tables,
    sentence_pairs,
    summed_tables,
)
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.tagger import LinearTagger
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.tagger import Tagger
from seqlab.trellis import Trellis, TrellisBatch
from seqlab.trellis.constraints import forbid

BLOCK = 2**22  # numbers in one table of transitions at a time


def memm_trellises(
    model: LinearModel, encoded: EncodedCorpus, *, allowed: Any = None, threads: int = 1
) -> Trellises:
    """Make the trellis of every sentence; in order 1, the node score of a label contains the next normaliser."""
    node = model.node_scores(encoded.node, dtype=np.float64, threads=threads)
    if allowed is not None:
        allowed.mask(node)
    offsets = encoded.offsets
    some = np.diff(offsets) > 0
    firsts, lasts = offsets[:-1][some], offsets[1:][some] - 1
    node[np.ix_(firsts, np.flatnonzero(model.rules.no_start))] = -np.inf
    node[np.ix_(lasts, np.flatnonzero(model.rules.no_end))] = -np.inf
    edge = model.edge_scores(encoded, dtype=np.float64)
    start = np.logaddexp.reduce(node[firsts], axis=1)
    start = np.where(np.isneginf(start), 0.0, start)[:, None]
    if model.order > 1:
        node[firsts] -= start
        return _longer_trellises(model, node, edge, offsets)
    if model.rules.forbidden.any():
        edge = np.where(model.rules.forbidden, -np.inf, edge)
    inner = np.ones(len(node), dtype=bool)
    inner[firsts] = False
    into = np.flatnonzero(inner)  # tokens with a transition into them, in the order of slabs
    normalisers = np.zeros_like(node)
    normalisers[into - 1] = _normalisers(node[into], edge)
    dead = np.isneginf(normalisers)
    folded = np.where(dead, -np.inf, node - np.where(dead, 0, normalisers))
    folded[firsts] -= start
    return TrellisBatch(folded, np.diff(offsets), edge, labels=model.labels)


def _longer_trellises(model: LinearModel, node: Scores, pairs: Scores, offsets: Any) -> list[Trellis]:
    """Make trellises of order 2 or 3; normalisers depend on two or three labels, so edges contain them."""
    order, sums = model.order, summed_tables(model, np.float64)

    def legal(tables: Iterable[Scores]) -> list[Scores]:
        return [forbid(table, model.rules.forbidden, axes) for axes, table in enumerate(tables, 2)]

    shared = [] if pairs.ndim == 3 else legal((pairs, *(table + pairs for table in sums)))
    own = list(sentence_pairs(pairs, offsets)) if pairs.ndim == 3 else []
    made = []
    for s, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
        rows = node[begin:end]
        check_slabs(len(rows), model.L, order, s)
        *head, edge = shared or legal(position_tables(sums, own[s]))
        head = [
            _normalised(rows[t : t + 1], table, t + 1)[0] for t, table in enumerate(head, 1) if t < len(rows)
        ]
        edge = _normalised(rows[order:], edge, order + 1)
        made.append(Trellis(rows, edge, order=order, head=head, labels=model.labels))
    return made


def _normalised(node: Scores, edge: Scores, axes: int) -> Scores:
    """Subtract the normalisers from the edges of each position, (positions, L, ..., L).

    edge   (L, ..., L) with `axes` axes, shared by all positions, or one such table for each

    Where no label is possible there is no normaliser: all edges are -inf.
    """
    positions, labels = edge.shape[: edge.ndim - axes], edge.shape[edge.ndim - axes :]
    rows = edge.reshape(*positions, math.prod(labels[:-1]), labels[-1])
    normalisers = _normalisers(node, rows)
    dead = np.isneginf(normalisers)
    made: Scores = np.where(dead[..., None], -np.inf, rows - np.where(dead, 0.0, normalisers)[..., None])
    return made.reshape(len(node), *labels)


def _normalisers(node: Scores, edge: Scores) -> npt.NDArray[np.float64]:
    """Compute log Σ_z exp(edge(y, z) + node(z)), (tokens, rows), for every y: the previous label, or labels."""
    if edge.ndim == 3:
        return _by_sums(node, edge)
    # exp and one matrix product, shifted so that nothing overflows
    top, high = _finite_max(node), _finite_max(edge)
    with np.errstate(divide="ignore"):
        made: npt.NDArray[np.float64] = np.log(np.exp(node - top[:, None]) @ np.exp(edge - high[:, None]).T)
    made = made + top[:, None] + high  # keep this order: stored results are compared to the last bit
    weak = np.isneginf(made).any(axis=1)  # all forbidden, or underflowed in the product
    if weak.any():
        made[weak] = _by_sums(node[weak], edge[None])
    return made


def _finite_max(rows: Scores) -> Scores:
    top: Scores = rows.max(axis=1, initial=-np.inf)
    return np.where(np.isneginf(top), 0.0, top)


def _by_sums(node: Scores, edge: Scores) -> npt.NDArray[np.float64]:
    made = np.empty((len(node), edge.shape[1]))
    step = max(1, BLOCK // (edge.shape[1] * edge.shape[2]))
    for first in range(0, len(node), step):
        rows = slice(first, first + step)
        slabs = edge[rows] if len(edge) > 1 else edge
        made[rows] = np.logaddexp.reduce(slabs + node[rows, None, :], axis=2)
    return made


class MemmFit(LinearFit):
    """A fitted MEMM, which has no tables for the fast decoder, because they have no normalisers."""

    def _tables(self) -> None:
        return None


class MEMM(LinearTagger):
    """A maximum-entropy Markov model (eq:memm-likelihood).

    It has the features of a CRF, but the probabilities of every label are normalised, given the previous label:
    P(y | x) = Π_t p(y_t | y_{t-1}, x), or given the two or three previous labels (order). Training is fast, because no
    sum over paths is needed; decoding is exact, by Viterbi. The price is label bias: a label with few successors gives
    them all its probability, whatever the words are (docs/guide/memm.md).

    features      as in CRF: a preset's name, a Template, a function (sentence, t), or None for ready-made attributes
    learner       LBFGS(), ConjugateGradient() or GradientAscent()
    order         1, 2 or 3: number of previous labels that a label depends on; labels are not pruned, so keep has no
                  effect
    constraints   a tag scheme, "auto" for that of the labels, a Constraints, or forbidden transitions (from, to)
    allowed       {word: labels}: the labels that a word may have, in training and after; words not listed may have any
    states        "observed" for attributes with the labels seen with them, "all" for every attribute with every label
    transitions   "observed" for transitions seen in training, "all" for every one
    min_count     attributes seen less often are dropped; class_weight: {label: weight} or "balanced"
    seed, threads the result depends on the seed, not on the number of threads; None uses every core
    """

    _kind = "memm"
    _fit_class = MemmFit
    _losses = (_core.LocalLikelihood32, _core.LocalLikelihood64)
    _layered = False  # a token's weight applies to its own choice
    _local = True  # the initial weights are those of independent choices

    def _label_ids(self, corpus: Corpus, threads: int) -> LabelIds:
        return Tagger._label_ids(self, corpus, threads)  # the fast decoder has no normalisers

    def _batch_for_dev(
        self,
        model: LinearModel,
        encoded: EncodedCorpus,
        allowed: Any,
        threads: int,
        dtype: Any = np.float64,  # noqa: ARG002 - normalisers are always computed in float64
    ) -> Trellises:
        return memm_trellises(model, encoded, allowed=allowed, threads=threads)

    def _check_options(self) -> None:
        super()._check_options()
        if not isinstance(self.learner, BatchLearner):
            raise OptionError(
                f"an MEMM is trained by LBFGS(), ConjugateGradient() or GradientAscent(), got {self.learner!r}"
            )
