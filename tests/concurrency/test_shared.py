"""Models in many threads at a time: every answer is that of one thread. `make tsan` runs these under its sanitizer."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seqlab
from architecture.tree import ROOT
from seqlab import (
    CRF,
    HMM,
    LBFGS,
    MEMM,
    BaumWelch,
    Gaussian,
    LinearTagger,
    Perceptron,
    StructuredSVM,
    inference,
)

THREADS = 6


def together(works: list[Callable[[], Any]]) -> list[Any]:
    """Begin all at the same moment, each in a thread of its own."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


@pytest.fixture(scope="module")
def sentences() -> Any:
    return seqlab.demo_corpus("train")[:60]


@pytest.fixture(scope="module")
def words() -> list[list[str]]:
    return [list(one["word"]) for one in seqlab.demo_corpus("test")[:40]]


def small(column: str, sentences: Any) -> Any:
    return CRF(column, LBFGS(max_iterations=5)).fit(sentences, column)


def test_a_model_that_was_just_loaded_is_shared(
    tmp_path: Path, sentences: Any, words: list[list[str]]
) -> None:
    """The tables of a decoder are made when first needed: by all threads at the same moment."""
    small("pos", sentences).save(tmp_path / "one.model")
    expected = seqlab.load(tmp_path / "one.model").predict(words)
    for _ in range(5):
        shared = seqlab.load(tmp_path / "one.model")
        answers = together([lambda: shared.predict(words, threads=2)] * THREADS)  # noqa: B023
        assert answers == [expected] * THREADS


def test_every_question_at_the_same_moment(sentences: Any, words: list[list[str]]) -> None:
    tagger = small("pos", sentences)
    questions: list[Callable[[], Any]] = [
        lambda: tagger.predict(words),
        lambda: [tagger.tag(one) for one in words],
        lambda: [tagger.posterior(one).node.tobytes() for one in words],
        lambda: [one.labels for one in tagger.nbest(words[0], 5)],
        lambda: tagger.sample(words[0], 5, 1).labels,
        lambda: tagger.explain(words[0], 0).log_odds,
    ]
    alone = [ask() for ask in questions]
    assert together(questions * 2) == alone * 2


def test_trainings_at_the_same_moment_do_not_meet(sentences: Any, words: list[list[str]]) -> None:
    column = sentences.column("word")
    numbers = [np.random.default_rng(0).normal(size=(40, 2))]
    trainings: list[Callable[[], Any]] = [
        lambda: small("pos", sentences).predict(words),
        lambda: MEMM("pos", LBFGS(max_iterations=5)).fit(sentences, "pos").predict(words),
        lambda: LinearTagger("pos", Perceptron(epochs=2)).fit(sentences, "pos").predict(words),
        lambda: LinearTagger("pos", StructuredSVM(epochs=2)).fit(sentences, "pos").predict(words),
        lambda: (
            HMM(3, learner=BaumWelch(max_iterations=3, restarts=3), threads=3).fit(column).predict(column)
        ),
        lambda: HMM(2, Gaussian(), learner=BaumWelch(max_iterations=3)).fit(numbers).predict(numbers),
    ]
    alone = [repr(train()) for train in trainings]
    assert [repr(answer) for answer in together(trainings)] == alone


def test_restarts_in_threads_find_the_same_model(sentences: Any) -> None:
    column = sentences.column("word")

    def likelihood(threads: int) -> bytes:
        learner = BaumWelch(max_iterations=4, restarts=4)
        return (
            HMM(3, learner=learner, threads=threads, seed=3).fit(column).posterior(column[0]).node.tobytes()
        )

    assert likelihood(4) == likelihood(1)


def test_a_kernel_is_pinned_while_others_are_switched() -> None:
    rng = np.random.default_rng(0)
    trellis = seqlab.Trellis(rng.normal(size=(50, 7)), rng.normal(size=(7, 7)))
    expected = inference.log_partition(trellis)

    def switch() -> None:
        for name in inference.kernels() * 10:
            with inference.use_kernel(name):
                assert inference.log_partition(trellis) == pytest.approx(expected, abs=1e-9)

    together([switch, *[lambda: [inference.log_partition(trellis) for _ in range(50)]] * 3])


DAEMONS = """
import sys, threading, time
import seqlab
train = seqlab.demo_corpus("train")
tagger = seqlab.CRF("pos", seqlab.LBFGS(max_iterations=2)).fit(train[:50], "pos")
words = [list(one["word"]) for one in train]
def tag():
    while True:
        tagger.predict(words, threads=2)
def learn():
    while True:
        seqlab.CRF("pos", seqlab.LBFGS(max_iterations=50)).fit(train, "pos", threads=2)
for work in (tag, tag, learn):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
print("end", flush=True)
"""


def test_a_program_may_end_while_daemon_threads_work() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", DAEMONS],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_nothing_that_threads_read_is_destroyed_when_a_program_ends() -> None:
    """Found by `make tsan`: the table of kernels was freed while daemon threads computed."""
    destroyed = re.compile(
        r"\s*(?:static|inline) (?:const )?std::(?:vector|string|\w*map|\w*set|\w+_ptr)\b[^&*(]* \w+(?: = |\{|;)"
    )
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted((ROOT / "cpp").rglob("*.[ch]pp"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if destroyed.match(line) and "constexpr" not in line and "thread_local" not in line
    ]
    assert found == []


def test_without_the_global_lock() -> None:
    """On a free-threaded interpreter all tests of this file run without the lock (PYTHON_GIL=0)."""
    enabled = getattr(sys, "_is_gil_enabled", lambda: True)
    if enabled():
        pytest.skip("this interpreter has a global lock; run the tests with python3.13t and PYTHON_GIL=0")
    assert "seqlab._core" in sys.modules
