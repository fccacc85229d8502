"""Write cpp/base/text/unicode_tables.inc from this Python's own Unicode database: python tools/unicode_tables.py.

The functions of feature templates are defined by Python's str methods; the core needs the same facts about single
code points. Runs of code points of one kind are written as where each run begins and which kind it is.
"""

from __future__ import annotations

import sys
import textwrap
import unicodedata
from pathlib import Path

TARGET = Path(__file__).parent.parent / "cpp" / "base" / "text" / "unicode_tables.inc"
CATEGORIES = [
    "Cn",
    "Cc",
    "Cf",
    "Co",
    "Cs",
    "Lu",
    "Ll",
    "Lt",
    "Lm",
    "Lo",
    "Mn",
    "Mc",
    "Me",
    "Nd",
    "Nl",
    "No",
    "Pc",
    "Pd",
    "Ps",
    "Pe",
    "Pi",
    "Pf",
    "Po",
    "Sm",
    "Sc",
    "Sk",
    "So",
    "Zs",
    "Zl",
    "Zp",
]
FLAGS = (
    "upper",
    "lower",
    "title",
    "digit",
    "decimal",
    "numeric",
    "alpha",
    "space",
    "cased",
    "ignorable",
    "ideograph",
)
UNSPACED = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY",
    "IDEOGRAPHIC ",
    "HIRAGANA",
    "KATAKANA",
    "BOPOMOFO",
    "TANGUT",
    "NUSHU",
)

Kind = tuple[int, int, int, int]  # category, flags, distance to lower case, distance to upper case


def flags_of(c: str) -> int:
    """One bit for each of FLAGS.

    Cased and ignorable are not in unicodedata; they show in what becomes of a capital sigma before c (final or not).
    """
    sigma_before_end = ("aΣ" + c).lower()[1]
    sigma_before_letter = ("aΣ" + c + "a").lower()[1]
    cased = sigma_before_end == "σ"
    ignorable = not cased and sigma_before_letter == "σ"
    facts = (
        c.isupper(),
        c.islower(),
        unicodedata.category(c) == "Lt",
        c.isdigit(),
        c.isdecimal(),
        c.isnumeric(),
        c.isalpha(),
        c.isspace(),
        cased,
        ignorable,
        is_ideograph(c),
    )
    return sum(1 << i for i, fact in enumerate(facts) if fact)


def is_ideograph(c: str) -> bool:
    """Characters of scripts without blanks, each a token of its own; planes 2 and 3 are reserved for them."""
    named = unicodedata.name(c, "").startswith(UNSPACED)
    return (named and c.isalpha()) or 0x20000 <= ord(c) < 0x3FFFE


def kind_of(code: int) -> Kind:
    """All facts about one code point; a change of case into several points counts as none here."""
    c = chr(code)
    if 0xD800 <= code < 0xE000:
        return CATEGORIES.index("Cs"), 0, 0, 0
    lower, upper = c.lower(), c.upper()
    return (
        CATEGORIES.index(unicodedata.category(c)),
        flags_of(c),
        ord(lower) - code if len(lower) == 1 else 0,
        ord(upper) - code if len(upper) == 1 else 0,
    )


def numbers(values: list[int]) -> str:
    """Numbers, wrapped."""
    return textwrap.fill(
        ", ".join(map(str, values)), width=118, initial_indent="    ", subsequent_indent="    "
    )


def special(method: str) -> list[str]:
    """Code points that change into several, with what they change into."""
    rows = []
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000:
            continue
        changed = getattr(chr(code), method)()
        if len(changed) > 1:
            escaped = "".join(f"\\x{byte:02x}" for byte in changed.encode())
            rows.append(f'{{0x{code:X}, "{escaped}"}}')
    return rows


def main() -> None:
    """Write the file."""
    kinds: dict[Kind, int] = {}
    starts: list[int] = []
    runs: list[int] = []
    for code in range(sys.maxunicode + 1):
        kind = kinds.setdefault(kind_of(code), len(kinds))
        if not runs or runs[-1] != kind:
            starts.append(code)
            runs.append(kind)
    kind_rows = [f"{{{c}, {f}, {lo}, {up}}}" for c, f, lo, up in kinds]
    wrap = {"width": 118, "initial_indent": "    ", "subsequent_indent": "    "}
    TARGET.write_text(
        "\n".join(
            [
                f"// Written by tools/unicode_tables.py from Unicode {unicodedata.unidata_version}; do not edit.",
                "// clang-format off",
                f'inline constexpr const char* unicode_version = "{unicodedata.unidata_version}";',
                "inline constexpr const char* category_names[] = {",
                textwrap.fill(", ".join(f'"{name}"' for name in CATEGORIES), **wrap) + "};",
                *(f"inline constexpr std::uint16_t flag_{name} = {1 << i};" for i, name in enumerate(FLAGS)),
                "inline constexpr Kind kinds[] = {",
                textwrap.fill(", ".join(kind_rows), **wrap) + "};",
                "inline constexpr char32_t run_begin[] = {",
                numbers(starts) + "};",
                "inline constexpr std::uint16_t run_kind[] = {",
                numbers(runs) + "};",
                "inline constexpr SpecialCase special_lower[] = {",
                textwrap.fill(", ".join(special("lower")), **wrap) + "};",
                "inline constexpr SpecialCase special_upper[] = {",
                textwrap.fill(", ".join(special("upper")), **wrap) + "};",
                "",
            ]
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
