"""Draw docs/pictures/optimisers.svg: how far four optimisers are from the optimum, by passes over the corpus.

python tools/optimisers_picture.py

The task is the CRF of the guide: preset "pos" on the training part of the demo corpus. A pass computes the likelihood
and its slope once. The default's averaged start counts as START passes (6 epochs, and trials of the step length on a
sample), and each renewal of its curvature as one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import seqlab
from seqlab import CRF, LBFGS, ConjugateGradient, GradientAscent

TARGET = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "optimisers.svg"
START = 8
RENEWED = (0, 8, 16, 30)  # iterations, as in cpp/linear/likelihood/batch_descent.cpp
MOST_PASSES = 1000
PATIENT = {"epsilon": 1e-12, "delta": 0.0, "max_iterations": MOST_PASSES}

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 740, 56, 372
MOST, LEAST = 1.5, -8.0  # exponents of ten on the upright axis

STYLE = """
  .ground { fill: #ffffff } text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 16px } .small { font-size: 13px; fill: #59636e }
  .grid { stroke: #d8dee4 } .axis { stroke: #59636e } .curve { fill: none; stroke-width: 2.5 }
  .a { stroke: #7a7a7a } .b { stroke: #b35900 } .c { stroke: #00795a } .d { stroke: #0060a8 }
  .a-text { fill: #5e5e5e } .b-text { fill: #9a4c00 } .c-text { fill: #00694e } .d-text { fill: #0060a8 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } text { fill: #e6edf3 } .small { fill: #9da7b3 }
    .grid { stroke: #2b323b } .axis { stroke: #9da7b3 }
    .a { stroke: #a8a8a8 } .b { stroke: #f0a030 } .c { stroke: #2fc79b } .d { stroke: #64b8f5 }
    .a-text { fill: #b8b8b8 } .b-text { fill: #f0a030 } .c-text { fill: #2fc79b } .d-text { fill: #64b8f5 }
  }
"""


@dataclass(frozen=True)
class Curve:
    """One optimiser: passes over the corpus, and the objective after each."""

    name: str
    ink: str
    dash: str
    passes: list[float]
    objective: list[float]
    label: tuple[float, float]  # where its name stands: passes, exponent of ten


def walk(learner: Any, *, start: int = 0, renewed: tuple[int, ...] = ()) -> tuple[list[float], list[float]]:
    """Passes and objectives of a training on the demo corpus."""
    history = CRF("pos", learner).fit(seqlab.demo_corpus("train"), "pos").history_
    passes = [
        start + epoch.more["evaluations"] + sum(epoch.iteration >= when for when in renewed)
        for epoch in history
    ]
    return passes, [float(epoch.objective or 0.0) for epoch in history]


def curves() -> list[Curve]:
    """All four, slowest first."""
    exact = {**PATIENT, "dtype": "float64"}
    return [
        Curve("gradient ascent", "a", "2 4", *walk(GradientAscent(**PATIENT)), (190, 0.35)),
        Curve("conjugate gradient", "b", "10 4 2 4", *walk(ConjugateGradient(**PATIENT)), (215, -4.1)),
        Curve(
            "plain L-BFGS",
            "c",
            "8 5",
            *walk(LBFGS(start_epochs=0, precondition=False, **exact)),
            (6.5, -0.85),
        ),
        Curve(
            "LBFGS(), the default", "d", "", *walk(LBFGS(**PATIENT), start=START, renewed=RENEWED), (6, -4.7)
        ),
    ]


def across(passes: float) -> float:
    """The place of a number of passes, from left to right by its logarithm."""
    return LEFT + (RIGHT - LEFT) * math.log10(passes) / math.log10(MOST_PASSES)


def down(exponent: float) -> float:
    """The place of 10 to this power."""
    return TOP + (BOTTOM - TOP) * (MOST - exponent) / (MOST - LEAST)


def grid() -> list[str]:
    """Lines and numbers of both axes."""
    parts = []
    for exponent in range(int(LEAST), math.floor(MOST) + 1):
        y = down(exponent)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>')
        name = {1: "1000 %", 0: "100 %", -1: "10 %", -2: "1 %", -3: "0.1 %", -4: "0.01 %"}.get(exponent, "")
        text = name or f'10<tspan dy="-6" font-size="10">−{-exponent}</tspan>'
        parts.append(f'<text class="small" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for passes in (1, 3, 10, 30, 100, 300, 1000):
        x = across(passes)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{BOTTOM}"/>')
        parts.append(
            f'<text class="small" x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{passes}</text>'
        )
    parts.append(f'<line class="axis" x1="{LEFT}" y1="{BOTTOM}" x2="{RIGHT}" y2="{BOTTOM}"/>')
    parts.append(f'<line class="axis" x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{BOTTOM}"/>')
    return parts


def drawn(curve: Curve, lowest: float) -> str:
    """The curve as far as it lies on the sheet, and its name."""
    points, ended = [], False
    for passes, objective in zip(curve.passes, curve.objective, strict=True):
        above = objective / lowest - 1.0
        exponent = math.log10(above) if above > 0 else -math.inf
        if passes > MOST_PASSES or ended:
            break
        ended = exponent < LEAST
        points.append(f"{across(max(passes, 1)):.1f},{down(max(exponent, LEAST)):.1f}")
    dash = f' stroke-dasharray="{curve.dash}"' if curve.dash else ""
    x, y = across(curve.label[0]), down(curve.label[1])
    return (
        f'<polyline class="curve {curve.ink}"{dash} points="{" ".join(points)}"/>'
        f'<text class="{curve.ink}-text" x="{x:.1f}" y="{y:.1f}">{curve.name}</text>'
    )


def small(x: float, y: float, anchor: str, text: str) -> str:
    """A few grey words."""
    return f'<text class="small" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{text}</text>'


def picture(found: list[Curve]) -> str:
    """The whole sheet."""
    lowest = min(min(curve.objective) for curve in found)
    x_start, y_start, middle = across(START + 1), down(-1.9), (LEFT + RIGHT) / 2
    body = [
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        f'<text class="title" x="{LEFT}" y="28">How far the objective is above its lowest value</text>',
        *grid(),
        *(drawn(curve, lowest) for curve in found),
        small(x_start, y_start, "end", "after the averaged start"),
        small(middle, HEIGHT - 18, "middle", "passes over the corpus (likelihood and slope once each)"),
    ]
    said = "The default reaches one part in a thousand after about a third of the passes of plain L-BFGS."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img"><title>Four optimisers on one CRF</title><desc>{said}</desc><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def main() -> None:
    """Train four times, and write the picture."""
    found = curves()
    lowest = min(min(curve.objective) for curve in found)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(picture(found), encoding="utf-8")
    for curve in found:
        for share in (1e-1, 1e-2, 1e-3, 1e-4, 1e-6):
            near = [
                p
                for p, value in zip(curve.passes, curve.objective, strict=True)
                if value <= lowest * (1 + share)
            ]
            print(f"{curve.name:22} within {share:7.0e}: {near[0] if near else '-'} passes")


if __name__ == "__main__":
    main()
