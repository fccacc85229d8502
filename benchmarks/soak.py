"""`python -m benchmarks.soak`: hours of mixed load on one process, which must not grow and must not change its mind.

The service runs in the main thread, as `seqlab serve` does. Around it clients ask every question, break off and send
nonsense; models are tagged with, saved, loaded and trained; the files of the served ones are written anew. Every piece
of work is done once before; each later answer must be the first one, to the last bit. At the end: the slope of memory,
the files and threads left open, and how often everything was done. The exit code is 1 if one of them is bad.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import gc
import hashlib
import http.client
import json
import os
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from seqlab import (
    CRF,
    HMM,
    LBFGS,
    MEMM,
    BaumWelch,
    LinearTagger,
    MarkovChain,
    Perceptron,
    StructuredSVM,
    store,
)
from seqlab.serve import Settings
from seqlab.serve.running import run

CLIENTS = 3
WARM_UP = 0.3  # share of the time before memory is looked at: pools, caches and arenas fill
GROWTH = 0.05  # of the memory in use, from the end of the warm-up to the end
SLACK = 24.0  # MB that memory may move in a short run, where one training more or less shows
MOST_FAULTS = 20  # that are told
PATIENCE = 20.0  # seconds for closed connections and ended threads to go
HANDLES = {"files": "fd", "threads": "task"}  # folders of /proc/self
Work = Callable[[], Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0, help="of the load (default: 3600)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = Soak(Path(folder), options.seconds).run()
    for fault in faults:
        print(f"soak: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


class Soak:
    """The load, and what is watched meanwhile.

    folder    for models
    seconds   of the load
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        self.end, self.lock = threading.Event(), threading.Lock()
        self.done: Counter[str] = Counter()
        self.wrong = 0
        self.faults: list[str] = []
        self.first: dict[str, str] = {}
        self.test = [list(one["word"]) for one in seqlab.demo_corpus("test")]
        self.train = seqlab.demo_corpus("train")[:200]
        self.files = {name: str(folder / f"{name}.model") for name in ("ner", "pos")}
        for name, column in (("ner", "entity"), ("pos", "pos")):
            CRF(name, LBFGS(max_iterations=15)).fit(self.train, column).save(self.files[name])

    def run(self) -> list[str]:
        """Serve under load until the time is over; return what was wrong."""
        before = handles()
        settings = Settings(tuple(self.files.items()), port=0)
        with (
            Path(os.devnull).open("w") as nowhere,
            contextlib.redirect_stderr(nowhere),
        ):  # the log of the service
            run(settings, ready=lambda address: threading.Thread(target=self.direct, args=[address]).start())
        self.compare("after the service", before, settled(before))
        return self.faults

    def direct(self, address: str) -> None:
        """Do everything once, then load the process twice: briefly, to fill its pools, and for the whole time."""
        try:
            self.port = int(address.rsplit(":", 1)[1].strip("/").split("/")[0])
            groups = self.works()
            for name, work in [pair for group in groups for pair in group.items()]:
                self.first[name] = digest(work())
            self.load(groups, min(20.0, self.seconds / 5))
            rest = settled()
            self.done.clear()
            began = time.monotonic()
            samples = self.load(groups, self.seconds)
            seconds, after = time.monotonic() - began, settled(rest)
            self.compare("after the load", rest, after)
            self.report(samples, seconds, rest, after)
        except Exception as error:  # noqa: BLE001  a thread has nobody else to tell
            self.faults.append(f"the load ended with {error!r}")
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    # ---------------------------------------------------------------- work

    def works(self) -> list[dict[str, Work]]:
        """Pieces of work by name; each group has a thread, that of the clients several."""
        return [*[self.questions()] * CLIENTS, self.nuisances(), self.taggings(), self.trainings()]

    def questions(self) -> dict[str, Work]:
        """Requests of all kinds; answers carry no times."""
        local = threading.local()

        def post(path: str, body: Any, kind: str = "application/json") -> Work:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()

            def ask() -> tuple[int, bytes]:
                client = getattr(local, "client", None)
                if client is None:
                    client = local.client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                client.request("POST", path, content, {"content-type": kind})
                answer = client.getresponse()
                return answer.status, answer.read()

            return ask

        words, text = self.test[0], "Anna Weber lives in New York. She works for the bank."
        lines = b"\n".join(json.dumps({"tokens": one}).encode() for one in self.test[:20])
        return {
            "tag tokens": post("/v1/tag", {"tokens": words}),
            "tag text": post("/v1/tag", {"text": text, "probabilities": True, "model": "ner"}),
            "tag a batch": post("/v1/tag", {"batch": self.test[:100], "model": "pos"}),
            "tag a stream": post("/v1/tag", lines, "application/x-ndjson"),
            "nbest": post("/v1/nbest", {"tokens": words, "n": 5}),
            "posterior": post("/v1/posterior", {"tokens": words, "model": "pos"}),
            "explain": post("/v1/explain", {"tokens": words, "at": 0}),
            "sample": post("/v1/sample", {"tokens": words, "n": 5, "seed": 1}),
            "no JSON": post("/v1/tag", b"{"),
            "no such model": post("/v1/tag", {"tokens": words, "model": "none"}),
        }

    def nuisances(self) -> dict[str, Work]:
        """Clients that break off, and files of models that are written anew while they are served."""

        def broken_off(sent: bytes) -> Work:
            def send() -> None:
                with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                    connection.sendall(sent)

            return send

        def written_anew() -> None:
            for path in self.files.values():
                fresh = Path(path + ".new")
                fresh.write_bytes(Path(path).read_bytes())
                fresh.replace(path)
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(1.0)

        head = (
            b"POST /v1/tag HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\n"
            b"content-length: 1000\r\n\r\n" % self.port
        )
        return {
            "broken head": broken_off(head[:40]),
            "broken body": broken_off(head + b'{"tokens": ["a"'),
            "models written anew": written_anew,
        }

    def taggings(self) -> dict[str, Work]:
        """Uses of the library: models shared with threads, and ones that are loaded each time."""
        shared = {name: seqlab.load(path) for name, path in self.files.items()}
        english = seqlab.load("en-demo")

        def there_and_back() -> Any:
            path = self.folder / "copy.model"
            seqlab.load(self.files["ner"]).save(path)
            return seqlab.load(path).predict(self.test[:50])

        return {
            "predict": lambda: shared["pos"].predict(self.test, threads=2),
            "one by one": lambda: [shared["ner"].tag(one) for one in self.test[:100]],
            "posteriors": lambda: [shared["ner"].posterior(one).node.tobytes() for one in self.test[:20]],
            "raw text": lambda: [repr(one) for one in english("Anna Weber lives in New York.").spans],
            "load and save": there_and_back,
        }

    def trainings(self) -> dict[str, Work]:
        """Trainings of every family."""
        train = self.train
        numbers = np.random.default_rng(0).normal(size=(200, 2))

        def fit(make: Callable[[], Any], *data: Any) -> Work:
            return lambda: bits(make().fit(*data))

        return {
            "crf": fit(lambda: CRF("chunk", LBFGS(max_iterations=10)), train, "chunk"),
            "memm": fit(lambda: MEMM("chunk", LBFGS(max_iterations=10)), train, "chunk"),
            "perceptron": fit(lambda: LinearTagger("chunk", Perceptron(epochs=3)), train, "chunk"),
            "structured svm": fit(lambda: LinearTagger("chunk", StructuredSVM(epochs=3)), train, "chunk"),
            "hmm": fit(HMM, train, "pos"),
            "em": fit(lambda: HMM(4, learner=BaumWelch(max_iterations=5, restarts=2)), train.column("word")),
            "gaussian em": fit(
                lambda: HMM(2, seqlab.Gaussian("full"), learner=BaumWelch(max_iterations=5)), [numbers]
            ),
            "chain": fit(lambda: MarkovChain(order=2), train.column("word")),
        }

    # ---------------------------------------------------------------- load

    def load(self, groups: list[dict[str, Work]], seconds: float) -> list[tuple[float, float]]:
        """Repeat all works in threads; return (seconds, MB), each time after the collector of cycles has run."""
        self.end.clear()
        threads = [threading.Thread(target=self.repeat, args=[group]) for group in groups]
        for thread in threads:
            thread.start()
        began, samples = time.monotonic(), []
        while (now := time.monotonic() - began) < seconds:
            gc.collect()
            samples.append((now, memory()))
            self.end.wait(min(10.0, seconds / 40))
        self.end.set()
        for thread in threads:
            thread.join()
        return samples

    def repeat(self, group: dict[str, Work]) -> None:
        """Do each work of a group in turn, and compare its answer with the first one."""
        while not self.end.is_set():
            for name, work in group.items():
                try:
                    fault = "" if digest(work()) == self.first[name] else "answered otherwise than at first"
                except Exception as error:  # noqa: BLE001  whatever it was, the load goes on and the end reports it
                    fault = f"failed with {error!r}"
                with self.lock:
                    self.done[name] += 1
                    if fault:
                        self.wrong += 1
                        self.faults = [*self.faults, f"{name} {fault}"][:MOST_FAULTS]

    # ---------------------------------------------------------------- figures

    def report(
        self, samples: list[tuple[float, float]], seconds: float, rest: dict[str, int], after: dict[str, int]
    ) -> None:
        """Print the figures, and note memory that grew."""
        late = [sample for sample in samples if sample[0] >= WARM_UP * seconds]
        slope = statistics.linear_regression(*zip(*late, strict=True)).slope * 3600
        tenth = max(1, len(late) // 10)
        begun, ended = (statistics.median(mb for _, mb in part) for part in (late[:tenth], late[-tenth:]))
        counts = ", ".join(f"{name} {count:,}" for name, count in self.done.most_common())
        print(f"{seconds:,.0f} s, {self.done.total():,} pieces of work ({counts})")
        print(
            f"memory: {begun:.0f} MB after the warm-up, {ended:.0f} MB at the end, slope {slope:+.1f} MB an hour"
        )
        print(
            "handles at rest: "
            + ", ".join(f"{rest[kind]} {kind} before, {after[kind]} after" for kind in rest)
        )
        print(f"answers that were not those of the beginning, or failed: {self.wrong:,}", flush=True)
        if ended - begun > max(GROWTH * begun, SLACK if seconds < 600 else 0.0):
            self.faults.append(f"memory grew from {begun:.0f} to {ended:.0f} MB")

    def compare(self, when: str, before: dict[str, int], after: dict[str, int]) -> None:
        """Note handles that were not given back."""
        for kind, count in after.items():
            if count > before[kind]:
                self.faults.append(f"{count} {kind} {when}, {before[kind]} before it")


def handles() -> dict[str, int]:
    """Count open files and threads of this process."""
    return {name: len(list(Path("/proc/self", where).iterdir())) for name, where in HANDLES.items()}


def settled(goal: dict[str, int] | None = None) -> dict[str, int]:
    """Count handles when they are no more than the goal, or have not changed for two seconds."""
    found, since, end = handles(), time.monotonic(), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        gc.collect()
        if goal is not None and all(found[kind] <= goal[kind] for kind in found):
            break
        if goal is None and time.monotonic() - since > 2.0:
            break
        time.sleep(0.2)
        if (now := handles()) != found:
            found, since = now, time.monotonic()
    return found


def memory() -> float:
    """Resident MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def digest(answer: Any) -> str:
    """Name an answer by its content."""
    content = answer if isinstance(answer, bytes) else repr(answer).encode()
    return hashlib.sha256(content).hexdigest()


def bits(model: Any) -> bytes:
    """Everything in the file of a model but the seconds of its history."""
    state = model.state()
    record = json.loads(json.dumps(state.record), object_hook=_timeless)
    return store.as_bytes(dataclasses.replace(state, record=record))


def _timeless(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != "seconds"}


if __name__ == "__main__":
    main()
