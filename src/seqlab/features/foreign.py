r"""Read CRF++ templates and Wapiti pattern files.

CRF++: `U05:%x[-1,0]/%x[0,1]` reads column 0 of the token before and column 1 of this one; the text around the macros is
kept, blanks at the end of a line too, so that attributes are CRF++'s own. `B` alone stands for label bigrams.

Wapiti:

    u:w-1=%x[-1,0]          u for labels, b for pairs of labels, * for both; the first letter may be upper case
    *suffix=%m[0,0,".?.?$"] %x the token, %t does a pattern occur in it (true, false), %m the first span that fits
    u=%X[@1,0]              upper case letter: result in lower case (A-Z only). @1 is the first token, @-1 the last

Everything from # on is a comment, inside quotes too. Attributes begin with the first letter in lower case, as Wapiti's
own do. Outside the sentence Wapiti reads _x-1, _x+1 and so on, and matches its patterns against these as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from seqlab.errors import Place, TemplateError
from seqlab.features.functions import FUNCTIONS
from seqlab.features.model import CRFPP, FURTHEST, TOO_FAR, WAPITI, Atom, Boundary, Call, Feature
from seqlab.features.template import NUL, Template
from seqlab.features.wapiti_regex import compiled

_MACRO = re.compile(r"%x\[(-?\d{0,9}),(\d{0,9})\]")
FURTHEST_CRFPP = 8  # CRF++ has boundary symbols for eight places; before 0.58 for four, and refused more
_COMMAND = re.compile(
    r"""%(?P<type>[xXtTmM])\[
        (?P<mode>[@*]?) \s*(?P<offset>[+-]?\d{1,9}), \s*(?P<column>\+?\d{1,9})
        (?P<pattern>,"(?:\\.|[^"\\])*")? \]""",
    re.VERBOSE,
)
_ANY_MACRO = re.compile(r"^[UuBb*].*%[xXtTmM]\[", re.MULTILINE)
_ONLY_WAPITI = re.compile(r"^[ub*].*%|^[UB*].*(%[XtTmM]\[|%x\[[@*])", re.MULTILINE)

Columns = Sequence[str] | None  # their names; None finds them by position ("#0")


def language_of(text: str) -> Literal["seqlab", "crfpp", "wapiti"]:
    """Detect CRF++ by lines like `U00:%x[0,0]`; Wapiti by lines in lower case or with its own commands."""
    if not _ANY_MACRO.search(text):
        return "seqlab"
    return "wapiti" if _ONLY_WAPITI.search(text) else "crfpp"


def read_crfpp(text: str, *, path: str | None = None, columns: Columns = None) -> Template:
    """Read a CRF++ template."""

    def atom(macro: re.Match[str], line: str, place: Place) -> Atom:
        offset, column = (int(digits) if digits.strip("-") else 0 for digits in macro.groups())
        if abs(offset) > FURTHEST_CRFPP:
            raise TemplateError(
                f"CRF++ reads at most {FURTHEST_CRFPP} tokens away, got {macro[0]!r} in {line!r}", place=place
            )
        return Atom(_column_name(column, columns, place), offset)

    lines = [line.removesuffix("\r") for line in text.split("\n")]
    lines = ["" if line.startswith("#") else line for line in lines]
    begins = "a CRF++ template line begins with U, B or #"
    return _template(
        lines, path, CRFPP, "UB", begins, _MACRO, "%x[row,column] is wanted, as in %x[-1,0]", atom
    )


def read_wapiti(text: str, *, path: str | None = None, columns: Columns = None) -> Template:
    """Read a Wapiti pattern file."""

    def atom(command: re.Match[str], line: str, place: Place) -> Atom | str:
        return _wapiti_atom(command, line, place, columns)

    lines = [line.partition("#")[0].rstrip(" \t\n\v\f\r") for line in text.split("\n")]
    lines = [line[:1].lower() + line[1:] for line in lines]
    begins = "a Wapiti pattern begins with u, b or *"
    return _template(lines, path, WAPITI, "ub*", begins, _COMMAND, "a command like %x[-1,0] is wanted", atom)


