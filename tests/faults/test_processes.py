"""Processes may fork and spawn at any time: the child trains and tags as its parent does."""

import os
import subprocess
import sys
import textwrap

import pytest

HEAD = """
import multiprocessing, os, sys, threading, time, warnings
import numpy as np
import seqlab
from seqlab import inference
from seqlab.trellis import Trellis

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"]] * 20
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"]] * 20

def answers(_=None):
    warnings.simplefilter("ignore")
    crf = seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=3), threads=3).fit(WORDS, TAGS)
    online = seqlab.LinearTagger("word[0]", seqlab.Perceptron(epochs=2), threads=3).fit(WORDS, TAGS)
    em = seqlab.HMM(n_states=3, learner=seqlab.BaumWelch(max_iterations=2, restarts=2), threads=3).fit(WORDS)
    return [
        crf.model_.theta.tobytes().hex(), online.model_.theta.tobytes().hex(), em.log_likelihood(WORDS[0]),
        crf.predict(WORDS, threads=3), [one.labels for one in crf.nbest(WORDS[0], 3)],
        [str(token) for token in seqlab.RuleTokeniser()("The old man. He sleeps!").tokens],
    ]

def in_child(expected):
    child = os.fork()
    if not child:
        os._exit(0 if answers() == expected else 1)
    return os.waitpid(child, 0)[1]
"""


def run(program):
    code = HEAD + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_of_a_fork_has_the_answers_of_its_parent_before_and_after_threads_were_used():
    assert (
        run("""
        child = os.fork()
        if not child:
            answers()
            os._exit(0)
        first = os.waitpid(child, 0)[1]
        expected = answers()
        print(first, in_child(expected), answers() == expected, in_child(expected))
    """)
        == "0 0 True 0\n"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_program_may_fork_while_its_threads_are_in_the_core():
    assert (
        run("""
        expected = answers()
        batch = [Trellis(np.zeros((50, 100)), np.zeros((100, 100)))] * 50
        over = threading.Event()
        def work():
            while not over.is_set():
                inference.posterior(batch, threads=2)
        threads = [threading.Thread(target=work) for _ in range(2)]
        for one in threads:
            one.start()
        time.sleep(0.1)
        found = [in_child(expected) for _ in range(5)]
        over.set()
        for one in threads:
            one.join()
        print(found)
    """)
        == "[0, 0, 0, 0, 0]\n"
    )


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_every_method_have_the_same_answers(method, tmp_path):
    program = tmp_path / "program.py"
    body = f"""
    if __name__ == "__main__":
        expected = answers()
        if {method!r} not in multiprocessing.get_all_start_methods():
            print("ok")
            raise SystemExit
        with multiprocessing.get_context({method!r}).Pool(2) as pool:
            found = pool.map(answers, range(2))
        print("ok" if found == [expected] * 2 else "other answers")
    """
    program.write_text(HEAD + textwrap.dedent(body))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_models_that_are_mapped_go_to_other_processes(method, tmp_path):
    program = tmp_path / "program.py"
    body = f"""
    def tagged(given):
        return given[0].predict(given[1], threads=2)

    if __name__ == "__main__":
        if {method!r} not in multiprocessing.get_all_start_methods():
            print("ok")
            raise SystemExit
        warnings.simplefilter("ignore")
        seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=3)).fit(WORDS, TAGS).save({str(tmp_path / "m")!r})
        model = seqlab.load({str(tmp_path / "m")!r})
        with multiprocessing.get_context({method!r}).Pool(2) as pool:
            found = pool.map(tagged, [(model, WORDS)] * 2)
        print("ok" if found == [model.predict(WORDS)] * 2 else "other answers")
    """
    program.write_text(HEAD + textwrap.dedent(body))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
