"""What fuzzers found, and what it is now."""

import io
import struct
import zipfile

import numpy as np
import pytest

import seqlab
from seqlab import _core
from seqlab.errors import CorpusError

TABLE = b"sentence,word,label\n1,the,DT\n\n1,dog,NN\n2,ran,VB\n"


def npy(header: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def archive(old: bytes = b"", new: bytes = b"") -> bytes:
    """An archive of one array, all of whose `old` bytes are replaced."""
    made = io.BytesIO()
    np.savez(made, vector=np.ones((4, 2)))
    return made.getvalue().replace(old, new)


@pytest.mark.parametrize(
    "content",
    [
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,\0"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 9), }"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000, 1000), }"),
        archive(b"PK\x01\x02-\x03-", b"PK\x01\x02-\x03\xff"),  # the version of zip that is needed
        archive(b"PK\x01\x02-\x03-\x00\x00\x00", b"PK\x01\x02-\x03-\x00\x20\x00"),  # patched data
        archive(b"PK\x01\x02-\x03-\x00\x00\x00", b"PK\x01\x02-\x03-\x00\x01\x00"),  # encrypted
    ],
)
def test_a_damaged_file_of_arrays_is_refused(content, tmp_path):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=r"no array of numbers|not enough memory"):
        seqlab.read(path)


def test_the_archive_above_is_sound_when_nothing_is_replaced(tmp_path):
    (tmp_path / "x.npz").write_bytes(archive())
    assert seqlab.read(tmp_path / "x.npz").token_count == 4
    with zipfile.ZipFile(io.BytesIO(archive())) as sound:
        assert sound.testzip() is None


@pytest.mark.parametrize("twice", [False, True])
def test_sentences_of_a_table_stay_apart_when_their_names_are_equal(twice):
    corpus = seqlab.read(io.BytesIO(TABLE), "csv")
    corpus = corpus[:1] + corpus[:1] if twice else corpus
    written = io.BytesIO()
    seqlab.write(corpus, written, "csv")
    written.seek(0)
    assert seqlab.read(written, "csv").column("word") == corpus.column("word")
    assert twice or written.getvalue() == TABLE


def test_a_string_that_is_added_to_damaged_ones_is_there():
    empty = np.zeros(0, dtype=np.uint8)
    begins = np.array([2, 24, 227, 11], dtype=np.int64)  # beyond the bytes, of which there are none
    pool = _core.laid_pool(empty, begins, np.full(1, 0xFFFFFFFF, dtype=np.uint64))
    numbers = [pool.intern(text) for text in ("new here", "", "a longer string than the others", "new here")]
    assert numbers[0] == numbers[3]
    assert pool.string(numbers[0]) == "new here"
    assert pool.string(numbers[2]) == "a longer string than the others"
    assert pool.find("new here") == numbers[0]


@pytest.mark.parametrize(("line", "options"), [(b" -DOCSTART- O", {}), (b"\r# a b", {"comments": True})])
def test_blanks_before_a_line_do_not_make_tokens_of_it(line, options):
    corpus = seqlab.read(io.BytesIO(b"the DT\n\n" + line + b"\n\ndog NN\n"), "conll", **options)
    assert corpus.column("word") == [["the"], ["dog"]]
    written = io.BytesIO()
    seqlab.write(corpus, written, "conll")
    assert written.getvalue() == b"the DT\n\n" + line.lstrip() + b"\n\ndog NN\n"


def test_half_of_a_surrogate_pair_beside_the_columns_is_written_as_it_came():
    line = '{"tokens": ["Straße"], "note": "\\ud800"}\n'.encode()
    corpus = seqlab.read(io.BytesIO(line), "jsonl")
    written = io.BytesIO()
    seqlab.write(corpus, written, "jsonl")
    assert written.getvalue() == line


def test_half_of_a_surrogate_pair_is_no_name_of_a_column():
    with pytest.raises(CorpusError, match="UTF-8 can write"):
        seqlab.read(io.BytesIO(b'{"tokens": ["a"], "\\ud800": ["x"]}\n'), "jsonl")
    with pytest.raises(CorpusError, match="UTF-8 can write"):
        seqlab.Corpus.from_lists(word=[["a"]], **{"\ud800": [["x"]]})
