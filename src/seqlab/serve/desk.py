"""Read bodies within their limits and compute answers in threads: all that routes need of the service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.requests import Request

from seqlab import _core
from seqlab.errors import SeqlabError
from seqlab.serve.metrics import Metrics
from seqlab.serve.models import Models
from seqlab.serve.problems import LARGER, Problem, busy, from_error
from seqlab.serve.settings import Settings

CLOSE = {"connection": "close"}  # the rest of a body is not read
T = TypeVar("T")


class Desk:
    """Models, limits and threads of one process.

    settings   of the service
    folder     private to the processes of this service
    """

    def __init__(self, settings: Settings, folder: str) -> None:
        self.settings, self.limits = settings, settings.limits
        self.models = Models(settings.models)
        self.metrics = Metrics(folder)
        self.closing = False  # answers then ask the client to connect anew
        self._threads = ThreadPoolExecutor(self.limits.threads, thread_name_prefix="answer")

    def check_ready(self) -> None:
        """Raise a problem once the service is ending."""
        if self.closing:
            raise busy("the service is ending")

    async def body(self, request: Request) -> bytes:
        """Read the body, no longer and no slower than allowed.

        request   whose body it is
        """
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.limits.seconds):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > self.limits.body:
                        told = f"the body has more than {self.limits.body} bytes; {LARGER}"
                        raise Problem(413, told, headers=CLOSE)
                    if chunk:
                        parts.append(chunk)
        except TimeoutError:
            raise self._late("the body") from None
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _late(self, what: str) -> Problem:
        return Problem(408, f"{what} did not come within {self.limits.seconds:g} s", headers=CLOSE)

    async def chunks(self, request: Request) -> AsyncIterator[bytes]:
        """Yield the parts of a stream of lines as they come; each line has as much time as another body has in all.

        request   whose body it is
        """
        loop, stream = asyncio.get_running_loop(), request.stream()
        end = loop.time() + self.limits.seconds
        while True:
            try:
                async with asyncio.timeout_at(end):
                    chunk = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise self._late("a line") from None
            if chunk:
                yield chunk
            if b"\n" in chunk:
                end = loop.time() + self.limits.seconds

    async def computed(self, work: Callable[[], T]) -> T:
        """Compute in a thread; one that takes too long is no longer waited for, and ends when the core next looks up.

        work   returns the answer; errors of the library become problems
        """
        flag = _core.Flag()

        def heeding() -> T:
            with flag:
                return work()

        try:
            async with asyncio.timeout(self.limits.seconds):
                return await asyncio.get_running_loop().run_in_executor(self._threads, heeding)
        except TimeoutError:
            flag.set()
            raise busy(
                f"there was no answer within {self.limits.seconds:g} s; send fewer sentences"
            ) from None
        except SeqlabError as error:
            raise from_error(error) from None

    async def computed_here(self, work: Callable[[], T]) -> T:
        """Compute at once, which is for what takes less time than waking up a thread.

        work   as above
        """
        try:
            return work()
        except SeqlabError as error:
            raise from_error(error) from None

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)
