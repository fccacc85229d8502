"""Options of smoothing: what they may be, under which names."""

import math

import numpy as np
import pytest

from seqlab.errors import OptionError
from seqlab.learning.smoothing import MLE, AddLambda, Interpolated, KneserNey, WittenBell, smoothing_of


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("mle", MLE()),
        ("add-lambda", AddLambda(1.0)),
        ("witten-bell", WittenBell()),
        ("kneser-ney", KneserNey()),
        ("interpolated", Interpolated()),
        (0.5, AddLambda(0.5)),
        (2, AddLambda(2)),
        (np.float32(0.25), AddLambda(0.25)),
        (KneserNey(0.75), KneserNey(0.75)),
    ],
)
def test_smoothing_of_takes_names_numbers_and_objects(given, wanted):
    assert smoothing_of(given) == wanted


@pytest.mark.parametrize(
    "given", ["laplace", "", None, True, -1, -0.5, math.nan, math.inf, [1], MLE, b"mle", 1j]
)
def test_smoothing_of_refuses_what_is_none(given):
    with pytest.raises(OptionError, match=r"^smoothing must be"):
        smoothing_of(given)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "1", None, True, [1.0]])
def test_add_lambda_refuses_what_cannot_be_added(value):
    with pytest.raises(OptionError, match=r"^the value of AddLambda must be a finite number from 0 up"):
        AddLambda(value)


@pytest.mark.parametrize(
    "given", [-0.1, 1.1, math.nan, "0.5", True, (1,), (0.5, 1.0), (0.5, 2.5, 1.0), (1, 1, None)]
)
def test_kneser_ney_refuses_discounts_that_are_none(given):
    with pytest.raises(OptionError, match=r"^discounts"):
        KneserNey(given)


def test_kneser_ney_discounts_are_three():
    assert KneserNey().three() is None
    assert KneserNey(0.5).three() == (0.5, 0.5, 0.5)
    assert KneserNey((0.5, 1.0, 1.5)).three() == (0.5, 1.0, 1.5)
    assert hash(KneserNey([0.5, 1.0, 1.5])) == hash(KneserNey((0.5, 1.0, 1.5)))
