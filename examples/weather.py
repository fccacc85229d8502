"""The hidden season: what somebody does tells what it is like outside.

    python examples/weather.py [folder for the picture]

A friend writes every day whether they went swimming, took a walk or stayed in with a book, and never says what season
it is. In summer they mostly swim, in winter they mostly read; and a summer does not turn into winter overnight. One day
of the diary says little. A hidden Markov model weighs the days around it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from seqlab import HMM, BaumWelch, draw

ACTIVITIES = ["read", "swim", "walk"]
FRIEND = HMM.from_tables(
    pi=[0.5, 0.5],
    A=[[0.95, 0.05], [0.08, 0.92]],
    B=[[0.1, 0.6, 0.3], [0.6, 0.05, 0.35]],
    states=["summer", "winter"],
    symbols=ACTIVITIES,
)


def right(guess: list[str], truth: list[str]) -> float:
    """The share of days with the right season."""
    return sum(a == b for a, b in zip(guess, truth, strict=True)) / len(truth)


def three_views(days: list[str], truth: list[str]) -> None:
    """Day by day: what was known that evening, what is known looking back, and the best single story."""
    evening, later = FRIEND.filter(days), FRIEND.posterior(days)
    story = FRIEND.tag(days)
    print("day  activity  truth    P(summer) that evening  looking back  best story")
    for t in range(8, 20):
        known = f"{evening.node[t, 0]:>23.2f}  {later.label(t, 'summer'):>12.2f}"
        print(f"{t + 1:>3}  {days[t]:<8}  {truth[t]:<6} {known}  {story[t]}")


def learned() -> HMM:
    """The same model from diaries alone: nobody says what the seasons are, or that there are such things."""
    diaries = FRIEND.sample(n=40, length=120, seed=2).observations
    return HMM(2, learner=BaumWelch(restarts=3, max_iterations=200)).fit(diaries)


def main(folder: Path) -> None:
    """Read a diary with the true model, learn a model from other diaries, draw."""
    drawn = FRIEND.sample(n=1, length=120, seed=5)
    days, truth = drawn.observations[0], drawn.states[0]
    three_views(days, truth)
    now = [max(zip(row, FRIEND.labels_, strict=True))[1] for row in FRIEND.filter(days).node]
    print(
        f"\nright on {right(now, truth):.0%} of 120 days each evening, "
        f"{right(FRIEND.tag(days), truth):.0%} looking back"
    )

    model = learned()
    print("\nlearned from 40 diaries that never name a season, beside the truth")
    print("           stays   " + "   ".join(ACTIVITIES))
    swims = [dict(model.top_symbols(state, None))["swim"] for state in model.labels_]
    warm, cold = (model.labels_[i] for i in sorted(range(2), key=lambda i: -swims[i]))
    for hmm, states in ((model, (warm, cold)), (FRIEND, ("summer", "winter"))):
        for state in states:
            row, i = dict(hmm.top_symbols(state, None)), hmm.labels_.index(state)
            print(
                f"  {state:<8} {hmm.model_.A[i, i]:.2f}    "
                + "   ".join(f"{row[name]:.2f}" for name in ACTIVITIES)
            )

    curves = {
        "that evening": FRIEND.filter(days).node[:, 0],
        "looking back": FRIEND.posterior(days).node[:, 0],
    }
    tracks = {"diary": days, "truth": truth, "best story": FRIEND.tag(days)}
    picture = draw.track_picture(
        curves, tracks, title="Which season is it?", x_name="day", y_name="P(summer)"
    )
    picture.save(folder / "weather.svg")
    print(f"\npicture: {folder / 'weather.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
