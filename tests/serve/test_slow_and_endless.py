"""Clients that are slow, endless or never read: each is dropped, and memory stays flat."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from serve.running import Running, everything, running, until

HEAD = (
    b"POST /v1/tag HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n"
    b"content-type: application/%s\r\ntransfer-encoding: chunked\r\n\r\n"
)
GROWTH = 30_000  # kB: less than what any of these attacks would send or hold

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@pytest.fixture(scope="module")
def server(models: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    log = tmp_path_factory.mktemp("running") / "log"
    limits = ("--timeout", "1", "--idle", "1", "--body", "100000", "--waiting", "40")
    with running(models["ner"], *limits, log=log) as made:
        made.ask("/v1/tag", {"tokens": ["a"]})
        yield made


def send_without_end(connection: socket.socket, chunk: bytes) -> int:
    """Send until the server no longer takes it; return the number of bytes."""
    sent, connection_end = 0, time.monotonic() + 30
    wrapped = b"%x\r\n%s\r\n" % (len(chunk), chunk)
    try:
        while time.monotonic() < connection_end:
            sent += connection.send(wrapped)
    except (ConnectionError, TimeoutError):
        pass
    return sent


@pytest.mark.parametrize("kind", [b"json", b"x-ndjson"])
def test_a_body_without_end_is_refused(server: Running, kind: bytes) -> None:
    before = server.memory()
    with server.connect() as connection:
        connection.sendall(HEAD % (server.port, kind))
        sent = send_without_end(connection, b"[" * 60_000)
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert sent < 20_000_000
    assert server.memory() - before < GROWTH


def test_clients_that_send_everything_first_see_why_it_was_refused(
    models: dict[str, str], tmp_path: Path
) -> None:
    with running(models["ner"], log=tmp_path / "log") as server:
        for kind, status in (("application/json", 413), ("text/plain", 415)) * 3:
            connection = server.client()
            connection.request("POST", "/v1/tag", b"a" * 12_000_000, {"content-type": kind})
            answer = connection.getresponse()
            assert answer.status == status
            assert answer.read().startswith(b'{"type"')
            connection.close()


def test_a_line_without_end_ends_a_stream_that_was_answered(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(HEAD % (server.port, b"x-ndjson"))
        line = b'{"tokens": ["a"]}\n'
        connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
        answer = b""
        while b'"labels"' not in answer:
            answer += connection.recv(65536)
        send_without_end(connection, b"[" * 60_000)
        answer += everything(connection)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"status":413' in answer


def test_headers_without_end_are_refused(server: Running) -> None:
    before = server.memory()
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        sent, end = 0, time.monotonic() + 30
        try:
            while time.monotonic() < end:
                sent += connection.send(b"x-more: " + b"a" * 1000 + b"\r\n")
        except ConnectionError:
            pass
        answer = everything(connection)
    assert answer.startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 400 "))
    assert sent < 20_000_000
    assert server.memory() - before < GROWTH


def test_slow_headers_are_dropped(server: Running) -> None:
    before = server.memory()
    slow = [server.connect() for _ in range(100)]
    for one in slow:
        one.sendall(b"GET / HTTP/1.1\r\nhost: ")
    assert server.ask("/healthz")[0] == 200
    for one in slow:
        one.settimeout(30)
        assert everything(one) == b""
        one.close()
    assert server.memory() - before < GROWTH


def test_a_slow_body_is_dropped(server: Running) -> None:
    with server.connect() as connection:
        connection.sendall(HEAD % (server.port, b"json"))
        began = time.monotonic()
        connection.settimeout(0.1)
        answer = b""
        while not answer and time.monotonic() - began < 30:  # a byte at a time: each comes soon enough
            try:
                connection.send(b"1\r\n \r\n")
                answer = connection.recv(65536)
            except TimeoutError:
                continue
        connection.settimeout(30)
        answer += everything(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_many_slow_bodies_leave_room_for_others(server: Running) -> None:
    before = server.memory()
    slow = [server.connect() for _ in range(60)]  # more than may be in progress
    for one in slow:
        one.sendall(HEAD % (server.port, b"json") + b"2710\r\n" + b" " * 5000)
    heads = {everything(one)[:12] for one in slow}
    assert heads == {b"HTTP/1.1 408", b"HTTP/1.1 503"}
    for one in slow:
        one.close()
    assert server.ask("/v1/tag", {"tokens": ["a"]})[0] == 200
    assert server.memory() - before < GROWTH


def test_too_many_requests_are_told_to_come_back(server: Running) -> None:
    slow = [server.connect() for _ in range(40)]
    for one in slow:
        one.sendall(HEAD % (server.port, b"json"))
    status, problem, headers = until(
        lambda: (found := server.ask("/v1/models"))[0] != 200 and found, seconds=10
    )
    for one in slow:
        one.close()
    assert (status, problem["status"], headers["retry-after"]) == (503, 503, "1")
    assert until(lambda: server.ask("/v1/models")[0] == 200)


def test_a_client_that_never_reads_is_dropped(server: Running) -> None:
    before = server.memory()
    line = b'{"batch": [' + b",".join([b'["a", "b", "c"]'] * 1000) + b"]}\n"
    with server.connect(timeout=30) as connection:
        connection.sendall(HEAD % (server.port, b"x-ndjson"))
        began = time.monotonic()
        send_without_end(connection, line)
        assert time.monotonic() - began < 30
    assert server.memory() - before < GROWTH
    assert server.ask("/v1/tag", {"tokens": ["a"]})[0] == 200
    assert [one for one in server.events() if one["event"] not in {"request", "reloaded"}] == []


def test_answers_that_nobody_reads_are_bounded_in_all(models: dict[str, str]) -> None:
    import asyncio
    from types import SimpleNamespace

    import uvicorn

    from seqlab.serve import Limits, Settings, application
    from seqlab.serve.connections import Server

    guard = application(Settings(tuple(models.items()), limits=Limits(buffered=100)))
    server = Server(uvicorn.Config(guard), guard, ended=lambda: False, last=lambda: True)
    gone: list[int] = []
    server.server_state.connections = [  # type: ignore[assignment]
        SimpleNamespace(
            unread=unread,
            sweep=lambda now: None,
            transport=SimpleNamespace(abort=lambda unread=unread: gone.append(unread)),
        )
        for unread in (60, 30, 0, 50)
    ]
    asyncio.run(server.on_tick(0))
    assert gone == [60]


def test_an_idle_connection_is_closed(server: Running) -> None:
    with server.connect(timeout=30) as connection:
        assert everything(connection) == b""
