"""The interface of a format of texts with places, JSON records, and the detection of the format."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from seqlab.corpus.io.writer import opened_target
from seqlab.errors import CorpusError, Place, SeqlabError
from seqlab.text import formats
from seqlab.text.document import Document
from seqlab.text.files import read_text

ENTITY = "entity"  # the layer of spans that a file does not name
LOOKED_AT = 1 << 16  # bytes, to detect the format
PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
NAME = "name"  # the field of a record that has the name of the document


@dataclass
class Record:
    """A text of a file, as it is written there.

    place       of the text in the file
    spans       (begin, end, label), perhaps with text and probability
    sentences   places of its tokens, a list for each sentence; None where the file has no tokens
    labels      {layer: a label for each token}
    rejected    True if annotators refused or skipped it
    layers      {layer: its spans}, of further layers
    """

    text: str
    place: Place
    spans: list[tuple[Any, ...]] = field(default_factory=list)
    sentences: list[list[tuple[int, int]]] | None = None
    labels: dict[str, list[str]] = field(default_factory=dict)
    name: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    rejected: bool = False
    layers: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)


class DocumentFormat:
    """A format of texts with places.

    name       its name in options
    title      its name in messages
    folders    True if a folder of files is one corpus
    """

    name: ClassVar[str]
    title: ClassVar[str]
    folders: ClassVar[bool] = False

    @classmethod
    def is_like(cls, record: Mapping[str, Any]) -> bool:  # noqa: ARG003
        """Tell whether the first JSON object of a file is of this format."""
        return False

    @classmethod
    def read(cls, source: Any, encoding: str) -> Iterator[Record]:
        """Read the texts of a file."""
        for value, place in json_records(source, encoding):
            try:
                yield cls.record(value, place)
            except SeqlabError as error:
                raise error.at(**_file(place, error.place)) from error.__cause__

    @classmethod
    def record(cls, value: Mapping[str, Any], place: Place) -> Record:
        """Read a JSON object."""
        raise NotImplementedError

    @classmethod
    def write(cls, documents: Iterable[Document], target: Any, layer: str | None) -> None:
        """Write documents to a target, with the spans of a layer; None: of the last that has spans."""
        with opened_target(target) as put:
            for piece in cls.render(documents, layer):
                put(piece)

    @classmethod
    def render(cls, documents: Iterable[Document], layer: str | None) -> Iterator[bytes]:
        """Yield the parts of the file: a JSON object a line."""
        for document in documents:
            yield dumped(cls.value(document, layer)) + b"\n"

    @classmethod
    def value(cls, document: Document, layer: str | None) -> dict[str, Any]:
        """Return the JSON object of a document."""
        raise NotImplementedError


def spans_in(document: Document, layer: str | None) -> tuple[Any, ...]:
    """Return the spans to write: of the named layer, else of the last layer that has spans."""
    if layer is not None:
        return document.layer(layer).spans
    return next((one.spans for one in reversed(document.layers) if one.spans), ())


# ---------------------------------------------------------------------------------------------- JSON


def json_records(source: Any, encoding: str) -> Iterator[tuple[dict[str, Any], Place]]:
    """Read the objects of a file: one a line, or one list of all."""
    text, name = read_text(source, encoding=encoding), source_name(source)
    if not text.strip():
        return
    if text.lstrip()[:1] == "[" or not _is_json(text.lstrip().partition("\n")[0]):
        found = _loaded(text, Place(path=name, line=1))
        listed = found if isinstance(found, list) else [found]
        pairs = ((one, Place(number, path=name, unit="record")) for number, one in enumerate(listed))
    else:
        places = ((line, Place(path=name, line=number)) for number, line in enumerate(text.split("\n"), 1))
        pairs = ((_loaded(line, place), place) for line, place in places if line.strip())
    for value, place in pairs:
        if not isinstance(value, dict):
            raise CorpusError(f"a JSON object with a text is wanted, found {value!r:.60}", place=place)
        yield value, place


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _loaded(text: str, place: Place) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = (place.line or 1) + error.lineno - 1
        raise CorpusError(
            f"not JSON: {error.msg} at column {error.colno} of the line", place=place._replace(line=line)
        ) from None
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"not JSON that can be read: {error}", place=place) from None


def dumped(value: Any, indent: int | None = None) -> bytes:
    """Write JSON in UTF-8; a half of a surrogate pair, which UTF-8 cannot write, is escaped."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    if PAIR.search(written):
        raise CorpusError(
            "the text has the two halves of a surrogate pair as two characters, which JSON would read as one; "
            "join them: text.encode('utf-16', 'surrogatepass').decode('utf-16')"
        )
    try:
        return written.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def source_name(source: Any) -> str:
    """Return the name of a source for messages."""
    if isinstance(source, (str, os.PathLike)):
        return "<stdin>" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def file_names(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a name of a file for each document, none twice."""
    taken: set[str] = set()
    for number, one in enumerate(documents):
        clean = "/".join(
            part for part in one.name.replace("\\", "/").replace("\0", "").split("/") if part.strip(".")
        )
        name, again = clean or f"{number:05}", 1
        while name.lower() in taken:
            again += 1
            name = f"{clean or f'{number:05}'}-{again}"
        taken.add(name.lower())
        yield name


def text_in(value: Mapping[str, Any], key: str, title: str) -> str:
    """Return the text of a JSON object."""
    found = value.get(key)
    if isinstance(found, str):
        return found
    what = f"found {found!r:.60}" if key in value else f"the fields are {', '.join(map(repr, value)):.80}"
    raise CorpusError(f"{title} has a string in the field {key!r}; {what}")


def listed(value: Mapping[str, Any], key: str) -> list[Any]:
    """Return the list in a field of a JSON object; none for null and for a missing field."""
    found = value.get(key)
    if found is None or isinstance(found, list):
        return found or []
    raise CorpusError(f"the field {key!r} should be a list, found {found!r:.60}")


def field_of(value: Any, key: str, kinds: type | tuple[type, ...], what: str) -> Any:
    """Return a field of an object that must have it."""
    if not isinstance(value, Mapping):
        raise CorpusError(f"{what} should be an object, found {value!r:.60}")
    found = value.get(key)
    if not isinstance(found, kinds) or isinstance(found, bool):
        raise CorpusError(f"{what} needs the field {key!r}, found {value!r:.80}")
    return found


def _file(place: Place, found: Place) -> dict[str, Any]:
    """Return the fields of a place in a file that say where the text of an error stands."""
    if found.path is not None:
        return {}
    return {"path": place.path, "line": place.line, "sentence": place.sentence, "unit": place.unit}


# ---------------------------------------------------------------------------------------------- which format


def named(name: str) -> type[DocumentFormat]:
    """Find the format with this name: FORMAT of its module."""
    if name not in formats.NAMES:
        raise CorpusError(
            f"unknown format of texts {name!r}: known are {', '.join(map(repr, formats.NAMES))}"
        )
    found: type[DocumentFormat] = getattr(formats, name).FORMAT
    return found


def told_names() -> str:
    """Return the names of all formats, for messages."""
    *names, last = map(repr, formats.NAMES)
    return f"{', '.join(names)} or {last}"


def guessed(source: Any) -> str | None:
    """Detect the format of a file or folder by its name and its first object; None for another kind of file."""
    if not isinstance(source, (str, os.PathLike)) or source == "-":
        return None
    path = os.fspath(source)
    stem, suffix = os.path.splitext(path.lower().removesuffix(".gz"))  # noqa: PTH122
    if os.path.isdir(path):  # noqa: PTH112
        return "brat" if any(Path(path).rglob("*.txt")) or not any(Path(path).rglob("*.tsv")) else "webanno"
    if suffix == ".tsv":
        return "webanno" if _begins_with(path, b"#FORMAT=WebAnno TSV 3") else None
    if suffix == ".ann" or (suffix == ".txt" and os.path.isfile(f"{path[: len(stem)]}.ann")):  # noqa: PTH113
        return "brat"
    if suffix not in (".json", ".jsonl", ".ndjson"):
        return None
    value = _first_object(path)
    return next((name for name in formats.NAMES if value is not None and named(name).is_like(value)), None)


def _begins_with(path: str, sign: bytes) -> bool:
    from seqlab.corpus.io.reader import BOM, opened

    try:
        with opened(path, "utf-8", LOOKED_AT) as bytes_in:
            return bytes_in.read(LOOKED_AT).removeprefix(BOM).startswith(sign)
    except SeqlabError:
        return False


def _first_object(path: str) -> dict[str, Any] | None:
    """Return the first JSON object of a file, also of one that is cut off where the part that is looked at ends."""
    from seqlab.corpus.io.reader import opened

    try:
        with opened(path, "utf-8", LOOKED_AT) as bytes_in:
            head = bytes_in.read(LOOKED_AT).decode("utf-8", "replace").lstrip("\ufeff \t\r\n[")
    except SeqlabError:
        return None
    try:
        value = json.JSONDecoder().raw_decode(head)[0]
    except (ValueError, RecursionError):
        return _long_object(path)
    return value if isinstance(value, dict) else None


def _long_object(path: str) -> dict[str, Any] | None:
    """Return the first object of a file whose first object is long."""
    try:
        text = read_text(path).lstrip(" \t\r\n[")
        value = json.JSONDecoder().raw_decode(text)[0]
    except (SeqlabError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
