"""EM on a cluster is EM of one process."""

import signal
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

import seqlab
from seqlab.errors import OptionError

TAGS = sorted({tag for tags in seqlab.demo_corpus("train").column("pos") for tag in tags})


def tables(model):
    found = model.model_
    emitted = found.emissions
    more = emitted.probabilities if hasattr(emitted, "probabilities") else emitted.means
    return [found.pi, found.A, more]


def same(one, other):
    return all((a == b).all() for a, b in zip(tables(one), tables(other), strict=True))


@pytest.mark.parametrize("learner", [seqlab.BaumWelch(max_iterations=4), seqlab.HardEM(max_iterations=3)])
def test_cluster_is_one_process(client, stream, tmp_path, learner):
    here, far = (
        seqlab.HMM(4, learner=learner, column="pos").fit(stream, cache=tmp_path, client=place)
        for place in ("threads", client)
    )
    assert same(here, far)
    assert here.history_[-1].objective == far.history_[-1].objective
    assert here.history_[-1].more["bytes"] == 0
    tables_of = far.model_.pi.nbytes + far.model_.A.nbytes
    assert (
        far.history_[-1].more["bytes"] > 4 * tables_of
    )  # down to two workers, up one edge and to the driver


def test_shards_are_memory(client, stream, whole, tmp_path):
    """EM in memory adds up the same parts along the same tree."""
    make = lambda: seqlab.HMM(4, learner=seqlab.BaumWelch(max_iterations=5, restarts=2), column="pos")  # noqa: E731
    memory = make().fit(whole)
    for place in ("threads", client):
        shards = make().fit(stream, cache=tmp_path, client=place)
        assert same(shards, memory)
        assert shards.history_[-1].objective == memory.history_[-1].objective


def test_vectors_and_their_moments(client, tmp_path):
    chance = np.random.default_rng(3)
    X = [chance.normal(size=(int(n), 2)) + chance.integers(0, 2) * 4 for n in chance.integers(3, 40, 200)]
    learner = seqlab.BaumWelch(max_iterations=5)
    here, far, memory = (
        seqlab.HMM(2, seqlab.Gaussian(), learner=learner).fit(X, **where)
        for where in (
            {"cache": tmp_path, "client": "threads"},
            {"cache": tmp_path, "client": client},
            {},
        )
    )
    assert same(here, far)
    assert same(here, memory)


@pytest.mark.parametrize(
    "hmm", [seqlab.HMM(states=TAGS), seqlab.HMM(learner=seqlab.BaumWelch(max_iterations=2))]
)
def test_labels_and_weights_of_sentences(client, stream, whole, tmp_path, hmm):
    weights = [1.0 + i % 3 for i in range(len(whole))]
    memory = clone(hmm).fit(whole, "pos", sample_weight=weights)
    for place in ("threads", client):
        far = clone(hmm).fit(stream, "pos", sample_weight=weights, cache=tmp_path, client=place)
        assert same(far, memory)


def test_killed_worker_changes_no_bit(local_cluster, kill_one, stream, tmp_path):
    learner = seqlab.BaumWelch(max_iterations=4)
    here = seqlab.HMM(4, learner=learner, column="pos").fit(stream, cache=tmp_path, client="threads")
    with local_cluster(2) as client:

        def kill(epoch):
            if epoch.iteration == 1:
                kill_one(client)

        far = seqlab.HMM(4, learner=learner, column="pos").fit(
            stream, cache=tmp_path, client=client, callbacks=kill
        )
    assert same(here, far)


def test_counting_needs_no_cluster(stream, tmp_path):
    near, far = (
        seqlab.HMM().fit(stream, "pos", cache=tmp_path, **more) for more in ({}, {"client": "threads"})
    )
    assert near.score(stream_sentences(), "pos") == far.score(stream_sentences(), "pos")


def stream_sentences():
    return seqlab.demo_corpus("test")[:50]


KILLED = """
import os, signal, seqlab
from seqlab.scale import columns
columns.SHARD = columns.TOKEN * 1500
def kill(epoch):
    if epoch.iteration == 3:
        os.kill(os.getpid(), signal.SIGKILL)
files = seqlab.stream_corpus({files!r}, columns=("word", "pos", "chunk", "entity"))
seqlab.HMM(4, learner=seqlab.{learner}, column="pos").fit(
    files, cache={cache!r}, client={client!r}, checkpoint=seqlab.Checkpoint({kept!r}, every=0), callbacks=kill)
"""


@pytest.mark.parametrize("learner", ["BaumWelch(max_iterations=6, restarts=2)", "HardEM(max_iterations=6)"])
def test_killed_driver_goes_on_from_its_checkpoint(client, files, stream, tmp_path, learner):
    hmm = seqlab.HMM(4, learner=eval(f"seqlab.{learner}"), column="pos")
    here = clone(hmm).fit(stream, cache=tmp_path, client="threads")
    names = {"files": str(files / "part-*"), "cache": str(tmp_path), "kept": str(tmp_path / "kept")}
    text = KILLED.format(**names, learner=learner, client=client.scheduler.address)
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == -signal.SIGKILL
    began = []
    far = clone(hmm).fit(
        stream, cache=tmp_path, client=client, checkpoint=names["kept"], callbacks=began.append
    )
    assert began[0].iteration >= 2  # not from the start
    assert same(here, far)


def test_checkpoints_of_other_data_and_of_one_machine_are_refused(stream, tmp_path):
    hmm = seqlab.HMM(4, learner=seqlab.BaumWelch(max_iterations=3), column="pos")
    told = {"cache": tmp_path / "cache", "checkpoint": seqlab.Checkpoint(tmp_path / "kept", every=0)}

    def stop(epoch):
        raise KeyError

    with pytest.raises(KeyError):
        clone(hmm).fit(stream, client="threads", callbacks=stop, **told)
    with pytest.raises(OptionError, match="sums is nothing here and over shards there"):
        clone(hmm).fit(stream, **told)
    with pytest.raises(OptionError, match="learner__max_iterations is 4 here and 3 there"):
        clone(hmm).set_params(learner__max_iterations=4).fit(stream, client="threads", **told)
