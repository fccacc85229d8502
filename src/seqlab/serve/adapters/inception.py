"""INCEpTION's external recommender: predictions for a document in UIMA's XMI; its address is /inception/MODEL."""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from xml.etree import ElementTree as ET

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
from seqlab.serve.schemas import ANY, NAME, STRING, Schema, full, post

XMI, CAS = "http://www.omg.org/XMI", "http:///uima/cas.ecore"
ID = f"{{{XMI}}}id"
NO_PACKAGE = "uima.noNamespace"  # as UIMA writes it
PREDICTED = "inception_internal_predicted"
NUMBER = re.compile(r"[0-9]{1,18}")
DTD = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


def routes(service: Desk) -> list[Route]:
    """List the routes."""
    return [
        Route("/inception/{name}/predict", partial(_predict, service), methods=["POST"]),
        Route("/inception/{name}/train", partial(_train, service), methods=["POST"]),
    ]


def paths() -> Schema:
    """Describe them, as OpenAPI has it."""
    base = "/inception/{name}"
    document = {**STRING, "contentMediaType": "application/xml", "description": "a CAS, as XMI"}
    name = {**STRING, "pattern": f"^{TYPE.pattern}$"}
    metadata = full(layer={**name, "description": "the type of the spans"}, feature=name)
    asked = full(metadata=metadata, document=full(xmi=document))
    example = {
        "metadata": {"layer": "custom.Span", "feature": "value"},
        "document": {
            "xmi": f'<xmi:XMI xmlns:xmi="{XMI}" xmlns:cas="{CAS}"><cas:Sofa xmi:id="1" '
            f'sofaString="Anna sings."/><cas:View sofa="1" members=""/></xmi:XMI>'
        },
    }
    predict, train = "INCEpTION: add spans to a document", "INCEpTION: take note of nothing"
    return {
        f"{base}/predict": post(
            "inceptionPredict", predict, asked, full(document=STRING), example, asked=(NAME,)
        ),
        f"{base}/train": post("inceptionTrain", train, ANY, None, {}, asked=(NAME,)),
    }


async def _train(service: Desk, request: Request) -> Response:
    """Take note of nothing: models are trained by seqlab."""
    service.models.get(request.path_params["name"])
    parsed(await service.body(request))
    return Response(status_code=204)


async def _predict(service: Desk, request: Request) -> Response:
    served = service.models.get(request.path_params["name"])
    given = parsed(await service.body(request))
    return await service.computed(
        lambda: reply({"document": _predicted(served, given, Room(service.limits))})
    )


def _predicted(served: Served, given: dict[str, Any], room: Room) -> str:
    """Add the predicted spans to a document."""
    document, metadata = given.get("document"), given.get("metadata")
    xmi = document.get("xmi") if isinstance(document, dict) else None
    layer = metadata.get("layer") if isinstance(metadata, dict) else None
    feature = metadata.get("feature") if isinstance(metadata, dict) else None
    if not isinstance(xmi, str) or not isinstance(layer, str) or not isinstance(feature, str):
        raise Problem(422, "document.xmi, metadata.layer and metadata.feature are to be strings")
    if not TYPE.fullmatch(layer) or not TYPE.fullmatch(feature):
        raise Problem(422, f"{layer!r:.80} and {feature!r:.80} are to be names of a type and of a feature")
    root = _parsed(xmi)
    sofa = root.find(f"{{{CAS}}}Sofa")
    view = root.find(f"{{{CAS}}}View")
    if sofa is None or view is None or sofa.get("sofaString") is None:
        raise Problem(409, "the document has no text (no cas:Sofa with a sofaString, or no cas:View)")
    text = str(sofa.get("sofaString"))
    try:
        found = served.document(text, room).to_dict(offsets="utf-16")  # as Java counts
    except SeqlabError as error:
        raise from_error(error) from None
    number = max((int(one) for node in root.iter() if NUMBER.fullmatch(one := node.get(ID, ""))), default=0)
    package, _, name = layer.rpartition(".")
    space = f"http:///{(package or NO_PACKAGE).replace('.', '/')}.ecore"
    members = view.get("members", "").split()
    for span in (span for one in found["layers"].values() for span in one["spans"]):
        number += 1
        marks = {
            ID: str(number),
            "sofa": sofa.get(ID, ""),
            "begin": str(span["begin"]),
            "end": str(span["end"]),
        }
        chance = {} if span["probability"] is None else {f"{feature}_score": f"{span['probability']:.6f}"}
        root.append(
            ET.Element(f"{{{space}}}{name}", {**marks, feature: span["label"], PREDICTED: "true", **chance})
        )
        members.append(str(number))
    view.set("members", " ".join(members))
    try:
        return ET.tostring(root, encoding="unicode")
    except RecursionError:
        raise Problem(409, "the document is nested too deeply") from None


def _parsed(xmi: str) -> Any:
    if DTD.search(xmi):  # entities could grow without bound
        raise Problem(409, "the document has a DTD; XMI needs none")
    try:
        return ET.fromstring(xmi)  # noqa: S314  (no DTD)
    except (ET.ParseError, ValueError) as error:
        raise Problem(409, f"the document is no XMI: {error}") from None
