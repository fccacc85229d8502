"""The Open Inference Protocol, version 2: what clients of KServe, Triton and MLServer speak."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from seqlab import __version__
from seqlab.errors import SeqlabError
from seqlab.serve.desk import Desk
from seqlab.serve.models import Served
from seqlab.serve.problems import Problem, from_error
from seqlab.serve.questions import parsed
from seqlab.serve.replies import reply
from seqlab.serve.room import Room
from seqlab.serve.schemas import ANY, BOOLEAN, INTEGER, NAME, STRING, Schema, array, full, get, obj, post
from seqlab.serve.settings import Limits

TEXT, TOKENS, LABELS, DOCUMENT = "text", "tokens", "labels", "document"
STRINGS = "BYTES"  # the protocol's name of strings
BASE = "/v2/models/{name}"
VERSION = f"{BASE}/versions/{{version}}"
PADDING = ""  # in rows of tokens that are shorter than others


def routes(service: Desk) -> list[Route]:
    """List the routes."""
    return [
        Route("/v2", partial(_server, service)),
        Route("/v2/health/live", partial(_live, service)),
        Route("/v2/health/ready", partial(_ready, service)),
        *[
            route
            for base in (BASE, VERSION)
            for route in (
                Route(base, partial(_model, service)),
                Route(f"{base}/ready", partial(_model_ready, service)),
                Route(f"{base}/infer", partial(_infer, service), methods=["POST"]),
            )
        ],
    ]


def paths() -> Schema:
    """Describe them, as OpenAPI has it."""
    kind = {"const": STRINGS}
    strings: Schema = {"oneOf": [array(STRING), array(array(STRING), 1)]}
    strings["description"] = "as many as `shape` says, [n] or [n, length]; without it, [n], or rows"
    tensor = full(name={"enum": [TEXT, TOKENS]}, datatype=kind, data=strings)
    asked = obj({"id": STRING, "inputs": array(tensor, 1, 1)}, "inputs")
    example = {"inputs": [{"name": TOKENS, "datatype": STRINGS, "shape": [1, 2], "data": ["Anna", "sings"]}]}
    output = full(name=STRING, datatype=kind, shape=array(INTEGER), data=array(STRING))
    answer = full(model_name=STRING, model_version=STRING, outputs=array(output))
    model = full(name=STRING, versions=array(STRING), platform=STRING, inputs=array(ANY), outputs=array(ANY))
    server = full(name=STRING, version=STRING, extensions=array(STRING))
    number = {"name": "version", "in": "path", "required": True, "schema": STRING}
    number["description"] = "the version of the model that is served now"
    about = "Open Inference Protocol"
    found = {
        "/v2": get("inferenceServer", f"{about}: the server", server),
        "/v2/health/live": get("inferenceLive", f"{about}: is it alive?", full(live=BOOLEAN)),
        "/v2/health/ready": get("inferenceReady", f"{about}: is it ready?", full(ready=BOOLEAN)),
    }
    for base, suffix, parameters in ((BASE, "", (NAME,)), (VERSION, "Version", (NAME, number))):
        which = "a version of a model" if suffix else "a model"
        ready = full(name=STRING, ready=BOOLEAN)
        found |= {
            base: get(f"inferenceModel{suffix}", f"{about}: {which}", model, asked=parameters),
            f"{base}/ready": get(
                f"inferenceModel{suffix}Ready", f"{about}: is {which} ready?", ready, asked=parameters
            ),
            f"{base}/infer": post(
                f"infer{suffix}", f"{about}: label by {which}", asked, answer, example, asked=parameters
            ),
        }
    return found


async def _server(_: Desk, __: Request) -> Response:
    return reply({"name": "seqlab", "version": __version__, "extensions": []})


async def _live(_: Desk, __: Request) -> Response:
    return reply({"live": True})


async def _ready(service: Desk, _: Request) -> Response:
    service.check_ready()
    return reply({"ready": True})


def _served(service: Desk, request: Request) -> Served:
    """Return the model with the name, and the version if there is one, of the address."""
    served = service.models.get(request.path_params["name"])
    version = request.path_params.get("version", served.version)
    if version != served.version:
        raise Problem(404, f"{served.name} has the version {served.version} now, not {version!r:.80}")
    return served


async def _model(service: Desk, request: Request) -> Response:
    served = _served(service, request)
    inputs = [{"name": TOKENS, "datatype": STRINGS, "shape": [-1, -1]}]
    outputs = [{"name": LABELS, "datatype": STRINGS, "shape": [-1, -1]}]
    if served.pipeline is not None:
        inputs.append({"name": TEXT, "datatype": STRINGS, "shape": [-1]})
        outputs.append({"name": DOCUMENT, "datatype": STRINGS, "shape": [-1]})
    return reply(
        {
            "name": served.name,
            "versions": [served.version],
            "platform": "seqlab",
            "inputs": inputs,
            "outputs": outputs,
        }
    )


async def _model_ready(service: Desk, request: Request) -> Response:
    return reply({"name": _served(service, request).name, "ready": True})


async def _infer(service: Desk, request: Request) -> Response:
    served = _served(service, request)
    given = parsed(await service.body(request))
    return await service.computed(lambda: reply(_inferred(served, given, service)))


def _inferred(served: Served, given: dict[str, Any], service: Desk) -> dict[str, Any]:
    inputs = given.get("inputs")
    if not isinstance(inputs, list) or len(inputs) != 1 or not isinstance(inputs[0], dict):
        raise Problem(422, f"inputs is to be a list of one tensor, {TEXT!r} or {TOKENS!r}", option="inputs")
    if not isinstance(given.get("id", ""), str):
        raise Problem(422, "id is to be a string", option="id")
    tensor = inputs[0]
    data, shape = _strings(tensor)
    try:
        if tensor.get("name") == TEXT:
            _check_count(len(data), service.limits)
            room = Room(service.limits)
            documents = [served.document(one, room) for one in data]
            output = _tensor(DOCUMENT, shape, [one.json() for one in documents])
        elif tensor.get("name") == TOKENS:
            output = _tensor(LABELS, shape, _labels(served, data, shape, service.limits))
        else:
            raise Problem(422, f"the tensor is called {TEXT!r} or {TOKENS!r}, got {tensor.get('name')!r:.60}")
    except SeqlabError as error:
        raise from_error(error) from None
    answer = {"model_name": served.name, "model_version": served.version, "outputs": [output]}
    return answer | ({"id": given["id"]} if "id" in given else {})


def _check_count(many: int, limits: Limits) -> None:
    if many > limits.batch:
        raise Problem(422, f"{many} sentences; at most {limits.batch} are allowed", option="inputs")


def _labels(served: Served, data: list[str], shape: list[int], limits: Limits) -> list[str]:
    """Label rows of tokens; a row ends where the padding begins."""
    width = shape[-1]
    if width > limits.tokens:
        raise Problem(422, f"a sentence of {width} tokens; at most {limits.tokens} are allowed")
    _check_count(len(data) // max(width, 1), limits)
    rows = [data[i : i + width] for i in range(0, len(data), width)] if width else []
    full = [row[: row.index(PADDING)] if PADDING in row else row for row in rows]
    found = served.tagger().predict(full, threads=1)
    return [label for labels in found for label in (*map(str, labels), *[PADDING] * (width - len(labels)))]


def _strings(tensor: dict[str, Any]) -> tuple[list[str], list[int]]:
    if tensor.get("datatype") != STRINGS:
        raise Problem(
            422, f"datatype is to be {STRINGS}, got {tensor.get('datatype')!r:.60}", option="datatype"
        )
    data, shape = tensor.get("data"), tensor.get("shape")
    if not isinstance(data, list):
        raise Problem(422, "data is to be a list", option="data")
    rows = [one for one in data if isinstance(one, list)]
    if rows and len(rows) == len(data):
        width = max(map(len, rows))
        own, data = [len(rows), width], [one for row in rows for one in row]
        if shape is None and any(len(row) != width for row in rows):
            data = [one for row in rows for one in (*row, *[PADDING] * (width - len(row)))]
    else:
        own = [len(data)]
    if not all(isinstance(one, str) for one in data):
        raise Problem(422, "data is to be a list of strings, or of lists of strings", option="data")
    shape = own if shape is None else shape
    if (
        not isinstance(shape, list)
        or not 1 <= len(shape) <= 2
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise Problem(422, f"shape is to be [n] or [n, length], got {json.dumps(shape)[:60]}", option="shape")
    if len(data) != math.prod(shape):
        raise Problem(
            409, f"the shape is that of {math.prod(shape)} strings, but data has {len(data)}", option="data"
        )
    return data, shape


def _tensor(name: str, shape: list[int], data: list[str]) -> dict[str, Any]:
    return {"name": name, "datatype": STRINGS, "shape": shape, "data": data}
