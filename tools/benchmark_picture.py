"""Draw the speed of inference into docs/pictures/inference-speed.svg, from the tables in README.md.

python tools/benchmark_picture.py
"""

from __future__ import annotations

import re
from pathlib import Path

from seqlab import draw

ROOT = Path(__file__).resolve().parents[1]
TABLES = {
    "forward-backward": "**Forward-backward with edge expectations",
    "Viterbi": "**Viterbi: ns per token",
}
ROW = re.compile(r"\| (\d+) \| ([\d,.]+)[ *\\]*\|[^|]*\|[^|]*\| ([\d,.]+)")


def curves(text: str) -> dict[str, list[tuple[float, float]]]:
    """Name -> (labels, nanoseconds a token) of both tables in both kinds of numbers."""
    found = {}
    for name, title in TABLES.items():
        table = text[text.index(title) :].split("\n\n")[1]
        rows = [[float(cell.replace(",", "")) for cell in row] for row in ROW.findall(table)]
        for column, kind in ((1, "32 bit"), (2, "64 bit")):
            found[f"{name}, {kind}"] = [(row[0], row[column]) for row in rows]
    return found


def main() -> None:
    """Write it."""
    picture = draw.line_picture(
        curves((ROOT / "README.md").read_text(encoding="utf-8")),
        title="Inference on one core",
        x_name="labels",
        y_name="ns per token",
        log_x=True,
        log_y=True,
    )
    picture.save(ROOT / "docs" / "pictures" / "inference-speed.svg")


if __name__ == "__main__":
    main()
