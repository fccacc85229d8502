"""Sums over shards on a Dask cluster, which survive the loss of workers."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from seqlab.errors import ClusterError, OptionError, SeqlabError
from seqlab.scale.cluster import losses
from seqlab.scale.cluster.losses import Lost, answer_of, await_worker, workers_of
from seqlab.scale.cluster.sums import Answer, Open, Recipe, added, blocks, summed, tree
from seqlab.scale.cluster.workers import Workers, assigned

Made = tuple[Any, str]  # a future, and the worker that computes it


class Distributed:
    """Sums over shards on the workers of a Dask cluster.

    Each shard belongs to a worker, which opens it once (`Open`) and keeps it. For a sum, weights go to every worker
    once, down a tree of workers, and answers up the tree of shards. Subtrees whose shards are all of one worker are a
    task each; another sum is computed by the worker that has its left half, so that an edge of the tree costs one
    vector if its ends are on different workers, and nothing else. When a
    worker is lost, its shards go to the others, and the sum is computed anew, with keys of its own.
    """

    def __init__(self, client: Any, recipe: Recipe) -> None:
        self.client, self._recipe = client, recipe
        self._workers = Workers(client)
        self._run = secrets.token_hex(4)
        self._asked = 0
        self._place: list[str] = []
        self._open: list[Any] = []
        self.moved = 0  # bytes sent for sums so far
        self.lost = 0  # times that workers were lost so far
        losses.raise_allowed_failures(client)
        if not self._workers.now(strict=True):
            await_worker(client, "none has come")
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
        top = self._place[0]
        here = [top, *sorted(set(self._place[:count]) - {top})]
        direct = self._workers.reached(top)
        copies = self._sent(given, here, direct=direct)
        crossed = 0

        def subtree(height: int, first: int) -> tuple[int, Made]:
            worker = self._place[first]
            asked = (_answered, self._open[first : first + (1 << height)], what, copies[worker])
            return height, (
                self._submit(f"answer-{first}", worker, *asked, self._workers.threads[worker]),
                worker,
            )

        def join(left: Made, right: Made) -> Made:
            nonlocal crossed
            crossed += left[1] != right[1]
            return self._submit(f"sum-{next(numbers)}", left[1], added, left[0], right[0]), left[1]

        numbers = itertools.count()
        whole, _ = tree(itertools.starmap(subtree, blocks(self._place[:count])), join)
        found: Answer = self._awaited(
            lambda: self.client.gather(whole, direct=direct, asynchronous=True), here, whole
        )
        size = sum(array.nbytes for array in found.values())
        self.moved += _bytes_of(given) * len(here) + size * (crossed + 1)
        return found

    def _sent(self, given: Any, here: list[str], *, direct: bool) -> dict[str, Any]:
        """Send weights to the first worker, each of which passes them on to two others."""
        one = _Given(given)
        first = self._awaited(
            lambda: self.client.scatter(one, workers=here[:1], hash=False, direct=direct, asynchronous=True),
            here,
        )
        copies = {here[0]: first}
        for number, worker in enumerate(here[1:], 1):
            above = copies[here[(number - 1) // 2]]
            copies[worker] = self._submit(f"weights-{number}", worker, _passed_on, above)
        return copies

    def _submit(self, name: str, worker: str, work: Callable[..., Any], *given: Any) -> Any:
        key = f"{losses.KEYS}{name}-{self._run}-{self._asked}"
        return self.client.submit(work, *given, key=key, workers=[worker])

    def _awaited(self, begin: Callable[[], Any], here: list[str], future: Any = None) -> Any:
        return answer_of(self.client, begin, here, len(here), future)

    def _settle(self) -> None:
        """Give every shard to a worker that is there; those that have one keep it, unless others have too little."""
        workers = self._workers.now()
        if not workers:
            await_worker(self.client, "all of them are gone")
            workers = self._workers.now()
            if not workers:
                raise Lost(set(self._place))
        place = assigned(self._recipe.count, workers, self._place)
        for number, worker in enumerate(place):
            if number < len(self._open) and self._place[number] == worker:
                continue
            made = self._submit(f"open-{number}", worker, Open, self._recipe, number)
            self._open[number : number + 1] = [made]
        self._place = place

    # ------------------------------------------------------------------------------------------ losses

    def _insisted(self, once: Callable[[], Answer]) -> Answer:
        """Compute a sum, anew whenever workers are lost; give up when that happens too often."""
        last = "unknown"
        for attempt in range(losses.RETRIES + 1):
            try:
                return once()
            except Lost as error:
                last = str(error) if str(error) != "unknown" else last
            self.lost += 1
            if attempt < losses.RETRIES:
                self._forget()
                time.sleep(min(0.05 * 2**attempt, 2.0))
        raise ClusterError(
            f"a sum over {self._recipe.count} shards was begun {losses.RETRIES + 1} times, and a worker was lost each "
            f"time, the last one {last}; look at its log: most often its memory did not suffice"
        )

    def _forget(self) -> None:
        """Forget shards whose worker is gone, so that others open them."""
        there = workers_of(self.client)
        self._place = [worker if worker in there else "" for worker in self._place]
        for number, future in enumerate(self._open):
            if future.status in ("error", "cancelled", "lost"):
                self._place[number] = ""


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


def _passed_on(given: _Given) -> _Given:
    """Hold weights for this worker, and for those that take them from here."""
    return given


_one_at_a_time = threading.Lock()  # a subtree uses all threads of its worker


def _answered(shards: list[Open], what: str, given: _Given, threads: int) -> Answer:
    """Add the answers of a subtree of shards, on its worker."""
    try:
        with _one_at_a_time:
            return summed(shards, what, given.value, threads)
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
            made: Any = make(
                client, set_as_default=False, timeout=timeout or losses.CONNECT, security=security
            )
        except (OSError, ValueError, TimeoutError, TypeError) as error:
            raise ClusterError(f"there is no scheduler at {client!r:.80} ({error})") from error
        try:
            yield made
        finally:
            losses.close(made)
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
