"""Clocks that leap, back and on, change no result and end no program."""

from faults.injected.preload import run


def test_clocks_may_leap_while_models_learn():
    counts = run("clocks.py")
    assert {"training", "em", "search", "checkpoint, every=60"} <= set(counts)
    assert all(count >= 3 for count in counts.values()), counts
