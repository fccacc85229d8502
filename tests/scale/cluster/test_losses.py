"""Workers that are killed: sums and files are begun anew, and given up with the name of the worker."""

import gc
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from seqlab.errors import ClusterError
from seqlab.scale.cluster import files, losses
from seqlab.scale.cluster.distributed import Distributed

pytest.importorskip("distributed")


@dataclass(frozen=True)
class Deadly:
    """Shards that answer with their number; one of them kills its worker, the first few times that it is touched."""

    folder: str
    deaths: int
    count: int = 5

    def open(self, number):
        return Shard(self, number)


@dataclass(frozen=True)
class Shard:
    recipe: Deadly
    number: int

    def answer(self, what, given, threads):
        if self.number == 3:
            die(self.recipe.folder, self.recipe.deaths)
        return {"value": given * (0.1 + self.number)}


def die(folder, times):
    """Kill this process, unless that happened so many times before."""
    done = sum(1 for _ in Path(folder).iterdir())
    if done < times:
        (Path(folder) / str(done)).touch()
        os.kill(os.getpid(), signal.SIGKILL)


def right(given, count=5):
    a, b, c, d, e = (given * (0.1 + number) for number in range(count))
    return ((a + b) + (c + d)) + e


def test_sum_survives_several_deaths(mortals, tmp_path):
    given = np.arange(4.0)
    with mortals(3) as client:
        sums = Distributed(client, Deadly(str(tmp_path), 2))
        found = sums.total("", given)["value"]
        assert (found == right(given)).all()
        assert sums.lost == 2
        assert len(client.nthreads()) == 1
        assert (sums.total("", given)["value"] == found).all()


def test_what_always_kills_is_given_up_with_the_name_of_a_worker(mortals, tmp_path, monkeypatch):
    monkeypatch.setattr(losses, "RETRIES", 1)
    with mortals(4) as client:
        before = set(client.nthreads())
        with pytest.raises(ClusterError, match=r"begun 2 times, and a worker was lost each time") as caught:
            Distributed(client, Deadly(str(tmp_path), 2)).total("", np.ones(3))
        left = set(client.nthreads())
        assert len(left) == 2
        assert any(f"the last one {gone};" in str(caught.value) for gone in before - left)
        client.run_on_scheduler(allow, 1)
        jobs = [(f"file-{i}", str(tmp_path)) for i in range(3)]
        with pytest.raises(ClusterError, match=r"each of the 2 times that it had 'file-1'") as caught:
            list(files.spread(deadly, jobs, client))
        assert any(f"the last one {gone};" in str(caught.value) for gone in left)


def deadly(name, folder):
    if name == "file-1":
        die(folder, 1000)
    return name


def test_more_failures_are_allowed_for_our_keys_alone(mortals, tmp_path, monkeypatch):
    from distributed import KilledWorker

    monkeypatch.setattr(losses, "RETRIES", 2)
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    with mortals(3) as client:
        client.run_on_scheduler(allow, 0)
        losses.raise_allowed_failures(client)
        losses.raise_allowed_failures(client)  # twice is once
        ours = client.submit(die, str(tmp_path / "ours"), 2, key=f"{losses.KEYS}mine")
        assert ours.result() is None
        with pytest.raises(KilledWorker):
            client.submit(die, str(tmp_path / "theirs"), 2, key="theirs").result()
        assert client.run_on_scheduler(allowed) == 0
    assert len(list((tmp_path / "ours").iterdir())) == 2


def test_scheduler_needs_no_seqlab_to_allow_more():
    """What it gets is sent by value."""
    cloudpickle = pytest.importorskip("cloudpickle")
    sent = cloudpickle.dumps(losses._plugin("seqlab-", 8))
    text = "import pickle, sys; sys.modules['seqlab'] = None; print(pickle.load(sys.stdin.buffer).name)"
    done = subprocess.run([sys.executable, "-c", text], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "seqlab-allowed-failures-8"


def allow(number, dask_scheduler):
    dask_scheduler.allowed_failures = number


def allowed(dask_scheduler):
    return dask_scheduler.allowed_failures


def test_a_sum_that_is_given_up_leaves_no_error_of_dask(mortals, tmp_path, monkeypatch, caplog):
    """asyncio shows users what nobody has asked for: "Task exception was never retrieved"."""
    monkeypatch.setattr(losses, "LOOK", 0.01)
    with mortals(3) as client, caplog.at_level("ERROR", "asyncio"):
        sums, given = Distributed(client, Deadly(str(tmp_path), 2)), np.arange(4.0)
        assert (sums.total("", given)["value"] == right(given)).all()
        assert sums.lost
        client.nthreads()
        gc.collect()
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_vectors_may_take_longer_than_a_look_at_the_workers(client, tmp_path, monkeypatch):
    monkeypatch.setattr(losses, "LOOK", 1e-4)
    given = np.arange(100_000.0)
    assert (Distributed(client, Deadly(str(tmp_path), 0)).total("", given)["value"] == right(given)).all()


def test_workers_that_cannot_be_reached_get_vectors_from_the_scheduler(client, tmp_path, monkeypatch):
    sums = Distributed(client, Deadly(str(tmp_path), 0))
    monkeypatch.setattr(sums._workers, "reached", lambda _: False)
    given = np.arange(4.0)
    assert (sums.total("", given)["value"] == right(given)).all()


def test_reached_workers_are_those_that_answer(client):
    sums = Distributed(client, Deadly("", 0))
    assert sums._workers.reached(min(client.nthreads()))
    assert not sums._workers.reached("tcp://127.0.0.1:9")


def test_scheduler_that_is_killed_ends_with_its_name(scheduler, tmp_path):
    from distributed import Client

    main, address = scheduler()
    with Client(address, set_as_default=False) as client:
        sums = Distributed(client, Deadly(str(tmp_path), 0))
        assert sums.total("", np.ones(3))["value"].shape == (3,)
        main.kill()
        began = time.monotonic()
        with pytest.raises(ClusterError, match=r"scheduler .*127\.0\.0\.1"):
            sums.total("", np.ones(3))
        assert time.monotonic() - began < 120
