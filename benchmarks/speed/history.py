"""`python -m benchmarks.speed.history`: how each figure moved, run after run, on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from benchmarks.speed import machine, record
from benchmarks.speed.table import Table, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.speed.figure import Figure

BARS = "▁▂▃▄▅▆▇█"
RUNS = 12


def sparkline(values: Sequence[float]) -> str:
    """One bar per value, from the smallest to the largest."""
    low, high = min(values), max(values)
    step = (high - low) / (len(BARS) - 1) or 1.0
    return "".join(BARS[round((value - low) / step)] for value in values)


def series(records: Iterable[tuple[record.Run, Figure]], cpu: str) -> dict[str, list[Figure]]:
    """Figures of the same name, kernel and input made on the same kind of processor, oldest first.

    A new input starts a new line: its numbers cannot be compared with the old ones.
    """
    lines: dict[tuple[str, str, str], list[Figure]] = {}
    for run, figure in records:
        if run.machine["cpu"] == cpu:
            name = f"{figure.name} ({figure.unit}, {run.kernel})"
            lines.setdefault((figure.case, name, figure.input_hash), []).append(figure)
    return {name: figures for (_, name, _), figures in lines.items()}


def table(lines: dict[str, list[Figure]]) -> Table:
    rows = []
    for name, figures in lines.items():
        medians = [figure.median for figure in figures[-RUNS:]]
        change = medians[-1] / medians[0] - 1 if medians[0] else 0.0
        rows.append((name, sparkline(medians), number(medians[-1]), f"{100 * change:+.0f} %"))
    return Table(f"The last {RUNS} runs", ("", "history", "now", "change"), tuple(rows))


def main() -> int:
    lines = series(record.read(), machine.machine(None)["cpu"])
    if not lines:
        print("no results of this machine yet", file=sys.stderr)
        return 1
    print(table(lines).text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
