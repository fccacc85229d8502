"""The OpenAPI description: it has every route, and schemathesis finds no answer against it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.routing import Route

from serve.conftest import Open
from serve.running import running

TOKEN = "a-long-token-for-tests"
FOUND = Path(sys.executable).with_name("schemathesis")
SCHEMATHESIS = os.environ.get("SEQLAB_SCHEMATHESIS") or (
    str(FOUND) if FOUND.exists() else shutil.which("schemathesis")
)


def test_every_route_is_described(service: Open) -> None:
    client = service()
    routes = client.app.app.app.routes
    wanted = {
        (one.path, "post" if "POST" in one.methods else "get") for one in routes if isinstance(one, Route)
    }
    paths = client.get("/openapi.json").json()["paths"]
    assert {(path, method) for path, methods in paths.items() for method in methods} == wanted


def test_every_example_is_answered(service: Open, models: dict[str, str], tmp_path: Path) -> None:
    own = tmp_path / "ner.model"
    shutil.copy(models["ner"], own)
    client = service(models=(("ner", str(own)),), learn=True)
    paths = client.get("/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for method, about in methods.items():
            body = (
                about["requestBody"]["content"]["application/json"]["example"] if method == "post" else None
            )
            version = client.get("/v1/models/ner").json()["version"]
            found = client.request(method.upper(), path.format(name="ner", version=version), json=body)
            assert found.status_code in {200, 204}, (path, found.text)


@pytest.mark.skipif(SCHEMATHESIS is None, reason="schemathesis is not installed (pip install schemathesis)")
@pytest.mark.parametrize("secured", [False, True])
def test_schemathesis_finds_nothing(models: dict[str, str], tmp_path: Path, secured: bool) -> None:
    (tmp_path / "token").write_text(TOKEN)
    for name in ("ner", "pos"):
        shutil.copy(models[name], tmp_path / f"{name}.model")
    options = ["--token-file", str(tmp_path / "token")] if secured else ["--learn"]
    files = [str(tmp_path / f"{name}.model") for name in ("ner", "pos")]
    with running(*files, *options, log=tmp_path / "log") as server:
        command = [SCHEMATHESIS, "run", f"{server.url}/openapi.json", "--max-examples", "10", "--seed", "1"]
        command += ["--header", f"Authorization: Bearer {TOKEN}"] if secured else []
        found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert found.returncode == 0, found.stdout[-8000:]
