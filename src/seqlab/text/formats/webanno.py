r"""WebAnno TSV 3, which INCEpTION writes, too: a file for each text, a line for each token, columns for layers.

#FORMAT=WebAnno TSV 3.3
#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value

#Text=Anna Weber left.
1-1     0-4     Anna    PER[1]
1-2     5-10    Weber   PER[1]

Tabs stand between cells. _ is for nothing, * for an annotation without a value, | between several, [1] for the parts of
one. A line 1-2.1 is a part of token 1-2. Places are counted in UTF-16 units; those that other programs have counted in
code points are recognised by the words beside them. \ escapes characters that have a meaning.
"""

from __future__ import annotations

import os
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus.io.writer import opened_target
from seqlab.errors import CorpusError, CorpusWarning, OptionError, Place
from seqlab.text.document import Document, Layer
from seqlab.text.files import read_text
from seqlab.text.formats.base import ENTITY, DocumentFormat, Record, file_names, source_name
from seqlab.text.places import utf16_places

HEADER = "#FORMAT=WebAnno TSV 3"
CORE = "de.tudarmstadt.ukp.dkpro.core.api"
TYPES = {  # the usual type and feature of a layer
    ENTITY: f"{CORE}.ner.type.NamedEntity|value",
    "pos": f"{CORE}.lexmorph.type.pos.POS|PosValue",
    "chunk": f"{CORE}.syntax.type.chunk.Chunk|chunkValue",
    "lemma": f"{CORE}.segmentation.type.Lemma|value",
}
OF_SPANS = (ENTITY, "chunk")  # never labels of tokens, even where each token is a span
NOTES = "webanno"  # {layer: type and feature}, of a document that was read
NONE, VALUELESS = "_", "*"
KINDS = {"#T_CH=": "chains", "#T_RL=": "relations"}
ROW = re.compile(r"(\d+)-(\d+)(\.\d+)?\Z")
PLACE = re.compile(r"(\d+)-(\d+)\Z")
CELL = re.compile(r"((?:[^\\|\[]|\\.|\[(?!\d+\](?:\||\Z)))*)(?:\[(\d+)\])?(?:\||\Z)", re.DOTALL)
ESCAPED = {"\\": "\\", "[": "[", "]": "]", "|": "|", "_": "_", "->": "->", ";": ";", "\t": "t", "\n": "n"}
ESCAPED |= {"\r": "r", "*": "*"}
IN_TEXT = {key: ESCAPED[key] for key in ("\\", "\t", "\n", "\r")}
SIGNS = re.compile(r"\\(->|.)", re.DOTALL)
UNITS: tuple[Callable[[str], Any], ...] = (utf16_places, lambda text: np.arange(len(text) + 1))


@dataclass
class _Row:
    """A line of a token, or of a part of one."""

    line: int
    begin: int
    end: int
    word: str
    part: bool
    cells: list[str]


@dataclass
class _Sentence:
    line: int
    text: str | None = None
    rows: list[_Row] = field(default_factory=list)


class WebAnno(DocumentFormat):
    """Files of WebAnno and INCEpTION."""

    name = "webanno"
    title = "WebAnno TSV"
    folders = True

    @classmethod
    def read(cls, source: Any, encoding: str) -> Iterator[Record]:
        """Read a folder, or one file."""
        named = isinstance(source, (str, os.PathLike)) and source != "-"
        if not named or not Path(source).is_dir():
            name = Path(source).stem if named else ""
            yield _record(read_text(source, encoding=encoding), source_name(source), name)
            return
        files = sorted(Path(source).rglob("*.tsv"))
        if not files:
            raise CorpusError("the folder has no .tsv file", place=Place(path=str(source)))
        for one in files:
            name = one.relative_to(source).with_suffix("").as_posix()
            yield _record(read_text(one, encoding=encoding), str(one), name)

    @classmethod
    def write(cls, documents: Iterable[Document], target: Any, layer: str | None) -> None:
        """Write a folder of files; or one document to a file or stream."""
        listed = list(documents)
        single = not isinstance(target, (str, os.PathLike)) or target == "-" or Path(target).suffix == ".tsv"
        if single and len(listed) != 1:
            raise OptionError(
                f"WebAnno TSV has a file for each text, and {len(listed)} do not fit into one; name a folder"
            )
        names = file_names(listed)
        pieces = [
            (target if single else Path(target) / f"{name}.tsv", _rendered(one, layer))
            for name, one in zip(names, listed, strict=True)
        ]
        for file, data in pieces:
            if not single:
                try:
                    file.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    message = f"{file.parent!s:.200}: the folder cannot be made ({error.strerror or error})"
                    raise CorpusError(message, path=str(file)) from error
            with opened_target(file) as put:
                put(data)


FORMAT = WebAnno


