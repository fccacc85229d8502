"""JSON lines: one sentence per line, in one of four shapes.

columns   {"tokens": ["the", "dog"], "pos": ["DT", "NN"], "id": 7}      lists of equal length; the rest is kept
rows      [["the", "DT"], ["dog", "NN"]]
words     ["the", "dog"]
tokens    [{"word": "the", "pos": "DT", "start": 0}, ...]                strings; the rest is kept

null is a missing value; null instead of a list of labels means that all of them are missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seqlab.corpus.columns import WORD_COLUMNS, checked, usual
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import (
    SENTENCE_LINE,
    Columns,
    Format,
    Options,
    pieces,
    shown,
)
from seqlab.corpus.formats.lines import Cells, LineReader, Parsed
from seqlab.corpus.origin import Extras, Layout
from seqlab.errors import CorpusError

DOCUMENT_BEGINS = ("{", "[", "[{")  # the first line of JSON that spans many lines
STYLE_LINES = 100  # lines inspected to detect the separators between values
STYLES = ((False, ", "), (False, ","), (True, ", "), (True, ","))  # ensure_ascii, separator


class Jsonl(Format):
    """Sentences in JSON; the shape is detected from the first line."""

    name = "jsonl"
    title = "JSON lines"
    suffixes = (".jsonl", ".json", ".ndjson")
    line_is_sentence = True
    weight = 50
    sign = re.compile(r"\A\s*[\[{]")
    longest_line = SENTENCE_LINE
    holds_missing = True

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:  # noqa: ARG003
        """Return True if the first line is JSON, or begins a document on many lines."""
        if lines[0].strip() in DOCUMENT_BEGINS and len(lines) > 1:
            return lines[1].lstrip()[:1] in {"{", "[", '"'}
        try:
            json.loads(lines[0])
        except ValueError:
            return False
        return True

    def __init__(self, options: Options) -> None:
        super().__init__(options, LineReader(self._parse))
        self._shape: Shape | None = None
        self._styles = list(STYLES)

    def _parse(self, text: str) -> Parsed:
        try:
            value = _loaded(text, first=self._shape is None)
            if self._shape is None:
                self._shape = shape_of(value, self.options.columns)
                self.names = self._shape.names
            self._settle(value, text)
            return cells_of(value, self._shape)
        except CorpusError as error:
            hint = (
                "every line must be one sentence: an object of lists, or a list of strings, pairs or objects"
            )
            raise CorpusError(f"{error.message}; {hint}") from None

    def _settle(self, value: Any, text: str) -> None:
        """Keep the styles that would reproduce the line; not every line distinguishes all of them."""
        spacing = len({separator for _, separator in self._styles}) > 1 and self.reader.lines <= STYLE_LINES
        escapes = not text.isascii() or "\\u" in text
        if len(self._styles) > 1 and (spacing or escapes):
            same = [(a, s) for a, s in self._styles if _dumped(value, ascii_only=a, separator=s) == text]
            self._styles = same or self._styles

    def _layout(self) -> Layout:
        ascii_only, separator = self._styles[0]
        shape = self._shape or Shape("columns", ())
        layout = super()._layout()
        return replace(layout, separator=separator, escaped=ascii_only, shape=shape.kind, keys=shape.keys)

    @classmethod
    def fresh_layout(cls, newline: str) -> Layout:
        """Make the layout of a file for a corpus of another format."""
        return Layout(format=cls.name, newline=newline, separator=", ")

    @classmethod
    def meta(cls, lines: Sequence[tuple[int, str]], layout: Layout) -> dict[str, Any]:
        """Read the fields that are not columns."""
        keys = {key for _, key in layout.keys}
        objects = (json.loads(line) for position, line in lines if position == 0 and line)
        return {key: value for fields in objects for key, value in fields.items() if key not in keys}

    @classmethod
    def has_place(cls, label: str | None) -> bool:  # noqa: ARG003
        """Return True: any column can be added."""
        return True

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write the shape that was read, otherwise an object of lists."""
        names = dict(layout.keys)
        keys = tuple((name, names.get(name, name)) for name in corpus.columns)
        kind = "rows" if layout.shape == "words" and len(keys) > 1 else layout.shape or "columns"
        extras = corpus.extras if corpus.layout.format == cls.name else Extras.none()
        for begin, end in pieces(corpus):
            lines: list[str] = []
            for i in range(begin, end + (end == len(corpus))):
                around = extras.of(i) if len(extras) else []
                lines += [line for _, line in around if line is not None and not line.strip()]
                if i < len(corpus):
                    rest = {p: json.loads(line) for p, line in around if line and line.strip()}
                    values = (corpus[i][name] for name in corpus.columns)
                    cells = [v.tolist() if isinstance(v, np.ndarray) else v for v in values]
                    value = value_of(cells, rest, Shape(kind, keys))
                    lines.append(_dumped(value, ascii_only=layout.escaped, separator=layout.separator))
            text = "".join(line + layout.newline for line in lines)
            yield text.encode("utf-8", "backslashreplace")  # halves of surrogate pairs, which JSON can escape


