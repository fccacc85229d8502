"""Any number of empty lines: written back, and little memory."""

import io

import pytest

from seqlab import read
from seqlab.errors import CorpusError, CorpusWarning


def back(text: str, **options: object) -> str:
    out = io.BytesIO()
    read(io.BytesIO(text.encode()), **options).write(out)  # type: ignore[arg-type]
    return out.getvalue().decode()


@pytest.mark.parametrize("form", ["conll", "text", "slash", "crfsuite"])
@pytest.mark.parametrize("text", ["\n\na/A\n\n\n\n \n\nb/B\n\n\n", "a/A\n", "\na/A", "\n\n \na/A\n\n"])
def test_empty_lines_come_back(form, text):
    options = {"format": form, "columns": ("word",)} if form == "conll" else {"format": form}
    assert back(text, **options) == text


@pytest.mark.filterwarnings(f"ignore::{CorpusWarning.__module__}.CorpusWarning")
def test_empty_lines_with_crlf_come_back():
    text = "\r\n\r\na\tA\r\n\r\n\r\n\r\nb\tB\r\n\r\n\r\n"
    assert back(text) == text


def test_many_empty_lines_take_one_entry():
    corpus = read(io.BytesIO(b"\n" * 100_000 + b"a\tA\n" + b"\n" * 100_000))
    assert len(corpus.extras) == 2
    assert corpus.located(0).line == 100_001
    with pytest.raises(CorpusError, match="only blank lines and comments"):
        read(io.BytesIO(b"\n" * 100_000))


def test_a_file_with_tabs_is_no_slash_text():
    corpus = read(io.StringIO("km/h\tN/U\nand/or\tC/C\n1/2\tN/M\n"))
    assert corpus.layout.format == "conll"
    assert corpus.column("word") == [["km/h", "and/or", "1/2"]]