# ------------------------------------------------------------------------------------------------ reading


def _record(text: str, path: str, name: str) -> Record:
    columns, sentences = _parsed(text, path)
    found = _placed(sentences, path)
    record = Record(found, Place(path=path), name=name)
    if any(sentence.rows for sentence in sentences):
        tokens = [[(row.begin, row.end) for row in one.rows if not row.part] for one in sentences]
        record.sentences = [some for some in tokens if some]
    layers: dict[str, tuple[str, list[tuple[int, int, str]]]] = {}
    for kind, features, first in columns:
        for key, title, spans in _layers(kind, features, first, sentences):
            unique = next(
                one for one in (key, title, *map(f"{title} {{}}".format, range(2, 99))) if one not in layers
            )
            layers[unique] = (title, spans)
    record.meta = {NOTES: {key: title for key, (title, _) in layers.items() if TYPES.get(key) != title}}
    record.meta = record.meta if record.meta[NOTES] else {}
    units = [pair for some in record.sentences or () for pair in some]
    for key, (_, spans) in layers.items():
        if key not in OF_SPANS and units and [one[:2] for one in spans] == units:
            record.labels[key] = [label for *_, label in spans]
        else:
            record.layers[key] = list(spans)
    main = ENTITY if ENTITY in record.layers else next(iter(record.layers), None)
    if main is not None:
        record.spans = record.layers.pop(main)
        if main != ENTITY:
            record.meta = {NOTES: {**record.meta.get(NOTES, {}), ENTITY: layers[main][0]}}
    return record


def _parsed(text: str, path: str) -> tuple[list[tuple[str, list[str], int]], list[_Sentence]]:
    """Return (type, features, first column) of the layers of spans, and the sentences."""
    columns: list[tuple[str, list[str], int]] = []
    sentences: list[_Sentence] = []
    width, new = 0, True
    for number, line in enumerate(text.split("\n"), 1):
        row, place = line.removesuffix("\r"), Place(path=path, line=number)
        if number == 1:
            if not row.startswith(HEADER):
                raise CorpusError(f"{HEADER}... is wanted in the first line, found {row!r:.60}", place=place)
        elif not row.strip(" "):
            new = True
        elif row.startswith(("#T_SP=", *KINDS)):
            kind, *features = row.partition("=")[2].split("|")
            if row[:6] in KINDS:
                told = f"{KINDS[row[:6]]} ({kind:.80}) are not read; spans and labels are"
                warnings.warn(f"{place}: {told}", CorpusWarning, stacklevel=2)
            else:
                columns.append((kind, features or [""], width))
            width += max(len(features), 1)
        elif not row.startswith("#") or row.startswith("#Text="):
            if new or (row.startswith("#") and sentences[-1].rows):
                sentences.append(_Sentence(number))
            new = False
            _add(sentences[-1], row, width, place)
    return columns, sentences


def _add(sentence: _Sentence, row: str, width: int, place: Place) -> None:
    """Add a line of text, or of a token, to a sentence."""
    if not row.startswith("#"):
        sentence.rows.append(_row(row, width, place))
        return
    said = _unescaped(row.removeprefix("#Text="))
    sentence.text = said if sentence.text is None else f"{sentence.text}\n{said}"


def _row(row: str, width: int, place: Place) -> _Row:
    cells = row.split("\t")
    number, where = ROW.match(cells[0]), PLACE.match(cells[1] if len(cells) > 1 else "")
    if number is None or where is None or len(cells) < 3:
        raise CorpusError(f"1-1<tab>BEGIN-END<tab>word is wanted, found {row!r:.80}", place=place)
    rest = cells[3 : 3 + width]
    if len(rest) < width:
        raise CorpusError(
            f"the head of the file names {width} columns behind the word, found {len(rest)}", place=place
        )
    begin, end = (int(one) if len(one) < 16 else -1 for one in where.groups())
    if not 0 <= begin < end:
        raise CorpusError(f"a place is BEGIN-END with BEGIN < END, found {cells[1]!r:.60}", place=place)
    return _Row(place.line or 0, begin, end, _unescaped(cells[2]), number[3] is not None, rest)


def _unescaped(text: str) -> str:
    blanks = {"t": "\t", "n": "\n", "r": "\r"}
    return SIGNS.sub(lambda found: blanks.get(found[1], found[1]), text) if "\\" in text else text


def _placed(sentences: list[_Sentence], path: str) -> str:
    """Return the whole text, and count the places of all lines in code points."""
    trouble: CorpusError | None = None
    for units in UNITS:
        try:
            text = _joined(sentences, units, path)
            _count(text, [row for one in sentences for row in one.rows], units(text), path)
        except CorpusError as error:
            trouble = trouble or error
        else:
            return text
    assert trouble is not None  # noqa: S101  (there are units)
    raise trouble


