"""evaluate: what goes in, what is refused, and the figures of a small example."""

from __future__ import annotations

import dataclasses
import pickle
import re
import time
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from seqlab import tags
from seqlab.errors import EvaluationWarning, LabelError, OptionError, SchemeError, SeqlabError, ShapeError
from seqlab.evaluation import Report, evaluate
from seqlab.evaluation.scores import say_strange

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "O", "O", "B-PER"], ["O", "B-LOC", "I-LOC", "O"]]
PREDICTED = [["B-PER", "I-PER", "O", "B-ORG"], ["B-ORG", "O", "O", "B-PER"], ["O", "B-LOC", "O", "O"]]
WORDS = [["Ada", "Byron", "visits", "Turin"], ["Fiat", "hires", "more", "Ada"], ["to", "New", "York", "!"]]


class Table:
    """The least that evaluation asks of a corpus."""

    def __init__(self, **columns: list[list[str]]) -> None:
        self._columns = columns

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def column(self, name: str) -> list[list[str]]:
        return self._columns[name]

    def place(self, sentence: int, token: int) -> str:
        return f"test.conll:{10 * sentence + token + 1}"


def test_figures_of_a_small_example() -> None:
    report = evaluate(GOLD, PREDICTED)
    assert (report.sentences, report.tokens, report.unseen) == (3, 12, None)
    assert report.accuracy == approx(10 / 12)
    assert report.sentence_accuracy == approx(1 / 3)
    assert report.unseen_accuracy is None
    assert report.spans is not None
    assert (report.spans.scheme, report.spans.detected) == (tags.IOB2, True)
    assert report.spans.strict.micro.correct == 3
    assert (report.spans.precision, report.spans.recall, report.spans.f1) == (0.6, 0.6, approx(0.6))
    assert report.spans.lenient.f1 == approx(0.8)
    assert list(report.spans.strict.rows) == ["LOC", "ORG", "PER"]
    assert report.spans.strict.macro.f1 == approx((0 + 2 / 3 + 1) / 3)
    assert report.labels.rows["B-LOC"].support == 2
    assert report.labels.micro.f1 == approx(report.accuracy)
    assert report.intervals == {}


def test_plain_labels_have_no_spans() -> None:
    report = evaluate([["DET", "NOUN"], ["X"]], [["DET", "VERB"], ["X"]])
    assert report.spans is None
    assert set(report.figures) == {"accuracy", "sentence_accuracy"}
    assert evaluate(GOLD, PREDICTED, scheme=None).spans is None


def test_empty_sentences_do_not_count() -> None:
    with_empty = evaluate([[], *GOLD, []], [[], *PREDICTED, []], bootstrap=20)
    assert with_empty.figures == evaluate(GOLD, PREDICTED).figures
    assert with_empty.sentences == 3


def test_spans_do_not_run_from_sentence_to_sentence() -> None:
    report = evaluate([["B-X"], ["I-X"]], [["B-X"], ["I-X"]], scheme="IOB2")
    assert report.spans is not None
    assert report.spans.strict.support == 2


@pytest.mark.parametrize(
    "known",
    [
        {"Ada", "to", "New", "York", "!", "visits"},
        ["Ada", "to", "New", "York", "!", "visits"],
        [["Ada", "to"], ["New", "York", "!", "visits"]],
        Table(word=[["Ada", "to"], ["New", "York", "!", "visits"]]),
        Table(form=[["Ada", "to", "New", "York", "!", "visits"]]),
    ],
)
def test_unseen_words_are_counted(known: Any) -> None:
    report = evaluate(GOLD, PREDICTED, words=WORDS, known=known)
    assert report.unseen == 5
    assert report.unseen_accuracy == approx(4 / 5)


def test_no_unseen_word_gives_no_figure() -> None:
    report = evaluate(GOLD, PREDICTED, words=WORDS, known=WORDS, bootstrap=10)
    assert report.unseen == 0
    assert report.unseen_accuracy is None
    assert "unseen_accuracy" not in report.intervals
    assert report.json()


def test_a_corpus_brings_words_and_places() -> None:
    corpus = Table(word=WORDS, ner=GOLD)
    expected = evaluate(GOLD, PREDICTED).figures
    for predicted in (PREDICTED, Table(ner=PREDICTED)):
        report = evaluate(corpus, predicted, "ner", known={"Ada"})
        assert report.unseen == 10
        assert {name: report.figures[name] for name in expected} == expected
        assert "sentence 0 (test.conll:1)" in report.html()
    assert evaluate(GOLD, Table(ner=PREDICTED), "ner").figures == expected
    assert evaluate(Table(ner=GOLD), PREDICTED, "ner").figures == expected


