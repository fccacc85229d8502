"""`python -m benchmarks.pages`: write the figures of README.md and docs/benchmarks.md anew from the stored results.

A page has a place for every part of the figures, `<!-- begin NAME -->` and `<!-- end NAME -->`; what stands between is
made here and nowhere else. Names are those of the cases of benchmarks.speed, `jobs` for the whole jobs of the README,
`accuracy`, and `tokens`. A figure is the newest stored one, so both pages say the same.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.quality import scores, tokens
from benchmarks.speed import growth, jobs, record, sentences
from benchmarks.speed.cases import CASES
from benchmarks.speed.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from benchmarks.speed.table import Table

PAGES = ("README.md", "docs/benchmarks.md")
PLACE = re.compile(r"<!-- begin (?P<name>[\w-]+) -->\n.*?<!-- end (?P=name) -->", re.DOTALL)


class PlaceError(ValueError):
    """A page has no place for the figures, or one for figures that nobody makes."""


def write() -> None:
    """Write both pages and draw the pictures of docs/benchmarks.md."""
    for name, text in rendered(record.read(), record.read(scores.RESULTS)).items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"figures written to {name}")
    figures = record.Newest.of(record.read()).figures
    growth.draw(figures)
    sentences.draw(figures)


def rendered(
    speed: record.Records, accuracy: record.Records, pages: Iterable[str] = PAGES, root: Path = ROOT
) -> dict[str, str]:
    """The texts of the pages, with the figures of these records."""
    newest, exams = record.Newest.of(speed), record.Newest.of(accuracy)
    parts = {
        name: section(case.tables(newest.figures), [newest.remark(name)]) for name, case in CASES.items()
    }
    parts["speed"] = section([], [newest.run.provenance() + " CPU time, medians; a star marks a missed aim."])
    whole = replace(jobs.table(newest.figures), title="")  # the pages have a heading there
    runs = newest.runs(jobs.figures(newest.figures))
    for name, made in (("jobs", record.Run.origin), ("jobs-versions", record.Run.provenance)):
        parts[name] = section([replace(whole, note=" ".join([whole.note, *map(made, runs)]))], [])
    for name, marks in (("accuracy", False), ("accuracy-marks", True)):
        table = scores.table(exams.figures, part="test", marks=marks)
        told = exams.run.provenance() if marks else exams.run.origin()
        parts[name] = section([replace(table, title="", note=f"{table.note} {told}")] if table else [], [])
    cut = record.Newest.of(record.read(tokens.RESULTS))
    bare = replace(tokens.table(cut.figures), title="")
    parts["tokens"] = section([replace(bare, note=f"{bare.note} {cut.run.provenance()}")], [])
    return {page: filled((root / page).read_text(encoding="utf-8"), parts) for page in pages}


def section(tables: Iterable[Table], sentences: Iterable[str]) -> str:
    """Tables, then sentences, as Markdown."""
    said = [textwrap.fill(one, 120, break_on_hyphens=False) for one in sentences if one]
    return "\n\n".join([*(table.markdown().strip() for table in tables), *said])


def filled(text: str, parts: Mapping[str, str]) -> str:
    """`text` with every place filled."""
    found = [place["name"] for place in PLACE.finditer(text)]
    strange = sorted(set(found) - set(parts))
    if strange or not found:
        wanted = "<!-- begin NAME --> and <!-- end NAME -->"
        raise PlaceError(
            f"no figures have the name {strange[0]!r}; there are {', '.join(parts)}"
            if strange
            else f"no place for figures in the page: put {wanted} on lines of their own where they belong"
        )
    return PLACE.sub(
        lambda place: f"<!-- begin {place['name']} -->\n{parts[place['name']]}\n<!-- end {place['name']} -->",
        text,
    )


if __name__ == "__main__":
    write()
