"""Shards that are removed, cut off or changed while a training reads them: an error, never a crash or another model."""

import os
import subprocess
import sys

import numpy as np
import pytest

import seqlab
from seqlab import CRF, LBFGS, MEMM, LinearTagger, Perceptron
from seqlab.errors import StoreError
from seqlab.families.linear import far


def altered(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    when = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_bytes(content)
    os.utime(path, ns=when)  # neither size nor time of writing tell


HOW = {
    "removed": lambda path: path.unlink(),
    "cut": lambda path: os.truncate(path, 100),
    "emptied": lambda path: os.truncate(path, 0),
    "altered": altered,
}
# A thread keeps the labels that it read last, so one of several threads may never need the file again.
MODELS = {
    "lbfgs": lambda: CRF("chunk", LBFGS(max_iterations=6), threads=1),
    "memm": lambda: MEMM("chunk", LBFGS(max_iterations=6), threads=1),
    "perceptron": lambda: LinearTagger("chunk", Perceptron(epochs=4), threads=1),
    "values": lambda: CRF(
        lambda s, t: {"length": len(s["word"][t]), s["word"][t]: 1.0}, LBFGS(max_iterations=6), threads=1
    ),
    "values of a perceptron": lambda: LinearTagger(
        lambda s, t: {"length": len(s["word"][t]) / 3, s["word"][t]: 1.0}, Perceptron(epochs=4), threads=1
    ),
}


@pytest.mark.parametrize("kind", ["columns-", "rows-"])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", ["lbfgs", "memm", "perceptron"])
def test_damage_in_the_midst_of_training_is_an_error(name, how, kind, stream, tmp_path, monkeypatch):
    monkeypatch.setattr(far, "_room", lambda *_: 0)  # nothing is kept: every pass reads the shards
    monkeypatch.setattr(
        "seqlab.scale.rows.LARGE", 10
    )  # conjunctions are written, as those of a large corpus are
    damaged = []

    def damage(epoch):
        if not damaged:
            folder = next(path for path in tmp_path.iterdir() if path.name.startswith(kind))
            for path in sorted(folder.glob("*.shard")):
                HOW[how](path)
                damaged.append(str(path))

    with pytest.raises(StoreError, match="remove the folder that it") as caught:
        MODELS[name]().fit(stream, "chunk", max_memory="8G", cache=tmp_path, callbacks=damage)
    assert any(path in str(caught.value) for path in damaged)


def test_entries_in_shards_are_looked_at_too(stream, tmp_path, monkeypatch):
    monkeypatch.setattr(far, "_room", lambda *_: 0)

    def damage(epoch):
        for path in tmp_path.glob(".encoded.*/*.shard"):
            os.truncate(path, 4096)

    with pytest.raises(StoreError, match="remove the folder that it"):
        MODELS["values"]().fit(stream, "chunk", max_memory="8G", cache=tmp_path, callbacks=damage)


@pytest.mark.parametrize("name", ["lbfgs", "memm", "perceptron", "values of a perceptron"])
def test_what_is_in_memory_does_not_need_the_shards(name, stream, whole, tmp_path):
    """A training whose rows and labels are all kept ends with the model of memory, whatever happens to the cache."""
    near = MODELS[name]().fit(whole, "chunk")

    def damage(epoch):
        for path in tmp_path.glob("*/*.shard"):
            path.unlink()

    distant = MODELS[name]().fit(stream, "chunk", max_memory="8G", cache=tmp_path, callbacks=damage)
    assert np.array_equal(near.model_.theta, distant.model_.theta)


def test_more_shards_than_a_process_may_open(stream, whole, tmp_path):
    """Files beyond some number are opened when they are read."""
    script = """
import resource, sys, warnings
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_NOFILE, (320, 320))
import seqlab
from seqlab.families.linear import far
from seqlab.scale import columns
columns.SHARD = columns.TOKEN
far._room = lambda *_: 0
stream = seqlab.stream_corpus(sys.argv[1], columns=("word", "pos", "chunk", "entity"))
crf = seqlab.CRF("chunk", seqlab.LBFGS(max_iterations=2)).fit(stream, "chunk", max_memory="8G", cache=sys.argv[2])
print(len(list(__import__("pathlib").Path(sys.argv[2]).glob("*/*.shard"))), repr(float(crf.model_.theta.sum())))
"""
    words = [sys.executable, "-c", script, str(stream.files[1]), str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    count, total = done.stdout.split()
    assert int(count) > 320
    near = CRF("chunk", LBFGS(max_iterations=2)).fit(
        seqlab.read(stream.files[1], columns=("word", "pos", "chunk", "entity")), "chunk"
    )
    assert repr(float(near.model_.theta.sum())) == total
