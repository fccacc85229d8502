r"""Wapiti pattern files, read as they are.

    u:w-1=%x[-1,0]          u for labels, b for pairs of labels, * for both; the first letter may be upper case
    *suffix=%m[0,0,".?.?$"] %x the token, %t does a pattern occur in it (true, false), %m the first stretch that fits
    u=%X[@1,0]              upper case letter: result in lower case (A-Z only). @1 is the first token, @-1 the last

Everything from # on is a comment, inside quotes too. Attributes begin with the first letter in lower case, as Wapiti's
own do. Outside the sentence Wapiti reads _x-1, _x+1 and so on, and matches its patterns against these as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from seqlab.errors import Place, TemplateError
from seqlab.features.crfpp import column_name
from seqlab.features.functions import FUNCTIONS
from seqlab.features.model import WAPITI, Atom, Call, Feature
from seqlab.features.parse import Parsed
from seqlab.features.wapiti_regex import compiled

_COMMAND = re.compile(
    r"""%(?P<type>[xXtTmM])\[
        (?P<mode>[@*]?) \s*(?P<offset>[+-]?\d+), \s*(?P<column>\+?\d+)
        (?P<pattern>,"(?:\\.|[^"\\])*")? \]""",
    re.VERBOSE,
)
_BLANKS = " \t\n\v\f\r"


def read(text: str, *, path: str | None = None, columns: Sequence[str] | None = None) -> Parsed:
    """The features of a pattern file; `columns` gives the columns names, else they are found by position ("#0")."""
    parsed = Parsed(bigram=False, boundary=WAPITI)
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.partition("#")[0].rstrip(_BLANKS)
        if not line:
            continue
        place = Place(path=path, line=number)
        line = line[0].lower() + line[1:]
        if line[0] not in "ub*":
            raise TemplateError(f"a Wapiti pattern begins with u, b or *, got {line!r}", place=place)
        feature = _feature(line, place, columns)
        if line[0] == "b" and not feature.atoms and not parsed.bigram:
            parsed.bigram = True
        else:
            parsed.features.append(feature)
    return parsed


def _feature(line: str, place: Place, columns: Sequence[str] | None) -> Feature:
    atoms: list[Atom] = []
    pieces, end = [""], 0
    for command in _COMMAND.finditer(line):
        pieces[-1] += line[end : command.start()]
        _check_text(line[end : command.start()], line, place)
        atom = _atom(command, line, place, columns)
        if isinstance(atom, str):
            pieces[-1] += atom
        else:
            atoms.append(atom)
            pieces.append("")
        end = command.end()
    _check_text(line[end:], line, place)
    pieces[-1] += line[end:]
    return Feature(tuple(atoms), tuple(pieces), on_node=line[0] in "u*", on_edge=line[0] in "b*")


def _atom(command: re.Match[str], line: str, place: Place, columns: Sequence[str] | None) -> Atom | str:
    """The value that a command reads; @0 is always outside the sentence, so that its value is known now."""
    if command["mode"] == "*":
        raise TemplateError(
            f"{command[0]!r} takes its offset from a column, which seqlab does not do; "
            f"write the offsets as numbers",
            place=place,
        )
    calls = _calls(command, line, place)
    offset = int(command["offset"])
    column = column_name(int(command["column"]), columns, place)
    if command["mode"] != "@":
        return Atom(column, offset, calls=calls)
    if offset != 0:
        return Atom(column, offset - 1 if offset > 0 else offset, absolute=True, calls=calls)
    value = WAPITI.before[0]
    for call in calls:
        value = FUNCTIONS[call.name].apply(value, *call.args) or ""
    return value


def _calls(command: re.Match[str], line: str, place: Place) -> tuple[Call, ...]:
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


def _check_text(text: str, line: str, place: Place) -> None:
    if "%" in text:
        raise TemplateError(
            f"a command like %x[-1,0] is wanted, got {text[text.index('%') :]!r} in {line!r}",
            place=place,
        )
