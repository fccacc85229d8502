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
    """Find the leftmost match."""
    parts, text = compiled(pattern), value.encode("utf-8", "surrogatepass")
    for start in (0,) if parts.at_start else range(len(text) + 1):
        matcher = _Matcher(parts, text)
        if matcher.fits(0, start):
            return text[start : start + matcher.length]
    return None


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


class _Matcher:
    """One attempt to match at one start.

    Wapiti keeps the length in a variable that an attempt which fails after an optional item leaves too large:
    "x?xy" in "xyz" gives "xyz". Models trained by Wapiti depend on such values, so they are reproduced here.
    """

    def __init__(self, pattern: Pattern, text: bytes) -> None:
        self.pattern = pattern
        self.text = text
        self.length = 0

    def fits(self, step: int, at: int) -> bool:
        """Return True if the steps from `step` on match at position `at`."""
        if step == len(self.pattern.steps):
            return not self.pattern.at_end or at == len(self.text)
        fitting, times = self.pattern.steps[step]
        if times == "*":
            return self._repeated(step, at)
        here = at < len(self.text) and self.text[at] in fitting
        if times == "?" and not here:
            return self.fits(step + 1, at)
        self.length += 1
        if here and self.fits(step + 1, at + 1):
            return True
        if times == "?":
            self.length -= 1
            return self.fits(step + 1, at)
        return False

    def _repeated(self, step: int, at: int) -> bool:
        while True:
            before = self.length
            if self.fits(step + 1, at):
                return True
            self.length = before + 1
            if at >= len(self.text) or self.text[at] not in self.pattern.steps[step][0]:
                return False
            at += 1
