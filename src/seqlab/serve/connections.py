"""Connections that cannot hold the service up: slow ones, endless ones and idle ones are closed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from seqlab.serve.guard import Guard
from seqlab.serve.settings import Limits

LONGEST_HEAD = 65_536  # bytes of the request line and the headers
LOOK = 10  # ticks of a tenth of a second between two looks at all connections
DRAIN = 0.5  # seconds in which answers ask clients to connect anew, before connections are closed


class Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # httptools or h11, as installed
    """uvicorn's protocol, which also knows since when a request is awaited and since when nobody reads the answer.

    uvicorn itself waits for the headers of a request, and for a client that does not read, as long as they like.
    """

    limits = Limits()

    def connection_made(self, transport: Any) -> None:
        """Make room by closing the connection that has been waiting longest, if there are too many."""
        self.since = asyncio.get_running_loop().time()
        self.quiet, self.head = False, 0
        self.blocked: float | None = None
        if len(self.connections) >= self.limits.connections:
            waiting = [one for one in self.connections if one.awaited and not one.transport.is_closing()]
            if waiting:
                min(waiting, key=lambda one: one.since).transport.abort()
            else:
                transport.abort()
        super().connection_made(transport)

    @property
    def awaited(self) -> bool:
        """True while no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def data_received(self, data: bytes) -> None:
        """Note when a request begins, and refuse headers without end."""
        waited = self.awaited
        if waited and self.quiet:
            self.quiet, self.since, self.head = False, asyncio.get_running_loop().time(), 0
        super().data_received(data)
        if waited and self.awaited and not self.transport.is_closing():
            self.head += len(data)
            if self.head > LONGEST_HEAD:
                self.transport.write(
                    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                )
                self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next request; there is none if the body of this one was not read to its end."""
        self.since, self.quiet = asyncio.get_running_loop().time(), True
        if self.cycle is not None and self.cycle.more_body and not self.pipeline_waits:
            self.transport.close()
        super().on_response_complete()

    @property
    def pipeline_waits(self) -> bool:
        """True if the next request came before this one was answered."""
        return bool(getattr(self, "pipeline", None))

    def pause_writing(self) -> None:
        """Note since when the answer waits for its reader."""
        self.blocked = asyncio.get_running_loop().time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on."""
        self.blocked = None
        super().resume_writing()

    def sweep(self, now: float) -> None:
        """Close the connection if it has had its time.

        now   the time of the event loop
        """
        if self.awaited and now - self.since > self.limits.idle:
            self.transport.abort() if self.transport.get_write_buffer_size() else self.transport.close()
        elif self.blocked is not None and now - self.blocked > self.limits.seconds:
            self.transport.abort()


class Server(uvicorn.Server):
    """uvicorn's server, which watches its connections, and ends so that no request is lost.

    config   of uvicorn
    guard    the application
    parent   process that must be alive, or None
    """

    def __init__(self, config: uvicorn.Config, guard: Guard, parent: int | None = None) -> None:
        super().__init__(config)
        self._guard, self._parent = guard, parent

    async def on_tick(self, counter: int) -> bool:
        """Look at all connections once a second.

        counter   number of the tick
        """
        if counter % LOOK == 0:
            now = asyncio.get_running_loop().time()
            for one in list(self.server_state.connections):
                one.sweep(now)  # type: ignore[union-attr]
            if self._parent is not None and os.getppid() != self._parent:
                self.should_exit = True  # nobody is left who would end this process
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ask clients to connect elsewhere, take in what waits at the door, close it, answer everything, then end.

        sockets   on which the server listens
        """
        self._guard.desk.closing = True
        await asyncio.sleep(DRAIN)
        for one in sockets or []:
            with contextlib.suppress(OSError):
                one.listen(0)
                while select.select([one], [], [], 0)[0]:
                    await asyncio.sleep(0.01)
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        loop = asyncio.get_running_loop()
        end = loop.time() + DRAIN
        while loop.time() < end and self.server_state.connections:
            await asyncio.sleep(0.02)
        await super().shutdown()
