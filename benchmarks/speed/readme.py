"""Puts the tables between the two markers of README.md, with machine, date and command."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.speed.record import Run
    from benchmarks.speed.table import Table

BEGIN = "<!-- speed:begin -->"
END = "<!-- speed:end -->"


class MarkerError(ValueError):
    """The README has no place for the tables."""


def provenance(run: Run) -> str:
    """One sentence: where, when and with what the figures were made."""
    packages = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    return (
        f"Made by `{run.command}` on {run.date[:10]} at commit {run.commit}: "
        f"{run.machine['cpu']}, {run.machine['cores']} cores, one used, kernel {run.kernel}; "
        f"{packages}. CPU time, medians; a star marks a missed aim."
    )


def section(sentence: str, tables: Sequence[Table]) -> str:
    filled = textwrap.fill(sentence, 120, break_on_hyphens=False)
    return "\n".join([filled, "", *(table.markdown() for table in tables)])


def replace_between(text: str, new: str, markers: tuple[str, str] = (BEGIN, END)) -> str:
    """`text` with everything between the markers replaced."""
    first, last = markers
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise MarkerError(f"no {first} ... {last} in the text: put both where the tables belong")
    return f"{before}{first}\n{new.strip()}\n{last}{after}"


def write(
    path: Path,
    run: Run,
    tables: Sequence[Table],
    *,
    sentence: str | None = None,
    markers: tuple[str, str] = (BEGIN, END),
) -> None:
    """Put the tables into a file; `sentence` says where they come from, by default `provenance`."""
    text = path.read_text(encoding="utf-8")
    new = section(provenance(run) if sentence is None else sentence, tables)
    path.write_text(replace_between(text, new, markers), encoding="utf-8")
