"""Wait for a cluster with an eye on its workers, and tell the loss of one from an error of the work."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from seqlab.errors import ClusterError

RETRIES = 8  # losses of workers that one sum, or one file, survives
LOOK = 0.25  # seconds between two looks at the workers while an answer is computed
PATIENCE = 60  # seconds to wait for a worker when there is none
CONNECT = 10  # seconds to wait for a scheduler
KEYS = "seqlab-"  # begins the keys of all our tasks


class Lost(Exception):  # noqa: N818  (it does not leave this folder)
    """Workers are gone that had a part in an answer."""

    def __init__(self, workers: Collection[str] = (), times: int = 1) -> None:
        super().__init__(", ".join(sorted(workers)) or "unknown")
        self.times = times


def answer_of(
    client: Any, begin: Callable[[], Awaitable[Any]], here: Collection[str], enough: int, future: Any = None
) -> Any:
    """Wait for an answer of a cluster; raise Lost when fewer than enough of the workers are left that may give it.

    begin    makes what is awaited, a question to the client with asynchronous=True; it is not asked twice, however long
             it takes to arrive
    here     addresses of the workers
    future   that begin() gathers, if it does: when it is given up it is cancelled, which ends the gathering. A
             gathering that is cancelled itself would leave a task of Dask, whose error would be shown to the user
    """
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    async def run() -> Any:
        return await begin()

    pending = asyncio.run_coroutine_threadsafe(run(), client.loop.asyncio_loop)
    try:
        while not concurrent.futures.wait([pending], timeout=LOOK).done:
            _look(client, here, enough)
        return pending.result()
    except KilledWorker as error:
        gone = str(getattr(error.last_worker, "address", error.last_worker))
        raise Lost([gone], int(error.allowed_failures) + 1) from error
    except (concurrent.futures.CancelledError, CommClosedError, ConnectionError) as error:
        _look(client, here, len(here))
        raise Lost from error
    finally:
        if not pending.done() and future is not None:
            with contextlib.suppress(Exception):  # the client may be closed
                client.cancel([future])
        else:
            pending.cancel()


def _look(client: Any, here: Collection[str], enough: int) -> None:
    left = workers_of(client)
    if len(left.keys() & set(here)) < enough:
        raise Lost(set(here) - set(left))


def workers_of(client: Any) -> dict[str, int]:
    """Return the addresses and threads of all workers."""
    try:
        found: dict[str, int] = dict(client.nthreads())
    except (OSError, RuntimeError) as error:
        address = getattr(client.scheduler, "address", "unknown")
        raise ClusterError(f"the scheduler {address} does not answer any more ({error})") from error
    return found


def close(client: Any) -> None:
    """Close a client; that it stops looking for a scheduler that is gone is no error to be shown."""
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        client.close()
    finally:
        log.setLevel(before)


def await_worker(client: Any, why: str) -> None:
    """Wait for a worker, if there is none."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ClusterError(
            f"the cluster has no worker that could compute ({why}), and none came within {PATIENCE} s; start some"
        ) from None


def raise_allowed_failures(client: Any) -> None:
    """Let the scheduler begin our tasks anew as often as RETRIES says, when their workers are killed; ours only.

    Dask has one setting for all tasks (allowed-failures), which others may count on. A task is given up when it was
    counted suspicious more often than that, so ours begin below zero. A scheduler that takes no plugins keeps its
    setting: then tasks that it gives up are submitted again.
    """
    with contextlib.suppress(Exception):
        client.register_plugin(_plugin(KEYS, RETRIES))


def _plugin(prefix: str, retries: int) -> Any:
    """Make a plugin of the scheduler; of a class that is sent along, since the scheduler may not have seqlab."""
    from distributed.diagnostics.plugin import SchedulerPlugin

    class AllowedFailures(SchedulerPlugin):  # type: ignore[misc]
        name = f"{prefix}allowed-failures-{retries}"
        idempotent = True

        def __init__(self) -> None:
            self.known: set[str] = set()

        async def start(self, scheduler: Any) -> None:
            self.scheduler = scheduler

        def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
            if not str(key).startswith(prefix):
                return
            if finish == "forgotten":
                self.known.discard(key)
            elif start == "released" and key not in self.known:
                self.known.add(key)
                task = self.scheduler.tasks.get(key)
                if task is not None:
                    task.suspicious -= max(retries - self.scheduler.allowed_failures, 0)

    return AllowedFailures()
