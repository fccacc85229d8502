"""Tables (CSV, TSV) and arrays (NPY, NPZ): good, odd and broken ones, every message word for word."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab import HMM, Corpus, Gaussian, read
from seqlab.errors import CorpusError

KAGGLE = 'Sentence #,Word,POS,Tag\nSentence: 1,The,DT,O\n,"dog, big",NN,B-x\nSentence: 2,"""",,O\n'


def table(text: str, form: str | None = "csv", **options: object) -> Corpus:
    return read(io.StringIO(text), form, **options)  # type: ignore[arg-type]


def written(corpus: Corpus, **options: object) -> str:
    out = io.BytesIO()
    corpus.write(out, **options)  # type: ignore[arg-type]
    return out.getvalue().decode()


def test_the_usual_table_of_entities():
    corpus = table(KAGGLE)
    assert corpus.to_lists() == {
        "word": [["The", "dog, big"], ['"']],
        "pos": [["DT", "NN"], [None]],
        "label": [["O", "B-x"], ["O"]],
    }
    assert [sentence.meta["id"] for sentence in corpus] == ["Sentence: 1", "Sentence: 2"]
    assert [corpus.place(0, 1), corpus.place(1, 0)] == ["<stream>:3", "<stream>:4"]
    assert written(corpus) == KAGGLE


@pytest.mark.parametrize(
    "text",
    [
        KAGGLE,
        "sentence_id;token;ner\n1;a;O\n1;b;B\n2;c;O\n",
        "word,label\na,X\nb,Y\n\nc,X\n",
        "word|label\na|X\n",
        "word,label\na,X",
        "word,label\r\na,X\r\n",
        'word,label\n"two\nlines",X\nc,X\n',
        'word\tlabel\n"\t``\na\tX\n',
        'word\tlabel\n""""\tX\n',
        "x,y\n1,2.5\n3,\n",
        "seq,x\n1,2.5\n1,4\n2,5\n",
        "w,t\na,X\nb,X\n",
    ],
)
@pytest.mark.filterwarnings("ignore::seqlab.errors.CorpusWarning")
def test_what_was_read_is_written_back(text):
    assert written(table(text)) == text


def test_the_format_is_seen():
    assert table("sentence\tword\tlabel\n1\ta\tX\n", None).columns == ("word", "label")
    assert table("word,tag\na,X\n", None).columns == ("word", "label")
    assert table("a\tX\nb\tY\n", None).layout.format == "conll"
    assert table("Well , said the dog\nNo , said the cat\n", None).layout.format != "csv"


def test_sentences_of_blank_lines_and_of_a_chosen_column():
    assert table("word,label\na,X\n\nb,Y\n").column("word") == [["a"], ["b"]]
    assert table("word,label\na,X\n,\nb,Y\n").column("word") == [["a"], ["b"]]
    assert table("text,doc\na,1\nb,1\nc,2\n", sequence="doc").column("word") == [["a", "b"], ["c"]]


def test_tables_without_a_header():
    assert table("a,X\nb,X\na,Y\n").to_lists() == {"word": [["a", "b", "a"]], "label": [["X", "X", "Y"]]}
    assert table("1,2\n3,4\n").column("vector")[0].tolist() == [[1, 2], [3, 4]]


def test_columns_are_picked_and_named():
    text = "word,Tag,x\na,b,1\n"
    assert table(text, columns=("word", "x")).to_lists() == {"word": [["a"]], "x": [["1"]]}
    assert table(text, columns={"w": "word", "l": -2}).to_lists() == {"w": [["a"]], "l": [["b"]]}
    assert table(text, columns=("p", "q", "r")).columns == ("p", "q", "r")


def test_numbers_are_vectors_where_there_are_no_words():
    corpus = table("id,x,y,state\n1,0.5,,A\n1,2,3,B\n2,4,5,A\n", sequence="id")
    assert corpus.columns == ("vector", "label")
    assert corpus.lengths.tolist() == [2, 1]
    np.testing.assert_array_equal(corpus.column("vector")[0], [[0.5, np.nan], [2, 3]])
    assert table("word,start\na,0\n").column("start") == [["0"]]


