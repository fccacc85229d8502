"""Random tables for hypothesis: small enough to enumerate, nasty enough to matter.

The numbers come from a generator whose seed hypothesis draws, so that examples are cheap; what shrinks is the
shape, the scale and the rules. A planted path keeps the trellis possible whatever is forbidden around it.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from oracle.tables import Tables

NAMES = ("noun", "verb", "O", "ADJ", "B-ÄÖ", "x y")
SCALES = (0, 1, 50, 500, 1000)
DTYPES = (np.float32, np.float64)
MOST_PATHS = 1100


@st.composite
def trellises(
    draw: Any,
    *,
    min_T: int = 0,
    max_T: int = 5,
    max_L: int = 4,
    orders: tuple[int, ...] = (1, 2, 3),
    scales: tuple[int, ...] = SCALES,
    dtypes: tuple[type, ...] = DTYPES,
    rules: bool = True,
    integers: bool | None = None,
    holes: tuple[float, ...] = (0.0, 0.0, 0.1, 0.3),
    possible: bool = True,
) -> Tables:
    """The tables of one trellis; `tables.trellis()` is the library's object.

    integers   True: whole numbers, full of exact ties; False: real numbers, no ties; None: either
    holes      shares of -inf to choose from
    possible   False: nothing is planted, so that many have no legal path
    """
    T, L = draw(_shapes(min_T, max_T, max_L))
    k = draw(st.sampled_from(orders))
    make = _Numbers(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        scale=draw(st.sampled_from(scales)),
        dtype=draw(st.sampled_from(dtypes)),
        whole=draw(st.booleans()) if integers is None else integers,
        holes=draw(st.sampled_from(holes)),
    )
    per_position = k < T and draw(st.booleans())
    stack = (T - k,) if per_position else draw(st.sampled_from(((), (1,))))
    tables = Tables(
        node=make.scores((T, L)),
        edge=make.scores(stack + (L,) * (k + 1)),
        order=k,
        head=tuple(
            make.scores((L,) * (i + 2)) for i in range(draw(st.sampled_from((*range(k), k - 1, k - 1))))
        ),
        start=make.scores((L,)) if draw(st.booleans()) else None,
        stop=make.scores((L,)) if draw(st.booleans()) else None,
        labels=NAMES[:L] if draw(st.booleans()) else None,
        rules_as_masks=draw(st.booleans()),
        **(_rules(draw, make.rng, T, L) if rules and T else {}),
    )
    return _plant(tables, make) if possible else tables


def _shapes(min_T: int, max_T: int, max_L: int) -> st.SearchStrategy[tuple[int, int]]:
    """(T, L), the simplest first for shrinking, the small ones listed once and the telling ones often."""
    shapes = [
        (T, L) for L in range(1, max_L + 1) for T in range(min_T, max_T + 1) if T <= 1 or L**T <= MOST_PATHS
    ]
    return st.sampled_from(
        sorted(shape for T, L in shapes for shape in [(T, L)] * (1 + 2 * max(min(T, L) - 1, 0)))
    )


class _Numbers:
    """Scores of one scale and kind."""

    def __init__(
        self, rng: np.random.Generator, scale: float, dtype: type, whole: bool, holes: float
    ) -> None:
        self.rng, self.scale, self.dtype, self.whole, self.holes = rng, scale, dtype, whole, holes

    def scores(self, shape: tuple[int, ...]) -> np.ndarray:
        values = self.rng.integers(-2, 3, shape) if self.whole else self.rng.normal(size=shape)
        values = (values * self.scale).astype(self.dtype)
        values[self.rng.random(shape) < self.holes] = -np.inf
        return values


def _rules(draw: Any, rng: np.random.Generator, T: int, L: int) -> dict[str, Any]:
    """Each rule present in about half of the examples, and known labels never outside the allowed ones."""
    rules: dict[str, Any] = {}
    some = lambda pool, share: frozenset(x for x in pool if rng.random() < share)  # noqa: E731
    if draw(st.booleans()):
        rules["forbidden_moves"] = some(itertools.product(range(L), repeat=2), 0.25)
    if draw(st.booleans()):
        rules["forbidden_starts"] = some(range(L), 0.3)
        rules["forbidden_ends"] = some(range(L), 0.3)
    if draw(st.booleans()):
        rules["known"] = {t: int(rng.integers(L)) for t in sorted(some(range(T), 0.25))}
    if draw(st.booleans()):
        known = rules.get("known", {})
        rules["allowed"] = {
            t: some(range(L), 0.5) | {known.get(t, int(rng.integers(L)))} for t in sorted(some(range(T), 0.4))
        }
    return rules


def _plant(tables: Tables, make: _Numbers) -> Tables:
    """Make one random path legal by lifting whatever stands in its way."""
    T = tables.T
    path = tuple(int(y) for y in make.rng.integers(tables.L, size=T))
    for t, y in enumerate(path):
        _lift(tables.node, (t, y), make.scale)
        slab = tables.slab(t)
        if slab is not None:
            _lift(slab, path[max(t - tables.order, 0) : t + 1], make.scale)
    if T and tables.start is not None:
        _lift(tables.start, (path[0],), make.scale)
    if T and tables.stop is not None:
        _lift(tables.stop, (path[-1],), make.scale)
    return replace(
        tables,
        forbidden_moves=tables.forbidden_moves - set(itertools.pairwise(path)),
        forbidden_starts=tables.forbidden_starts - set(path[:1]),
        forbidden_ends=tables.forbidden_ends - set(path[-1:]),
        known={t: path[t] for t in tables.known},
        allowed={t: ys | {path[t]} for t, ys in tables.allowed.items()},
    )


def _lift(scores: np.ndarray, cell: tuple[int, ...], value: float) -> None:
    if scores[cell] == -np.inf:
        scores[cell] = value
