"""Scheme names, spellings, and what is refused."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from seqlab import tags
from seqlab.errors import LabelError, OptionError, SchemeError, SeqlabError, ShapeError


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("bio", tags.IOB2),
        ("BIO", tags.IOB2),
        (" iob2 ", tags.IOB2),
        ("Bioes", tags.IOBES),
        ("biluo", tags.BILOU),
        ("bmes", tags.BMES),
        ("io", tags.IO),
        (tags.IOE1, tags.IOE1),
    ],
)
def test_scheme_is_found_by_name(name: str | tags.Scheme, scheme: tags.Scheme) -> None:
    assert tags.Scheme.of(name) == scheme


def test_scheme_iob_is_refused_because_it_means_two_things() -> None:
    with pytest.raises(SchemeError, match=r"may mean IOB1 .* or IOB2 .*; say which"):
        tags.Scheme.of("iob")


@pytest.mark.parametrize("name", ["IOBX", "", 7, None])
def test_scheme_refuses_what_is_no_scheme(name: object) -> None:
    with pytest.raises(SchemeError, match="tag scheme"):
        tags.Scheme.of(name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{"delimiter": ""}, {"delimiter": 3}, {"outside": "B"}, {"outside": ""}, {"suffix": 1}]
)
def test_scheme_refuses_spellings_without_sense(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        tags.Scheme.of("IOB2", **options)  # type: ignore[arg-type]


def test_scheme_is_a_frozen_value_that_travels() -> None:
    scheme = tags.Scheme.of("IOB2", delimiter="_")
    assert pickle.loads(pickle.dumps(scheme)) == scheme
    assert {scheme: 1}[tags.Scheme.of("bio", delimiter="_")] == 1
    assert repr(scheme) == "Scheme.of('IOB2', delimiter='_')"
    assert eval(repr(scheme), {"Scheme": tags.Scheme}) == scheme
    with pytest.raises(dataclasses.FrozenInstanceError):
        scheme.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (["B-X", "I-X", "O"], {}),
        (["B_X", "I_X", "O"], {"delimiter": "_"}),
        (["X-B", "X-I", "O"], {"suffix": True}),
        (["X::B", "X::I", "-"], {"suffix": True, "delimiter": "::", "outside": "-"}),
        (["B-X", "I-X", "_"], {"outside": "_"}),
    ],
)
def test_spelling_is_read_and_written(labels: list[str], options: dict[str, object]) -> None:
    scheme = tags.Scheme.of("IOB2", **options)  # type: ignore[arg-type]
    assert tags.spans(labels, scheme) == [tags.Span(0, 2, "X")]
    assert tags.labels_of([tags.Span(0, 2, "X")], 3, scheme) == labels


@pytest.mark.parametrize("kind", ["NP-SBJ", "-", "--", "a b", "日本", "O", "B", "B-"])
def test_type_may_be_any_text(kind: str) -> None:
    for suffix in (False, True):
        scheme = tags.Scheme.of("IOBES", suffix=suffix)
        spans = [tags.Span(0, 1, kind), tags.Span(1, 3, kind)]
        assert tags.spans(tags.labels_of(spans, 4, scheme), scheme, repair=None) == spans


@pytest.mark.parametrize("label", ["NN", "", "-X", "o", "b-X", "X-B", "-", "BX", "\x00"])
def test_label_that_is_no_tag_is_refused_with_its_place(label: str) -> None:
    with pytest.raises(SchemeError, match=r"labels\[1\] is .*, which is no tag: 'O', a letter such as"):
        tags.spans(["O", label], "IOB2")
    with pytest.raises(SchemeError, match=r"labels\[2\]\[1\] is"):
        tags.repair([["O"], [], ["O", label]], "IOB2")
    (violation,) = tags.violations(["O", label], "IOB2")
    assert violation.position == 1
    assert "is no tag" in violation.reason


def test_outside_with_a_type_is_read_as_outside_but_invalid() -> None:
    assert tags.spans(["B-X", "O-X", "I-X"]) == [tags.Span(0, 1, "X"), tags.Span(2, 3, "X")]
    first, second = tags.violations(["B-X", "O-X", "I-X"], "IOB2")
    assert first.reason == "'O-X' has a type, but outside there is none; 'O' is wanted"
    assert second.position == 2
    assert tags.repair(["O-X"], "IOB2").labels == ["O"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("B-X", "labels is the string 'B-X', but a list of labels is wanted"),
        (None, r"labels is None \(NoneType\), but a list of labels is wanted"),
        ({"B-X": 1}, "labels is .*dict.*, but a list of labels is wanted"),
        (["O", None], r"labels\[1\] is None, but a label is a string"),
        (["O", 7], r"labels\[1\] is 7 \(int\), but a label is a string"),
        ([7, "O"], r"labels\[0\] is 7 \(int\)"),
        (["O", b"O"], r"labels\[1\] is b'O' \(bytes\)"),
        (
            [["O"], "O"],
            r"labels\[1\] is the string 'O', but a list of labels is wanted; one sequence goes into",
        ),
        ([["O"], ["O", ["O"]]], r"labels\[1\]\[1\] is \['O'\] \(list\)"),
        ([["O"], None], r"labels\[1\] is None"),
    ],
)
def test_labels_of_the_wrong_kind_are_refused(labels: object, message: str) -> None:
    for function in (tags.spans, lambda x: tags.violations(x, "IOB2"), lambda x: tags.convert(x, "IO", "IO")):
        with pytest.raises(LabelError, match=message):
            function(labels)


@pytest.mark.parametrize(
    ("length", "shown"), [(57, f"b'{'x' * 57}' (bytes)"), (58, f"b'{'x' * 55}... (bytes)")]
)
def test_values_of_more_than_sixty_characters_are_shortened(length: int, shown: str) -> None:
    with pytest.raises(LabelError) as error:
        tags.spans(["O", b"x" * length], "IOB2")  # type: ignore[list-item]
    assert f"labels[1] is {shown}, but" in str(error.value)


def test_labels_may_be_lists_tuples_arrays_and_iterators() -> None:
    expected = [tags.Span(0, 1, "X")]
    assert tags.spans(("B-X", "O")) == expected
    assert tags.spans(np.array(["B-X", "O"])) == expected
    assert tags.spans(iter(["B-X", "O"])) == expected
    assert tags.spans((("B-X", "O"), np.array(["O"]))) == [expected, []]


def test_empty_sequences_are_fine() -> None:
    assert tags.spans([]) == []
    assert tags.spans([[], []]) == [[], []]
    assert tags.convert([], "IOB2", "IOBES") == []
    assert tags.repair([[]], "IOB2").labels == [[]]
    assert tags.violations([], "IOB2") == []
    assert tags.labels_of([], 0, "IOB2") == []
    assert tags.labels_of([], [], "IOB2") == []
    assert tags.labels_of([[], []], [0, 2], "IOB2") == [[], ["O", "O"]]


@pytest.mark.parametrize(
    ("spans", "length", "error", "message"),
    [
        ([(0, 2, "X"), (1, 3, "Y")], 4, SchemeError, "overlap, which no tag scheme can write"),
        ([(0, 5, "X")], 4, LabelError, "does not fit: start < end is wanted, both from 0 to 4"),
        ([(2, 2, "X")], 4, LabelError, "does not fit"),
        ([(-1, 2, "X")], 4, LabelError, "does not fit"),
        ([(0, 1)], 4, LabelError, r"a span is a Span or \(start, end, type\)"),
        ([3], 4, LabelError, "a span is a Span"),
        ([(0, 1, None)], 4, LabelError, "a string for its type"),
        ([(0.0, 1, "X")], 4, LabelError, "whole numbers"),
        ([], -1, OptionError, "length must be a whole number"),
        ([[]], [1, 2], ShapeError, "spans of 1 sequences, but 2 lengths"),
        ([[], [(0, 3, "X")]], [1, 2], LabelError, "sequence 1: Span"),
    ],
)
def test_labels_of_refuses_spans_that_do_not_fit(
    spans: object, length: object, error: type[SeqlabError], message: str
) -> None:
    with pytest.raises(error, match=message):
        tags.labels_of(spans, length, "IOB2")


def test_labels_of_takes_spans_in_any_order() -> None:
    assert tags.labels_of([(2, 3, "Y"), (0, 2, "X")], 3, "IOB2") == ["B-X", "I-X", "B-Y"]


@pytest.mark.parametrize("repair", ["conll", True, 1, ""])
def test_repair_refuses_unknown_ways(repair: object) -> None:
    with pytest.raises(OptionError, match=r"repair must be 'conlleval' .* or 'strict'"):
        tags.spans(["O"], "IOB2", repair)  # type: ignore[call-overload]
    with pytest.raises(OptionError, match="repair must be"):
        tags.repair(["O"], "IOB2", repair)  # type: ignore[arg-type]


def test_strict_needs_a_scheme() -> None:
    with pytest.raises(OptionError, match="it needs one"):
        tags.spans(["O"], repair="strict")


def test_convert_refuses_invalid_labels_unless_told_otherwise() -> None:
    with pytest.raises(SchemeError, match=r"labels\[1\] is 'I-X', which breaks IOB2 there"):
        tags.convert(["O", "I-X"], "IOB2", "IOBES")
    assert tags.convert(["O", "I-X"], "IOB2", "IOBES", repair="conlleval") == ["O", "S-X"]
    assert tags.convert(["O", "I-X"], "IOB2", "IOBES", repair="strict") == ["O", "O"]


@pytest.mark.parametrize(
    ("scheme", "labels", "reason"),
    [
        ("IOB2", ["I-X"], "'I-X' must follow 'B-X' or 'I-X', but begins the sequence"),
        ("IOB2", ["B-Y", "I-X"], "'I-X' must follow 'B-X' or 'I-X', but follows 'B-Y'"),
        ("IOB1", ["B-X"], "'B-X' must follow 'B-X' or 'I-X', but begins the sequence"),
        ("IOE2", ["I-X"], "'I-X' must be followed by 'I-X' or 'E-X', but the sequence ends"),
        ("IOE1", ["E-X", "O"], "'E-X' must be followed by 'I-X' or 'E-X', but 'O' comes next"),
        ("BILOU", ["B", "O"], "'B' must be followed by 'I' or 'L', but 'O' comes next"),
        ("IOB2", ["S-X"], "'S-X' has a letter that IOB2 does not know; it has B, I, O"),
        (
            "IOBES",
            ["O", "I-X", "O"],
            (
                "'I-X' must follow 'B-X' or 'I-X', but follows 'O'; "
                "'I-X' must be followed by 'I-X' or 'E-X', but 'O' comes next"
            ),
        ),
    ],
)
def test_violation_says_why(scheme: str, labels: list[str], reason: str) -> None:
    (violation,) = tags.violations(labels, scheme)
    assert violation.reason == reason
    assert violation.label == labels[violation.position]


def test_repair_counts_what_it_did() -> None:
    many = [["O", "I-X", "I-X"], ["B-X", "I-X"], ["E-X", "O"]]
    kept = tags.repair(many, "IOB2")
    assert kept.labels == [["O", "B-X", "I-X"], ["B-X", "I-X"], ["B-X", "O"]]
    assert (kept.changed_labels, kept.repaired_spans, kept.dropped_spans, kept.changed_sequences) == (
        2,
        2,
        0,
        2,
    )
    dropped = tags.repair(many, "IOB2", "strict")
    assert dropped.labels == [["O", "O", "O"], ["B-X", "I-X"], ["O", "O"]]
    counts = (
        dropped.changed_labels,
        dropped.repaired_spans,
        dropped.dropped_spans,
        dropped.changed_sequences,
    )
    assert counts == (3, 0, 2, 2)


def test_strict_repair_rewrites_a_neighbour_whose_border_is_gone() -> None:
    fixed = tags.repair(["B-X", "B-X"], "IOB1", "strict")
    assert fixed.labels == ["O", "I-X"]
    assert (fixed.repaired_spans, fixed.dropped_spans) == (1, 1)


def test_letter_with_a_hyphen_and_no_type_is_a_letter_alone() -> None:
    assert tags.spans(["B-", "I-", "O", "B"]) == [tags.Span(0, 2, ""), tags.Span(3, 4, "")]
