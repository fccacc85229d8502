"""Training tasks small enough to enumerate every labelling: each part of a task that learners have to honour."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

ATTRIBUTES = 6
EDGE_ATTRIBUTES = 3


class Problem:
    """Sequences with attributes and labels; every part of a task that a learner has to honour, or not."""

    def __init__(
        self,
        seed: int,
        L: int,
        lengths: list[int],
        *,
        order: int = 1,
        valued: bool = False,
        masked: bool = False,
        weighted: bool = False,
        token_weighted: bool = False,
        all_pairs: bool = False,
        edges: bool = False,
        active: bool = False,
        partial: bool = False,
    ) -> None:
        rng = np.random.default_rng(seed)
        self.L, self.lengths, self.order = L, lengths, order
        self.offset = _offsets(lengths)
        N = int(self.offset[-1])
        self.truth = rng.integers(0, L, N).astype(np.int32)
        self.node = _Table(rng, N, ATTRIBUTES, L, valued, 1.0 if all_pairs else 0.6)
        self.edge = _Table(rng, N, EDGE_ATTRIBUTES, L * L, valued, 0.4) if edges else None
        # tables of two, three, ... labels in a row
        self.numbers = [_numbered(rng, L ** (k + 1), 0.9 - k / 10) for k in range(1, order + 1)]
        # halves and quarters: sums of them are exact in float32 too
        self.weight = rng.integers(0, 5, len(lengths)) / 2 if weighted else None
        self.token_weight = rng.integers(0, 4, N) / 2 if token_weighted else None
        self.rules = self._rules(rng) if masked else None
        self.active = self._lists(rng, 0.7, None) if active else None
        self.partial = [bool(partial and rng.random() < 0.5) for _ in lengths]
        self.lists = self._lists(rng, 0.4, self.active) if partial else None
        self.size = (
            len(self.node.label)
            + sum(map(_count, self.numbers))
            + (0 if self.edge is None else len(self.edge.label))
        )
        self.theta = rng.integers(-8, 9, self.size) / 4

    def _rules(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rules that leave the labels given legal."""
        forbidden = (rng.random((self.L, self.L)) < 0.4).astype(np.uint8)
        no_start, no_end = (rng.random((2, self.L)) < 0.4).astype(np.uint8)
        for s in range(len(self.lengths)):
            labels = self.right(s)
            for a, b in itertools.pairwise(labels):
                forbidden[a, b] = 0
            if labels:
                no_start[labels[0]] = no_end[labels[-1]] = 0
        return forbidden.reshape(-1), no_start, no_end

    def _lists(
        self, rng: np.random.Generator, share: float, within: list[list[int]] | None
    ) -> list[list[int]]:
        """For every token some labels, the right one among them."""
        return [
            [y for y in range(self.L) if y == right or (rng.random() < share and (within is None or y in within[n]))]
            for n, right in enumerate(self.truth.tolist())
        ]  # fmt: skip

    def right(self, s: int) -> list[int]:
        return self.truth[self.offset[s] : self.offset[s + 1]].tolist()

    def task(self) -> Any:
        """The same as the core's Task."""
        from seqlab import _core

        labels = self.truth.copy()
        for s, known_in_part in enumerate(self.partial):
            if known_in_part:
                labels[self.offset[s] : self.offset[s + 1]] = -1
        task = _core.Task(
            self.L, self.offset, labels, self.node.indptr, self.node.ids, self.node.values, self.node.begin,
            self.node.label, self.numbers[0],
        )  # fmt: skip
        if self.rules is not None:
            task.set_rules(*self.rules)
        for numbers in self.numbers[1:]:
            task.add_transitions(numbers)
        if self.edge is not None:
            task.set_edges(
                self.edge.indptr, self.edge.ids, self.edge.values, self.edge.begin, self.edge.label
            )
        if self.weight is not None:
            task.set_weights(self.weight, self.weight)
        if self.token_weight is not None:
            task.set_token_weights(self.token_weight)
        if self.active is not None:
            task.set_active(*_flat(self.active))
        if any(self.partial):
            self._clamp(task)
        return task

    def _clamp(self, task: Any) -> None:
        which = [s for s, known_in_part in enumerate(self.partial) if known_in_part]
        rows = [self.lists[n] for s in which for n in range(self.offset[s], self.offset[s + 1])]
        task.set_clamps(
            np.array(which, dtype=np.int64),
            np.ones(len(which)),
            np.cumsum([0, *[self.lengths[s] for s in which[:-1]]]).astype(np.int64),
            *_flat(rows),
        )

    def features(self, s: int, labelling: tuple[int, ...]) -> np.ndarray:
        """F(x_s, y): how often each weight is used."""
        used = np.zeros(self.size)
        first = np.cumsum([len(self.node.label), *map(_count, self.numbers)]).tolist()
        for t, y in enumerate(labelling):
            n = int(self.offset[s]) + t
            self.node.add(n, y, used, 0)
            if t == 0:
                continue
            cell = y
            for k, numbers in enumerate(self.numbers[:t], 1):
                cell += labelling[t - k] * self.L**k
                if numbers[cell] >= 0:
                    used[first[k - 1] + numbers[cell]] += 1
            if self.edge is not None:
                self.edge.add(n, labelling[t - 1] * self.L + y, used, first[-1])
        return used

    def legal(self, s: int, labelling: tuple[int, ...]) -> bool:
        if self.active is not None:
            begin = int(self.offset[s])
            if any(y not in self.active[begin + t] for t, y in enumerate(labelling)):
                return False
        if self.rules is None or not labelling:
            return True
        forbidden, no_start, no_end = self.rules
        return (
            not no_start[labelling[0]]
            and not no_end[labelling[-1]]
            and not any(forbidden[a * self.L + b] for a, b in itertools.pairwise(labelling))
        )

    def fits(self, s: int, t: int, y: int) -> bool:
        n = int(self.offset[s]) + t
        return y in self.lists[n] if self.partial[s] else y == int(self.truth[n])

    def cost(self, s: int, labelling: tuple[int, ...]) -> float:
        """Δ: the summed weight of the wrong tokens, as a share of the weight of the sequence."""
        begin, weight = int(self.offset[s]), self.weight_of(s) or 1.0
        return sum(
            1.0 if self.token_weight is None else float(self.token_weight[begin + t]) / weight
            for t, y in enumerate(labelling)
            if not self.fits(s, t, y)
        )

    def weight_of(self, s: int) -> float:
        return 1.0 if self.weight is None else float(self.weight[s])

    def visited(self) -> list[int]:
        return [s for s, length in enumerate(self.lengths) if length and self.weight_of(s) > 0]


