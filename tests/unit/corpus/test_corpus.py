import pickle

import numpy as np
import pytest

import seqlab
from seqlab import Corpus, Sentence
from seqlab.corpus import StringColumn, VectorColumn
from seqlab.errors import CorpusError, OptionError

SENTENCES = [
    [("the", "DT"), ("dog", "NN")],
    [("barks", "VBZ")],
    [("the", "DT"), ("old", "JJ"), ("man", "NN")],
]


@pytest.fixture
def corpus():
    return Corpus.from_lists(SENTENCES, columns=("word", "pos"))


def test_a_corpus_is_like_a_list(corpus):
    assert len(corpus) == 3
    assert corpus[0].tokens == corpus[-3].tokens == ["the", "dog"]
    assert [s.tokens for s in corpus] == corpus.column("word")
    assert [s.tokens for s in corpus[1:]] == [["barks"], ["the", "old", "man"]]
    assert corpus[::-1][0].tokens == ["the", "old", "man"]
    assert corpus == Corpus.from_lists(SENTENCES, columns=("word", "pos"))
    assert corpus != corpus[:2]
    assert corpus != "corpus"
    assert (corpus + corpus)[3:] == corpus
    assert repr(corpus) == "Corpus(3 sentences, 6 tokens, columns word pos)"
    with pytest.raises(TypeError):
        hash(corpus)
    with pytest.raises(IndexError, match="sentence 3 of a corpus with 3 sentences"):
        corpus[3]
    with pytest.raises(TypeError, match=r"write corpus.column\('word'\)"):
        corpus["word"]
    with pytest.raises(TypeError, match=r"whole number or a slice, got 1.5"):
        corpus[1.5]


def test_columns_by_name(corpus):
    assert corpus.columns == ("word", "pos")
    assert corpus.column("pos") == [["DT", "NN"], ["VBZ"], ["DT", "JJ", "NN"]]
    assert corpus.column("form") == corpus.column("word")
    assert corpus.lengths.tolist() == [2, 1, 3]
    assert corpus.offsets.tolist() == [0, 2, 3, 6]
    assert corpus.token_count == 6
    column = corpus.strings("pos")
    assert isinstance(column, StringColumn)
    assert [column.values[code] for code in column.codes] == ["DT", "NN", "VBZ", "DT", "JJ", "NN"]
    assert column.codes.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 7


def test_each_distinct_string_is_one_object(corpus):
    words = corpus.column("word")
    assert words[0][0] is words[2][0]
    assert corpus[1:].strings("word").pool is corpus.strings("word").pool


def test_an_unknown_column_names_those_that_are_there(corpus):
    message = r"there is no column 'words': the columns are 'word', 'pos'; did you mean 'word'\?"
    for ask in (corpus.column, corpus.strings, corpus.data, corpus[0].__getitem__, corpus.select):
        with pytest.raises(CorpusError, match=message):
            ask("words")
    with pytest.raises(AttributeError, match=message):
        _ = corpus[0][0].words


def test_a_sentence_has_columns_and_tokens(corpus):
    sentence = corpus[2]
    assert isinstance(sentence, Sentence)
    assert (len(sentence), sentence.index, sentence.columns) == (3, 2, ("word", "pos"))
    assert sentence["pos"] == ["DT", "JJ", "NN"]
    assert sentence[1].word == sentence[-2]["word"] == "old"
    assert [token.pos for token in sentence] == ["DT", "JJ", "NN"]
    assert [token.word for token in sentence[1:]] == ["old", "man"]
    assert sentence == corpus[2] != corpus[0]
    assert repr(sentence) == "Sentence('the old man', 3 tokens, columns word pos)"
    assert sentence.place(1) == "sentence 2, token 1"
    assert (sentence.comments, dict(sentence.meta)) == ((), {})
    with pytest.raises(IndexError, match="token 3 of a sentence with 3 tokens"):
        sentence[3]
    with pytest.raises(TypeError, match="could mean a column or a word"):
        _ = "old" in sentence


