"""Files that look like something else at first: one clear error that says what they probably are."""

from pathlib import Path

import pytest

import seqlab
from seqlab.errors import CorpusError

JSON_HINT = "every line must be one sentence: an object of lists, or a list of strings, pairs or objects"

MISLEADING = {
    "UTF-32": (
        "a.txt",
        "the\tDT\n".encode("utf-32"),
        "a.txt:1: the file begins with a UTF-32 byte-order mark, but UTF-8 is wanted; pass encoding='utf-32'",
    ),
    "comments": (
        "a.conll",
        b"# id = 7\nthe DT\n\n",
        (
            "a.conll:2: 4 columns expected like in the lines before, found 2 in 'the DT'; pass comments=True if lines "
            "that begin with # are comments, or mend the line"
        ),
    ),
    "columns without end": (
        "a.conll",
        b"the " * 5000 + b"\n",
        (
            f"a.conll:1: 5000 columns in {'the ' * 15!r}..., but one token a line is wanted; pass format='text' "
            "for one sentence a line, or name the columns with columns=...; the format was guessed, "
            "pass format=... if it is another"
        ),
    ),
    "form feed for a token": (
        "a.txt",
        b"the/DT dog/NN a/DT cat/NN \x0c\n",
        (
            "a.txt:1: token 5 is '\\x0c', but word/TAG was wanted; the format was guessed, pass format='text' for "
            "plain text"
        ),
    ),
    "a JSON document on one line": (
        "a.json",
        b'[{"id": "0", "tokens": ["a"]}, {"id": "1", "tokens": ["b"]}]\n',
        (
            "a.json:1: a list of sentences, the first of them {'id': '0', 'tokens': ['a']}; `jq -c '.[]'` writes every "
            f"one on a line of its own; {JSON_HINT}"
        ),
    ),
    "a JSON document on many lines": (
        "a.txt",
        b'[\n  {\n    "tokens": ["a"]\n  }\n]\n',
        (
            "a.txt:1: not JSON: Expecting value at column 2 of '['; one document on many lines becomes one sentence a "
            f"line with `jq -c '.[]'`; {JSON_HINT}"
        ),
    ),
}


@pytest.mark.parametrize("case", MISLEADING)
@pytest.mark.parametrize(
    "reader", [seqlab.read, lambda name: list(seqlab.stream(name))], ids=["read", "stream"]
)
def test_the_error_says_what_the_file_probably_is(case, reader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, content, message = MISLEADING[case]
    Path(name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        reader(name)
    assert str(caught.value) == message
    assert caught.value.line == int(message.split(":")[1])
