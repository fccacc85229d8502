"""Bulk tagging: whole files or none, and Arrow batches."""

import os
import pickle
import signal
from pathlib import Path

import pytest

import seqlab
from seqlab import scale
from seqlab.errors import CorpusError, OptionError

COLUMNS = ("word", "pos", "chunk", "entity")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    tagger = seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=5))
    tagger.fit(seqlab.demo_corpus("train")[:200].select("word", "pos", "chunk"), "chunk")
    path = tmp_path_factory.mktemp("model") / "chunks.model"
    tagger.save(path)
    return path


@pytest.fixture
def parts(tmp_path):
    test = seqlab.demo_corpus("test")
    paths = [tmp_path / f"part-{i}.txt" for i in range(6)]
    for i, path in enumerate(paths):
        seqlab.write(test[i * 20 : i * 20 + 20], path)
    return paths


def right(model, path):
    corpus = seqlab.read(path, columns=COLUMNS)
    return seqlab.load(model).annotate(corpus).column("predicted")


def test_files_in_files_out(client, model, parts, tmp_path):
    made = scale.tag_files(model, parts, tmp_path / "out", client=client, columns=COLUMNS)
    assert [one.name for one in made] == [one.name for one in parts]
    for source, target in zip(parts, made, strict=True):
        found = seqlab.read(target, columns=(*COLUMNS, "predicted"))
        assert found.column("predicted") == right(model, source)
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [one.name for one in parts]


def dying(source, target, *more):
    """Leave half a file under a temporary name, and die, the first time."""
    from seqlab.files import replaced
    from seqlab.scale.bulk import _tag_file

    mark = Path(target).with_name(".once")
    if not mark.exists() and source.endswith("part-2.txt"):
        mark.touch()
        with replaced(target) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    return _tag_file(source, target, *more)


def test_killed_worker_leaves_no_half_file_and_no_gap(local_cluster, model, parts, tmp_path, monkeypatch):
    monkeypatch.setattr("seqlab.scale.bulk._tag_file", dying)
    with local_cluster(2) as client:
        made = scale.tag_files(model, parts, tmp_path / "out", client=client, columns=COLUMNS)
    (tmp_path / "out" / ".once").unlink()
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [one.name for one in parts]
    for source, target in zip(parts, made, strict=True):
        assert seqlab.read(target, columns=(*COLUMNS, "predicted")).column("predicted") == right(
            model, source
        )


def test_same_names_are_refused(client, model, parts, tmp_path):
    with pytest.raises(OptionError, match="would both be written to"):
        scale.tag_files(model, [parts[0], parts[0]], tmp_path / "out", client=client)
    with pytest.raises(OptionError, match="would replace itself"):
        scale.tag_files(model, parts, tmp_path, client=client)
    with pytest.raises(OptionError, match=r"cannot be written to the folder .*: it is a file"):
        scale.tag_files(model, parts, parts[0], client=client)


# ------------------------------------------------------------------------------------------------ Arrow


@pytest.fixture
def table():
    pyarrow = pytest.importorskip("pyarrow")
    test = seqlab.demo_corpus("test")[:40]
    rows = {name: [list(sentence[name]) for sentence in test] for name in ("word", "pos")}
    return pyarrow.table({"id": list(range(40)), **rows})


@pytest.fixture
def wanted(model):
    return seqlab.load(model).predict(seqlab.demo_corpus("test")[:40].select("word", "pos"))


def test_tables_batches_and_iterators(model, table, wanted):
    tag = pickle.loads(pickle.dumps(scale.tag_arrow(model)))
    assert tag(table)["predicted"].to_pylist() == wanted
    assert tag(table)["id"].to_pylist() == list(range(40))
    batches = table.to_batches(max_chunksize=7)
    assert [row for one in tag(iter(batches)) for row in one["predicted"].to_pylist()] == wanted  # mapInArrow
    reader = tag(table.to_reader(max_chunksize=7))
    assert reader.schema.names == [*table.column_names, "predicted"]
    assert reader.read_all()["predicted"].to_pylist() == wanted
    words, pos = (table[name].combine_chunks() for name in ("word", "pos"))
    assert scale.tag_arrow(model, columns=["word", "pos"])(words, pos).to_pylist() == wanted
    assert tag(table.slice(0, 0))["predicted"].to_pylist() == []
    assert tag(table.slice(5, 3))["predicted"].to_pylist() == wanted[5:8]


def test_taggers_and_frames(model, table, wanted):
    tag = scale.tag_arrow(seqlab.load(model), output="chunk", columns=["word", "pos"])
    frame = tag(table.to_pandas())
    assert [list(one) for one in frame["chunk"]] == wanted
    assert len(frame) == 40


def test_other_layouts_of_lists_and_rows_without_words(model):
    pa = pytest.importorskip("pyarrow")
    words, pos = [["The", "dog"], ["It", "rains"]], [["DET", "NOUN"], ["PRON", "VERB"]]
    plain = pa.table({"word": words, "pos": pos})
    tag = scale.tag_arrow(model)
    wanted = tag(plain)["predicted"].to_pylist()
    pairs = pa.list_(pa.string(), 2)
    assert (
        tag(pa.table({"word": pa.array(words, pairs), "pos": pa.array(pos, pairs)}))["predicted"].to_pylist()
        == wanted
    )
    some = pa.table({"word": pa.array(words, pairs)[1:], "pos": pa.array(pos, pairs)[1:]})
    assert tag(some)["predicted"].to_pylist() == wanted[1:]
    assert tag(pa.table({"word": [[], []], "pos": [[], []]}))["predicted"].to_pylist() == [[], []]
    frame = plain.to_pandas()
    assert tag(frame[:0])["predicted"].tolist() == []  # as partitions of Dask may be
    assert tag(frame.assign(word=[[], []], pos=[[], []]))["predicted"].tolist() == [[], []]


def test_a_model_that_was_replaced_is_opened_again(model, table, wanted, tmp_path):
    """Processes of a cluster live longer than models."""
    own = tmp_path / "own.model"
    own.write_bytes(model.read_bytes())
    tag = scale.tag_arrow(own)
    assert tag(table)["predicted"].to_pylist() == wanted
    seqlab.CRF("chunk", seqlab.LBFGS(max_iterations=1)).fit([[("a", "B")]], [["only"]]).save(own)
    assert {name for row in tag(table)["predicted"].to_pylist() for name in row} == {"only"}


def test_odd_data(model, table):
    for wrong in (None, 3, "words", {"word": [["a"]]}):
        with pytest.raises(CorpusError, match="Arrow data are wanted"):
            scale.tag_arrow(model)(wrong)
    with pytest.raises(CorpusError, match="no column of 'id' has lists of words"):
        scale.tag_arrow(model)(table.select(["id"]))
    with pytest.raises(
        CorpusError, match=r"columns= names 'form', but the data have the columns 'id', 'word'"
    ):
        scale.tag_arrow(model, columns=["form"])(table)
    with pytest.raises(CorpusError, match="have a column 'word' already"):
        scale.tag_arrow(model, output="word")(table)
    with pytest.raises(CorpusError, match=r"2 arrays came; name the column of each"):
        scale.tag_arrow(model)(table["word"], table["pos"])
    with pytest.raises(OptionError, match="model must be a tagger"):
        scale.tag_arrow(3)
