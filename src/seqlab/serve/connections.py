"""Connections that cannot hold the service up: slow ones, endless ones and idle ones are closed."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import select
import socket
import struct
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import uvicorn
from httptools import HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seqlab.serve.guard import SAFE_HEADERS, Guard
from seqlab.serve.problems import Problem
from seqlab.serve.settings import Limits

LONGEST_HEAD = 65_536  # bytes of the request line and the headers
ATTACH_FILTER = 26  # SO_ATTACH_FILTER of Linux: a program that looks at each packet of a socket
LOOK = 10  # ticks of a tenth of a second between two looks at all connections
DRAIN = 0.5  # seconds in which answers ask clients to connect anew, before the door is closed
HANDSHAKE = 0.05  # seconds until connections that are being made are made
QUIET, NEWCOMER = (
    1.0,
    3.0,
)  # seconds for the next request and for the first one, before a connection is closed


class Connection(HttpToolsProtocol):
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
            others: set[Any] = self.connections
            waiting = [one for one in others if one.awaited and not one.transport.is_closing()]
            if waiting:
                min(waiting, key=lambda one: one.since).transport.abort()
            else:
                transport.abort()
        super().connection_made(transport)
        self.parser: Any = Parser(self)

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
                self._refuse(431, f"the request line and the headers have more than {LONGEST_HEAD} bytes")

    def on_headers_complete(self) -> None:
        """Pass a request on, unless it is read again."""
        if not self._offers():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """End a request, unless it is read again."""
        if not self._offers():
            super().on_message_complete()

    def _offers(self) -> bool:
        """True if the client offers another protocol, which httptools would take the body for."""
        return bool(self.parser.should_upgrade()) and self.parser.get_method() != b"CONNECT"

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP.

        msg   uvicorn's words for it
        """
        del msg
        self._refuse(400, "this is no HTTP/1.1 request, or one that can be read in two ways")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer without the application, and close the connection."""
        answer = Problem(status, detail, headers={"connection": "close"}).response()
        head = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        added = ((name.encode(), value.encode()) for name, value in SAFE_HEADERS)
        head += [b"%b: %b" % one for one in (*answer.raw_headers, *added)]
        self.transport.write(b"\r\n".join((*head, b"", bytes(answer.body))))
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

    @property
    def unread(self) -> int:
        """Return the bytes of answers that wait for their reader."""
        return int(self.transport.get_write_buffer_size())

    def expected(self, now: float) -> bool:
        """True if a request may be on its way: the connection is new, or its last answer has just been read.

        now   the time of the event loop
        """
        return self.awaited and now - self.since < (NEWCOMER if self.cycle is None else QUIET)

    def sweep(self, now: float) -> None:
        """Close the connection if it has had its time.

        now   the time of the event loop
        """
        if self.awaited and now - self.since > self.limits.idle:
            self.transport.abort() if self.transport.get_write_buffer_size() else self.transport.close()
        elif self.blocked is not None and now - self.blocked > self.limits.seconds:
            self.transport.abort()


class Parser:
    """httptools's parser, which leaves offers of other protocols (Upgrade) unheeded, as RFC 9110 lets a server do.

    It would itself skip the body of such a request, and take the next packet for another one. Java's client offers
    HTTP/2 with its first request.

    protocol   that is told what is read
    """

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._renew()

    def _renew(self) -> None:
        self._parser = HttpRequestParser(self._protocol)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does

    def feed_data(self, data: bytes) -> None:
        """Read; a request with an offer is read again without it.

        data   as it came
        """
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as offer:
            told = self._protocol
            head = [b"%b %b HTTP/%b" % (self.get_method(), told.url, self.get_http_version().encode())]
            head += [b"%b: %b" % one for one in told.headers if one[0] != b"upgrade"]
            self._renew()
            self.feed_data(b"\r\n".join((*head, b"", data[offer.args[0] :])))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)


class Server(uvicorn.Server):
    """uvicorn's server, which watches its connections, and ends so that no request is lost.

    config   of uvicorn
    guard    the application
    ended    True if the service is to end, whatever uvicorn was told
    last     True if nobody else will answer on the same socket
    """

    def __init__(
        self,
        config: uvicorn.Config,
        guard: Guard,
        ended: Callable[[], bool],
        last: Callable[[], bool],
    ) -> None:
        super().__init__(config)
        self._guard, self._ended, self._last = guard, ended, last

    async def on_tick(self, counter: int) -> bool:
        """Look at all connections once a second.

        counter   number of the tick
        """
        if counter % LOOK == 0:
            now, held = asyncio.get_running_loop().time(), 0
            open_now: list[Any] = list(self.server_state.connections)
            for one in sorted(open_now, key=lambda one: int(one.unread)):
                one.sweep(now)
                held += one.unread
                if held > self._guard.settings.limits.buffered:  # those with the largest answers go
                    one.transport.abort()
        self.should_exit = self.should_exit or self._ended()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ask clients to connect elsewhere, close the door, take in who is inside, answer everything, then end.

        sockets   on which the server listens
        """
        self._guard.desk.closing = True
        await asyncio.sleep(DRAIN)
        if self._last():
            for one in sockets or []:
                await _take_in(one)
        for server in self.servers:
            server.close()
        for one in sockets or []:
            one.close()
        now = asyncio.get_running_loop().time
        while any(one.expected(now()) for one in self.server_state.connections):  # type: ignore[union-attr]
            await asyncio.sleep(0.02)
        await super().shutdown()


async def _take_in(door: socket.socket) -> None:
    """Refuse new connections, and accept those that the system has already made.

    Without the filter, a connection made between the last look at the door and its closing would be reset, and its
    request with it.
    """
    refuse_connections(door)
    await asyncio.sleep(HANDSHAKE)
    while select.select([door], [], [], 0)[0]:
        await asyncio.sleep(0.01)


def refuse_connections(door: socket.socket) -> None:
    """Let the system drop the first packet (SYN) of each new connection, where it can (Linux).

    The client tries once more a second later, and is then refused by a closed door: it knows that nothing was asked.

    door   socket that listens
    """
    if not sys.platform.startswith("linux"):
        return
    program = [
        (0x30, 0, 0, 13),  # load the flags of the TCP header,
        (0x45, 0, 1, 2),  # if SYN is one of them
        (0x06, 0, 0, 0),  # drop the packet,
        (0x06, 0, 0, 0xFFFF),  # else take it
    ]
    code = b"".join(struct.pack("HBBI", *one) for one in program)
    held = ctypes.create_string_buffer(code, len(code))
    with contextlib.suppress(OSError):  # a sandbox may forbid it
        door.setsockopt(
            socket.SOL_SOCKET, ATTACH_FILTER, struct.pack("HP", len(program), ctypes.addressof(held))
        )