FORMAT = Jsonl


def _loaded(text: str, *, first: bool) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        many = first and text.strip() in DOCUMENT_BEGINS
        hint = "; one document on many lines becomes one sentence a line with `jq -c '.[]'`" if many else ""
        where = f"at column {error.colno} of {shown(text.encode())}"
        raise CorpusError(f"not JSON: {error.msg} {where}{hint}") from None
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"not JSON that can be read: {error}") from None


def _dumped(value: Any, *, ascii_only: bool, separator: str) -> str:
    """Write JSON on one line."""
    return json.dumps(value, ensure_ascii=ascii_only, separators=(separator, ":" + separator[1:]))


# ---------------------------------------------------------------------------------------------- shapes

# Names in other tools for our columns word, label, pos, chunk and entity.
_CALLED = {
    "word": ("tokens", "words", "form", "forms", "text"),
    "label": ("tags", "labels"),
    "pos": ("pos_tags",),
    "chunk": ("chunk_tags", "chunks"),
    "entity": ("ner_tags", "ner", "entities"),
}
OTHER_NAMES = {other: name for name, others in _CALLED.items() for other in others}
WORDS = ("word", *_CALLED["word"])
LABELS = frozenset({*OTHER_NAMES, *_CALLED} - {*WORDS})


@dataclass(frozen=True)
class Shape:
    """Shape in which every sentence of a file is written.

    kind    columns, rows, words or tokens
    keys    (column, key in the file); for rows the keys are numbers
    """

    kind: str
    keys: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(name for name, _ in self.keys)


def shape_of(value: Any, columns: Columns) -> Shape:
    """Find the shape of the first sentence."""
    if isinstance(value, Mapping):
        strings = [key for key, found in value.items() if _may_be_column(key, found)]
        words = next((key for key in WORDS if key in strings), strings[0] if strings else "")
        # Lists as long as that of the words are columns.
        size = len(value[words] or ()) if strings else 0
        found = [key for key in strings if value[key] is None or len(value[key]) == size]
        return Shape("columns", _keys(value, columns, found))
    if not isinstance(value, list) or not value:
        raise CorpusError(f"an object of lists or a list of tokens was wanted, got {value!r:.60}")
    first = value[0]
    if _is_sentence(first):
        raise CorpusError(
            f"a list of sentences, the first of them {first!r:.60}; `jq -c '.[]'` writes every one on a line of its own"
        )
    if isinstance(first, Mapping):
        found = [k for k, v in first.items() if isinstance(v, str) or (v is None and k in LABELS)]
        return Shape("tokens", _keys(first, columns, found))
    width = 1 if isinstance(first, str) else len(first) if isinstance(first, list) else 0
    names: tuple[str, ...] = ()
    if columns is not None:
        names = checked(columns)
    elif width:
        last = [row[-1] for row in value if isinstance(row, list) and row]
        names = usual(width, {cell for cell in last if isinstance(cell, str)})
    if not width or len(names) != width:
        wanted = f"{len(names)} values for {', '.join(names)}" if names else "a string, a list or an object"
        raise CorpusError(f"a token is {first!r:.60}, but {wanted} was wanted")
    keys = tuple((name, str(i)) for i, name in enumerate(names))
    return Shape("words" if isinstance(first, str) else "rows", keys)


def _may_be_column(key: str, found: Any) -> bool:
    """Return True for a list of strings or nulls; null or a list of nulls only under a usual name of labels."""
    cells = [] if found is None else found
    if not isinstance(cells, list) or not all(cell is None or isinstance(cell, str) for cell in cells):
        return False
    if found == [] or any(cell is not None for cell in cells):
        return True
    return key in LABELS


def _is_sentence(value: Any) -> bool:
    """Return True if a whole sentence is found in place of a token."""
    if isinstance(value, Mapping):
        return any(isinstance(value.get(key), list) for key in WORDS)
    return isinstance(value, list) and bool(value) and isinstance(value[0], (list, Mapping))