def _count(text: str, rows: list[_Row], at: npt.NDArray[np.int64], path: str) -> None:
    """Count the places of lines in code points; words that do not stand there are an error."""
    asked = np.array([(row.begin, row.end) for row in rows], dtype=np.int64).reshape(-1, 2)
    found = np.searchsorted(at, asked)
    known = (at[np.minimum(found, len(text))] == asked).all(axis=1)
    for row, (begin, end), there in zip(rows, found.tolist(), known.tolist(), strict=True):
        if not there or text[begin:end] != row.word:
            raise CorpusError(
                f"the word is {row.word!r:.40}, but the text has {text[begin:end]!r:.40} from {row.begin} to {row.end}",
                place=Place(path=path, line=row.line),
            )
    for row, (begin, end) in zip(rows, found.tolist(), strict=True):
        row.begin, row.end = begin, end


def _joined(sentences: list[_Sentence], units: Callable[[str], Any], path: str) -> str:
    """Put the sentences at their places; what stands between them is not in the file, and becomes line ends."""
    pieces: list[str] = []
    size = 0
    for one in sentences:
        text = one.text if one.text is not None else _of_words(one.rows, units)
        first = one.rows[0] if one.rows else None
        start = size if first is None else first.begin - int(units(text)[max(text.find(first.word), 0)])
        if start < size or start - size > len(text) + (1 << 20):
            raise CorpusError(
                f"the sentence begins at {start}, but the text before it ends at {size}; sentences come in order",
                place=Place(path=path, line=one.line),
            )
        pieces += ["\n" * (start - size), text]
        size = start + int(units(text)[-1])
    return "".join(pieces)


def _of_words(rows: list[_Row], units: Callable[[str], Any]) -> str:
    """Return the text of a sentence whose file has words only."""
    text, size = "", rows[0].begin
    for row in rows:
        if not row.part:
            text += " " * min(max(row.begin - size, 0), 1 << 16) + row.word
            size = max(row.begin, size) + int(units(row.word)[-1])
    return text


def _layers(
    kind: str, features: list[str], first: int, sentences: list[_Sentence]
) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    """Yield (name, type|feature, spans) of the features of a layer that have values."""
    short = kind.rsplit(".", 1)[-1]
    found = [(feature, _annotations(first + k, sentences)) for k, feature in enumerate(features)]
    valued = [(feature, some) for feature, some in found if any(label is not None for *_, label in some)]
    chosen = valued or [(feature, some) for feature, some in found if some][:1]
    for feature, some in chosen:
        title = f"{kind}|{feature}" if feature else kind
        usual = next((name for name, known in TYPES.items() if known == title), None)
        name = usual or (short if len(chosen) == 1 else f"{short}.{feature}")
        wanted = [
            (b, e, short if label is None else label)
            for b, e, label in some
            if label is not None or not valued
        ]
        yield name, title, wanted


def _annotations(column: int, sentences: list[_Sentence]) -> list[tuple[int, int, str | None]]:
    """Return the annotations of a column; lines with one number belong together."""
    found: dict[Any, tuple[int, int, str | None]] = {}
    for row in (row for one in sentences for row in one.rows):
        cell = row.cells[column]
        if cell in (NONE, ""):
            continue
        for k, part in enumerate(CELL.finditer(cell)):
            if part.start() == len(cell) and k:
                break
            label = None if part[1] == VALUELESS else _unescaped(part[1])
            key = part[2] or (row.line, k)
            begin, end, before = found.get(key, (row.begin, row.end, label))
            found[key] = (min(begin, row.begin), max(end, row.end), label if before is None else before)
    return list(found.values())


# ------------------------------------------------------------------------------------------------ writing


def _rendered(document: Document, layer: str | None) -> bytes:
    kinds: dict[str, dict[str, Layer]] = {}
    notes = document.meta.get(NOTES)
    chosen = [document.layer(layer)] if layer is not None else list(document.layers)
    for one in chosen:
        title = (notes.get(one.name) if isinstance(notes, dict) else None) or TYPES.get(one.name)
        kind, _, feature = str(title or f"webanno.custom.{_custom(one.name)}|value").partition("|")
        features = kinds.setdefault(kind, {})
        while feature in features:
            feature += "_"
        features[feature] = one
    lines = [f"{HEADER}.3\n"]
    lines += ["|".join((f"#T_SP={kind}", *filter(None, features))) + "\n" for kind, features in kinds.items()]
    rows = _Rows(document)
    for kind, features in kinds.items():
        rows.add(kind, features)
    lines += ["\n", *rows.lines()]
    try:
        return "".join(lines).encode()
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"UTF-8 cannot write {error.object[error.start]!r}, half of a pair, and WebAnno TSV has plain text; write "
            f"another format, such as 'prodigy'",
            place=Place(path=document.name or None),
        ) from None


