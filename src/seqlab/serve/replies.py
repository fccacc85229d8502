"""Answers as JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


def reply(value: Any, status: int = 200) -> Response:
    """Make an answer of plain data."""
    return Response(encoded(value), status, media_type="application/json")


def encoded(value: Any) -> bytes:
    """Write plain data as JSON."""
    content = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return content.encode()
    except UnicodeEncodeError:  # lone surrogates of the request
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
