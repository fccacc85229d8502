"""Spans by their places, counted in four ways, are those of a plain loop over all pairs."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqlab.evaluation import SpanCounts, score_spans
from seqlab.text import Document

TEXT = "abcdefghijklmnop"
PLACES = st.integers(0, len(TEXT) - 1)
SPANS = st.lists(st.tuples(PLACES, st.integers(1, 6), st.sampled_from("XY")), max_size=8)


def document(spans):
    tokens = [(i, i + 1) for i in range(len(TEXT))]
    return Document.from_offsets(TEXT, tokens).with_layer("entity", None, spans)


def counted(gold, predicted, way):
    """Hold each predicted span against a gold one that is still free: a right one, else the first that it overlaps."""
    outcomes, free = Counter(), sorted(gold)
    for begin, end, label in sorted(predicted):
        overlapped = [one for one in free if one[0] < end and begin < one[1]]
        right = {
            "strict": [one for one in overlapped if one == (begin, end, label)],
            "type": sorted(
                (one for one in overlapped if one[2] == label),
                key=lambda one: abs(one[0] - begin) + abs(one[1] - end),
            ),
        }.get(way, [one for one in overlapped if one[:2] == (begin, end)])
        if right:
            outcomes["correct"] += 1
        elif overlapped:
            outcomes["partial" if way == "partial" else "incorrect"] += 1
        else:
            outcomes["spurious"] += 1
        for one in (right or overlapped)[:1]:
            free.remove(one)
    return SpanCounts(**outcomes, missed=len(free))


@given(SPANS, SPANS)
@example([(0, 2, "X"), (2, 4, "X")], [(1, 5, "X"), (5, 2, "X")])  # the nearer one is taken, and free no more
def test_the_four_ways_are_those_of_a_plain_loop(gold, predicted):
    gold, predicted = (
        sorted({(begin, min(begin + length, len(TEXT)), label) for begin, length, label in some})
        for some in (gold, predicted)
    )
    report = score_spans([document(gold)], [document(predicted)])
    for way, found in report.ways.items():
        assert found == counted(gold, predicted, way), way
        for label, ways in report.labels.items():
            sides = ([one for one in some if one[2] == label] for some in (gold, predicted))
            assert ways[way] == counted(*sides, way), (label, way)


def test_partial_spans_count_half():
    some = SpanCounts(correct=2, incorrect=1, partial=3, missed=4, spurious=6)
    assert (some.gold, some.predicted) == (10, 12)
    assert some.recall == pytest.approx(3.5 / 10)
    assert some.precision == pytest.approx(3.5 / 12)
    assert some.f1 == pytest.approx(7 / 22)
    assert (SpanCounts().precision, SpanCounts().recall, SpanCounts().f1) == (0.0, 0.0, 1.0)
    assert SpanCounts(missed=1).precision == SpanCounts(spurious=1).recall == 0.0
