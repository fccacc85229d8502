"""Sums on a cluster are those of one process, whoever computes them, and whoever dies."""

import signal
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab.scale.cluster import distributed, sums, workers

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


def dies_at_its_second_question():
    """Let this process kill itself in the midst of a sum."""
    import os
    import signal

    from seqlab.families.linear.shards import LinearShard

    usual, asked = LinearShard.answer, []

    def answer(self, what, given, threads):
        asked.append(what)
        if len(asked) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return usual(self, what, given, threads)

    LinearShard.answer = answer


def test_killed_worker_changes_no_bit(stream, tmp_path, local_cluster):
    """The headline: kill -9 of a worker in the midst of a sum."""
    here = crf().fit(stream, "chunk", cache=tmp_path, client="threads")
    with local_cluster(2) as client:
        before = client.nthreads()

        def arm(epoch):
            if epoch.iteration == 2:
                client.run(dies_at_its_second_question, workers=[max(before)])

        far = crf().fit(stream, "chunk", cache=tmp_path, client=client, callbacks=arm)
        assert max(before) not in client.nthreads()
    assert (here.model_.theta == far.model_.theta).all()


def test_number_of_workers_changes_no_bit(stream, tmp_path, local_cluster, kill_one):
    """The only worker is killed, then two join in the midst of a training, then there are three."""
    here = crf().fit(stream, "chunk", cache=tmp_path, client="threads")
    with local_cluster(1) as client:

        def change(epoch):
            if epoch.iteration == 1:
                kill_one(client)
            if epoch.iteration == 3:
                client.cluster.scale(3)
                client.wait_for_workers(3)

        far = crf().fit(stream, "chunk", cache=tmp_path, client=client, callbacks=change)
        assert (here.model_.theta == far.model_.theta).all()
        assert sum(client.run(received).values())  # the others took part: vectors went from worker to worker
        three = crf().fit(stream, "chunk", cache=tmp_path, client=client.cluster.scheduler_address)
        assert (here.model_.theta == three.model_.theta).all()


def test_bytes_are_weights_down_and_vectors_up(client, tmp_path):
    """Weights once a worker, a vector for every edge of the tree between workers, and one for the driver."""
    sums = distributed.Distributed(client, Numbers(5))
    theta = np.arange(1000.0)
    before = sum(client.run(received).values())
    assert (sums.total("", theta)["value"] == 5 * theta).all()
    places = sums._place
    assert places == [places[0]] * 3 + [places[4]] * 2  # (((01)(23))4): two edges between the workers
    assert sums.moved == (2 + 2 + 1) * theta.nbytes
    counted = sum(client.run(received).values()) - before  # by Dask, from worker to worker
    assert counted == pytest.approx((1 + 2) * theta.nbytes, rel=0.3)


def received(dask_worker):
    return sum(one["total"] for one in dask_worker.transfer_incoming_log)


def test_bytes_are_told_for_every_iteration(client, stream, tmp_path):
    far = crf().fit(stream, "chunk", cache=tmp_path, client=client)
    sent = far.history_[-1].more["bytes"]
    assert sent >= 4 * far.model_.theta.nbytes  # down to two workers, up one edge and to the driver
    assert sent % 8 == 0


@dataclass(frozen=True)
class Numbers:
    count: int

    def open(self, number):
        return self

    def answer(self, what, given, threads):
        return {"value": given}


def text(parts):
    return sums.tree(parts, lambda left, right: f"({left}{right})")


def test_tree_joins_neighbours_in_a_fixed_order():
    assert [text((0, str(i)) for i in range(n)) for n in (1, 2, 3, 5, 7)] == [
        "0",
        "(01)",
        "((01)2)",
        "(((01)(23))4)",
        "(((01)(23))((45)6))",
    ]


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=40).map(sorted)
    | st.lists(st.sampled_from("ab"), min_size=1)
)
def test_subtrees_of_workers_are_joined_as_single_shards_are(place):
    """Whoever has which shards, the same pairs are added."""
    found = sums.blocks(place)
    starts = [first for _, first in found]
    assert starts == sorted(starts)
    assert sum(1 << height for height, _ in found) == len(place)
    own = [list(place[first : first + (1 << height)]) for height, first in found]
    assert all(len(set(one)) == 1 for one in own)
    parts = (
        (height, text((0, f"{i}.") for i in range(first, first + (1 << height)))) for height, first in found
    )
    assert text(parts) == text((0, f"{i}.") for i in range(len(place)))


def test_workers_have_large_subtrees():
    place = workers.assigned(6250, [f"{i:03}" for i in range(100)])
    each = [place.count(one) for one in sorted(set(place))]
    assert max(each) == 64  # and not 63
    assert len(sums.blocks(place)) <= len(each) + 10
    assert [workers._share(count, 2) for count in (1, 5, 7, 10, 16, 62)] == [1, 3, 4, 5, 8, 32]


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
from seqlab.scale import columns
columns.SHARD = columns.TOKEN * 1500
def kill(epoch):
    if epoch.iteration == 3:
        os.kill(os.getpid(), signal.SIGKILL)
files = seqlab.stream_corpus({files!r}, columns=("word", "pos", "chunk", "entity"))
seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=6)).fit(
    files, "chunk", cache={cache!r}, client={client!r}, checkpoint=Checkpoint({kept!r}, every=0), callbacks=kill)
"""


def test_killed_driver_goes_on_from_its_checkpoint(client, files, stream, tmp_path):
    here = crf().fit(stream, "chunk", cache=tmp_path, client="threads")
    names = {"files": str(files / "part-*"), "cache": str(tmp_path), "kept": str(tmp_path / "kept")}
    names["client"] = client.scheduler.address
    done = subprocess.run([sys.executable, "-c", KILLED.format(**names)], check=False)
    assert done.returncode == -signal.SIGKILL
    began = []
    resumed = crf().fit(
        stream, "chunk", cache=tmp_path, client=client, checkpoint=names["kept"], callbacks=began.append
    )
    assert began[0].iteration >= 2  # not from the start
    assert (here.model_.theta == resumed.model_.theta).all()