class _Table:
    """Attributes of tokens, and the labels (or moves) that each has a weight for."""

    def __init__(
        self, rng: np.random.Generator, tokens: int, attributes: int, labels: int, valued: bool, share: float
    ) -> None:
        sizes = rng.integers(0, 5, tokens)
        self.indptr = _offsets(sizes)
        self.ids = rng.integers(0, attributes, int(sizes.sum())).astype(np.int32)
        self.values = rng.integers(-6, 7, len(self.ids)) / 4 if valued else None
        has = rng.random((attributes, labels)) < share
        self.begin = _offsets(has.sum(axis=1))
        self.label = np.nonzero(has)[1].astype(np.int32)

    def add(self, n: int, label: int, used: np.ndarray, first: int) -> None:
        for i in range(self.indptr[n], self.indptr[n + 1]):
            a = self.ids[i]
            for k in range(self.begin[a], self.begin[a + 1]):
                if self.label[k] == label:
                    used[first + k] += 1.0 if self.values is None else self.values[i]


def _offsets(sizes: Any) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _numbered(rng: np.random.Generator, n: int, share: float) -> np.ndarray:
    has = rng.random(n) < share
    return np.where(has, np.cumsum(has) - 1, -1).astype(np.int32)


def _count(number: np.ndarray) -> int:
    return int((number >= 0).sum())


def _flat(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return _offsets([len(x) for x in lists]), np.array([y for x in lists for y in x], dtype=np.int32)


@st.composite
def problems(draw: Any, *, partial: bool | None = None) -> Problem:
    order = draw(st.sampled_from((1, 1, 2)))
    return Problem(
        draw(st.integers(0, 2**32)),
        draw(st.integers(1, 4 if order == 1 else 3)),
        draw(st.lists(st.integers(0, 4), min_size=1, max_size=5)),
        order=order,
        partial=draw(st.booleans()) if partial is None else partial,
        **{
            name: draw(st.booleans())
            for name in ("valued", "masked", "weighted", "token_weighted", "all_pairs", "edges", "active")
        },
    )
