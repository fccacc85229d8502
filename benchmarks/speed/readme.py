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


def section(run: Run, tables: Sequence[Table]) -> str:
    sentence = textwrap.fill(provenance(run), 120, break_on_hyphens=False)
    return "\n".join([sentence, "", *(table.markdown() for table in tables)])


def replace_between(text: str, new: str) -> str:
    """`text` with everything between the markers replaced."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise MarkerError(f"no {BEGIN} ... {END} in the text: put both where the tables belong")
    return f"{before}{BEGIN}\n{new.strip()}\n{END}{after}"


def write(path: Path, run: Run, tables: Sequence[Table]) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(replace_between(text, section(run, tables)), encoding="utf-8")
