"""Rows of the table of bits in docs/reliability.md that no other file tests: runs, kernels, and the shell."""

import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

import seqlab
from seqlab import inference
from seqlab.cli import main

PROGRAM = """
import hashlib, json, sys, tempfile, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import numpy as np
import seqlab
from faults.altered_models import recipes
from seqlab import store

def arrays(model):
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder + "/m")
        found = store.read(folder + "/m", mapped=False).arrays
    return {name: one for name, one in found.items() if "history" not in name and "seconds" not in name}

def digest(model):
    whole = hashlib.sha256()
    for name, one in sorted(arrays(model).items()):
        whole.update(name.encode() + np.ascontiguousarray(one).tobytes())
    return whole.hexdigest()

told = {kind: digest(make()) for kind, make in recipes().items()}
train, test = seqlab.demo_corpus("train")[:60], seqlab.demo_corpus("test")[:40]
threads = int(sys.argv[2])
crf = seqlab.CRF("chunk", seqlab.LBFGS(max_iterations=15), threads=threads).fit(train, "chunk")
told["labels"] = crf.predict(test, threads=threads)
told["objective"] = crf.history_[-1].objective
told["theta"] = hashlib.sha256(crf.model_.theta.tobytes()).hexdigest()
print(json.dumps(told))
"""


@cache
def told(threads, **environment):
    """What a process of its own has learned and answers."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH120, PTH100
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, folder, str(threads)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_runs_have_the_same_bits_whatever_the_seed_of_hashes_and_the_threads():
    one, other = told(1, PYTHONHASHSEED="0"), told(3, PYTHONHASHSEED="1")
    assert len(one) > 20
    assert {kind for kind in one if one[kind] != other[kind]} == set()


@pytest.mark.skipif(len(inference.kernels()) < 2, reason="this machine has one kernel")
def test_kernels_learn_alike_within_rounding():
    best, plain = told(1, PYTHONHASHSEED="0"), told(1, PYTHONHASHSEED="0", SEQLAB_KERNEL="baseline")
    assert best["labels"] == plain["labels"]
    assert best["objective"] == pytest.approx(plain["objective"], rel=1e-3)  # of 15 iterations in float32


def test_the_shell_learns_the_bits_that_python_learns(tmp_path, capsys):
    train = seqlab.demo_corpus("train")[:40]
    seqlab.write(train.select("word", "pos"), tmp_path / "train.txt")
    target = tmp_path / "m.model"
    words = [
        "train",
        str(tmp_path / "train.txt"),
        "-o",
        str(target),
        "-m",
        "perceptron",
        "--features",
        "pos",
        "-q",
    ]
    assert main(words) == 0, capsys.readouterr().err
    shell = seqlab.load(target)
    near = type(shell)(shell.features, shell.learner).fit(seqlab.read(tmp_path / "train.txt"), shell.column_)
    assert np.array_equal(shell.model_.theta, near.model_.theta)
    assert shell.labels_ == near.labels_
