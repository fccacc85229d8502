"""Models and clients of the service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import seqlab

pytest.importorskip("starlette", reason="the service needs the extra serve")
pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")

from starlette.testclient import TestClient

from seqlab.serve import Limits, Settings, application

HOST = "http://127.0.0.1:8000"


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of two small models: entities and parts of speech."""
    folder, train = tmp_path_factory.mktemp("models"), seqlab.demo_corpus("train")[:300]
    learner = seqlab.LBFGS(max_iterations=15)
    found = {}
    for name, column, constraints in (("ner", "entity", "auto"), ("pos", "pos", None)):
        path = folder / f"{name}.model"
        seqlab.CRF(name, learner, constraints=constraints).fit(train, column).save(path)
        found[name] = str(path)
    return found


Open = Callable[..., TestClient]


@pytest.fixture
def service(models: dict[str, str], tmp_path: Path) -> Iterator[Open]:
    """Start a service with some settings, and return a client for it."""
    opened: list[TestClient] = []

    def start(limits: dict[str, Any] | None = None, link: str | None = None, **options: Any) -> TestClient:
        named = options.pop("models", tuple(models.items()))
        settings = Settings(named, limits=Limits(**(limits or {})), **options)
        app = application(settings, folder=str(tmp_path), link=link)
        client = TestClient(_At(app), base_url=HOST, raise_server_exceptions=False, follow_redirects=False)
        opened.append(client.__enter__())
        return opened[-1]

    yield start
    for client in opened:
        client.__exit__(None, None, None)


class _At:
    """The application as a server at 127.0.0.1:8000 would call it."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "server": ("127.0.0.1", 8000)}
        await self.app(scope, receive, send)
