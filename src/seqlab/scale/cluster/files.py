"""Files in, files out on a Dask cluster: one task a file, done anew when its worker is lost."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from seqlab.errors import ClusterError, SeqlabError
from seqlab.scale.cluster.distributed import PATIENCE, RETRIES, Lost, connected, waited
from seqlab.scale.cluster.workers import Workers

Work = Callable[..., Any]


def spread(work: Work, jobs: Sequence[tuple[Any, ...]], client: Any) -> Iterator[tuple[int, Any]]:
    """Run work(*job) for every job on the workers of a cluster; yield the number of each, and its answer, as they end.

    work   may be run again for the same job, when a worker is lost in the midst of it
    """
    with connected(client) as made:
        workers = Workers(made)
        workers.now(strict=True)
        run, left, last = secrets.token_hex(4), dict(enumerate(jobs)), ""
        for attempt in range(RETRIES + 1):
            for number, answer in _once(made, workers, work, left, f"{run}-{attempt}"):
                if isinstance(answer, _Gone):
                    last = answer.worker or last
                else:
                    del left[number]
                    yield number, answer
            if not left:
                return
            time.sleep(min(0.05 * 2**attempt, 2.0))
        first = next(iter(left.values()))
        raise ClusterError(
            f"a worker was lost {RETRIES + 1} times over the same files, the last one {last or 'unknown'}; look at its "
            f"log. {len(left)} of {len(jobs)} are not done, {first[0]!r:.80} first"
        )


class _Gone:
    """A job that was not done, because its worker is gone."""

    def __init__(self, worker: str = "") -> None:
        self.worker = worker


def _once(
    client: Any, workers: Workers, work: Work, jobs: dict[int, tuple[Any, ...]], name: str
) -> Iterator[tuple[int, Any]]:
    here = workers.now()
    if not here:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ClusterError(f"the cluster has no worker, and none came within {PATIENCE} s") from None
        here = workers.now()
    begun = {
        number: client.submit(_done, work, job, key=f"seqlab-file-{name}-{number}", workers=here)
        for number, job in list(jobs.items())
    }
    for number in list(begun):
        yield number, _answer(client, begun.pop(number), here)


def _answer(client: Any, future: Any, here: Sequence[str]) -> Any:
    """Wait for a job, with an eye on the workers."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    def look() -> None:
        if not set(here) & set(client.nthreads()):  # all are gone, so nobody may take it
            raise Lost(", ".join(here))

    try:
        return waited(future, look)
    except SeqlabError:
        raise
    except KilledWorker as error:
        return _Gone(str(getattr(error.last_worker, "address", "")))
    except (Lost, CancelledError, CommClosedError) as error:
        return _Gone(str(error) if isinstance(error, Lost) else "")


def _done(work: Work, job: tuple[Any, ...]) -> Any:
    """Do one job, on a worker."""
    try:
        return work(*job)
    except SeqlabError as error:
        from distributed import get_worker

        raise error.inside(f"worker {get_worker().address}") from error.__cause__
