"""Text of files: parts that are the whole, and errors with their place."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.errors import CorpusError
from seqlab.text import RuleTokeniser, read_text, stream_text

LINES = st.lists(st.sampled_from(["a b.", "", "x" * 30, "é 😀", "\r", " "]), max_size=30).map("\n".join)


@given(LINES, st.integers(1, 50))
def test_parts_are_the_whole_text_and_cut_no_sentence(text, block):
    parts = list(stream_text(io.BytesIO(text.encode()), block=block))
    assert "".join(parts) == text
    assert read_text(io.StringIO(text, newline="")) == text
    tokeniser = RuleTokeniser()
    assert [s.text for part in parts for s in tokeniser(part).sentences] == [
        s.text for s in tokeniser(text).sentences
    ]


def test_a_long_line_stays_whole():
    text = "word " * 60_000
    assert list(stream_text(io.BytesIO(text.encode()), block=1000)) == [text]


def test_a_very_long_line_is_cut_between_sentences(monkeypatch):
    monkeypatch.setattr("seqlab.text.files.LONGEST", 1000)
    for piece, ends in (("Ünd so. ", ". "), ("no end\n", "\n"), ("words ", " "), ("天。", "。"), ("x", "x")):
        text = piece * (600_000 // len(piece))
        parts = list(stream_text(io.BytesIO(text.encode()), block=500))
        assert "".join(parts) == text
        assert all(part.endswith(ends) for part in parts)
        assert (len(parts) == 1) == (piece == "x")  # a word is not cut
        assert piece == "x" or max(map(len, parts)) < 200_000


def test_marks_gzip_and_nul_are_read(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress("\ufeffa\0b\r\nc".encode()))
    assert read_text(tmp_path / "a.txt.gz") == "a\0b\r\nc"
    assert read_text(io.BytesIO("é".encode("latin-1")), encoding="latin-1") == "é"


@pytest.mark.parametrize("data", [b"a\n\nb\n\xe9t\xe9", b"a\n\nb\n\xf0\x9f"])
def test_broken_utf8_is_told_with_its_place(tmp_path, data):
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(CorpusError) as caught:
        read_text(tmp_path / "a.txt")
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "a.txt"), 4)
    assert "at byte 1 of the line is not UTF-8" in str(caught.value)
