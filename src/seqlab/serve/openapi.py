"""The OpenAPI 3.1 description of the service."""

from __future__ import annotations

from typing import Any

from seqlab import __version__
from seqlab.serve.problems import MEDIA
from seqlab.serve.questions import POSITION
from seqlab.serve.settings import Settings
from seqlab.text.document import UNITS

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
PROBABILITY: Schema = {"type": "number", "minimum": 0, "maximum": 1}
LABELS: Schema = {"type": "array", "items": STRING}

POSITIONS = {"type": "string", "pattern": f"^({POSITION.pattern})$"}
WISHES: dict[str, Schema] = {
    "known": {
        "type": "object",
        "propertyNames": POSITIONS,
        "additionalProperties": STRING,
        "description": 'known labels, {"3": "B-PER"}',
    },
    "allowed": {
        "type": "object",
        "propertyNames": POSITIONS,
        "additionalProperties": LABELS,
        "description": 'labels that are allowed, {"3": ["B-PER", "O"]}',
    },
}

QUESTIONS = {  # name, summary, members of the answer for one sentence
    "tag": ("Label sentences or texts", ("labels",)),
    "nbest": ("Find the n best labellings", ("paths",)),
    "posterior": ("Compute the probability of every label at every position", ("posterior",)),
    "explain": ("Explain a label, or compare every label with its rival", ()),
    "sample": ("Draw labellings from the model's distribution", ("samples",)),
    "trellis": ("Compute what a picture of the trellis shows", ("paths",)),
    "steps": ("Compute the tables of forward, backward and Viterbi", ("forward",)),
}
MEMBERS: dict[str, Schema] = {
    "spans": {"type": "boolean", "description": "also the spans that the labels describe"},
    "probabilities": {"type": "boolean", "description": "also the probability of each label"},
    "at": {
        "type": "integer",
        "minimum": 0,
        "maximum": 2**32 - 1,
        "description": "the token to explain, from 0; all when left out",
    },
    "label": {"type": "string", "description": "the label to explain; the best when left out"},
    "rival": {"type": "string", "description": "the label to compare it with; the next best when left out"},
    "seed": {
        "type": "integer",
        "minimum": 0,
        "maximum": 2**32 - 1,
        "description": "the same seed draws the same",
    },
}


def description(settings: Settings, options: dict[str, tuple[str, ...]]) -> Schema:
    """Describe every address of the service.

    settings   of the service, for its limits
    options    the members that each question has beside the input
    """
    paths: Schema = {
        f"/v1/{name}": {"post": _question(name, summary, options[name], settings)}
        for name, (summary, _) in QUESTIONS.items()
    }
    paths |= {
        "/v1/models": {"get": _get("listModels", "List the models", _object(models=_array(_ref("Model"))))},
        "/v1/models/{name}": {"get": _get("describeModel", "Describe a model", _ref("Model"), named=True)},
        "/healthz": {"get": _get("health", "Is the process alive?", _object(status=STRING), open_=True)},
        "/readyz": {"get": _get("ready", "Are requests welcome?", _object(status=STRING), open_=True)},
        "/metrics": {"get": _metrics()},
    }
    secured: list[Schema] = [{"token": []}] if settings.token is not None else []
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "seqlab",
            "version": __version__,
            "description": "Labels for sequences, and how the model came to them.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": secured,
        "paths": paths,
        "components": {
            "schemas": _schemas(settings),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "Problem": {"description": "What was wrong", "content": {MEDIA: {"schema": _ref("Problem")}}}
            },
        },
    }


def _question(name: str, summary: str, options: tuple[str, ...], settings: Settings) -> Schema:
    limits = settings.limits
    n = {"type": "integer", "minimum": 1, "maximum": limits.n, "description": "how many"}
    members: Schema = {
        "model": {"type": "string", "description": "the name of a model; the first when left out"},
        "layer": {"type": "string", "description": "which tagger of a pipeline; the last when left out"},
        "offsets": {"enum": list(UNITS), "description": "how places in a text are counted"},
        **{one: n if one == "n" else MEMBERS[one] for one in options},
    }
    text = {"type": "string", "description": "raw text, which is split into sentences and tokens"}
    most = f"sentences or texts, at most {limits.batch}"
    batch = {"type": "array", "description": most, "items": _ref("Item")}
    body = {
        "oneOf": [
            _closed({"tokens": _ref("Tokens"), **WISHES, **members}, "tokens"),
            _closed({"text": text, **members}, "text"),
            _closed({"batch": batch, **members}, "batch"),
        ]
    }
    answer = {"type": "object", "required": ["model"], "properties": {"model": STRING}}
    content: Schema = {"application/json": {"schema": answer}, "application/x-ndjson": {"schema": STRING}}
    if name == "tag":
        content["text/plain"] = {"schema": STRING}
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body}, "application/x-ndjson": {"schema": STRING}},
        },
        "responses": {"200": {"description": "The answer", "content": content}, **_problems()},
    }


def _problems(*codes: int) -> Schema:
    all_codes = codes or (400, 401, 403, 404, 408, 409, 413, 415, 421, 422, 429, 503)
    return {str(code): {"$ref": "#/components/responses/Problem"} for code in all_codes}


def _get(name: str, summary: str, schema: Schema, *, named: bool = False, open_: bool = False) -> Schema:
    found: Schema = {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {"description": "The answer", "content": {"application/json": {"schema": schema}}},
            **_problems(*((421, 429, 503) if open_ else (401, 403, 404, 421, 429, 503))),
        },
    }
    if named:
        found["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": STRING}]
    if open_:
        found["security"] = []
    return found


def _metrics() -> Schema:
    return {
        "operationId": "metrics",
        "summary": "Counts and times for Prometheus",
        "responses": {
            "200": {"description": "The counts", "content": {"text/plain": {"schema": STRING}}},
            **_problems(401, 403, 421, 429, 503),
        },
    }


def _schemas(settings: Settings) -> Schema:
    cells = {"type": "array", "prefixItems": [STRING], "minItems": 1}
    token = {
        "oneOf": [STRING, cells, {"type": "object", "required": ["word"], "properties": {"word": STRING}}]
    }
    tokens: Schema = {"type": "array", "items": token}
    tokens["description"] = (
        f"at most {settings.limits.tokens} words; lists of cells, in the order of the model's columns; "
        f"or objects of attributes"
    )
    layer = _object(
        name=STRING,
        kind=STRING,
        labels=LABELS,
        columns=LABELS,
        probabilities={"type": "boolean"},
        explains={"type": "boolean"},
    )
    return {
        "Tokens": tokens,
        "Item": {
            "oneOf": [
                _ref("Tokens"),
                STRING,
                _closed({"tokens": _ref("Tokens"), **WISHES}, "tokens"),
                _closed({"text": STRING}, "text"),
            ]
        },
        "Model": _object(name=STRING, kind=STRING, version=STRING, layers=_array(layer)),
        "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
                "type": STRING,
                "title": STRING,
                "status": {"type": "integer"},
                "detail": STRING,
                "place": {
                    "type": "object",
                    "properties": {"sentence": {"type": "integer"}, "position": {"type": "integer"}},
                },
                "option": STRING,
            },
        },
    }


def _closed(properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "properties": properties,
        "additionalProperties": False,
    }


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "required": list(properties), "properties": properties}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
