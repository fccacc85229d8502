"""Every system call of every writer fails once: the old file or the new one, an error of ours, nothing left behind."""

import os

import pytest

from faults.injected.preload import run
from faults.injected.writers import GROUPS

ALL = ("--all",) if os.environ.get("SEQLAB_FAULTS") == "all" else ()


@pytest.mark.parametrize("group", GROUPS)
def test_a_writer_that_fails_leaves_the_old_file_and_one_that_is_killed_no_half_one(group):
    counts = run("run.py", group, *ALL)
    assert set(counts) == set(GROUPS[group]())
    assert all(number >= 15 for number in counts.values()), counts
