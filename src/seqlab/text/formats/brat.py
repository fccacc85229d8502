"""brat standoff: a text in NAME.txt, its annotation in NAME.ann beside it; a folder of such pairs is a corpus.

T1<tab>PER 0 4<tab>Anna           a span; one in parts (0 4;10 14) is read from its first to its last character
R1<tab>Lives Arg1:T1 Arg2:T2      relations, events, attributes and notes are kept and written again
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from seqlab.errors import CorpusError, OptionError, Place
from seqlab.files import replaced
from seqlab.text.document import Document
from seqlab.text.files import read_text
from seqlab.text.formats.base import DocumentFormat, Record, file_names, source_name, spans_in

IDS, PARTS, OTHERS = "ids", "parts", "lines"  # of the notes that a document keeps about its .ann file
NOTES = "brat"


class Brat(DocumentFormat):
    """Texts and annotations of brat."""

    name = "brat"
    title = "brat standoff"
    folders = True

    @classmethod
    def read(cls, source: Any, encoding: str) -> Iterator[Record]:
        """Read a folder, or one text and its annotation."""
        if not isinstance(source, (str, os.PathLike)) or source == "-":
            raise CorpusError(
                "brat has a text and its annotation in two files: name a folder, or a file NAME.txt",
                place=Place(path=source_name(source)),
            )
        path = Path(source)
        if not path.is_dir():
            yield _record(path.with_suffix(".txt"), path.stem, encoding)
            return
        texts = sorted(path.rglob("*.txt"))
        alone = next(
            (one for one in sorted(path.rglob("*.ann")) if not one.with_suffix(".txt").exists()), None
        )
        if alone is not None or not texts:
            what = "there is no text beside it" if alone is not None else "the folder has no .txt file"
            raise CorpusError(f"{what}; brat has NAME.txt and NAME.ann", place=Place(path=str(alone or path)))
        for one in texts:
            yield _record(one, one.relative_to(path).with_suffix("").as_posix(), encoding)

    @classmethod
    def write(cls, documents: Iterable[Document], target: Any, layer: str | None) -> None:
        """Write a folder of texts and annotations; or one document to NAME.txt and NAME.ann."""
        if not isinstance(target, (str, os.PathLike)) or target == "-":
            raise OptionError("brat has two files for each text: name a folder to write them to")
        path, listed = Path(target), list(documents)
        single = path.suffix in (".txt", ".ann")
        if single and len(listed) != 1:
            raise OptionError(f"{len(listed)} documents do not fit into {path.name}; name a folder")
        files = [path] if single else [path / f"{name}.txt" for name in file_names(listed)]
        pieces = [(file, *_rendered(one, layer, file)) for file, one in zip(files, listed, strict=True)]
        try:
            if not single:
                path.mkdir(parents=True, exist_ok=True)
            for file, text, notes in pieces:
                file.parent.mkdir(parents=True, exist_ok=True)
                for goal, data in ((file.with_suffix(".ann"), notes), (file.with_suffix(".txt"), text)):
                    with replaced(goal) as out:
                        out.write(data)
        except OSError as error:
            message = f"{path!s:.200}: the files cannot be written ({error.strerror or error})"
            raise CorpusError(message, path=str(path)) from error


FORMAT = Brat


def _record(path: Path, name: str, encoding: str) -> Record:
    text, notes = read_text(path, encoding=encoding), path.with_suffix(".ann")
    record = Record(text, Place(path=str(path)), name=name)
    if not notes.exists():
        return record
    ids: dict[str, str] = {}
    parts: dict[str, str] = {}
    others: list[str] = []
    for number, line in enumerate(read_text(notes, encoding=encoding).split("\n"), 1):
        row = line.rstrip("\r")
        if not row.startswith("T"):
            others += [row] if row.strip() else []
            continue
        begin, end, label, where = _span(row, text, Place(path=str(notes), line=number))
        record.spans.append((begin, end, label))
        ids.setdefault(f"{begin} {end} {label}", row.partition("\t")[0])
        if ";" in where:
            parts[f"{begin} {end} {label}"] = where
    kept = {IDS: ids if others else {}, PARTS: parts, OTHERS: others}
    record.meta = {NOTES: {key: one for key, one in kept.items() if one}} if parts or others else {}
    return record


def _span(row: str, text: str, place: Place) -> tuple[int, int, str, str]:
    """Read a line of a span, whose words must be those of the text."""
    cells = row.split("\t", 2)
    label, _, where = (cells[1] if len(cells) > 1 else "").partition(" ")
    numbers = where.replace(";", " ").split()
    if not label or len(numbers) < 2 or len(numbers) % 2 or not all(map(str.isdecimal, numbers)):
        raise CorpusError(f"T1<tab>LABEL BEGIN END<tab>words is wanted, found {row!r:.80}", place=place)
    begin, end = int(numbers[0]), int(numbers[-1])
    if not begin < end <= len(text):
        raise CorpusError(
            f"the span from {begin} to {end} is not in the text, which has {len(text)} code points",
            place=place,
        )
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    found = " ".join(text[int(b) : int(e)] for b, e in pairs)
    if len(cells) > 2 and "".join(cells[2].split()) != "".join(found.split()):
        raise CorpusError(
            f"the words are {cells[2]!r:.60}, but the text has {found!r:.60} from {begin} to {end}; places are counted "
            f"in code points, from 0, line ends included",
            place=place,
        )
    return begin, end, label, where


def _rendered(document: Document, layer: str | None, file: Path) -> tuple[bytes, bytes]:
    told = document.meta.get(NOTES)
    notes: dict[str, Any] = told if isinstance(told, dict) else {}
    ids, parts, others = notes.get(IDS, {}), notes.get(PARTS, {}), notes.get(OTHERS, [])
    lines, used, number = [], set(ids.values()), 0
    for span in spans_in(document, layer):
        if not span.label or any(c.isspace() for c in span.label):
            raise CorpusError(
                f"brat cannot hold the label {span.label!r:.60}, which has blanks; rename it",
                place=Place(path=str(file)),
            )
        key = f"{span.begin} {span.end} {span.label}"
        name = ids.get(key)
        while name is None:
            number += 1
            name = None if f"T{number}" in used else f"T{number}"
        used.add(name)
        words = " ".join(span.text.split("\n")).replace("\r", " ").replace("\t", " ")
        where = parts.get(key, f"{span.begin} {span.end}")
        if key in parts:
            pairs = (one.split() for one in where.split(";"))
            words = " ".join(document.text[int(b) : int(e)] for b, e in pairs)
        lines.append(f"{name}\t{span.label} {where}\t{words}\n")
    try:
        return document.text.encode(), "".join([*lines, *(f"{one}\n" for one in others)]).encode()
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"UTF-8 cannot write {error.object[error.start]!r}, half of a pair, and brat has plain text; write another "
            f"format, such as 'prodigy'",
            place=Place(path=str(file)),
        ) from None
