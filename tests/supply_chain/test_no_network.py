"""seqlab asks no network for anything: it works in a namespace that has none."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import socket
assert [name for _, name in socket.if_nameindex() if name != "lo"] == [], "there is a network"
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except OSError:
    pass
else:
    raise AssertionError("there is a network")

import seqlab
train = seqlab.demo_corpus("train")[:100]
crf = seqlab.CRF("ner", seqlab.LBFGS(max_iterations=5)).fit(train, "entity")
assert len(crf.tag(["Anna", "sings"])) == 2
assert seqlab.HMM(2, learner=seqlab.BaumWelch(max_iterations=2)).fit(train.column("word")).predict(train[:1])
english = seqlab.load("en-demo")
assert english("Anna Weber lives in New York.").spans
print("no network, and all well")
"""


def alone(*command: str, sent: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a namespace without interfaces, or skip the test where that is not allowed."""
    unshare = shutil.which("unshare")
    if (
        unshare is None
        or subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("unshare -rn is not allowed here")
    return subprocess.run([unshare, "-rn", *command], input=sent, capture_output=True, text=True, check=False)


def test_training_tagging_and_loading_need_no_network() -> None:
    done = alone(sys.executable, "-W", "ignore", "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "no network, and all well\n"


def test_the_command_needs_no_network() -> None:
    done = alone(
        sys.executable,
        "-m",
        "seqlab",
        "tag",
        "en-demo",
        "--raw",
        "--spans",
        sent="Anna Weber lives in New York.\n",
    )
    assert done.returncode == 0, done.stderr
    assert "Anna Weber" in done.stdout
