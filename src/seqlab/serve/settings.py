"""Settings of the service, checked before it starts."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from seqlab.arrays import whole_number
from seqlab.errors import OptionError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
DAY = 86_400  # seconds
SHORTEST_TOKEN = 16  # characters
MOST_LABELS = 100  # of tables that come with a request
MOST_WEIGHTS = 1_000  # of features, and of moves, that are listed
LOGS = ("errors", "all", "text")
HTTP, HTTPS = 80, 443  # ports that browsers leave out of Host


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one request, and all requests together, may cost.

    body        bytes of a request; of a line, for NDJSON
    tokens      of one sentence
    batch       sentences of one request
    n           labellings of nbest and sample
    values      numbers and labels of one answer
    seconds     for the body to arrive, and for an answer
    idle        seconds that a connection may wait without a request
    waiting     requests in progress, of all clients
    per_client  requests in progress, of one address
    buffered    bytes of all bodies that are held at one time
    connections open at one time; the one that has waited longest makes room for a new one
    running     requests computed at one time; None for the number of cores
    """

    body: int = 10_000_000
    tokens: int = 10_000
    batch: int = 10_000
    n: int = 100
    values: int = 4_000_000
    seconds: float = 30.0
    idle: float = 20.0
    waiting: int = 256
    per_client: int = 128
    buffered: int = 200_000_000
    connections: int = 512
    running: int | None = None

    def __post_init__(self) -> None:
        for name in (
            "body",
            "tokens",
            "batch",
            "n",
            "values",
            "waiting",
            "per_client",
            "buffered",
            "connections",
        ):
            whole_number(getattr(self, name), name, 1)
        for name in ("seconds", "idle"):
            if not 0 < getattr(self, name) <= DAY:
                raise OptionError(
                    f"{'timeout' if name == 'seconds' else name} must be above 0, and at most {DAY} (a day), got "
                    f"{getattr(self, name)!r}",
                    option=name,
                )
        if self.running is not None:
            whole_number(self.running, "running", 1)

    @property
    def threads(self) -> int:
        """Number of requests computed at one time."""
        return self.running or os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `seqlab serve` was told.

    models    pairs (name, path); the first one answers when a request names none
    host      address to listen on; any but a loopback address demands a token
    port      0 for any free one
    token     the secret of clients: a bearer token
    hosts     further values of the Host header that are accepted, "example.org" or "example.org:8000"
    origins   origins of other pages that may call the API, "https://example.org"
    learn     True to let the page correct labels and train on them
    log       requests that are logged: "errors", "all", or "text" for all with their text
    workers   processes
    limits    bounds of requests
    """

    models: tuple[tuple[str, str], ...]
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    learn: bool = False
    log: str = "errors"
    workers: int = 1
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        whole_number(self.port, "port", 0)
        if self.port > 65535:
            raise OptionError(f"port must be at most 65535, got {self.port}", option="port")
        whole_number(self.workers, "workers", 1)
        if not self.models:
            raise OptionError("pass at least one model file", option="models")
        self._check_address()
        if self.log not in LOGS:
            raise OptionError(f"log must be {', '.join(LOGS)}, got {self.log!r}", option="log")
        for origin in self.origins:
            if not re.fullmatch(r"https?://[^/\s*]+", origin):
                raise OptionError(
                    f"an origin is scheme and host, such as 'https://example.org', got {origin!r}",
                    option="origins",
                )
        for host in self.hosts:
            if not re.fullmatch(r"[^/\s*@]+", host):
                raise OptionError(
                    f"a host is a name, or name:port, such as 'example.org', got {host!r}", option="hosts"
                )
        if self.learn and self.workers > 1:
            raise OptionError(
                "learning changes the model of one process, so it needs workers=1", option="workers"
            )

    def _check_address(self) -> None:
        if self.token is None:
            if not self.loopback:
                raise OptionError(
                    f"host {self.host!r} can be reached from other machines, so a token is needed; pass one "
                    f"(--token-file), or listen on 127.0.0.1",
                    option="token",
                )
        elif len(self.token) < SHORTEST_TOKEN or not self.token.isascii() or not self.token.isprintable():
            raise OptionError(
                f"a token is one line of at least {SHORTEST_TOKEN} printable ASCII characters, got "
                f"{_described(self.token)}; make one with: "
                f"python -c 'import secrets; print(secrets.token_urlsafe())'",
                option="token",
            )

    @property
    def loopback(self) -> bool:
        """True if only programs of this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def accepted_hosts(self, port: int, server: str | None) -> frozenset[str]:
        """List the values of the Host header that are accepted.

        port     the port in use
        server   the address at which the connection arrived, which no foreign name can stand for
        """
        names = {"127.0.0.1", "localhost", "[::1]"} if self.loopback else set()
        names.add(f"[{self.host}]" if ":" in self.host else self.host)
        if server:
            mapped = server.rpartition("::ffff:")[2]  # IPv4 on a socket of IPv6
            server = mapped if "." in mapped else server
            names.add(f"[{server}]" if ":" in server else server)
        found = {f"{name}:{port}" for name in names} | {host.lower() for host in self.hosts}
        return frozenset(found | names if port in {HTTP, HTTPS} else found)


def _described(token: str) -> str:
    """Say what is wrong with a token without telling it."""
    lines = len(token.splitlines())
    many = f"{lines} lines" if lines > 1 else f"{len(token)} characters"
    if lines > 1 or (token.isascii() and token.isprintable()):
        return many
    return f"{many}, some of them no printable ASCII"


def named_models(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Read NAME=PATH or PATH, whose name is then that of the file without its ending."""
    found: dict[str, str] = {}
    for one in given:
        name, equals, path = one.partition("=")
        if not equals or os.sep in name:
            name, path = PurePath(one).name.partition(".")[0] or PurePath(one).name, one
        if not NAME.fullmatch(name):
            raise OptionError(
                f"{name!r} cannot be the name of a model in an address: letters, digits, '.', '_' and '-'; pass "
                f"NAME={path}",
                option="models",
            )
        if name in found:
            raise OptionError(f"two models are called {name!r}; pass NAME={path}", option="models")
        found[name] = path
    return tuple(found.items())
