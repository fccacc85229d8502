"""Hypothesis profiles, and the fixture that runs a test once for every kernel this machine has."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# The model en-demo is kept here, and not in the cache of whoever runs the tests.
os.environ["XDG_CACHE_HOME"] = os.path.join(tempfile.gettempdir(), f"seqlab-tests-{os.getuid()}")  # noqa: PTH118

_COMMON = {
    "deadline": None,
    "derandomize": os.environ.get("CI", "").lower() == "true",
    # the kernel fixture holds one kernel for all examples of a test, which is what we want
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
settings.register_profile("default", max_examples=50, **_COMMON)
settings.register_profile("quick", max_examples=10, **_COMMON)
settings.register_profile("thorough", max_examples=1000, **_COMMON)
settings.load_profile(os.environ.get("SEQLAB_HYPOTHESIS_PROFILE", "default"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One run for every kernel; asked here so that tests without kernels do not need the library."""
    if "kernel" in metafunc.fixturenames:
        from seqlab import inference

        metafunc.parametrize("kernel", inference.kernels(), indirect=True)


@pytest.fixture
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the kernel that the test runs on."""
    from seqlab import inference

    with inference.use_kernel(request.param):
        yield request.param
