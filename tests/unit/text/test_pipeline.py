"""Pipelines: from raw text to spans, streams, files."""

import itertools
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqlab
from seqlab.errors import CorpusError, NotFittedError, OptionError, StoreError
from seqlab.text import Document, Pipeline, RuleTokeniser, Span
from unit.text.test_rules import check_cover

TEXT = "Anna Weber lives in New York."


def fitted(features, column):
    learner = (
        seqlab.AveragedPerceptron(epochs=4) if hasattr(seqlab, "AveragedPerceptron") else seqlab.Perceptron()
    )
    return seqlab.LinearTagger(features, learner).fit(seqlab.demo_corpus("train")[:300], column)


@pytest.fixture(scope="module")
def entities():
    return seqlab.CRF("ner", seqlab.SGD(epochs=5)).fit(seqlab.demo_corpus("train"), "entity")


@pytest.fixture(scope="module")
def three(entities):
    return Pipeline(None, [fitted("pos", "pos"), fitted("chunk", "chunk"), entities])


def test_a_text_becomes_spans_with_probabilities(entities):
    document = Pipeline(RuleTokeniser(), entities)(TEXT)
    assert [span[:4] for span in document.spans] == [
        (0, 10, "PER", "Anna Weber"),
        (20, 28, "LOC", "New York"),
    ]
    words = document.words
    assert words[-1] == "."
    posterior = entities.posterior(words)
    assert document.spans[0].probability == pytest.approx(posterior.span(0, 2, "PER"), rel=1e-12)
    assert document.labels == entities.tag(words)
    begin, end, label, text, probability = document.spans[0]
    assert (begin, end, label, text) == (0, 10, "PER", TEXT[0:10])
    assert 0 < probability <= 1


def test_with_text_is_a_pipeline_of_one(entities):
    assert entities.with_text()(TEXT).spans == Pipeline(None, entities)(TEXT).spans
    bare = entities.with_text(probabilities=False)(TEXT)
    assert [span.probability for span in bare.spans] == [None, None]
    with pytest.raises(NotFittedError):
        seqlab.CRF("ner").with_text()


def test_later_taggers_read_layers_of_earlier_ones(three):
    document = three(TEXT)
    assert [one.name for one in document.layers] == ["pos", "chunk", "entity"]
    corpus = document.corpus()
    assert corpus.columns == ("word", "pos", "chunk", "entity")
    rows = list(zip(corpus.column("word")[0], corpus.column("pos")[0], strict=True))
    assert list(document.layer("chunk").labels) == three.taggers[1].tag(rows)
    assert all(span.probability is None for span in document.layer("chunk").spans)  # of a perceptron
    assert document.layer("pos").spans == ()


def test_many_answers_as_one_by_one_with_any_number_of_threads(three, monkeypatch):
    monkeypatch.setattr("seqlab.text.pipeline.TOGETHER", 500)  # many blocks
    texts = [TEXT, "", "  ", "One. Two.", "\ud800 broken", *(f"Text {i} of Anna." for i in range(60))]
    alone = [three(text).to_dict() for text in texts]
    for threads in (1, 3):
        assert [one.to_dict() for one in three.many(iter(texts), threads=threads)] == alone


def test_many_holds_only_a_few_texts(three, monkeypatch):
    monkeypatch.setattr("seqlab.text.pipeline.TOGETHER", 100)
    taken = itertools.count()
    endless = (f"Anna saw number {next(taken)}." for _ in itertools.count())
    found = three.many(endless, threads=2)
    assert next(found).text == "Anna saw number 0."
    assert next(taken) < 50
    found.close()


def test_known_tokens_may_be_given(entities):
    pipe = Pipeline(None, entities)
    assert pipe(TEXT, tokens=[(0, 10), (20, 28)]).words == ["Anna Weber", "New York"]
    two = pipe(TEXT, tokens=[[(0, 4)], [(5, 10)]])
    assert [one.text for one in two.sentences] == ["Anna", "Weber"]
    assert pipe(Document.from_offsets(TEXT, [(0, 4)])).words == ["Anna"]
    with pytest.raises(CorpusError, match="token 0: the part from 0 to 99 is not in the text"):
        pipe(TEXT, tokens=[(0, 99)])


