"""The instruction set in use, and counts of recomputations in log space."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from seqlab import _core
from seqlab.errors import OptionError


def kernel() -> str:
    """Return the name of the instruction set in use: "baseline", "avx2" or "avx512"."""
    return _core.kernel()


def kernels() -> tuple[str, ...]:
    """List the sets this machine can run, baseline first."""
    return tuple(_core.kernels())


@contextmanager
def use_kernel(name: str) -> Iterator[None]:
    """Run the block with the instruction set `name`, for tests and benchmarks; it applies to the whole process."""
    before = kernel()
    _choose(name, "use_kernel")
    try:
        yield
    finally:
        _core.use_kernel(before)


def fallback_count() -> int:
    """Count the sequences of this process recomputed in log space because scaling might have lost precision."""
    return _core.fallback_count()


def _choose(name: str, who: str) -> None:
    if not _core.use_kernel(name):
        raise OptionError(f"{who}: no kernel {name!r} here; this machine can run {', '.join(kernels())}")


if forced := os.environ.get("SEQLAB_KERNEL"):
    _choose(forced, "the environment variable SEQLAB_KERNEL")
