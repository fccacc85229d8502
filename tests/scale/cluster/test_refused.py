"""Clusters and learners that cannot do it are refused, with what to do."""

from dataclasses import replace

import pytest

import seqlab
from seqlab import _core
from seqlab.errors import ClusterError, OptionError, StoreError, TrainingWarning
from seqlab.families.linear.shards import LinearRecipe
from seqlab.scale.cluster import files, losses
from seqlab.scale.cluster.workers import Workers

pytest.importorskip("distributed")


def fitted(stream, folder, client, learner=None, **options):
    return seqlab.CRF("chunk", learner=learner or seqlab.LBFGS(max_iterations=2)).fit(
        stream, "chunk", cache=folder, client=client, **options
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


def use_version(name):
    import seqlab

    before = seqlab.__version__
    seqlab.__version__ = name
    return before


def test_workers_with_another_version(client, stream, tmp_path):
    worker = max(client.nthreads())
    own = client.run(use_version, "0.0.1", workers=[worker])[worker]
    try:
        with pytest.raises(
            OptionError, match=f"the worker {worker} has seqlab 0.0.1 .* but this process has"
        ):
            fitted(stream, tmp_path, client)
        with pytest.raises(OptionError, match=f"the worker {worker} has seqlab 0.0.1"):
            list(files.spread(print, [("a",)], client))
    finally:
        client.run(use_version, own, workers=[worker])


def test_worker_with_another_kernel_that_joins_later_gets_no_work(stream, tmp_path, local_cluster):
    other = next(name for name in _core.kernels() if name != _core.kernel())
    here = fitted(stream, tmp_path, "threads")
    with local_cluster(1) as client:

        def join(epoch):
            if epoch.iteration == 0:
                client.cluster.scale(2)
                client.wait_for_workers(2)
                client.run(use_kernel, other, workers=[max(set(client.nthreads()) - first)])

        first = set(client.nthreads())
        with pytest.warns(TrainingWarning, match="it gets no work"):
            far = fitted(stream, tmp_path, client, callbacks=join)
    assert (here.model_.theta == far.model_.theta).all()


def test_cache_that_workers_do_not_see(client, stream, tmp_path, monkeypatch):
    real = LinearRecipe.of

    def elsewhere(*given, **options):
        return replace(real(*given, **options), rows=str(tmp_path / "elsewhere"))

    monkeypatch.setattr(LinearRecipe, "of", elsewhere)
    with pytest.raises(StoreError, match=r"elsewhere: worker tcp://.*a folder that all workers see"):
        fitted(stream, tmp_path, client)
