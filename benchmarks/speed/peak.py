"""The most one core can do: multiply-adds on registers, nothing loaded, nothing stored."""

from __future__ import annotations

from typing import NamedTuple

from seqlab import _core


class Peak(NamedTuple):
    """Best rate seen, in GFLOP/s; None when the build has no such loop."""

    float32: float | None
    float64: float | None

    def share(self, dtype: str, flops: float, seconds: float) -> float | None:
        """Rate of a computation as a share of the peak for its dtype."""
        best = self.float32 if dtype == "float32" else self.float64
        return None if best is None or seconds == 0 else flops / seconds / (best * 1e9)


def measured_peak(tries: int = 5) -> Peak:
    """The best of several tries with the kernel in use: a peak is a maximum, not a median."""
    if not hasattr(_core, "peak_gflops"):
        return Peak(None, None)
    best = [max(_core.peak_gflops(single) for _ in range(tries)) for single in (True, False)]
    return Peak(*best)
