"""How the cost of an objective with gradient grows: with tokens, labels, and attributes per token.

Tokens: CoNLL-2000 chunking, repeated (synthetic data where the corpus is not there). Labels and attributes: synthetic
sentences from fixed seeds, attributes drawn with falling frequency as words are. One figure is one point of the
picture docs/pictures/growth.svg, which `--readme` draws anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.speed import growth_picture, lessons
from benchmarks.speed.figure import Figure, widest_spread
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import measure
from seqlab import _core

CASE = "growth"
PICTURE = ROOT / "docs" / "pictures" / "growth.svg"
LOSSES = {"float32": _core.Likelihood32, "float64": _core.Likelihood64}
REPEATS = (1, 4, 16)
LABELS = (9, 22, 50, 100, 200, 500)
ATTRIBUTES = (5, 10, 20, 40, 80)
TOKENS, LENGTH, NAMES = 20_000, 25, 50_000  # of the synthetic data
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Arrays as the core trains on them; see EncodedCorpus."""

    labels: int
    attributes: int
    offsets: npt.NDArray[np.int64]
    gold: Ints
    indptr: npt.NDArray[np.int64]
    ids: Ints

    @property
    def tokens(self) -> int:
        return len(self.gold)

    def task(self) -> tuple[_core.Task, int]:
        """The task, and how many weights it has: pairs met, and all moves."""
        begin, label = _core.observed_pairs(
            self.indptr, self.ids, self.gold, None, None, self.attributes, self.labels, 1
        )
        moves = np.arange(self.labels**2, dtype=np.int32)
        task = _core.Task(
            self.labels, self.offsets, self.gold, self.indptr, self.ids, None, begin, label, moves
        )
        return task, len(label) + len(moves)


def run(*, quick: bool = False) -> list[Figure]:
    figures: list[Figure] = []
    one = chunking(quick=quick)
    for times in REPEATS:
        figures += measured("tokens", one.tokens * times, repeated(one, times), quick=quick)
    for labels in LABELS:
        figures += measured("labels", labels, synthetic(labels, 20, quick=quick), quick=quick)
    for attributes in ATTRIBUTES:
        figures += measured(
            "attributes per token", attributes, synthetic(22, attributes, quick=quick), quick=quick
        )
    return figures


def chunking(*, quick: bool) -> Data:
    prepared = lessons.prepare(lessons.CHUNKING, quick=quick)
    if prepared is None:
        return synthetic(22, 19, quick=quick)
    encoded, gold = prepared.encoded, prepared.lesson.gold
    return Data(len(gold.names), encoded.encoder.size, encoded.offsets, gold.ids, encoded.indptr, encoded.ids)


def repeated(one: Data, times: int) -> Data:
    """The same sentences over and over: more tokens, no more weights."""
    return Data(
        one.labels,
        one.attributes,
        chained(one.offsets, times),
        np.tile(one.gold, times),
        chained(one.indptr, times),
        np.tile(one.ids, times),
    )


def chained(offsets: npt.NDArray[np.int64], times: int) -> npt.NDArray[np.int64]:
    """Offsets of `times` copies laid end to end."""
    sizes = np.tile(np.diff(offsets), times)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def synthetic(labels: int, per_token: int, *, quick: bool) -> Data:
    """Random labels and attributes, attribute k drawn about as often as 1 / k."""
    tokens = TOKENS // (10 if quick else 1)
    generator = np.random.default_rng(0)
    ids = np.exp(generator.uniform(0, np.log(NAMES), (tokens, per_token))).astype(np.int32) - 1
    return Data(
        labels,
        NAMES,
        np.arange(0, tokens + 1, LENGTH, dtype=np.int64),
        generator.integers(0, labels, tokens, dtype=np.int32),
        np.arange(0, ids.size + 1, per_token, dtype=np.int64),
        ids.reshape(-1),
    )


def measured(axis: str, at: int, data: Data, *, quick: bool) -> list[Figure]:
    """Both dtypes in turn, in milliseconds."""
    task, size = data.task()
    theta = np.random.default_rng(1).normal(scale=0.1, size=size)
    gradient = np.empty_like(theta)

    def call(loss: Any) -> Any:
        return lambda: loss(theta, gradient, 1)

    timings = measure(
        {dtype: call(loss(task)) for dtype, loss in LOSSES.items()}, seconds=0.05 if quick else 0.6
    )
    return [
        Figure(
            CASE,
            f"{axis} {at}, {dtype}",
            "ms",
            timing.median * 1e3,
            timing.spread,
            timing.repetitions,
            hash_of(data.offsets, data.ids, data.gold),
            details={"axis": axis, "at": at, "dtype": dtype, "tokens": data.tokens, "weights": size},
        )
        for dtype, timing in timings.items()
    ]


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    points: dict[tuple[str, int], dict[str, Figure]] = {}
    for figure in mine:
        points.setdefault((figure.details["axis"], figure.details["at"]), {})[figure.details["dtype"]] = (
            figure
        )
    rows = [
        (
            axis,
            f"{at:,}",
            *(number(both[dtype].median) for dtype in LOSSES),
            *(number(both[dtype].median * 1e6 / both[dtype].details["tokens"]) for dtype in LOSSES),
        )
        for (axis, at), both in points.items()
    ]
    header = ("growth with", "", "f32 ms", "f64 ms", "f32 ns/token", "f64 ns/token")
    note = f"Objective and gradient, one thread; drawn in docs/pictures/growth.svg. Spread up to {widest_spread(mine)}."
    return [Table("How the cost of an evaluation grows", header, tuple(rows), note)]


def draw(figures: Sequence[Figure]) -> None:
    """The picture, where there are figures for it."""
    mine = [figure for figure in figures if figure.case == CASE]
    if mine:
        PICTURE.parent.mkdir(parents=True, exist_ok=True)
        PICTURE.write_text(growth_picture.svg(mine), encoding="utf-8")
