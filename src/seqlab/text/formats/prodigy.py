"""Prodigy and spaCy: a JSON object a line with "text", "spans", "tokens" and "meta".

{"text": "Anna left.", "tokens": [{"text": "Anna", "start": 0, "end": 4, "id": 0, "ws": true}, ...],
 "spans": [{"start": 0, "end": 4, "label": "PER", "token_start": 0, "token_end": 0}]}

token_end is the last token of the span. "sent_start" marks the first token of a sentence where there are several.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from seqlab.errors import CorpusError, Place
from seqlab.text.document import Document
from seqlab.text.formats.base import NAME, DocumentFormat, Record, dumped, field_of, listed, spans_in, text_in

KEYS = frozenset({"text", "spans", "tokens", NAME})
OF_TOKENS = frozenset({"text", "start", "end", "id", "ws", "sent_start", "disabled"})
REFUSED = ("reject", "ignore")
SCORE = "score"
TOGETHER = 10_000  # tokens that are written at once


class Prodigy(DocumentFormat):
    """JSON lines of Prodigy."""

    name = "prodigy"
    title = "Prodigy"

    @classmethod
    def is_like(cls, record: Mapping[str, Any]) -> bool:
        """Look for a text with spans or tokens that have places."""
        parts = [one for key in ("spans", "tokens") for one in (record.get(key) or [])[:1]]
        there = isinstance(record.get("text"), str) and ("spans" in record or "tokens" in record)
        return there and all(isinstance(one, Mapping) and "start" in one for one in parts)

    @classmethod
    def record(cls, value: Mapping[str, Any], place: Place) -> Record:
        """Read a line."""
        spans = []
        for number, one in enumerate(listed(value, "spans")):
            try:
                begin, end = (field_of(one, key, int, "a span") for key in ("start", "end"))
                label, chance = field_of(one, "label", str, "a span"), one.get(SCORE)
            except CorpusError as error:
                raise error.at(position=number, item="span") from None
            spans.append((begin, end, label, "", chance if isinstance(chance, float) else None))
        tokens = listed(value, "tokens")
        return Record(
            text_in(value, "text", cls.title),
            place,
            spans,
            _sentences(tokens) if tokens else None,
            _labels(tokens),
            str(value.get(NAME, "")),
            {key: field for key, field in value.items() if key not in KEYS},
            rejected=value.get("answer") in REFUSED,
        )

    @classmethod
    def render(cls, documents: Iterable[Document], layer: str | None) -> Iterator[bytes]:
        """Yield the parts of the file; the tokens of a long text some thousands at a time."""
        for document in documents:
            value = cls.value(document, layer)
            tokens = value.pop("tokens")
            head = dumped({**value, "tokens": []})
            yield head.removesuffix(b"]}")
            first = next(tokens, None)
            if first is not None:
                yield dumped(first)
            while some := list(islice(tokens, TOGETHER)):
                yield b", " + dumped(some)[1:-1]
            yield b"]}\n"

    @classmethod
    def value(cls, document: Document, layer: str | None) -> dict[str, Any]:
        """Return the object of a line."""
        begins, ends = document.begins.tolist(), document.ends.tolist()
        spans = []
        for one in spans_in(document, layer):
            first, last = bisect.bisect_right(ends, one.begin), bisect.bisect_left(begins, one.end) - 1
            whole = first <= last and (begins[first], ends[last]) == (one.begin, one.end)
            near = {"token_start": first, "token_end": last} if whole else {}
            chance = {} if one.probability is None else {SCORE: one.probability}
            spans.append({"start": one.begin, "end": one.end, "label": one.label, **near, **chance})
        meta = {key: field for key, field in document.meta.items() if key not in KEYS}
        return {
            **meta,
            **({NAME: document.name} if document.name else {}),
            "text": document.text,
            "tokens": _tokens(document),
            "spans": spans,
        }


FORMAT = Prodigy


def _sentences(tokens: list[Any]) -> list[list[tuple[int, int]]]:
    found: list[list[tuple[int, int]]] = [[]]
    for number, one in enumerate(tokens):
        try:
            begin, end = (field_of(one, key, int, "a token") for key in ("start", "end"))
        except CorpusError as error:
            raise error.at(position=number, item="token") from None
        if one.get("sent_start") and found[-1]:
            found.append([])
        found[-1].append((begin, end))
    return found


def _labels(tokens: list[Any]) -> dict[str, list[str]]:
    """Find the fields that every token has, with a string."""
    keys = [] if not tokens else [key for key in tokens[0] if key not in OF_TOKENS]
    return {
        key: [one[key] for one in tokens]
        for key in keys
        if all(isinstance(one.get(key), str) for one in tokens)
    }


def _tokens(document: Document) -> Iterator[dict[str, Any]]:
    several, starts = len(document.sentences) > 1, set(document.offsets.tolist())
    layers = [
        one
        for one in document.layers
        if one.labels is not None and not one.spans and one.name not in OF_TOKENS
    ]
    for number, token in enumerate(document.iter_tokens()):
        after = document.text[token.end : token.end + 1]
        one: dict[str, Any] = {"text": token.text, "start": token.begin, "end": token.end, "id": number}
        one["ws"] = after == " "
        if several and number in starts:
            one["sent_start"] = True
        one |= {layer.name: layer.labels[number] for layer in layers if layer.labels is not None}
        yield one
