"""Lexicons, and columns that are computed from the sentence instead of read from the file.

A lexicon's file has one entry per line, or entry TAB class. An entry of several tokens has blanks between them.
`in(lower(word[0]), cities)` looks one token up, `gazetteer(word[0], cities)` several.

Names of computed columns begin with "@":

@position          place of the token from 0: 0 to 4, 5-9, 10-19, 20-49, 50+
@from_end          the same from the end; 0 is the last token
@sentence_length   number of tokens, in the same steps
@first, @last      "yes" at the first / last token, absent elsewhere
@gazetteer(cities,word), @gazetteer(cities,lower(word))
                   B or I (B-class, I-class) inside an entry of the lexicon, found by longest match
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from seqlab.errors import Place, StoreError, TemplateError
from seqlab.features.functions import FOLDS, bucket
from seqlab.files import checked_name
from seqlab.shown import Brief
from seqlab.store.fields import Field, Sizes
from seqlab.store.state import State, string_arrays

NAME = re.compile(r"[^\W\d]\w*")  # syntax of names in the language
YES = "yes"  # the class of an entry that has none


@dataclass(frozen=True, repr=False)
class Lexicon(Brief):
    """Entries and their classes. Lexicons are equal if name and entries are; the path does not count.

    entries   entry -> class; "yes" when the file gives no class, "LOC,PER" when it gives two
    path      the file, or None when the entries were given in memory
    """

    name: str
    entries: Mapping[str, str]
    path: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise TemplateError(f"a lexicon's name must be a word like 'cities', got {self.name!r}")
        for entry, kind in self.entries.items():
            if not (isinstance(entry, str) and isinstance(kind, str) and entry and kind):
                raise TemplateError(
                    f"lexicon {self.name!r}: an entry and its class must be text, got {entry!r}: {kind!r}"
                )

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.entries.items())))

    def __len__(self) -> int:
        return len(self.entries)

    @classmethod
    def of(cls, name: str, entries: Iterable[str] | Mapping[str, str]) -> Lexicon:
        """Make a lexicon of that name from a list of entries, or from a dict entry -> class."""
        if isinstance(entries, (str, bytes)) or not isinstance(entries, Iterable):
            raise TemplateError(f"lexicon {name!r}: a list of entries is wanted, got {entries!r:.80}")
        return cls(name, dict(entries) if isinstance(entries, Mapping) else dict.fromkeys(entries, YES))

    @classmethod
    def read(cls, name: str, path: str | PathLike[str]) -> Lexicon:
        """Read the file at path, in UTF-8, as the lexicon of that name."""
        try:
            content = Path(checked_name(path)).read_bytes()
        except OSError as error:
            raise TemplateError(f"lexicon {name!r}: cannot read {str(path)!r}: {error.strerror}") from error
        except ValueError as error:  # the name has a NUL or a lone surrogate
            raise TemplateError(f"lexicon {name!r}: cannot read {str(path)!r}: {error}") from error
        entries: dict[str, str] = {}
        for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
            entry, kind = _entry(raw.removesuffix(b"\r"), Place(path=str(path), line=number))
            if not entry:
                continue
            known = entries.get(entry, kind).split(",")
            entries[entry] = ",".join(known if kind in known else [*known, kind])
        return cls(name, entries, str(path))

    def table(self, fold: str | None = None) -> Mapping[str, str]:
        """Map entry to class; with `fold` ("lower", "upper") entries in that case, the first duplicate counts."""
        return self.entries if fold is None else self._folded[fold]

    def phrases(self, fold: str | None = None) -> Mapping[tuple[str, ...], str]:
        """Map the tokens of an entry, folded by `fold`, to its class."""
        return self._phrases[fold]

    @cached_property
    def _folded(self) -> dict[str, dict[str, str]]:
        tables: dict[str, dict[str, str]] = {name: {} for name in FOLDS}
        for name, fold in FOLDS.items():
            for entry, kind in self.entries.items():
                tables[name].setdefault(fold(entry), kind)
        return tables

    @cached_property
    def _phrases(self) -> dict[str | None, dict[tuple[str, ...], str]]:
        return {
            fold: {tuple(filter(None, entry.split(" "))): kind for entry, kind in self.table(fold).items()}
            for fold in (None, *FOLDS)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for a model file."""
        return {"name": self.name, "path": self.path, "entries": dict(self.entries)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Lexicon:
        """Make a lexicon from data, the result of `to_dict`."""
        return cls(data["name"], dict(data["entries"]), data["path"])


def _entry(raw: bytes, place: Place) -> tuple[str, str]:
    """Read entry and class of one line; ("", ...) for a blank line."""
    try:
        line = raw.decode()
    except UnicodeDecodeError as error:
        raise TemplateError(
            f"not UTF-8: {error.reason} at byte {error.start} in {raw!r:.80}", place=place
        ) from error
    cells = line.split("\t")
    if not line.strip():
        return "", YES
    if len(cells) > 2 or not all(cell.strip() for cell in cells):
        raise TemplateError(
            f"'entry' or 'entry TAB class' expected, found {len(cells)} columns in {line!r:.80}", place=place
        )
    return cells[0].strip(), cells[1].strip() if len(cells) == 2 else YES


def longest_matches(tokens: Sequence[str], phrases: Mapping[tuple[str, ...], str]) -> list[str | None]:
    """Find B, I or None for every token (B-class, I-class where there is a class).

    From left to right, the longest entry that begins here is taken, and the search goes on behind it.
    """
    found: list[str | None] = [None] * len(tokens)
    longest = max(map(len, phrases), default=0)
    t = 0
    while t < len(tokens):
        for size in range(min(longest, len(tokens) - t), 0, -1):
            kind = phrases.get(tuple(tokens[t : t + size]))
            if kind is not None:
                tail = "" if kind == YES else f"-{kind}"
                found[t : t + size] = [f"B{tail}", *[f"I{tail}"] * (size - 1)]
                break
        else:
            size = 1
        t += size
    return found


class StoredLexicons(Field):
    """Stored lexicons by name: their entries as arrays, their paths as a setting."""

    def put(self, state: State, name: str, value: Mapping[str, Lexicon]) -> None:
        """Write the lexicons."""
        state.settings[name] = {one: lexicon.path for one, lexicon in value.items()}
        for one, lexicon in value.items():
            state.arrays |= string_arrays(f"lexicon.{one}.entries", lexicon.entries.keys())
            state.arrays |= string_arrays(f"lexicon.{one}.classes", lexicon.entries.values())

    def get(self, state: State, name: str, sizes: Sizes) -> dict[str, Lexicon]:  # noqa: ARG002
        """Read the lexicons."""
        return {one: self._lexicon(state, one, path) for one, path in state.setting(name, dict).items()}

    def _lexicon(self, state: State, name: str, path: Any) -> Lexicon:
        entries = state.strings(f"lexicon.{name}.entries")
        classes = state.strings(f"lexicon.{name}.classes")
        if len(entries) != len(classes) or len(set(entries)) != len(entries):
            raise StoreError(f"the lexicon {name!r:.80} should have as many classes as different entries")
        if not (path is None or isinstance(path, str)):
            raise StoreError(f"the lexicon {name!r:.80} should have a path, found {path!r:.80}")
        return Lexicon(name, dict(zip(entries, classes, strict=True)), path)


@dataclass(frozen=True, slots=True, repr=False)
class Gazetteer(Brief):
    """A gazetteer column: its lexicon, its source column, and the case of the comparison (None, "lower", "upper")."""

    lexicon: str
    column: str
    fold: str | None = None

    @staticmethod
    def named(column: str) -> Gazetteer:
        """Make the gazetteer of this name."""
        lexicon, _, read = column.removeprefix("@gazetteer(").removesuffix(")").partition(",")
        for fold in FOLDS:
            if read.startswith(f"{fold}(") and read.endswith(")"):
                return Gazetteer(lexicon, read.removeprefix(f"{fold}(").removesuffix(")"), fold)
        return Gazetteer(lexicon, read)

    @property
    def name(self) -> str:
        """The column's name."""
        read = self.column if self.fold is None else f"{self.fold}({self.column})"
        return f"@gazetteer({self.lexicon},{read})"

    def values(self, tokens: Sequence[str | None], lexicons: Mapping[str, Lexicon]) -> list[str | None]:
        """Compute the column from the values of `self.column`; missing values match no entry."""
        there = [NO_ENTRY if token is None else token for token in tokens]
        folded = there if self.fold is None else [FOLDS[self.fold](token) for token in there]
        return longest_matches(folded, lexicons[self.lexicon].phrases(self.fold))


NO_ENTRY = "\0"  # no lexicon contains it: files and templates reject it
PLAIN = ("position", "from_end", "sentence_length", "first", "last")
EDGES = ("@first", "@last")


def gazetteer_of(column: str) -> Gazetteer | None:
    """Find the gazetteer of a column's name, if it is one."""
    if not column.startswith("@gazetteer("):
        return None
    return Gazetteer.named(column)


def plain_column(name: str, length: int) -> list[str | None]:
    """Compute a column that depends only on the sentence's length; `name` begins with "@"."""
    places = range(length)
    match name:
        case "@position":
            return [bucket(t) for t in places]
        case "@from_end":
            return [bucket(length - 1 - t) for t in places]
        case "@sentence_length":
            return [bucket(length)] * length
        case "@first":
            return ["yes" if t == 0 else None for t in places]
        case "@last":
            return ["yes" if t == length - 1 else None for t in places]
    raise KeyError(name)
