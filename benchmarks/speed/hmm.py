"""Beside hmmlearn's own C++ routines, on the same tables, in float64 on one thread.

Each side gets what it takes: hmmlearn one array per sequence, already split, and for its
scaling mode already exponentiated; seqlab one checked batch of log scores. Timed on its side
are the C++ calls alone, in the loop over sequences that hmmlearn itself runs; they give log Z and the expected
moves, and so does our call (node=False), which still starts from log tables. A second line ("same in, same
out") adds the exponentials that hmmlearn takes of its log tables and its own code for the marginals, which our call
gives too.
Before anything is timed, the answers of both sides are compared.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.speed.figure import Figure, Peer, mark, widest_spread
from benchmarks.speed.hmm_sides import Hmmlearn, Job, Seqlab, check_agreement, make_tables
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import Timing, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASE = "hmm"
JOBS = (
    Job("K = 8, T = 1,000,000", states=8, symbols=50, length=1_000_000, sequences=1),
    Job("K = 45, 3,131 x 24", states=45, symbols=10_600, length=24, sequences=3_131),
)


def run(*, quick: bool = False) -> list[Figure]:
    return [figure for job in JOBS for figure in _one_job(job, quick=quick)]


def _one_job(job: Job, *, quick: bool) -> list[Figure]:
    if quick:
        job = Job(
            job.name + " (a tenth)",
            job.states,
            job.symbols,
            job.length // 10 if job.sequences == 1 else job.length,
            max(job.sequences // 10, 1),
        )
    tables = make_tables(job)
    ours, peer = Seqlab(tables), Hmmlearn(tables)
    differences = check_agreement(ours, peer)
    input_hash = hash_of(tables.pi, tables.A, tables.b, tables.lengths)
    seconds = 0.1 if quick else 1.0

    def compared(
        task: str, mine: Callable[[], object], theirs: Callable[[], object], aim: float | None
    ) -> Figure:
        timings = measure({"hmmlearn": theirs, "seqlab": mine}, seconds=seconds)
        return _figure(job, task, timings, aim=aim, input_hash=input_hash, differences=differences)

    return [
        compared("Viterbi", ours.viterbi, peer.viterbi, 8.0),
        compared("forward-backward, scaling", partial(ours.expected_counts, node=False), peer.scaling, 15.0),
        compared(
            "scaling, same in, same out",
            ours.expected_counts,
            partial(peer.scaling, whole=True),
            None,
        ),
        compared("forward-backward, log", partial(ours.expected_counts, node=False), peer.log, 80.0),
        _build_figure(job, measure({"build": ours.build}, seconds=seconds)["build"], input_hash),
    ]


def _figure(
    job: Job,
    task: str,
    timings: dict[str, Timing],
    *,
    aim: float | None,
    input_hash: str,
    differences: dict[str, float],
) -> Figure:
    mine, theirs = timings["seqlab"], timings["hmmlearn"]
    return Figure(
        case=CASE,
        name=f"{task}, K = {job.states}",
        unit="ms",
        median=mine.median * 1e3,
        spread=mine.spread,
        repetitions=mine.repetitions,
        input_hash=input_hash,
        at_least=aim,
        peer=Peer("hmmlearn", theirs.median * 1e3, theirs.spread, theirs.repetitions),
        details={"job": job.name, "task": task, "relative_differences": differences},
    )


def _build_figure(job: Job, timing: Timing, input_hash: str) -> Figure:
    return Figure(
        case=CASE,
        name=f"build and check the batch, K = {job.states}",
        unit="ms",
        median=timing.median * 1e3,
        spread=timing.spread,
        repetitions=timing.repetitions,
        input_hash=input_hash,
        details={"job": job.name, "task": "build and check the batch"},
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    return [
        _table(job, [f for f in mine if f.details["job"] == job])
        for job in dict.fromkeys(f.details["job"] for f in mine)
    ]


def _table(job: str, figures: Sequence[Figure]) -> Table:
    worst = max(max(f.details.get("relative_differences", {"": 0.0}).values()) for f in figures)
    return Table(
        title=f"HMM, {job}: CPU ms beside hmmlearn, float64, one thread",
        header=("", "hmmlearn", "seqlab", "ratio", "aim"),
        rows=tuple(
            (
                f.details["task"],
                "-" if f.peer is None else number(f.peer.median),
                number(f.median),
                "-" if f.ratio is None else mark(f"{f.ratio:.1f}x", f),
                "-" if f.at_least is None else f"{f.at_least:.0f}x",
            )
            for f in figures
        ),
        note=(
            "hmmlearn's C++ routines alone, on arrays prepared before. Path scores, "
            f"log-likelihood and transition counts agree to {worst:.0e}. "
            f"Spread up to {widest_spread(figures)}."
        ),
    )
