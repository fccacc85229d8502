"""Documents: places, layers, plain data."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqlab
from seqlab.errors import CorpusError, LabelError
from seqlab.text import Document, RuleTokeniser, Span, Token

TEXT = "Anna lives in 😀 York. She works."
SENTENCES = [[(0, 4), (5, 10), (11, 13), (14, 15), (16, 20), (20, 21)], [(22, 25), (26, 31), (31, 32)]]


@pytest.fixture
def document():
    return Document.from_offsets(TEXT, SENTENCES).with_layer(
        "entity", ["O"] * 9, [(0, 4, "PER"), (14, 20, "LOC")]
    )


def test_tokens_and_sentences_are_parts_of_the_text(document):
    assert document.tokens[3] == Token(14, 15, "😀")
    assert [one.text for one in document.sentences] == ["Anna lives in 😀 York.", "She works."]
    assert document.sentences[-1].tokens[0] == Token(22, 25, "She")
    assert [len(one) for one in document.sentences] == [6, 3]
    assert document.words == [TEXT[b:e] for part in SENTENCES for b, e in part]


def test_spans_are_those_of_the_last_layer(document):
    more = document.with_layer("chunk", None, [(22, 25, "NP", "", 0.25)])
    assert more.spans == [Span(22, 25, "NP", "She", 0.25)]
    assert more.layer("entity").spans == (
        Span(0, 4, "PER", "Anna", None),
        Span(14, 20, "LOC", "😀 York", None),
    )
    assert more.labels == ["O"] * 9  # of the last layer that has any
    assert more.sentences[0].spans == []
    assert more.sentences[1].spans == more.spans


def test_a_layer_of_the_same_name_is_replaced(document):
    again = document.with_layer("entity", ["X"] * 9)
    assert [one.name for one in again.layers] == ["entity"]
    assert again.labels == ["X"] * 9


def test_utf16_offsets_count_the_emoji_twice(document):
    told = document.to_dict(offsets="utf-16")
    units = TEXT.encode("utf-16-le")
    for token in told["tokens"]:
        assert units[2 * token["begin"] : 2 * token["end"]].decode("utf-16-le") == token["text"]
    assert told["layers"]["entity"]["spans"][1] == {
        "begin": 14, "end": 21, "label": "LOC", "text": "😀 York", "probability": None,
    }  # fmt: skip
    assert json.loads(document.json()) == document.to_dict()


@given(st.text())
def test_utf16_offsets_are_those_of_the_encoding(text):
    places = seqlab.text.places.utf16_places(text)
    for i in range(len(text) + 1):
        assert places[i] == len(text[:i].encode("utf-16-le", "surrogatepass")) // 2


def test_corpus_has_words_and_layers(document):
    corpus = document.corpus()
    assert corpus.columns == ("word", "entity")
    assert corpus.column("word")[1] == ["She", "works", "."]


def test_it_shows_itself_briefly_and_in_colours(document):
    assert (
        repr(document)
        == "Document('Anna lives in 😀 York. She works.', 2 sentences, 9 tokens, entity: 2 spans)"
    )
    assert len(repr(Document.from_offsets("x" * 999, [(0, 999)]))) <= 200
    shown = document._repr_html_()
    assert ">Anna<small" in shown
    assert ">PER</small>" in shown
    evil = Document.from_offsets("<script>", [(0, 8)]).with_layer("x", None, [(0, 8, "<b>")])
    assert "<script>" not in evil._repr_html_()
    assert "<b>" not in evil._repr_html_()


def test_a_document_of_nothing():
    empty = Document.from_offsets("", [])
    assert (len(empty), empty.tokens, list(empty.sentences), empty.spans) == (0, [], [], [])
    assert empty.to_dict()["tokens"] == []
    with pytest.raises(LabelError, match="no labels"):
        _ = empty.labels


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([(0, 4), (3, 9)], "token 1: the token at 3 to 9 begins before the one before it ends, at 4"),
        (
            [[(0, 4)], [(30, 99)]],
            "sentence 1, token 0: the part from 30 to 99 is not in the text: the text has 32 code",
        ),
        ([(-1, 4)], "token 0: the part from -1 to 4 is not in the text"),
        ([(4, 4)], "token 0: the part from 4 to 4 is empty"),
        ([(5, 4)], "token 0: the part from 5 to 4 ends before it begins"),
        ([[(0.0, 4)]], "a pair (begin, end) of whole numbers is wanted, got (0.0, 4)"),
        ([["Anna"]], "a pair (begin, end) of whole numbers is wanted, got 'Anna'"),
    ],
)
def test_places_outside_the_text_are_refused(sentences, message):
    with pytest.raises(CorpusError) as caught:
        Document.from_offsets(TEXT, sentences)
    assert message in str(caught.value)


def test_layers_that_do_not_fit_are_refused(document):
    with pytest.raises(LabelError, match="2 labels are given for 9 tokens"):
        document.with_layer("x", ["O", "O"])
    with pytest.raises(CorpusError, match="span 0: the part from 0 to 99"):
        document.with_layer("x", None, [(0, 99, "PER")])
    with pytest.raises(CorpusError, match=r"a span is \(begin, end, label\), got \(0, 4\)"):
        document.with_layer("x", None, [(0, 4)])
    with pytest.raises(LabelError, match="there is no layer 'pos'; the document has 'entity'"):
        document.layer("pos")
    assert document.begins.dtype == np.int64


@pytest.mark.parametrize("text", ["", " ", "\ud800 b", "\0", "\ufeffa"])
def test_a_corpus_is_made_of_any_text(text):
    document = RuleTokeniser()(text)
    layered = document.with_layer("x", ["X"] * len(document))
    assert layered.corpus().columns == ("word", "x")
    assert layered.corpus().token_count == len(document)
    json.loads(document.json(offsets="utf-16"))
    assert "?" in document._repr_html_() or not text.strip() or text[0] == "\ufeff"
