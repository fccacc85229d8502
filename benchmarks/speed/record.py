"""Benchmarks as data: every figure of a run is one JSON line, appended and never rewritten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.speed.figure import Figure
from benchmarks.speed.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable
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

    def provenance(self) -> str:
        """One sentence: where, when and with what the figures were made."""
        packages = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"{self.origin()[:-1]}; {packages}."

    def origin(self) -> str:
        """The same without the versions of packages."""
        place = f"{self.machine['cpu']}, {self.machine['cores']} cores, kernel {self.kernel}"
        if (load := self.machine.get("load", 0)) > self.machine["cores"]:
            place += f"; the machine was busy, load {load:.0f}"
        return f"Made by `{self.command}` on {self.date[:10]} at commit {self.commit}: {place}."


Records = Sequence[tuple[Run, Figure]]


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


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest run that has every case known by then, with the figures of later runs: measured again, or new.

    later   the run of such a figure, by case and name
    """

    run: Run
    figures: list[Figure]
    later: dict[tuple[str, str], Run]

    @classmethod
    def of(cls, records: Records) -> Newest:
        whole = [run for run in _runs(records) if _cases(records, run) == _cases_until(records, run)]
        if not whole:
            raise LookupError("no results yet: measure first")
        figures: dict[tuple[str, str], Figure] = {}
        later: dict[tuple[str, str], Run] = {}
        for run, figure in records:
            if run.date >= whole[-1].date:
                figures[figure.case, figure.name] = figure
                if run.date > whole[-1].date:
                    later[figure.case, figure.name] = run
        return cls(whole[-1], list(figures.values()), later)

    def runs(self, figures: Iterable[Figure]) -> list[Run]:
        """The runs that these figures are from, each once."""
        found = (self.later.get((one.case, one.name), self.run) for one in figures)
        return list({run.date: run for run in found}.values())

    def remark(self, case: str) -> str:
        """Which figures of a case are from a later run."""
        names: dict[str, list[str]] = {}
        for (other, name), run in self.later.items():
            if other == case:
                elsewhere = run.machine["cpu"] != self.run.machine["cpu"]
                place = f", another machine ({run.machine['cpu']})" if elsewhere else ""
                names.setdefault(f"on {run.date[:10]} at commit {run.commit}{place}", []).append(f"'{name}'")
        if len(names) == 1 and all(
            (one.case, one.name) in self.later for one in self.figures if one.case == case
        ):
            return f"All from a later run, {next(iter(names))}."
        return " ".join(f"From a later run, {run}: {'; '.join(rows)}." for run, rows in names.items())


def _runs(records: Records) -> list[Run]:
    return sorted({run.date: run for run, _ in records}.values(), key=lambda run: run.date)


def _cases(records: Records, run: Run) -> set[str]:
    return {figure.case for other, figure in records if other.date == run.date}


def _cases_until(records: Records, run: Run) -> set[str]:
    return {figure.case for other, figure in records if other.date <= run.date}


def _run(record: dict[str, Any]) -> Run:
    return Run(**{name: record[name] for name in Run.__dataclass_fields__})