def test_a_token_is_a_row(corpus):
    token = corpus[2][1]
    assert (token.word, token["pos"], token.position) == ("old", "JJ", 1)
    assert token.as_dict() == {"word": "old", "pos": "JJ"}
    assert token == corpus[2][1] != corpus[2][2]
    assert "form" in token
    assert "lemma" not in token
    assert repr(token) == "Token(word='old', pos='JJ')"
    assert "pos" in dir(token)
    assert token.place == "sentence 2, token 1"


def test_pickle(corpus):
    again = pickle.loads(pickle.dumps(corpus))
    assert again == corpus
    assert again.columns == corpus.columns
    part = pickle.dumps(Corpus.from_lists([[str(i)] for i in range(10_000)])[5:6])
    assert len(part) < 2500  # strings that the slice does not use stay behind
    assert pickle.loads(pickle.dumps(corpus[1])).tokens == ["barks"]
    assert pickle.loads(pickle.dumps(corpus[2][1])).word == "old"


def test_split_by_share_and_by_count():
    corpus = Corpus.from_lists([[str(i)] for i in range(10)])
    assert [len(part) for part in corpus.split(0.9)] == [9, 1]
    assert [len(part) for part in corpus.split(0.8, 0.1, 0.1)] == [8, 1, 1]
    assert [len(part) for part in corpus.split(0.5, 0.2)] == [5, 2, 3]
    assert [len(part) for part in corpus.split(4)] == [4, 6]
    assert [len(part) for part in corpus.split(4, 6)] == [4, 6]
    assert [len(part) for part in corpus.split(1.0)] == [10]
    assert Corpus.join(corpus.split(1 / 3, 1 / 3, 1 / 3)) == corpus
    for wrong in ((), (0.9, 0.2), (11,), (-1,), ("half",), (True,), (float("nan"),)):
        with pytest.raises(OptionError):
            corpus.split(*wrong)


def test_shuffle_and_sample_depend_on_the_seed_alone():
    corpus = Corpus.from_lists([[str(i)] for i in range(8)])
    order = [s.tokens[0] for s in corpus.shuffle(7)]
    assert order == ["6", "3", "4", "0", "2", "7", "5", "1"]  # for ever: raw streams of PCG64 do not change
    assert sorted(order) == [str(i) for i in range(8)]
    assert corpus.shuffle(8) != corpus.shuffle(7) == corpus.shuffle(7)
    sample = [int(s.tokens[0]) for s in corpus.sample(3, 7)]
    assert sample == sorted(sample) == [3, 4, 6]
    for wrong in (-1, 1.5, True, None):
        with pytest.raises(OptionError, match="seed must be"):
            corpus.shuffle(wrong)
    with pytest.raises(OptionError, match=r"from 0 to 8 \(all sentences\), got 9"):
        corpus.sample(9, 0)


def test_take_and_filter(corpus):
    assert corpus.take([2, 0, -1]).column("word") == [
        ["the", "old", "man"],
        ["the", "dog"],
        ["the", "old", "man"],
    ]
    assert corpus.take([]).column("word") == []
    assert corpus.filter(lambda s: len(s) > 1) == corpus.take([0, 2])
    with pytest.raises(CorpusError, match="there is no sentence 3, the corpus has 3"):
        corpus.take([3])
    with pytest.raises(CorpusError, match="numbers of sentences"):
        corpus.take(["a"])


