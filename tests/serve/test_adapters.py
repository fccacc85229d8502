"""Protocols of other programs."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from serve.conftest import Open

TEXT = "Anna Weber lives in New York ."
XMI = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"><cas:NULL xmi:id="0"/>'
    '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="{}"/>'
    '<cas:View sofa="1" members=""/></xmi:XMI>'
)


def spans_of(client: object) -> list[dict[str, object]]:
    found = client.post("/v1/tag", json={"text": TEXT}).json()  # type: ignore[attr-defined]
    return found["layers"]["entity"]["spans"]


def test_open_inference(service: Open) -> None:
    client = service()
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/models/ner/ready").json()["ready"] is True
    assert client.get("/v2/models/ner").json()["inputs"][0]["datatype"] == "BYTES"
    tensor = {"name": "tokens", "datatype": "BYTES", "shape": [2, 2], "data": ["Anna", "sings", "Hi", ""]}
    found = client.post("/v2/models/ner/infer", json={"id": "7", "inputs": [tensor]}).json()
    assert found["id"] == "7"
    labels = found["outputs"][0]
    assert labels["shape"] == [2, 2]
    assert labels["data"][:2] == client.post("/v1/tag", json={"tokens": ["Anna", "sings"]}).json()["labels"]
    assert labels["data"][3] == ""
    wrong = {**tensor, "shape": [3, 3]}
    assert client.post("/v2/models/ner/infer", json={"inputs": [wrong]}).status_code == 409


def test_versions_of_open_inference(service: Open) -> None:
    client = service()
    version = client.get("/v2/models/ner").json()["versions"][0]
    base = f"/v2/models/ner/versions/{version}"
    assert client.get(base).json() == client.get("/v2/models/ner").json()
    assert client.get(f"{base}/ready").json() == {"name": "ner", "ready": True}
    asked = {"inputs": [{"name": "tokens", "datatype": "BYTES", "shape": [2], "data": ["Anna", "sings"]}]}
    assert client.post(f"{base}/infer", json=asked).json()["model_version"] == version
    found = client.post("/v2/models/ner/versions/old/infer", json=asked)
    assert (found.status_code, version in found.json()["error"]) == (404, True)


@pytest.mark.parametrize(
    ("path", "asked", "status"),
    [
        ("/v2/models/none/infer", {"inputs": []}, 404),
        ("/v2/models/ner/infer", {"inputs": []}, 422),
        ("/v2/nothing", {}, 404),
    ],
)
def test_errors_of_open_inference_are_where_its_clients_look(
    service: Open, path: str, asked: dict[str, object], status: int
) -> None:
    client = service()
    found = client.post(path, json=asked)
    assert found.status_code == status
    assert found.json()["error"] == found.json()["detail"]
    refused = client.post(path, content=b"{}", headers={"content-type": "application/octet-stream"})
    assert refused.json()["error"] == refused.json()["detail"]


def test_open_inference_takes_no_more_sentences_than_others(service: Open) -> None:
    client = service(limits={"batch": 2})
    for name, shape in (("text", [3]), ("tokens", [3, 1])):
        tensor = {"name": name, "datatype": "BYTES", "shape": shape, "data": ["a", "b", "c"]}
        assert client.post("/v2/models/ner/infer", json={"inputs": [tensor]}).status_code == 422


def test_label_studio(service: Open) -> None:
    client = service()
    config = (
        '<View><Labels name="e" toName="t"><Label value="PER"/></Labels><Text name="t" value="$body"/></View>'
    )
    asked = {"tasks": [{"id": 1, "data": {"body": TEXT}}], "label_config": config}
    assert client.get("/label-studio/ner/health").json()["status"] == "UP"
    assert client.post("/label-studio/ner/setup", json={"project": "1"}).status_code == 200
    (found,) = client.post("/label-studio/ner/predict", json=asked).json()["results"]
    for one, span in zip(found["result"], spans_of(client), strict=True):
        assert (one["from_name"], one["to_name"]) == ("e", "t")
        assert TEXT[one["value"]["start"] : one["value"]["end"]] == one["value"]["text"]
        assert one["value"]["labels"] == [span["label"]]


def test_doccano(service: Open) -> None:
    client = service()
    found = client.post("/doccano/ner", json={"text": TEXT}).json()
    assert found == [
        {"label": one["label"], "start_offset": one["begin"], "end_offset": one["end"]}
        for one in spans_of(client)
    ]


def test_inception(service: Open) -> None:
    client = service()
    asked = {"metadata": {"layer": "custom.Span", "feature": "value"}, "document": {"xmi": XMI.format(TEXT)}}
    root = ET.fromstring(client.post("/inception/ner/predict", json=asked).json()["document"])
    found = root.findall("{http:///custom.ecore}Span")
    assert [one.get("value") for one in found] == [one["label"] for one in spans_of(client)]
    view = root.find("{http:///uima/cas.ecore}View")
    assert view is not None
    assert len(view.get("members", "").split()) == len(found)


def test_a_type_without_a_package(service: Open) -> None:
    asked = {"metadata": {"layer": "Span", "feature": "value"}, "document": {"xmi": XMI.format(TEXT)}}
    root = ET.fromstring(service().post("/inception/ner/predict", json=asked).json()["document"])
    assert root.findall("{http:///uima/noNamespace.ecore}Span")


@pytest.mark.parametrize("xmi", ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "no xml", "<a/>"])
def test_documents_that_are_no_xmi(service: Open, xmi: str) -> None:
    asked = {"metadata": {"layer": "custom.Span", "feature": "value"}, "document": {"xmi": xmi}}
    assert service().post("/inception/ner/predict", json=asked).status_code == 409
