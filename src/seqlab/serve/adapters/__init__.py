"""Protocols of other programs, each in a file of its own that lists its routes and describes them."""

from __future__ import annotations

from starlette.routing import Route

from seqlab.serve.adapters import doccano, inception, label_studio, open_inference
from seqlab.serve.desk import Desk
from seqlab.serve.schemas import Schema

PARTS = (open_inference, label_studio, doccano, inception)


def routes(service: Desk) -> list[Route]:
    """List the routes of all protocols."""
    return [route for part in PARTS for route in part.routes(service)]


def paths() -> Schema:
    """Describe them all, as OpenAPI has it."""
    return {path: about for part in PARTS for path, about in part.paths().items()}
