"""Sums on a cluster are those of one process, whoever computes them, and whoever dies."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import seqlab
from seqlab.scale.cluster import sums, workers

LEARNERS = {
    "lbfgs": seqlab.LBFGS(max_iterations=6),
    "l1": seqlab.LBFGS(l1=0.5, max_iterations=6),
    "conjugate gradients": seqlab.ConjugateGradient(max_iterations=4),
}


def crf(learner="lbfgs", kind=seqlab.CRF, **options):
    return kind("chunk", learner=LEARNERS[learner], **options)


@pytest.mark.parametrize(
    ("learner", "kind"), [(name, seqlab.CRF) for name in LEARNERS] + [("lbfgs", seqlab.MEMM)]
)
def test_cluster_is_one_process(client, stream, tmp_path, learner, kind):
    here = crf(learner, kind).fit(stream, "chunk", cache=tmp_path, client="threads")
    far = crf(learner, kind).fit(stream, "chunk", cache=tmp_path, client=client)
    assert (here.model_.theta == far.model_.theta).all()
    assert [one.objective for one in here.history_] == [one.objective for one in far.history_]


def test_shards_are_one_sum_within_rounding(stream, whole, tmp_path):
    learner = seqlab.LBFGS(start_epochs=0, dtype="float64", max_iterations=200, delta=0.0)
    shards = seqlab.CRF("chunk", learner=learner).fit(stream, "chunk", cache=tmp_path, client="threads")
    memory = seqlab.CRF("chunk", learner=learner).fit(whole, "chunk")
    assert shards.history_[0].objective == pytest.approx(memory.history_[0].objective, rel=1e-12)
    assert shards.history_[-1].objective == pytest.approx(memory.history_[-1].objective, rel=1e-6)
    assert np.allclose(shards.model_.theta, memory.model_.theta, atol=1e-3)


def test_threads_do_not_matter(stream, tmp_path):
    one, two = (crf(threads=n).fit(stream, "chunk", cache=tmp_path, client="threads") for n in (1, 2))
    assert (one.model_.theta == two.model_.theta).all()


@pytest.mark.parametrize("options", [{"states": "all", "transitions": "all"}, {"order": 2, "keep": 0}])
def test_every_pair_and_higher_orders(client, stream, tmp_path, options):
    here = crf(**options).fit(stream, "chunk", cache=tmp_path, client="threads")
    far = crf(**options).fit(stream, "chunk", cache=tmp_path, client=client)
    assert (here.model_.theta == far.model_.theta).all()


def word_of(tokens, position):
    return [f"w={tokens[position]}"]


def test_features_of_python(client, stream, tmp_path):
    taggers = [seqlab.CRF(word_of, learner=LEARNERS["lbfgs"]) for _ in range(2)]
    for tagger, place in zip(taggers, ("threads", client), strict=True):
        tagger.fit(stream, "chunk", cache=tmp_path, client=place)
    assert (taggers[0].model_.theta == taggers[1].model_.theta).all()


def test_killed_and_joining_workers_change_no_bit(stream, tmp_path, local_cluster, kill_one):
    """The headline: kill -9 of a worker in mid-iteration, and one that takes its place."""
    here = crf().fit(stream, "chunk", cache=tmp_path, client="threads")
    killed = []
    with local_cluster(2) as client:

        def kill(epoch):
            if epoch.iteration == 2:  # in the midst of the next sum
                threading.Timer(0.03, lambda: killed.append(kill_one(client))).start()
                time.sleep(0.02)

        far = crf().fit(stream, "chunk", cache=tmp_path, client=client, callbacks=kill)
        assert killed
    assert (here.model_.theta == far.model_.theta).all()


def test_only_worker_is_killed(stream, tmp_path, local_cluster, kill_one):
    here = crf().fit(stream, "chunk", cache=tmp_path, client="threads")
    with local_cluster(1) as client:

        def kill(epoch):
            if epoch.iteration == 1:
                kill_one(client)

        far = crf().fit(stream, "chunk", cache=tmp_path, client=client, callbacks=kill)
        assert (here.model_.theta == far.model_.theta).all()
        client.cluster.scale(3)
        client.wait_for_workers(3)
        three = crf().fit(stream, "chunk", cache=tmp_path, client=client.cluster.scheduler_address)
        assert (here.model_.theta == three.model_.theta).all()


def test_bytes_are_counted(client, stream, tmp_path):
    far = crf().fit(stream, "chunk", cache=tmp_path, client=client)
    vector = far.model_.theta.nbytes
    sent = far.history_[-1].more["bytes"]
    assert sent >= 4 * vector  # down to two workers, up one edge and to the driver
    assert sent % 8 == 0


def test_tree_joins_neighbours_in_a_fixed_order():
    def text(count):
        return sums.tree(count, str, lambda left, right: f"({left}{right})")

    assert [text(n) for n in (1, 2, 3, 5, 7)] == [
        "0",
        "(01)",
        "((01)2)",
        "(((01)(23))4)",
        "(((01)(23))((45)6))",
    ]


def test_shards_stay_with_their_workers():
    first = workers.assigned(7, ["a", "b"])
    assert first == ["a"] * 4 + ["b"] * 3
    assert workers.assigned(7, ["b"], first) == ["b"] * 7
    joined = workers.assigned(7, ["a", "b", "c"], first)
    assert sorted(map(joined.count, "abc")) == [1, 3, 3]
    assert sum(one != other for one, other in zip(first, joined, strict=True)) == 1
    assert workers.assigned(4, ["c", "d"], ["c", "", "c", "d"]) == ["c", "d", "c", "d"]


KILLED = """
import os, signal, seqlab
from seqlab import Checkpoint
def kill(epoch):
    if epoch.iteration == 3:
        os.kill(os.getpid(), signal.SIGKILL)
files = seqlab.stream_corpus({files!r}, columns=("word", "pos", "chunk", "entity"))
seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=6)).fit(
    files, "chunk", cache={cache!r}, client="threads", checkpoint=Checkpoint({kept!r}, every=0), callbacks=kill)
"""


def test_killed_driver_goes_on_from_its_checkpoint(client, files, stream, tmp_path):
    here = crf().fit(stream, "chunk", cache=tmp_path, client="threads")
    names = {"files": str(files / "part-*"), "cache": str(tmp_path), "kept": str(tmp_path / "kept")}
    done = subprocess.run([sys.executable, "-c", KILLED.format(**names)], check=False)
    assert done.returncode == -signal.SIGKILL
    began = []
    resumed = crf().fit(
        stream, "chunk", cache=tmp_path, client=client, checkpoint=names["kept"], callbacks=began.append
    )
    assert began[0].iteration >= 2  # not from the start
    assert (here.model_.theta == resumed.model_.theta).all()
