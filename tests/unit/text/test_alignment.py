"""Spans of characters become labels of tokens; what cuts a token is reported."""

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.errors import CorpusError, CorpusWarning
from seqlab.tags import spans as spans_of_tags
from seqlab.text import RuleTokeniser, label_tokens, read_documents

TEXT = "Anna Weber-Bell lives in New York. She left."


def labelled(spans: list[tuple[int, int, str]], align: str) -> tuple[list[str], list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = label_tokens(RuleTokeniser()(TEXT).with_layer("entity", None, spans), align=align)
    return [f"{one.text}/{one.label}" for one in made.spans], [str(one.message) for one in told]


def test_a_span_that_cuts_a_token() -> None:
    assert labelled([(5, 10, "PER"), (25, 33, "LOC")], "expand") == (
        ["Weber-Bell/PER", "New York/LOC"],
        ["span 0: the span PER 5 to 10 ('Weber') cuts a token; it was made longer"],
    )
    assert labelled([(0, 10, "PER")], "shrink") == (
        ["Anna/PER"],
        ["span 0: the span PER 0 to 10 ('Anna Weber') cuts a token; it was made shorter"],
    )
    assert labelled([(5, 10, "PER")], "shrink") == (
        [],
        ["span 0: the span PER 5 to 10 ('Weber') is less than a token; it is left out"],
    )
    with pytest.raises(
        CorpusError, match=r"^span 0: the span PER 5 to 10 \('Weber'\) cuts a token; pass align="
    ):
        labelled([(5, 10, "PER")], "refuse")


def test_blanks_at_the_ends_cut_nothing() -> None:
    assert labelled([(24, 33, "LOC")], "refuse") == (["New York/LOC"], [])
    assert labelled([(4, 5, "PER")], "expand")[1] == [
        "span 0: the span PER 4 to 5 (' ') has no token in it; it is left out"
    ]


def test_of_spans_that_overlap_the_longest_is_kept() -> None:
    assert labelled([(0, 4, "PER"), (0, 15, "PER"), (25, 33, "LOC")], "expand") == (
        ["Anna Weber-Bell/PER", "New York/LOC"],
        ["span 1: the span PER 0 to 4 ('Anna') overlaps a span PER that is at least as long; it is left out"],
    )
    with pytest.raises(CorpusError, match="overlaps a span PER"):
        labelled([(0, 4, "PER"), (0, 15, "PER")], "refuse")


def test_a_sentence_goes_on_in_a_span() -> None:
    made = label_tokens(RuleTokeniser()(TEXT).with_layer("entity", None, [(25, 38, "X")]))
    assert len(made.sentences) == 1
    assert made.labels[-6:] == ["B-X", "I-X", "I-X", "I-X", "O", "O"]


@given(st.data())
@pytest.mark.parametrize("align", ["shrink", "expand"])
def test_labels_and_spans_say_the_same(align: str, data: st.DataObject) -> None:
    text = data.draw(st.text(st.sampled_from("ab. \n"), min_size=1, max_size=30))
    ends = st.integers(1, len(text))
    pairs = ends.flatmap(lambda e: st.tuples(st.integers(0, e - 1), st.just(e), st.sampled_from("XY")))
    document = RuleTokeniser()(text).with_layer("entity", None, data.draw(st.lists(pairs, max_size=5)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = label_tokens(document, align=align)
    assert made.text == text
    assert made.tokens == document.tokens
    told = [
        (one.tokens[s.start].begin, one.tokens[s.end - 1].end, s.type)
        for one in made.sentences
        for s in spans_of_tags([one.labels])[0]
    ]
    assert told == [span[:3] for span in made.spans]
    if align == "shrink":  # nothing outside the given spans has a label
        inside = {i for s in document.spans for i in range(s.begin, s.end)}
        assert all({*range(s.begin, s.end)} - inside <= set() for s in made.spans)


def test_reports_name_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    record = {"text": "Weber-Bell left.", "label": [[0, 5, "PER"]]}
    path.write_text("".join(json.dumps(one) + "\n" for one in [record] * 25))
    with pytest.warns(CorpusWarning) as told:
        read_documents(path, align="expand")
    messages = [str(one.message) for one in told]
    assert messages[1] == (
        f"{path}:2 (span 0): the span PER 0 to 5 ('Weber') cuts a token; it was made longer"
    )
    assert len(messages) == 21
    assert messages[-1] == "and 5 more of these"
    with pytest.raises(CorpusError, match=r"a\.jsonl:1 \(span 0\): .* cuts a token"):
        read_documents(path, align="refuse")


def test_what_annotators_rejected_is_left_out_of_training(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    records = [{"text": "Anna", "spans": [], "answer": answer} for answer in ("accept", "reject")]
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    assert len(read_documents(path)) == 2
    with pytest.warns(
        CorpusWarning, match=r"a\.jsonl:2: annotators rejected or skipped the text; it is left out"
    ):
        assert len(read_documents(path, align="expand")) == 1