@pytest.mark.parametrize(
    ("gold", "predicted", "options", "error", "message"),
    [
        ([["A"]], [["A"], ["A"]], {}, ShapeError, "gold has 1 sentence, but predicted has 2"),
        (
            [["A"], ["A", "B"]],
            [["A"], ["A"]],
            {},
            ShapeError,
            r"sentence 1: gold\[1\] has 2 labels, but predicted\[1\] has 1 label;",
        ),
        ([["A"]] * 3, [["A"], [], []], {}, ShapeError, r"sentence 1: .*\(2 sentences differ\)"),
        ([], [], {}, ShapeError, "no tokens at all"),
        ([[]], [[]], {}, ShapeError, "no tokens at all"),
        ([[None]], [["A"]], {}, ShapeError, "not one of 1 tokens has a gold label"),
        ("AB", [["A"]], {}, LabelError, "gold is the string 'AB', but a list of lists of labels is wanted"),
        (["A"], ["A"], {}, LabelError, r"gold\[0\] is the string 'A', .* \[labels\]"),
        ([["A"]], ["A"], {}, LabelError, r"predicted\[0\] is the string 'A'"),
        ([["A"]], [[None]], {}, LabelError, r"predicted\[0\]\[0\] is None, but a label is a string"),
        ([["A", 1]], [["A", "A"]], {}, LabelError, r"gold\[0\]\[1\] is 1 \(int\)"),
        ([["A"]], None, {}, LabelError, "predicted is None"),
        (
            [["A"]],
            [["A"]],
            {"words": [["a", "b"]]},
            ShapeError,
            r"gold\[0\] has 1 label, but words\[0\] has 2 words",
        ),
        (
            [["A"]],
            [["A"]],
            {"words": [[3]]},
            LabelError,
            r"words\[0\]\[0\] is 3 \(int\), but a word is a string",
        ),
        ([["A"]], [["A"]], {"known": {"a"}}, OptionError, "no words to compare"),
        ([["A"]], [["A"]], {"words": [["a"]], "known": "a"}, OptionError, "known must be a set of words"),
        ([["A"]], [["A"]], {"words": [["a"]], "known": {1}}, LabelError, "known holds 1"),
        (
            [["A"]],
            [["A"]],
            {"words": [["a"]], "known": Table(pos=[["A"]])},
            OptionError,
            "without a word column",
        ),
        ([["A"]], [["A"]], {"column": "pos"}, OptionError, "gold and predicted are lists"),
        (
            Table(pos=[["A"]], ner=[["O"]]),
            [["A"]],
            {},
            OptionError,
            "columns pos, ner; say which .* column='ner'",
        ),
        ([["A"]], [["A"]], {"scheme": "IOB7"}, SchemeError, "unknown tag scheme 'IOB7'"),
        ([["A"]], [["A"]], {"scheme": "IOB2"}, SchemeError, r"gold\[0\]\[0\] is 'A', which is no tag"),
        ([["B-X", "O"]], [["O", "?"]], {"scheme": "IOB2"}, SchemeError, r"predicted\[0\]\[1\] is '\?'"),
        ([["B-X", "O"]], [["O", "?"]], {}, SchemeError, r"gold follows IOB2, but with predicted .* '\?'"),
        ([["A"]], [["A"]], {"repair": "none"}, OptionError, "repair must be"),
        ([["A"]], [["A"]], {"bootstrap": -1}, OptionError, "bootstrap must be"),
        ([["A"]], [["A"]], {"bootstrap": 2.5}, OptionError, "bootstrap must be"),
        ([["A"]], [["A"]], {"confidence": 95}, OptionError, "confidence must lie between 0 and 1"),
        ([["A"]], [["A"]], {"confidence": True}, OptionError, "confidence must lie"),
        ([["A"]], [["A"]], {"seed": "x"}, OptionError, "seed must be"),
    ],
)
def test_evaluate_refuses_bad_input_and_says_where(
    gold: Any, predicted: Any, options: dict[str, Any], error: type[SeqlabError], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        evaluate(gold, predicted, **options)
    assert not str(caught.value).endswith(".")


def test_invalid_labels_are_counted_and_treated_as_asked() -> None:
    odd = [["O", "I-PER", "O"], ["B-PER", "O", "I-LOC"], ["E-PER", "O", "O"]]
    fine = [["O", "B-PER", "O"], ["B-PER", "O", "B-LOC"], ["B-PER", "O", "O"]]
    kept = evaluate(fine, odd, scheme="IOB2").spans
    dropped = evaluate(fine, odd, scheme="IOB2", repair="strict").spans
    assert kept is not None
    assert dropped is not None
    for spans in (kept, dropped):
        assert dataclasses.astuple(spans.gold_invalid) == (0, 0, 0)
        assert dataclasses.astuple(spans.predicted_invalid) == (3, 3, 3)
    assert (kept.strict.micro.predicted, kept.f1) == (4, 1.0)
    assert (dropped.strict.micro.predicted, dropped.strict.micro.support) == (1, 4)


def test_the_scheme_of_gold_wins_over_odd_predictions() -> None:
    gold = [["B-X", "I-X", "O"]]
    spans = evaluate(gold, [["O", "I-X", "I-X"]]).spans
    assert spans is not None
    assert spans.scheme == tags.IOB2
    assert spans.predicted_invalid.labels == 1
    spans = evaluate(gold, [["B-X", "E-X", "O"]]).spans
    assert spans is not None
    assert spans.f1 == 1.0


def test_bootstrap_is_repeatable_and_holds_the_figure() -> None:
    one, same, other = (evaluate(GOLD * 30, PREDICTED * 30, bootstrap=200, seed=seed) for seed in (1, 1, 2))
    assert one.intervals == same.intervals != other.intervals
    assert set(one.intervals) == set(one.figures)
    for name, interval in one.intervals.items():
        assert interval.low <= one.figures[name] <= interval.high
    wider = evaluate(GOLD * 30, PREDICTED * 30, bootstrap=200, seed=1, confidence=0.99)
    assert wider.intervals["accuracy"].low <= one.intervals["accuracy"].low


def test_chance_begins_at_nought_unless_told_otherwise() -> None:
    one, same = (evaluate(GOLD * 9, PREDICTED * 9, bootstrap=20, **seed) for seed in ({}, {"seed": 0}))
    assert one.intervals == same.intervals


@given(
    st.lists(st.lists(st.tuples(*[st.sampled_from(["A", "B"])] * 3, st.booleans()), max_size=4), min_size=1)
)
def test_tokens_without_a_gold_label_count_as_if_they_were_not_there(sentences: list[list[Any]]) -> None:
    sentences = [*sentences, [("A", "B", "A", True), ("A", "B", "A", False)]]
    one, other = (
        [
            [
                [None if lost and side == 0 else token[side] for *token, lost in some if keep or not lost]
                for some in sentences
            ]
            for side in range(3)
        ]
        for keep in (True, False)
    )
    whole, known = (evaluate(*some[:2], words=some[2], known={"A"}) for some in (one, other))
    assert whole.missing == sum(lost for some in sentences for *_, lost in some)
    assert known.missing == 0
    assert whole.to_dict() == known.to_dict() | {"missing": whole.missing}
    assert whole.text().split("\n", 1)[1] == known.text().split("\n", 1)[1]


@pytest.mark.parametrize(
    ("gold", "shown"), [("ABCDEFGHI", "A B C D E F G H ..."), ("HGFEDCBAAA", "A B C D E F G H")]
)
def test_labels_that_the_model_does_not_know_are_told_up_to_eight(gold: str, shown: str) -> None:
    with pytest.warns(EvaluationWarning, match=re.escape(f"they are {shown}, those of the model X Y;")):
        say_strange(gold, ["X", "Y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        say_strange(gold, ["X", "A"])
        say_strange([], ["X"])


def test_intervals_leave_out_as_much_on_both_sides() -> None:
    gold = [["A"] * 7 + ["B"] * n for n in range(1, 30)]
    right, wrong = ([[label] * len(some) for some in gold] for label in "AB")
    one, other = (evaluate(gold, side, bootstrap=99).intervals["accuracy"] for side in (right, wrong))
    assert (one.low, one.high) == (approx(1 - other.high), approx(1 - other.low))


def test_confusion_is_a_matrix_and_a_list() -> None:
    report = evaluate([["A", "A", "B", "C"]], [["A", "B", "B", "A"]])
    assert report.confusion.labels == ("A", "B", "C")
    assert report.confusion.counts.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert [(m.gold, m.predicted, m.count) for m in report.confusion.mistakes()] == [
        ("A", "B", 1),
        ("C", "A", 1),
    ]
    other = evaluate([["A", "A", "B"]], [["A", "B", "B"]]).confusion
    assert repr(other) == "Confusion(2 labels, 1 mistakes, 2 right)"
    names, part = report.confusion.among(2)
    assert (names, part.shape) == (["A", "B"], (2, 2))


def test_report_is_frozen_and_travels() -> None:
    report = evaluate(GOLD, PREDICTED, words=WORDS, bootstrap=10)
    again = pickle.loads(pickle.dumps(report))
    assert isinstance(again, Report)
    assert again.text() == report.text()
    assert again.html() == report.html()
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.tokens = 3  # type: ignore[misc]


def test_a_million_tokens_take_seconds() -> None:
    generator = np.random.default_rng(0)
    names = np.array(["O", "O", "B-X", "I-X", "B-Y", "I-Y"], dtype=object)
    gold = names[generator.integers(0, len(names), (40_000, 25))].tolist()
    begin = time.perf_counter()
    report = evaluate(gold, gold[1:] + gold[:1])
    assert report.tokens == 1_000_000
    assert time.perf_counter() - begin < 15  # 0.8 s on a quiet machine
