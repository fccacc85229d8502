"""Sums over shards on a Dask cluster, which survive the loss of workers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from seqlab.errors import ClusterError, OptionError, SeqlabError
from seqlab.scale.cluster.sums import Answer, Open, Recipe, added, tree
from seqlab.scale.cluster.workers import Workers, assigned

RETRIES = 8  # losses of workers that one sum survives
LOOK = 0.25  # seconds between two looks at the workers while a sum is computed
PATIENCE = 60  # seconds to wait for a worker when there is none


class Lost(Exception):  # noqa: N818  (it does not leave this file)
    """Workers are gone that had a part in a sum."""


class Distributed:
    """Sums over shards on the workers of a Dask cluster.

    Each shard belongs to a worker, which opens it once (`Open`) and keeps it. For a sum, weights go to every worker
    once, and answers up the tree: a sum is computed by the worker that has its left half, so that an edge of the tree
    costs one vector if its ends are on different workers, and nothing else. When a worker is lost, its shards go to the
    others, and the sum is computed anew, with keys of its own: failures that Dask counts for a task (allowed-failures)
    are counted anew, too.
    """

    def __init__(self, client: Any, recipe: Recipe) -> None:
        self.client, self._recipe = client, recipe
        self._workers = Workers(client)
        self._run = secrets.token_hex(4)
        self._asked = 0
        self._place: list[str] = []
        self._open: list[Any] = []
        self.moved = 0  # bytes sent for sums so far
        self.lost = 0  # workers lost so far
        if not self._workers.now(strict=True):
            self._wait("none has come")
            self._workers.now(strict=True)

    def total(self, what: str, given: Any) -> Answer:
        """Add the answers of all shards, along the tree."""
        return self._insisted(lambda: self._once(what, given, self._recipe.count))

    def first(self, what: str, given: Any) -> Answer:
        """Return the answer of the first shard."""
        return self._insisted(lambda: self._once(what, given, 1))

    def close(self) -> None:
        """Let go of the shards."""
        self._open.clear()

    # ------------------------------------------------------------------------------------------ one sum

    def _once(self, what: str, given: Any, count: int) -> Answer:
        self._settle()
        self._asked += 1
        here = sorted(set(self._place[:count]))
        # To one worker, from which the others take it: broadcast=True never ends if a worker is lost meanwhile.
        sent = self.client.scatter(_Given(given), workers=here[:1], hash=False)
        shares = {
            worker: max(self._workers.threads[worker] // self._place.count(worker), 1) for worker in here
        }

        def leaf(number: int) -> tuple[Any, str]:
            worker = self._place[number]
            key = f"seqlab-answer-{self._run}-{self._asked}-{number}"
            asked = (_answered, self._open[number], what, sent, shares[worker])
            return self.client.submit(*asked, key=key, workers=[worker]), worker

        joined = crossed = 0

        def join(left: tuple[Any, str], right: tuple[Any, str]) -> tuple[Any, str]:
            nonlocal joined, crossed
            joined += 1
            crossed += left[1] != right[1]
            key = f"seqlab-sum-{self._run}-{self._asked}-{joined}"
            return self.client.submit(added, left[0], right[0], key=key, workers=[left[1]]), left[1]

        top, _ = tree(count, leaf, join)
        found = self._waited(top, set(here))
        size = sum(array.nbytes for array in found.values())
        self.moved += _bytes_of(given) * len(here) + size * (crossed + 1)
        return found

    def _settle(self) -> None:
        """Give every shard to a worker that is there; those that have one keep it, unless others have too little."""
        workers = self._workers.now()
        if not workers:
            self._wait("all of them are gone")
            workers = self._workers.now()
        place = assigned(self._recipe.count, workers, self._place)
        for number, worker in enumerate(place):
            if number < len(self._open) and self._place[number] == worker:
                continue
            key = f"seqlab-open-{self._run}-{self._asked}-{number}"
            made = self.client.submit(Open, self._recipe, number, key=key, workers=[worker])
            self._open[number : number + 1] = [made]
        self._place = place

    def _waited(self, top: Any, here: set[str]) -> Answer:
        """Wait for a sum, with an eye on the workers."""

        def look() -> None:
            gone = here - set(self.client.nthreads())
            if gone:
                top.cancel(force=True)
                raise Lost(", ".join(sorted(gone)))

        found: Answer = waited(top, look)
        return found

    # ------------------------------------------------------------------------------------------ losses

    def _insisted(self, once: Any) -> Answer:
        """Compute a sum, anew whenever workers are lost; give up when that happens too often."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        last = "unknown"
        for attempt in range(RETRIES + 1):
            try:
                found: Answer = once()
            except SeqlabError:
                raise
            except KilledWorker as error:
                last = str(getattr(error.last_worker, "address", error.last_worker))
            except (Lost, CancelledError, CommClosedError, TimeoutError, OSError) as error:
                last = str(error) if isinstance(error, Lost) else self._missing() or last
            else:
                return found
            self.lost += 1
            if attempt < RETRIES:
                self._forget()
                time.sleep(min(0.05 * 2**attempt, 2.0))
        raise ClusterError(
            f"a sum over {self._recipe.count} shards was begun {RETRIES + 1} times, and a worker was lost each time, "
            f"the last one {last}; look at its log: most often its memory did not suffice"
        )

    def _missing(self) -> str:
        """Name the workers that had shards and are gone."""
        return ", ".join(sorted(set(self._place) - set(self.client.nthreads())))

    def _forget(self) -> None:
        """Forget shards whose worker is gone, so that others open them."""
        there = set(self.client.nthreads())
        self._place = [worker if worker in there else "" for worker in self._place]
        for number, future in enumerate(self._open):
            if future.status in ("error", "cancelled", "lost"):
                self._place[number] = ""

    def _wait(self, why: str) -> None:
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ClusterError(
                f"the cluster has no worker that could compute ({why}), and none came within {PATIENCE} s; start some"
            ) from None