def test_measurements_train_an_hmm(tmp_path):
    numbers = np.concatenate([np.random.default_rng(s).normal(10 * s, 1, (20, 2)) for s in (0, 1)])
    np.savetxt(tmp_path / "x.csv", numbers, delimiter=",", header="x,y", comments="")
    np.save(tmp_path / "x.npy", numbers)
    answers = []
    for name in ("x.csv", "x.npy"):
        corpus = read(tmp_path / name)
        hmm = HMM(states=["A", "B"], emissions=Gaussian(), seed=1).fit(corpus)
        answers.append(hmm.predict(corpus))
        assert len(set(answers[-1][0][:20])) == len(set(answers[-1][0][20:])) == 1
    assert answers[0] == answers[1]


def test_another_format_becomes_a_table_that_pandas_reads():
    corpus = Corpus.from_lists(word=[["a", 'b"'], ["c"]], label=[["X", None], ["Y"]])
    text = written(corpus, format="csv")
    assert text == 'sentence,word,label\n0,a,X\n0,"b""",\n1,c,Y\n'
    assert table(text) == corpus
    pandas = pytest.importorskip("pandas")
    assert Corpus.from_pandas(pandas.read_csv(io.StringIO(text))) == corpus


def test_a_stream_gives_whole_sentences():
    rows = "".join((f"s{i // 7}" if i % 7 == 0 else "") + f",w{i},T\n" for i in range(3000))
    text = "sentence,word,tag\n" + rows
    blocks = list(seqlab.stream(io.StringIO(text), "csv", block=70_000).blocks())
    whole = table(text)
    assert all(set(block.lengths.tolist()) <= {7, 4} for block in blocks)
    assert Corpus.join(blocks) == whole
    assert written(Corpus.join(blocks)) == text


@pytest.mark.filterwarnings("ignore::seqlab.errors.CorpusWarning")
def test_encodings(tmp_path):
    (tmp_path / "a.csv").write_text("word,tag\né,X\n", encoding="utf-8-sig")
    (tmp_path / "b.csv").write_text("word,tag\né,X\n", encoding="latin-1")
    assert read(tmp_path / "a.csv") == read(tmp_path / "b.csv", encoding="latin-1")
    with pytest.raises(
        CorpusError, match=r"b.csv:2: byte 0xE9 at byte 1 of the line is not UTF-8 .* pass encoding="
    ):
        read(tmp_path / "b.csv")


BAD = {
    "word,label\na,X,Z\n": "2: 2 cells expected (word, label), found 3 in 'a,X,Z'; mend the row, put a cell that holds "
    "',' into quotes, or pass separator=... if another sign separates cells",
    "word,label\n,X\n": "2: the word is empty in ['', 'X']; put a word there, or leave the row out",
    'word,label\na,X\nb,"Y\nc,Z\n': "3: a quoted cell begins here and never ends; write a quote inside of quotes "
    "twice, as in RFC 4180",
    "x\n"
    + "1\n" * 20
    + "foo\n": "22: column 'x' holds numbers, but 'foo' is none; mend it, or pass missing='foo' if "
    "it stands for a missing number",
    "word,word\na,b\n": "1: the header has the name 'word' twice; every column needs its own",
    "sentence\n1\n": "1: the table has no column besides the one that names the sentence",
    "word,a\nb,\0\n"
    + "c,d\n" * 20: "2: a NUL byte at byte 3 of the line, but text is wanted; the file may be "
    "binary, cut off, or UTF-16 (pass encoding='utf-16')",
    "word,tag\n": "1: the file holds only blank lines and comments, but at least one sentence is wanted; is it the "
    "right file?",
}


@pytest.mark.parametrize(("text", "message"), BAD.items())
def test_bad_tables_are_refused_with_their_line(text, message):
    with pytest.raises(CorpusError) as refused:
        table(text)
    assert str(refused.value) == f"<stream>:{message}"


def test_bad_options_are_refused():
    with pytest.raises(CorpusError) as refused:
        table("a,b\n1,2\n", sequence="c")
    assert str(refused.value) == "<stream>:1: sequence='c': there is no column 'c': the columns are 'a', 'b'"
    with pytest.raises(CorpusError, match=r"there is no column 'q': .* columns= takes some, or 2 new names"):
        table("word,tag\na,b\n", columns=("q",))
    with pytest.raises(CorpusError, match="columns= picks 7, but the table has the columns 'word', 'tag'"):
        table("word,tag\na,b\n", columns={"x": 7})
    bags = Corpus.from_lists([[{"a": 1}]], [["X"]])
    with pytest.raises(
        CorpusError, match="a CSV table holds strings and numbers, but column 'attributes' has bags"
    ):
        written(bags, format="csv")


