"""One short input is answered without NumPy; who looks at exit codes, messages and pipes sees no difference."""

import io
import os
import random
import subprocess
import sys
from types import SimpleNamespace

import pytest

import seqlab
from faults.altered_models import altered
from seqlab import cli
from seqlab.cli import tag, tag_short
from seqlab.families.linear import peeked

QUICK = seqlab.LBFGS(max_iterations=5)
LINE = "The old man sleeps .\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory, corpora):
    path = tmp_path_factory.mktemp("short") / "pos.model"
    seqlab.CRF("pos", QUICK).fit(corpora[0].select("word", "pos"), "pos").save(path)
    return path


@pytest.fixture
def taken(monkeypatch):
    """What the short way said each time it was asked: True for an answer."""
    answers, ask = [], tag_short.short_answer

    def asked(model, arguments, sources):
        answer = ask(model, arguments, sources)
        answers.append(answer is not None)
        return answer

    monkeypatch.setattr(tag_short, "short_answer", asked)
    return answers


def without(shell, *argv, stdin=None):
    """The same command, as if there were no short way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tag_short, "short_answer", lambda *_: None)
        return shell(*argv, stdin=stdin)


def test_a_sentence_a_file_and_a_pipe_are_answered_at_once(shell, model, tmp_path, taken):
    (tmp_path / "one.txt").write_text("The\nold\nman\n")
    for argv, stdin in (
        (("--sentence", LINE.strip()), None),
        ((tmp_path / "one.txt",), None),
        (("-", "--format", "text"), LINE),
        ((), LINE),
        (("-o", tmp_path / "out.txt", "--sentence", LINE.strip()), None),
    ):
        told = shell("tag", model, *argv, stdin=stdin)
        assert told[0] == 0
        assert told == without(shell, "tag", model, *argv, stdin=stdin)
    assert taken == [True] * 5
    assert (tmp_path / "out.txt").read_text().startswith("The\t")


@pytest.mark.parametrize("size", [1, tag_short.SHORT - 1, tag_short.SHORT, tag_short.SHORT + 1, 100_000])
def test_what_was_read_of_a_pipe_in_vain_is_not_lost(shell, model, taken, size):
    text = (LINE * (size // len(LINE) + 2))[: size - 1] + "\n" + "# not plain\r\n"
    assert shell("tag", model, stdin=text) == without(shell, "tag", model, stdin=text)
    assert taken == [False]


@pytest.mark.parametrize("pieces", [[b"The man\n", None], [None], [OSError("broken")]])
def test_a_pipe_that_stalls_or_breaks_is_left_to_the_usual_way(model, monkeypatch, pieces):
    class Pipe:
        def read(self, size):
            piece = pieces.pop(0) if pieces else b""
            if isinstance(piece, OSError):
                raise piece
            return piece

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Pipe(), isatty=lambda: False))
    arguments = cli._parser("tag", tag, alone=True).parse_args(["tag", str(model)])
    sources = ["-"]
    had = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    peeked = tag_short.short_model(arguments, sources)
    assert peeked is not None
    assert tag_short.short_answer(peeked, arguments, sources) is None
    assert sources == ["-"] or sources[0].read(len(had)) == had


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

    text = b"The\r\nman\r\n"  # not for the short way
    assert shell.done("tag", path, stdin=Pipe(text)).count("\n") == 2
    assert not path.exists()


def test_where_nothing_can_be_written_nothing_is_waited_for(shell, model, tmp_path):
    class Pipe:
        def read(self, size):
            raise AssertionError("the input was read")

    assert "nowhere" in shell.refused("tag", model, "-o", tmp_path / "nowhere" / "out.txt", stdin=Pipe())


def test_a_resumed_stream_gives_as_much_at_once_as_the_stream_itself():
    for size in (1, 3, 4, 5, 9, 10, 11):
        rest = io.BytesIO(b"0123456789")
        resumed, plain = tag_short._Resumed(rest.read(4), rest), io.BytesIO(b"0123456789")
        for _ in range(12):
            assert resumed.read(size) == plain.read(size)


def test_longer_input_goes_the_usual_way(shell, folder, crf, taken):
    shell.done("tag", crf, folder / "test.txt")
    assert taken == [False]


def test_two_sources_go_the_usual_way(shell, model, tmp_path, taken):
    (tmp_path / "one.txt").write_text("The\nold\nman\n")
    shell.done("tag", model, tmp_path / "one.txt", tmp_path / "one.txt")
    assert taken == [False]


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
        (model, tmp_path / "empty"),
        (model, tmp_path / "binary"),
        (model, "--sentence", ""),
        (model, "--sentence", "x", tmp_path / "text"),
        (model, "--beam", "2"),
        (model, "--sentence", "x", "--encoding", ""),
        (model, "-f", "conll", "-s", "x", "--separator", ""),
        (model, "-f", "conll", "-s", "x", "--comments", ""),
        ("-", "--sentence", "x"),
        (crf, "--sentence", "The man"),  # lacks a column
        (model, "-"),
    ]
    for argv in commands:
        told = shell("tag", *argv)
        assert told[0] != 0
        assert told == without(shell, "tag", *argv)
    monkeypatch.setenv("SEQLAB_THREADS", "many")
    assert shell("tag", model, "-s", "x") == without(shell, "tag", model, "-s", "x")


def test_small_files_that_were_altered_are_answered_or_refused_as_ever(shell, tmp_path):
    words, tags = [["the", "old", "man"], ["a", "man"]] * 3, [["D", "A", "N"], ["D", "N"]] * 3
    content = seqlab.CRF("word[0]\nword[-1]", QUICK).fit(words, tags).as_bytes()
    rng, path = random.Random(1), tmp_path / "model"
    for _ in range(60):
        path.write_bytes(altered(content, rng))
        assert shell("tag", path, "-s", "the man") == without(shell, "tag", path, "-s", "the man")


def test_a_small_file_is_verified_and_a_large_one_is_looked_into(model, monkeypatch):
    altered_model = model.with_name("altered")
    altered_model.write_bytes(model.read_bytes()[:-1] + b"\x7f")
    assert peeked.peeked(str(model)) is not None
    assert peeked.peeked(str(altered_model)) is None
    monkeypatch.setattr(peeked, "VERIFIED", 0)
    assert peeked.peeked(str(model)) is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_model_behind_a_pipe_is_not_opened_twice(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert peeked.peeked(str(tmp_path / "pipe")) is None


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
