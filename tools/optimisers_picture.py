"""Draw docs/pictures/optimisers.svg: how far four optimisers are from the optimum, by passes over the corpus.

python tools/optimisers_picture.py

The task is the CRF of the guide: preset "pos" on the training part of the demo corpus. A pass computes the likelihood
and its slope once. The default's averaged start counts as START passes (6 epochs, and trials of the step length on a
sample), and each renewal of its curvature as one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import seqlab
from seqlab import CRF, LBFGS, ConjugateGradient, GradientAscent, draw

TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "optimisers.svg"
START = 8
RENEWED = (0, 8, 16, 30)  # iterations, as in cpp/linear/likelihood/batch_descent.cpp
MOST_PASSES = 1000
PATIENT = {"l2": 1.0, "epsilon": 1e-12, "delta": 0.0, "max_iterations": MOST_PASSES}
LEAST = 1e-8  # shares of the lowest objective below which nothing is drawn

Curve = tuple[list[float], list[float]]  # passes over the corpus, and the objective after each


def walk(learner: Any, *, start: int = 0, renewed: tuple[int, ...] = ()) -> Curve:
    """Passes and objectives of a training on the demo corpus."""
    history = CRF("pos", learner).fit(seqlab.demo_corpus("train"), "pos").history_
    passes = [
        start + epoch.more["evaluations"] + sum(epoch.iteration >= when for when in renewed)
        for epoch in history
    ]
    return passes, [float(epoch.objective or 0.0) for epoch in history]


def curves() -> dict[str, Curve]:
    """All four, the default first."""
    exact = {**PATIENT, "dtype": "float64"}
    return {
        "LBFGS(), the default": walk(LBFGS(**PATIENT), start=START, renewed=RENEWED),
        "conjugate gradient": walk(ConjugateGradient(**PATIENT)),
        "plain L-BFGS": walk(LBFGS(start_epochs=0, precondition=False, **exact)),
        "gradient ascent": walk(GradientAscent(**PATIENT)),
    }


def above(curve: Curve, lowest: float) -> list[tuple[float, float]]:
    """(passes, share of the lowest objective that is left), as far as it can be drawn."""
    shares = [(max(passes, 1.0), objective / lowest - 1.0) for passes, objective in zip(*curve, strict=True)]
    return [(passes, share) for passes, share in shares if passes <= MOST_PASSES and share >= LEAST]


def main() -> None:
    """Train four times, and write the picture."""
    found = curves()
    lowest = min(min(objective) for _, objective in found.values())
    picture = draw.line_picture(
        {name: above(curve, lowest) for name, curve in found.items()},
        title="How far the objective is above its lowest value",
        x_name="passes over the corpus (likelihood and slope once each)",
        y_name="share of the lowest value",
        log_x=True,
        log_y=True,
    )
    picture.save(TARGET)
    for name, (passes, objective) in found.items():
        for share in (1e-1, 1e-2, 1e-3, 1e-4, 1e-6):
            near = [p for p, value in zip(passes, objective, strict=True) if value <= lowest * (1 + share)]
            print(f"{name:22} within {share:7.0e}: {near[0] if near else '-'} passes")


if __name__ == "__main__":
    main()
