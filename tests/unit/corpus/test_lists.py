import numpy as np
import pytest

from seqlab import Corpus, _core
from seqlab.corpus import BagColumn
from seqlab.errors import CorpusError

WORDS = [["the", "dog"], ["barks"]]
TAGS = [["DT", "NN"], ["VBZ"]]
ROWS = [[("the", "DT"), ("dog", "NN")], [("barks", "VBZ")]]
WANTED = {"word": WORDS, "pos": TAGS}


@pytest.mark.parametrize(
    "corpus",
    [
        lambda: Corpus.from_lists(word=WORDS, pos=TAGS),
        lambda: Corpus.from_lists({"word": WORDS, "pos": TAGS}),
        lambda: Corpus.from_lists(ROWS, columns=("word", "pos")),
        lambda: Corpus.from_lists([[list(row) for row in s] for s in ROWS], columns=["word", "pos"]),
        lambda: Corpus.from_lists(WORDS, TAGS, columns=("word", "pos")),
        lambda: Corpus.from_lists([{"word": w, "pos": t} for w, t in zip(WORDS, TAGS, strict=True)]),
        lambda: Corpus.from_lists([[{"word": w, "pos": t} for w, t in s] for s in ROWS]),
        lambda: Corpus.from_lists(word=tuple(map(tuple, WORDS)), pos=(t for t in TAGS)),
    ],
)
def test_the_natural_shapes_give_the_same_corpus(corpus):
    assert corpus().to_lists() == WANTED
    assert corpus() == Corpus.from_lists(**WANTED)


def test_lists_round_trip():
    corpus = Corpus.from_lists(**WANTED)
    assert Corpus.from_lists(corpus.to_lists()) == corpus


def test_words_alone_and_usual_names():
    assert Corpus.from_lists(WORDS).columns == ("word",)
    assert Corpus.from_lists(WORDS, TAGS).columns == ("word", "label")
    assert Corpus.from_lists([[("a", "DT", "B-NP")]]).columns == ("word", "pos", "chunk")


def test_nothing_and_empty_sentences():
    assert len(Corpus.from_lists([])) == 0
    assert Corpus.from_lists([[], ["a"], []]).lengths.tolist() == [0, 1, 0]
    assert Corpus.from_lists([[]], [[]]).column("label") == [[]]
    assert Corpus.from_lists(word=[]).token_count == 0
    assert Corpus.from_lists([])[:0] == Corpus.from_lists([])


def test_items_of_python_crfsuite_become_bags():
    x = [
        [{"bias": 1.0, "w": "the", "title": False, "near": {"a": 2, "b": ["c"]}}, {"w": "dog"}],
        [["plain", "plain", "other"]],
    ]
    corpus = Corpus.from_lists(x, [["A", "B"], ["C"]])
    assert corpus.columns == ("attributes", "label")
    assert corpus.column("attributes") == [
        [{"bias": 1.0, "w:the": 1.0, "title": 0.0, "near:a": 2.0, "near:b:c": 1.0}, {"w:dog": 1.0}],
        [{"plain": 2.0, "other": 1.0}],
    ]
    bags = corpus.data("attributes")
    assert isinstance(bags, BagColumn)
    assert bags.indptr.tolist() == [0, 5, 6, 9]
    assert corpus[1:].data("attributes").same(corpus.take([1]).data("attributes"))
    assert (corpus + corpus)[2:] == corpus
    assert Corpus.from_lists([[["a"]]], [["X"]]).data("attributes").weights is None


def test_a_number_that_changes_the_lists_while_it_is_read_is_left_to_python():
    class Odd(int):
        def __float__(self):
            asked.append(self)
            sentence.clear()
            item.clear()
            return 2.0

    asked: list[int] = []
    item = {f"a{i}": Odd(i) for i in range(50)}
    sentence = [item, {"b": True, "c": 3}] * 40
    assert _core.intern_items(_core.StringPool(), [sentence]) is None
    assert asked == []
    assert _core.intern_items(_core.StringPool(), [[{"b": True, "c": 3, "d": 0.5}]])[2].tolist() == [
        1.0,
        3.0,
        0.5,
    ]