CELLS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)
WORDS = CELLS.filter(lambda text: bool(text) and "\r" not in text)
ROWS = st.lists(st.lists(st.tuples(WORDS, st.none() | WORDS), min_size=1, max_size=4), min_size=1, max_size=4)


@given(ROWS, st.sampled_from(",;\t|"))
def test_any_strings_come_back(rows, separator):
    corpus = Corpus.from_lists(
        word=[[word for word, _ in one] for one in rows], label=[[label for _, label in one] for one in rows]
    )
    text = written(corpus, format="csv", separator=separator)
    assert table(text, separator=separator) == corpus


@given(st.lists(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_numbers_come_back(sequences):
    if not np.isfinite(np.concatenate(sequences)).any():
        return
    corpus = Corpus.from_lists(vector=[np.array(one)[:, None] for one in sequences])
    again = table(written(corpus, format="csv"))
    for one, other in zip(again.column("vector"), corpus.column("vector"), strict=True):
        np.testing.assert_array_equal(one, other)


# ---------------------------------------------------------------------------------------------- arrays


def test_arrays_are_sequences(tmp_path):
    path = tmp_path / "x.npy"
    for shape, lengths in (((5,), [5]), ((5, 2), [5]), ((3, 4, 2), [4, 4, 4])):
        array = np.arange(np.prod(shape), dtype=float).reshape(shape)
        np.save(path, array)
        corpus = read(path)
        assert corpus.lengths.tolist() == lengths
        np.testing.assert_array_equal(np.concatenate(corpus.column("vector")).reshape(-1), array.reshape(-1))
        assert [block.lengths.tolist() for block in seqlab.stream(path).blocks()] == [lengths]
        corpus.write(tmp_path / "y.npy")
        assert read(tmp_path / "y.npy") == corpus
        with path.open("rb") as file:
            assert read(file) == corpus


def test_archives_are_sequences_or_columns(tmp_path):
    parts = [np.ones((2, 3)), np.zeros((4, 3))]
    np.savez(tmp_path / "a.npz", *parts)
    np.savez(tmp_path / "b.npz", vector=np.concatenate(parts), label=[0, 1, 1, 0, 0, 1], lengths=[2, 4])
    one, other = read(tmp_path / "a.npz"), read(tmp_path / "b.npz")
    assert one == other.select("vector")
    assert other.column("label") == [["0", "1"], ["1", "0", "0", "1"]]
    assert read(tmp_path / "a.npz", columns=("x",)).columns == ("x",)


SHAPES = "an array of numbers (T,), (T, D) or (N, T, D) is wanted, got"
DAMAGED = (
    "this is no array of numbers that NumPy can read: the file is damaged, of another kind, or holds Python objects; "
    "write it with np.save or np.savez"
)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((1, 2, 3, 4)), f"{SHAPES} float64 of shape (1, 2, 3, 4)"),
        (np.zeros(2, dtype=complex), f"{SHAPES} complex128 of shape (2,)"),
        (
            np.zeros((0, 2)),
            "the file holds no numbers, but at least one sequence is wanted; is it the right file?",
        ),
        (np.array([{}]), DAMAGED),
    ],
)
def test_bad_arrays_are_refused(tmp_path, array, message):
    path = tmp_path / "x.npy"
    np.save(path, array)
    with pytest.raises(CorpusError) as refused:
        read(path)
    assert str(refused.value) == f"{path}: {message}"


def test_files_that_are_no_arrays_are_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"no.npy: the file cannot be read \(No such file or directory\)"):
        read(tmp_path / "no.npy")
    np.savez(tmp_path / "x.npz", a=np.zeros((2, 1)), b=np.zeros((3, 1)))
    with pytest.raises(CorpusError, match=r"x.npz: array 'b' has shape \(3, 1\), but the others have 2 rows"):
        read(tmp_path / "x.npz")
    corpus = Corpus.from_lists(vector=[np.zeros((1, 2)), np.zeros((2, 2))])
    with pytest.raises(
        CorpusError, match="an array holds sequences of one length, but these have 1 to 2 tokens"
    ):
        corpus.write(tmp_path / "y.npy")
