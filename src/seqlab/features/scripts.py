"""Which script a character belongs to, coarsely: enough for word segmentation and mixed text.

Python knows no Script property, so this goes by code point ranges; digits, punctuation and blanks come first.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

# first code point, last code point, script; sorted
RANGES: tuple[tuple[int, int, str], ...] = (
    (0x0041, 0x024F, "latin"),
    (0x0250, 0x02AF, "latin"),
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "cyrillic"),
    (0x0530, 0x058F, "armenian"),
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x06FF, "arabic"),
    (0x0750, 0x077F, "arabic"),
    (0x08A0, 0x08FF, "arabic"),
    (0x0900, 0x097F, "devanagari"),
    (0x0980, 0x0DFF, "indic"),
    (0x0E00, 0x0E7F, "thai"),
    (0x0E80, 0x0EFF, "lao"),
    (0x0F00, 0x0FFF, "tibetan"),
    (0x1000, 0x109F, "myanmar"),
    (0x10A0, 0x10FF, "georgian"),
    (0x1100, 0x11FF, "hangul"),
    (0x1200, 0x139F, "ethiopic"),
    (0x1780, 0x17FF, "khmer"),
    (0x1E00, 0x1EFF, "latin"),
    (0x1F00, 0x1FFF, "greek"),
    (0x2C60, 0x2C7F, "latin"),
    (0x2DE0, 0x2DFF, "cyrillic"),
    (0x2E80, 0x2FDF, "kanji"),
    (0x3005, 0x3007, "kanji"),
    (0x3040, 0x309F, "hiragana"),
    (0x30A0, 0x30FF, "katakana"),
    (0x3100, 0x312F, "bopomofo"),
    (0x3130, 0x318F, "hangul"),
    (0x31A0, 0x31BF, "bopomofo"),
    (0x31F0, 0x31FF, "katakana"),
    (0x3400, 0x4DBF, "kanji"),
    (0x4E00, 0x9FFF, "kanji"),
    (0xA640, 0xA69F, "cyrillic"),
    (0xA720, 0xA7FF, "latin"),
    (0xA960, 0xA97F, "hangul"),
    (0xAB30, 0xAB6F, "latin"),
    (0xAC00, 0xD7FF, "hangul"),
    (0xF900, 0xFAFF, "kanji"),
    (0xFB50, 0xFDFF, "arabic"),
    (0xFE70, 0xFEFF, "arabic"),
    (0xFF21, 0xFF5A, "latin"),
    (0xFF66, 0xFF9F, "katakana"),
    (0xFFA0, 0xFFDC, "hangul"),
    (0x20000, 0x3FFFF, "kanji"),
)
_STARTS = [first for first, _, _ in RANGES]


def script_of(c: str) -> str:
    """Of one character: digit, punct (categories P and S), space (Z and C), a script, or other."""
    if c.isdigit():
        return "digit"
    kind = unicodedata.category(c)[0]
    if kind in "PS":
        return "punct"
    if kind in "ZC":
        return "space"
    at = bisect_right(_STARTS, ord(c)) - 1
    return RANGES[at][2] if at >= 0 and ord(c) <= RANGES[at][1] else "other"
