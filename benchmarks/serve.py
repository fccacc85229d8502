"""`python -m benchmarks.serve`: what the service adds to the library, and how it holds under load.

Prints the time of one sentence and of batches of 100 beside the library's own, then 50 connections for a minute
(`--seconds` for less): errors, p50, p99 and the memory of the service. `--record` adds the figures to
benchmarks/results/serve.jsonl, with the load of the machine: on a busy one the processor time of a batch says more than
its rate.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import seqlab

CONNECTIONS, BATCH, ROUNDS = 50, 100, 5
HEADERS = {"content-type": "application/json"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the load by 50 connections")
    parser.add_argument("--workers", type=int, default=1, help="processes of the service")
    parser.add_argument("--clients", type=int, default=4, help="that send batches at a time")
    parser.add_argument(
        "--record", action="store_true", help="add the figures to benchmarks/results/serve.jsonl"
    )
    options = parser.parse_args()
    sentences = [list(one["word"]) for one in seqlab.demo_corpus("test")][:BATCH]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pos.model"
        tagger = seqlab.CRF("pos").fit(seqlab.demo_corpus("train"), "pos")
        tagger.save(path)
        tagger = seqlab.load(path)
        command = [sys.executable, "-m", "seqlab", "serve", str(path), "--port", "0"]
        command += ["--workers", str(options.workers)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                told = re.search(r":(\d+)/", server.stderr.readline())
                measure(tagger, sentences, int(told[1]), server.pid, options)
            finally:
                server.terminate()


def measure(tagger: Any, sentences: list[list[str]], port: int, pid: int, options: Any) -> None:
    one = json.dumps({"tokens": sentences[0]})
    client = http.client.HTTPConnection("127.0.0.1", port)
    inside = median(lambda: tagger.tag(sentences[0]), 2000)
    outside = median(lambda: ask(client, one), 2000)
    print(f"one sentence: library {inside:.3f} ms, service {outside:.3f} ms, adds {outside - inside:.3f} ms")
    batch = json.dumps({"batch": sentences}).encode()
    rates: dict[int, list[float]] = {0: []}  # of the library, and by number of clients
    for _ in range(ROUNDS):  # in turns, since other programs may be busy at times
        rates[0].append(rate(lambda: tagger.predict(sentences, threads=1), 1.0))
        for clients in (1, options.clients):
            rates.setdefault(clients, []).append(rate_of_clients(port, batch, clients, 1.0))
    alone = statistics.median(rates.pop(0))
    own, used = cpu_of(lambda: tagger.predict(sentences, threads=1)), cpu_of_clients(port, batch, pid)
    print(f"processor time of a batch: library {own:.3f} ms, service {used:.3f} ms, {used / own:.2f}x")
    figures = {
        "library": round(alone * BATCH),
        "library_cpu_ms": round(own, 3),
        "service_cpu_ms": round(used, 3),
    }
    for clients, found in rates.items():
        served = statistics.median(found)
        print(
            f"batches of {BATCH}, {clients} clients: library {alone * BATCH:,.0f} sentences/s, "
            f"service {served * BATCH:,.0f}, {served / alone:.0%}"
        )
        figures[f"service_{clients}_clients"] = round(served * BATCH)
    before, times, errors = memory(pid), [], []
    end = time.monotonic() + options.seconds

    def load() -> None:
        mine = http.client.HTTPConnection("127.0.0.1", port)
        while time.monotonic() < end:
            began = time.perf_counter()
            try:
                ask(mine, one)
                times.append(time.perf_counter() - began)
            except (OSError, http.client.HTTPException, RuntimeError) as error:
                errors.append(repr(error))
                mine.close()

    together([load] * CONNECTIONS)
    cuts = statistics.quantiles(times, n=100)
    print(
        f"{CONNECTIONS} connections for {options.seconds:g} s: {len(times):,} requests, {len(errors)} errors, "
        f"p50 {cuts[49] * 1e3:.1f} ms, p99 {cuts[98] * 1e3:.1f} ms, memory {before / 1024:.0f} MB before, "
        f"{memory(pid) / 1024:.0f} MB after"
    )
    if options.record:
        figures |= {
            "date": time.strftime("%Y-%m-%d"),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "workers": options.workers,
            "one_sentence_adds_ms": round(outside - inside, 3),
            "connections": CONNECTIONS,
            "seconds": options.seconds,
            "requests": len(times),
            "errors": len(errors),
            "p50_ms": round(cuts[49] * 1e3, 1),
            "p99_ms": round(cuts[98] * 1e3, 1),
            "memory_mb": [round(before / 1024), round(memory(pid) / 1024)],
        }
        with (Path(__file__).parent / "results" / "serve.jsonl").open("a") as file:
            file.write(json.dumps(figures) + "\n")


def ask(client: http.client.HTTPConnection, body: str) -> bytes:
    client.request("POST", "/v1/tag", body, HEADERS)
    answer = client.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(content)
    return content


def median(work: Any, many: int) -> float:
    """Milliseconds."""
    times = []
    for _ in range(many):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e3


def rate(work: Any, seconds: float) -> float:
    work()
    began, many = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        work()
        many += 1
    return many / (time.perf_counter() - began)


def cpu_of(work: Any, many: int = 500) -> float:
    """Milliseconds of processor time for one call."""
    began = time.process_time()
    for _ in range(many):
        work()
    return (time.process_time() - began) / many * 1e3


def cpu_of_clients(port: int, body: bytes, pid: int) -> float:
    """Milliseconds of processor time that the service takes for a request, without that of its client."""
    before, ticks, began = processor(pid), os.sysconf("SC_CLK_TCK"), time.perf_counter()
    rate_now = rate_of_clients(port, body, 1, 3.0)
    return (processor(pid) - before) / ticks / (rate_now * (time.perf_counter() - began)) * 1e3


def processor(pid: int) -> int:
    """Ticks of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def rate_of_clients(port: int, body: bytes, clients: int, seconds: float) -> float:
    """Requests a second by clients that do next to nothing themselves: they share the cores with the service."""
    head = (
        f"POST /v1/tag HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    request, done = head.encode() + body, []

    def load() -> None:
        with socket.create_connection(("127.0.0.1", port)) as mine:
            mine.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            done.append(rate(lambda: send(mine, request), seconds))

    together([load] * clients)
    return sum(done)


def send(connection: socket.socket, request: bytes) -> None:
    """Send a request and read its answer to the end."""
    connection.sendall(request)
    found = connection.recv(1 << 20)
    while b"\r\n\r\n" not in found:
        found += connection.recv(1 << 20)
    head = found.partition(b"\r\n\r\n")[0]
    left = len(head) + 4 + int(re.search(rb"content-length: (\d+)", head)[1]) - len(found)
    if not found.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(found)
    while left > 0:
        left -= len(connection.recv(1 << 20))


def together(jobs: list[Any]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def memory(pid: int) -> int:
    """Resident kB, with those of its workers."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [Path(f"/proc/{one}/status").read_text() for one in (pid, *children)]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", one)[1]) for one in pages)


if __name__ == "__main__":
    main()
