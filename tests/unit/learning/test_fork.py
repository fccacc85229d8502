"""A callback may fork: the threads of the training stay with the parent, and the child can go on all the same."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
from seqlab import CRF, {learner}, demo_corpus

corpus = demo_corpus("train")[:60]
forked = []

def fork_once(epoch):
    if forked:
        return
    forked.append(os.fork())
    if not forked[0]:  # threads of the child's own, before those of the parent are let go
        CRF("word[0]", {learner}(max_iterations=2), threads=3).fit(corpus, "pos")

CRF("word[0]", {learner}(max_iterations=4), threads=4).fit(corpus, "pos", callbacks=fork_once)
if not forked[0]:
    os._exit(0)
print(os.waitpid(forked[0], 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("learner", ["LBFGS", "ConjugateGradient"])
def test_a_callback_may_fork_and_the_child_may_train(learner):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT.format(learner=learner)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
