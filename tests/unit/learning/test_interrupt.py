"""Ctrl-C and SIGTERM: the first ends training in good order, the second ends it at once."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from seqlab import CRF, LBFGS, _core
from seqlab.learning.monitor import Interruptible

# Every program first undoes what its parent may have set: a shell starts background jobs with SIGINT ignored.
HEAD = """
import os, signal, sys, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
warnings.simplefilter("always")
from seqlab import CRF, LBFGS, demo_corpus
train = demo_corpus("train")[:30]

def send(*numbers, at=2):
    def callback(epoch):
        if epoch.iteration == at:
            for number in numbers:
                os.kill(os.getpid(), number)
                for _ in range(1000):  # Python runs the handler between two of its instructions
                    pass
    return callback

def fit(callback, **options):
    tagger = CRF("word[0]", LBFGS(delta=0, epsilon=1e-12), **options)
    return tagger, lambda **more: tagger.fit(train, "pos", callbacks=callback, **more)
"""


def run(program):
    code = HEAD + textwrap.dedent(program)
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("order", [1, 2])
def test_the_first_signal_ends_training_with_a_model(name, order):
    done = run(f"""
        tagger, go = fit(send(signal.{name}), order={order})
        go()
        assert tagger.history_.reason == "interrupted", tagger.history_
        assert len(tagger.history_) == 3, len(tagger.history_)
        assert len(tagger.predict(train)) == 30
        assert tagger.model_.order == {order}
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        print("usable")
    """)
    assert done.stdout == "usable\n", done.stderr
    assert "TrainingWarning" in done.stderr
    assert f"training was interrupted by {name} after iteration 2" in done.stderr


def test_the_best_weights_so_far_are_kept():
    done = run("""
        tagger, go = fit(send(signal.SIGINT, at=4))
        go(dev=demo_corpus("test")[:20])
        scores = tagger.history_.dev_score
        assert len(scores) == 5
        assert tagger.history_.best == scores.index(max(scores))
        print(tagger.evaluate(demo_corpus("test")[:20]).accuracy == max(scores))
    """)
    assert done.stdout == "True\n", done.stderr


def test_the_second_control_c_ends_it_at_once():
    done = run("""
        tagger, go = fit(send(signal.SIGINT, signal.SIGINT))
        try:
            go()
        except KeyboardInterrupt:
            print("interrupted", hasattr(tagger, "model_"))
    """)
    assert done.stdout == "interrupted False\n", done.stderr


def test_the_second_sigterm_ends_the_process():
    done = run("""
        tagger, go = fit(send(signal.SIGTERM, signal.SIGTERM))
        go()
        print("still here")
    """)
    assert done.returncode == -signal.SIGTERM
    assert "still here" not in done.stdout


def test_an_ignored_signal_stays_ignored():
    done = run("""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        tagger, go = fit(send(signal.SIGINT), )
        tagger.learner = LBFGS(max_iterations=5)
        go()
        print(tagger.history_.reason, signal.getsignal(signal.SIGINT) == signal.SIG_IGN)
    """)
    assert done.stdout in {"iterations True\n", "value True\n", "gradient True\n"}, done.stderr


@pytest.mark.parametrize("work", ["go()", "tagger.predict(words * 200)"])
def test_a_daemon_thread_ends_quietly_with_the_program(work):
    done = run(f"""
        import threading, time
        tagger, go = fit(None)
        go()
        words = [list(sentence["word"]) for sentence in train]
        for _ in range(3):  # they wait for the lock when Python begins to end
            threading.Thread(target=lambda: [{work} for _ in iter(int, 1)], daemon=True).start()
        time.sleep(0.1)
        print("over")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (0, "over\n", "")


def test_training_in_another_thread_leaves_signals_alone():
    done = run("""
        import threading
        before = signal.getsignal(signal.SIGINT)
        seen = []
        tagger, go = fit(lambda epoch: seen.append(signal.getsignal(signal.SIGINT)))
        tagger.learner = LBFGS(max_iterations=3)
        thread = threading.Thread(target=go)
        thread.start()
        thread.join()
        print(set(seen) == {before}, tagger.history_.reason != "interrupted")
    """)
    assert done.stdout == "True True\n", done.stderr


def test_handlers_come_back_whatever_happens():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(RuntimeError), Interruptible():
        raise RuntimeError
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_first_signal_is_noted_and_restores_the_handler():
    heard = []
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("mine"))
    try:
        mine = signal.getsignal(signal.SIGTERM)
        with Interruptible() as interruptible:
            assert interruptible.asked is None
            os.kill(os.getpid(), signal.SIGTERM)
            assert interruptible.asked == "SIGTERM"
            assert signal.getsignal(signal.SIGTERM) is mine
            os.kill(os.getpid(), signal.SIGTERM)
        assert heard == ["mine"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_outside_the_main_thread_it_does_nothing():
    found = []

    def work():
        with Interruptible() as interruptible:
            found.append((interruptible.asked, signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(None, signal.getsignal(signal.SIGTERM))]


def test_the_first_guess_is_left_in_the_midst_of_an_epoch(monkeypatch):
    """With many labels epochs take long, and so does trying out rates; nothing was learned when it is left there."""
    X, y = [[[f"w{i}"]] for i in range(1000)], [[f"L{i}"] for i in range(1000)]
    asked = []

    begin = _core.averaged_start

    def interrupted(task, theta, *options):
        begin(task, theta, *options[:-1], lambda: bool(asked.append(True)))
        assert not theta.any()

    monkeypatch.setattr(_core, "averaged_start", interrupted)
    CRF(None, LBFGS(max_iterations=1)).fit(X, y)
    assert asked == [True]
