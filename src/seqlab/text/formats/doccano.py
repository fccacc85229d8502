"""doccano: a JSON object a line, {"text": "Anna left.", "label": [[0, 4, "PER"]]}.

Exports with relations are read, too: {"text": ..., "entities": [{"start_offset": 0, "end_offset": 4, "label": "PER"}]}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqlab.errors import CorpusError, Place
from seqlab.text.document import Document
from seqlab.text.formats.base import (
    NAME,
    DocumentFormat,
    Record,
    field_of,
    listed,
    spans_in,
    text_in,
)

LISTS = ("label", "labels", "entities")
KEYS = frozenset({"text", NAME, *LISTS})


class Doccano(DocumentFormat):
    """JSON lines of doccano."""

    name = "doccano"
    title = "doccano"

    @classmethod
    def is_like(cls, record: Mapping[str, Any]) -> bool:
        """Look for a text and a list of labels, which are not those of tokens."""
        lists = [record[key] for key in LISTS if isinstance(record.get(key), list)]
        return isinstance(record.get("text"), str) and any(
            all(isinstance(one, list) or (isinstance(one, Mapping) and "start_offset" in one) for one in some)
            for some in lists
        )

    @classmethod
    def record(cls, value: Mapping[str, Any], place: Place) -> Record:
        """Read a line."""
        text = text_in(value, "text", cls.title)
        spans = []
        for key in LISTS:
            for number, one in enumerate(listed(value, key)):
                try:
                    spans.append(_span(one))
                except CorpusError as error:
                    raise error.at(position=number, item=f"span of {key!r}") from None
        meta = {key: field for key, field in value.items() if key not in KEYS}
        if meta.get("relations"):  # which know the spans by their ids
            meta["ids"] = {_key(*_span(one)): one.get("id") for one in listed(value, "entities")}
        return Record(text, place, spans, name=str(value.get(NAME, "")), meta=meta)

    @classmethod
    def value(cls, document: Document, layer: str | None) -> dict[str, Any]:
        """Return the object of a line."""
        meta = {key: field for key, field in document.meta.items() if key not in KEYS}
        head = {**meta, **({NAME: document.name} if document.name else {}), "text": document.text}
        found, ids = spans_in(document, layer), head.pop("ids", None)
        if not isinstance(ids, Mapping) or "relations" not in head:
            return {**head, "label": [[one.begin, one.end, one.label] for one in found]}
        fresh = max((one for one in ids.values() if isinstance(one, int)), default=0)
        entities = []
        for number, one in enumerate(found, fresh + 1):
            place = {"start_offset": one.begin, "end_offset": one.end}
            name = ids.get(_key(one.begin, one.end, one.label), number)
            entities.append({"id": name, "label": one.label, **place})
        return {**head, "entities": entities}


FORMAT = Doccano


def _key(begin: int, end: int, label: str) -> str:
    return f"{begin} {end} {label}"


def _span(one: Any) -> tuple[Any, ...]:
    if isinstance(one, Mapping):
        begin, end = (field_of(one, key, int, "a span") for key in ("start_offset", "end_offset"))
        return begin, end, field_of(one, "label", str, "a span")
    if isinstance(one, list) and len(one) == 3 and isinstance(one[2], str):
        return tuple(one)
    raise CorpusError(f'a span is [begin, end, "label"], found {one!r:.60}')
