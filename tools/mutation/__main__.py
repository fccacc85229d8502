"""Change the code in small ways and see which changes no law notices: `make mutate N=100 SEED=1`.

usage: python tools/mutation [--cpp N] [--python N] [--seed SEED] [--list]

A sample of N changes of each language is tried. A mutant is killed when a test fails, the process crashes, or it needs
far more time. Those that no test can kill, because nothing can be seen of them, stand in equivalents.toml with reasons.
"""

from __future__ import annotations

import argparse
import importlib.util
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
from trial import trial

HERE = Path(__file__).resolve().parent
WORK = cpp.ROOT / "build" / "mutants"
LEAST = 0.9  # share of the mutants that must be killed
KILLED = ("test", "crash", "time", "import", "error")
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
            good &= tried(language, sample, options.jobs)
    sys.exit(0 if good else 1)


def installed() -> Path:
    """Folder of the package with its compiled module, found without importing it: each trial does that anew."""
    found = importlib.util.find_spec("seqlab")
    if found is None or found.origin is None:
        sys.exit("mutate: seqlab is not installed here: make build")
    return Path(found.origin).parents[1]


def tried(language: str, sample: list[Mutant], jobs: int) -> bool:
    """Try a sample; True if enough of it is killed."""
    site = WORK / "site" if language == "C++" else installed()
    numbered = cpp.build(sample, WORK, site) if language == "C++" else dict(enumerate(sample, 1))
    known = equivalents()
    left = {number: one for number, one in numbered.items() if not any(fits(one, like) for like in known)}
    counts = Counter({"equivalent": len(numbered) - len(left)})
    total = len(left)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        for stage in range(STAGES):
            for number, verdict in verdicts(pool, left, stage, site, in_cpp=language == "C++"):
                if verdict != "survived":
                    counts[verdict] += 1
                    print(f"{verdict:8}  {number:4}  {left.pop(number)}", flush=True)
    for number, mutant in left.items():
        print(f"survived  {number:4}  {mutant}")
    killed = total - len(left)
    how = ", ".join(f"{verdict} {counts[verdict]}" for verdict in KILLED if counts[verdict])
    print(
        f"{language}: {killed} of {total} killed ({killed / max(1, total):.1%}; by {how}), "
        f"{len(left)} survived, {counts['equivalent']} equivalent",
        flush=True,
    )
    return killed >= LEAST * total


def verdicts(
    pool: Executor, left: dict[int, Mutant], stage: int, site: Path, *, in_cpp: bool
) -> Iterator[tuple[int, str]]:
    """Run the tests of one stage: first without a mutant, which tells the time they need, then against each one."""
    tests = {number: tuple(room(mutant)[stage]) for number, mutant in left.items()}
    alone = {group: pool.submit(trial, group, site) for group in set(tests.values())}
    for group, done in alone.items():
        if done.result()[0] != "survived":
            sys.exit(f"mutate: without a mutant: {done.result()[0]} in {' '.join(group)}")
    trials = {}
    for number, mutant in left.items():
        seconds = alone[tests[number]].result()[1]
        given: Any = {"number": number} if in_cpp else {"mutant": mutant}
        trials[pool.submit(trial, tests[number], site, seconds=seconds, **given)] = number
    for done in as_completed(trials):
        yield trials[done], done.result()[0]


def room(mutant: Mutant) -> list[list[str]]:
    """Return the stages of tests of the longest prefix that fits a file."""
    prefix = max((one for one in TESTS if mutant.path.startswith(one)), key=len)
    return TESTS[prefix]  # type: ignore[no-any-return]


def equivalents() -> list[dict[str, str]]:
    """Changes that cannot be seen."""
    return tomllib.loads((HERE / "equivalents.toml").read_text(encoding="utf-8")).get("mutant", [])


def fits(mutant: Mutant, known: dict[str, str]) -> bool:
    """Tell whether an entry means this mutant: file, kind and line, however the file has moved."""
    return (mutant.path, mutant.kind, mutant.text) == (known["path"], known["kind"], known["text"])


if __name__ == "__main__":
    main()