def waited(future: Any, look: Callable[[], None]) -> Any:
    """Wait for a future; look() is called now and then, and may raise."""
    while True:
        try:
            return future.result(timeout=LOOK)
        except TimeoutError:
            if future.status == "error" and isinstance(future.exception(), TimeoutError):
                raise  # the error of the task itself
            if not future.done():
                look()


class _Given:
    """Weights or a model on their way to the workers."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __sizeof__(self) -> int:
        return _bytes_of(self.value) + 64


def _bytes_of(given: Any) -> int:
    """Estimate the bytes of an argument when it is sent."""
    if isinstance(given, np.ndarray):
        return int(given.nbytes)
    if isinstance(given, (tuple, list)):
        return sum(map(_bytes_of, given))
    if hasattr(given, "__dataclass_fields__"):
        return sum(_bytes_of(getattr(given, name)) for name in given.__dataclass_fields__)
    return 8


def _answered(shard: Open, what: str, given: _Given, threads: int) -> Answer:
    """Ask a shard, on its worker."""
    try:
        return shard.answer(what, given.value, threads)
    except SeqlabError as error:
        from distributed import get_worker

        raise error.inside(f"worker {get_worker().address}") from error.__cause__


@contextmanager
def connected(client: Any, *, security: Any = None, timeout: float | None = None) -> Iterator[Any]:
    """Return a Client: of an address, of a cluster, or the one that was given."""
    try:
        import distributed
    except ImportError:
        raise OptionError(
            "a cluster needs Dask: pip install 'seqlab[dist]'; client='threads' computes the same here without it",
            option="client",
        ) from None
    if isinstance(client, distributed.Client):
        if client.asynchronous:
            raise OptionError(
                "client must not be asynchronous; make one with asynchronous=False", option="client"
            )
        yield client
        return
    if isinstance(client, str) or hasattr(client, "scheduler_address"):
        make: Any = distributed.Client
        try:
            made: Any = make(client, set_as_default=False, timeout=timeout or PATIENCE, security=security)
        except (OSError, ValueError, TimeoutError, TypeError) as error:
            raise ClusterError(f"there is no scheduler at {client!r:.80} ({error})") from error
        with made:
            yield made
        return
    raise OptionError(
        f"client must be a distributed.Client, a cluster, the address of a scheduler such as 'tcp://host:8786', or "
        f"'threads' for this process, got {client!r:.60}",
        option="client",
    )


@contextmanager
def sums_of(recipe: Recipe, client: Any, threads: int) -> Iterator[Any]:
    """Open the shards of a recipe: on a cluster, or with client="threads" in this process."""
    from seqlab.scale.cluster.sums import Here

    if isinstance(client, str) and client == "threads":
        here = Here(recipe, threads)
        try:
            yield here
        finally:
            here.close()
        return
    with connected(client) as made:
        far = Distributed(made, recipe)
        try:
            yield far
        finally:
            far.close()
