"""The four ways to count spans of labels are those of plain loops over the spans of each sentence."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqlab import tags
from seqlab.evaluation import evaluate

LABELS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y", "B-Z"])
SENTENCES = st.lists(st.lists(st.tuples(LABELS, LABELS), max_size=6), max_size=5)


def matched(way, some, others):
    """List the spans of one sentence that count as right."""
    if way == "type_only":
        left = Counter(one.type for one in others)
        right = []
        for one in some:
            left[one.type] -= 1
            if left[one.type] >= 0:
                right.append(one)
        return right
    same = {
        "strict": lambda one, other: one == other,
        "lenient": lambda one, other: (
            one.type == other.type and one.start < other.end and other.start < one.end
        ),
        "boundary_only": lambda one, other: (one.start, one.end) == (other.start, other.end),
    }[way]
    return [one for one in some if any(same(one, other) for other in others)]


@given(SENTENCES)
@example([[("B-X", "O"), ("B-Y", "B-X")], [("B-X", "B-Y")]])
def test_the_four_ways_are_those_of_plain_loops(sentences):
    sentences = [*sentences, [("B-X", "B-X"), ("B-Y", "B-Y"), ("B-Z", "B-Z"), ("O", "O")]]
    gold, predicted = ([[token[side] for token in some] for some in sentences] for side in (0, 1))
    spans = evaluate(gold, predicted, scheme="IOB2").spans
    pairs = [
        tuple(tags.spans(side, "IOB2", repair="conlleval") for side in both)
        for both in zip(gold, predicted, strict=True)
    ]
    for way in ("strict", "lenient", "type_only", "boundary_only"):
        table = getattr(spans, way)
        correct = Counter(one.type for some, others in pairs for one in matched(way, others, some))
        found = Counter(one.type for some, others in pairs for one in matched(way, some, others))
        support = Counter(one.type for some, _ in pairs for one in some)
        for name, row in table.rows.items():
            assert (row.support, row.correct, row.found) == (support[name], correct[name], found[name]), way
        for figure in ("precision", "recall", "f1"):
            rows = [(getattr(row, figure), row.support) for row in table.rows.values()]
            mean = sum(value for value, _ in rows) / len(rows)
            weighted = sum(value * weight for value, weight in rows) / support.total()
            assert getattr(table.macro, figure) == pytest.approx(mean)
            assert getattr(table.weighted, figure) == pytest.approx(weighted)
