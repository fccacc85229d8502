"""Protocols of other programs, each in a file of its own that lists its routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.serve.adapters import doccano, inception, label_studio, open_inference

if TYPE_CHECKING:
    from starlette.routing import Route

    from seqlab.serve.application import Service


def routes(service: Service) -> list[Route]:
    """List the routes of all protocols."""
    parts = (open_inference, label_studio, doccano, inception)
    return [route for part in parts for route in part.routes(service)]
