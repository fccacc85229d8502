"""Forward, backward, Viterbi and expected moves of one sequence or many: the core, under hmmlearn's names.

startprob (K,), transmat (K, K)   probabilities; rows need not sum to 1
log_frameprob, frameprob (T, K)   log P(x_t | state), or P(x_t | state)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import thread_count
from seqlab.errors import ImpossibleError, Place, ScoreError
from seqlab.families.hmm.em import Evidence, chain_sums
from seqlab.families.hmm.emissions.base import Floats, logs
from seqlab.families.hmm.tables import Expected
from seqlab.inference import backward, forward, log_partition
from seqlab.trellis import TrellisBatch

Ids = npt.NDArray[np.int64]
LONG, MANY = 1024, 9  # from so many rows and below so many states the core goes another way


class Chains(NamedTuple):
    """Sequences as the core reads them."""

    batch: _core.Batch64
    lengths: Ids
    shape: tuple[int, int]  # rows and states


def trellises(startprob: Any, transmat: Any, log_frameprob: Any, lengths: Any = None) -> Chains:
    """Make a trellis for each sequence; all rows are one sequence without lengths."""
    node, lengths, edge = _scores(startprob, transmat, log_frameprob, lengths)
    if not (node < np.inf).all():  # False for NaN, too
        row = int((~(node < np.inf)).any(axis=1).argmax())
        raise ScoreError(
            f"its log-likelihoods must be numbers below inf, got {node[row]}; look at the parameters of the emissions",
            place=Place(row, unit="row", of="X"),
        )
    batch = _core.Batch64()
    batch.add_many(node, lengths, edge, 1, False, [])
    return Chains(batch, lengths, node.shape)


def _scores(startprob: Any, transmat: Any, log_frameprob: Any, lengths: Any = None) -> tuple[Any, Any, Any]:
    """Compute the scores of a trellis: rows with the start, lengths, and moves."""
    node, edge = np.array(log_frameprob, dtype=np.float64, order="C"), np.asarray(transmat, dtype=np.float64)
    lengths = np.asarray([len(node)] if lengths is None else lengths, dtype=np.int64)
    first = (np.cumsum(lengths) - lengths)[lengths > 0]
    node[first] += logs(np.asarray(startprob, dtype=np.float64))
    return node, lengths, np.ascontiguousarray(logs(edge))


def log_likelihoods(chains: Chains) -> Floats:
    """Compute log P(x) of each sequence, -inf for one that cannot be."""
    log_z = np.empty(len(chains.lengths))
    _core.log_partition(chains.batch, log_z, thread_count(None))
    return log_z


def posteriors(chains: Chains) -> tuple[Floats, Floats]:
    """Compute log P(x) of each sequence, and P(state | x) for all rows (T, K)."""
    gamma, log_z = np.empty(chains.shape), np.empty(len(chains.lengths))
    _core.node_marginals(
        chains.batch, gamma.reshape(-1), log_z, np.zeros(len(log_z), np.uint8), thread_count(None)
    )
    refuse_impossible(log_z)
    return log_z, gamma


def paths(startprob: Any, transmat: Any, log_frameprob: Any, lengths: Any = None) -> tuple[Floats, Ids]:
    """Find the best path of each sequence: log probabilities, and the states of all rows (T,).

    Of several best ones hmmlearn takes that with the first state at the end, and with the last one at each row before;
    the core takes the first everywhere. So it is given the states in reverse order, and asked again without the last.
    """
    frames = np.asarray(log_frameprob, dtype=np.float64)
    size, rows = frames.shape[1], len(frames)
    lengths = np.asarray([rows] if lengths is None else lengths, dtype=np.int64)
    ties, width = _may_tie(frames), size
    if ties and lengths.max(initial=0) > LONG:
        width = max(size, MANY)
    start, moves = np.zeros(width), np.zeros((width, width))
    start[:size], moves[:size, :size] = startprob[::-1], transmat[::-1, ::-1]
    node = np.full((rows, width), -np.inf)
    node[:, :size] = frames[:, ::-1]
    scores, states = _best(start, moves, node, lengths)
    ends, tied = np.cumsum(lengths) - 1, (lengths > 0) & np.isfinite(scores) & ties
    last = states[ends]
    while tied.any():
        node[ends[tied]] = np.where(np.arange(width) <= last[tied, None], -np.inf, node[ends[tied]])
        others, found = _best(start, moves, node, lengths)
        tied &= others == scores
        states = np.where(np.repeat(tied, lengths), found, states)
        last = states[ends]
    return scores, np.where(states < 0, 0, size - 1 - states).astype(np.int64)  # -1: no path is possible


def _best(start: Floats, moves: Floats, node: Floats, lengths: Ids) -> tuple[Floats, npt.NDArray[np.int32]]:
    chains = trellises(start, moves, node, lengths)
    states, scores = np.zeros(len(node), dtype=np.int32), np.empty(len(lengths))
    _core.viterbi(chains.batch, states, scores, thread_count(None))
    return scores, states


def _may_tie(frames: Floats) -> bool:
    """Tell whether rows are few or repeat: paths may then be equally good, and the choice must be hmmlearn's.

    For few states the core cuts a long sequence into pieces that are computed side by side, in another order of sums.
    """
    some = frames[:LONG, 0]
    return len(frames) <= LONG or len(np.unique(some)) < len(some)


def expectation(log_start: Any, transmat: Any, log_frameprob: Any, lengths: Any) -> tuple[Expected, Floats]:
    """Run the E step of all sequences: sums of starts and moves, and P(state | x) for all rows (T, K)."""
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    node = np.array(log_frameprob, dtype=np.float64)
    gamma, edge = np.zeros(node.size), np.ascontiguousarray(logs(np.asarray(transmat, dtype=np.float64)))
    tables: Any = (np.ascontiguousarray(log_start), edge, None, [])
    found = chain_sums(Evidence(None, offsets), tables, (node.reshape(-1), gamma), thread_count(None))
    refuse_impossible(found.log_z)
    return found, gamma.reshape(node.shape)


def refuse_impossible(log_z: Floats) -> None:
    """Raise an error for the first sequence without any possible path; hmmlearn answers with NaN."""
    if not (possible := log_z > -np.inf).all():
        raise ImpossibleError(
            "it has probability 0 under the model, so its states have no probabilities; look at zeros in startprob_, "
            "transmat_ and the emissions",
            place=Place(int(possible.argmin()), unit="sequence"),
        )


# ------------------------------------------------------------------------------------------------ hmmlearn's names


def forward_log(startprob: Any, transmat: Any, log_frameprob: Any) -> tuple[float, Floats]:
    """Compute log P(x) and the forward table in logs (T, K) of one sequence."""
    batch = TrellisBatch(*_scores(startprob, transmat, log_frameprob))
    return log_partition(batch)[0], forward(batch)[0]


def backward_log(startprob: Any, transmat: Any, log_frameprob: Any) -> Floats:
    """Compute the backward table in logs (T, K) of one sequence."""
    return backward(TrellisBatch(*_scores(np.ones(len(startprob)), transmat, log_frameprob)))[0]


def forward_scaling(startprob: Any, transmat: Any, frameprob: Any) -> tuple[float, Floats, Floats]:
    """Compute log P(x), the forward table with rows that sum to 1 (T, K), and what each row was multiplied by (T,)."""
    log_prob, table = forward_log(startprob, transmat, logs(np.asarray(frameprob, dtype=np.float64)))
    totals = np.logaddexp.reduce(table, axis=1)
    refuse_impossible(totals[-1:])
    return log_prob, np.exp(table - totals[:, None]), np.exp(-np.diff(totals, prepend=0.0))


def backward_scaling(startprob: Any, transmat: Any, frameprob: Any, scaling: Any) -> Floats:
    """Compute the backward table (T, K), each row multiplied by the scaling (T,) of its position and of all after."""
    table = backward_log(startprob, transmat, logs(np.asarray(frameprob, dtype=np.float64)))
    after = np.cumsum(np.log(np.asarray(scaling, dtype=np.float64))[::-1])[::-1]
    return np.asarray(np.exp(table + after[:, None]))


def compute_log_xi_sum(fwdlattice: Any, transmat: Any, bwdlattice: Any, log_frameprob: Any) -> Floats:  # noqa: ARG001
    """Compute logs of the expected number of moves (K, K) of one sequence; the core finds the backward table itself."""
    node = np.array(log_frameprob, dtype=np.float64)
    node[0] = fwdlattice[0]
    return logs(expectation(np.zeros(node.shape[1]), transmat, node, [len(node)])[0].edge)


def compute_scaling_xi_sum(fwdlattice: Any, transmat: Any, bwdlattice: Any, frameprob: Any) -> Floats:
    """Compute the expected number of moves (K, K) of one sequence from scaled tables."""
    first, node = (logs(np.asarray(one, dtype=np.float64)) for one in (fwdlattice, frameprob))
    return np.asarray(np.exp(compute_log_xi_sum(first, transmat, bwdlattice, node)))


def viterbi(startprob: Any, transmat: Any, log_frameprob: Any) -> tuple[float, Ids]:
    """Find the best path of one sequence: its log probability, and its states (T,)."""
    scores, states = paths(np.asarray(startprob), np.asarray(transmat), log_frameprob)
    return float(scores[0]), states
