"""Which format a file has: by its name, else by its first lines."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter

LOOKED_AT = 1 << 13  # bytes
DOCUMENT_BEGINS = ("{", "[", "[{")  # the first line of JSON that is written on many lines

BY_SUFFIX = {
    ".conllu": "conllu",
    ".conll": "conll",
    ".iob": "conll",
    ".iob2": "conll",
    ".bio": "conll",
    ".tsv": "conll",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".crfsuite": "crfsuite",
}


def by_name_and_content(name: str, head: bytes) -> str:
    """What the name tells, else the content; treebanks in CoNLL-U are often called .conll."""
    named = by_name(name)
    if named == "conll" and _is_conllu(_filled(head)[0]):
        return "conllu"
    return named or by_content(head)


def by_name(name: str) -> str | None:
    """The format that the name tells, without a final .gz."""
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122  (pathlib is slow to import)
    return BY_SUFFIX.get(os.path.splitext(stem)[1] if suffix == ".gz" else suffix)  # noqa: PTH122


def by_content(head: bytes) -> str:
    """The format that the first lines look like; columns when nothing speaks against it."""
    filled, blank_lines = _filled(head)
    if not filled:
        return "conll"
    if _is_json(filled):
        return "jsonl"
    if _is_conllu(filled):
        return "conllu"
    if _is_slash(filled):
        return "slash"
    if any("\t" in line for line in filled):
        return "crfsuite" if _is_attributes(filled) else "conll"
    return "conll" if _is_regular(filled, blank_lines) else "text"


def _filled(head: bytes) -> tuple[list[str], bool]:
    """The first lines that are not blank, and whether there are blank ones."""
    lines = head[:LOOKED_AT].decode("utf-8", "replace").split("\n")
    if len(lines) > 2 and len(head) > LOOKED_AT:
        lines.pop()  # cut in the middle
    elif lines[-1] == "":
        lines.pop()  # what stands behind the last line end
    filled = [line for line in lines if line.strip()]
    return filled, len(filled) < len(lines)


def _is_json(lines: Sequence[str]) -> bool:
    """The first line is JSON, or begins a document on many lines."""
    if lines[0].lstrip()[:1] not in {"{", "["}:
        return False
    if lines[0].strip() in DOCUMENT_BEGINS and len(lines) > 1:
        return lines[1].lstrip()[:1] in {"{", "[", '"'}
    try:
        json.loads(lines[0])
    except ValueError:
        return False
    return True


def _is_conllu(lines: Sequence[str]) -> bool:
    """Ten cells between tabs, the first of them a number, behind comments if any."""
    first = next((line for line in lines if not line.startswith("#")), "")
    cells = first.split("\t")
    return len(cells) == 10 and cells[0].partition("-")[0].partition(".")[0].isdecimal()


def _is_attributes(lines: Sequence[str]) -> bool:
    """Most cells behind the first are name=value or name:weight, and there is more than one of them in most lines."""
    cells = [cell for line in lines if not line.startswith("@") for cell in line.split("\t")[1:]]
    named = sum("=" in cell[1:-1] or bool(re.fullmatch(_WEIGHTED, cell)) for cell in cells)
    return bool(cells) and named > 0.6 * len(cells)


_WEIGHTED = r"__[BE]OS__|.*[^\\]:[-+]?[0-9.]+(e[-+]?[0-9]+)?"


def _is_slash(lines: Sequence[str]) -> bool:
    """Nearly every token has a slash inside, and lines have several tokens."""
    tokens = [token for line in lines for token in line.split()]
    inside = sum("/" in token[1:-1] for token in tokens)
    return 4 * inside >= 3 * len(tokens) and (len(tokens) > len(lines) or len(lines) == 1)


def _is_regular(lines: Sequence[str], blank_lines: bool) -> bool:  # noqa: FBT001
    """Most lines have the same small number of cells; with blank lines among them, half of the lines will do."""
    widths = Counter(len(line.split()) for line in lines)
    width, count = max(widths.items(), key=itemgetter(1))
    enough = 2 * count >= len(lines) if blank_lines else 2 * count > len(lines)
    return enough and width <= 20 and (len(lines) > 1 or width <= 4)