def test_sets_have_a_fixed_order():
    one = Corpus.from_lists([[{"x": {"b", "a", "c"}}]], [["A"]])
    assert one.data("attributes").values == ["x:a", "x:b", "x:c"]


def test_vectors():
    corpus = Corpus.from_lists([[[1.0, 2.0], [3.0, 4.0]], []], [["A", "B"], []], columns=("vector", "label"))
    assert corpus.column("vector")[0].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    arrays = Corpus.from_lists([np.ones((2, 3), dtype=np.float32), np.ones((1, 3), dtype=np.float32)], TAGS)
    assert arrays.columns == ("vector", "label")
    assert arrays[0]["vector"].dtype == np.float32


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            Corpus.from_lists,
            "takes one list of sentences, X and y, or columns by name, got 0 arguments",
        ),
        (lambda: Corpus.from_lists("the dog"), "the corpus must be a list of sentences, .* got 'the dog'"),
        (
            lambda: Corpus.from_lists(["the dog"]),
            r"sentence 0 must be a list of strings, got 'the dog'; write list\(",
        ),
        (lambda: Corpus.from_lists([["a", 1]]), "column 'word': sentence 0, token 1 must be a string, got 1"),
        (lambda: Corpus.from_lists([["\ud800"]]), "token 0 must be text that UTF-8 can write"),
        (lambda: Corpus.from_lists(WORDS, TAGS[:1]), "'word' has 2 sentences, but column 'label' has 1"),
        (
            lambda: Corpus.from_lists([["a", "b"]], [["X"]]),
            "sentence 0 has 2 tokens in column 'word', but 1 in column",
        ),
        (
            lambda: Corpus.from_lists([[("a", "X"), ("b",)]]),
            "sentence 0, token 1 must have 2 values like the first",
        ),
        (
            lambda: Corpus.from_lists(ROWS, columns=("word",)),
            r"1 column names \('word',\) for tokens of 2 values",
        ),
        (lambda: Corpus.from_lists(WORDS, columns=("a", "b")), "for tokens that are single strings"),
        (
            lambda: Corpus.from_lists(WORDS, columns="word"),
            r"got the single string 'word'; write \('word',\)",
        ),
        (
            lambda: Corpus.from_lists([[{"bias": 1.0}]]),
            r"features go together with labels: from_lists\(X, y\)",
        ),
        (
            lambda: Corpus.from_lists([{"word": ["a"]}, {"form": ["b"]}]),
            "sentence 1 must be a dict with the key 'word'",
        ),
        (
            lambda: Corpus.from_lists([[{"a": None}]], [["X"]]),
            "sentence 0, token 0: attribute 'a' has the value None of type NoneType",
        ),
        (
            lambda: Corpus.from_lists([[{"a": np.nan}]], [["X"]]),
            "attribute 'a' has the weight nan; weights must be finite",
        ),
        (lambda: Corpus.from_lists([[{1: "x"}]], [["X"]]), "an attribute must be a string, got 1"),
        (
            lambda: Corpus.from_lists([[["a"], 3]], [["X", "Y"]]),
            "token 1: a token is a dict or a list of strings, got 3",
        ),
        (lambda: Corpus.from_lists({}), "a corpus needs at least one column"),
    ],
)
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(CorpusError, match=message):
        make()


def test_sentences_make_a_corpus_again():
    first, second = Corpus.from_lists(WORDS, TAGS), Corpus.from_lists([["cats", "sleep"]], [["NNS", "VBP"]])
    mixed = Corpus.from_lists([first[1], *second, first[0]])
    assert mixed.column("word") == [["barks"], ["cats", "sleep"], ["the", "dog"]]
    assert Corpus.from_lists(first) == first
    assert Corpus.from_lists(sorted(first, key=len), columns=("word",)).to_lists() == {"word": WORDS[::-1]}
