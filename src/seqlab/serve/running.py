"""Run the service: sockets, processes, signals."""

from __future__ import annotations

import errno
import gc
import multiprocessing
import os
import secrets
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any

import uvicorn

from seqlab.errors import OptionError
from seqlab.serve.asgi import application
from seqlab.serve.connections import DRAIN, NEWCOMER, Connection, Server
from seqlab.serve.logs import log, take_over
from seqlab.serve.models import Models
from seqlab.serve.settings import Settings

BACKLOG = 2048  # connections that the system holds until they are accepted
GARBAGE = 20_000  # new objects until the collector looks for cycles; answers have none
YOUNG = 5.0  # seconds: a process that ends before has not started well
PATIENCE = 5  # such ends, one after another, until a service without a process that lives longer gives up
PAUSE = 1.0  # seconds at most, before a process that has ended so takes its place


def run(settings: Settings, *, ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve until a signal ends it.

    settings   what is served, and how
    ready      is told the address of the page when it can be opened
    """
    folder = tempfile.mkdtemp(prefix="seqlab-serve-")
    try:
        listening = bound(settings)
        settings = replace(settings, port=listening.getsockname()[1])
        link = None if settings.token is None else secrets.token_urlsafe(24)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        address = f"http://{host}:{settings.port}/" + ("" if link is None else f"?key={link}")
        if settings.workers == 1:
            _serve(settings, folder, link, listening, ready=lambda: ready(address))
            return
        Models(settings.models)  # a bad file ends it here, with its message
        listening.listen(BACKLOG)
        Workers((settings, folder, link, listening), settings).run(lambda: ready(address))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(
    settings: Settings,
    folder: str,
    link: str | None,
    listening: socket.socket,
    parent: int | None = None,
    ending: Any = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve in this process."""
    ended = _prepare_signals()
    take_over()
    guard = application(settings, folder=folder, link=link)
    config = uvicorn.Config(
        guard,
        http=type("Connection", (Connection,), {"limits": settings.limits}),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        backlog=BACKLOG,
        timeout_keep_alive=int(settings.limits.idle) or 1,
        timeout_graceful_shutdown=int(settings.limits.seconds) + 1,
        ws="none",
    )
    gc.collect()
    gc.freeze()  # what is there now stays: the collector need not look at it again and again
    gc.set_threshold(GARBAGE)
    listening.listen(BACKLOG)
    ready()

    def orphan() -> bool:
        return parent is not None and os.getppid() != parent  # nobody is left who would end this process

    def last() -> bool:
        return ending is None or bool(ending.is_set()) or orphan()

    Server(config, guard, ended=lambda: bool(ended) or orphan(), last=last).run(sockets=[listening])


def _prepare_signals() -> list[int]:
    """Survive SIGHUP until the service listens to it, and note signals that come while uvicorn does not listen."""
    came: list[int] = []
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, _: came.append(number))
    return came


@dataclass
class Workers:
    """Processes that serve on one socket. One that ends is replaced; SIGHUP is passed on to all.

    given      arguments of each process; the last one is the socket
    settings   of the service
    """

    given: tuple[Settings, str, str | None, socket.socket]
    settings: Settings
    running: list[Any] = field(default_factory=list)
    ending: bool = False
    told: Any = field(default_factory=lambda: multiprocessing.get_context("spawn").Event())

    def run(self, ready: Callable[[], None]) -> None:
        """Run until a signal ends it.

        ready   is called when clients can connect
        """
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, self._end)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, self._pass_on)
        self.running = [self._started() for _ in range(self.settings.workers)]
        ready()
        young = 0
        while not self.ending and not self._hopeless(young):
            wait([one.sentinel for one, _ in self.running], timeout=0.2)
            for i, (one, since) in enumerate(self.running):
                if one.exitcode is not None and not self.ending:
                    young = young + 1 if time.monotonic() - since < YOUNG else 0
                    log("a process ended; another one takes its place", ended=one.pid, code=one.exitcode)
                    time.sleep(min(PAUSE, 0.2 * young))
                    self.running[i] = self._started()
        hopeless = not self.ending
        self._stop()
        if hopeless:
            raise OptionError("the processes of the service end as soon as they start; the log says why")

    def _hopeless(self, young: int) -> bool:
        """True if processes end as soon as they start, and none is there that answers."""
        now = time.monotonic()
        return young >= PATIENCE and not any(
            one.exitcode is None and now - since >= YOUNG for one, since in self.running
        )

    def _started(self) -> tuple[Any, float]:
        context = multiprocessing.get_context("spawn")
        made = context.Process(target=_serve, args=(*self.given, os.getpid(), self.told))
        made.start()
        return made, time.monotonic()

    def _stop(self) -> None:
        """End all processes; the last one that leaves closes the door."""
        self.given[-1].close()
        self.told.set()
        self._signal(signal.SIGTERM)
        end = time.monotonic() + self.settings.limits.seconds + DRAIN + NEWCOMER + 5
        for one, _ in self.running:
            one.join(max(0.0, end - time.monotonic()))
            if one.exitcode is None:
                one.kill()
                one.join()

    def _end(self, *_: Any) -> None:
        self.ending = True

    def _pass_on(self, number: int, _: Any) -> None:
        self._signal(number)

    def _signal(self, number: int) -> None:
        for one, _ in self.running:
            if one.pid is not None and one.exitcode is None:
                os.kill(one.pid, number)


def bound(settings: Settings) -> socket.socket:
    """Bind the socket; the error says what to do about a port in use, or an address that is not ours.

    settings   with host and port
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only if the socket says that it is one of TCP.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
    except OSError as error:
        made.close()
        where, why = f"{settings.host}:{settings.port}", error.strerror or error
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise OptionError(
                f"cannot listen on {where}: {why}; pass an address of this machine, or 0.0.0.0 for all of them",
                option="host",
            ) from None
        raise OptionError(
            f"cannot listen on {where}: {why}; pass another port, or 0 for any free one", option="port"
        ) from None
    return made
