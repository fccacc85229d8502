"""Files that are odd but readable: read, written back, and a warning that says what to do."""

import io
from pathlib import Path

import pytest

import seqlab
from seqlab.errors import CorpusWarning

GOOD = b"the\tDT\ndog\tNN\n\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_byte_order_mark_is_skipped_with_a_warning():
    Path("a.txt").write_bytes(b"\xef\xbb\xbf" + GOOD)
    with pytest.warns(CorpusWarning) as caught:
        corpus = seqlab.read("a.txt")
    assert [str(w.message) for w in caught] == [
        (
            "a.txt:1: the file begins with a UTF-8 byte-order mark, which was skipped and will be written back; "
            "save the file as UTF-8 without it to silence this"
        )
    ]
    assert caught[0].filename == __file__
    assert corpus[0].tokens == ["the", "dog"]
    out = io.BytesIO()
    corpus.write(out)
    assert out.getvalue() == b"\xef\xbb\xbf" + GOOD


def test_windows_line_ends_are_read_with_a_warning():
    crlf = GOOD.replace(b"\n", b"\r\n")
    Path("a.txt").write_bytes(crlf)
    with pytest.warns(CorpusWarning) as caught:
        corpus = seqlab.read("a.txt")
    assert [str(w.message) for w in caught] == [
        (
            "a.txt:1: the line ends in CRLF as on Windows, which was read as a line end and will be written "
            "back if all "
            "lines have it; save the file with LF to silence this"
        )
    ]
    assert corpus.column("label") == [["DT", "NN"]]
    out = io.BytesIO()
    corpus.write(out)
    assert out.getvalue() == crlf


def test_some_windows_line_ends_become_plain():
    with pytest.warns(CorpusWarning, match="^<stream>:4: the line ends in CRLF"):
        corpus = seqlab.read(io.BytesIO(GOOD + b"a\tDT\r\n\n"))
    out = io.BytesIO()
    corpus.write(out)
    assert out.getvalue() == GOOD + b"a\tDT\n\n"


def test_stream_warns_too():
    Path("a.txt").write_bytes(b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"))
    with pytest.warns(CorpusWarning) as caught:
        sentences = list(seqlab.stream("a.txt"))
    assert [s.tokens for s in sentences] == [["the", "dog"]]
    assert len(caught) == 2
