"""A cluster whose workers are behind links of known rate and delay: TCP proxies, which need no rights of the system."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from seqlab import scale
from seqlab.scale.cluster.distributed import Distributed

CHUNK = 1 << 16


class Link:
    """One direction of a link: all connections through it share its rate."""

    def __init__(self, rate: float, delay: float) -> None:
        self.rate, self.delay, self._free = rate, delay, 0.0

    async def pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        """Pass bytes on, each when the link has had the time for it."""
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=64)
        passing = asyncio.create_task(_passed(waiting, target))
        with contextlib.suppress(OSError):
            while piece := await source.read(CHUNK):
                now = time.monotonic()
                self._free = max(self._free, now) + len(piece) / self.rate
                await asyncio.sleep(self._free - now)
                await waiting.put((self._free + self.delay, piece))
        await waiting.put((0.0, b""))
        await passing


async def _passed(waiting: asyncio.Queue[tuple[float, bytes]], target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while (arrived := await waiting.get())[1]:
            await asyncio.sleep(max(arrived[0] - time.monotonic(), 0.0))
            target.write(arrived[1])
            await target.drain()
    target.close()


def serve(doors: list[tuple[int, int]], rate: float, delay: float) -> None:
    """Run proxies: each listens at its first port, and is the link of what listens at the second."""

    async def door(port: int, behind: int) -> None:
        up, down = Link(rate, delay), Link(rate, delay)

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", behind)
            await asyncio.gather(down.pump(reader, far_writer), up.pump(far_reader, writer))

        server = await asyncio.start_server(connected, "127.0.0.1", port, limit=CHUNK)
        await server.serve_forever()

    async def all_doors() -> None:
        await asyncio.gather(*(door(*one) for one in doors))

    asyncio.run(all_doors())


def free_ports(count: int) -> list[int]:
    """Find ports that nobody listens at."""
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in found]


@contextlib.contextmanager
def cluster(workers: int, rate: float, delay: float) -> Iterator[Any]:
    """Start workers behind links, and return a client."""
    ports = free_ports(2 * workers)
    doors = list(zip(ports[::2], ports[1::2], strict=True))
    links = multiprocessing.get_context("spawn").Process(target=serve, args=(doors, rate, delay), daemon=True)
    links.start()
    with scale.local_cluster(0, silence_logs=50) as client, contextlib.ExitStack() as stack:
        stack.callback(links.kill)
        for outside, inside in doors:
            command = [sys.executable, "-m", "distributed.cli.dask_worker", client.scheduler.address]
            command += ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
            command += ["--listen-address", f"tcp://127.0.0.1:{inside}"]
            command += ["--contact-address", f"tcp://127.0.0.1:{outside}"]
            one = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            stack.callback(one.kill)
        client.wait_for_workers(workers, timeout=120)
        yield client


def sums(weights: int, shards: int, workers: int, rate: float, delay: float) -> tuple[float, float]:
    """Time a sum over free links (median of three), and over links of this rate and delay, in seconds."""
    from benchmarks.scale.cluster import Plain

    theta, took = np.ones(weights), []
    for links in ((1e12, 0.0), (rate, delay)):
        with cluster(workers, *links) as client:
            far = Distributed(client, Plain(shards, weights))
            far.total("exact", theta)
            samples = []
            for _ in range(3 if links[0] > rate else 1):
                began = time.perf_counter()
                far.total("exact", theta)
                samples.append(time.perf_counter() - began)
            took.append(statistics.median(samples))
    return took[0], took[1]
