"""The functions of the template language in plain Python; these are the definitions.

A function takes a value (and its arguments) and returns a string, or None if the feature is absent. Some return a list
of strings: one feature for each.
"Character" means code point. Functions with a yes/no answer return "yes" or None.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, NamedTuple

from seqlab.features.wapiti_regex import match, test


def lower(value: str) -> str:
    """Lower case, as Python's str.lower. `lower("Straße")` -> straße."""
    return value.lower()


def upper(value: str) -> str:
    """Upper case, as Python's str.upper. `upper("Straße")` -> STRASSE."""
    return value.upper()


def lower_ascii(value: str) -> str:
    """A-Z in lower case, everything else as it is (Wapiti's `%X`). `lower_ascii("ÄB")` -> Äb."""
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in value)


def shape(value: str) -> str:
    """X upper or title case, x lower case, 0 digit, o other letter, marks left out, the rest kept."""
    return "".join(map(_shape_of, value))


def short_shape(value: str) -> str:
    """The shape with runs of one character collapsed. `short_shape("McDonald-2000")` -> XxXx-0."""
    return "".join(_runs(shape(value)))


def prefix(value: str, n: int) -> str | None:
    """The first n characters; absent when there are fewer. `prefix("running", 3)` -> run."""
    return value[:n] if len(value) >= n else None


def suffix(value: str, n: int) -> str | None:
    """The last n characters; absent when there are fewer. `suffix("running", 3)` -> ing."""
    return value[-n:] if len(value) >= n else None


def char(value: str, i: int) -> str | None:
    """Character number i from 0, or from the end when i is negative. `char("Rome", -1)` -> e."""
    return value[i] if -len(value) <= i < len(value) else None


def length(value: str) -> str:
    """Number of characters: 0 to 9 as they are, then 10-14, 15-19, 20+. `length("thirteen more")` -> 10-14."""
    return bucket(len(value), _LENGTHS)


def digits(value: str) -> str:
    """Every digit (str.isdigit) becomes 0. `digits("1984-05")` -> 0000-00."""
    return "".join("0" if c.isdigit() else c for c in value)


def squeeze(value: str, n: int) -> str:
    """At most n equal characters in a row. `squeeze("cooool!!!", 2)` -> cool!!."""
    return "".join(c * min(n, sum(1 for _ in run)) for c, run in groupby(value))


def category(value: str) -> str:
    """Unicode general categories, runs collapsed. `category("iPhone-12")` -> LlLuLlPdNd."""
    return "".join(_runs(map(unicodedata.category, value)))


def first_category(value: str) -> str | None:
    """Unicode general category of the first character. `first_category("Rome")` -> Lu."""
    return unicodedata.category(value[0]) if value else None


def script(value: str) -> str:
    """Scripts of the characters, runs collapsed, joined with +. `script("食べる")` -> kanji+hiragana."""
    return "+".join(_runs(map(script_of, value)))


def ngrams(value: str, n: int) -> list[str]:
    """All distinct character n-grams in order, a feature for each. `ngrams("banana", 3)` -> ban, ana, nan."""
    return list(dict.fromkeys(value[i : i + n] for i in range(len(value) - n + 1)))


FOLDS = {"lower": str.lower, "upper": str.upper}  # cases in which lexicons may be searched

# ------------------------------------------------------------------------------------------------ helpers

_LENGTHS = ((10, "10-14"), (15, "15-19"), (20, "20+"))
_PLACES = ((5, "5-9"), (10, "10-19"), (20, "20-49"), (50, "50+"))


def bucket(n: int, steps: tuple[tuple[int, str], ...] = _PLACES) -> str:
    """Return the number itself below the first step, otherwise the name of the last step that it reaches."""
    reached = [name for start, name in steps if n >= start]
    return reached[-1] if reached else str(n)


def _punctuation(c: str) -> bool:
    return unicodedata.category(c)[0] in "PS"


def _shape_of(c: str) -> str:
    if c.isupper() or c.istitle():
        return "X"
    if c.islower():
        return "x"
    if c.isdigit():
        return "0"
    if c.isalpha():
        return "o"
    return "" if unicodedata.category(c)[0] == "M" else c


def _runs(items: Iterable[str]) -> list[str]:
    return [item for item, _ in groupby(items)]


# Python has no Script property, so `script` uses ranges of code points.
_SCRIPTS = {
    "latin": "0041-02AF 1E00-1EFF 2C60-2C7F A720-A7FF AB30-AB6F FF21-FF5A",
    "greek": "0370-03FF 1F00-1FFF",
    "cyrillic": "0400-052F 2DE0-2DFF A640-A69F",
    "armenian": "0530-058F",
    "hebrew": "0590-05FF",
    "arabic": "0600-06FF 0750-077F 08A0-08FF FB50-FDFF FE70-FEFF",
    "devanagari": "0900-097F",
    "indic": "0980-0DFF",
    "thai": "0E00-0E7F",
    "lao": "0E80-0EFF",
    "tibetan": "0F00-0FFF",
    "myanmar": "1000-109F",
    "georgian": "10A0-10FF",
    "hangul": "1100-11FF 3130-318F A960-A97F AC00-D7FF FFA0-FFDC",
    "ethiopic": "1200-139F",
    "khmer": "1780-17FF",
    "kanji": "2E80-2FDF 3005-3007 3400-4DBF 4E00-9FFF F900-FAFF 20000-3FFFF",
    "hiragana": "3040-309F",
    "katakana": "30A0-30FF 31F0-31FF FF66-FF9F",
    "bopomofo": "3100-312F 31A0-31BF",
}
# first code point, last code point, script; sorted
RANGES = sorted(
    (int(first, 16), int(last, 16), name)
    for name, ranges in _SCRIPTS.items()
    for first, last in (pair.split("-") for pair in ranges.split())
)
_STARTS = [first for first, _, _ in RANGES]


