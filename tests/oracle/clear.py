"""The recursions in log space, one array operation a step, for trellises too large to enumerate.

alpha_t has one axis for each of the last min(t + 1, k) labels. With dtype=np.longdouble the same lines give
the reference for log Z: 64 bits of mantissa against the 53 of the library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oracle.tables import Tables


def logsumexp(scores: np.ndarray, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """log Σ exp, and -inf for the sum of nothing."""
    top = np.max(scores, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return np.log(np.sum(np.exp(scores - top), axis=axis)) + np.squeeze(top, axis=axis)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Shares of the whole; by their own sum, not by log Z, whose rounding differs on a long chain."""
    return np.exp(scores - logsumexp(scores))


@dataclass(frozen=True)
class Pass:
    """Forward and backward tables of one trellis."""

    alpha: list[np.ndarray]
    beta: list[np.ndarray]
    log_z: np.floating

    def node(self) -> np.ndarray:
        """(T, L): P(y_t)."""
        rows = []
        for alpha, beta in zip(self.alpha, self.beta, strict=True):
            state = softmax(alpha + beta)
            rows.append(state.sum(axis=tuple(range(state.ndim - 1))))
        return np.array(rows, dtype=np.float64)


def arriving(tables: Tables, dtype: type) -> Callable[[int], np.ndarray]:
    """The moves that arrive at t; shared ones are made ready once."""
    k = tables.order
    if not tables.shared or k >= tables.T:
        return lambda t: tables.moves(t).astype(dtype)
    shared = tables.moves(k).astype(dtype)
    return lambda t: shared if t >= k else tables.moves(t).astype(dtype)


def forward(tables: Tables, dtype: type) -> list[np.ndarray]:
    """alpha_0, ..., alpha_{T-1}."""
    node, moves = tables.nodes().astype(dtype), arriving(tables, dtype)
    alpha: list[np.ndarray] = []
    for t in range(tables.T):
        joint = alpha[-1][..., None] + moves(t) if t else np.zeros(1, dtype)
        alpha.append((logsumexp(joint, axis=0) if t >= tables.order else joint) + node[t])
    return alpha


def forward_backward(tables: Tables, dtype: type = np.float64) -> Pass:
    """All of it; T = 0 has log Z = 0."""
    node, moves = tables.nodes().astype(dtype), arriving(tables, dtype)
    alpha = forward(tables, dtype)
    beta = [np.zeros_like(a) for a in alpha[-1:]]
    for t in range(tables.T - 1, 0, -1):
        beta.append(logsumexp(moves(t) + node[t] + beta[-1], axis=-1))
    return Pass(alpha, beta[::-1], dtype(logsumexp(alpha[-1]) if alpha else 0))


def log_partition(tables: Tables) -> np.longdouble:
    """log Z to about 18 digits."""
    alpha = forward(tables, np.longdouble)
    return np.longdouble(logsumexp(alpha[-1]) if alpha else 0)


def edge_marginals(tables: Tables, dtype: type = np.float64) -> np.ndarray:
    """(T-k, L, ..., L): P(y_{t-k}, ..., y_t)."""
    T, k, L = tables.T, tables.order, tables.L
    node, moves = tables.nodes().astype(dtype), arriving(tables, dtype)
    messages = forward_backward(tables, dtype)
    slabs = np.zeros((max(T - k, 0),) + (L,) * (k + 1))
    for t in range(k, T):
        slabs[t - k] = softmax(messages.alpha[t - 1][..., None] + moves(t) + node[t] + messages.beta[t])
    return slabs


def viterbi(tables: Tables) -> tuple[tuple[int, ...], float]:
    """Best path and score; among equals the lowest label at the last position, then at the one before, ..."""
    T, k = tables.T, tables.order
    node, moves = tables.nodes(), arriving(tables, np.float64)
    if T == 0:
        return (), 0.0
    delta = [node[0]]
    for t in range(1, T):
        joint = delta[-1][..., None] + moves(t)
        delta.append((joint.max(axis=0) if t >= k else joint) + node[t])
    last = delta[-1]
    # the transpose puts the newest label first, so argmax finds the tie rule's choice
    state = np.unravel_index(int(np.argmax(last.T)), last.T.shape)[::-1]
    path = [int(y) for y in state[::-1]]  # newest first, turned round at the end
    for t in range(T - 1, k - 1, -1):
        newer = path[-1 : -k - 1 : -1]  # y_{t-k+1}, ..., y_t
        before = delta[t - 1][(slice(None), *newer[: k - 1])]
        path.append(int(np.argmax(before + moves(t)[(slice(None), *newer)])))
    return tuple(path[::-1]), float(last[state])
