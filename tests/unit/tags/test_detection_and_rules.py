"""Which scheme a corpus follows, and what a scheme forbids."""

from __future__ import annotations

import time

import numpy as np
import pytest

from seqlab import tags
from seqlab.errors import LabelError, OptionError, SchemeError


@pytest.mark.parametrize(
    ("labels", "scheme", "alternatives"),
    [
        (["B-X", "O"], "IOB2", []),
        (["I-X", "B-X"], "IOB1", []),
        (["I-X", "O"], "IO", ["IOB1", "IOE1"]),
        (["I-X", "E-X"], "IOE2", []),
        (["E-X", "I-X"], "IOE1", []),
        (["S-X", "O"], "IOBES", ["BMES"]),
        (["B-X", "E-X"], "IOBES", ["BMES"]),
        (["B-X", "M-X", "E-X"], "BMES", []),
        (["B-X", "L-X"], "BILOU", []),
        (["U"], "BILOU", []),
        (["B", "M", "E", "S"], "BMES", []),
        (["O"], "IOB2", ["IOBES", "BILOU", "BMES", "IO", "IOB1", "IOE2", "IOE1"]),
    ],
)
def test_detect_prefers_the_scheme_that_allows_least(
    labels: list[str], scheme: str, alternatives: list[str]
) -> None:
    found = tags.detect([labels])
    assert str(found.scheme) == scheme
    assert [str(other) for other in found.alternatives] == alternatives
    assert found.invalid == 0
    assert tags.detect(labels) == found


@pytest.mark.parametrize(
    ("labels", "delimiter", "suffix"),
    [(["B_X"], "_", False), (["X-B"], "-", True), (["X_B", "O"], "_", True), (["B-X_B"], "-", False)],
)
def test_detect_finds_the_spelling(labels: list[str], delimiter: str, suffix: bool) -> None:
    scheme = tags.detect(labels).scheme
    assert scheme == tags.Scheme.of("IOB2", delimiter=delimiter, suffix=suffix)


def test_detect_takes_a_spelling() -> None:
    assert tags.detect(["B:X"]).scheme is None
    assert tags.detect(["B:X"], delimiter=":").scheme == tags.Scheme.of("IOB2", delimiter=":")
    with pytest.raises(OptionError):
        tags.detect(["B:X"], delimiter="")


@pytest.mark.parametrize("labels", [["NN", "VB"], ["B-X", "NN"], ["DET"], [""]])
def test_detect_says_when_labels_are_no_tags(labels: list[str]) -> None:
    found = tags.detect(labels)
    assert found.scheme is None
    assert "are no tags" in found.reason


def test_detect_of_nothing_is_nothing() -> None:
    assert tags.detect([]).scheme is None
    assert tags.detect([[], []]).reason == "there are no labels"


def test_detect_takes_the_nearest_scheme_when_none_fits() -> None:
    found = tags.detect([["B-X", "I-X", "O"]] * 9 + [["O", "I-X"]])
    assert str(found.scheme) == "IOB2"
    assert found.invalid == 1
    assert "no scheme fits all; IOB2 comes nearest, with 1 of 29 labels that break it" in found.reason


def test_rules_are_read_only_and_in_the_order_of_the_labels() -> None:
    rules = tags.rules("bio", ["I-X", "O", "B-X"])
    assert rules.labels == ("I-X", "O", "B-X")
    assert rules.moves.tolist() == [[False] * 3, [True, False, False], [False] * 3]
    assert rules.starts.tolist() == [True, False, False]
    assert rules.ends.tolist() == [False] * 3
    assert rules.moves.dtype == np.bool_
    assert repr(rules) == "Rules(IOB2, 3 labels, 1 forbidden moves)"
    with pytest.raises(ValueError, match="read-only"):
        rules.moves[0, 0] = True


def test_rules_of_no_labels_are_empty() -> None:
    assert tags.rules("IOB2", []).moves.shape == (0, 0)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (
            ["O", "E-X", "NN", "O-X"],
            SchemeError,
            "3 of 4 labels are not of the scheme IOB2: 'E-X', 'NN', 'O-X'",
        ),
        ("B-X", LabelError, "got the single string 'B-X'"),
        (["O", 3], LabelError, r"labels\[1\] is 3"),
        (["O", "O"], LabelError, "'O' stands twice"),
    ],
)
def test_rules_refuse_strange_labels(labels: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tags.rules("IOB2", labels)


def test_a_million_labels_are_read_quickly() -> None:
    generator = np.random.default_rng(0)
    names = np.array(["O", "O", "B-X", "I-X", "B-Y", "I-Y"], dtype=object)
    many = names[generator.integers(0, len(names), (40_000, 25))].tolist()
    begin = time.perf_counter()
    found = tags.detect(many)
    assert str(found.scheme) == "IOB2"
    assert time.perf_counter() - begin < 5  # 0.15 s on a quiet machine
