"""Islands in a genome: regions are known by which letters follow each other.

    python examples/cpg_islands.py [folder for the picture]

In most of a genome, C is seldom followed by G. In some regions, often at the beginning of genes, it is not: these are
CpG islands. We simulate such sequences, keep the true regions, and ask two models where the islands are. The first has
two states and looks at letters one at a time; the second has a state for every letter in every region, so that a letter
may depend on the one before. (After Durbin, Eddy, Krogh and Mitchison 1998; the numbers are our own.)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from seqlab import HMM, Dirichlet, draw, evaluate
from seqlab.evaluation import Report

BASES = "ACGT"
SEA = [[0.31, 0.19, 0.26, 0.24], [0.32, 0.28, 0.06, 0.34], [0.26, 0.23, 0.27, 0.24], [0.20, 0.23, 0.26, 0.31]]
ISLAND = [
    [0.22, 0.26, 0.36, 0.16],
    [0.20, 0.31, 0.27, 0.22],
    [0.20, 0.30, 0.32, 0.18],
    [0.14, 0.30, 0.32, 0.24],
]
STAY = {"sea": 1 - 1 / 600, "island": 1 - 1 / 200}


def nature() -> HMM:
    """What makes the sequences: eight states, of which each writes one letter and belongs to one region."""
    leave = np.array([[STAY["sea"], 1 - STAY["sea"]], [1 - STAY["island"], STAY["island"]]])
    # a move to letter c in region s: first the region, then the letter by the table of s
    moves = np.block(
        [[leave[r, s] * np.array(table) for s, table in enumerate((SEA, ISLAND))] for r in range(2)]
    )
    states = [f"{base}:{region}" for region in STAY for base in BASES]
    return HMM.from_tables(
        pi=[0.25] * 4 + [0.0] * 4, A=moves, B=np.vstack([np.eye(4)] * 2), states=states, symbols=list(BASES)
    )


def regions(states: list[list[str]]) -> list[list[str]]:
    """States as labels of spans: inside an island, or outside."""
    return [["I-island" if state.endswith("island") else "O" for state in row] for row in states]


def judged(gold: list[list[str]], found: list[list[str]]) -> Report:
    """Islands are spans: runs of I."""
    return evaluate(gold, found, scheme="IO")


def main(folder: Path) -> None:
    """Learn from 20 labelled sequences, find islands in 10 others, draw one."""
    made = nature().sample(n=20, length=3000, seed=1)
    new = nature().sample(n=10, length=3000, seed=2)
    truth = regions(new.states)

    prior = Dirichlet(start=1.0, transitions=0.5)
    single = HMM(smoothing=prior).fit(made.observations, regions(made.states))
    paired = HMM(smoothing=prior).fit(made.observations, made.states)
    print(f"{sum(map(len, truth)):,} letters, {judged(truth, truth).spans.strict.micro.support} islands\n")
    print("                   letters right   islands found   of those claimed   F1 overlapping   exact")
    for name, model in {"letter by letter": single, "pairs of letters": paired}.items():
        found = model.predict(new.observations)
        report = judged(truth, found if model is single else regions(found))
        part = report.spans.lenient.micro
        print(
            f"{name:<18} {report.accuracy:13.1%} {part.recall:15.0%} {part.precision:18.0%} {part.f1:16.2f} "
            f"{report.spans.f1:7.2f}"
        )

    row = paired.labels_.index("C:sea"), paired.labels_.index("G:sea")
    inside = paired.labels_.index("C:island"), paired.labels_.index("G:island")
    print(
        f"\nlearned: after C comes G with {paired.model_.A[row]:.2f} in the sea, "
        f"{paired.model_.A[inside]:.2f} in an island"
    )

    islands = [i for i, state in enumerate(paired.labels_) if state.endswith("island")]
    chances = {
        "pairs": paired.posterior(new.observations[0]).node[:, islands].sum(axis=1),
        "single letters": single.posterior(new.observations[0]).node[:, single.labels_.index("I-island")],
    }
    named = {"truth": truth[0], "pairs": regions([paired.tag(new.observations[0])])[0]}
    tracks = {name: ["sea" if label == "O" else "island" for label in row] for name, row in named.items()}
    picture = draw.track_picture(
        chances, tracks, title="Where are the islands?", x_name="letter", y_name="P(island)"
    )
    picture.save(folder / "cpg_islands.svg")
    print(f"\npicture: {folder / 'cpg_islands.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
