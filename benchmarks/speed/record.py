"""Benchmarks as data: every figure of a run is one JSON line, appended and never rewritten."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.speed.figure import Figure
from benchmarks.speed.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

RESULTS = ROOT / "benchmarks" / "results" / "speed.jsonl"


@dataclass(frozen=True, slots=True)
class Run:
    """What all figures of one run share."""

    date: str  # UTC, to the second: it also names the run
    commit: str
    command: str
    kernel: str
    machine: dict[str, Any]
    versions: dict[str, str]


def json_line(run: Run, figure: Figure) -> str:
    return json.dumps({**asdict(run), **figure.as_record()}, ensure_ascii=False) + "\n"


def append(run: Run, figures: Iterable[Figure], path: Path = RESULTS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as lines:
        lines.writelines(json_line(run, figure) for figure in figures)


def read(path: Path = RESULTS) -> list[tuple[Run, Figure]]:
    if not path.exists():
        return []
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [(_run(record), Figure.from_record(record)) for record in records]


def last_run(records: Sequence[tuple[Run, Figure]]) -> tuple[Run, list[Figure]] | None:
    """The newest run that has every case seen in the file; None when there is none."""
    cases = {figure.case for _, figure in records}
    for run, _ in reversed(records):
        figures = [figure for other, figure in records if other.date == run.date]
        if {figure.case for figure in figures} == cases:
            return run, figures
    return None


def _run(record: dict[str, Any]) -> Run:
    return Run(**{name: record[name] for name in Run.__dataclass_fields__})