def test_columns_are_added_selected_and_renamed(corpus):
    more = corpus.with_column("upper", [[w.upper() for w in s.tokens] for s in corpus])
    assert more[0]["upper"] == ["THE", "DOG"]
    assert corpus.columns == ("word", "pos")
    assert more.select("upper", "word").columns == ("upper", "word")
    assert more.select(["pos"]).columns == ("pos",)
    assert corpus.rename(pos="label").column("label") == corpus.column("pos")
    assert more.with_column("word", more.strings("upper"))[0].tokens == ["THE", "DOG"]
    vectors = corpus.with_column("vector", np.zeros((6, 4), dtype=np.float32))
    assert isinstance(vectors.data("vector"), VectorColumn)
    assert vectors[2]["vector"].shape == (3, 4)
    assert vectors[1:].column("vector")[0].shape == (1, 4)
    with pytest.raises(CorpusError, match="'vector' holds vectors, but strings are wanted"):
        vectors.strings("vector")
    with pytest.raises(CorpusError, match="sentence 1 has 1 tokens in the corpus, but 2 in column 'x'"):
        corpus.with_column("x", [["a", "b"], ["c", "d"], ["e", "f", "g"]])
    with pytest.raises(CorpusError, match="has 5 entries, but the corpus has 6 tokens"):
        corpus.with_column("x", np.zeros((5, 1)))
    with pytest.raises(CorpusError, match="there is no column 'tag'"):
        corpus.rename(tag="pos")
    with pytest.raises(CorpusError, match="'word' occurs twice"):
        corpus.rename(pos="word")


def test_joining_asks_for_the_same_columns(corpus):
    other = Corpus.from_lists([["x"]])
    with pytest.raises(
        CorpusError, match="different columns cannot be joined: word pos and word; use select"
    ):
        _ = corpus + other
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = corpus + 5
    joined = corpus + corpus.shuffle(1)
    assert joined.column("pos") == corpus.column("pos") + corpus.shuffle(1).column("pos")


def test_places_survive_joining(tmp_path):
    for name in ("a.conll", "b.conll"):
        (tmp_path / name).write_bytes(b"x A\n\n\ny B\nz C\n\n")
    a, b = seqlab.read(tmp_path / "a.conll"), seqlab.read(tmp_path / "b.conll")
    both = (a + b)[::-1]
    assert [both.place(i, len(both[i]) - 1).rpartition("/")[2] for i in range(4)] == [
        "b.conll:5",
        "b.conll:1",
        "a.conll:5",
        "a.conll:1",
    ]
    assert a.name == str(tmp_path / "a.conll")
    assert both.name.endswith("a.conll and 1 more")
    assert repr(a) == "Corpus(2 sentences, 3 tokens, columns word label, from a.conll)"
    made = Corpus.from_lists([[("x", "A")]]) + a
    assert (made.place(0), made.place(1).rpartition("/")[2]) == ("sentence 0, token 0", "a.conll:1")


def test_columns_and_offsets_must_fit():
    column = Corpus.from_lists([["a", "b"]]).strings("word")
    with pytest.raises(CorpusError, match="column 'word' has 2 entries, but the sentences have 3 tokens"):
        Corpus({"word": column}, np.array([0, 3]))
    with pytest.raises(CorpusError, match="offsets must begin with 0, never fall"):
        Corpus({"word": column}, np.array([0, 3, 2]))
    with pytest.raises(CorpusError, match="codes must be a list of numbers from 0 to 1"):
        StringColumn(np.array([0, 2], dtype=np.int32), column.pool)
    with pytest.raises(CorpusError, match="vectors must be an array"):
        VectorColumn(np.zeros(3))


def test_indices_are_whole_numbers(corpus):
    assert corpus[np.int64(-1)] == corpus[2]
    assert corpus.place(-1, 2) == corpus.place(2, 2)
    with pytest.raises(IndexError, match="sentence 3 of a corpus with 3 sentences"):
        corpus.place(3)
    with pytest.raises(TypeError, match=r"got \[0, 1\]; write corpus.take"):
        corpus[[0, 1]]
    for wrong in (1.0, None, [1]):
        with pytest.raises(TypeError, match="a column's name, a whole number or a slice, got"):
            corpus[0][wrong]
