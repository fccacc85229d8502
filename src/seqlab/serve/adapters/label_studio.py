"""Label Studio's ML backend: predictions for tasks; its address is http://HOST:PORT/label-studio/MODEL."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

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
from seqlab.serve.schemas import ANY, NAME, OPTIONAL, STRING, Schema, array, full, get, obj, post
from seqlab.serve.settings import Limits

LABELS = re.compile(r"<Labels\b([^<>]*)>", re.IGNORECASE)
TEXT = re.compile(r"<(?:Hyper)?Text\b([^<>]*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\b(\w+)\s*=\s*["']([^"']*)["']""")


def routes(service: Desk) -> list[Route]:
    """List the routes."""
    base = "/label-studio/{name}"
    return [
        Route(f"{base}/health", partial(_health, service)),
        Route(f"{base}/setup", partial(_setup, service), methods=["POST"]),
        Route(f"{base}/predict", partial(_predict, service), methods=["POST"]),
        Route(f"{base}/train", partial(_setup, service), methods=["POST"]),
        Route(f"{base}/webhook", partial(_setup, service), methods=["POST"]),
    ]


def paths() -> Schema:
    """Describe them, as OpenAPI has it."""
    base = "/label-studio/{name}"
    task = full(data=obj({"text": STRING}, "text"))
    config = {
        **OPTIONAL,
        "description": "of the labelling interface, as XML; it may name other data than text",
    }
    asked = obj({"tasks": array(task), "label_config": config}, "tasks")
    example = {"tasks": [{"data": {"text": "Anna sings."}}]}
    version, results = full(model_version=STRING), full(results=array(full(result=array(ANY))))
    return {
        f"{base}/health": get(
            "labelStudioHealth", "Label Studio: is it up?", full(status=STRING), asked=(NAME,)
        ),
        f"{base}/setup": post("labelStudioSetup", "Label Studio: set up", ANY, version, {}, asked=(NAME,)),
        f"{base}/predict": post(
            "labelStudioPredict", "Label Studio: label texts", asked, results, example, asked=(NAME,)
        ),
        f"{base}/train": post(
            "labelStudioTrain", "Label Studio: take note of nothing", ANY, version, {}, asked=(NAME,)
        ),
        f"{base}/webhook": post(
            "labelStudioEvent", "Label Studio: take note", ANY, version, {}, asked=(NAME,)
        ),
    }


async def _health(service: Desk, request: Request) -> Response:
    served = service.models.get(request.path_params["name"])
    return reply({"status": "UP", "model_class": type(served.model).__name__})


async def _setup(service: Desk, request: Request) -> Response:
    served = service.models.get(request.path_params["name"])
    parsed(await service.body(request))
    return reply({"model_version": served.version})


async def _predict(service: Desk, request: Request) -> Response:
    served = service.models.get(request.path_params["name"])
    given = parsed(await service.body(request))
    return await service.computed(lambda: reply({"results": _results(served, given, service.limits)}))


def _results(served: Served, given: dict[str, Any], limits: Limits) -> list[dict[str, Any]]:
    tasks, config = given.get("tasks"), given.get("label_config")
    if not isinstance(tasks, list):
        raise Problem(422, "tasks is to be a list of {data: {text: ...}}", option="tasks")
    if len(tasks) > limits.batch:
        raise Problem(422, f"{len(tasks)} tasks; at most {limits.batch} are allowed", option="tasks")
    if config is not None and not isinstance(config, str):
        raise Problem(422, "label_config is to be a string", option="label_config")
    names = _names(config or "")
    room = Room(limits)
    return [_result(served, task, names, i, room) for i, task in enumerate(tasks)]


def _names(config: str) -> tuple[str, str, str]:
    """Find in the labelling interface: the name of the labels, the name of the text, and the key of its data."""
    labels, text = (
        dict(ATTRIBUTE.findall(found[1])) if (found := pattern.search(config)) else {}
        for pattern in (LABELS, TEXT)
    )
    to_name = labels.get("toName") or text.get("name") or "text"
    return labels.get("name") or "label", to_name, text.get("value", "$text").lstrip("$")


def _result(
    served: Served, task: Any, names: tuple[str, str, str], number: int, room: Room
) -> dict[str, Any]:
    from_name, to_name, key = names
    data = task.get("data") if isinstance(task, dict) else None
    text = data.get(key) if isinstance(data, dict) else None
    if not isinstance(text, str):
        raise Problem(422, f"a task is to have data.{key}, a text", place={"sentence": number})
    try:
        document = served.document(text, room).to_dict(offsets="utf-16")  # as JavaScript counts
    except SeqlabError as error:
        raise from_error(error, item=number) from None
    spans = [span for layer in document["layers"].values() for span in layer["spans"]]
    chances = [span["probability"] for span in spans if span["probability"] is not None]
    return {
        "model_version": served.version,
        "score": min(chances, default=1.0),
        "result": [
            {
                "from_name": from_name,
                "to_name": to_name,
                "type": "labels",
                "value": {
                    "start": span["begin"],
                    "end": span["end"],
                    "text": span["text"],
                    "labels": [span["label"]],
                },
                **({} if span["probability"] is None else {"score": span["probability"]}),
            }
            for span in spans
        ],
    }
