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

XMI, CAS = "http://www.omg.org/XMI", "http:///uima/cas.ecore"
ID = f"{{{XMI}}}id"
PREDICTED = "inception_internal_predicted"
DTD = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
TYPE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def routes(service: Desk) -> list[Route]:
    """List the routes."""
    return [
        Route("/inception/{name}/predict", partial(_predict, service), methods=["POST"]),
        Route("/inception/{name}/train", partial(_train, service), methods=["POST"]),
    ]


async def _train(service: Desk, request: Request) -> Response:
    """Take note of nothing: models are trained by seqlab."""
    service.models.get(request.path_params["name"])
    await service.body(request)
    return Response(status_code=204)


async def _predict(service: Desk, request: Request) -> Response:
    served = service.models.get(request.path_params["name"])
    given = parsed(await service.body(request))
    return await service.computed(lambda: reply({"document": _predicted(served, given)}))


def _predicted(served: Served, given: dict[str, Any]) -> str:
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
        raise Problem(422, "the document has no text (no cas:Sofa with a sofaString, or no cas:View)")
    text = str(sofa.get("sofaString"))
    try:
        found = served.reader(text, threads=1).to_dict(offsets="utf-16")  # as Java counts
    except SeqlabError as error:
        raise from_error(error) from None
    numbers = [int(one.get(ID, "0")) for one in root.iter() if one.get(ID, "").isdecimal()]
    _, _, name = layer.rpartition(".")
    space = f"http:///{layer.rpartition('.')[0].replace('.', '/')}.ecore"
    members = view.get("members", "").split()
    for span in (span for one in found["layers"].values() for span in one["spans"]):
        numbers.append(max(numbers, default=0) + 1)
        marks = {
            ID: str(numbers[-1]),
            "sofa": sofa.get(ID, ""),
            "begin": str(span["begin"]),
            "end": str(span["end"]),
        }
        chance = {} if span["probability"] is None else {f"{feature}_score": f"{span['probability']:.6f}"}
        root.append(
            ET.Element(f"{{{space}}}{name}", {**marks, feature: span["label"], PREDICTED: "true", **chance})
        )
        members.append(str(numbers[-1]))
    view.set("members", " ".join(members))
    return ET.tostring(root, encoding="unicode")


def _parsed(xmi: str) -> Any:
    if DTD.search(xmi):  # entities could grow without bound
        raise Problem(422, "the document has a DTD; XMI needs none")
    try:
        return ET.fromstring(xmi)  # noqa: S314  (no DTD)
    except (ET.ParseError, ValueError) as error:
        raise Problem(422, f"the document is no XMI: {error}") from None
