"""The encoder at its door: what it takes, what its arrays look like, what it refuses."""

import numpy as np
import pytest

from seqlab.corpus import Corpus
from seqlab.encode import Encoder, encode
from seqlab.errors import CorpusError, LabelError, OptionError, ShapeError, TemplateError
from seqlab.features import Template

WORDS = [["the", "old", "man"], ["the", "boat"]]
POS = [["DT", "JJ", "NN"], ["DT", "NN"]]
CORPUS = Corpus.from_lists(word=WORDS, pos=POS)


def test_arrays_are_plain_and_add_up():
    encoded = encode(CORPUS, Template.parse("word[0]\nword[-1]"), "pos")
    assert encoded.offsets.tolist() == [0, 3, 5]
    assert encoded.indptr.tolist() == [0, 2, 4, 6, 8, 10]
    assert encoded.ids.dtype == np.int32
    assert encoded.values is None
    assert encoded.encoder.labels == ("DT", "JJ", "NN")
    assert encoded.labels.tolist() == [0, 1, 2, 0, 2]
    assert encoded.encoder.attributes[:3] == ["word[0]=the", "word[-1]=<s>", "word[-1]=the"]
    assert encoded.token_count == 5
    assert len(encoded) == 2
    assert encoded.nbytes == sum(
        a.nbytes for a in (encoded.offsets, encoded.indptr, encoded.ids, encoded.labels)
    )
    assert "2 sentences, 5 tokens, 10 entries" in repr(encoded)


def test_labels_that_training_did_not_have_are_minus_one():
    encoder = Encoder(Template.parse("word[0]"))
    encoder.fit(WORDS, POS)
    assert encoder.encode([["the", "boat"]], [["DT", "XX"]]).labels.tolist() == [0, -1]
    assert encoder.encode([["the", "boat"]]).labels is None


def test_template_text_and_preset_names_are_taken():
    assert encode(WORDS, "word[0]").encoder.size == 4
    assert encode(CORPUS, "chunk").encoder.size > 10
    with pytest.raises(OptionError, match="there is no preset 'chunks'"):
        encode(CORPUS, "chunks")


def test_a_function_gives_strings_and_numbers():
    def own(sentence, t):
        yield sentence["word"][t][0]
        yield "length", len(sentence["word"][t])

    encoded = encode(WORDS, own)
    assert sorted(encoded.encoder.attributes) == ["b", "length", "m", "o", "t"]
    at = encoded.ids == encoded.encoder.attributes.index("length")
    assert encoded.values[at].tolist() == [3, 3, 3, 3, 4]


def test_items_are_taken_as_python_crfsuite_takes_them():
    items = [
        [
            {"w": "the", "n": {"-1": "x"}, "cap": True, "low": False, "len": 2.5, "suf": ["e", "he"]},
            ["a", "b"],
        ]
    ]
    encoded = encode(items, labels=[["A", "B"]])
    names = encoded.attributes(0, 0)
    weights = encoded.values[: len(names)].tolist()
    assert dict(zip(names, weights, strict=True)) == {
        "w:the": 1, "n:-1:x": 1, "cap": 1, "len": 2.5, "suf:e": 1, "suf:he": 1,
    }  # fmt: skip
    assert encoded.attributes(0, 1) == ["a", "b"]
    assert encoded.encoder.encode([[["b", "new"]]]).attributes(0, 0) == ["b"]


def test_vectors_stand_beside_other_attributes():
    vectors = [np.arange(6.0).reshape(3, 2), np.ones((2, 2))]
    corpus = CORPUS.with_column("glove", vectors)
    encoded = encode(corpus, "word[0]")
    assert encoded.attributes(0, 1) == ["word[0]=old", "glove[0]", "glove[1]"]
    row = slice(*encoded.indptr[1:3])
    assert encoded.values[row].tolist() == [1, 2, 3]
    wrong = CORPUS.with_column("glove", [np.ones((3, 5)), np.ones((2, 5))])
    with pytest.raises(ShapeError, match="have 5 numbers, but training had 2"):
        encoded.encoder.encode(wrong)


def test_vectors_must_be_finite():
    corpus = CORPUS.with_column("v", [np.array([[0.0], [np.nan], [0.0]]), np.ones((2, 1))])
    with pytest.raises(CorpusError, match="sentence 0, position 1: number 0 is nan"):
        encode(corpus)


def test_min_count_of_a_line_counts_too():
    encoded = encode(WORDS, "word[0] min=2\nlower(word[0])")
    assert encoded.attributes(0, 1) == ["lower(word[0])=old"]
    assert encoded.attributes(0, 0) == ["word[0]=the", "lower(word[0])=the"]


def test_numbers_without_bound_are_taken():
    far = "word[-10000]\nword[@10000]\nsuffix(word[0], 99999999999999999999)"
    template = Template.parse(far)
    assert encode(WORDS, template).attributes(0, 0) == template.attributes(WORDS[0], 0)
    assert encode(WORDS, "word[0] min=99999999999999999999").encoder.size == 0


