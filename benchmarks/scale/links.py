"""Time of transfers over links that are shared: a fluid simulation of what is sent when."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

Then = Callable[[], None]


@dataclass(eq=False)
class _Sending:
    source: str
    left: float
    then: Then


class Links:
    """Senders with a link each, whose bandwidth is shared by all that it sends at a time."""

    def __init__(self, bandwidth: float, delay: float) -> None:
        self._bandwidth, self._delay = bandwidth, delay
        self.now = 0.0
        self._later: list[tuple[float, int, Then]] = []
        self._number = itertools.count()
        self._sending: list[_Sending] = []

    def after(self, seconds: float, then: Then) -> None:
        """Call then() when so many seconds have passed."""
        heapq.heappush(self._later, (self.now + seconds, next(self._number), then))

    def send(self, source: str, size: float, then: Then) -> None:
        """Send bytes; then() is called when the last one has arrived."""
        if math.isinf(self._bandwidth):
            self.after(self._delay, then)
        else:
            self._sending.append(_Sending(source, size, lambda: self.after(self._delay, then)))

    def run(self) -> float:
        """Go on until nothing is left to happen; return the time."""
        while self._later or self._sending:
            shared = Counter(one.source for one in self._sending)
            first = min(self._sending, key=lambda one: one.left * shared[one.source], default=None)
            sent = math.inf if first is None else first.left * shared[first.source] / self._bandwidth
            due = self._later[0][0] - self.now if self._later else math.inf
            step = max(min(sent, due), 0.0)
            self.now += step
            for one in self._sending:
                one.left -= step * self._bandwidth / shared[one.source]
            if first is not None and sent <= due:
                self._sending.remove(first)
                first.then()
            else:
                heapq.heappop(self._later)[2]()
        return self.now
