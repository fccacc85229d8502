"""The most one core can do: multiply-adds on registers, nothing loaded, nothing stored."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from seqlab import inference

PROGRAM = Path(__file__).with_suffix(".cpp")
FLAGS = {
    "baseline": ("-DVECTOR_BYTES=16",),
    "avx2": ("-DVECTOR_BYTES=32", "-mavx2", "-mfma"),
    "avx512": ("-DVECTOR_BYTES=64", "-mavx512f", "-mfma", "-mprefer-vector-width=512"),
}


class Peak(NamedTuple):
    """Best rate seen, in GFLOP/s; None where it could not be measured."""

    float32: float | None
    float64: float | None

    def share(self, dtype: str, flops: float, seconds: float) -> float | None:
        """Rate of a computation as a share of the peak for its dtype."""
        best = self.float32 if dtype == "float32" else self.float64
        return None if best is None or seconds == 0 else flops / seconds / (best * 1e9)


def measured_peak() -> Peak:
    """Measure with the instruction set of the kernel in use; the best of many tries, since a peak is a maximum."""
    compiler = shutil.which("c++")
    if compiler is None:
        return Peak(None, None)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "peak"
        flags = ("-std=c++20", "-O3", "-ffp-contract=fast", *FLAGS[inference.kernel()])
        subprocess.run([compiler, *flags, PROGRAM, "-o", program], check=True)
        rates = subprocess.check_output([program], text=True).split()
    return Peak(*map(float, rates))
