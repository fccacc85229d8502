"""Change the code in small ways and see which changes no law notices: `make mutate N=100 SEED=1`.

usage: python tools/mutation [--cpp N] [--python N] [--seed SEED] [--list]

A sample of N changes of each language is tried. A mutant is killed when a test fails, the process crashes, or it needs
far more time. Those that no test can kill, because nothing can be seen of them, stand in equivalents.toml with reasons.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections import Counter
from pathlib import Path

import cpp
import python
from mutant import Mutant
from trial import trial

HERE = Path(__file__).resolve().parent
WORK = cpp.ROOT / "build" / "mutants"
LEAST = 0.9  # share of the mutants that must be killed
KILLED = ("test", "crash", "time", "import", "error")
# Tests that concern a room, stage by stage.
TESTS = tomllib.loads((HERE / "tests.toml").read_text(encoding="utf-8"))


def main() -> None:
    """Draw, build, try, report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpp", type=int, default=150, help="mutants of C++")
    parser.add_argument("--python", type=int, default=200, help="mutants of Python")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
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
            good &= tried(language, sample)
    sys.exit(0 if good else 1)


def tried(language: str, sample: list[Mutant]) -> bool:
    """Try a sample; True if enough of it is killed."""
    site = WORK / "site" if language == "C++" else cpp.ROOT / "src"
    numbered = cpp.build(sample, WORK, site) if language == "C++" else dict(enumerate(sample, 1))
    known = equivalents()
    needed: dict[str, float] = {}
    counts: Counter[str] = Counter()
    for number, mutant in numbered.items():
        if any(fits(mutant, one) for one in known):
            counts["equivalent"] += 1
            continue
        verdict = judged(mutant, number, site, needed, in_cpp=language == "C++")
        counts[verdict] += 1
        print(f"{verdict:8}  {number:4}  {mutant}", flush=True)
    total = counts.total() - counts["equivalent"]
    killed = total - counts["survived"]
    how = ", ".join(f"{verdict} {counts[verdict]}" for verdict in KILLED if counts[verdict])
    print(
        f"{language}: {killed} of {total} killed ({killed / max(1, total):.1%}; by {how}), "
        f"{counts['survived']} survived, {counts['equivalent']} equivalent",
        flush=True,
    )
    return killed >= LEAST * total


def judged(mutant: Mutant, number: int, site: Path, needed: dict[str, float], *, in_cpp: bool) -> str:
    """Try the tests of the room, then the others."""
    for tests in stages(mutant.path):
        key = " ".join(tests)
        if key not in needed:
            verdict, needed[key] = trial(tests, site)
            if verdict != "survived":
                sys.exit(f"mutate: without a mutant: {verdict} in {key}")
        given: dict[str, object] = {"number": number} if in_cpp else {"mutant": mutant}
        verdict, _ = trial(tests, site, seconds=needed[key], **given)  # type: ignore[arg-type]
        if verdict != "survived":
            return verdict
    return "survived"


def stages(path: str) -> list[list[str]]:
    """Tests of the longest prefix that fits a path, a list for each stage."""
    prefix = max((one for one in TESTS if path.startswith(one)), key=len)
    return TESTS[prefix]  # type: ignore[no-any-return]


def equivalents() -> list[dict[str, str]]:
    """Changes that cannot be seen."""
    return tomllib.loads((HERE / "equivalents.toml").read_text(encoding="utf-8")).get("mutant", [])


def fits(mutant: Mutant, known: dict[str, str]) -> bool:
    """Tell whether an entry means this mutant: file, kind and line, however the file has moved."""
    return (mutant.path, mutant.kind, mutant.text) == (known["path"], known["kind"], known["text"])


if __name__ == "__main__":
    main()
