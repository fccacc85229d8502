"""Files in, files out on a Dask cluster: one task a file, done anew when its worker is lost."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from seqlab.errors import ClusterError, SeqlabError
from seqlab.scale.cluster import losses
from seqlab.scale.cluster.distributed import connected
from seqlab.scale.cluster.losses import Lost, answer_of, await_worker
from seqlab.scale.cluster.workers import Workers

Work = Callable[..., Any]


def spread(work: Work, jobs: Sequence[tuple[Any, ...]], client: Any) -> Iterator[tuple[int, Any]]:
    """Run work(*job) for every job on the workers of a cluster; yield the number of each, and its answer, as they end.

    work   may be run again for the same job, when a worker is lost in the midst of it
    """
    with connected(client) as made:
        losses.raise_allowed_failures(made)
        workers = Workers(made)
        workers.now(strict=True)
        run, left, failed = secrets.token_hex(4), dict(enumerate(jobs)), dict.fromkeys(range(len(jobs)), 0)
        attempt = 0
        while left:
            for number, answer in _once(made, workers, work, left, f"{run}-{attempt}"):
                if not isinstance(answer, Lost):
                    del left[number]
                    yield number, answer
                    continue
                failed[number] += answer.times
                if failed[number] > losses.RETRIES:
                    raise ClusterError(
                        f"a worker was lost each of the {failed[number]} times that it had {left[number][0]!r:.120}, "
                        f"the last one {answer}; look at its log. {len(left)} of {len(jobs)} files are not done"
                    )
            time.sleep(min(0.05 * 2**attempt, 2.0) if left else 0)
            attempt += 1


def _once(
    client: Any, workers: Workers, work: Work, jobs: dict[int, tuple[Any, ...]], name: str
) -> Iterator[tuple[int, Any]]:
    here = workers.now()
    if not here:
        await_worker(client, "all of them are gone")
        here = workers.now()
    begun = {
        number: client.submit(_done, work, job, key=f"{losses.KEYS}file-{name}-{number}", workers=here)
        for number, job in list(jobs.items())
    }
    for number in list(begun):
        yield number, _answer(client, begun.pop(number), here)


def _answer(client: Any, future: Any, here: Sequence[str]) -> Any:
    """Wait for a job: as long as one of the workers is left, it may take it."""
    try:
        return answer_of(client, lambda: client.gather(future, asynchronous=True), here, 1, future)
    except Lost as lost:
        return lost


def _done(work: Work, job: tuple[Any, ...]) -> Any:
    """Do one job, on a worker."""
    try:
        return work(*job)
    except SeqlabError as error:
        from distributed import get_worker

        raise error.inside(f"worker {get_worker().address}") from error.__cause__
