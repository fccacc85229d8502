"""Refuse requests before they reach a route: foreign hosts, other sites' pages, missing tokens, too much at a time."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seqlab.serve.desk import Desk
from seqlab.serve.logs import log
from seqlab.serve.metrics import route_of
from seqlab.serve.problems import LARGER, Problem, busy

LINGER = 3.0  # seconds in which the rest of a refused body is read
REST = 4  # times as much as a body may have
LOGGED = 10_000  # bytes of a request that are logged, if any
OPEN = frozenset({"/healthz", "/readyz"})  # asked by programs that have no token
BODIES = ("application/json", "application/x-ndjson")
CHARSET = re.compile(r';\s*charset\s*=\s*"?([^\s";]*)', re.IGNORECASE)
# No redirect: one that begins on another site's page counts as of that site, and SameSite=Strict holds the cookie back.
ENTER = (
    '<!doctype html><html lang="en"><title>seqlab</title><meta http-equiv="refresh" content="0; url=/">'
    '<a href="/">Open the page</a></html>'
)
SINGLE = frozenset(  # headers that decide what is let in
    {b"host", b"origin", b"authorization", b"content-type", b"content-encoding", b"sec-fetch-site", b"cookie"}
)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE_HEADERS = (
    ("content-security-policy", CSP),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
)


class Guard:
    """An ASGI application around another one.

    app        the application
    desk       settings and metrics of the service
    folder     private to the processes of this service; holds the mark that the one-time link was used
    link       the key of the one-time link, or None
    """

    def __init__(self, app: ASGIApp, desk: Desk, *, folder: str, link: str | None = None) -> None:
        self.app, self.desk, self.settings, self.metrics = app, desk, desk.settings, desk.metrics
        self._folder, self._link = folder, link
        self._running: Counter[str] = Counter()
        self._buffered = 0
        self._hosts: dict[tuple[int, str | None], frozenset[str]] = {}  # by the address of this side
        secret = self.settings.token or ""
        told = f"seqlab page {link}"  # of this run: a cookie ends with it
        self._session = hmac.new(secret.encode(), told.encode(), hashlib.sha256).hexdigest()
        self._cookie = f"seqlab-{self.settings.port}"  # browsers share cookies between ports
        self._headers = [(name.encode(), value.encode()) for name, value in SAFE_HEADERS]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began = time.perf_counter()
        client = (scope.get("client") or ("", 0))[0]
        status = 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *self._added(scope)]}
            elif status >= 400 and not message.get("more_body") and not scope.get("seqlab.read"):
                await send({**message, "more_body": True})
                self._leave(scope, client)  # what is read now takes no room from others
                await _read_rest(receive, REST * self.settings.limits.body)
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        self._running[client] += 1
        scope["seqlab.inside"] = True
        try:
            early = self._answer(scope)
            if early is None:
                await self.app(scope, self._counted(scope, receive), sending)
            else:
                await early(scope, receive, sending)
        except Problem as problem:
            await problem.response(scope["path"])(scope, receive, sending)
        finally:
            self._leave(scope, client)
            self._buffered -= scope.pop("seqlab.buffered", 0)
            seconds = time.perf_counter() - began
            self.metrics.request(scope, status, seconds)
            self._log(scope, status, seconds)

    def _leave(self, scope: Scope, client: str) -> None:
        """Count a request as answered, once."""
        if scope.pop("seqlab.inside", False):
            self._running[client] -= 1
            if not self._running[client]:
                del self._running[client]

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        """Log a request: never its address or its text, unless that was asked for."""
        if self.settings.log == "errors" and status < 400:
            return
        facts = {"method": scope["method"], "route": route_of(scope), "status": status}
        if self.settings.log == "text":
            text = bytes(scope.pop("seqlab.text", b"")).decode("utf-8", "backslashreplace")
            facts |= {"path": scope["path"], "text": text}
        log(
            "request",
            **facts,
            milliseconds=round(seconds * 1000, 3),
            client=(scope.get("client") or ("",))[0],
        )

    # ------------------------------------------------------------------------------------------ what is refused

    def _answer(self, scope: Scope) -> Response | None:
        """Refuse the request (raise Problem), answer it here, or return None to let it pass."""
        headers, method = _headers(scope), scope["method"]
        _check_single(scope)
        self._check_host(scope, headers)
        origin = headers.get("origin")
        foreign = origin is not None and not self._is_own(origin, headers)
        allowed = foreign and origin in self.settings.origins
        if method == "OPTIONS" and allowed:
            return Response(status_code=204)  # what a page may do is in the headers that every answer gets
        if foreign and not allowed:
            raise Problem(403, f"requests from pages of {origin} are not allowed")
        if (
            method not in SAFE
            and headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
            and not allowed
        ):
            raise Problem(403, "requests from pages of other sites are not allowed")
        entry = self._authorised(scope, headers)
        if entry is not None:
            return entry
        self._check_load(scope)
        if method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind not in BODIES and self._reads_bodies(scope):
                raise Problem(415, f"the content type is to be {' or '.join(BODIES)}, got {kind!r}")
            self._check_bytes(headers)
            self._check_length(headers, kind)
        return None

    def _reads_bodies(self, scope: Scope) -> bool:
        """True unless the address takes no POST, which is then said first."""
        routes = getattr(self.app, "routes", ())
        return not routes or any(route.matches(scope)[0] == Match.FULL for route in routes)

    def _check_host(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Accept exact hosts only, so that a foreign name that points here (DNS rebinding) is of no use."""
        address, port = scope.get("server") or (None, 0)
        host = headers.get("host", "").lower()
        place = (port or 0, address)
        if place not in self._hosts:
            self._hosts[place] = self.settings.accepted_hosts(*place)
        if host not in self._hosts[place]:
            raise Problem(421, f"this service does not answer for the host {host!r}")

    def _is_own(self, origin: str, headers: Mapping[str, str]) -> bool:
        return origin.partition("://")[2].lower() == headers.get("host", "").lower()

    def _authorised(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Check the bearer token or the page's cookie; the one-time link is exchanged for the cookie."""
        token = self.settings.token
        if token is None or scope["path"] in OPEN:
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(given.strip(), token):
            return None
        if _same(cookie_parser(headers.get("cookie", "")).get(self._cookie, ""), self._session):
            return None
        if scope["path"] == "/" and scope["method"] == "GET":
            key = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
            if self._link is not None and _same(key, self._link) and self._first_use():
                cookie = f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"
                return HTMLResponse(ENTER, headers={"set-cookie": cookie})
        raise Problem(
            401,
            "a token is needed: send 'Authorization: Bearer TOKEN', or open the link that `seqlab serve` printed "
            "(it works once)",
            headers={"www-authenticate": "Bearer"},
        )

    def _first_use(self) -> bool:
        """Mark the one-time link as used; only one process can."""
        try:
            os.close(os.open(Path(self._folder, "link-used"), os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return False
        return True

    def _check_load(self, scope: Scope) -> None:
        limits = self.settings.limits
        if scope["path"] in OPEN:
            return
        if sum(self._running.values()) > limits.waiting:
            raise busy(f"{limits.waiting} requests are in progress; try again soon")
        client = (scope.get("client") or ("", 0))[0]
        if self._running[client] > limits.per_client:
            raise busy(f"{limits.per_client} of your requests are in progress; wait for them", 429)

    def _check_bytes(self, headers: Mapping[str, str]) -> None:
        """Refuse bodies that are compressed, or no UTF-8: JSON is nothing else."""
        coding = headers.get("content-encoding", "identity").strip().lower()
        if coding != "identity":
            raise Problem(415, f"a body is to be sent as it is, not as {coding!r}")
        charset = CHARSET.search(headers.get("content-type", ""))
        if charset is not None and charset[1].lower() not in {"utf-8", "utf8", "us-ascii"}:
            raise Problem(415, f"the character set of JSON is UTF-8, got {charset[1]!r}")

    def _check_length(self, headers: Mapping[str, str], kind: str) -> None:
        length, most = headers.get("content-length"), self.settings.limits.body
        if length is not None and kind == BODIES[0] and length.isdecimal() and int(length) > most:
            raise Problem(
                413,
                f"the body has {length} bytes; at most {most} are allowed; {LARGER}",
                headers={"connection": "close"},
            )

    def _counted(self, scope: Scope, receive: Receive) -> Receive:
        """Count the bytes that are held for all requests."""

        async def counting() -> Message:
            message = await receive()
            scope["seqlab.read"] = not message.get("more_body", False)
            size = len(message.get("body", b""))
            scope["seqlab.buffered"] = scope.get("seqlab.buffered", 0) + size
            self._buffered += size
            if self.settings.log == "text":
                scope["seqlab.text"] = (scope.get("seqlab.text", b"") + message.get("body", b""))[:LOGGED]
            if self._buffered > self.settings.limits.buffered:
                raise busy("too many bytes of requests are held at the moment; try again soon")
            return message

        return counting

    # ------------------------------------------------------------------------------------------ what is added

    def _added(self, scope: Scope) -> Iterable[tuple[bytes, bytes]]:
        found = list(self._headers)
        origin = _headers(scope).get("origin") if self.settings.origins else None
        if origin is not None and origin in self.settings.origins:
            found += [
                (b"access-control-allow-origin", origin.encode("latin-1")),
                (b"access-control-allow-methods", b"GET, POST"),
                (b"access-control-allow-headers", b"authorization, content-type"),
                (b"vary", b"origin"),
            ]
        if self.desk.closing:
            found.append((b"connection", b"close"))
        return found


def released(scope: MutableMapping[str, Any], guard: Guard, size: int) -> None:
    """Say that bytes of a body are no longer held, as lines of a stream when they are answered."""
    held = min(size, scope.get("seqlab.buffered", 0))
    scope["seqlab.buffered"] = scope.get("seqlab.buffered", 0) - held
    guard._buffered -= held


async def _read_rest(receive: Receive, most: int) -> None:
    """Read what is left of a refused body, for a while: clients that send all of it first would else see no answer."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while most > 0 and (message := await receive()).get("more_body"):
                most -= len(message["body"])


def _check_single(scope: Scope) -> None:
    """Refuse headers that come twice: programs on the way may go by the other one."""
    met = [name for name, _ in scope["headers"] if name in SINGLE]
    if len(met) > len(set(met)):
        raise Problem(400, f"the header {Counter(met).most_common(1)[0][0].decode()} came twice")


def _same(given: str, wanted: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _headers(scope: Scope) -> Mapping[str, str]:
    """Return the first value of each header."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}
