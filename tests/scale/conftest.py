"""Files of the demo corpus, and shards so small that there are several."""

import warnings

import pytest

import seqlab
from seqlab.families.chain import far as chain_far
from seqlab.families.hmm import engines
from seqlab.scale import columns, vocabulary

COLUMNS = ("word", "pos", "chunk", "entity")


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Shards of some 1,500 tokens, blocks of some 500."""
    monkeypatch.setattr(columns, "SHARD", columns.TOKEN * 1500)
    monkeypatch.setattr(vocabulary, "BLOCK", 512)
    monkeypatch.setattr("seqlab.scale.rows.BLOCK", 512)
    monkeypatch.setattr(engines, "BLOCK", 700)
    monkeypatch.setattr(chain_far, "BLOCK", 700)
    warnings.simplefilter("ignore", seqlab.errors.ConvergenceWarning)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Two files of the demo corpus, one of them gzipped."""
    folder = tmp_path_factory.mktemp("corpus")
    train = seqlab.demo_corpus("train")[:330]
    seqlab.write(train[:120], folder / "part-1.txt")
    seqlab.write(train[120:], folder / "part-2.txt.gz")
    return folder


@pytest.fixture(scope="session")
def whole(files):
    """The same sentences in memory."""
    first, second = (seqlab.read(files / name, columns=COLUMNS) for name in ("part-1.txt", "part-2.txt.gz"))
    return first + second


@pytest.fixture
def stream(files):
    return seqlab.stream_corpus(str(files / "part-*"), columns=COLUMNS)
