"""Wapiti's own way to match a pattern: one start after another, with backtracking."""

from seqlab.features.wapiti_regex import Pattern, compiled


def found(value: str, pattern: str) -> bytes | None:
    """Find the leftmost match; takes time that grows exponentially with the pattern."""
    parts, text = compiled(pattern), value.encode("utf-8", "surrogatepass")
    for start in (0,) if parts.at_start else range(len(text) + 1):
        matcher = Matcher(parts, text)
        if matcher.fits(0, start):
            return text[start : start + matcher.length]
    return None


class Matcher:
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
            return self.repeated(step, at)
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

    def repeated(self, step: int, at: int) -> bool:
        while True:
            before = self.length
            if self.fits(step + 1, at):
                return True
            self.length = before + 1
            if at >= len(self.text) or self.text[at] not in self.pattern.steps[step][0]:
                return False
            at += 1
