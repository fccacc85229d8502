"""Run the service: sockets, processes, signals."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.supervisors.multiprocess import Multiprocess

from seqlab.errors import OptionError
from seqlab.serve.application import application
from seqlab.serve.guard import Guard
from seqlab.serve.settings import Settings

DRAIN = 0.5  # seconds in which answers ask clients to connect anew, before connections are closed


@dataclass
class Lazily:
    """The application, made in the process that serves it: settings can be sent there, models cannot."""

    settings: Settings
    folder: str
    link: str | None
    made: Guard | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.made is None:
            self.made = application(self.settings, folder=self.folder, link=self.link)
        await self.made(scope, receive, send)


class Server(uvicorn.Server):
    """uvicorn's server, which ends in two steps so that no request is lost."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ask clients to connect elsewhere, answer what is on its way, then close."""
        guard = getattr(self.config.app, "made", None)
        if guard is not None:
            guard.closing = True
            await asyncio.sleep(DRAIN)
        await super().shutdown(sockets)


class Workers(Multiprocess):
    """uvicorn's supervisor of processes; SIGHUP is passed on, so that models are opened anew without a restart."""

    def handle_hup(self) -> None:
        """Pass the signal on."""
        for worker in self.processes:
            worker.process.send_signal(signal.SIGHUP) if hasattr(worker.process, "send_signal") else _hup(
                worker
            )


def _hup(worker: Any) -> None:
    import os

    if worker.process.pid is not None:
        os.kill(worker.process.pid, signal.SIGHUP)


def run(settings: Settings, *, ready: Callable[[str], None] = lambda _: None) -> None:
    """Serve until a signal ends it.

    settings   what is served, and how
    ready      is told the address of the page when it can be opened
    """
    folder = tempfile.mkdtemp(prefix="seqlab-serve-")
    try:
        _run(settings, folder, ready)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(settings: Settings, folder: str, ready: Callable[[str], None]) -> None:
    listening = bound(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    link = None if settings.token is None else secrets.token_urlsafe(24)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    app = Lazily(settings, folder, link)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.limits.waiting * 4,
        timeout_keep_alive=int(settings.limits.idle) or 1,
        timeout_graceful_shutdown=int(settings.limits.seconds) + 1,
        workers=settings.workers,
        ws="none",
    )
    address = f"http://{host}:{settings.port}/" + ("" if link is None else f"?key={link}")
    if settings.workers == 1:
        app.made = application(settings, folder=folder, link=link)
        ready(address)
        Server(config).run(sockets=[listening])
        return
    ready(address)
    Workers(config, sockets=[listening], target=Server(config).run).run()


def bound(settings: Settings) -> socket.socket:
    """Bind the socket; the error says what to do about a port in use."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only if the socket says that it is one of TCP.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
    except OSError as error:
        made.close()
        raise OptionError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}; pass another port, or 0 "
            f"for any free one",
            option="port",
        ) from None
    made.set_inheritable(True)
    return made
