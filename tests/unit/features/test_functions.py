"""Every function of the language: its own example, and the odd characters."""

import re
from itertools import pairwise

import pytest

from seqlab.features.functions import FUNCTIONS, RANGES, bucket, script_of

EXAMPLE = re.compile(r'`(\w+)\("([^"]*)"(?:, (-?\d+|"[^"]*"))?\)` -> (.+)\.$')

CASES = [
    ("lower", "ΑΣ", (), "ας"),
    ("upper", "ﬁn", (), "FIN"),
    ("lower_ascii", "ÉCOLE", (), "École"),
    ("shape", "Abc-12", (), "Xxx-00"),
    ("shape", "東京タワー", (), "ooooo"),
    ("shape", "ǅ", (), "X"),  # title case, neither upper nor lower
    ("shape", "e\u0301a", (), "xx"),  # a combining mark leaves no trace
    ("shape", "½²٣", (), "½00"),  # a fraction is no digit, a superscript and an Arabic three are
    ("shape", "", (), ""),
    ("short_shape", "AABBcc--1", (), "Xx-0"),
    ("prefix", "abc", (3,), "abc"),
    ("prefix", "abc", (4,), None),
    ("suffix", "abc", (3,), "abc"),
    ("suffix", "abc", (4,), None),
    ("suffix", "naïve", (3,), "ïve"),
    ("char", "abc", (0,), "a"),
    ("char", "abc", (3,), None),
    ("char", "abc", (-3,), "a"),
    ("char", "abc", (-4,), None),
    ("length", "", (), "0"),
    ("length", "a" * 9, (), "9"),
    ("length", "a" * 10, (), "10-14"),
    ("length", "a" * 15, (), "15-19"),
    ("length", "a" * 20, (), "20+"),
    ("length", "😀", (), "1"),
    ("digits", "a1²٣", (), "a000"),
    ("squeeze", "aaabbb", (1,), "ab"),
    ("squeeze", "ab", (3,), "ab"),
    ("category", "", (), ""),
    ("category", "aB", (), "LlLu"),
    ("first_category", "", (), None),
    ("first_category", "-5", (), "Pd"),
    ("script", "", (), ""),
    ("script", "ABCです。12", (), "latin+hiragana+punct+digit"),
    ("is_digit", "", (), None),
    ("is_digit", "12a", (), None),
    ("is_title", "It's", (), None),  # Python's rule: a new word begins behind the apostrophe
    ("is_title", "New-York", (), "yes"),
    ("is_upper", "123", (), None),
    ("is_lower", "a1", (), "yes"),
    ("is_capitalized", "", (), None),
    ("is_capitalized", "ǅungla", (), "yes"),
    ("is_capitalized", "iPhone", (), None),
    ("is_punct", "", (), None),
    ("is_punct", "$", (), "yes"),
    ("is_punct", "a.", (), None),
    ("is_ascii", "café", (), None),
    ("ngrams", "aaa", (2,), ["aa"]),  # each once
    ("ngrams", "ab", (3,), []),
    ("ngrams", "", (1,), []),
    ("ngrams", "東京é", (2,), ["東京", "京é"]),
    ("has_hyphen", "a–b", (), "yes"),  # an en dash
    ("has_hyphen", "a_b", (), None),
    ("has_digit", "x²", (), "yes"),
    ("has_punct", "abc", (), None),
    ("has_upper", "abc", (), None),
    ("has_lower", "ABC", (), None),
    ("has_alpha", "1.", (), None),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_keeps_the_promise_of_its_docstring(name):
    doc = FUNCTIONS[name].apply.__doc__ or ""
    if name == "shape":
        assert FUNCTIONS[name].apply("Abc-12") == "Xxx-00"
        return
    example = EXAMPLE.search(doc)
    assert example, doc
    called, value, argument, wanted = example.groups()
    assert called == name
    arguments = [] if argument is None else [argument.strip('"') if '"' in argument else int(argument)]
    several = FUNCTIONS[name].several
    assert FUNCTIONS[name].apply(value, *arguments) == (wanted.split(", ") if several else wanted)


@pytest.mark.parametrize(("name", "value", "arguments", "wanted"), CASES)
def test_functions_on_odd_values(name, value, arguments, wanted):
    assert FUNCTIONS[name].apply(value, *arguments) == wanted


def test_buckets_begin_where_they_say():
    assert [bucket(n) for n in (0, 4, 5, 9, 10, 19, 20, 49, 50, 999)] == [
        *("0", "4", "5-9", "5-9", "10-19", "10-19", "20-49", "20-49", "50+", "50+")
    ]


def test_scripts_of_single_characters():
    wanted = {
        "漢": "kanji",
        "々": "kanji",
        "ひ": "hiragana",
        "カ": "katakana",
        "ー": "katakana",
        "ｶ": "katakana",
        "한": "hangul",
        "a": "latin",
        "Ａ": "latin",
        "é": "latin",
        "я": "cyrillic",
        "ω": "greek",
        "א": "hebrew",
        "ع": "arabic",
        "न": "devanagari",
        "ก": "thai",
        "5": "digit",
        "٣": "digit",
        "。": "punct",
        "$": "punct",
        " ": "space",
        "\u3000": "space",
        "\u0301": "other",
        "𠀀": "kanji",
        "・": "punct",
    }
    assert {c: script_of(c) for c in wanted} == wanted


def test_script_ranges_are_sorted_and_apart():
    ends = [(first, last) for first, last, _ in RANGES]
    assert all(first <= last for first, last in ends)
    assert all(before[1] < after[0] for before, after in pairwise(ends))