def script_of(c: str) -> str:
    """Find the script of one character: digit, punct (categories P and S), space (Z and C), a script, or other."""
    if c.isdigit():
        return "digit"
    kind = unicodedata.category(c)[0]
    if kind in "PS":
        return "punct"
    if kind in "ZC":
        return "space"
    at = bisect_right(_STARTS, ord(c)) - 1
    return RANGES[at][2] if at >= 0 and ord(c) <= RANGES[at][1] else "other"


# ------------------------------------------------------------------------------------------------ the table


class Function(NamedTuple):
    """Function of the template language, with the types and smallest values of its further arguments.

    several   True if it returns a list of values, each of which makes a feature
    """

    apply: Callable[..., Any]
    arguments: tuple[type[int | str], ...] = ()
    least: int | None = None
    several: bool = False


def _question(test: Callable[[str], bool], doc: str) -> Callable[[str], str | None]:
    """Make a function that returns "yes" or None."""

    def answer(value: str) -> str | None:
        return "yes" if test(value) else None

    answer.__doc__ = doc
    return answer


# Each with an example, which is its docstring.
_QUESTIONS: dict[str, tuple[Callable[[str], bool], str]] = {
    "is_digit": (str.isdigit, 'Digits only, as str.isdigit. `is_digit("1984")` -> yes.'),
    "is_alpha": (str.isalpha, 'Letters only, as str.isalpha. `is_alpha("Rome")` -> yes.'),
    "is_alnum": (str.isalnum, 'Letters and numbers only, as str.isalnum. `is_alnum("B52")` -> yes.'),
    "is_title": (
        str.istitle,
        'Every word begins with a capital and goes on in lower case, as str.istitle. `is_title("Rome")` -> yes.',
    ),
    "is_upper": (
        str.isupper,
        'Has upper-case and no lower-case letters, as str.isupper. `is_upper("U.S.")` -> yes.',
    ),
    "is_lower": (
        str.islower,
        'Has lower-case and no upper-case letters, as str.islower. `is_lower("e-mail")` -> yes.',
    ),
    "is_capitalized": (
        lambda value: value[:1].isupper() or value[:1].istitle(),
        'The first character is upper or title case, whatever follows. `is_capitalized("McDonald")` -> yes.',
    ),
    "is_punct": (
        lambda value: bool(value) and all(map(_punctuation, value)),
        'Punctuation and symbols only (categories P and S), at least one. `is_punct("...")` -> yes.',
    ),
    "is_ascii": (str.isascii, 'ASCII only, as str.isascii. `is_ascii("cafe")` -> yes.'),
    "has_digit": (
        lambda value: any(map(str.isdigit, value)),
        'Some character is a digit (str.isdigit). `has_digit("B52")` -> yes.',
    ),
    "has_alpha": (
        lambda value: any(map(str.isalpha, value)),
        'Some character is a letter (str.isalpha). `has_alpha("B52")` -> yes.',
    ),
    "has_upper": (
        lambda value: any(map(str.isupper, value)),
        'Some character is upper case (str.isupper). `has_upper("iPhone")` -> yes.',
    ),
    "has_lower": (
        lambda value: any(map(str.islower, value)),
        'Some character is lower case (str.islower). `has_lower("iPhone")` -> yes.',
    ),
    "has_hyphen": (
        lambda value: any(unicodedata.category(c) == "Pd" for c in value),
        'Some character is a hyphen or dash (category Pd). `has_hyphen("e-mail")` -> yes.',
    ),
    "has_punct": (
        lambda value: any(map(_punctuation, value)),
        'Some character is punctuation or a symbol (categories P and S). `has_punct("U.S")` -> yes.',
    ),
}

FUNCTIONS: dict[str, Function] = {
    **{one.__name__: Function(one) for one in (lower, upper, lower_ascii, shape, short_shape)},
    "prefix": Function(prefix, (int,), least=1),
    "suffix": Function(suffix, (int,), least=1),
    "char": Function(char, (int,)),
    "ngrams": Function(ngrams, (int,), least=1, several=True),
    "length": Function(length),
    "digits": Function(digits),
    "squeeze": Function(squeeze, (int,), least=1),
    **{one.__name__: Function(one) for one in (category, first_category, script)},
    **{name: Function(_question(*question)) for name, question in _QUESTIONS.items()},
    "test": Function(test, (str,)),
    "match": Function(match, (str,)),
}
