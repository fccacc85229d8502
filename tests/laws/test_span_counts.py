"""The four ways to count spans, and what is made of the counts, against plain loops."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle import conlleval
from oracle import tag_schemes as oracle
from seqlab.evaluation import ScoreTable, evaluate, significance

LABELS = ["O", "O", "B-X", "I-X", "B-Y", "I-Y", "E-X", "S-Y", "S-X"]
Sides = tuple[list[list[str]], list[list[str]]]


@st.composite
def sides(draw: st.DrawFn, labels: list[str] = LABELS) -> Sides:
    """Gold and predicted labels of a few sentences, at least one token."""
    lengths = draw(st.lists(st.integers(0, 7), min_size=1, max_size=5).filter(any))
    label = st.sampled_from(labels)
    gold = [draw(st.lists(label, min_size=n, max_size=n)) for n in lengths]
    flips = [[draw(st.one_of(st.just(g), label)) for g in sentence] for sentence in gold]
    return gold, flips


def same_as(table: ScoreTable, correct: Counter[str], found: Counter[str], sides: Sides) -> None:
    """Every row, and the micro average, from counts by type."""
    support, predicted = (
        Counter(kind for labels in side for *_, kind in oracle.read(labels)) for side in sides
    )
    assert set(table.rows) == set(support) | set(predicted)
    for kind, score in table.rows.items():
        counts = (score.support, score.predicted, score.correct, score.found)
        assert counts == (support[kind], predicted[kind], correct[kind], found[kind])
        assert score.precision == approx(correct[kind] / predicted[kind] if predicted[kind] else 0.0)
        assert score.recall == approx(found[kind] / support[kind] if support[kind] else 0.0)
        total = score.precision + score.recall
        assert score.f1 == approx(2 * score.precision * score.recall / total if total else 0.0)
    assert table.micro.correct == correct.total()
    assert table.micro.found == found.total()


def hits(
    ours: list[oracle.Triple], theirs: list[oracle.Triple], *, overlap: bool, typed: bool
) -> Counter[str]:
    """How many of our spans, by type, are matched by one of theirs."""
    result: Counter[str] = Counter()
    for start, end, kind in ours:
        for other_start, other_end, other_kind in theirs:
            fits = (
                start < other_end and other_start < end
                if overlap
                else (start, end) == (other_start, other_end)
            )
            if fits and (kind == other_kind or not typed):
                result[kind] += 1
                break
    return result


@given(sides())
def test_span_counts_equal_plain_loops(case: Sides) -> None:
    gold, predicted = case
    spans = evaluate(gold, predicted, scheme="IOBES").spans
    assert spans is not None
    pairs = [(oracle.read(g), oracle.read(p)) for g, p in zip(gold, predicted, strict=True)]
    for table, overlap, typed in (
        (spans.strict, False, True),
        (spans.lenient, True, True),
        (spans.boundary_only, False, False),
    ):
        correct, found = Counter[str](), Counter[str]()
        for one, other in pairs:
            correct += hits(other, one, overlap=overlap, typed=typed)
            found += hits(one, other, overlap=overlap, typed=typed)
        same_as(table, correct, found, case)
    types = Counter[str]()
    for one, other in pairs:
        types += Counter(kind for *_, kind in one) & Counter(kind for *_, kind in other)
    same_as(spans.type_only, types, types, case)


@given(sides())
def test_span_counts_are_ordered_by_how_much_they_ask(case: Sides) -> None:
    spans = evaluate(*case, scheme="IOBES").spans
    assert spans is not None
    for looser in (spans.lenient, spans.type_only, spans.boundary_only):
        assert spans.strict.micro.correct <= looser.micro.correct
        assert spans.strict.f1 <= looser.f1 + 1e-12


@given(sides(["O", "B-X", "I-X", "B-Y", "I-Y"]))
def test_span_counts_of_labels_that_are_right_are_full(case: Sides) -> None:
    gold, _ = case
    report = evaluate(gold, gold, scheme="IOB2")
    assert report.accuracy == report.sentence_accuracy == 1.0
    assert report.spans is not None
    full = 1.0 if report.spans.strict.support else 0.0
    assert [
        report.figures[name] for name in ("span_f1", "lenient_f1", "type_only_f1", "boundary_only_f1")
    ] == [full] * 4


@pytest.mark.parametrize("labels", [["O", "B-X", "I-X", "B-Y", "I-Y"], ["O", "I-X", "E-X", "I-Y", "E-Y"]])
@given(data=st.data())
def test_span_counts_equal_conlleval_on_its_own_letters(labels: list[str], data: st.DataObject) -> None:
    gold, predicted = data.draw(sides(labels))
    right, found_predicted, found_gold = conlleval.counts(gold, predicted)
    spans = evaluate(gold, predicted, scheme="IOB2" if "B-X" in labels else "IOE2").spans
    assert spans is not None
    same_as(spans.strict, right, right, (gold, predicted))
    assert spans.strict.micro.predicted == found_predicted.total()
    assert spans.strict.micro.support == found_gold.total()


@given(sides(), st.integers(0, 5))
def test_span_intervals_are_quantiles_of_resampled_corpora(case: Sides, seed: int) -> None:
    gold, predicted = case
    report = evaluate(gold, predicted, scheme="IOBES", bootstrap=10, confidence=0.8, seed=seed)
    again = evaluate(gold, predicted, scheme="IOBES", bootstrap=10, confidence=0.8, seed=seed)
    assert report.intervals == again.intervals
    assert set(report.intervals) == set(report.figures)
    # the same draws, by evaluating corpora that were really put together anew
    rows = np.random.default_rng(seed).integers(0, len(gold), (10, len(gold)))
    drawn = []
    for row in rows:
        some = [gold[i] for i in row], [predicted[i] for i in row]
        empty = not any(some[0])
        drawn.append(dict.fromkeys(report.figures, 0.0) if empty else evaluate(*some, scheme="IOBES").figures)
    for name, interval in report.intervals.items():
        low, high = np.quantile([figures[name] for figures in drawn], [0.1, 0.9])
        assert (interval.low, interval.high) == (approx(low), approx(high))


def exact_p(gold: list[list[str]], a: list[list[str]], b: list[list[str]], metric: str) -> float:
    """The share of all 2^N exchanges with a difference at least as large."""

    def difference(swaps: tuple[bool, ...]) -> float:
        one = [y if swap else x for x, y, swap in zip(a, b, swaps, strict=True)]
        other = [x if swap else y for x, y, swap in zip(a, b, swaps, strict=True)]
        scores = [evaluate(gold, side, scheme="IOBES").figures[metric] for side in (one, other)]
        return abs(scores[0] - scores[1])

    observed = difference((False,) * len(gold))
    every = [difference(swaps) for swaps in itertools.product([False, True], repeat=len(gold))]
    return sum(value >= observed - 1e-12 for value in every) / len(every)


@pytest.mark.parametrize("metric", ["accuracy", "span_f1", "sentence_accuracy"])
def test_span_significance_approaches_the_exact_test(metric: str) -> None:
    generator = np.random.default_rng(3)
    gold = [[LABELS[i] for i in generator.integers(0, len(LABELS), 5)] for _ in range(7)]

    def output(share: float) -> list[list[str]]:
        return [
            [LABELS[generator.integers(len(LABELS))] if generator.random() < share else g for g in sentence]
            for sentence in gold
        ]

    a, b = output(0.1), output(0.5)
    result = significance(gold, a, b, metric, scheme="IOBES", trials=4000)
    assert result.a == approx(evaluate(gold, a, scheme="IOBES").figures[metric])
    assert result.b == approx(evaluate(gold, b, scheme="IOBES").figures[metric])
    assert result.difference == approx(result.a - result.b)
    assert result.p_value == approx(exact_p(gold, a, b, metric), abs=0.03)
