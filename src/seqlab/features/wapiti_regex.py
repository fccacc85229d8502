r"""Wapiti's regular expressions, with Wapiti's semantics: bytes, non-greedy *, greedy ?.

    .   any byte        \a \d \l \p \s \u \w   ASCII letter, digit, lower, punctuation, space, upper, letter or digit
    x   itself          \A \D ...              the complement        \x   x itself
    x*  any number of x, as few as will do     x?  one or no x, one if it will do
    ^   at the start: anchored there           $   at the end: anchored there

The leftmost match counts. Wapiti works on bytes, so that "." is half of an "é" in UTF-8. A match that cuts a
character in two is written with the byte spelled out, as in `\xc3`.
"""

from __future__ import annotations

import string
from functools import lru_cache
from typing import NamedTuple

from seqlab.errors import TemplateError

_CLASSES = {
    "a": frozenset(string.ascii_letters.encode()),
    "d": frozenset(string.digits.encode()),
    "l": frozenset(string.ascii_lowercase.encode()),
    "p": frozenset(string.punctuation.encode()),
    "s": frozenset(b" \t\n\v\f\r"),
    "u": frozenset(string.ascii_uppercase.encode()),
    "w": frozenset((string.ascii_letters + string.digits).encode()),
}
_EVERY = frozenset(range(256))


class Pattern(NamedTuple):
    """A parsed pattern: for each position the matching bytes, and the repetition ("", "*" or "?")."""

    steps: tuple[tuple[frozenset[int], str], ...]
    at_start: bool
    at_end: bool


def test(value: str, pattern: str) -> str:
    r"""Return True if the pattern occurs: "true" or "false" (Wapiti's `%t`). `test("B52", "\d")` -> true."""
    return "false" if _found(value, pattern) is None else "true"


def match(value: str, pattern: str) -> str:
    r"""Return the first match, or an empty string (Wapiti's `%m`). `match("B52", "\d*$")` -> 52."""
    return (_found(value, pattern) or b"").decode("utf-8", "backslashreplace")


def _found(value: str, pattern: str) -> bytes | None:
    """Find the leftmost match, in time proportional to the text times the pattern.

    Wapiti tries every start and backtracks. Here a table is filled instead: whether the pattern from one item on
    matches at a position, and how much the attempt adds to the length, depends on item and position alone. The row
    of a position is computed from that of the next one.

    Wapiti keeps the length in a variable that an attempt which fails after an optional item leaves too large:
    "x?xy" in "xyz" gives "xyz". Models trained by Wapiti depend on such values, so they are reproduced here.
    """
    parts, text = compiled(pattern), value.encode("utf-8", "surrogatepass")
    most, found = len(text) + 1, None
    after: list[_Attempt] = []
    for at in range(len(text), -1, -1):
        row = [_Attempt(not parts.at_end or at == len(text), 0)]
        byte = text[at] if at < len(text) else None
        for step in range(len(parts.steps) - 1, -1, -1):
            fitting, times = parts.steps[step]
            without = row[-1]
            if byte not in fitting:
                row.append(without if times == "?" or (times == "*" and without.fits) else _Attempt(False, 1))
                continue
            # The first entry of `after`, as of `row`, is that of the end of the pattern.
            width = len(parts.steps) - step
            taken = after[width if times == "*" else width - 1]
            if times == "*":
                one = without if without.fits else _Attempt(taken.fits, taken.length + 1)
            elif taken.fits or not times:
                one = _Attempt(taken.fits, taken.length + 1)
            else:
                one = _Attempt(without.fits, taken.length + without.length)
            row.append(one if one.length < most else one._replace(length=most))
        after = row
        if row[-1].fits and not (parts.at_start and at):
            found = text[at : at + row[-1].length]
    return found


class _Attempt(NamedTuple):
    """Result of matching the rest of a pattern at a position, and what the attempt adds to the length."""

    fits: bool
    length: int


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Pattern:
    """Parse the pattern, or raise an error."""
    rest = pattern.encode("utf-8", "surrogatepass")
    at_start = rest.startswith(b"^")
    rest = rest[at_start:]
    steps: list[tuple[frozenset[int], str]] = []
    while rest and rest != b"$":
        width = 2 if rest.startswith(b"\\") else 1
        if len(rest) < width:
            raise TemplateError(f"the pattern {pattern!r} ends in a backslash; write \\\\ for a backslash")
        if rest[:1] in {b"*", b"?"}:
            raise TemplateError(
                f"nothing to repeat before {chr(rest[0])!r} in the pattern {pattern!r}; write \\{chr(rest[0])}"
            )
        times = chr(rest[width]) if rest[width : width + 1] in {b"*", b"?"} else ""
        steps.append((_fitting(rest[:width]), times))
        rest = rest[width + len(times) :]
    return Pattern(tuple(steps), at_start=at_start, at_end=rest == b"$")


def _fitting(item: bytes) -> frozenset[int]:
    if item == b".":
        return _EVERY
    if len(item) == 1:
        return frozenset(item)
    letter = chr(item[1])
    if letter in _CLASSES:
        return _CLASSES[letter]
    if letter.lower() in _CLASSES:
        return _EVERY - _CLASSES[letter.lower()]
    return frozenset(item[1:])
