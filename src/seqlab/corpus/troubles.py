"""What the native readers find, in words: file:line: what came, what was wanted, what to do."""

from __future__ import annotations

from dataclasses import dataclass

from seqlab.errors import CorpusError

SHOWN = 60
RIGHT_FILE = "is this the right file and format?"

Found = tuple[str, int, int, int, int]  # kind, line, begin and end of the line in its block, number


@dataclass(frozen=True)
class Expected:
    """What a message can say about what was wanted.

    columns   names of the columns, when they were given or are fixed
    width     cells of every line; 0 when the first line has not come yet
    least     cells a line must have at least, when only some are picked
    format    the format, and whether it was guessed
    """

    format: str
    guessed: bool
    columns: tuple[str, ...] | None = None
    width: int = 0
    least: int = 0
    first_line: int | None = None


def raise_found(found: Found, block: bytes, name: str, expected: Expected) -> None:
    """Raise what a reader found in `block`."""
    kind, line, begin, end, number = found
    text = block[begin:end]
    message = _WORDS[kind](text, number, expected)
    raise CorpusError(f"{name}:{line}: {message}", path=name, line=line)


def shown(text: bytes) -> str:
    """A line for a message: as repr, shortened."""
    decoded = text[: 4 * SHOWN].decode("utf-8", "replace")
    return (
        repr(decoded) if len(decoded) <= SHOWN and len(text) <= 4 * SHOWN else repr(decoded[:SHOWN]) + "..."
    )


def _columns(text: bytes, number: int, expected: Expected) -> str:
    found = f"found {number} in {shown(text)}"
    if expected.format == "conllu":
        names = ", ".join(expected.columns or ())
        hint = "" if b"\t" in text else "; columns of CoNLL-U are separated by tabs"
        hint = hint or "; pass format='conll' if this is not CoNLL-U"
        return f"{expected.width} columns expected ({names}), {found}{hint}"
    if expected.least:
        return (
            f"at least {expected.least} columns expected, {found}; pass other columns=..., or mend the line"
        )
    if expected.columns:
        names = ", ".join(expected.columns)
        return (
            f"{expected.width} columns expected ({names}), {found}; "
            f"pass columns=... with one name per column if the file is laid out differently"
        )
    hint = "mend the line, or pass columns={'word': 0, 'label': -1} to pick cells"
    if expected.guessed:
        hint += f"; the format was guessed to be {expected.format!r}, pass format=... if it is another"
    return f"{expected.width} columns expected like in the lines before, {found}; {hint}"


def _empty_cell(text: bytes, number: int, expected: Expected) -> str:
    if expected.format == "conllu":
        name = (expected.columns or ())[number : number + 1]
        which = f" ({name[0]})" if name else ""
        return f"column {number + 1}{which} is empty in {shown(text)}; CoNLL-U writes _ for nothing"
    return (
        f"the word is empty in {shown(text)}; put a word there, or pass separator=' ' if blanks of any number "
        f"separate the columns"
    )


def _bad_id(text: bytes, number: int, expected: Expected) -> str:  # noqa: ARG001
    came = text.partition(b"\t")[0]
    return (
        f"the id is {shown(came)}, but {number} was wanted (or a range like {number}-{number + 1}, or an empty node "
        f"like {number - 1}.1); ids count from 1 in every sentence, and a blank line ends a sentence"
    )


def _no_tag(text: bytes, number: int, expected: Expected) -> str:
    token = text.split()[number]
    hint = "; the format was guessed, pass format='text' for plain text" if expected.guessed else ""
    return f"token {number + 1} is {shown(token)}, but word/TAG was wanted{hint or '; add its tag'}"


def _bad_weight(text: bytes, number: int, expected: Expected) -> str:  # noqa: ARG001
    cell = text.split(b"\t")[number]
    return (
        f"the weight in {shown(cell)} is no finite number; CRFsuite writes attribute:2.5, and \\: for a colon in the "
        f"attribute itself"
    )


def _declaration(text: bytes, number: int, expected: Expected) -> str:  # noqa: ARG001
    return f"{shown(text)} is no declaration that CRFsuite knows; only @weight:2.5 is, and no label begins with @"


def _nul(text: bytes, number: int, expected: Expected) -> str:  # noqa: ARG001
    hint = "the file may be binary, cut off, or UTF-16 (pass encoding='utf-16')"
    return f"a NUL byte at byte {number + 1} of the line, but text is wanted; {hint}"


def _utf8(text: bytes, number: int, expected: Expected) -> str:  # noqa: ARG001
    return (
        f"byte 0x{text[number]:02X} at byte {number + 1} of the line is not UTF-8 ({shown_around(text, number)}); "
        f"pass encoding=, for example encoding='latin-1', if the file was saved in another encoding"
    )


def shown_around(text: bytes, at: int) -> str:
    """Some of the line before and behind the byte."""
    part = text[max(at - 20, 0) : at + 10]
    return repr(part.decode("utf-8", "backslashreplace")).replace("\\\\x", "\\x")


def long_line(name: str, line: int, limit: int) -> CorpusError:
    """A line that goes on and on."""
    return CorpusError(
        f"{name}:{line}: the line is longer than {limit >> 20} MB, but one line holds one token or one sentence; "
        f"{RIGHT_FILE}",
        path=name,
        line=line,
    )


def _long_line(text: bytes, number: int, expected: Expected) -> str:  # noqa: ARG001
    return f"the line has {number >> 20} MB, but one line holds one token or one sentence; {RIGHT_FILE}"


_WORDS = {
    "columns": _columns,
    "empty_cell": _empty_cell,
    "bad_id": _bad_id,
    "no_tag": _no_tag,
    "bad_weight": _bad_weight,
    "declaration": _declaration,
    "nul": _nul,
    "utf8": _utf8,
    "long_line": _long_line,
}
