"""The process: signals, reloads, several workers, its log."""

from __future__ import annotations

import contextlib
import errno
import http.client
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import pytest

import seqlab
from seqlab.serve.connections import refuse_connections
from seqlab.serve.running import PATIENCE, YOUNG
from serve.running import Running, asked, running, until

WORDS = {"tokens": ["Anna", "lives", "in", "New", "York", "."]}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


class Load:
    """Clients that ask all the time, on connections that stay open as long as the server likes."""

    def __init__(self, server: Running, clients: int = 6) -> None:
        self.server, self.answers, self.lost = server, [], []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(clients)]

    def __enter__(self) -> Self:
        for one in self._threads:
            one.start()
        until(lambda: len(self.answers) > 20)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for one in self._threads:
            one.join()

    def _ask(self) -> None:
        with closing(self.server.client()) as connection:
            self._ask_on(connection)

    def _ask_on(self, connection: http.client.HTTPConnection) -> None:
        while not self._stop.is_set():
            try:
                if connection.sock is None:
                    connection.connect()
            except OSError:
                return  # nobody listens any more: nothing was asked
            try:
                status, found, _ = asked(connection, "/v1/tag", WORDS)
                (self.answers if status == 200 else self.lost).append(found)
            except (OSError, http.client.HTTPException) as error:
                self.lost.append(repr(error))
                connection.close()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_sigterm_loses_no_request(models: dict[str, str], tmp_path: Path, workers: str) -> None:
    with running(models["ner"], "--workers", workers, log=tmp_path / "log") as server:
        with Load(server) as load:
            answered = len(load.answers)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(60) == 0
        assert len(load.answers) > answered
        assert load.lost == []


def test_a_closing_door_lets_in_who_stands_in_it() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as door,
        socket.create_connection(door.getsockname()) as early,
    ):
        refuse_connections(door)
        with socket.socket() as late:
            late.setblocking(False)
            assert late.connect_ex(door.getsockname()) == errno.EINPROGRESS
            accepted, address = door.accept()
            assert address == early.getsockname()
            early.sendall(b"asked")
            assert accepted.recv(5) == b"asked"
            accepted.close()
            assert select.select([door], [late], [], 0.2) == ([], [], [])


def test_one_of_two_workers_ends_gently(models: dict[str, str], tmp_path: Path) -> None:
    with running(models["ner"], "--workers", "2", log=tmp_path / "log") as server:
        first = until(lambda: len(found := server.workers()) == 2 and found)
        with Load(server) as load:
            os.kill(first[0], signal.SIGTERM)
            until(lambda: first[0] not in server.workers())
            answered = len(load.answers)
            until(lambda: len(load.answers) > answered + 20)
        assert load.lost == []


def test_models_are_swapped_without_a_failed_request(models: dict[str, str], tmp_path: Path) -> None:
    path, fresh = tmp_path / "x.model", tmp_path / "fresh"
    shutil.copy(models["ner"], path)
    before, after = (seqlab.load(models[name]).tag(WORDS["tokens"]) for name in ("ner", "pos"))
    with running(str(path), log=tmp_path / "log") as server, Load(server, 3) as load:
        shutil.copy(models["pos"], fresh)
        fresh.replace(path)  # seen by itself
        until(lambda: load.answers[-1]["labels"] == after)
        shutil.copy(models["ner"], fresh)
        fresh.replace(path)
        server.process.send_signal(signal.SIGHUP)
        until(lambda: load.answers[-1]["labels"] == before)
        fresh.write_bytes(b"broken")
        fresh.replace(path)  # the old one stays
        told = until(lambda: [one for one in server.events() if one["event"].startswith("reload failed")])
        assert told[0]["model"] == "x"
        answered = len(load.answers)
        until(lambda: len(load.answers) > answered + 10)
        assert load.answers[-1]["labels"] == before
        path.unlink()
        server.process.send_signal(signal.SIGHUP)
        until(lambda: len(load.answers) > answered + 30)
        os.mkfifo(path)  # nobody writes into it: who waits for that opens no model again, and never ends
        until(lambda: "a pipe or a device" in server.events()[-1].get("error", ""))
        shutil.copy(models["pos"], fresh)
        fresh.replace(path)
        until(lambda: load.answers[-1]["labels"] == after)
        status, text, _ = server.ask("/metrics")
        assert status == 200
        assert 'seqlab_reloads_total{model="x",result="failed"}' in text
    assert load.lost == []


