r"""Wapiti's own regular expressions.

The table was compared with Wapiti's matcher, compiled from src/pattern.c, as were 60,000 random pairs of
patterns and strings.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import wapiti_patterns
from seqlab.errors import TemplateError
from seqlab.features import wapiti_regex


@pytest.mark.parametrize(
    ("pattern", "value", "wanted"),
    [
        ("^.?.?", "abc", "ab"),  # ? takes one if it can
        (".?.?$", "abc", "bc"),
        (".?.?$", "a", "a"),
        ("b*", "abb", ""),  # * takes as few as will do, and nothing at the start will do
        ("ab*", "abbc", "a"),
        ("ab*c", "abbc", "abbc"),
        (r"\d*$", "ab12", "12"),
        (r"^\u\l*$", "Rome", "Rome"),
        (r"\D\d", "a1", "a1"),
        (r"\W", "a.b", "."),
        (r"\.", "a.b", "."),
        (r"a\*", "aa*", "a*"),
        ("a$b", "a$b", "a$b"),  # $ and ^ elsewhere are themselves
        ("a^b", "a^b", "a^b"),
        ("^", "abc", ""),
        ("$", "abc", ""),
        ("", "abc", ""),
        ("x?xy", "xyz", "xyz"),  # Wapiti's length after a failed try; a true match would be "xy"
        ("x?xy", "xy", "xy"),
        (r"\s", "a b", " "),
        (r"\p\a", "x-y", "-y"),
    ],
)
def test_matches_are_wapiti_s(pattern, value, wanted):
    assert wapiti_regex.match(value, pattern) == wanted
    assert wapiti_regex.test(value, pattern) == "true"


@pytest.mark.parametrize(
    ("pattern", "value"), [("^b", "ab"), ("a$", "ab"), (r"\d", "ab"), ("a", ""), (r"^\a$", "é"), (r"\u", "É")]
)
def test_what_does_not_fit_is_false_and_matches_nothing(pattern, value):
    assert wapiti_regex.test(value, pattern) == "false"
    assert wapiti_regex.match(value, pattern) == ""


def test_bytes_outside_ascii_belong_to_no_class_and_to_every_complement():
    assert wapiti_regex.match("é", r"^\A\A$") == "é"
    assert wapiti_regex.match("é", r"^\P") == "\\xc3"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("*a", r"nothing to repeat before '\*' in the pattern '\*a'; write \\\*"),
        ("a?*", r"nothing to repeat before '\*'"),
        ("^?", r"nothing to repeat before '\?'"),
        ("a\\", "ends in a backslash"),
    ],
)
def test_wrong_patterns_are_refused(pattern, message):
    with pytest.raises(TemplateError, match=message):
        wapiti_regex.match("a", pattern)


ITEMS = st.sampled_from(["a", "b", "é", ".", r"\l", r"\d", r"\A", r"\U"])
STEPS = st.lists(st.tuples(ITEMS, st.sampled_from(["", "", "*", "?"])).map("".join), max_size=6).map("".join)
PATTERNS = st.tuples(st.sampled_from(["", "^"]), STEPS, st.sampled_from(["", "$"])).map("".join)


@given(PATTERNS, st.text("aab1É", max_size=7))
def test_answers_are_those_of_backtracking(pattern, value):
    found = wapiti_patterns.found(value, pattern)
    assert wapiti_regex.test(value, pattern) == ("false" if found is None else "true")
    assert wapiti_regex.match(value, pattern) == (found or b"").decode("utf-8", "backslashreplace")


@pytest.mark.parametrize("pattern", ["a*" * 200 + "b", "a?" * 200 + "b", "a*a?" * 100 + "b$"])
def test_patterns_that_backtrack_without_end_are_answered(pattern):
    assert wapiti_regex.test("a" * 200, pattern) == "false"
    assert wapiti_regex.test("a" * 200 + "b", pattern) == "true"
