"""A large model file: how long `seqlab.load` takes, and the first labels after it.

The model is made up: weights drawn by lot for words, their neighbours and pairs of words, about 200 MB as a file. It is
written once and read warm. The first labels come straight from the file; a whole corpus makes the tagger build its
tables first, which `predict` shows.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import seqlab
from benchmarks.speed.figure import Figure, mark
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import Timing
from seqlab.foreign.converting import tagger_of
from seqlab.foreign.parts import ForeignModel, Weighted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASE = "loading"
AIM = 10.0  # ms
LABELS, WORDS, PAIRS = 20, 440_000, 2_200_000
TEMPLATE = "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nU3:%x[-1,0]/%x[0,0]\nB\n"
SENTENCE = [f"w{i:x}" for i in range(7, 7007, 700)]


def run(*, quick: bool = False) -> list[Figure]:
    share = 50 if quick else 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.safetensors"
        made_up(WORDS // share, PAIRS // share).save(path)
        megabytes = path.stat().st_size / 1e6
        rounds = 3 if quick else 11
        return [
            figure("load", rounds, lambda: path, seqlab.load, megabytes, AIM),
            figure("first labels", rounds, lambda: seqlab.load(path), lambda t: t.tag(SENTENCE), megabytes),
            figure(
                "first predict", 3, lambda: seqlab.load(path), lambda t: t.predict([SENTENCE] * 50), megabytes
            ),
        ]


def made_up(words: int, pairs: int) -> Any:
    """A tagger with three weights for every attribute."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(words, size=(2, pairs)).tolist()
    names = [f"U{kind}:w{i:x}" for kind in range(3) for i in range(words)]
    names += dict.fromkeys(f"U3:w{i:x}/w{j:x}" for i, j in zip(left, right, strict=True))
    attribute = np.repeat(np.arange(len(names)), 3)
    cell = np.tile([0, 7, 13], len(names)) + np.repeat(rng.integers(6, size=len(names)), 3)
    weights = Weighted(names, attribute, cell, rng.normal(size=len(cell)))
    labels = tuple(f"L{y:02d}" for y in range(LABELS))
    moves = rng.normal(size=(LABELS, LABELS))
    template = seqlab.Template.from_crfpp(TEMPLATE)
    return tagger_of(
        ForeignModel(
            "lot", labels, weights, moves, np.ones_like(moves, dtype=bool), template=template, width=1
        )
    )


def figure(
    name: str,
    rounds: int,
    before: Callable[[], Any],
    timed: Callable[[Any], Any],
    megabytes: float,
    aim: float | None = None,
) -> Figure:
    """CPU time of `timed` on what `before` gives; the first round only warms up."""
    samples = []
    for _ in range(rounds + 1):
        given = before()
        start = time.process_time()
        made = timed(given)
        samples.append(time.process_time() - start)
        del given, made  # giving the memory back is not what is measured
    timing = Timing(tuple(samples[1:]))
    return Figure(
        case=CASE,
        name=name,
        unit="ms",
        median=timing.median * 1e3,
        spread=timing.spread,
        repetitions=timing.repetitions,
        input_hash=hash_of(),
        at_most=aim,
        details={"megabytes": megabytes},
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    return [
        Table(
            title=f"A model file of {mine[0].details['megabytes']:.0f} MB, ms",
            header=("", "taken", "aim"),
            rows=tuple(
                (f.name, mark(number(f.median), f), "-" if f.at_most is None else number(f.at_most))
                for f in mine
            ),
        )
    ]
