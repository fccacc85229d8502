"""The randomisation test: what it returns and what it refuses. Its p-values are checked in tests/laws."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from pytest import approx

from seqlab.errors import OptionError, SchemeError, SeqlabError, ShapeError
from seqlab.evaluation import headline, significance

GOLD = [["B-X", "O", "B-Y"]] * 40
GOOD = [["B-X", "O", "B-Y"]] * 30 + [["B-X", "O", "O"]] * 10
POOR = [["O", "O", "B-Y"]] * 30 + [["B-X", "O", "B-Y"]] * 10


def test_equal_outputs_have_p_one() -> None:
    for metric in ("accuracy", "span_f1", "sentence_accuracy"):
        result = significance(GOLD, GOOD, GOOD, metric, trials=50)
        assert (result.difference, result.p_value, result.differing) == (0.0, 1.0, 0)
        assert "a and b are equal" in str(result)


def test_result_is_symmetric_and_repeatable() -> None:
    one = significance(GOLD, GOOD, POOR, "span_f1", trials=500, seed=3)
    other = significance(GOLD, POOR, GOOD, "span_f1", trials=500, seed=3)
    assert one.difference == approx(-other.difference)
    assert one == significance(GOLD, GOOD, POOR, "span_f1", trials=500, seed=3)
    assert one.p_value == approx(other.p_value, abs=0.05)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.a = 1.0  # type: ignore[misc]


def test_p_is_never_zero() -> None:
    worst = [["O", "O", "O"]] * 40
    result = significance(GOLD, GOLD, worst, "accuracy", trials=99)
    assert result.p_value == approx(0.01)
    assert (result.sentences, result.differing, result.trials) == (40, 40, 99)


def test_ten_thousand_trials_from_seed_nought_unless_told_otherwise() -> None:
    assert significance(GOLD, GOOD, POOR) == significance(GOLD, GOOD, POOR, trials=10_000, seed=0)


def test_blocks_of_exchanges_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []

    class Generator:
        def integers(self, _low: int, _high: int, shape: tuple[int, int], **_options: object) -> object:
            drawn.append(shape)
            return np.zeros(shape, dtype=np.int8)

    monkeypatch.setattr(headline, "LARGEST_BLOCK", 200)
    monkeypatch.setattr(np.random, "default_rng", lambda _seed: Generator())
    significance(GOLD, GOOD, POOR, trials=12)
    assert drawn == [(5, 40), (5, 40), (2, 40)]


def test_text_is_short_and_says_which_is_better() -> None:
    text = str(significance(GOLD, POOR, GOOD, trials=100))
    assert "difference -0.1667 (b is better)" in text
    assert "40 of 40 sentences differ" in text


def test_plain_labels_and_one_by_one() -> None:
    result = significance([["A", "B"], ["C"]], [["A", "B"], ["D"]], [["A", "E"], ["C"]], trials=10)
    assert (result.a, result.b, result.differing) == (approx(2 / 3), approx(2 / 3), 2)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (
            (GOLD, GOOD, POOR, "f1"),
            {},
            OptionError,
            "metric must be one of 'accuracy', 'span_f1', 'sentence_accuracy'",
        ),
        ((GOLD, GOOD, POOR[1:]), {}, ShapeError, "gold has 40 sentences, but b has 39"),
        (
            (GOLD, [["O"], *GOOD[1:]], POOR),
            {},
            ShapeError,
            r"gold\[0\] has 3 labels, but a\[0\] has 1 label;",
        ),
        ((GOLD, GOOD, POOR), {"trials": 0}, OptionError, "trials must be a whole number from 1"),
        (([["A"]], [["A"]], [["B"]], "span_f1"), {}, SchemeError, "span_f1 needs labels that are tags"),
        ((GOLD, GOOD, POOR, "span_f1"), {"scheme": None}, SchemeError, "span_f1 needs"),
        ((GOLD, GOOD, POOR, "span_f1"), {"repair": "x"}, OptionError, "repair must be"),
    ],
)
def test_significance_refuses_bad_input(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[SeqlabError], message: str
) -> None:
    with pytest.raises(error, match=message):
        significance(*arguments, **options)
