"""Requests that schemathesis makes of the OpenAPI description: none is answered against it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from serve.running import running

FOUND = Path(sys.executable).with_name("schemathesis")
SCHEMATHESIS = os.environ.get("SEQLAB_SCHEMATHESIS") or (
    str(FOUND) if FOUND.exists() else shutil.which("schemathesis")
)


@pytest.mark.skipif(SCHEMATHESIS is None, reason="schemathesis is not installed (pip install schemathesis)")
def test_schemathesis_finds_nothing(models: dict[str, str], tmp_path: Path) -> None:
    with running(models["ner"], models["pos"], log=tmp_path / "log") as server:
        command = [SCHEMATHESIS, "run", f"{server.url}/openapi.json", "--max-examples", "10", "--seed", "1"]
        found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert found.returncode == 0, found.stdout[-4000:]
