"""doccano's automatic labelling by a custom REST request: POST {"text": ...} to /doccano/MODEL."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from seqlab.errors import SeqlabError
from seqlab.serve.desk import Desk
from seqlab.serve.models import Served
from seqlab.serve.problems import Problem, from_error
from seqlab.serve.questions import parsed
from seqlab.serve.replies import reply
from seqlab.serve.room import Room
from seqlab.serve.schemas import INTEGER, NAME, STRING, Schema, array, full, post


def routes(service: Desk) -> list[Route]:
    """List the routes."""
    return [Route("/doccano/{name}", partial(_label, service), methods=["POST"])]


def paths() -> Schema:
    """Describe them, as OpenAPI has it."""
    span = full(label=STRING, start_offset=INTEGER, end_offset=INTEGER)
    asked, example = full(text=STRING), {"text": "Anna sings."}
    return {
        "/doccano/{name}": post(
            "doccano", "doccano: label a text", asked, array(span), example, asked=(NAME,)
        )
    }


async def _label(service: Desk, request: Request) -> Response:
    served = service.models.get(request.path_params["name"])
    text = parsed(await service.body(request)).get("text")
    if not isinstance(text, str):
        raise Problem(422, "text is to be a string", option="text")
    return await service.computed(lambda: _answer(served, text, Room(service.limits)))


def _answer(served: Served, text: str, room: Room) -> Response:
    try:
        document = served.document(text, room)
    except SeqlabError as error:
        raise from_error(error) from None
    return reply(
        [
            {"label": span.label, "start_offset": span.begin, "end_offset": span.end}
            for layer in document.layers
            for span in layer.spans
        ]
    )
