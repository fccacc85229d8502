"""A service in a process of its own, as `seqlab serve` starts it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds: machines that run tests are busy


class Running:
    """The process, its address and its log."""

    def __init__(self, arguments: tuple[str, ...], log: Path) -> None:
        self.log_path = log
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "seqlab", "serve", *arguments, "--port", "0"],
                stderr=stderr,
                stdout=subprocess.DEVNULL,
            )
        told = until(
            lambda: re.search(r"http://127\.0\.0\.1:(\d+)/(\?key=(\S+))?", self.log()) or self._ended()
        )
        self.port, self.key = int(told[1]), told[3]
        self.url = f"http://127.0.0.1:{self.port}"

    def _ended(self) -> None:
        assert self.process.poll() is None, self.log()

    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]

    def connect(self, timeout: float = PATIENCE) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def client(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any, http.client.HTTPMessage]:
        """Ask on a connection of its own."""
        connection = self.client()
        try:
            return asked(connection, path, body, **headers)
        finally:
            connection.close()

    def memory(self) -> int:
        """Resident kB of the process."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1])

    def workers(self) -> list[int]:
        found = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [pid for pid in map(int, found) if b"spawn_main" in _command(pid)]

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # it has just ended


def asked(
    connection: http.client.HTTPConnection, path: str, body: Any = None, **headers: str
) -> tuple[int, Any, http.client.HTTPMessage]:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is None:
        connection.request("GET", path, headers=told)
    else:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json", **told})
    answer = connection.getresponse()
    content = answer.read()
    kind = answer.headers.get("content-type", "")
    return answer.status, json.loads(content) if "json" in kind else content.decode(), answer.headers


def until(look: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Look until there is something."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.02)
    return found


def everything(connection: socket.socket) -> bytes:
    """Read until the other side closes."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


@contextmanager
def running(*arguments: str, log: Path) -> Iterator[Running]:
    made = Running(arguments, log)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            children = made.workers() if sys.platform == "linux" else []
            made.process.kill()
            made.process.wait()
            for pid in children:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
