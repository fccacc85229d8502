"""Clusters and learners that cannot do it are refused, with what to do."""

from dataclasses import replace

import pytest

import seqlab
from seqlab import _core
from seqlab.errors import ClusterError, OptionError, StoreError, TrainingWarning
from seqlab.families.linear.shards import LinearRecipe
from seqlab.scale.cluster import distributed as far
from seqlab.scale.cluster import losses
from seqlab.scale.cluster.workers import Workers

pytest.importorskip("distributed")


def fitted(stream, folder, client, learner=None):
    return seqlab.CRF("chunk", learner=learner or seqlab.LBFGS(max_iterations=2)).fit(
        stream, "chunk", cache=folder, client=client
    )


def test_learners_from_sentence_to_sentence(stream, tmp_path):
    with pytest.raises(OptionError, match="Perceptron goes from sentence to sentence"):
        seqlab.LinearTagger("chunk", learner=seqlab.Perceptron()).fit(
            stream, "chunk", cache=tmp_path, client="threads"
        )


@pytest.mark.parametrize("client", [3, object()])
def test_clients_of_another_kind(stream, tmp_path, client):
    with pytest.raises(OptionError, match=r"client must be a distributed.Client") as caught:
        fitted(stream, tmp_path, client)
    assert caught.value.option == "client"


def test_no_scheduler_there(stream, tmp_path, monkeypatch):
    monkeypatch.setattr(losses, "PATIENCE", 1)
    with pytest.raises(ClusterError, match=r"no scheduler at 'tcp://127.0.0.1:9'"):
        fitted(stream, tmp_path, "tcp://127.0.0.1:9")


def use_kernel(name):
    from seqlab import _core

    return _core.use_kernel(name)


def test_workers_with_another_kernel(client, stream, tmp_path):
    other = next(name for name in _core.kernels() if name != _core.kernel())
    own = _core.kernel()
    worker = min(client.nthreads())
    client.run(use_kernel, other, workers=[worker])
    try:
        with pytest.raises(OptionError, match=f"the worker {worker} has seqlab .* with the kernel '{other}'"):
            fitted(stream, tmp_path, client)
        with pytest.warns(TrainingWarning, match="it gets no work"):
            assert worker not in Workers(client).now()
    finally:
        client.run(use_kernel, own, workers=[worker])


def test_worker_that_dies_each_time_is_named(client, stream, tmp_path, monkeypatch):
    monkeypatch.setattr(losses, "RETRIES", 2)
    monkeypatch.setattr(
        far.Distributed, "_once", lambda *_: (_ for _ in ()).throw(losses.Lost(["tcp://there:1"]))
    )
    with pytest.raises(
        ClusterError, match="begun 3 times, and a worker was lost each time, the last one tcp://there:1"
    ):
        fitted(stream, tmp_path, client)


def test_cache_that_workers_do_not_see(client, stream, tmp_path, monkeypatch):
    real = LinearRecipe.of

    def elsewhere(*given, **options):
        return replace(real(*given, **options), rows=str(tmp_path / "elsewhere"))

    monkeypatch.setattr(LinearRecipe, "of", elsewhere)
    with pytest.raises(StoreError, match=r"elsewhere: worker tcp://.*a folder that all workers see"):
        fitted(stream, tmp_path, client)
