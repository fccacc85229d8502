"""Sentences of 25 tokens on one thread: ns per token and share of the peak flop rate.

Flops counted per token: forward 2 L², backward 2 L², edge expectations 2 L²; Viterbi 2 L².
Viterbi adds and takes maxima, which no multiply-add does in one go: its ceiling is half the peak.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.speed.figure import Figure, mark, widest_spread
from benchmarks.speed.inputs import hash_of, random_scores
from benchmarks.speed.machine import ROOT
from benchmarks.speed.peak import Peak, measured_peak
from benchmarks.speed.table import Table, number, percent
from benchmarks.speed.timing import measure
from seqlab import TrellisBatch, inference
from seqlab import draw as drawing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASE = "sentences"
LENGTH = 25
AIMS = {9: 51.0, 22: 80.0, 45: 350.0, 150: 2400.0, 500: 26000.0}  # ns per token, float32
TOKENS = {9: 50_000, 22: 50_000, 45: 50_000, 150: 10_000, 500: 2_000}
PASSES = {"forward-backward": 3, "viterbi": 1, "viterbi, every Path made": 1}  # of 2 L² flops per token
TITLES = {
    "forward-backward": "Forward-backward with edge expectations",
    "viterbi": "Viterbi",
    "viterbi, every Path made": "Viterbi, every Path made",
}
DTYPES = ("float32", "float64")
PICTURE = ROOT / "docs" / "pictures" / "inference-speed.svg"


def run(*, quick: bool = False) -> list[Figure]:
    peak = measured_peak()
    return [figure for labels in AIMS for figure in _one_size(labels, peak, quick=quick)]


def _one_size(labels: int, peak: Peak, *, quick: bool) -> list[Figure]:
    sentences = TOKENS[labels] // LENGTH // (10 if quick else 1)
    sides: dict[tuple[str, str], Callable[[], object]] = {}
    hashes = {}
    for dtype in DTYPES:
        batch, hashes[dtype] = _batch(sentences, labels, dtype)
        sides |= {(task, dtype): call for task, call in _tasks(batch).items()}
    timings = measure(
        {f"{task} {dtype}": call for (task, dtype), call in sides.items()},
        seconds=0.1 if quick else 1.0,
    )
    tokens = sentences * LENGTH
    figures = []
    for task, dtype in sides:
        timing = timings[f"{task} {dtype}"]
        flops = PASSES[task] * 2.0 * labels**2 * tokens
        figures.append(
            Figure(
                case=CASE,
                name=f"{task}, {dtype}, L = {labels}",
                unit="ns/token",
                median=timing.median / tokens * 1e9,
                spread=timing.spread,
                repetitions=timing.repetitions,
                input_hash=hashes[dtype],
                at_most=AIMS[labels] if dtype == "float32" else None,
                details={
                    "task": task,
                    "dtype": dtype,
                    "labels": labels,
                    "tokens": tokens,
                    "share_of_peak": peak.share(dtype, flops, timing.median),
                    "peak_gflops": getattr(peak, dtype),
                },
            )
        )
    return figures


def _batch(sentences: int, labels: int, dtype: str) -> tuple[TrellisBatch, str]:
    node = random_scores((sentences * LENGTH, labels), dtype, seed=labels)
    edge = random_scores((labels, labels), dtype, seed=labels + 1)
    lengths = np.full(sentences, LENGTH, np.int64)
    return TrellisBatch(node, lengths, edge), hash_of(node, lengths, edge)


def _tasks(batch: TrellisBatch) -> dict[str, Callable[[], object]]:
    """What is timed: the public calls. viterbi makes a Path when it is looked at, so looking is timed too."""
    return {
        "forward-backward": lambda: inference.expected_counts(batch, threads=1),
        "viterbi": lambda: inference.viterbi(batch, threads=1),
        "viterbi, every Path made": lambda: list(inference.viterbi(batch, threads=1)),
    }


def tables(figures: Sequence[Figure]) -> list[Table]:
    """One table per task: a line per L, both dtypes with their share of the peak."""
    found = {
        (f.details["task"], f.details["dtype"], f.details["labels"]): f for f in figures if f.case == CASE
    }
    tasks = [task for task in PASSES if any(key[0] == task for key in found)]
    return [_table(task, {key[1:]: f for key, f in found.items() if key[0] == task}) for task in tasks]


def _table(task: str, found: dict[tuple[str, int], Figure]) -> Table:
    def cells(labels: int) -> tuple[str, ...]:
        single, double = (found[dtype, labels] for dtype in DTYPES)
        return (
            str(labels),
            mark(number(single.median), single),
            percent(single.details["share_of_peak"]),
            "-" if single.at_most is None else number(single.at_most),
            number(double.median),
            percent(double.details["share_of_peak"]),
        )

    sizes = sorted({labels for _, labels in found})
    rates = [found[dtype, sizes[0]].details["peak_gflops"] for dtype in DTYPES]
    peaks = " / ".join("?" if rate is None else f"{rate:.0f}" for rate in rates)
    return Table(
        title=f"{TITLES[task]}: ns per token, one thread",
        header=("L", "float32", "of peak", "aim", "float64", "of peak"),
        rows=tuple(cells(labels) for labels in sizes),
        note=(
            f"Sentences of {LENGTH} tokens, counted as {2 * PASSES[task]} L² flops a token; "
            f"measured peak of the core {peaks} GFLOP/s (float32 / float64). "
            f"Spread up to {widest_spread(found.values())}."
        ),
    )


def draw(figures: Sequence[Figure]) -> None:
    """The picture: nanoseconds a token over the number of labels."""
    mine = {figure.name: figure.median for figure in figures if figure.case == CASE}
    curves = {
        f"{shown}, {dtype}": [(float(labels), mine[f"{task}, {dtype}, L = {labels}"]) for labels in AIMS]
        for task, shown in (("forward-backward", "forward-backward"), ("viterbi", "Viterbi"))
        for dtype in DTYPES
    }
    drawing.line_picture(
        curves, title="Inference on one core", x_name="labels", y_name="ns per token", log_x=True, log_y=True
    ).save(PICTURE)
