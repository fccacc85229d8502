"""Long loops of the core can be interrupted, whatever their size."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import seqlab
from seqlab import CRF, _core, inference
from seqlab.trellis import Trellis

HEAD = """
import os, signal, sys, threading, time
import numpy as np
from seqlab import *
from seqlab.trellis import Trellis
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)

def trellis(T, L, order=1):
    return Trellis(rng.normal(size=(T, L)), rng.normal(size=(L,) * (order + 1)), order=order)

def later(seconds=0.3):
    time.sleep(seconds)
    began.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

began = []
many = [f"L{i}" for i in range(2000)]
X, y = [[f"w{i % 50}" for i in range(50)]] * 400, [[many[(i * 7 + s) % 2000] for i in range(50)] for s in range(400)]
"""

# Each would take far longer than the test waits.
WORK = {
    "nbest": "inference.nbest(trellis(50, 20), 3_000_000)",
    "viterbi": "inference.viterbi([one] * 60_000, threads=1)",
    "viterbi by threads": "inference.viterbi([one] * 60_000, threads=2)",
    "posterior": "inference.posterior([one] * 5000, threads=2)",
    "a long sequence": "inference.posterior(trellis(20_000, 1000))",
    "a long path": "inference.viterbi(trellis(50_000, 1000))",
    "order 2": "inference.posterior([trellis(200, 60, 2)] * 500)",
    "sample": "inference.sample([one] * 2000, 100, seed=0)",
    "beam": "inference.beam([one] * 20_000, 200)",
    "forward": "inference.forward(trellis(3000, 1000))",
    "crf": "CRF('word[0]', LBFGS(start_epochs=0)).fit(X, y)",
    "crf with a first guess": "CRF('word[0]').fit(X, y)",
    "crf by threads": "CRF('word[0]', LBFGS(start_epochs=0), threads=2).fit(X, y)",
    "sgd": "CRF('word[0]', SGD()).fit(X, y)",
    "perceptron": "LinearTagger('word[0]', Perceptron()).fit(X, y)",
    "svm": "LinearTagger('word[0]', StructuredSVM()).fit(X, y)",
    "em": "HMM(n_states=800, learner=BaumWelch(max_iterations=1000)).fit(X)",
}


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_is_noticed_within_a_second(name):
    program = HEAD + textwrap.dedent(f"""
        one = trellis(50, 300)
        threading.Thread(target=later, daemon=True).start()
        try:
            {WORK[name]}
            print("done")
        except KeyboardInterrupt:
            print("stopped", time.monotonic() - began[0] < 20)  # a busy machine; without asking it takes minutes
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout == "stopped True\n", done.stderr


def test_a_flag_ends_work_in_its_thread_only():
    batch = [Trellis(np.zeros((50, 300)), np.zeros((300, 300)))] * 200
    flag, found = _core.Flag(), []

    def work():
        try:
            with flag:
                while True:
                    inference.viterbi(batch, threads=2)
        except _core.Stopped:
            found.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.05)
    flag.set()
    inference.viterbi(batch[:2])
    thread.join(60)
    assert found == ["stopped"]


def test_a_flag_that_is_not_set_changes_nothing():
    batch = [Trellis(np.zeros((5, 3)), np.zeros((3, 3)))] * 50
    with _core.Flag():
        assert len(inference.viterbi(batch)) == 50


def test_handlers_run_while_the_core_works():
    """A handler that raises nothing leaves the result as it is."""
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(time.monotonic()))
    try:
        batch = [Trellis(np.zeros((50, 300)), np.zeros((300, 300)))] * 300
        alone = inference.log_partition(batch, threads=1)
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        assert np.array_equal(inference.log_partition(batch, threads=1), alone)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard


