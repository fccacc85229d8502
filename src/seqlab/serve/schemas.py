"""Building blocks of the OpenAPI description: types, operations, problems."""

from __future__ import annotations

from typing import Any

from seqlab.serve.problems import MEDIA

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
OPTIONAL: Schema = {"type": ["string", "null"]}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
STRINGS: Schema = {"type": "array", "items": STRING}
ANY: Schema = {"type": "object"}
NAME: Schema = {"$ref": "#/components/parameters/Name"}
JSON, HTML, TEXT, NDJSON = "application/json", "text/html", "text/plain", "application/x-ndjson"
ALWAYS = (400, 401, 403, 421, 429, 503)
PROBLEM = {
    "description": "What was wrong",
    "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def get(
    name: str,
    summary: str,
    answer: Schema,
    *,
    kind: str = JSON,
    asked: tuple[Schema, ...] = (),
    free: bool = False,
) -> Schema:
    """Describe an address that is read.

    name      of the operation
    summary   what it does
    answer    the schema of its answer
    kind      the media type of its answer
    asked     parameters
    free      True if it is answered without a token
    """
    found = _operation(name, summary, {kind: {"schema": answer}}, (404, 409, 422) if asked else ())
    if asked:
        found["parameters"] = list(asked)
    if free:
        found["security"] = []
    return {"get": found}


def post(
    name: str,
    summary: str,
    body: Schema,
    answer: Schema | None,
    example: Any,
    *,
    kind: str = JSON,
    asked: tuple[Schema, ...] = (),
    more: tuple[dict[str, Schema], dict[str, Schema]] = ({}, {}),
) -> Schema:
    """Describe an address that answers a request.

    name      of the operation
    summary   what it does
    body      the schema of the request
    answer    the schema of its answer; None for none
    example   of a request
    kind      the media type of its answer
    asked     parameters
    more      other media types of the request, and of its answer
    """
    content = None if answer is None else {kind: {"schema": answer}, **more[1]}
    found = _operation(name, summary, content, (404, 408, 409, 413, 415, 422))
    found["requestBody"] = {
        "required": True,
        "content": {JSON: {"schema": body, "example": example}, **more[0]},
    }
    if asked:
        found["parameters"] = list(asked)
    return {"post": found}


def _operation(name: str, summary: str, content: Schema | None, codes: tuple[int, ...]) -> Schema:
    good = (
        {"204": {"description": "Done"}}
        if content is None
        else {"200": {"description": "The answer", "content": content}}
    )
    bad = {str(code): {"$ref": "#/components/responses/Problem"} for code in sorted((*ALWAYS, *codes))}
    return {"operationId": name, "summary": summary, "responses": {**good, **bad}}


def parameter(name: str, schema: Schema, description: str) -> Schema:
    """Describe a parameter of the query."""
    return {"name": name, "in": "query", "schema": schema, "description": description}


def closed(properties: Schema, *required: str) -> Schema:
    """Describe an object without other members."""
    return {**obj(properties, *required), "additionalProperties": False}


def obj(properties: Schema, *required: str) -> Schema:
    """Describe an object."""
    return {"type": "object", "required": list(required), "properties": properties}


def full(**properties: Schema) -> Schema:
    """Describe an object that has all of its members."""
    return obj(properties, *properties)


def array(items: Schema, least: int = 0, most: int | None = None, description: str = "") -> Schema:
    """Describe a list."""
    found: Schema = {"type": "array", "items": items}
    if least:
        found["minItems"] = least
    if most is not None:
        found["maxItems"] = most
    return {**found, "description": description} if description else found


def ref(name: str) -> Schema:
    """Refer to a schema of the description."""
    return {"$ref": f"#/components/schemas/{name}"}
