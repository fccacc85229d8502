"""A small corpus and models of it, made through the front door."""

import contextlib
import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import seqlab
from seqlab import store
from seqlab.cli import main

COLUMNS = ("word", "pos", "chunk", "entity")


class Shell:
    """Runs commands as a shell would: exit code, standard output, standard error."""

    def __call__(self, *argv, stdin=None):
        out, err = _Stream(), _Stream()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(stdin):
            try:
                code = main([str(word) for word in argv])
            except SystemExit as left:
                code = left.code
        return code, out.text(), err.text()

    def done(self, *argv, stdin=None):
        """The output of a command that must succeed."""
        code, out, err = self(*argv, stdin=stdin)
        assert code == 0, err
        return out

    def refused(self, *argv, stdin=None):
        """The one line of a command that must be refused."""
        code, out, err = self(*argv, stdin=stdin)
        assert code == 2, (code, out, err)
        assert err.count("\n") == 1, err
        assert out == ""
        return err


class _Stream(io.TextIOWrapper):
    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode("utf-8")


@contextlib.contextmanager
def _stdin(text):
    import sys

    before = sys.stdin
    if hasattr(text, "read"):  # a pipe that does as it likes
        sys.stdin = SimpleNamespace(buffer=text, isatty=lambda: False)
    else:
        content = text if isinstance(text, bytes) else (text or "").encode()
        sys.stdin = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before


@pytest.fixture(scope="session")
def shell():
    return Shell()


@pytest.fixture(scope="session")
def corpora():
    """Train and test, with three columns; the labels are chunks."""
    names = ("word", "pos", "chunk")
    return (
        seqlab.demo_corpus("train")[:150].select(*names),
        seqlab.demo_corpus("test")[:40].select(*names),
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory, corpora):
    """train.txt, test.txt, and plain.txt without labels."""
    place = tmp_path_factory.mktemp("corpora")
    train, test = corpora
    seqlab.write(train, place / "train.txt")
    seqlab.write(test, place / "test.txt")
    seqlab.write(test.select("word", "pos"), place / "plain.txt")
    return Path(place)


@pytest.fixture(scope="session")
def crf(folder, shell):
    """A model that the command line made."""
    path = folder / "crf.model"
    shell.done("train", folder / "train.txt", "-o", path, "--iterations", 8, "--constraints", "IOB2")
    return path


@pytest.fixture(scope="session")
def perceptron(folder, shell):
    path = folder / "perceptron.model"
    shell.done("train", folder / "train.txt", "-o", path, "--model", "perceptron", "--iterations", 2)
    return path


@pytest.fixture(scope="session")
def baseline(folder, shell):
    path = folder / "baseline.model"
    shell.done("train", folder / "train.txt", "-o", path, "--model", "baseline")
    return path


@pytest.fixture(scope="session")
def tagged(tmp_path_factory):
    """A folder with words and tags, and words alone, of a few sentences."""
    place = tmp_path_factory.mktemp("tagged")
    train, test = (seqlab.demo_corpus(name).select("word", "pos") for name in ("train", "test"))
    for name, corpus in (("train", train[:120]), ("test", test[:30])):
        seqlab.write(corpus, place / f"{name}.txt")
        seqlab.write(corpus.select("word"), place / f"{name}-words.txt", "text")
    return Path(place)


@pytest.fixture(scope="session")
def same_bits():
    """Compare a file with a model: every array, bit for bit."""

    def compare(path, model):
        ours, theirs = store.read(path).arrays, model.state().arrays
        assert sorted(ours) == sorted(theirs)
        for name, array in theirs.items():
            assert np.asarray(ours[name]).tobytes() == np.asarray(array).tobytes(), name
        return True

    return compare
