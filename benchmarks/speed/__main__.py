"""`python -m benchmarks.speed`: measure, print the tables, append to the results."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from benchmarks.speed import (
    baum_welch,
    discriminative,
    encoding,
    growth,
    hmm,
    hmm_tagging,
    loading,
    machine,
    memory,
    ngrams,
    reading,
    readme,
    record,
    sentences,
    shell,
    startup,
)
from benchmarks.speed.table import WIDTH, Table
from benchmarks.speed.timing import pin_to_quiet_core
from seqlab import inference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from benchmarks.speed.figure import Figure

CASES: dict[str, ModuleType] = {
    case.CASE: case
    for case in (
        discriminative,
        baum_welch,
        hmm_tagging,
        ngrams,
        encoding,
        reading,
        sentences,
        hmm,
        growth,
        memory,
        loading,
        shell,
        startup,
    )
}
README = machine.ROOT / "README.md"


def main(words: Sequence[str] | None = None) -> int:
    options = parse(words)
    if options.last:
        found = record.last_run(record.read())
        if found is None:
            print("no results yet: run without --last first", file=sys.stderr)
            return 1
        run, figures = found
        print("\n".join(table.text() for table in all_tables(figures)))
    else:
        asked = {"fresh": options.fresh, "parts": options.part}
        run, figures = measure_all(options.only or list(CASES), quick=options.quick, discriminative=asked)
        if not options.quick:
            record.append(run, figures)
            print(f"appended to {record.RESULTS.relative_to(machine.ROOT)}")
    if options.readme:
        readme.write(README, run, all_tables(figures))
        growth.draw(figures)
        print(f"tables written to {README.name}")
    return 0


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--only", choices=CASES, action="append", help="this case only; may be repeated")
    parser.add_argument(
        "--part", choices=discriminative.PARTS, action="append", help="this part of the case discriminative"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="train CRFsuite to convergence anew, some minutes"
    )
    parser.add_argument("--quick", action="store_true", help="small inputs, few repeats, nothing recorded")
    parser.add_argument("--readme", action="store_true", help="put the tables into README.md")
    parser.add_argument("--last", action="store_true", help="do not measure: take the last full run recorded")
    options = parser.parse_args(words)
    if options.part and options.only not in (None, [discriminative.CASE]):
        parser.error(f"--part belongs to the case {discriminative.CASE}")
    if options.part:
        options.only = [discriminative.CASE]
    if options.readme and (options.quick or options.only):
        parser.error("--readme wants a full run: leave out --quick, --only and --part")
    return options


def measure_all(
    names: Sequence[str], *, quick: bool, discriminative: Mapping[str, Any]
) -> tuple[record.Run, list[Figure]]:
    """Run the cases in turn; `discriminative` holds the options of that one."""
    core = pin_to_quiet_core()
    os.environ["SEQLAB_THREADS"] = "1"
    run = describe_run(core)
    print(textwrap.fill(readme.provenance(run), WIDTH, break_on_hyphens=False), end="\n\n")
    figures: list[Figure] = []
    for name in names:
        more = discriminative if name == "discriminative" else {}
        measured = CASES[name].run(quick=quick, **more)
        print("\n".join(table.text() for table in CASES[name].tables(measured)), flush=True)
        figures += measured
    return run, figures


def describe_run(core: int | None) -> record.Run:
    return record.Run(
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        commit=machine.commit(),
        command="make bench",
        kernel=inference.kernel(),
        machine=machine.machine(core),
        versions=machine.versions(
            "seqlab",
            "numpy",
            "hmmlearn",
            "python-crfsuite",
            "sklearn-crfsuite",
            "scikit-learn",
            "pyconll",
            "nltk",
        ),
    )


def all_tables(figures: Sequence[Figure]) -> list[Table]:
    return [table for case in CASES.values() for table in case.tables(figures)]


if __name__ == "__main__":
    sys.exit(main())
