"""The shapes a sentence has in JSON lines, in and out.

columns   {"tokens": ["the", "dog"], "pos": ["DT", "NN"], "id": 7}      lists of equal length; the rest is kept
rows      [["the", "DT"], ["dog", "NN"]]
words     ["the", "dog"]
tokens    [{"word": "the", "pos": "DT", "start": 0}, ...]                strings; the rest is kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqlab.corpus.names import checked, usual

# What other tools call the columns that we call word, label, pos, chunk and entity.
OTHER_NAMES = {
    "tokens": "word",
    "words": "word",
    "form": "word",
    "forms": "word",
    "text": "word",
    "tags": "label",
    "labels": "label",
    "pos_tags": "pos",
    "chunk_tags": "chunk",
    "chunks": "chunk",
    "ner_tags": "entity",
    "ner": "entity",
    "entities": "entity",
}
WORDS = ("word", "tokens", "words", "form", "forms", "text")


class ShapeTroubleError(Exception):
    """What is wrong with a sentence, without the place."""


@dataclass(frozen=True)
class Shape:
    """How every sentence of a file is written.

    kind    columns, rows, words or tokens
    keys    (column, key in the file); for rows the keys are numbers
    """

    kind: str
    keys: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(name for name, _ in self.keys)


Sentence = tuple[list[list[str]], list[tuple[int, Any]]]  # cells by column; what else there was, by position


def shape_of(value: Any, columns: Sequence[str] | Mapping[str, Any] | None) -> Shape:
    """The shape that the first sentence has."""
    if isinstance(value, Mapping):
        return Shape("columns", _keys(value, columns, _list_keys(value)))
    if not isinstance(value, list) or not value:
        raise ShapeTroubleError(f"an object of lists or a list of tokens was wanted, got {value!r:.60}")
    first = value[0]
    if _is_sentence(first):
        raise ShapeTroubleError(
            f"a list of sentences, the first of them {first!r:.60}; `jq -c '.[]'` writes every one on a line of its own"
        )
    if isinstance(first, Mapping):
        return Shape("tokens", _keys(first, columns, [k for k, v in first.items() if isinstance(v, str)]))
    kind, width = (
        ("words", 1) if isinstance(first, str) else ("rows", len(first) if isinstance(first, list) else 0)
    )
    names = checked(columns) if columns is not None else usual(width, _last_cells(value)) if width else ()
    if not width or len(names) != width:
        wanted = f"{len(names)} values for {', '.join(names)}" if names else "a string, a list or an object"
        raise ShapeTroubleError(f"a token is {first!r:.60}, but {wanted} was wanted")
    return Shape(kind, tuple((name, str(i)) for i, name in enumerate(names)))


def _is_sentence(value: Any) -> bool:
    """A whole sentence where a token should be."""
    if isinstance(value, Mapping):
        return any(isinstance(value.get(key), list) for key in WORDS)
    return isinstance(value, list) and bool(value) and isinstance(value[0], (list, Mapping))


def _last_cells(rows: Sequence[Any]) -> set[str]:
    return {row[-1] for row in rows if isinstance(row, list) and row and isinstance(row[-1], str)}


def _list_keys(value: Mapping[str, Any]) -> list[str]:
    """Keys whose lists are columns: lists of strings as long as the words."""
    lists = [k for k, v in value.items() if isinstance(v, list) and all(isinstance(cell, str) for cell in v)]
    words = next((key for key in WORDS if key in lists), lists[0] if lists else None)
    return [key for key in lists if len(value[key]) == len(value[str(words)])]


def _keys(
    value: Mapping[str, Any], columns: Sequence[str] | Mapping[str, Any] | None, found: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    if columns is None:
        if not found:
            raise ShapeTroubleError(
                f"no list of strings among the fields {', '.join(map(repr, value)) or '(none)'}"
            )
        names = [OTHER_NAMES.get(key, key) for key in found]
        plain = [key if names.count(name) > 1 else name for key, name in zip(found, names, strict=True)]
        return tuple(zip(plain, found, strict=True))
    if isinstance(columns, Mapping):
        return tuple((name, str(key)) for name, key in columns.items())
    there = {OTHER_NAMES.get(key, key): key for key in value} | {key: key for key in value}
    missing = next((name for name in checked(columns) if name not in there), None)
    if missing is not None:
        raise ShapeTroubleError(f"no field {missing!r} among {', '.join(map(repr, value))}")
    return tuple((name, there[name]) for name in columns)


# ---------------------------------------------------------------------------------------------- one sentence in


def cells_of(value: Any, shape: Shape) -> Sentence:
    """The cells of a sentence by column, and what else it held."""
    if shape.kind == "columns":
        return _of_columns(value, shape)
    if not isinstance(value, list):
        raise ShapeTroubleError(f"a list of tokens was wanted as in the first line, got {value!r:.60}")
    if shape.kind == "words":
        return [[_string(word, t) for t, word in enumerate(value)]], []
    if shape.kind == "rows":
        return _of_rows(value, shape), []
    return _of_tokens(value, shape)


def _of_columns(value: Any, shape: Shape) -> Sentence:
    if not isinstance(value, Mapping):
        raise ShapeTroubleError(f"an object was wanted as in the first line, got {value!r:.60}")
    cells: list[list[str]] = []
    for name, key in shape.keys:
        column = value.get(key)
        if not isinstance(column, list):
            raise ShapeTroubleError(f"field {key!r} must be a list as in the first line, got {column!r:.60}")
        cells.append([_string(cell, t, key) for t, cell in enumerate(column)])
        if len(column) != len(cells[0]):
            first = shape.keys[0][1]
            raise ShapeTroubleError(
                f"field {first!r} has {len(cells[0])} tokens, but field {key!r} (column {name!r}) has {len(column)}; "
                f"mend the line, or pass columns=... with the fields that have one value per token"
            )
    return cells, _rest(value, shape, 0)


def _of_rows(value: Sequence[Any], shape: Shape) -> list[list[str]]:
    width = len(shape.keys)
    for t, row in enumerate(value):
        if not isinstance(row, list) or len(row) != width:
            raise ShapeTroubleError(
                f"token {t} is {row!r:.60}, but {width} values were wanted as in the first line"
            )
    return [[_string(row[c], t) for t, row in enumerate(value)] for c in range(width)]


def _of_tokens(value: Sequence[Any], shape: Shape) -> Sentence:
    cells: list[list[str]] = [[] for _ in shape.keys]
    rest: list[tuple[int, Any]] = []
    for t, token in enumerate(value):
        for column, (_, key) in zip(cells, shape.keys, strict=True):
            if not isinstance(token, Mapping) or key not in token:
                raise ShapeTroubleError(f"token {t} is {token!r:.60}, but an object with {key!r} was wanted")
            column.append(_string(token[key], t, key))
        rest += _rest(token, shape, t)
    return cells, rest


def _rest(value: Mapping[str, Any], shape: Shape, position: int) -> list[tuple[int, Any]]:
    """The fields that are no columns, with the places of those that are."""
    columns = {key for _, key in shape.keys}
    if all(key in columns for key in value):
        return []
    return [(position, {key: None if key in columns else field for key, field in value.items()})]


def _string(cell: Any, position: int, key: str | None = None) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return str(cell)
    where = f"field {key!r}, token {position}" if key else f"token {position}"
    raise ShapeTroubleError(f"{where} is {cell!r:.60}, but a string was wanted")


# ---------------------------------------------------------------------------------------------- one sentence out


def value_of(cells: Sequence[Sequence[Any]], rest: Mapping[int, Any], shape: Shape) -> Any:
    """The other way round."""
    keys = [key for _, key in shape.keys]
    if shape.kind == "columns":
        fields = dict(zip(keys, cells, strict=True))
        return {**rest.get(0, {}), **fields}
    if shape.kind == "words":
        return list(cells[0])
    if shape.kind == "rows":
        return [list(row) for row in zip(*cells, strict=True)]
    rows = zip(*cells, strict=True)
    return [{**rest.get(t, {}), **dict(zip(keys, row, strict=True))} for t, row in enumerate(rows)]
