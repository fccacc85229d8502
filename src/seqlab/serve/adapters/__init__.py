"""Protocols of other programs, each in a file of its own that lists its routes."""

from __future__ import annotations

from starlette.routing import Route

from seqlab.serve.adapters import doccano, inception, label_studio, open_inference
from seqlab.serve.desk import Desk


def routes(service: Desk) -> list[Route]:
    """List the routes of all protocols."""
    parts = (open_inference, label_studio, doccano, inception)
    return [route for part in parts for route in part.routes(service)]
