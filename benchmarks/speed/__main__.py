"""`python -m benchmarks.speed`: measure, print the tables, append to the results, write the pages."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from benchmarks import pages
from benchmarks.speed import discriminative, jobs, machine, record, tutorial
from benchmarks.speed.cases import CASES
from benchmarks.speed.table import WIDTH
from benchmarks.speed.timing import pin_to_quiet_core
from seqlab import inference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from benchmarks.speed.figure import Figure


def main(words: Sequence[str] | None = None) -> int:
    options = parse(words)
    asked = {
        discriminative.CASE: {"fresh": options.fresh, "parts": parts_of(discriminative, options.part)},
        tutorial.CASE: {"parts": parts_of(tutorial, options.part)},
    }
    core = pin_to_quiet_core()
    os.environ["SEQLAB_THREADS"] = "1"
    run = describe_run(core, "make bench BENCH=--readme" if options.readme else "make bench")
    print(textwrap.fill(run.provenance(), WIDTH, break_on_hyphens=False), end="\n\n")
    if options.readme:
        figures = jobs.run(quick=options.quick)
        print(jobs.table(figures).text())
    else:
        figures = measure_all(options.only or list(CASES), quick=options.quick, asked=asked)
    if not options.quick:
        record.append(run, figures)
        print(f"appended to {record.RESULTS.relative_to(machine.ROOT)}")
        pages.write()
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--only", choices=CASES, action="append", help="this case only; may be repeated")
    parser.add_argument(
        "--part",
        choices=[*discriminative.PARTS, *tutorial.PARTS],
        action="append",
        help="this part of the case discriminative or tutorial",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="train CRFsuite to convergence anew, some minutes"
    )
    parser.add_argument("--quick", action="store_true", help="small inputs, few repeats, nothing recorded")
    parser.add_argument("--readme", action="store_true", help="the whole jobs of README.md only, ten minutes")
    options = parser.parse_args(words)
    if options.part:
        cases = [case.CASE for case in (discriminative, tutorial) if parts_of(case, options.part)]
        if options.only not in (None, cases):
            parser.error(f"--part belongs to the case {cases[0]}")
        options.only = cases
    if options.readme and options.only:
        parser.error("--readme chooses the rows itself: leave out --only and --part")
    return options


def parts_of(case: ModuleType, parts: Sequence[str] | None) -> list[str] | None:
    """The parts that belong to a case; None when none of them does."""
    return [part for part in parts or () if part in case.PARTS] or None


def measure_all(names: Sequence[str], *, quick: bool, asked: Mapping[str, Mapping[str, Any]]) -> list[Figure]:
    """Run the cases in turn; `asked` holds options by case."""
    figures: list[Figure] = []
    for name in names:
        measured = CASES[name].run(quick=quick, **asked.get(name, {}))
        print("\n".join(table.text() for table in CASES[name].tables(measured)), flush=True)
        figures += measured
    return figures


def describe_run(core: int | None, command: str) -> record.Run:
    return record.Run(
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        commit=machine.commit(),
        command=command,
        kernel=inference.kernel(),
        machine=machine.machine(core),
        versions=machine.versions(
            "seqlab",
            "numpy",
            "hmmlearn",
            "python-crfsuite",
            "sklearn-crfsuite",
            "crfs",
            "scikit-learn",
            "pyconll",
            "nltk",
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
