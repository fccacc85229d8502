"""Our errors are also the ones that generic code catches."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from seqlab import Trellis, errors, inference


@pytest.mark.parametrize(
    "name", ["ShapeError", "ScoreError", "LabelError", "OptionError", "ImpossibleError", "BeamError"]
)
def test_error_is_a_value_error(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, errors.SeqlabError)
    assert issubclass(error, ValueError)


def test_dtype_error_is_a_type_error() -> None:
    assert issubclass(errors.DtypeError, errors.SeqlabError)
    assert issubclass(errors.DtypeError, TypeError)


def test_errors_can_all_be_caught_at_once() -> None:
    assert issubclass(errors.SeqlabError, Exception)
    with pytest.raises(errors.SeqlabError):
        Trellis(np.zeros(3), np.zeros((3, 3)))


def test_impossible_error_survives_a_trip_between_processes() -> None:
    with pytest.raises(errors.ImpossibleError) as caught:
        inference.viterbi(Trellis(np.full((3, 2), -np.inf), np.zeros((2, 2))))
    for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert isinstance(again, errors.ImpossibleError)
        assert (again.position, again.sequence) == (0, None)
        assert str(again) == str(caught.value)


def test_messages_are_lower_case_without_a_full_stop() -> None:
    for make in (
        lambda: Trellis(np.zeros(3), np.zeros((3, 3))),
        lambda: Trellis(np.zeros((2, 3)), np.zeros((2, 2))),
        lambda: Trellis(np.full((2, 3), np.nan), np.zeros((3, 3))),
        lambda: Trellis(np.zeros((2, 3)), np.zeros((3, 3)), order=9),
        lambda: Trellis(np.zeros((2, 3)), np.zeros((3, 3)), labels=["a"]),
        lambda: inference.viterbi(Trellis(np.full((3, 2), -np.inf), np.zeros((2, 2)))),
    ):
        with pytest.raises(errors.SeqlabError) as caught:
            make()
        message = str(caught.value)
        assert not message[0].isupper()
        assert not message.endswith(".")