def test_a_large_model_file_may_be_cut_short_and_written_over(tmp_path: Path) -> None:
    words = [[f"word{30 * i + j}" for j in range(30)] for i in range(400)]
    path = tmp_path / "large.model"
    seqlab.LinearTagger("pos", seqlab.Perceptron(epochs=1)).fit(words, [["a", "b", "c"] * 10] * 400).save(
        path
    )
    whole = path.read_bytes()
    assert len(whole) > 1 << 22  # the library maps such files
    with running(str(path), log=tmp_path / "log") as server, Load(server, 2) as load:
        for content in (b"", os.urandom(10_000), whole[: len(whole) // 2]):
            failed = len([one for one in server.events() if one["event"].startswith("reload failed")])
            with path.open("r+b") as file:  # in place, as cp does
                file.truncate(0)
                file.write(content)
            until(
                lambda n=failed: sum(one["event"].startswith("reload failed") for one in server.events()) > n
            )
        with path.open("r+b") as file:
            file.write(whole)
        until(lambda: [one for one in server.events() if one["event"] == "reloaded"])
        answered = len(load.answers)
        until(lambda: len(load.answers) > answered + 20)
    assert load.lost == []


def test_two_workers(models: dict[str, str], tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-long-token-for-tests\n")
    bearer = {"authorization": "Bearer a-long-token-for-tests"}
    arguments = (models["ner"], "--workers", "2", "--token-file", str(token))
    with running(*arguments, log=tmp_path / "log") as server:
        # the one-time link works once, whichever process gets it
        codes = [server.ask(f"/?key={server.key}")[0] for _ in range(8)]
        assert sorted(codes) == [200, *[401] * 7]
        # counts of both are summed
        for _ in range(30):
            assert server.ask("/v1/tag", WORDS, **bearer)[0] == 200

        def counted() -> bool:
            text = server.ask("/metrics", **bearer)[1]
            row = 'seqlab_requests_total{method="POST",route="/v1/tag",status="200"} 30'
            return row in text.splitlines()

        until(counted, 20)
        # one is killed: the other answers, and a new one comes
        first = until(lambda: len(found := server.workers()) == 2 and found)
        os.kill(first[0], signal.SIGKILL)
        for _ in range(10):
            assert until(lambda: _answers(server, bearer), 20)
        fresh = until(lambda: len(found := set(server.workers())) == 2 and found - set(first))
        assert first[1] in server.workers()
        processes = until(lambda: fresh <= _seen(server) and server.workers())
        assert len(processes) == 2
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


def test_processes_that_are_killed_again_and_again_do_not_end_the_service(
    models: dict[str, str], tmp_path: Path
) -> None:
    with running(models["ner"], "--workers", "2", log=tmp_path / "log") as server:
        steady = until(lambda: len(found := server.workers()) == 2 and found)[0]
        time.sleep(YOUNG)
        for _ in range(PATIENCE + 2):
            other = until(lambda: [one for one in server.workers() if one != steady])
            os.kill(other[0], signal.SIGKILL)
            until(lambda gone=other[0]: gone not in server.workers())
        assert until(lambda: _answers(server, {}), 20)
        assert steady in server.workers()
        assert server.end() == 0


def test_a_service_whose_processes_cannot_start_gives_up(models: dict[str, str], tmp_path: Path) -> None:
    with running(models["ner"], "--workers", "2", log=tmp_path / "log") as server:
        for _ in range(PATIENCE + 2):
            for pid in server.workers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.3)
            if server.process.poll() is not None:
                break
        assert server.process.wait(30) != 0
    assert "as soon as they start" in server.log()


def _answers(server: Running, bearer: dict[str, str]) -> bool:
    try:
        return server.ask("/v1/tag", WORDS, **bearer)[0] == 200
    except ConnectionError:  # the killed one had it
        return False


def _seen(server: Running) -> set[int]:
    """Send something that is refused, and look which processes have logged it."""
    server.ask("/v1/models")
    return {one["process"] for one in server.events()}


def test_the_log_holds_no_text_unless_asked(models: dict[str, str], tmp_path: Path) -> None:
    secret = {"tokens": ["Rumpelstilzchen"]}
    for what, codes in (("all", [200, 200, 404]), ("text", [200, 200, 404]), ("errors", [404])):
        with running(models["ner"], "--log", what, log=tmp_path / what) as server:
            server.ask("/v1/tag", secret)
            server.ask("/v1/evaluate", {"content": "Rumpelstilzchen\tO\r\n"})  # of which the library warns
            server.ask("/v1/Rumpelstilzchen?q=Rumpelstilzchen")
            until(lambda: '"status": 404' in server.log())
            assert [one["status"] for one in server.events()] == codes
            assert server.end() == 0
        assert ("Rumpelstilzchen" in server.log()) == (what == "text")
        strange = [line for line in server.log().splitlines() if not line.startswith(("{", "seqlab: http"))]
        assert strange == []


def checked(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seqlab", "serve", "--check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_check(models: dict[str, str], tmp_path: Path) -> None:
    good = checked(models["ner"])
    assert (good.returncode, good.stdout.splitlines()[-1]) == (0, "settings and models are good")
    seqlab.Pipeline(None, ()).save(tmp_path / "empty.model")
    (tmp_path / "bytes").write_bytes(b"\xff" * 20)
    (tmp_path / "token").write_text("a-long-token-for-tests")
    (tmp_path / "lines").write_text("a-long-token\nfor-tests-in-two-lines\n")
    (tmp_path / "short").write_text("short")
    (tmp_path / "windows").write_bytes(b"\xef\xbb\xbfa-long-token-for-tests\r\n")
    os.mkfifo(tmp_path / "pipe")
    for more in (("--token-file", str(tmp_path / "windows")), ("--host", "[::1]")):
        assert checked(models["ner"], *more).returncode == 0
    for bad, why in (
        ((str(tmp_path / "empty.model"),), "labels nothing"),
        ((models["ner"], "--host", "0.0.0.0"), "token"),
        ((str(tmp_path / "none"),), "none"),
        ((models["ner"], models["ner"]), "two models"),
        ((models["ner"], "--allow-origin", "*"), "origin"),
        ((models["ner"], "--token-file", str(tmp_path / "bytes")), "no UTF-8"),
        ((models["ner"], "--token-file", str(tmp_path / "lines")), "got 2 lines"),
        ((models["ner"], "--token-file", str(tmp_path / "short")), "got 5 characters"),
        ((models["ner"], "--timeout", "1e300"), "at most 86400"),
        ((str(tmp_path / "pipe"),), "a pipe or a device"),
        (
            (models["ner"], "--token-file", str(tmp_path / "token"), "--host", "a..b"),
            "an address of this machine",
        ),
    ):
        found = checked(*bad)
        assert found.returncode != 0
        assert why in found.stderr
        assert "Traceback" not in found.stderr


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_commands_of_the_guide_are_answered(models: dict[str, str], tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "serving.md").read_text(encoding="utf-8")
    commands = [line for line in guide.splitlines() if line.startswith("curl ")]
    (tmp_path / "sentences.ndjson").write_text('{"tokens": ["Anna", "sings"]}\n' * 2)
    with running(models["ner"], log=tmp_path / "log") as server:
        for command in commands:
            asked = shlex.split(command.replace(":8000", f":{server.port}"))
            found = subprocess.run([*asked, "-sf"], cwd=tmp_path, capture_output=True, check=False)
            assert (found.returncode, b'"labels"' in found.stdout) == (0, True), command
    assert len(commands) == 2


def test_a_port_in_use(models: dict[str, str], tmp_path: Path) -> None:
    with running(models["ner"], log=tmp_path / "log") as server:
        command = [sys.executable, "-m", "seqlab", "serve", models["ner"], "--port", str(server.port)]
        found: Any = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.returncode != 0
        assert "pass another port" in found.stderr
        began = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - began < 30