def _template(
    lines: Sequence[str],
    path: str | None,
    boundary: Boundary,
    letters: str,
    begins: str,
    macro: re.Pattern[str],
    wanted: str,
    atom: Callable[[re.Match[str], str, Place], Atom | str],
) -> Template:
    """Read lines; empty ones are skipped.

    letters   that a line may begin with; `begins` describes them
    macro     pattern of a value; `wanted` describes it, `atom` returns the value that it reads, or its text
    """
    features: list[Feature] = []
    bigram = False
    for number, line in enumerate(lines, start=1):
        place = Place(path=path, line=number)
        if not line:
            continue
        if "\0" in line:
            raise TemplateError(NUL, place=place)
        if line[0] not in letters:
            raise TemplateError(f"{begins}, got {line!r}", place=place)
        atoms: list[Atom] = []
        pieces, end = [""], 0
        for found in [*macro.finditer(line), None]:
            text = line[end : found.start() if found else None]
            if "%" in text:
                raise TemplateError(f"{wanted}, got {text[text.index('%') :]!r} in {line!r}", place=place)
            pieces[-1] += text
            if found is None:
                break
            end = found.end()
            read = atom(found, line, place)
            if isinstance(read, str):
                pieces[-1] += read
            else:
                atoms.append(read)
                pieces.append("")
        if line[0] in "bB" and not atoms and not bigram:
            bigram = True
        else:
            seen = {"on_node": line[0] in "Uu*", "on_edge": line[0] in "Bb*"}
            features.append(Feature(tuple(atoms), tuple(pieces), **seen))
    return Template(tuple(features), bigram, boundary)


def _column_name(number: int, columns: Columns, place: Place) -> str:
    if columns is None:
        return f"#{number}"
    if number >= len(columns):
        raise TemplateError(f"there is no column {number} among columns={list(columns)!r}", place=place)
    return columns[number]


def _wapiti_atom(command: re.Match[str], line: str, place: Place, columns: Columns) -> Atom | str:
    """Read a command; @0 is always outside the sentence, so that its value is known now."""
    if command["mode"] == "*":
        raise TemplateError(
            f"{command[0]!r} takes its offset from a column, which seqlab does not do; "
            f"write the offsets as numbers",
            place=place,
        )
    calls = _wapiti_calls(command, line, place)
    offset = int(command["offset"])
    if abs(offset) > FURTHEST:
        raise TemplateError(f"{TOO_FAR}, got {command[0]!r} in {line!r}", place=place)
    column = _column_name(int(command["column"]), columns, place)
    if command["mode"] != "@":
        return Atom(column, offset, calls=calls)
    if offset != 0:
        return Atom(column, offset - 1 if offset > 0 else offset, absolute=True, calls=calls)
    value = WAPITI.before[0]
    for call in calls:
        value = FUNCTIONS[call.name].apply(value, *call.args) or ""
    return value


def _wapiti_calls(command: re.Match[str], line: str, place: Place) -> tuple[Call, ...]:
    kind, pattern = command["type"], command["pattern"]
    if (kind in "xX") != (pattern is None):
        wanted = "no pattern" if kind in "xX" else f'a pattern in quotes, as in %{kind}[0,0,"\\d"]'
        raise TemplateError(f"%{kind} takes {wanted}, got {command[0]!r} in {line!r}", place=place)
    calls: list[Call] = []
    if pattern is not None:
        try:
            compiled(pattern[2:-1])
        except TemplateError as error:
            raise TemplateError(error.message, place=place) from error
        calls.append(Call("test" if kind in "tT" else "match", (pattern[2:-1],)))
    return (*calls, Call("lower_ascii")) if kind.isupper() else tuple(calls)
