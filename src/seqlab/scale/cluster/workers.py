"""The workers of a Dask cluster: which of them may compute for us, and what each of them holds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seqlab import _core
from seqlab.errors import OptionError, TrainingWarning
from seqlab.scale.cluster.losses import workers_of
from seqlab.store.writing import library_version

Identity = tuple[str, str]  # version of seqlab, kernel
UNEVEN = 0.125  # more shards than an equal share that a worker may have, so that they are large subtrees
REACH = 2  # seconds within which a worker that can be reached answers


def identity() -> Identity:
    """Return what must be equal wherever the same bits are computed."""
    return library_version(), _core.kernel()


class Workers:
    """Workers that compute the same bits as this process.

    Those there are when we begin must: others are refused, by name. Of those that join later others are left out.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._fit: dict[str, bool] = {}
        self._reached: dict[str, bool] = {}
        self.threads: Mapping[str, int] = {}

    def now(self, *, strict: bool = False) -> list[str]:
        """Return the addresses of those that are there, in a fixed order."""
        self.threads = workers_of(self._client)
        new = [address for address in self.threads if address not in self._fit]
        if new:
            self._look(new, strict=strict)
        return sorted(address for address in self.threads if self._fit.get(address))

    def reached(self, address: str) -> bool:
        """Return True if this process can connect to a worker, so that vectors need not go by way of the scheduler."""
        if address not in self._reached:
            self._reached[address] = self._client.sync(_connects, self._client, address)
        return self._reached[address]

    def _look(self, new: Sequence[str], *, strict: bool) -> None:
        own = identity()
        found = self._client.run(identity, workers=list(new), on_error="return")
        for address, other in found.items():
            if isinstance(other, OSError):  # gone already
                continue
            self._fit[address] = other == own
            if other == own:
                continue
            if isinstance(other, Exception):
                text = f"the worker {address} cannot use seqlab ({type(other).__name__}: {other})"
            else:
                text = (
                    f"the worker {address} has seqlab {other[0]} with the kernel {other[1]!r}, but this process has "
                    f"{own[0]} with {own[1]!r}, whose bits differ"
                )
            advice = (
                "install the same version everywhere, and set SEQLAB_KERNEL to one that all machines have"
            )
            if strict:
                raise OptionError(f"{text}; {advice}", option="client")
            warnings.warn(f"{text}; it gets no work. To use it, {advice}", TrainingWarning, stacklevel=2)


async def _connects(client: Any, address: str) -> bool:
    from distributed.comm.core import connect

    try:
        comm = await connect(address, timeout=REACH, **client.connection_args)
    except (OSError, TimeoutError):
        return False
    await comm.close()
    return True


def _share(count: int, workers: int) -> int:
    """Return the most shards that a worker has: if that is little more, a multiple of a power of two.

    Then workers begin at a multiple of it, too, and hold few large subtrees: fewer tasks, fewer vectors between them.
    """
    least = most = -(-count // workers)
    step = 2
    while (rounded := -(-least // step) * step) <= least * (1 + UNEVEN):
        most, step = rounded, 2 * step
    return most


def assigned(count: int, workers: Sequence[str], before: Iterable[str | None] = ()) -> list[str]:
    """Give every shard to a worker: neighbours to the same one, and each to the one that had it before, if it may.

    before   the worker that had each shard, or None
    """
    most = _share(count, len(workers))
    had = [*before, *[None] * count][:count]
    load = dict.fromkeys(workers, 0)
    made: list[str | None] = []
    for worker in had:
        keeps = worker in load and load[worker] < most
        made.append(worker if keeps else None)
        if keeps and worker is not None:
            load[worker] += 1
    least = iter(workers)
    taker = next(least)
    for number, worker in enumerate(made):
        if worker is None:
            while load[taker] >= most:
                taker = next(least)
            made[number] = taker
            load[taker] += 1
    return [str(worker) for worker in made]
