"""Labels, spans and schemes: against every way to cut a short sentence, and on long random ones."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import tag_schemes as oracle
from seqlab import Constraints, Trellis, inference, tags

NAMES = tuple(oracle.LETTERS)
KEEPING = tuple(name for name in NAMES if name != "IO")
KINDS = ("X", "Y")
EVERY_LABEL = ["O", *(f"{letter}-{kind}" for letter in "BIMELSU" for kind in KINDS), "B", "I", "E", "S"]


def triples(spans: list[tags.Span]) -> list[oracle.Triple]:
    return [(span.start, span.end, span.type) for span in spans]


@st.composite
def segmented(
    draw: st.DrawFn, kinds: tuple[str, ...] = ("X", "Y", "A-b", "")
) -> tuple[list[oracle.Triple], int]:
    """Spans of one sentence and its length."""
    spans, t = [], 0
    for _ in range(draw(st.integers(0, 6))):
        start = t + draw(st.sampled_from([0, 0, 1, 3]))
        t = start + draw(st.integers(1, 4))
        spans.append((start, t, draw(st.sampled_from(kinds))))
    return spans, t + draw(st.integers(0, 2))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", range(5))
def test_spans_and_labels_of_are_each_others_inverse_on_every_short_sentence(name: str, length: int) -> None:
    for spans in oracle.segmentations(length, KINDS):
        labels = oracle.write(spans, length, name)
        assert tags.labels_of(spans, length, name) == labels
        kept = oracle.joined(spans) if name == "IO" else spans
        assert triples(tags.spans(labels, name, repair=None)) == kept
        assert tags.labels_of(tags.spans(labels, name), length, name) == labels
        assert tags.violations(labels, name) == []


@pytest.mark.parametrize("name", NAMES)
@given(many=st.lists(segmented(), max_size=6))
def test_labels_to_spans_to_labels_is_the_identity(
    name: str, many: list[tuple[list[oracle.Triple], int]]
) -> None:
    labels = [oracle.write(spans, length, name) for spans, length in many]
    spans = tags.spans(labels, name, repair=None) if labels else []
    assert tags.labels_of(spans, [length for _, length in many], name) == labels


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", range(5))
def test_violations_and_rules_accept_exactly_the_valid_sequences(name: str, length: int) -> None:
    labels = oracle.alphabet(name, KINDS if length < 4 else KINDS[:1])
    valid = oracle.valid(length, name, KINDS)
    rules = tags.rules(name, labels)
    ids = {label: i for i, label in enumerate(labels)}
    for sequence in itertools.product(labels, repeat=length):
        path = [ids[label] for label in sequence]
        forbidden = any(rules.moves[a, b] for a, b in itertools.pairwise(path))
        forbidden |= bool(path) and bool(rules.starts[path[0]] or rules.ends[path[-1]])
        assert forbidden == (sequence not in valid), sequence
        assert bool(tags.violations(list(sequence), name)) == forbidden, sequence


@pytest.mark.parametrize("name", NAMES)
def test_rules_are_constraints_of_a_trellis(name: str) -> None:
    labels = oracle.alphabet(name, KINDS)
    rules = tags.rules(name, labels)
    size = len(labels)
    trellis = Trellis(
        np.zeros((4, size)),
        np.zeros((size, size)),
        labels=labels,
        constraints=Constraints(**rules.as_constraints()),
    )
    paths = {path.labels for path in inference.nbest(trellis, 5000)}
    assert paths == oracle.valid(4, name, KINDS)


@pytest.mark.parametrize("source", KEEPING)
@given(case=segmented())
def test_convert_is_a_bijection_between_schemes_that_keep_touching_spans(
    source: str, case: tuple[list[oracle.Triple], int]
) -> None:
    spans, length = case
    labels = oracle.write(spans, length, source)
    for target in KEEPING:
        there = tags.convert(labels, source, target)
        assert there == oracle.write(spans, length, target)
        assert tags.convert(there, target, source) == labels


@pytest.mark.parametrize("source", KEEPING)
@given(case=segmented())
def test_convert_to_io_joins_touching_spans_and_nothing_else(
    source: str, case: tuple[list[oracle.Triple], int]
) -> None:
    spans, length = case
    there = tags.convert(oracle.write(spans, length, source), source, "IO")
    assert triples(tags.spans(there, "IO")) == oracle.joined(spans)
    assert tags.convert(there, "IO", source) == oracle.write(oracle.joined(spans), length, source)


def test_schemes_know_whether_they_keep_touching_spans() -> None:
    assert [scheme.name for scheme in tags.SCHEMES if not scheme.keeps_touching] == ["IO"]


@pytest.mark.parametrize("how", ["conlleval", "strict"])
@pytest.mark.parametrize("name", NAMES)
@given(many=st.lists(st.lists(st.sampled_from(EVERY_LABEL), max_size=12), min_size=1, max_size=5))
def test_repair_gives_valid_labels_and_is_idempotent(name: str, how: str, many: list[list[str]]) -> None:
    repaired = tags.repair(many, name, how)
    assert all(found == [] for found in tags.violations(repaired.labels, name))
    again = tags.repair(repaired.labels, name, how)
    assert again.labels == repaired.labels
    assert (again.changed_labels, again.repaired_spans, again.dropped_spans, again.changed_sequences) == (
        0,
    ) * 4
    before = list(itertools.chain(*many))
    after = list(itertools.chain(*repaired.labels))
    assert repaired.changed_labels == sum(a != b for a, b in zip(before, after, strict=True))
    assert repaired.changed_sequences == sum(a != b for a, b in zip(many, repaired.labels, strict=True))
    assert repaired.dropped_spans == 0 or how == "strict"


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_conlleval_repair_changes_exactly_the_labels_that_are_violations(
    name: str, data: st.DataObject
) -> None:
    own = data.draw(st.booleans(), label="only labels of the scheme")
    some = oracle.alphabet(name, KINDS) if own else EVERY_LABEL
    labels = data.draw(st.lists(st.sampled_from(some), max_size=15))
    repaired = tags.repair(labels, name, "conlleval").labels
    changed = {t for t, (old, new) in enumerate(zip(labels, repaired, strict=True)) if old != new}
    found = {violation.position for violation in tags.violations(labels, name)}
    # beside a letter of another scheme, IOB1 and IOE1 may have to write B or E on the label that touches it
    assert found == changed if own else found <= changed


@pytest.mark.parametrize("name", NAMES)
@given(labels=st.lists(st.sampled_from(EVERY_LABEL), max_size=15))
def test_strict_drops_exactly_the_spans_with_a_violation(name: str, labels: list[str]) -> None:
    bad = {violation.position for violation in tags.violations(labels, name)}
    kept = [span for span in tags.spans(labels, name) if not bad & set(range(span.start, span.end))]
    assert tags.spans(labels, name, "strict") == kept


@given(many=st.lists(st.lists(st.sampled_from(EVERY_LABEL), max_size=12), min_size=1, max_size=6))
def test_reading_all_at_once_equals_reading_label_by_label(many: list[list[str]]) -> None:
    assert [triples(spans) for spans in tags.spans(many)] == [oracle.read(labels) for labels in many]
    assert tags.spans(many) == [tags.spans(labels) for labels in many]


@pytest.mark.parametrize("name", NAMES)
@given(many=st.lists(segmented(), min_size=1, max_size=6))
def test_detect_finds_a_scheme_that_reads_the_same_spans(
    name: str, many: list[tuple[list[oracle.Triple], int]]
) -> None:
    labels = [oracle.write(spans, length, name) for spans, length in many]
    found = tags.detect(labels)
    if not any(labels):
        assert found.scheme is None
        return
    assert found.scheme is not None
    assert found.invalid == 0
    assert name in {str(scheme) for scheme in (found.scheme, *found.alternatives)}
    expected = tags.spans(labels, name, repair=None)
    for scheme in (found.scheme, *found.alternatives):
        assert tags.spans(labels, scheme, repair=None) == expected


@given(st.lists(st.lists(st.sampled_from(EVERY_LABEL), min_size=1, max_size=8), min_size=1, max_size=4))
def test_detect_counts_what_breaks_the_scheme(many: list[list[str]]) -> None:
    found = tags.detect(many)
    assert found.scheme is not None
    assert (found.invalid == 0) == all(broken == [] for broken in tags.violations(many, found.scheme))
    for scheme in tags.SCHEMES:
        if all(broken == [] for broken in tags.violations(many, scheme)):
            assert found.invalid == 0
