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
import os, signal, sys, time, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
warnings.simplefilter("always")
from seqlab import CRF, LBFGS, demo_corpus
train = demo_corpus("train")[:30]

def send(*numbers, at=2):
    left = list(numbers)  # each once: with restarts several runs come to this iteration, and a second press would quit
    def callback(epoch):
        if len(left) < len(numbers):  # in a thread: the main one, which runs the handler, must have its turn
            time.sleep(0.02)
        if epoch.iteration == at:
            while left:
                os.kill(os.getpid(), left.pop(0))
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
def test_the_first_signal_keeps_a_model_and_is_raised_again(name, order):
    done = run(f"""
        tagger, go = fit(send(signal.{name}), order={order})
        try:
            go()
        except (KeyboardInterrupt, SystemExit) as error:
            print(type(error).__name__, error)
        assert tagger.history_.reason == "interrupted", tagger.history_
        assert len(tagger.history_) == 3, len(tagger.history_)
        assert len(tagger.predict(train)) == 30
        assert tagger.model_.order == {order}
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        go = None
    """)
    number = getattr(signal, name)
    raised = "KeyboardInterrupt training was interrupted; the model has the best weights so far"
    assert done.stdout == (f"{raised}\n" if number == signal.SIGINT else f"SystemExit {128 + number}\n"), (
        done.stderr
    )
    assert done.stderr == ""


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_that_ends_programs_ends_this_one_in_good_order(name, code):
    done = run(f"""
        tagger, go = fit(send(signal.{name}))
        try:
            go()
        finally:
            print(len(tagger.history_))
        print("still here")
    """)
    assert (done.returncode, done.stdout, done.stderr) == (code, "3\n", "")


def test_a_handler_of_ones_own_is_called_when_the_model_is_there():
    done = run("""
        signal.signal(signal.SIGTERM, lambda *_: print("mine", len(tagger.history_)))
        tagger, go = fit(send(signal.SIGTERM))
        go()
        print(tagger.history_.reason)
    """)
    assert done.stdout == "mine 3\ninterrupted\n", done.stderr
    assert "training was interrupted by SIGTERM; the model has the best weights so far" in done.stderr