def _custom(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"\W+", name)) or "Layer"


class _Rows:
    """The lines of a document: its tokens, and the parts of tokens that spans cut."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._begins, self._ends = document.begins.tolist(), document.ends.tolist()
        self._cells: list[
            dict[tuple[int, int], list[list[str]]]
        ] = []  # of each feature: {place: [(value, number)]}
        self._parts: dict[int, set[tuple[int, int]]] = {}  # {token: parts of it}
        self._number = 0

    def add(self, kind: str, features: dict[str, Layer]) -> None:
        """Add the columns of a layer; annotations with one place are one annotation with several features."""
        annotations: dict[tuple[int, int, int], dict[str, str]] = {}
        for feature, layer in features.items():
            count: dict[tuple[int, int], int] = {}
            for begin, end, label in self._spans(layer):
                k = count[begin, end] = count.get((begin, end), -1) + 1
                annotations.setdefault((begin, end, k), {})[feature] = label
        units = {key: list(self._units(*key[:2], kind)) for key in annotations}
        shared: dict[tuple[int, int], int] = {}
        for some in units.values():
            for unit in some:
                shared[unit] = shared.get(unit, 0) + 1
        columns: list[dict[tuple[int, int], list[list[str]]]] = [{} for _ in features]
        for key, values in annotations.items():
            some = units[key]
            mark = ""
            if len(some) > 1 or any(shared[unit] > 1 for unit in some):
                self._number += 1
                mark = f"[{self._number}]"
            for column, feature in zip(columns, features, strict=True):
                cell = _escaped(values[feature], ESCAPED) if feature in values else VALUELESS
                for unit in some:
                    column.setdefault(unit, []).append([cell or VALUELESS, mark])
        self._cells += columns

    def _spans(self, layer: Layer) -> Iterator[tuple[int, int, str]]:
        if layer.labels is not None and not layer.spans:
            if set(layer.labels) != {"O"}:  # tags without a span
                yield from zip(self._begins, self._ends, layer.labels, strict=True)
            return
        yield from ((one.begin, one.end, one.label) for one in layer.spans)

    def _units(self, begin: int, end: int, kind: str) -> Iterator[tuple[int, int]]:
        """Yield the tokens of a span, and the parts of those that it cuts."""
        first, last = bisect_right(self._ends, begin), bisect_left(self._begins, end)
        inside = [(max(begin, self._begins[t]), min(end, self._ends[t])) for t in range(first, last)]
        if not inside or (inside[0][0], inside[-1][1]) != (begin, end):
            what = "made shorter" if inside else "left out"
            words = self._document.text[begin:end]
            place = Place(path=self._document.name or None)
            warnings.warn(
                f"{place}{': ' if str(place) else ''}WebAnno TSV has spans of tokens: the span {begin} to {end} "
                f"({words!r:.40}) of {kind.rsplit('.', 1)[-1]} has blanks at its ends; it is {what}",
                CorpusWarning,
                stacklevel=2,
            )
        for t, unit in zip(range(first, last), inside, strict=True):
            if unit != (self._begins[t], self._ends[t]):
                self._parts.setdefault(t, set()).add(unit)
            yield unit

    def lines(self) -> Iterator[str]:
        """Yield the sentences; the blanks around one are part of its text, so that none are lost."""
        document, at = self._document, utf16_places(self._document.text)
        count, end = len(document.sentences), 0
        if not count:
            yield f"\n#Text={_escaped(document.text, IN_TEXT)}\n"
        for number, sentence in enumerate(document.sentences):
            begin, end = (
                end,
                document.sentences[number + 1].begin if number + 1 < count else len(document.text),
            )
            yield f"\n#Text={_escaped(document.text[begin:end], IN_TEXT)}\n"
            for position, t in enumerate(range(sentence.first, sentence.last), 1):
                whole = (self._begins[t], self._ends[t])
                yield self._line(f"{number + 1}-{position}", whole, at)
                for k, part in enumerate(sorted(self._parts.get(t, ())), 1):
                    yield self._line(f"{number + 1}-{position}.{k}", part, at)

    def _line(self, name: str, unit: tuple[int, int], at: Any) -> str:
        cells = ("|".join(map("".join, column.get(unit, ()))) or NONE for column in self._cells)
        word = _escaped(self._document.text[unit[0] : unit[1]], IN_TEXT)
        return "\t".join((name, f"{at[unit[0]]}-{at[unit[1]]}", word, *cells)) + "\t\n"


def _escaped(text: str, signs: dict[str, str]) -> str:
    for sign, written in signs.items():  # the backslash first
        text = text.replace(sign, f"\\{written}")
    return text
