"""One sentence, a small file, a pipe: labelled as any other input, and refused by the same messages."""

import io
import os
import random
import subprocess
import sys

import pytest

import seqlab
from faults.altered_models import altered

QUICK = seqlab.LBFGS(max_iterations=5)
LINE = "The old man sleeps .\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory, corpora):
    path = tmp_path_factory.mktemp("short") / "pos.model"
    seqlab.CRF("pos", QUICK).fit(corpora[0].select("word", "pos"), "pos").save(path)
    return path


def test_a_sentence_a_file_and_a_pipe_are_answered_alike(shell, model, tmp_path):
    words = LINE.split()
    (tmp_path / "one.txt").write_text("\n".join(words) + "\n")
    labels = seqlab.load(model).tag(words)
    lines = "".join(f"{word}\t{label}\n" for word, label in zip(words, labels, strict=True)) + "\n"
    assert shell("tag", model, "--sentence", LINE.strip()) == (0, lines, "")
    assert shell("tag", model, "-", "--format", "text", stdin=LINE) == (0, lines, "")
    assert shell("tag", model, stdin="\n".join(words) + "\n\n") == (0, lines.replace("\t", " "), "")
    assert shell.done("tag", model, tmp_path / "one.txt") == lines.replace("\t", " ").removesuffix("\n")
    assert shell.done("tag", model, "-o", tmp_path / "out.txt", "--sentence", LINE.strip()) == ""
    assert (tmp_path / "out.txt").read_text() == lines


@pytest.mark.parametrize("size", [1, 50, 8191, 8192, 8193, 100_000])
def test_nothing_of_a_pipe_is_lost(shell, model, size):
    words = (LINE.split() * (size // 20 + 1))[: max(size // 4, 1)]
    text = "".join(word + "\r\n" for word in words)
    found = shell.done("tag", model, stdin=text.encode()).splitlines()
    assert [line.split()[0] for line in found] == words


def test_a_pipe_that_never_waits_is_said_to_be_one(shell, model):
    class Pipe:
        def __init__(self):
            self.parts = [b"The man\n", None, None, None]

        def read(self, size):
            return self.parts.pop(0) if self.parts else b""

    told = shell.refused("tag", model, stdin=Pipe())
    assert "<stdin>: the stream has no data yet and does not wait" in told


def test_a_model_that_is_gone_when_the_input_comes_labels_it_all_the_same(shell, model, tmp_path):
    path = tmp_path / "gone.model"
    path.write_bytes(model.read_bytes())

    class Pipe(io.BytesIO):
        def read(self, size=-1):
            path.unlink(missing_ok=True)
            return super().read(size)

    text = b"The\r\nman\r\n"
    assert shell.done("tag", path, stdin=Pipe(text)).count("\n") == 2
    assert not path.exists()


def test_where_nothing_can_be_written_nothing_is_waited_for(shell, model, tmp_path):
    class Pipe:
        def read(self, size):
            raise AssertionError("the input was read")

    assert "nowhere" in shell.refused("tag", model, "-o", tmp_path / "nowhere" / "out.txt", stdin=Pipe())


def test_what_is_wrong_is_said_as_ever(shell, model, crf, tmp_path, monkeypatch):
    good = model.read_bytes()
    wrong = {
        "cut": good[:5000],
        "header": good[:200] + b"\xff" + good[201:],
        "tail": good[:-3] + b"\xff" + good[-2:],
        "text": b"no model",
        "empty": b"",
        "foreign": b"lCRF0000",
    }
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "binary").write_bytes(b"\0\1\2" * 50)
    seqlab.MarkovChain(2).fit([["a", "b"]]).save(tmp_path / "chain")
    commands = [(tmp_path / name, "--sentence", "The man") for name in (*wrong, "chain", "missing", ".")]
    commands += [
        (model, tmp_path / "missing"),
        (model, tmp_path),
        (model, tmp_path / "binary"),
        (model, "--sentence", "x", tmp_path / "text"),
        (model, "--beam", "2"),
        (model, "--sentence", "x", "--encoding", ""),
        (model, "-f", "conll", "-s", "x", "--separator", ""),
        (model, "-f", "conll", "-s", "x", "--comments", ""),
        ("-", "--sentence", "x"),
        (crf, "--sentence", "The man"),  # lacks a column
    ]
    for argv in commands:
        code, out, err = shell("tag", *argv)
        assert code in {1, 2}, argv
        assert out == ""
        assert err.startswith("seqlab")
        assert err.count("\n") == 1, err
    monkeypatch.setenv("SEQLAB_THREADS", "many")
    assert "SEQLAB_THREADS" in shell.refused("tag", model, "-s", "x")


def test_files_that_were_altered_are_answered_or_refused(shell, tmp_path):
    words, tags = [["the", "old", "man"], ["a", "man"]] * 3, [["D", "A", "N"], ["D", "N"]] * 3
    content = seqlab.CRF("word[0]\nword[-1]", QUICK).fit(words, tags).as_bytes()
    rng, path = random.Random(1), tmp_path / "model"
    for _ in range(60):
        path.write_bytes(altered(content, rng))
        code, out, err = shell("tag", path, "-s", "the man")
        assert (code, out.count("\n"), err) == (0, 3, "") or (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_model_behind_a_pipe_is_refused(shell, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "this is no file" in shell.refused("tag", tmp_path / "pipe", "-s", "The man")


def test_a_closed_pipe_ends_it_silently(model):
    running = subprocess.Popen(
        [sys.executable, "-m", "seqlab", "tag", str(model), "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.stdout.close()
    running.stdin.write(LINE.encode())
    running.stdin.close()
    assert running.wait(60) == 128 + 13
    assert running.stderr.read() == b""
    running.stderr.close()
