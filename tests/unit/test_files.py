"""The atomic writer: unpredictable temporary names, and no files left behind, even by a killed program."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import textwrap

import pytest

import seqlab
from seqlab import files
from seqlab.errors import FileError

HALF = """
import os, sys
from seqlab.files import replaced
with replaced(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    sys.stdin.readline()
"""


def half_written(path):
    """A program that has begun to write, and waits."""
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HALF), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert running.stdout.readline() == b"half\n"
    return running


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["report.html", "Б" * 120])
def test_the_next_write_removes_what_a_killed_one_left(tmp_path, name):
    path = tmp_path / name
    path.write_text("old")
    with half_written(path) as running:
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=30)
    assert len(names(tmp_path)) == 2
    assert path.read_text() == "old"
    files.write_whole(path, "new")
    assert names(tmp_path) == [name]
    assert path.read_text() == "new"


def test_the_file_of_a_running_writer_is_left_alone(tmp_path):
    path = tmp_path / "x"
    with half_written(path) as running:
        files.write_whole(path, "mine")
        assert len(names(tmp_path)) == 2
        running.communicate(b"\n", timeout=30)
    assert path.read_text() == "half"
    assert names(tmp_path) == ["x"]


def test_only_names_of_our_kind_are_removed(tmp_path):
    others = [".x.tmp", ".x.0123456789abcdef.txt", ".y.0123456789abcdef.tmp", ".x.0123456789ABCDEF.tmp"]
    for name in others:
        (tmp_path / name).write_text("")
    (tmp_path / ".x.0123456789abcdef.tmp").symlink_to(tmp_path / ".x.tmp")
    files.write_whole(tmp_path / "x", "new")
    assert names(tmp_path) == sorted([*others, ".x.0123456789abcdef.tmp", "x"])


def test_a_temporary_name_taken_by_a_link_is_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    first = iter([bytes(8), bytes(8)])
    monkeypatch.setattr(os, "urandom", lambda _: next(first))
    (tmp_path / f".x.{bytes(8).hex()}.tmp").symlink_to(victim)
    with pytest.raises(FileError, match=r"cannot write .*x': File exists") as caught:
        files.write_whole(tmp_path / "x", "new")
    assert caught.value.errno == errno.EEXIST
    assert victim.read_text() == "precious"


def test_errors_of_others_keep_their_names(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, files.replaced(tmp_path / "x"):
        (tmp_path / "absent").read_bytes()
    assert caught.value.filename == str(tmp_path / "absent")
    with pytest.raises(FileNotFoundError) as caught, files.replaced(tmp_path / "no" / "x"):
        pass
    assert caught.value.filename == str(tmp_path / "no" / "x")


def test_every_writer_is_the_atomic_one(tmp_path, monkeypatch):
    """Each opens a name of its own that did not exist, beside the target, and renames it."""
    corpus = seqlab.demo_corpus("train")[:20].select("word", "pos")
    tagger = seqlab.MostFrequentTag().fit(corpus, "pos")
    chain = seqlab.MarkovChain(order=2).fit([["a", "b"], ["b"]])
    writers = {
        "model": tagger.save,
        "txt": lambda path: seqlab.write(corpus, path),
        "txt.gz": lambda path: seqlab.write(corpus, path),
        "html": tagger.evaluate(corpus).html,
        "svg": seqlab.draw.graphical_model_picture("hmm").save,
        "png": seqlab.draw.graphical_model_picture("hmm").save,
        "arpa": chain.save_arpa,
    }
    made = []
    opened = files._opened_beside
    monkeypatch.setattr(files, "_opened_beside", lambda target: made.append(target.name) or opened(target))
    for name, write in writers.items():
        write(tmp_path / f"x.{name}")
    assert made == [f"x.{name}" for name in writers]
    assert names(tmp_path) == sorted(made)


def test_a_file_that_cannot_be_written_is_told_as_ours_and_as_an_error_of_the_system(tmp_path):
    picture = seqlab.draw.graphical_model_picture("hmm")
    with pytest.raises(FileError, match=r"cannot write .*x\.svg': No such file") as caught:
        picture.save(tmp_path / "none" / "x.svg")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.errno) == (str(caught.value), errno.ENOENT)
    assert error.path == error.filename == str(tmp_path / "none" / "x.svg")
    assert isinstance(error, OSError)
