"""Change the code in small ways and see which changes no law notices: `make mutate N=100 SEED=1`.

usage: python tools/mutation [--cpp N] [--python N] [--seed SEED] [--again] [--list]

A sample of N changes of each language is tried, each against the tests that pass it, the quickest first. A mutant is
killed when a test fails, the process crashes, or it needs far more time. Those that no test can kill, because nothing
can be seen of them, stand in equivalents.toml with reasons. What was killed is noted in build/mutants.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import os
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import cpp
import python
from mutant import Mutant
from reach import Passed
from trial import record, trial

HERE = Path(__file__).resolve().parent
WORK = cpp.ROOT / "build" / "mutants"
LEAST = 0.9  # share of the mutants that must be killed
KILLED = ("test", "crash", "time", "import")
# Tests that concern a room, stage by stage.
STAGES = 3
TESTS = tomllib.loads((HERE / "tests.toml").read_text(encoding="utf-8"))


def main() -> None:
    """Draw, build, try, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpp", type=int, default=150, help="mutants of C++")
    parser.add_argument("--python", type=int, default=200, help="mutants of Python")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at a time")
    parser.add_argument("--again", action="store_true", help="leave out what earlier trials killed")
    parser.add_argument("--list", action="store_true", help="only list the sample")
    options = parser.parse_args()
    pools = {"C++": (cpp.find(), options.cpp), "Python": (python.find(), options.python)}
    good = True
    for language, (pool, many) in pools.items():
        sample = random.Random(options.seed).sample(pool, min(many, len(pool)))
        if options.list:
            print(*sample, sep="\n")
        elif sample:
            print(f"{language}: {len(sample)} of {len(pool)} possible mutants", flush=True)
            good &= judged(language, sample, options)
    sys.exit(0 if good else 1)


def judged(language: str, sample: list[Mutant], options: argparse.Namespace) -> bool:
    """Try a sample, note what became of it, and print figures of each folder and of all."""
    notes = WORK / f"{language}-{options.seed}-{len(sample)}.json"
    earlier = json.loads(notes.read_text(encoding="utf-8")) if options.again and notes.exists() else {}
    became = tried(language, sample, options.jobs, earlier, notes)
    folders: dict[str, dict[str, str]] = {}
    for mutant, verdict in became.items():
        folders.setdefault(str(Path(mutant.partition(":")[0]).parent), {})[mutant] = verdict
    for folder, those in sorted(folders.items()):
        told(f"  {folder}", those)
    return told(language, became)


def installed() -> Path:
    """Folder of the package with its compiled module, found without importing it: each trial does that anew."""
    found = importlib.util.find_spec("seqlab")
    if found is None or found.origin is None:
        sys.exit("mutate: seqlab is not installed here: make build")
    return Path(found.origin).parents[1]


def tried(
    language: str, sample: list[Mutant], jobs: int, earlier: dict[str, str], notes: Path
) -> dict[str, str]:
    """Try a sample, but for mutants that were killed earlier; note and return what became of each one."""
    site = WORK / "site" if language == "C++" else installed()
    numbered = cpp.build(sample, WORK, site) if language == "C++" else dict(enumerate(sample, 1))
    known = equivalents()
    became = {}
    left = {}
    for number, mutant in numbered.items():
        name = str(mutant)
        became[name] = (
            "equivalent" if any(fits(mutant, like) for like in known) else earlier.get(name, "survived")
        )
        if became[name] not in {"equivalent", *KILLED}:
            left[number] = mutant
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        passed: dict[str, Passed] = {}
        for stage in range(STAGES):
            tests = {test for mutant in left.values() for test in room(mutant)[stage]} - passed.keys()
            passed |= recorded(pool, sorted(tests), site, left, in_cpp=language == "C++")
            for number, verdict in verdicts(pool, left, stage, site, passed, in_cpp=language == "C++"):
                became[str(left[number])] = verdict
                notes.parent.mkdir(parents=True, exist_ok=True)
                notes.write_text(json.dumps(earlier | became, indent=0), encoding="utf-8")
                if verdict in KILLED:
                    print(f"{verdict:8}  {number:4}  {left.pop(number)}", flush=True)
    for number, mutant in left.items():
        print(f"{became[str(mutant)]:8}  {number:4}  {mutant}")
    return became


def recorded(
    pool: Executor, tests: list[str], site: Path, sample: dict[int, Mutant], *, in_cpp: bool
) -> dict[str, Passed]:
    """Run files of tests without a mutant, to learn what each test passes."""
    running = {file: pool.submit(record, file, site, sample, in_cpp=in_cpp) for file in tests}
    found = {}
    for file, done in running.items():
        verdict, found[file] = done.result()
        if verdict != "survived":
            sys.exit(f"mutate: without a mutant: {verdict} in {file}")
    return found


def verdicts(
    pool: Executor,
    left: dict[int, Mutant],
    stage: int,
    site: Path,
    passed: dict[str, Passed],
    *,
    in_cpp: bool,
) -> Iterator[tuple[int, str]]:
    """Run the tests of one stage against each mutant that they pass, the quickest first."""
    trials = {}
    for number, mutant in left.items():
        near = [
            (seconds, test)
            for file in room(mutant)[stage]
            for test, (seconds, numbers) in passed[file].items()
            if number in numbers
        ]
        given: Any = {"number": number} if in_cpp else {"mutant": mutant}
        tests = tuple(test for _, test in sorted(near))
        trials[pool.submit(trial, tests, site, seconds=sum(one for one, _ in near), **given)] = number
    for done in as_completed(trials):
        yield trials[done], done.result()


def told(title: str, became: dict[str, str]) -> bool:
    """Print the figures of some mutants; True if enough of them are killed."""
    counts = Counter(became.values())
    killed, total = sum(counts[how] for how in KILLED), len(became) - counts["equivalent"]
    hows = ", ".join(f"{how} {counts[how]}" for how in KILLED if counts[how])
    print(
        f"{title}: {killed} of {total} killed ({killed / max(1, total):.1%}; by {hows or 'none'}), "
        f"{total - killed} survived, {counts['equivalent']} equivalent",
        flush=True,
    )
    return killed >= LEAST * total


def room(mutant: Mutant) -> list[list[str]]:
    """Return the stages of tests of the longest prefix that fits a file."""
    prefix = max((one for one in TESTS if mutant.path.startswith(one)), key=len)
    return TESTS[prefix]  # type: ignore[no-any-return]


def equivalents() -> list[dict[str, Any]]:
    """Changes that cannot be seen."""
    return tomllib.loads((HERE / "equivalents.toml").read_text(encoding="utf-8")).get("mutant", [])


def fits(mutant: Mutant, known: dict[str, Any]) -> bool:
    """Tell whether an entry means this mutant: file, kind, column and line, however the file has moved."""
    return all(getattr(mutant, name) == known[name] for name in ("path", "kind", "column", "text"))


if __name__ == "__main__":
    main()
