"""Requests that two programs could read in two ways are refused, or read in the one way that HTTP allows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from serve.conftest import Open
from serve.running import Running, everything, running

WORDS = b'{"tokens": ["Anna", "sings"]}'
OFFER = "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n"


@pytest.fixture(scope="module")
def server(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(models["ner"], "--timeout", "5", log=tmp_path_factory.mktemp("two") / "log") as made:
        yield made


def head(server: Running, more: str) -> bytes:
    told = f"POST /v1/tag HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\ncontent-type: application/json\r\n{more}\r\n"
    return told.encode()


def answered(server: Running, *parts: bytes) -> bytes:
    with server.connect(10) as connection:
        for part in parts:
            connection.sendall(part)
            time.sleep(0.1)
        return everything(connection)


@pytest.mark.parametrize(
    "more",
    [
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "content-length: 5\r\ncontent-length: 29\r\n",
        "content-length: 29\r\ncontent-length: 29\r\n",
        "content-length: -1\r\n",
        "content-length: +29\r\n",
        f"content-length: 1{'0' * 30}\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding : chunked\r\ncontent-length: 29\r\n",
        "x-folded: a\r\n b\r\ncontent-length: 29\r\n",
    ],
)
def test_lengths_that_contradict_are_refused(server: Running, more: str) -> None:
    told, _, body = answered(server, head(server, more) + WORDS).partition(b"\r\n\r\n")
    assert told.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"content-type: application/problem+json" in told
    assert b"x-content-type-options: nosniff" in told
    assert json.loads(body)["status"] == 400


@pytest.mark.parametrize("apart", [False, True])
def test_an_offer_of_another_protocol_is_not_heeded(server: Running, apart: bool) -> None:
    hidden = f"GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    more, last = (
        f"content-length: {len(hidden)}\r\n{OFFER}",
        f"content-length: {len(WORDS)}\r\nconnection: close\r\n",
    )
    parts = [head(server, more), hidden, head(server, last), WORDS]
    found = answered(server, *(parts if apart else [b"".join(parts)]))
    assert found.count(b"HTTP/1.1 ") == 2  # the body of the first is not a request of its own
    assert found.startswith(b"HTTP/1.1 400 ")  # since it is no JSON
    assert b'"labels"' in found


def test_the_first_request_of_javas_client_is_answered(server: Running) -> None:
    more = f"content-length: {len(WORDS)}\r\n{OFFER}"
    last = f"content-length: {len(WORDS)}\r\nconnection: close\r\n"
    found = answered(server, head(server, more), WORDS, head(server, last) + WORDS)
    assert found.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("host", ("127.0.0.1:8000", "evil.example")),
        ("origin", ("http://127.0.0.1:8000", "http://evil.example")),
        ("sec-fetch-site", ("same-origin", "cross-site")),
        ("content-type", ("application/json", "text/plain")),
        ("content-encoding", ("identity", "gzip")),
        ("authorization", ("Bearer a", "Bearer b")),
    ],
)
def test_headers_that_decide_come_once(service: Open, name: str, values: tuple[str, str]) -> None:
    headers = [(name, value) for value in values]
    if name != "content-type":
        headers.append(("content-type", "application/json"))
    found = service().post("/v1/tag", content=WORDS, headers=headers)
    assert found.status_code == 400
    assert name in found.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"tokens": ["a"], "tokens": ["b"]}',
        b'{"batch": [["a"]], "batch": [["b"]]}',
        b'{"batch": [{"tokens": ["a"], "tokens": ["b"]}]}',
        b'{"tokens": ["a"], "known": {"0": "O", "0": "B-PER"}}',
    ],
)
def test_members_come_once(service: Open, body: bytes) -> None:
    found = service().post("/v1/tag", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 400
    assert "twice" in found.json()["detail"]
