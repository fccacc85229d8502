"""Label Studio: a JSON list of tasks, {"data": {"text": ...}, "annotations": [{"result": [...]}]}.

Spans are objects with "value": {"start": 0, "end": 4, "text": "Anna", "labels": ["PER"]}. The short export (JSON-MIN)
is read, too: {"text": ..., "label": [{"start": 0, "end": 4, "labels": ["PER"]}]}. Places are code points; those of old
versions, which counted as JavaScript does, are recognised by the text that stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from seqlab.errors import CorpusError, Place
from seqlab.text.document import Document
from seqlab.text.formats.base import DocumentFormat, Record, dumped, field_of, listed, spans_in, text_in
from seqlab.text.places import utf16_places

TASK = ("data", "annotations", "completions", "predictions")
TEXT, LABEL, NAME = "text", "label", "name"


class LabelStudio(DocumentFormat):
    """Tasks of Label Studio."""

    name = "labelstudio"
    title = "Label Studio"

    @classmethod
    def is_like(cls, record: Mapping[str, Any]) -> bool:
        """Look for a task with data, or for a text with spans of the short export."""
        if isinstance(record.get("data"), Mapping):
            return True
        return isinstance(record.get(TEXT), str) and bool(_short(record))

    @classmethod
    def record(cls, value: Mapping[str, Any], place: Place) -> Record:
        """Read a task."""
        data = value.get("data")
        if not isinstance(data, Mapping):
            key = _short(value)
            text, results = text_in(value, TEXT, cls.title), [] if key is None else value[key]
            meta = {name: one for name, one in value.items() if name not in (TEXT, NAME, key)}
            return Record(text, place, list(_spans(text, results)), name=str(value.get(NAME, "")), meta=meta)
        key = next((name for name in (TEXT, *data) if isinstance(data.get(name), str)), TEXT)
        text = text_in(data, key, cls.title)
        kept, rest = _chosen(value)
        meta = {name: one for name, one in value.items() if name not in TASK}
        meta |= {"data": {name: one for name, one in data.items() if name not in (key, NAME)}}
        if rest:
            meta["others"] = rest
        results = listed(kept, "result")
        others = [one for one in results if not _is_span(one)]
        if others:  # relations and choices, and the names by which they know the spans
            meta |= {"results": others, "ids": _ids(text, results)}
        if kept not in listed(value, "predictions"):
            meta |= {"predictions": listed(value, "predictions")} if "predictions" in value else {}
        spans = list(_spans(text, results))
        return Record(
            text,
            place,
            spans,
            name=str(data.get(NAME, "")),
            meta={key: one for key, one in meta.items() if one != {}},
            rejected=bool(kept.get("was_cancelled")),
        )

    @classmethod
    def render(cls, documents: Iterable[Document], layer: str | None) -> Iterator[bytes]:
        """Yield the parts of the file: a list of tasks."""
        first = True
        for document in documents:
            yield (b"[\n" if first else b",\n") + dumped(cls.value(document, layer))
            first = False
        yield b"[]\n" if first else b"\n]\n"

    @classmethod
    def value(cls, document: Document, layer: str | None) -> dict[str, Any]:
        """Return a task."""
        meta = dict(document.meta)
        ids, results = meta.pop("ids", {}), []
        for number, one in enumerate(spans_in(document, layer)):
            value = {"start": one.begin, "end": one.end, "text": one.text, "labels": [one.label]}
            chance = {} if one.probability is None else {"score": one.probability}
            results.append(
                {
                    "id": ids.get(f"{one.begin} {one.end} {one.label}", f"span{number}"),
                    "from_name": LABEL,
                    "to_name": TEXT,
                    "type": "labels",
                    "value": value,
                    **chance,
                }
            )
        results += meta.pop("results", [])
        data = meta.pop("data", {}) if isinstance(meta.get("data", {}), Mapping) else {}
        others = meta.pop("others", [])
        name = {NAME: document.name} if document.name else {}
        return {
            **meta,
            "data": {**data, **name, TEXT: document.text},
            "annotations": [{"result": results}, *others],
        }


FORMAT = LabelStudio


def _short(value: Mapping[str, Any]) -> str | None:
    """Find the field of a short export that has the spans."""
    for key, found in value.items():
        spans = isinstance(found, list) and bool(found) and all(isinstance(one, Mapping) for one in found)
        if spans and all("start" in one and "labels" in one for one in found):
            return key
    return None


def _chosen(task: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[Any]]:
    """Return the annotation that counts, the first that was not cancelled, else a prediction; and the others."""
    made = [one for key in ("annotations", "completions") for one in listed(task, key)]
    guessed = listed(task, "predictions")
    for one in (*made, *guessed):
        if not isinstance(one, Mapping):
            raise CorpusError(f"an annotation should be an object with 'result', found {one!r:.60}")
    kept = next((one for one in made if not one.get("was_cancelled")), None)
    kept = kept if kept is not None else made[0] if made else guessed[0] if guessed else {}
    return kept, [one for one in made if one is not kept]


def _is_span(one: Any) -> bool:
    value = one.get("value", one) if isinstance(one, Mapping) else None
    return isinstance(value, Mapping) and "start" in value


def _ids(text: str, results: list[Any]) -> dict[str, str]:
    """Return the names of spans by their place and label."""
    found = {}
    for one in results:
        for begin, end, label, *_ in _spans(text, [one]) if _is_span(one) and "id" in one else ():
            found[f"{begin} {end} {label}"] = str(one["id"])
    return found


def _spans(text: str, results: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the spans among the results; relations and choices are none."""
    places: Any = None
    for number, one in enumerate(results):
        if not _is_span(one):
            continue
        value = one.get("value", one)
        try:
            begin, end = (field_of(value, key, int, "a span") for key in ("start", "end"))
            labels = [label for label in listed(value, "labels") if isinstance(label, str)]
        except CorpusError as error:
            raise error.at(position=number, item="span") from None
        said = value.get("text")
        if isinstance(said, str) and text[begin:end] != said and not text.isascii():
            places = utf16_places(text) if places is None else places
            b, e = np.searchsorted(places, [begin, end]).tolist()
            begin, end = (b, e) if text[b:e] == said else (begin, end)
        chance = one.get("score")
        for label in labels:
            yield begin, end, label, "", chance if isinstance(chance, float) else None
