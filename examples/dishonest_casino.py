"""The dishonest casino: when was the die loaded?

    python examples/dishonest_casino.py [folder for the picture]

A casino uses a fair die, and now and then, for a while, a loaded one that shows a six every second time. All a guest
sees is the rolls. Given the casino's habits, a hidden Markov model says for every roll how probable it is that the
loaded die was in play. Given only rolls, Baum-Welch finds the habits too. (After Durbin, Eddy, Krogh and Mitchison
1998.)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from seqlab import HMM, BaumWelch, draw

FACES = [1, 2, 3, 4, 5, 6]
CASINO = HMM.from_tables(
    pi=[1.0, 0.0],
    A=[[0.95, 0.05], [0.10, 0.90]],
    B=[[1 / 6] * 6, [0.1] * 5 + [0.5]],
    states=["fair", "loaded"],
    symbols=list(map(str, FACES)),
)


def verdicts(rolls: list[str], truth: list[str]) -> None:
    """Two ways to decide, against the truth."""
    loaded = np.array([state == "loaded" for state in truth])
    chance = CASINO.posterior(rolls).node[:, 1]
    path = np.array([state == "loaded" for state in CASINO.tag(rolls)])
    sixes = np.array([roll == "6" for roll in rolls])
    print(f"{len(rolls)} rolls, {loaded.sum()} of them with the loaded die\n")
    print("called loaded when          right  found  false alarms")
    for name, called in {
        "it is a six": sixes,
        "on the best path": path,
        "P(loaded) is above 1/2": chance > 0.5,
    }.items():
        right, found = np.mean(called == loaded), np.mean(called[loaded])
        print(f"  {name:<25} {right:5.0%}  {found:5.0%}  {np.mean(called[~loaded]):12.0%}")


def learned(rolls: list[str]) -> HMM:
    """The casino's habits from rolls alone; several starts, since EM climbs the hill it happens to stand on."""
    return HMM(2, learner=BaumWelch(restarts=4, max_iterations=300, tolerance=1e-8), seed=1).fit([rolls])


def main(folder: Path) -> None:
    """Watch 300 rolls, learn from 20,000, draw."""
    drawn = CASINO.sample(n=1, length=300, seed=2)
    rolls, truth = drawn.observations[0], drawn.states[0]
    verdicts(rolls, truth)

    long = CASINO.sample(n=1, length=20_000, seed=4).observations[0]
    model = learned(long)
    print("\nlearned from 20,000 rolls and nothing else, beside the truth")
    for i, name in enumerate(CASINO.labels_):
        row = dict(model.top_symbols(model.labels_[i], None))
        for what, stays, chances in (
            ("learned", model.model_.A[i, i], [row[str(face)] for face in FACES]),
            ("true", CASINO.model_.A[i, i], CASINO.model_.emissions.B[i]),
        ):
            print(f"  {name:<7} {what:<8} stays {stays:.3f}   faces " + " ".join(f"{p:.2f}" for p in chances))
    print(
        f"log-likelihood of these rolls: {model.log_likelihood(long):.1f}, "
        f"under the truth {CASINO.log_likelihood(long):.1f}"
    )

    picture = draw.track_picture(
        {"P(loaded)": CASINO.posterior(rolls).node[:, 1]},
        {"rolls": rolls, "truth": truth, "best path": CASINO.tag(rolls)},
        title="When was the die loaded?",
        x_name="roll",
        y_name="P(loaded), given all rolls",
    )
    picture.save(folder / "dishonest_casino.svg")
    print(f"\npicture: {folder / 'dishonest_casino.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
