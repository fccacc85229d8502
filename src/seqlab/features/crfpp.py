"""CRF++ template files, read as they are.

`U05:%x[-1,0]/%x[0,1]` reads column 0 of the token before and column 1 of this one; the text around the macros is
kept, blanks at the end of a line too, so that attributes are CRF++'s own. `B` alone stands for label bigrams.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from seqlab.errors import Place, TemplateError
from seqlab.features.model import CRFPP, Atom, Feature
from seqlab.features.parse import Parsed

_MACRO = re.compile(r"%x\[(-?\d*),(\d*)\]")
FURTHEST = 8  # CRF++ has boundary symbols for eight places; before 0.58 for four, and refused more


def read(text: str, *, path: str | None = None, columns: Sequence[str] | None = None) -> Parsed:
    """The features of a template; `columns` gives the columns names, else they are found by position ("#0")."""
    parsed = Parsed(bigram=False, boundary=CRFPP)
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r")
        if not line or line.startswith("#"):
            continue
        place = Place(path=path, line=number)
        if line[0] not in "UB":
            raise TemplateError(f"a CRF++ template line begins with U, B or #, got {line!r}", place=place)
        atoms, pieces = _taken_apart(line, place, columns)
        if line[0] == "B" and not atoms and not parsed.bigram:
            parsed.bigram = True
        else:
            parsed.features.append(Feature(atoms, pieces, on_node=line[0] == "U", on_edge=line[0] == "B"))
    return parsed


def _taken_apart(
    line: str, place: Place, columns: Sequence[str] | None
) -> tuple[tuple[Atom, ...], tuple[str, ...]]:
    atoms, pieces, end = [], [], 0
    for macro in _MACRO.finditer(line):
        pieces.append(line[end : macro.start()])
        offset, column = (int(digits) if digits.strip("-") else 0 for digits in macro.groups())
        if abs(offset) > FURTHEST:
            raise TemplateError(
                f"CRF++ reads at most {FURTHEST} tokens away, got {macro[0]!r} in {line!r}",
                place=place,
            )
        atoms.append(Atom(column_name(column, columns, place), offset))
        end = macro.end()
    pieces.append(line[end:])
    for piece in pieces:
        if "%" in piece:
            raise TemplateError(
                f"%x[row,column] is wanted, as in %x[-1,0], got {piece[piece.index('%') :]!r} in {line!r}",
                place=place,
            )
    return tuple(atoms), tuple(pieces)


def column_name(number: int, columns: Sequence[str] | None, place: Place) -> str:
    """The name of column `number`, or "#number" when it is to be found in the corpus."""
    if columns is None:
        return f"#{number}"
    if number >= len(columns):
        raise TemplateError(f"there is no column {number} among columns={list(columns)!r}", place=place)
    return columns[number]