def test_ready_made_attributes_may_be_missing_at_prediction():
    bags = encode([[{"a": 1}]]).encoder
    vectors = encode([np.ones((3, 2))]).encoder
    for encoder in (bags, vectors):
        for empty in ([], [[]], [[], []]):
            assert len(encoder.encode(empty)) == len(empty)
            assert encoder.encode(empty).token_count == 0


def test_item_sequences_of_python_crfsuite_are_taken():
    pycrfsuite = pytest.importorskip("pycrfsuite")
    sequence = pycrfsuite.ItemSequence([{"a": 1, "b": {"c": 2.0}}, ["d"]])
    assert encode([sequence]).attributes(0, 0) == ["a", "b:c"]


def test_what_can_be_gone_through_is_taken():
    assert encode(np.array([[{"a": 1}, {"b": 1}]], dtype=object)).attributes(0, 1) == ["b"]
    assert encode(iter([iter([{"a": 1}])])).attributes(0, 0) == ["a"]
    encoded = encode([np.array(words) for words in WORDS], "word[0]", [np.array(tags) for tags in POS])
    assert encoded.attributes(0, 1) == ["word[0]=old"]
    assert encoded.labels.tolist() == [0, 1, 2, 0, 2]


def test_sentences_of_a_corpus_are_taken_with_all_their_columns():
    chosen = [sentence for sentence in CORPUS if len(sentence) < 3]
    assert encode(chosen, "word[0] & pos[0]", [["A", "B"]]).attributes(0, 1) == ["word[0]&pos[0]=boat|NN"]
    assert encode(iter(CORPUS), "pos[0]", "pos").encoder.labels == ("DT", "JJ", "NN")
    items = Corpus.from_lists(item=[[["x"], ["y"]]])
    assert encode(list(items)).attributes(0, 1) == ["y"]
    with pytest.raises(CorpusError, match="a Corpus or a list of sentences is wanted, got Sentence"):
        encode(CORPUS[0], "word[0]")


def test_empty_corpora_and_sentences_are_fine():
    encoded = encode([[], ["a"], []], "word[0]")
    assert encoded.offsets.tolist() == [0, 0, 1, 1]
    assert encoded.ids.tolist() == [0]
    nothing = encode(Corpus.from_lists(word=[]), "word[0]")
    assert len(nothing) == 0
    assert nothing.encoder.size == 0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: encode(WORDS), CorpusError, "hold plain strings"),
        (lambda: encode(WORDS, 3), OptionError, "features must be a preset's name, a Template, a function"),
        (lambda: encode("the old man", "word[0]"), CorpusError, "a list of sentences is wanted"),
        (lambda: encode(WORDS, "pos[0]"), TemplateError, "a column 'pos', but the corpus has 1: 'word'"),
        (lambda: encode(WORDS, "word[0]", "pos"), CorpusError, "'pos'"),
        (lambda: encode(WORDS, "word[0]", [["DT"], ["DT", "NN"]]), CorpusError, "sentence 0"),
        (
            lambda: encode(WORDS, "word[0]", min_count=0),
            OptionError,
            "min_count must be a whole number from 1 up",
        ),
        (lambda: Encoder("word[0]").encode(WORDS), OptionError, "has learned nothing yet"),
        (lambda: encode(WORDS, "word[0]").attributes(0, 3), LabelError, "no token 3 in sentence 0"),
        (lambda: encode(WORDS, "word[0]").attributes(2, 0), LabelError, "no sentence 2"),
        (lambda: encode([[{"w": float("nan")}]]), CorpusError, "sentence 0, token 0"),
        (
            lambda: encode([[[1.0, 2.0]], [], [[0.0, 1.0], [3.0, np.nan]]]),
            CorpusError,
            "sentence 2, position 1: number 1 is nan, but finite numbers are wanted",
        ),
        (
            lambda: encode(Corpus.from_lists(v=[[np.ones(2)]]), "v[0]"),
            TemplateError,
            "reads column 'v' as text, but it holds vectors",
        ),
        (
            lambda: encode(Corpus.from_lists(word=[[["a", "b"]]]), "word[0]"),
            TemplateError,
            "'word' as text, but it holds ready-made attributes; features=None takes them as they are",
        ),
    ],
)
def test_bad_input_is_refused_with_a_reason(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("other", "shown"), [([[], ["the", "boat"]], "'the'"), ([[], [[1.0, 2.0]]], r"array\(\[1\., 2\.\]\)")]
)
def test_whoever_learned_from_ready_made_attributes_wants_them_again(other, shown):
    encoder = encode([[["a", "b"], ["c"]]]).encoder
    with pytest.raises(
        CorpusError, match=f"sentence 1, token 0: column 'attributes' has {shown}, but in training"
    ):
        encoder.encode(other)
