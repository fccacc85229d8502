"""The cache on disk: used again, never half believed, nobody else's files touched."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import seqlab
from seqlab import CRF, LBFGS
from seqlab.errors import CorpusError, StoreError

FEW = LBFGS(max_iterations=2)
COLUMNS = ("word", "pos", "chunk", "entity")


def fitted(stream, cache, label="chunk", **options):
    return CRF(options.pop("features", "chunk"), FEW, **options).fit(
        stream, label, max_memory="8G", cache=cache
    )


def entries(cache, kind=""):
    return sorted(path.name for path in cache.iterdir() if path.name.startswith(kind))


def shards(cache, kind):
    return sorted((cache / entries(cache, kind)[0]).glob("*.shard"))


def test_the_same_training_encodes_once(stream, tmp_path, monkeypatch):
    first = fitted(stream, tmp_path)
    assert len(entries(tmp_path, "columns-")) == len(entries(tmp_path, "rows-")) == 1
    monkeypatch.setattr("seqlab.scale.disk.write_columns", None)
    monkeypatch.setattr("seqlab.scale.disk.write_rows", None)
    again = fitted(stream, tmp_path)
    assert (first.model_.theta == again.model_.theta).all()


def test_other_options_and_data_get_entries_of_their_own(stream, files, tmp_path):
    fitted(stream, tmp_path)
    fitted(stream, tmp_path, min_count=2)
    fitted(stream, tmp_path, label="pos", features="word[0]\nword[1]\n")
    assert len(entries(tmp_path, "columns-")) == 1
    assert len(entries(tmp_path, "rows-")) == 3
    fitted(seqlab.stream_corpus(files / "part-1.txt", columns=COLUMNS), tmp_path)
    assert len(entries(tmp_path, "columns-")) == 2


def test_a_file_with_other_bytes_is_read_again(files, tmp_path):
    copy = tmp_path / "copy.txt"
    copy.write_bytes((files / "part-1.txt").read_bytes())
    when = (copy.stat().st_atime, copy.stat().st_mtime)
    stream = seqlab.stream_corpus(copy, columns=COLUMNS)
    fitted(stream, tmp_path / "cache")
    copy.write_bytes(copy.read_bytes().replace(b"\tDET\t", b"\tNUM\t", 1))
    os.utime(copy, when)  # neither size nor time tell
    fitted(stream, tmp_path / "cache")
    assert len(entries(tmp_path / "cache", "columns-")) == 2


def test_shards_take_at_most_40_bytes_a_token(stream, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "seqlab.scale.rows.LARGE", 10
    )  # every conjunction is written, as those of a large corpus are
    monkeypatch.setattr("seqlab.scale.shards.PAGE", 64)  # the demo corpus fills no pages
    fitted(stream, tmp_path)
    manifests = [seqlab.scale.cache.read_manifest(tmp_path / name) for name in entries(tmp_path)]
    size = sum(
        (tmp_path / name / shard).stat().st_size
        for name, manifest in zip(entries(tmp_path), manifests, strict=True)
        for shard in manifest["shards"]
    )
    assert size / whole.token_count < 40


def test_shards_depend_on_the_data_alone(files, tmp_path):
    names = []
    for block in (1000, 100_000):
        stream = seqlab.stream_corpus(str(files / "part-*"), columns=COLUMNS, block=block)
        fitted(stream, tmp_path / str(block))
        names.append([path.name for path in shards(tmp_path / str(block), "columns-")])
    assert names[0] == names[1]
    assert len(names[0]) > 3


@pytest.mark.parametrize("kind", ["columns-", "rows-"])
@pytest.mark.parametrize("how", ["altered", "cut", "empty", "removed"])
def test_damaged_shards_are_noticed(kind, how, stream, tmp_path):
    fitted(stream, tmp_path)
    path = shards(tmp_path, kind)[1]
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    damaged = {"altered": bytes(content), "cut": bytes(content[:-100]), "empty": b""}
    path.write_bytes(damaged[how]) if how in damaged else path.unlink()
    with pytest.raises(StoreError, match="remove the folder that it") as caught:
        fitted(stream, tmp_path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [None, b"", b"[]", b"{"])
def test_damaged_manifests_are_noticed(content, stream, tmp_path):
    fitted(stream, tmp_path)
    path = tmp_path / entries(tmp_path, "rows-")[0] / "manifest.json"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(StoreError, match="remove"):
        fitted(stream, tmp_path)


def test_an_altered_encoder_is_noticed(stream, tmp_path):
    fitted(stream, tmp_path)
    path = tmp_path / entries(tmp_path, "rows-")[0] / "encoder.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError):
        fitted(stream, tmp_path)


def test_equal_bytes_of_files_that_are_read_in_other_ways_are_other_data(tmp_path):
    """A table has a name on top of every column, which is a word of a file in columns."""
    made = []
    for name in ("a.conll", "a.tsv"):
        (tmp_path / name).write_text("word\tlabel\na\tX\nb\tY\n")
        made.append(
            fitted(seqlab.stream_corpus(tmp_path / name), tmp_path / "cache", "label", features="pos")
        )
    assert made[0].classes_ == ["X", "Y", "label"]
    assert made[1].classes_ == ["X", "Y"]


def test_what_is_told_of_weights_takes_a_byte_an_attribute_and_one_a_weight(stream, tmp_path):
    from seqlab.scale.shards import open_shard

    model = fitted(stream, tmp_path).model_
    facts = json.loads((tmp_path / entries(tmp_path, "rows-")[0] / "manifest.json").read_text())
    arrays = open_shard(tmp_path / entries(tmp_path, "rows-")[0] / facts["weights"]).arrays
    taken = sum(arrays.bytes(name) for name in ("counts", "labels"))
    assert taken == len(model.begin) - 1 + len(model.weights)


def test_files_of_the_user_stay(stream, tmp_path):
    (tmp_path / "manifest.json").write_text("mine")
    (tmp_path / "next.shard").write_text("mine, too")
    fitted(stream, tmp_path)
    assert (tmp_path / "manifest.json").read_text() == "mine"
    assert (tmp_path / "next.shard").read_text() == "mine, too"


def test_a_folder_in_the_way_is_not_overwritten(stream, tmp_path):
    fitted(stream, tmp_path)
    name = entries(tmp_path, "rows-")[0]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / name).mkdir()
    (tmp_path / "other" / name / "thesis.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"has no manifest\.json"):
        fitted(stream, tmp_path / "other")
    assert (tmp_path / "other" / name / "thesis.txt").read_text() == "mine"


def test_without_a_cache_nothing_stays(stream, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    CRF("chunk", FEW).fit(stream, "chunk", max_memory="8G")
    assert not list(tmp_path.iterdir())


def test_what_killed_programs_left_is_removed_whatever_it_was(stream, tmp_path):
    from seqlab.scale.cache import _machine

    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    ours = [f".{name}.{_machine()}.{dead.pid}.0123abcd.tmp" for name in ("spilled", f"rows-{'0' * 16}")]
    others = [
        f".spilled.{_machine()}.{os.getpid()}.0123abcd.tmp",
        f".spilled.{'0' * 8}.{dead.pid}.0123abcd.tmp",  # of another machine, where that program may live
        ".mine.tmp",
    ]
    for name in (*ours, *others):
        (tmp_path / name).mkdir()
    fitted(stream, tmp_path)
    assert set(entries(tmp_path, ".")) == set(others)


def test_a_cache_that_cannot_be_written_is_said_for_iterators_and_functions(
    whole, stream, tmp_path, monkeypatch
):
    fitted(stream, tmp_path)
    monkeypatch.setattr("seqlab.scale.cache.secrets.token_hex", lambda _: "x" * 300)
    X, y = [list(s["word"]) for s in whole], [list(s["pos"]) for s in whole]
    with pytest.raises(StoreError, match="the cache cannot be written: File name too long"):
        CRF("pos", FEW).fit(iter(X), iter(y), cache=tmp_path)
    with pytest.raises(StoreError, match="the cache cannot be written: File name too long"):
        fitted(stream, tmp_path, features=lambda sentence, t: [sentence["word"][t]])


def test_errors_of_a_source_of_sentences_are_its_own(tmp_path):
    def sentences():
        yield ["a"]
        raise FileNotFoundError("no such book")

    with pytest.raises(FileNotFoundError, match="no such book"):
        CRF("pos", FEW).fit(sentences(), [["X"]], cache=tmp_path)
    assert not entries(tmp_path)


def test_functions_are_encoded_each_time(stream, tmp_path):
    """Their code may have changed."""

    def words(sentence, t):
        yield sentence["word"][t]

    fitted(stream, tmp_path, features=words)
    assert not entries(tmp_path, "rows-")
    assert not entries(tmp_path, ".")


SCRIPT = """
import sys, warnings, resource
warnings.simplefilter("ignore")
import seqlab
from seqlab.scale import columns
columns.SHARD = columns.TOKEN * 1500
columns_of = ("word", "pos", "chunk", "entity")
limit = int(sys.argv[3])
if limit:
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
stream = seqlab.stream_corpus(sys.argv[1] + "/part-*", columns=columns_of)
try:
    for _ in range(int(sys.argv[4])):
        seqlab.CRF("chunk", seqlab.LBFGS(max_iterations=2)).fit(stream, "chunk", max_memory="8G", cache=sys.argv[2])
