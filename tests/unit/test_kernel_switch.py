"""The kernel and thread switches: environment variables and the context manager."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from seqlab import inference
from seqlab.errors import OptionError


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The code in a fresh interpreter."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SEQLAB_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_baseline_runs_everywhere() -> None:
    assert "baseline" in inference.kernels()
    assert inference.kernel() in inference.kernels()
    assert set(inference.kernels()) <= {"baseline", "avx2", "avx512"}


@pytest.mark.parametrize("name", inference.kernels())
def test_environment_forces_a_kernel(name: str) -> None:
    done = run("from seqlab import inference; print(inference.kernel())", SEQLAB_KERNEL=name)
    assert done.stdout.strip() == name, done.stderr


def test_environment_names_an_unknown_kernel() -> None:
    code = """
import numpy as np
from seqlab import Trellis, inference
inference.log_partition(Trellis(np.zeros((2, 2)), np.zeros((2, 2))))
"""
    done = run(code, SEQLAB_KERNEL="abacus")
    assert done.returncode != 0
    assert "abacus" in done.stderr
    assert "baseline" in done.stderr


def test_use_kernel_is_undone_at_the_end() -> None:
    before = inference.kernel()
    with inference.use_kernel("baseline"):
        assert inference.kernel() == "baseline"
    assert inference.kernel() == before
    with pytest.raises(RuntimeError), inference.use_kernel("baseline"):
        raise RuntimeError
    assert inference.kernel() == before


def test_use_kernel_refuses_an_unknown_name() -> None:
    with pytest.raises(OptionError, match="abacus"), inference.use_kernel("abacus"):
        pass


THREADED = """
import numpy as np
from seqlab import TrellisBatch, inference
rng = np.random.default_rng(0)
batch = TrellisBatch(rng.normal(size=(3000, 9)), [30] * 100, rng.normal(size=(9, 9)))
print(inference.log_partition(batch).sum().hex())
"""


def test_environment_caps_the_threads() -> None:
    results = {cap: run(THREADED, SEQLAB_THREADS=cap) for cap in ("1", "2", "8")}
    assert all(done.returncode == 0 for done in results.values()), results
    assert len({done.stdout for done in results.values()}) == 1


@pytest.mark.parametrize("cap", ["0", "-2", "many"])
def test_environment_names_a_wrong_number_of_threads(cap: str) -> None:
    done = run(THREADED, SEQLAB_THREADS=cap)
    assert done.returncode != 0
    assert "SEQLAB_THREADS" in done.stderr
    assert cap in done.stderr


def test_fallback_count_starts_at_zero() -> None:
    done = run("from seqlab import inference; print(inference.fallback_count())")
    assert done.stdout.strip() == "0", done.stderr