def test_a_function_may_be_the_tokeniser(entities):
    def letters(text):
        return [(i, i + 1) for i, c in enumerate(text) if not c.isspace()]

    pipe = Pipeline(letters, entities)
    assert pipe("a b").words == ["a", "b"]
    with pytest.raises(StoreError, match="a pipeline is stored with its tokeniser"):
        pipe.save("unused")


def test_one_file_has_it_all(three, tmp_path):
    named = Pipeline(
        RuleTokeniser(clitics=False), {"a": three.taggers[0], "b": three.taggers[2]}, probabilities=False
    )
    for pipe in (three, named):
        pipe.save(tmp_path / "p.model")
        again = seqlab.load(tmp_path / "p.model")
        assert isinstance(again, Pipeline)
        assert again.tokeniser == pipe.tokeniser
        assert again("Anna doesn't.").to_dict() == pipe("Anna doesn't.").to_dict()
        assert Pipeline.load(tmp_path / "p.model").names == pipe.names
        assert pickle.loads(pickle.dumps(pipe))(TEXT).to_dict() == pipe(TEXT).to_dict()
    three.taggers[0].save(tmp_path / "t.model")
    with pytest.raises(StoreError, match="a Pipeline is wanted, the file has a LinearTagger"):
        Pipeline.load(tmp_path / "t.model")


def test_a_tokeniser_is_a_file_too(tmp_path):
    own = RuleTokeniser(lines=True, titles=("hr", "fr"))
    own.save(tmp_path / "tokeniser.model")
    assert seqlab.load(tmp_path / "tokeniser.model") == own


@settings(max_examples=30)
@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_is_labelled_and_nothing_is_lost(three, text):
    document = three(text)
    check_cover(document, text)
    assert all(len(layer.labels) == len(document) for layer in document.layers)
    for layer in document.layers:
        for span in layer.spans:
            assert isinstance(span, Span)
            assert text[span.begin : span.end] == span.text


def test_what_does_not_fit_is_refused(three):
    with pytest.raises(OptionError, match=r"the tagger of layer 'chunk' cannot be used on text.*'word'"):
        Pipeline(None, three.taggers[1])
    with pytest.raises(OptionError, match="two columns would have the name 'entity'"):
        Pipeline(None, [three.taggers[2], three.taggers[2]])
    with pytest.raises(OptionError, match=r"a tagger labels sentences, got 'ner\.model'"):
        Pipeline(None, ["ner.model"])
    with pytest.raises(OptionError, match="the tokeniser is a RuleTokeniser"):
        Pipeline("rules", three.taggers[0])
    with pytest.raises(OptionError, match="many takes a list of texts, got 'Anna'"):
        three.many("Anna")
    with pytest.raises(CorpusError, match=r"text 1: a text \(str\) is wanted, got b'x'.*decode"):
        list(three.many(["a", b"x"]))
    with pytest.raises(OptionError, match="1 taggers need as many names"):
        Pipeline(None, three.taggers[0], names=("a", "b"))


def test_a_pipeline_without_taggers_only_tokenises():
    assert Pipeline()("One. Two.").words == ["One", ".", "Two", "."]
    assert repr(Pipeline()) == "Pipeline(RuleTokeniser, no tagger)"


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_text_is_labelled_in_parts(three, monkeypatch, threads):
    text = "\n " + "".join(f"{TEXT} She doesn't 😀 know Bob {i}.\n\n" for i in range(30))
    whole = three(text)
    monkeypatch.setattr("seqlab.text.pipeline.LONG", 50)
    monkeypatch.setattr("seqlab.text.pipeline.PART", 20)
    given = RuleTokeniser()(text).with_layer("before", None, [(2, 6, "X")])
    parts = three(given, threads=threads)
    assert [one.name for one in parts.layers] == ["before", "pos", "chunk", "entity"]
    assert parts.layers[1:] == whole.layers
    assert [one.layers for one in three.many([text, TEXT, text])] == [
        whole.layers,
        three(TEXT).layers,
        whole.layers,
    ]
    assert three("word " * 60).labels == Pipeline(None, three.taggers)("word " * 60).labels  # one sentence


def test_a_part_of_a_document_has_its_own_places(three):
    document = three(f"He left. {TEXT} Go!")
    part = document.part(1, 2)
    assert part.text == TEXT
    assert [one[:3] for one in part.spans] == [(0, 10, "PER"), (20, 28, "LOC")]
    assert part.labels == document.sentences[1].labels
    with pytest.raises(seqlab.errors.LabelError, match="there are 3"):
        document.part(2, 4)