except seqlab.errors.StoreError as error:
    print(error)
    raise SystemExit(7)
"""


def run(files, cache, limit=0, times=1, **more):
    words = [sys.executable, "-c", SCRIPT, str(files), str(cache), str(limit), str(times)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


@pytest.mark.parametrize("limit", [5_000, 60_000])
def test_a_full_disk_is_said_and_leaves_nothing(limit, files, stream, tmp_path):
    told, _ = (process := run(files, tmp_path, limit)).communicate(timeout=120)
    assert process.returncode == 7, told
    assert "the cache cannot be written" in told
    assert not entries(tmp_path, ".")
    assert not entries(tmp_path, "rows-")
    near = fitted(stream, tmp_path / "other")
    assert (fitted(stream, tmp_path).model_.theta == near.model_.theta).all()


def test_a_killed_program_leaves_nothing_believed(files, stream, tmp_path):
    near = fitted(stream, tmp_path / "near").model_.theta
    for pause in (0.0, 0.05, 0.15):
        process = run(files, tmp_path / "cache", times=50)
        deadline = time.monotonic() + 60
        while not (tmp_path / "cache").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        assert (fitted(stream, tmp_path / "cache").model_.theta == near).all()
    assert not [name for name in entries(tmp_path / "cache", ".") if name.endswith(".tmp")]


def test_patterns_without_a_file_and_files_with_other_columns(files, tmp_path):
    with pytest.raises(CorpusError, match="no file matches"):
        seqlab.stream_corpus(str(tmp_path / "part-*"))
    (tmp_path / "a.txt").write_text("a\tX\n")
    (tmp_path / "b.txt").write_text("a\tb\tX\n")
    with pytest.raises(CorpusError, match=r"b\.txt"):
        fitted(seqlab.stream_corpus(str(tmp_path / "?.txt")), tmp_path / "cache", label="label")
    assert not entries(tmp_path / "cache")


def test_broken_gzip_files_leave_nothing(files, tmp_path):
    content = gzip.compress((files / "part-1.txt").read_bytes())
    (tmp_path / "cut.txt.gz").write_bytes(content[: len(content) // 2])
    with pytest.raises(CorpusError, match="broken or cut off"):
        fitted(seqlab.stream_corpus(tmp_path / "cut.txt.gz", columns=COLUMNS), tmp_path / "cache")
    assert not entries(tmp_path / "cache")


def test_progress_tells_the_time_left(stream, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("seqlab.scale.progress.EVERY", 0.0)
    CRF("chunk", FEW).fit(stream, "chunk", cache=tmp_path, progress=True)
    told = capsys.readouterr().err
    assert " tokens of about " in told
    assert "encoding: " in told
    assert " left" in told
    assert "at most" in told


COUNTED = {
    "hmm": lambda s, **options: seqlab.HMM().fit(s, "pos", **options),
    "chain": lambda s, **options: seqlab.MarkovChain(2).fit(s, **options),
}


@pytest.mark.parametrize("kind", COUNTED)
def test_counting_and_reading_tell_the_time_left(kind, files, tmp_path):
    """How many tokens the files have is estimated by the bytes that were read, also those of compressed files."""
    told = []
    stream = seqlab.stream_corpus(str(files / "part-*"), columns=COLUMNS, block=1 << 16)
    for _ in range(2):
        COUNTED[kind](stream, max_memory="8G", progress=lambda *some: told.append(some))
    counting = [(done, total) for what, done, total in told if what == "counting"]
    reading = [(done, total) for what, done, total in told if what == "reading"]
    tokens = counting[-1][0]
    assert {total for _, total in counting} == {tokens}
    assert reading[-1] == (tokens, tokens)
    assert all(done < total <= 2 * tokens for done, total in reading[: len(reading) // 2 - 1])


def test_a_checkpoint_goes_on_from_the_same_shards_only(stream, files, tmp_path):
    """Training on disk is stored as one in memory is, and the shards name its data."""
    near = fitted(stream, tmp_path / "cache").model_.theta
    given = {"max_memory": "8G", "cache": tmp_path / "cache", "checkpoint": tmp_path / "kept"}
    for _ in range(2):
        assert (CRF("chunk", FEW).fit(stream, "chunk", **given).model_.theta == near).all()
    other = seqlab.stream_corpus(files / "part-1.txt", columns=COLUMNS)
    with pytest.raises(seqlab.errors.SeqlabError, match="shards"):
        CRF("chunk", FEW).fit(other, "chunk", **given)
