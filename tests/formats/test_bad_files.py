"""Every kind of bad file gives one clear error, checked word for word."""

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

import seqlab
from seqlab.errors import CorpusError

GOOD = b"the\tDT\ndog\tNN\n\n"
CONLLU = b"1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n"

GUESSED = "the format was guessed to be 'conll', pass format=... if it is another"
NO_SENTENCE = "but at least one sentence is wanted; is it the right file?"
JSON_HINT = "every line must be one sentence: an object of lists, or a list of strings, pairs or objects"
CONLLU_NAMES = "id, word, lemma, upos, xpos, feats, head, deprel, deps, misc"

BAD = {
    "too few columns": (
        "a.txt",
        GOOD + b"a\tDT\ncat NN\n\n",
        (
            "a.txt:5: 2 columns expected like in the lines before, found 1 in 'cat NN'; mend the line, "
            f"or pass columns={{'word': 0, 'label': -1}} to pick cells; {GUESSED}"
        ),
    ),
    "too many columns": (
        "a.conll",
        b"the DT\ndog NN B-NP\n\n",
        (
            "a.conll:2: 2 columns expected like in the lines before, found 3 in 'dog NN B-NP'; mend the line, "
            f"or pass columns={{'word': 0, 'label': -1}} to pick cells; {GUESSED}"
        ),
    ),
    "empty word": (
        "a.txt",
        GOOD + b"\tNN\n\n",
        (
            "a.txt:4: the word is empty in '\\tNN'; put a word there, or pass separator=' ' if blanks of any number "
            "separate the columns"
        ),
    ),
    "broken UTF-8": (
        "a.txt",
        GOOD + b"men\xfc\tNN\n\n",
        (
            "a.txt:4: byte 0xFC at byte 4 of the line is not UTF-8 ('men\\xfc\\tNN'); pass encoding=, for example "
            "encoding='latin-1', if the file was saved in another encoding"
        ),
    ),
    "UTF-8 cut off": (
        "a.txt",
        GOOD + "über".encode()[:1],
        (
            "a.txt:4: byte 0xC3 at byte 1 of the line is not UTF-8 ('\\xc3'); pass encoding=, for example "
            "encoding='latin-1', if the file was saved in another encoding"
        ),
    ),
    "NUL byte": (
        "a.txt",
        GOOD * 20 + b"a\0b\tNN\n\n",
        (
            "a.txt:61: a NUL byte at byte 2 of the line, but text is wanted; the file may be binary, cut "
            "off, or UTF-16 "
            "(pass encoding='utf-16')"
        ),
    ),
    "UTF-16": (
        "a.txt",
        "the\tDT\n".encode("utf-16"),
        "a.txt:1: the file begins with a UTF-16 byte-order mark, but UTF-8 is wanted; pass encoding='utf-16'",
    ),
    "UTF-16 without mark": (
        "a.txt",
        "the\tDT\n".encode("utf-16-le"),
        (
            "a.txt:1: this looks like a binary file (7 of the first 14 bytes are control characters), but "
            "text is wanted; "
            "is it the right file, or UTF-16 (pass encoding='utf-16')?"
        ),
    ),
    "old Mac": (
        "a.txt",
        b"the\tDT\rdog\tNN\r\r",
        (
            "a.txt:1: lines end in a lone CR as on old Macs, but LF or CRLF is wanted; convert the file, "
            "for example with "
            "`tr '\\r' '\\n'`"
        ),
    ),
    "empty file": ("a.txt", b"", f"a.txt:1: the file holds nothing, {NO_SENTENCE}"),
    "blank lines": (
        "a.txt",
        b"\n \n\t\n",
        f"a.txt:3: the file holds only blank lines and comments, {NO_SENTENCE}",
    ),
    "truncated gzip": (
        "a.txt.gz",
        gzip.compress(GOOD * 1000)[:-20],
        (
            "a.txt.gz: the gzip file is broken or cut off (it ends too early); copy or download it again, "
            "or see what "
            "`gzip -t` says"
        ),
    ),
    "broken gzip": (
        "a.txt.gz",
        gzip.compress(GOOD * 1000)[:-8] + bytes(8),
        (
            "a.txt.gz: the gzip file is broken or cut off (CRC check failed 0x0 != 0x547d3910); copy or "
            "download it again, "
            "or see what `gzip -t` says"
        ),
    ),
    "gzip of nothing": ("a.txt.gz", gzip.compress(b""), f"a.txt.gz:1: the file holds nothing, {NO_SENTENCE}"),
    "empty gzip": ("a.txt.gz", b"", f"a.txt.gz:1: the file holds nothing, {NO_SENTENCE}"),
    "gzip by name only": (
        "a.txt.gz",
        GOOD,
        (
            "a.txt.gz:1: the name ends in .gz, but the file does not begin like a gzip file (bytes 0x74 "
            "0x68 0x65 0x09); "
            "decompress or rename it"
        ),
    ),
    "zip": (
        "a.zip",
        b"PK\x03\x04rest",
        "a.zip:1: the file is compressed with zip, but only plain text and gzip are read; decompress it first",
    ),
    "binary": (
        "a.bin",
        bytes(range(256)) * 50,
        (
            "a.bin:1: this looks like a binary file (864 of the first 8192 bytes are control characters), "
            "but text is "
            "wanted; is it the right file, or UTF-16 (pass encoding='utf-16')?"
        ),
    ),
    "CoNLL-U columns": (
        "a.conllu",
        CONLLU + b"2\tdog\tdog\tNOUN\n\n",
        (
            f"a.conllu:2: 10 columns expected ({CONLLU_NAMES}), found 4 in '2\\tdog\\tdog\\tNOUN'; "
            "pass format='conll', comments=True if this is not CoNLL-U"
        ),
    ),
    "CoNLL-U with blanks": (
        "a.conllu",
        CONLLU.replace(b"\t", b" "),
        (
            f"a.conllu:1: 10 columns expected ({CONLLU_NAMES}), found 1 in '1 the the DET DT _ 2 det _ _'; "
            "columns of CoNLL-U are separated by tabs"
        ),
    ),
    "CoNLL-U ids jump": (
        "a.conllu",
        CONLLU + CONLLU.replace(b"1", b"3", 1),
        (
            "a.conllu:2: the id is '3', but 2 was wanted (or a range like 2-3, or an empty node like 1.1); "
            "ids count from "
            "1 in every sentence, and a blank line ends a sentence"
        ),
    ),
    "CoNLL-U id is no number": (
        "a.conllu",
        CONLLU.replace(b"1", b"x", 1),
        (
            "a.conllu:1: the id is 'x', but 1 was wanted (or a range like 1-2, or an empty node like 0.1); "
            "ids count from "
            "1 in every sentence, and a blank line ends a sentence"
        ),
    ),
    "CoNLL-U empty cell": (
        "a.conllu",
        CONLLU.replace(b"DT", b""),
        (
            "a.conllu:1: column 5 (xpos) is empty in '1\\tthe\\tthe\\tDET\\t\\t_\\t2\\tdet\\t_\\t_'; "
            "CoNLL-U writes _ for nothing"
        ),
    ),
    "word without tag": (
        "a.txt",
        b"the/DT dog/NN\na/DT cat\n",
        (
            "a.txt:2: token 2 is 'cat', but word/TAG was wanted; the format was guessed, pass format='text' for "
            "plain text"
        ),
    ),
    "no JSON": (
        "a.jsonl",
        b'["a"]\n{"tokens": ["a"\n',
        f"a.jsonl:2: not JSON: Expecting ',' delimiter at column 16 of '{{\"tokens\": [\"a\"'; {JSON_HINT}",
    ),
    "JSON lists differ": (
        "a.jsonl",
        b'{"tokens": ["a"], "pos": ["X"]}\n{"tokens": ["a", "b"], "pos": ["X"]}\n',
        (
            "a.jsonl:2: field 'tokens' has 2 tokens, but field 'pos' (column 'pos') has 1; mend the line, or pass "
            f"columns=... with the fields that have one value per token; {JSON_HINT}"
        ),
    ),
    "JSON without lists": (
        "a.jsonl",
        b'{"text": "a b"}\n',
        f"a.jsonl:1: no list of strings among the fields 'text'; {JSON_HINT}",
    ),
    "JSON changes shape": (
        "a.jsonl",
        b'["a"]\n{"word": ["a"]}\n',
        f"a.jsonl:2: a list of tokens was wanted as in the first line, got {{'word': ['a']}}; {JSON_HINT}",
    ),
    "JSON surrogate": (
        "a.jsonl",
        b'["\\ud800"]\n',
        f"a.jsonl:1: token 0 is '\\ud800', which UTF-8 cannot write; {JSON_HINT}",
    ),
    "JSON broken UTF-8": (
        "a.jsonl",
        b'["a\xff"]\n',
        (
            "a.jsonl:1: byte 0xFF at byte 4 of the line is not UTF-8 ('[\"a\\xff\"]'); pass encoding=, for example "
            "encoding='latin-1', if the file was saved in another encoding"
        ),
    ),
    "CRFsuite weight": (
        "a.crfsuite",
        b"B\ta=1\tb:x\n",
        (
            "a.crfsuite:1: the weight in 'b:x' is no finite number; CRFsuite writes attribute:2.5, and \\: "
            "for a colon in "
            "the attribute itself"
        ),
    ),
    "CRFsuite declaration": (
        "a.crfsuite",
        b"B\ta=1\n\n@size:2\n",
        (
            "a.crfsuite:3: '@size:2' is no declaration that CRFsuite knows; only @weight:2.5 is, and no label begins "
            "with @"
        ),
    ),
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize(
    "reader", [seqlab.read, lambda name: list(seqlab.stream(name))], ids=["read", "stream"]
)
def test_a_bad_file_gives_one_clear_error(case, reader):
    name, content, message = BAD[case]
    Path(name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        reader(name)
    assert str(caught.value) == message
    assert caught.value.path == name
    place = message[len(name) + 1 :].partition(":")[0]
    assert caught.value.line == (int(place) if place.isdigit() else None)


@pytest.mark.parametrize("case", BAD)
def test_the_error_is_the_same_with_tiny_blocks(case):
    name, content, message = BAD[case]
    if case in {"old Mac", "binary", "UTF-16 without mark", "word without tag"}:
        pytest.skip("is told by the first block")
    Path(name).write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        list(seqlab.stream(name, block=7))
    assert str(caught.value).replace("guessed to be 'text'", "guessed to be 'conll'") == message


def test_a_directory():
    Path("folder").mkdir()
    with pytest.raises(CorpusError) as caught:
        seqlab.read("folder")
    assert str(caught.value) == "folder: this is a directory, but a file is wanted; name one file in it"


def test_a_missing_file(tmp_path):
    with pytest.raises(CorpusError) as caught:
        seqlab.read("missing.txt")
    assert str(caught.value) == f"'missing.txt': there is no such file; looked for it from {tmp_path}"


def test_text_in_place_of_a_path():
    with pytest.raises(CorpusError) as caught:
        seqlab.read("the\tDT\n")
    assert (
        str(caught.value)
        == "'the\\tDT\\n': there is no such file; wrap text in io.StringIO to read it as a file"
    )


def test_permission_denied(monkeypatch):
    Path("a.txt").write_bytes(GOOD)

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("seqlab.corpus.io.reader.open", refuse, raising=False)
    with pytest.raises(CorpusError) as caught:
        seqlab.read("a.txt")
    assert str(caught.value) == "a.txt: permission denied; see who may read it with `ls -l`"


@pytest.mark.parametrize("source", [GOOD, 5, None, [b"a"]])
def test_what_is_no_source(source):
    with pytest.raises(TypeError, match="a path, '-' for standard input, or a stream is wanted, got"):
        seqlab.read(source)


def test_given_columns_that_do_not_fit():
    Path("a.txt").write_bytes(GOOD)
    with pytest.raises(CorpusError) as caught:
        seqlab.read("a.txt", columns=("word", "pos", "chunk"))
    assert str(caught.value) == (
        "a.txt:1: 3 columns expected (word, pos, chunk), found 2 in 'the\\tDT'; "
        "pass columns=... with one name per column if the file is laid out differently"
    )
    with pytest.raises(CorpusError) as caught:
        seqlab.read("a.txt", columns={"word": 0, "entity": 4})
    assert str(caught.value) == (
        "a.txt:1: at least 5 columns expected, found 2 in 'the\\tDT'; pass other columns=..., or mend the line"
    )


def test_the_wrong_encoding():
    Path("a.txt").write_bytes(GOOD + b"men\xfc\tNN\n\n")
    assert seqlab.read("a.txt", encoding="latin-1")[1].tokens == ["menü"]
    with pytest.raises(CorpusError) as caught:
        seqlab.read("a.txt", encoding="ascii")
    assert str(caught.value) == (
        "a.txt:4: not ascii (bytes 0xFC: ordinal not in range(128)); pass the encoding= that the file was saved in"
    )
    with pytest.raises(CorpusError, match="unknown encoding 'klingon'"):
        seqlab.read("a.txt", encoding="klingon")


class Endless(io.RawIOBase):
    """A line that never ends; counts what was taken from it."""

    taken = 0

    def readable(self):
        return True

    def read(self, size=-1):
        self.taken += size
        return b"x" * size


def test_a_line_without_end_is_given_up_early():
    endless = Endless()
    with pytest.raises(CorpusError) as caught:
        seqlab.read(endless, "conll")
    assert str(caught.value) == (
        "<stream>:1: the line is longer than 16 MB, but one line holds one token or one sentence; "
        "is this the right file and format?"
    )
    assert endless.taken < 64 << 20


@pytest.mark.parametrize("form", ["conll", "conllu", "text", "slash", "jsonl", "crfsuite"])
def test_a_line_of_100_mb(form):
    with Path("long.txt").open("wb") as out:
        out.write(b'"')
        out.writelines(b"x" * (1 << 20) for _ in range(100))
        out.write(b'"\n')
    with pytest.raises(CorpusError, match=r"long.txt:1: the line is longer than (16|64) MB") as caught:
        seqlab.read("long.txt", form)
    assert caught.value.line == 1


def test_a_line_of_100_mb_does_not_take_several_times_its_size():
    program = (
        "import resource, sys, seqlab\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: seqlab.read('long.txt')\n"
        "except seqlab.errors.CorpusError: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    with Path("long.txt").open("wb") as out:
        out.writelines(b"x" * (1 << 20) for _ in range(100))
    grown = int(subprocess.check_output([sys.executable, "-c", program]))
    unit = 1 if sys.platform == "darwin" else 1024
    assert grown * unit < 100 << 20
