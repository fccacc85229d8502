"""Hypothesis profiles, the fixture that runs a test once for every kernel, and the choice of cases under sanitizers."""

from __future__ import annotations

import os
import signal
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# The model en-demo is kept here, and not in the cache of whoever runs the tests.
os.environ["XDG_CACHE_HOME"] = os.path.join(tempfile.gettempdir(), f"seqlab-tests-{os.getuid()}")  # noqa: PTH118

# A shell lets programs in the background ignore Ctrl-C, and with the tests all programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_COMMON = {
    "deadline": None,
    "derandomize": os.environ.get("CI", "").lower() == "true",
    # the kernel fixture holds one kernel for all examples of a test, which is what we want
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}
settings.register_profile("default", max_examples=30, **_COMMON)
settings.register_profile("quick", max_examples=10, **_COMMON)
settings.register_profile("thorough", max_examples=1000, **_COMMON)
settings.register_profile("sanitized", max_examples=4, **_COMMON)
_PROFILE = os.environ.get("SEQLAB_HYPOTHESIS_PROFILE", "default")
settings.load_profile(_PROFILE)

# Under sanitizers every test runs these many of its cases on each kernel (`make asan`, `make tsan`).
SANITIZED_CASES = 4


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One run for every kernel; asked here so that tests without kernels do not need the library."""
    if "kernel" in metafunc.fixturenames:
        from seqlab import inference

        metafunc.parametrize("kernel", inference.kernels(), indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the profile `sanitized`: a few cases of every test on every kernel, others on each of them."""
    if _PROFILE != "sanitized":
        return
    cases: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        parameters = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        cases[item.nodeid.split("[")[0], str(parameters.get("kernel"))].append(item)
    # In the order of checksums, so that those kept differ in every parameter, and are the same in every process.
    by_checksum = (sorted(some, key=lambda item: zlib.crc32(item.nodeid.encode())) for some in cases.values())
    kept = {item for some in by_checksum for item in some[:SANITIZED_CASES]}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.fixture
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the kernel that the test runs on."""
    from seqlab import inference

    with inference.use_kernel(request.param):
        yield request.param
