"""Spans of documents, compared by their places."""

import pytest

import seqlab
from seqlab.errors import CorpusError, LabelError
from seqlab.evaluation import SpanCounts, score_spans
from seqlab.text import Document, RuleTokeniser

TEXT = "Anna Weber lives in New York and works in Rome."


def document(*spans: tuple[int, int, str], text: str = TEXT, layer: str = "entity") -> Document:
    return RuleTokeniser()(text).with_layer(layer, None, spans)


def test_the_four_ways() -> None:
    gold = document((0, 10, "PER"), (20, 28, "LOC"), (42, 46, "LOC"))
    found = document((0, 4, "PER"), (20, 28, "ORG"), (11, 16, "LOC"))
    report = seqlab.evaluate([gold], [found])
    assert report.strict == SpanCounts(correct=0, incorrect=2, missed=1, spurious=1)
    assert report.exact == SpanCounts(correct=1, incorrect=1, missed=1, spurious=1)
    assert report.partial == SpanCounts(correct=1, partial=1, missed=1, spurious=1)
    assert report.type == SpanCounts(correct=1, incorrect=1, missed=1, spurious=1)
    assert report.partial.f1 == pytest.approx(0.5)
    assert report.labels["PER"]["partial"] == SpanCounts(partial=1)
    assert "strict" in report.text()
    assert report.to_dict()["ways"]["partial"]["precision"] == pytest.approx(0.5)
    assert len(report.to_frame()) == 4 * 4


def test_tokens_do_not_matter() -> None:
    gold = Document.from_offsets(TEXT, [(0, 4), (5, 10)]).with_layer("entity", None, [(0, 10, "PER")])
    assert seqlab.evaluate([gold], [document((0, 10, "PER"), layer="label")]).f1 == 1.0


def test_blanks_may_differ() -> None:
    found = document((0, 12, "PER"), text=TEXT.replace(" ", "\r\n "))
    assert seqlab.evaluate([document((0, 10, "PER"))], [found]).f1 == 1.0


def test_what_cannot_be_compared() -> None:
    with pytest.raises(CorpusError, match="the texts differ"):
        score_spans([document()], [document(text="other")])
    with pytest.raises(CorpusError, match="1 documents are compared with 2"):
        score_spans([document()], [document(), document()])
    with pytest.raises(LabelError, match="the predicted documents have no spans"):
        score_spans([document()], [RuleTokeniser()(TEXT)])


def test_the_last_layer_of_spans_is_compared() -> None:
    gold = document((0, 10, "PER")).with_layer("pos", ["X"] * 11, ())
    assert score_spans([gold], [gold]).layer == "entity"
    nothing = document().with_layer("pos", ["X"] * 11, ())
    report = score_spans([gold], [nothing])
    assert (report.layer, report.strict) == ("entity", SpanCounts(missed=1))
    assert score_spans([gold], [gold], "pos").strict == SpanCounts()


def test_nothing_to_find() -> None:
    assert seqlab.evaluate([document()], [document()]).f1 == 1.0
