"""Every door gets altered files for a moment; `make fuzz` gives them millions, with sanitizers."""

import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fuzz import doors
from fuzz.doors.mutators import grown

TRIES, LONGEST, SECONDS = 400, 10.0, 0.8
MEMORY = 1 << 30
TESTS = Path(__file__).parents[1]


def ask(name):
    """Ask a door for a moment; run in a process of its own, which a fault would end."""
    door = doors.opened(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rng, end, tries = random.Random(name), time.process_time() + SECONDS, 0
    while tries < TRIES and (time.process_time() < end or tries < 20):
        data = grown(door.seeds, door.mutate, rng)
        started = time.process_time()
        try:
            door.ask(data)
        except BaseException as error:
            error.add_note(f"the door {name!r} was asked {data!r:.2000}")
            raise
        assert time.process_time() - started < LONGEST, f"a hang at {data!r:.2000}"
        tries += 1
    assert 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < MEMORY


# Some doors in one process: most of the time would go into starting Python.
NAMES = sorted(doors.MAKERS)
SHARES = [NAMES[share::6] for share in range(6)]


@pytest.mark.parametrize("names", SHARES, ids=" ".join)
def test_altered_input_is_answered_or_refused_by_an_error_of_ours(names):
    command = [sys.executable, "-W", "ignore", "-m", "fuzz.test_doors", *names]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-4000:]}"
    assert done.stdout.split() == names


if __name__ == "__main__":
    for one in sys.argv[1:]:
        ask(one)
        sys.stdout.write(f"{one}\n")
