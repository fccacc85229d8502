"""The discriminative family beside CRFsuite and scikit-learn: every job of one table, in one run, on one core."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.speed import data, footprint, goals, lessons, mistakes, objective, tagging, threads, training
from benchmarks.speed.figure import Figure, widest_spread
from benchmarks.speed.table import Table

CASE = "discriminative"
PEERS = (
    "Peer: CRFsuite through python-crfsuite, by its own seconds per iteration; sklearn-crfsuite with a Python function "
    "for features where a row has words or fit(X, y); scikit-learn's LogisticRegression for the MEMM."
)
PARTS = {
    "objective": objective,
    "training": training,
    "tagging": tagging,
    "mistakes": mistakes,
    "threads": threads,
    "footprint": footprint,
}


def run(*, quick: bool = False, fresh: bool = False, parts: Sequence[str] | None = None) -> list[Figure]:
    if data.found(lessons.CHUNKING.file) is None:
        print(data.absent(CASE))
        return []
    figures: list[Figure] = []
    for name in parts or PARTS:
        if name == "training":
            figures += training.run(CASE, quick=quick, fresh=fresh)
        else:
            figures += PARTS[name].run(CASE, quick=quick)
    return figures


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    return [goals.table("Discriminative models beside the peers", mine, note(mine))]


def note(figures: Sequence[Figure]) -> str:
    said = [
        "The same features on both sides; 'objective' is the objective with its gradient.",
        PEERS,
        "A star marks a ratio below 'at least'.",
        f"Spread up to {widest_spread(figures)}.",
    ]
    trained = [figure for figure in figures if "difference" in figure.details]
    if trained:
        apart = max(abs(figure.details["difference"]) for figure in trained)
        penalties = "; ".join(
            f"{figure.name.split(', ')[1]} {figure.details['penalty']}" for figure in trained
        )
        dates = ", ".join(sorted({figure.details["peer_date"] for figure in trained}))
        said.append(
            f"Trained to within 0.1 % of CRFsuite's converged objective ({penalties}; CRFsuite's logs of {dates}); "
            f"at our default stop the objectives are at most {apart:.0e} apart."
        )
    shared = [figure.details[threads.CORES] for figure in figures if threads.CORES in figure.details]
    if shared:
        said.append(
            f"Two threads: wall clock, while both cores together hashed {shared[0]:g} times as much as one."
        )
    return " ".join(said)
