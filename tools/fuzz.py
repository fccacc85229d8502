"""Fuzz every door of the library by libFuzzer with both sanitizers, and print what each target did.

python tools/fuzz.py [--seconds S | --runs N] [--jobs 2] [--page] [TARGET ...]

build/fuzz has the programs (preset "fuzz"). Targets are native/NAME, in C++ (tests/fuzz/native), and python/NAME,
through Python (tests/fuzz/doors). Inputs that were worth keeping are in build/fuzz/corpus, those that broke something
in build/fuzz/findings; a target that has one ends with it. Exit status 1 if there is any.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "fuzz"
PAGE, MARK = ROOT / "docs" / "reliability.md", "<!-- fuzz -->"
SITE = (
    BUILD / "site" / "src"
)  # the Python files, with the instrumented core; door.cpp counts lines of src/seqlab
sys.path.insert(0, str(ROOT / "tests"))

# The entropic schedule takes more time than most targets do.
LIMITS = (
    "-entropic=0",
    "-timeout=100",  # also of a machine that others use
    "-rss_limit_mb=1024",
    "-malloc_limit_mb=8192",
    "-detect_leaks=0",
    "-report_slow_units=100",
    "-print_final_stats=0",
    "-print_funcs=0",  # names take a symboliser for each
)
LONGEST = {
    "native": 512,
    "native/crfsuite": 16_384,
    "native/arpa": 4096,
    "native/inference": 256,
    "native/tables": 256,
    "native/templates": 256,
    "native/tokeniser": 256,
    "python": 2048,
    "python/model": 32_768,
    "python/mapped_model": 32_768,
    "python/crfsuite_model": 16_384,
    "python/crfsuite_tagger": 16_384,
    "python/crfpp_model": 4096,
    "python/arpa": 8192,
}  # bytes of an input
# An input of a finding tells where its memory came from when the program is run on it by itself.
ASAN = "detect_leaks=0:malloc_context_size=0:quarantine_size_mb=2:allocator_may_return_null=1"
STATE = re.compile(r"^#(\d+)\s+\S+\s+cov: (\d+) ft: (\d+) corp: (\d+)/", re.MULTILINE)
ROW = "{:24} {:>11} {:>10} {:>7} {:>9} {:>7} {:>8}"


class Outcome(NamedTuple):
    """What a target did."""

    target: str
    executions: int = 0
    each_second: int = 0  # of the processor, whatever else the machine does
    edges: int = 0
    features: int = 0
    corpus: int = 0
    findings: tuple[str, ...] = ()
    told: str = ""


def targets() -> list[str]:
    """Name all targets, in C++ first."""
    from fuzz import doors, seeds

    return [f"native/{name}" for name in seeds.NATIVE] + [f"python/{name}" for name in doors.MAKERS]


def write_seeds(target: str, folder: Path) -> None:
    """Write the inputs that a target begins with."""
    from fuzz import doors, seeds

    kind, name = target.split("/")
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds.NATIVE[name]() if kind == "native" else doors.MAKERS[name]()[1]:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


def make_site() -> None:
    """Copy the Python files to where the instrumented core is."""
    core = next(BUILD.glob("_core*.so"))
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(
        ROOT / "src" / "seqlab", SITE / "seqlab", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    shutil.copy(core, SITE / "seqlab")


def program_of(target: str) -> Path:
    """Return the program of a target."""
    kind, name = target.split("/")
    return BUILD / "tests" / "fuzz" / ("fuzz_door" if kind == "python" else f"fuzz_{name}")


def fuzz(target: str, end: str) -> Outcome:
    """Run one target until `end`, an option of libFuzzer."""
    kind, name = target.split("/")
    corpus, seeds, findings = (BUILD / part / target for part in ("corpus", "seeds", "findings"))
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    earlier = set(findings.iterdir())
    paths = os.pathsep.join((str(SITE), str(ROOT / "tests")))
    environment = os.environ | {
        "ASAN_OPTIONS": ASAN,
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONPATH": paths,
    }
    environment |= {"SEQLAB_DOOR": name, "SEQLAB_PYTHON": sys.executable, "PYTHONMALLOC": "malloc"}
    environment |= {"SEQLAB_THREADS": "1"}  # starting some for each input would take most of the time
    command = [
        program_of(target),
        end,
        *LIMITS,
        f"-max_len={LONGEST.get(target, LONGEST[kind])}",
        f"-artifact_prefix={findings}/",
        corpus,
        seeds,
    ]
    log = findings.with_suffix(".log")
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=file)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    told = log.read_text(encoding="utf-8", errors="replace")
    states = STATE.findall(told)
    executions, edges, features, kept = map(int, states[-1]) if states else (0, 0, 0, 0)
    speed = round(executions / (used.ru_utime + used.ru_stime))
    found = tuple(sorted(path.name for path in findings.iterdir() if path not in earlier))
    return Outcome(
        target, executions, speed, edges, features, kept, found, told if process.returncode else ""
    )


def write_page(outcomes: list[Outcome]) -> None:
    """Put the figures into docs/reliability.md; rows of other targets stay."""
    before, table, after = PAGE.read_text(encoding="utf-8").split(MARK)
    rows = dict(re.findall(r"^\| `([^`]+)` (\|.*)$", table, re.MULTILINE))
    for one in outcomes:
        rows[one.target] = "".join(f"| {cell:,} " for cell in (*one[1:6], len(one.findings))) + "|"
    lines = [
        "| target | executions | each CPU second | edges | features | corpus | findings |",
        "|---|" + "---:|" * 6,
    ]
    lines += [f"| `{name}` {rows[name]}" for name in targets() if name in rows]
    PAGE.write_text(MARK.join((before, "\n" + "\n".join(lines) + "\n", after)), encoding="utf-8")


def main() -> int:
    """Run the targets that were asked for, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="native/NAME, python/NAME, native or python; all of them when left out",
    )
    parser.add_argument("--seconds", type=int, default=60, metavar="S", help="for each target (60)")
    parser.add_argument("--runs", type=int, metavar="N", help="executions of each target, instead of seconds")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="targets at a time (2)")
    parser.add_argument("--page", action="store_true", help="put the figures into docs/reliability.md, too")
    given = parser.parse_args()
    known = targets()
    asked = [
        one
        for one in known
        if not given.targets or one in given.targets or one.split("/")[0] in given.targets
    ]
    strange = set(given.targets) - set(known) - {"native", "python"}
    if strange:
        parser.error(f"there is no target {min(strange)!r}; there are {', '.join(known)}")
    if not all(program_of(target).exists() for target in asked):
        parser.error("the programs are not built; `make fuzz` builds and runs them")
    if any(target.startswith("python/") for target in asked):
        make_site()
    for target in asked:
        write_seeds(target, BUILD / "seeds" / target)
    end = f"-runs={given.runs}" if given.runs else f"-max_total_time={given.seconds}"
    print(ROW.format("target", "executions", "each CPU s", "edges", "features", "corpus", "findings"))
    outcomes = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for one in pool.map(lambda target: fuzz(target, end), asked):
            print(
                ROW.format(
                    *(f"{cell:,}" if isinstance(cell, int) else cell for cell in one[:6]), len(one.findings)
                ),
                flush=True,
            )
            outcomes.append(one)
            if given.page:
                write_page([one])
    bad = [one for one in outcomes if one.findings or one.told]
    for one in bad:
        where = (BUILD / "findings" / one.target).relative_to(ROOT)
        print(
            f"\n{one.target}: {len(one.findings)} in {where}, the last words in {where}.log\n{one.told[-1500:]}"
        )
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
