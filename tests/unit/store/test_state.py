"""State: parts nest and come back; what does not fit is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqlab.errors import StoreError
from seqlab.store.state import State, string_arrays


def test_parts_nest():
    inner = State("inner", {"a": 1}, {"x": np.ones(2)}, {"r": 1})
    middle = State("middle", {}, {"y": np.zeros(1)}).with_parts({"inner": inner})
    outer = State("outer", {"b": 2}, {}, functions={"f": len}).with_parts({"one": middle, "two": inner})
    assert sorted(outer.arrays) == ["one.inner.x", "one.y", "two.x"]
    found = outer.part("one", "middle").part("inner", "inner")
    assert (found.settings, found.record) == ({"a": 1}, {"r": 1})
    assert found.arrays["x"].tolist() == [1, 1]
    assert found.function("f") is len
    assert outer.has_part("two")
    assert not outer.has_part("three")
    assert not inner.has_part("two")
    more = outer.with_parts({"three": inner})
    assert more.has_part("one")
    assert more.has_part("three")


def test_a_part_does_not_take_the_arrays_of_one_with_a_longer_name():
    state = State("s").with_parts(
        {"node1": State("p", {}, {"x": np.ones(1)}), "node10": State("p", {}, {"x": np.zeros(1)})}
    )
    assert state.part("node1", "p").arrays["x"].tolist() == [1]
    assert list(state.part("node1", "p").arrays) == ["x"]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.setting("none", int), "the setting 'none' is missing"),
        (lambda s: s.setting("flag", int), "the setting 'flag' should be a whole number, found True"),
        (lambda s: s.setting("n", bool), "the setting 'n' should be true or false, found 3"),
        (lambda s: s.setting("n", str), "the setting 'n' should be a string, found 3"),
        (lambda s: s.number("n", 4), "the setting 'n' should lie between 4 and 2147483647, found 3"),
        (lambda s: s.number("n", 0, 2), "should lie between 0 and 2, found 3"),
        (lambda s: s.names("mixed"), "should be a list of strings, found 1 in it"),
        (lambda s: s.array("none", float, (1,)), "the array 'none' is missing"),
        (lambda s: s.array("ids", np.int64, (3,)), "the array 'ids' should hold int64, found int32"),
        (lambda s: s.array("ids", np.int32, (4,)), r"the array 'ids' should have shape \(4\), found \(3,\)"),
        (lambda s: s.array("ids", np.int32, (None, 2)), r"should have shape \(any, 2\), found \(3,\)"),
        (lambda s: s.numbers("ids", (3,), 2), "should hold numbers from 0 to 1, found others"),
        (lambda s: s.numbers("ids", (3,), 9, least=1), "should hold numbers from 1 to 8, found others"),
        (lambda s: s.offsets("rising", 4), "should rise from 0 to 4 and never fall"),
        (lambda s: s.offsets("falling", 3), "should rise from 0 to 3 and never fall"),
        (lambda s: s.offsets("late", 3), "should rise from 0 to 3 and never fall"),
        (lambda s: s.offsets("nothing", 0), "should rise from 0 to 0"),
        (lambda s: s.offsets("rising", 3, count=2), r"should have shape \(3\), found \(4,\)"),
        (lambda s: s.finite("nan", (2,)), "the array 'nan' holds NaN or infinity"),
        (lambda s: s.strings("cut"), "the strings 'cut' are not sound UTF-8"),
        (lambda s: s.part("p", "kind"), "the setting 'parts' is missing"),
        (
            lambda s: s.function("m:f"),
            r"'m:f', and a model file holds no code; pass load\(\.\.\., functions=",
        ),
    ],
)
def test_what_does_not_fit_is_named(ask, message):
    state = State(
        "s",
        {"n": 3, "flag": True, "mixed": ["a", 1]},
        {
            "ids": np.array([0, 2, 1], np.int32),
            "rising": np.array([0, 1, 1, 3]),
            "falling": np.array([0, 2, 1, 3]),
            "late": np.array([1, 3]),
            "nothing": np.zeros(0, np.int64),
            "nan": np.array([1, np.nan]),
            "cut.bytes": np.frombuffer("é".encode(), np.uint8),
            "cut.begins": np.array([0, 1, 2]),
        },
    )
    with pytest.raises(StoreError, match=message):
        ask(state)


def test_what_fits_is_given():
    state = State("s", {"n": 3, "names": ["b", "a"]}, {"begin": np.array([0, 0, 2]), "w": np.ones((2, 1))})
    assert state.setting("n", float) == 3.0
    assert state.number("n", 3, 3) == 3
    assert state.names("names") == ("b", "a")
    assert state.offsets("begin", 2, count=2).tolist() == [0, 0, 2]
    assert state.finite("w", (None, 1)).shape == (2, 1)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5)))
def test_strings_come_back(strings):
    assert State("s", {}, string_arrays("words", strings)).strings("words") == strings


def test_a_lone_surrogate_is_refused():
    with pytest.raises(
        StoreError, match=r"a string of 'words' cannot be stored: '\\ud800' has a lone surrogate"
    ):
        string_arrays("words", ["a", "\ud800"])
