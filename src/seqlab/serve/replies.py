"""Answers as JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


def reply(value: Any, status: int = 200) -> Response:
    """Make an answer of plain data."""
    return Response(encoded(value), status, media_type="application/json")


def encoded_labels(model: str, sentences: list[list[str]]) -> bytes:
    """Write the answer for a batch, {"model": ..., "results": [{"labels": [...]}, ...]}, each label encoded once.

    model       the name of the model
    sentences   their labels
    """
    known: dict[str, str] = {}
    rows = []
    for labels in sentences:
        try:
            row = ",".join([known[one] for one in labels])
        except KeyError:
            known |= {one: json.dumps(one) for one in labels}
            row = ",".join([known[one] for one in labels])
        rows.append(f'{{"labels":[{row}]}}')
    return f'{{"model":{json.dumps(model)},"results":[{",".join(rows)}]}}'.encode()


def encoded(value: Any) -> bytes:
    """Write plain data as JSON."""
    content = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return content.encode()
    except UnicodeEncodeError:  # lone surrogates of the request
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
