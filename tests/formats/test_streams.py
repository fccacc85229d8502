"""Streams of other modules, and places that cannot be written to."""

import codecs
import gzip
import io
import tempfile
from pathlib import Path

import pytest

import seqlab
from seqlab import Corpus
from seqlab.errors import CorpusError


def test_streams_that_decompress_and_decode_by_themselves(tmp_path):
    path = tmp_path / "x.conll.gz"
    path.write_bytes(gzip.compress("é X\n\n".encode("latin-1")))
    with gzip.open(path) as stream:
        assert seqlab.read(stream, encoding="latin-1").column("word") == [["é"]]
    with gzip.open(path, "rt", encoding="latin-1") as text:
        assert seqlab.read(text).column("word") == [["é"]]
    assert seqlab.read(io.StringIO("é X\n\n"), "conll", encoding="latin-1").column("word") == [["é"]]


def test_streams_of_tempfile_and_codecs_take_text(tmp_path):
    corpus = Corpus.from_lists([["é"]])
    with tempfile.NamedTemporaryFile("w+", encoding="utf-8") as stream:
        corpus.write(stream)
        stream.seek(0)
        assert stream.read() == "é\n\n"
    with codecs.open(str(tmp_path / "x"), "w", "latin-1") as stream:
        corpus.write(stream)
    assert (tmp_path / "x").read_bytes() == b"\xe9\n\n"


def test_places_that_cannot_be_written_to(tmp_path):
    corpus = Corpus.from_lists([["a"]])
    with pytest.raises(CorpusError, match=r"cannot be written \(File name too long\); nothing was changed"):
        corpus.write(tmp_path / ("x" * 300))
    if Path("/dev/full").exists():
        with pytest.raises(
            CorpusError, match=r"/dev/full: the file cannot be written \(No space left on device\)$"
        ):
            corpus.write("/dev/full")
