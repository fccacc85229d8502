"""Where memory ends there is a MemoryError, or an error of ours: no program is ended by it."""

import json
import os
import subprocess
import sys

import pytest

from faults.injected.preload import HERE, run
from faults.injected.works import works

ALL = ("--all",) if os.environ.get("SEQLAB_FAULTS") == "all" else ()
GROUPS = 2  # processes that share the works


@pytest.mark.parametrize("part", range(GROUPS))
def test_allocations_of_the_core_may_fail_one_by_one(part):
    names = list(works())[part::GROUPS]
    counts = run("memory.py", *ALL, *names)
    assert list(counts) == names
    assert sum(counts.values()) > 20 * len(names)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of address space are those of Linux")
def test_trainings_and_answers_end_in_good_order_under_limits_that_are_stepped_up():
    done = subprocess.run(
        [sys.executable, HERE / "address_space.py", *ALL],
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    counts = json.loads(done.stdout)
    assert all(successes for _, successes in counts.values())
    assert sum(failures for failures, _ in counts.values()) > 3 * len(counts)  # the limits were felt