def test_training_can_go_on_after_it_was_stopped():
    """Half an evaluation leaves nothing behind in the loss."""
    X, y = [[f"w{i}" for i in range(30)]] * 60, [[f"L{i % 15}" for i in range(30)]] * 60
    whole = CRF("word[0]").fit(X, y)
    flag, stopped = _core.Flag(), False
    flag.set()
    while not stopped:
        try:
            with flag:
                CRF("word[0]").fit(X, y)
        except KeyboardInterrupt:
            stopped = True
    assert np.array_equal(CRF("word[0]").fit(X, y).model_.theta, whole.model_.theta)


TOKENS = 300_000
CODES = np.random.default_rng(0).integers(0, 500, size=TOKENS).astype(np.int32)
OFFSETS = np.array([0, TOKENS], dtype=np.int64)
NO_LABELS = np.zeros(TOKENS, dtype=np.int32)


def counted():
    return _core.count_ngrams(CODES, OFFSETS, 2, 500, -1, 501)


def estimated():
    return _core.estimate_ngrams(counted(), _core.NgramSmoothing.witten_bell, 0.0, None)[0]


def names():
    pool = _core.StringPool()
    for i in range(501):
        pool.intern(f"w{i}")
    return pool


def arpa():
    return _core.read_arpa(estimated().arpa(names()), 6)[0]


def order_two():
    """A trellis as pruned models have it: with a list of labels at every position."""
    allowed = np.tile([True, True, False], (TOKENS, 1))
    return Trellis(np.zeros((TOKENS, 3)), np.zeros((3, 3, 3)), order=2).constrain(allowed=allowed)


# What is needed, and one call of the core that goes through a long sequence.
LOOPS = {
    "count n-grams": (lambda: None, lambda _: counted()),
    "join n-grams": (
        lambda: [counted()],
        lambda parts: _core.join_ngrams(parts, np.arange(501, dtype=np.int32), 501),
    ),
    "estimate n-grams": (
        counted,
        lambda counts: _core.estimate_ngrams(counts, _core.NgramSmoothing.kneser_ney, 0.0, None),
    ),
    "score": (estimated, lambda table: table.score(CODES, OFFSETS, -1, 1, np.zeros(TOKENS))),
    "sample": (estimated, lambda table: table.sample(1, -1, TOKENS, 0)),
    "write arpa": (estimated, lambda table: table.arpa(names())),
    "read arpa": (lambda: estimated().arpa(names()), lambda text: _core.read_arpa(text, 6)),
    "table of an arpa file": (arpa, lambda file: file.table(np.arange(501, dtype=np.int32), 500)),
    "count words": (lambda: None, lambda _: _core.count_words(CODES, NO_LABELS, None, OFFSETS, 500, 1)),
    "count moves": (
        lambda: None,
        lambda _: _core.count_moves(NO_LABELS, None, OFFSETS, 1, 1, np.zeros(2), np.zeros(1)),
    ),
    "best path of order 2": (order_two, inference.viterbi),
    "score a path": (order_two, lambda trellis: trellis.score(NO_LABELS.tolist())),
    "read one list": (
        lambda: [["a", "b"] * (TOKENS // 2)],
        lambda lists: _core.StringPool().intern_lists(lists),
    ),
    "read lists": (lambda: [["a", "b"]] * TOKENS, lambda lists: _core.StringPool().intern_lists(lists)),
    "encode": (
        lambda: seqlab.Corpus.from_lists(word=[["a", "b"] * 5000]),
        lambda corpus: seqlab.encode.Encoder("word[0]").fit(corpus),
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_one_long_sequence_ask(name):
    """A flag that is set before ends the call where it first asks; one that never asks would return."""
    prepare, call = LOOPS[name]
    given = prepare()
    call(given)
    time.sleep(0.15)  # longer than the time from one question to the next
    flag = _core.Flag()
    flag.set()
    with flag, pytest.raises(_core.Stopped):
        call(given)


def test_a_handler_may_change_the_list_that_is_read():
    """The items are those of the moment of the call."""
    words = ["a", "b"] * 500_000
    given = [words, ["c"]]

    def handler(*_):
        words.clear()
        given.clear()

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        codes, lengths, *_ = _core.StringPool().intern_lists(given)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(codes) == sum(lengths)
