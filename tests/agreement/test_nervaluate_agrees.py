"""Spans by their places: our counts are those of nervaluate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.evaluation import score_spans
from seqlab.text import Document, RuleTokeniser

TEXT = "The quick brown fox jumps over the lazy dog."
NAMES = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
PLACES = st.integers(1, len(TEXT)).flatmap(
    lambda e: st.tuples(st.integers(0, e - 1), st.just(e), st.sampled_from("XYZ"))
)
SIDES = st.lists(
    st.tuples(st.lists(PLACES, max_size=5), st.lists(PLACES, max_size=5)), min_size=1, max_size=3
)


def document(spans: list[tuple[int, int, str]]) -> Document:
    return RuleTokeniser()(TEXT).with_layer("entity", None, spans)


@given(SIDES)
def test_counts_and_scores(
    sides: list[tuple[list[tuple[int, int, str]], list[tuple[int, int, str]]]],
) -> None:
    nervaluate = pytest.importorskip("nervaluate")
    gold, predicted = ([document(pair[side]) for pair in sides] for side in (0, 1))
    ours = score_spans(gold, predicted)
    tags = ["X", "Y", "Z"]
    theirs = nervaluate.Evaluator(_dicts(gold), _dicts(predicted), tags=tags, loader="dict").evaluate()
    for way, name in NAMES.items():
        _same(ours.ways[way], theirs["overall"][name])
        for label, ways in ours.labels.items():
            _same(ways[way], theirs["entities"][label][name])


def _dicts(documents: list[Document]) -> list[list[dict[str, object]]]:
    """Spans as nervaluate reads them: the end is the last character."""
    return [
        [{"label": s.label, "start": s.begin, "end": s.end - 1} for s in sorted(one.spans)]
        for one in documents
    ]


def _same(ours: object, theirs: object) -> None:
    for name in ("correct", "incorrect", "partial", "missed", "spurious", "precision", "recall"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name
    if ours.gold + ours.predicted:  # type: ignore[attr-defined]
        assert ours.f1 == pytest.approx(theirs.f1)  # type: ignore[attr-defined]
