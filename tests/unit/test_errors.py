"""Our errors are also the ones that generic code catches."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from seqlab import Trellis, errors, inference
from seqlab.errors import Place, SeqlabError


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


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(), "no"),
        (Place(3), "sentence 3: no"),
        (Place(3, 5), "sentence 3, position 5: no"),
        (Place(3, 5, item="token", of="y"), "sentence 3, token 5 of y: no"),
        (Place(3, 5, unit="sequence", item=""), "sequence 3: no"),
        (Place(path="a.txt"), "a.txt: no"),
        (Place(line=7), "line 7: no"),
        (Place(3, 5, "a.txt", 7, item=""), "a.txt:7: no"),
        (Place(3, 5, "a.txt", 7, item="token"), "a.txt:7 (token 5): no"),
        (Place(3, within=("dev", "column 'w'")), "dev: column 'w': sentence 3: no"),
        (Place(path="a.txt", told=True), "no"),
        (Place(path="a.txt", told=True, within=("dev",)), "dev: no"),
    ],
)
def test_text_is_made_of_place_and_message(place: Place, text: str) -> None:
    assert str(errors.CorpusError("no", place=place)) == text


def test_message_with_a_blank_goes_on_with_the_place() -> None:
    assert str(errors.CorpusError(" is odd", place=Place(3, of="X"))) == "sentence 3 of X is odd"
    assert str(errors.CorpusError(" is odd")) == "is odd"


def test_moved_error_has_other_data_and_so_other_words() -> None:
    error = errors.ImpossibleError("no legal path", place=Place(2, 4, unit="sequence", item=""))
    moved = error.at(offset=10, unit="sentence")
    assert (type(moved), moved.sequence, moved.position) == (errors.ImpossibleError, 12, 4)
    assert str(moved) == "sentence 12: no legal path"
    assert str(error) == "sequence 2: no legal path"
    assert str(moved.at(path="a.txt", line=3)) == "a.txt:3: no legal path"
    assert str(errors.LabelError("no").at(offset=10)) == "no"  # which counts no sentences
    inside = moved.inside("dev", option="dev")
    assert (str(inside), inside.option) == ("dev: sentence 12: no legal path", "dev")


@pytest.mark.parametrize(
    "kind",
    [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SeqlabError)],
)
def test_every_error_survives_pickling_with_its_data(kind: type[SeqlabError]) -> None:
    error = kind("no", place=Place(1, 2, "a.txt", 3), option="dev")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(again), str(again), again.message) == (kind, str(error), "no")
        assert (again.place, again.option, again.path, again.line) == (error.place, "dev", "a.txt", 3)