FAMILIES = {  # made, how it is fitted, and how far it came
    "linear": (
        "LinearTagger('word[0]', Perceptron(epochs=1000))",
        "fit(train, 'pos', callbacks=stop)",
        "history_",
    ),
    "sgd": ("CRF('word[0]', SGD(epochs=1000, tolerance=0))", "fit(train, 'pos', callbacks=stop)", "history_"),
    "memm": (
        "MEMM('word[0]', LBFGS(delta=0, epsilon=1e-12))",
        "fit(train, 'pos', callbacks=stop)",
        "history_",
    ),
    "partial": ("CRF('word[0]', LBFGS(delta=0))", "partial_fit(train, 'pos', callbacks=stop)", "history_"),
    "em": (
        "HMM(n_states=3, learner=BaumWelch(tolerance=0, max_iterations=1000))",
        "fit(words, callbacks=stop)",
        "history_",
    ),
    "restarts": (
        "HMM(n_states=3, learner=BaumWelch(tolerance=0, max_iterations=1000, restarts=3))",
        "fit(words, callbacks=stop)",
        "history_",
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_keeps_what_it_has(family):
    made, fitting, history = FAMILIES[family]
    done = run(f"""
        from seqlab import *
        stop = send(signal.SIGINT)
        words = [list(sentence["word"]) for sentence in train]
        tagger = {made}
        try:
            tagger.{fitting}
        except KeyboardInterrupt:
            print("stopped", tagger.{history}.reason, 1 < len(tagger.{history}) < 100, len(tagger.predict(words)))
    """)
    assert done.stdout == "stopped interrupted True 30\n", done.stderr


@pytest.mark.parametrize(
    "learner", ["LogLinear(l2=0, max_iterations=None)", "ListPerceptron(epochs=100_000_000)"]
)
def test_a_reranker_keeps_what_it_has(learner):
    done = run(f"""
        import threading, time
        from seqlab import *
        X, y = [["a", "b"], ["b", "a"]] * 40, [["N", "V"], ["V", "N"]] * 20 + [["V", "V"], ["N", "V"]] * 20
        def later():
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGINT)
        from seqlab.families.rerank.learners import ListPerceptron, LogLinear
        tagger = Reranker(HMM().fit(X, y), learner={learner}, folds=None)
        from seqlab.families.rerank import learners
        likelihood = learners.RankLikelihood.__call__
        def slow(*given):
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
            return likelihood(*given)
        learners.RankLikelihood.__call__ = slow
        threading.Thread(target=later, daemon=True).start()
        try:
            tagger.fit(X, y)
        except KeyboardInterrupt:
            print("stopped", tagger.learned_.reason, tagger.predict(X[:1]) is not None)
    """)
    assert done.stdout == "stopped interrupted True\n", done.stderr


def test_a_mixture_keeps_what_it_has():
    done = run("""
        import numpy as np
        from seqlab import GaussianMeans
        from seqlab.families.mixture import tagger as room
        mixture = GaussianMeans(n_components=3, epochs=1_000_000, tolerance=0)
        train_one = room._EM.train
        def train(self, *given):
            *rest, report = given
            stop = send(signal.SIGINT)
            return train_one(self, *rest, lambda progress: report(progress) if stop(progress) is None else None)
        room._EM.train = train
        try:
            mixture.fit(np.random.default_rng(0).normal(size=(200, 2)))
        except KeyboardInterrupt:
            print("stopped", len(mixture.fit_.log_likelihood) < 100, len(mixture.predict([[0.0, 0.0]])))
    """)
    assert done.stdout == "stopped True 1\n", done.stderr


def test_a_search_of_scikit_learn_stops():
    pytest.importorskip("sklearn")
    done = run("""
        from sklearn.model_selection import GridSearchCV
        from seqlab import LinearTagger, Perceptron
        X, y = [list(s["word"]) for s in train], [list(s["pos"]) for s in train]
        seen = []
        class Slow(CRF):
            def fit(self, X, y, **options):
                seen.append(self.min_count)
                return super().fit(X, y, callbacks=send(signal.SIGINT))
        try:
            GridSearchCV(Slow("word[0]", LBFGS(delta=0)), {"min_count": [1, 2, 3]}, cv=3).fit(X, y)
        except KeyboardInterrupt:
            print("stopped", seen)
    """)
    assert done.stdout == "stopped [1]\n", done.stderr


def test_nothing_is_kept_before_the_first_epoch():
    done = run("""
        from seqlab.families.linear import training
        tagger, go = fit(None)
        trained = training.Monitor.over
        def over(self, train):
            def early(report):
                os.kill(os.getpid(), signal.SIGINT)
                return train(report)
            return trained(self, early)
        training.Monitor.over = over
        tagger.learner = LBFGS(start_epochs=0)
        import time
        from seqlab import _core
        X, y = [[f"w{i}" for i in range(500)]] * 4, [[f"L{i}" for i in range(500)]] * 4
        try:
            tagger.fit(X * 200, y * 200)
        except KeyboardInterrupt as error:
            print(error, hasattr(tagger, "model_"))
    """)
    assert done.stdout == "training was interrupted; there are no weights yet False\n", done.stderr


def test_the_best_weights_so_far_are_kept():
    done = run("""
        tagger, go = fit(send(signal.SIGINT, at=4))
        try:
            go(dev=demo_corpus("test")[:20])
        except KeyboardInterrupt:
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
    begin, flag, left = _core.averaged_start, _core.Flag(), []

    def interrupted(task, theta, *options):
        threading.Timer(0.1, flag.set).start()
        try:
            begin(task, theta, *options)
        finally:
            left.append(theta.any())

    monkeypatch.setattr(_core, "averaged_start", interrupted)
    with flag, pytest.raises(_core.Stopped):
        CRF(None, LBFGS(max_iterations=1)).fit(X, y)
    assert left == [False]
