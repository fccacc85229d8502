"""Counts of requests, errors, tokens and times, in Prometheus's text format, summed over all processes."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from pathlib import Path

from starlette.types import Scope

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
BOUNDS = (*(f"{one:g}" for one in BUCKETS), "+Inf")
HELP = {
    "seqlab_requests_total": ("counter", "Requests by route and status."),
    "seqlab_errors_total": ("counter", "Requests that were answered by an error, by status."),
    "seqlab_tokens_total": ("counter", "Tokens of requests, by model."),
    "seqlab_reloads_total": ("counter", "Models opened anew, by model and result."),
    "seqlab_request_seconds": ("histogram", "Time from request to answer, by route."),
    "seqlab_step_seconds": (
        "histogram",
        "Time of each step of an answer: read the body, wait for a thread, answer, write it.",
    ),
}
Key = tuple[str, tuple[tuple[str, str], ...]]


class Metrics:
    """Counts of one process; `text` adds those of the others, which are read from the folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = Path(folder, f"metrics-{os.getpid()}-{time.time_ns()}.json")
        self._counts: defaultdict[Key, float] = defaultdict(float)
        # Of each histogram the number of times in each bucket, and their sum.
        self._times: defaultdict[Key, list[float]] = defaultdict(lambda: [0.0] * (len(BOUNDS) + 1))
        self._changing = threading.Lock()  # answers are counted in the threads that compute them

    def add(self, name: str, value: float = 1.0, **labels: str) -> None:
        """Add to a counter."""
        key = name, tuple(labels.items())  # each name has its labels in one order
        with self._changing:
            self._counts[key] += value

    def seconds(self, name: str, value: float, **labels: str) -> None:
        """Count a time in a histogram."""
        key = name, tuple(labels.items())
        with self._changing:
            times = self._times[key]
            times[bisect_left(BUCKETS, value)] += 1.0
            times[-1] += value

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request."""
        path = route_of(scope)
        self.add("seqlab_requests_total", method=_method(scope), route=path, status=str(status))
        if status >= 400:
            self.add("seqlab_errors_total", status=str(status))
        self.seconds("seqlab_request_seconds", seconds, route=path)

    def store(self) -> None:
        """Write the counts to the folder, where other processes read them; on a full disk, the next time."""
        rows = [[name, labels, value] for (name, labels), value in self._own().items()]
        made = None
        try:
            handle, made = tempfile.mkstemp(".tmp", dir=self._folder)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(rows, file)
            Path(made).replace(self._path)
        except OSError:  # a request is answered all the same
            if made is not None:
                with contextlib.suppress(OSError):
                    Path(made).unlink(missing_ok=True)

    def _own(self) -> defaultdict[Key, float]:
        """Return the counts of this process, those of histograms by bucket."""
        with self._changing:
            found = self._counts.copy()
            for (name, labels), times in self._times.items():
                for le, many in zip(BOUNDS, times[:-1], strict=True):
                    if many:
                        found[f"{name}_bucket", (*labels, ("le", le))] = many
                found[f"{name}_sum", labels] = times[-1]
        return found

    def _summed(self) -> defaultdict[Key, float]:
        self.store()
        found = self._own()  # its file may be older
        for path in sorted(Path(self._folder).glob("metrics-*.json")):
            for name, labels, value in [] if path == self._path else json.loads(path.read_text("utf-8")):
                found[name, tuple((key, one) for key, one in labels)] += value
        return found

    def text(self) -> str:
        """Write all counts."""
        found, lines = self._summed(), []
        for name, (kind, about) in HELP.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            if kind == "counter":
                lines += [
                    f"{name}{_braces(labels)} {value:.0f}"
                    for (one, labels), value in sorted(found.items())
                    if one == name
                ]
            else:
                lines += _histogram(name, found)
        return "\n".join(lines) + "\n"


class Steps:
    """A clock that counts each step of an answer in its histogram.

    metrics   where they are counted
    """

    def __init__(self, metrics: Metrics) -> None:
        self._metrics, self._since = metrics, time.perf_counter()

    def ended(self, step: str) -> None:
        """Count the time since the step before.

        step   its name
        """
        now = time.perf_counter()
        self._metrics.seconds("seqlab_step_seconds", now - self._since, step=step)
        self._since = now


def _histogram(name: str, found: defaultdict[Key, float]) -> list[str]:
    series = sorted({labels for one, labels in found if one == f"{name}_sum"})
    lines = []
    for labels in series:
        running = 0.0
        for bound in BOUNDS:
            running += found[f"{name}_bucket", (*labels, ("le", bound))]
            lines.append(f"{name}_bucket{_braces((*labels, ('le', bound)))} {running:.0f}")
        lines.append(f"{name}_sum{_braces(labels)} {found[f'{name}_sum', labels]:.6f}")
        lines.append(f"{name}_count{_braces(labels)} {running:.0f}")
    return lines


def _braces(labels: tuple[tuple[str, str], ...]) -> str:
    told = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{told}}}" if told else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def route_of(scope: Scope) -> str:
    """Return the pattern of the address, which holds nothing that a client has made up.

    scope   of the request
    """
    return str(getattr(scope.get("route"), "path", None) or "other")


def _method(scope: Scope) -> str:
    method = str(scope.get("method"))
    return method if method in {"GET", "HEAD", "POST", "OPTIONS"} else "other"