def _keys(value: Mapping[str, Any], columns: Columns, found: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pair the columns with keys of the file: by default those `found`."""
    there = ", ".join(map(repr, value))
    if columns is None:
        if not found:
            raise CorpusError(f"no list of strings among the fields {there or '(none)'}")
        names = [OTHER_NAMES.get(key, key) for key in found]
        pairs = zip(found, names, strict=True)
        return tuple((key if names.count(name) > 1 else name, key) for key, name in pairs)
    if isinstance(columns, Mapping):
        return tuple((name, str(key)) for name, key in columns.items())
    known = {OTHER_NAMES.get(key, key): key for key in value} | {key: key for key in value}
    for name in checked(columns):
        if name not in known:
            raise CorpusError(f"no field {name!r} among {there}")
    return tuple((name, known[name]) for name in columns)


# ---------------------------------------------------------------------------------------------- one sentence in


def cells_of(value: Any, shape: Shape) -> Parsed:
    """Find the cells of a sentence by column, and its other fields."""
    if shape.kind == "columns":
        return _of_columns(value, shape)
    if not isinstance(value, list):
        raise CorpusError(f"a list of tokens was wanted as in the first line, got {value!r:.60}")
    if shape.kind == "words":
        return [[_string(word, t, shape.names[0]) for t, word in enumerate(value)]], []
    if shape.kind == "tokens":
        return _of_tokens(value, shape)
    width = len(shape.keys)
    for t, row in enumerate(value):
        if not isinstance(row, list) or len(row) != width:
            message = f"token {t} is {row!r:.60}, but {width} values were wanted as in the first line"
            raise CorpusError(message)
    rows = [[_string(row[c], t, name) for t, row in enumerate(value)] for c, name in enumerate(shape.names)]
    return rows, []


def _of_columns(value: Any, shape: Shape) -> Parsed:
    if not isinstance(value, Mapping):
        raise CorpusError(f"an object was wanted as in the first line, got {value!r:.60}")
    cells: Cells = []
    size = next((len(value[key]) for _, key in shape.keys if isinstance(value.get(key), list)), 0)
    unknown = [
        key for name, key in shape.keys if key in value and value[key] is None and name not in WORD_COLUMNS
    ]
    for name, key in shape.keys:
        column = [None] * size if key in unknown else value.get(key)
        if not isinstance(column, list):
            raise CorpusError(f"field {key!r} must be a list as in the first line, got {column!r:.60}")
        cells.append([_string(cell, t, name, key) for t, cell in enumerate(column)])
        if len(column) != len(cells[0]):
            first = shape.keys[0][1]
            raise CorpusError(
                f"field {first!r} has {len(cells[0])} tokens, but field {key!r} (column {name!r}) has {len(column)}; "
                f"mend the line, or pass columns=... with the fields that have one value per token"
            )
    return cells, _rest(value, shape, 0, unknown)


def _of_tokens(value: Sequence[Any], shape: Shape) -> Parsed:
    cells: Cells = [[] for _ in shape.keys]
    rest: list[tuple[int, str]] = []
    for t, token in enumerate(value):
        for column, (name, key) in zip(cells, shape.keys, strict=True):
            if not isinstance(token, Mapping) or key not in token:
                raise CorpusError(f"token {t} is {token!r:.60}, but an object with {key!r} was wanted")
            column.append(_string(token[key], t, name, key))
        rest += _rest(token, shape, t)
    return cells, rest


NO_LIST = False  # stands for a column that was null instead of a list


def _rest(
    value: Mapping[str, Any], shape: Shape, position: int, unknown: Sequence[str] = ()
) -> list[tuple[int, str]]:
    """Return the fields of an object that are not columns, as JSON; columns are null there, to keep their order."""
    columns = {key for _, key in shape.keys}
    if not unknown and all(key in columns for key in value):
        return []
    kept = {key: None if key in columns else field for key, field in value.items()}
    return [(position, json.dumps({**kept, **dict.fromkeys(unknown, NO_LIST)}))]


def _string(cell: Any, position: int, name: str, key: str | None = None) -> str | None:
    if cell is None and name not in WORD_COLUMNS:
        return None
    if isinstance(cell, str):
        # JSON can represent lone surrogates, but UTF-8 cannot.
        if cell.isascii() or not any("\ud800" <= c <= "\udfff" for c in cell):
            return cell
        raise CorpusError(f"token {position} is {cell!r:.60}, which UTF-8 cannot write")
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return str(cell)
    where = f"field {key!r}, token {position}" if key else f"token {position}"
    raise CorpusError(f"{where} is {cell!r:.60}, but a string was wanted")


# ---------------------------------------------------------------------------------------------- one sentence out


def value_of(cells: Sequence[Sequence[Any]], rest: Mapping[int, Any], shape: Shape) -> Any:
    """Make the JSON value of a sentence from its cells by column, and its other fields."""
    keys = [key for _, key in shape.keys]
    if shape.kind == "columns":
        kept = rest.get(0, {})
        lists = dict(zip(keys, cells, strict=True))
        nulls = {
            key for key in keys if kept.get(key) is NO_LIST and not any(c is not None for c in lists[key])
        }
        return {**kept, **{key: None if key in nulls else cells for key, cells in lists.items()}}
    if shape.kind == "words":
        return list(cells[0])
    rows = zip(*cells, strict=True)
    if shape.kind == "rows":
        return [list(row) for row in rows]
    return [{**rest.get(t, {}), **dict(zip(keys, row, strict=True))} for t, row in enumerate(rows)]
