"""The OpenAPI 3.1 description of the service."""

from __future__ import annotations

from seqlab import __version__
from seqlab.serve.questions import POSITION
from seqlab.serve.schemas import (
    BOOLEAN,
    HTML,
    INTEGER,
    NAME,
    NDJSON,
    OPTIONAL,
    PROBLEM,
    STRING,
    STRINGS,
    TEXT,
    Schema,
    array,
    closed,
    full,
    get,
    obj,
    parameter,
    post,
    ref,
)
from seqlab.serve.settings import MOST_LABELS, MOST_WEIGHTS, Settings
from seqlab.text.document import UNITS

PROBABILITY: Schema = {"type": "number", "minimum": 0, "maximum": 1}

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
        "additionalProperties": STRINGS,
        "description": 'labels that are allowed, {"3": ["B-PER", "O"]}',
    },
}

QUESTIONS = {  # name, summary, example
    "tag": ("Label sentences or texts", {}),
    "nbest": ("Find the n best labellings", {"n": 3}),
    "posterior": ("Compute the probability of every label at every position", {}),
    "explain": ("Explain a label, or compare every label with its rival", {"at": 0}),
    "sample": ("Draw labellings from the model's distribution", {"n": 2, "seed": 1}),
    "trellis": ("Compute what a picture of the trellis shows", {}),
    "steps": ("Compute the tables of forward, backward and Viterbi", {}),
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


def description(settings: Settings, options: dict[str, tuple[str, ...]], adapters: Schema) -> Schema:
    """Describe every address of the service.

    settings   of the service, for its limits
    options    the members that each question has beside the input
    adapters   addresses of other protocols
    """
    asked = {
        f"/v1/{name}": _question(name, *about, options[name], settings) for name, about in QUESTIONS.items()
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
        "paths": {**asked, **_of_models(), **_for_the_page(settings), **_others(), **adapters},
        "components": {
            "schemas": _schemas(settings),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Problem": PROBLEM},
            "parameters": {
                "Name": {"name": "name", "in": "path", "required": True, "schema": ref("Name")},
            },
        },
    }


def _question(
    name: str, summary: str, example: Schema, options: tuple[str, ...], settings: Settings
) -> Schema:
    limits = settings.limits
    n = {"type": "integer", "minimum": 1, "maximum": limits.n, "description": "how many"}
    members: Schema = {
        "model": ref("Name"),
        "layer": {"type": "string", "description": "which tagger of a pipeline; the last when left out"},
        "offsets": {"enum": list(UNITS), "description": "how places in a text are counted"},
        **{one: n if one == "n" else MEMBERS[one] for one in options},
    }
    text = {"type": "string", "description": "raw text, which is split into sentences and tokens"}
    batch = array(ref("Item"), description=f"sentences or texts, at most {limits.batch}")
    body = {
        "oneOf": [
            closed({"tokens": ref("Tokens"), **WISHES, **members}, "tokens"),
            closed({"text": text, **members}, "text"),
            closed({"batch": batch, **members}, "batch"),
        ]
    }
    lines = {NDJSON: {"schema": STRING}}
    plain = {TEXT: {"schema": STRING}} if name == "tag" else {}
    example = {"tokens": ["Anna", "sings"], **example}
    return post(name, summary, body, full(model=STRING), example, more=(lines, {**lines, **plain}))


def _of_models() -> Schema:
    layer = parameter("layer", STRING, "which tagger of a pipeline; the last when left out")
    weights = (
        parameter("label", STRING, "only weights of this label"),
        parameter("search", STRING, "only attributes that contain this"),
        parameter("n", {"type": "integer", "minimum": 1, "maximum": MOST_WEIGHTS}, "how many"),
    )
    feature = full(attribute=STRING, label=STRING, weight={"type": "number"})
    move = full(labels=STRINGS, weight={"type": "number"})
    found = full(features=array(feature), transitions=array(move))
    figures = full(figures={"type": "object", "additionalProperties": {"type": "array"}})
    return {
        "/v1/models": get("listModels", "List the models", full(models=array(ref("Model")))),
        "/v1/models/{name}": get("describeModel", "Describe a model", ref("Model"), asked=(NAME,)),
        "/v1/models/{name}/weights": get(
            "weights", "List the heaviest weights", found, asked=(NAME, layer, *weights)
        ),
        "/v1/models/{name}/training": get(
            "training", "List the figures of the training", figures, asked=(NAME, layer)
        ),
    }


def _for_the_page(settings: Settings) -> Schema:
    row = array(PROBABILITY, most=MOST_LABELS)
    tables = obj(
        {
            "labels": array(STRING, 1, MOST_LABELS, "names of the states"),
            "words": array(STRING, description=f"at most {settings.limits.tokens}"),
            "start": {**row, "description": "probabilities of the first state"},
            "transitions": array(row, most=MOST_LABELS, description="a row for each state"),
            "emissions": {
                "type": "object",
                "additionalProperties": row,
                "description": "for each word its probability in each state",
            },
        },
        *("labels", "words", "start", "transitions", "emissions"),
    )
    half = [0.5, 0.5]
    table_example = {
        "labels": ["N", "V"],
        "words": ["fish", "swim"],
        "start": half,
        "transitions": [[0.3, 0.7], [0.6, 0.4]],
        "emissions": {"fish": [0.4, 0.1], "swim": [0.1, 0.5]},
    }
    of_model = {
        "model": {**OPTIONAL, "description": "the name of a model; the first when left out"},
        "layer": {**OPTIONAL, "description": "which tagger of a pipeline; the last when left out"},
    }
    file = obj(
        {
            "content": {**STRING, "description": "the text of the file"},
            "column": {**OPTIONAL, "description": "the column with the right labels"},
            "format": {**OPTIONAL, "description": "of the file, by its name in seqlab.read"},
            **of_model,
        },
        "content",
    )
    labels = {"type": "object", "propertyNames": POSITIONS, "additionalProperties": STRING}
    corrections = obj(
        {
            **{name: file["properties"][name] for name in ("content", "column", "format")},
            "labels": {
                "type": "object",
                "propertyNames": POSITIONS,
                "additionalProperties": labels,
                "description": 'the right labels, by sentence and position, {"0": {"3": "B-PER"}}',
            },
        },
        *("content", "labels"),
    )
    corrected = full(tokens=ref("Tokens"), labels=STRINGS)
    sentences = obj({"sentences": array(corrected, 1), **of_model}, "sentences")
    scores = obj(
        {"model": STRING, "column": STRING, "report": {"type": "object"}, "sentences": {"type": "array"}},
        *("model", "column", "report", "sentences"),
    )
    gold = "Anna\tB-PER\nsings\tO\n"
    told = {"sentences": [{"tokens": ["Anna", "sings"], "labels": ["B-PER", "O"]}]}
    return {
        "/v1/tables": post(
            "tables",
            "Compute forward, backward and Viterbi of a hidden Markov model whose tables are given",
            tables,
            full(words=STRINGS, labels=STRINGS, forward={"type": "array"}),
            table_example,
        ),
        "/v1/evaluate": post("evaluate", "Evaluate a model on a file", file, scores, {"content": gold}),
        "/v1/correct": post(
            "correct",
            "Write a file anew with some of its labels corrected",
            corrections,
            STRING,
            {"content": gold, "labels": {"0": {"1": "B-LOC"}}},
            kind=TEXT,
        ),
        "/v1/learn": post(
            "learn",
            "Train a model further, where the service was started with --learn",
            sentences,
            full(model=STRING, sentences=INTEGER, saved=STRING),
            told,
        ),
    }


def _others() -> Schema:
    status = full(status=STRING)
    return {
        "/healthz": get("health", "Say whether the process is alive", status, free=True),
        "/readyz": get("ready", "Say whether requests are welcome", status, free=True),
        "/metrics": get("metrics", "Write counts and times for Prometheus", STRING, kind=TEXT),
        "/openapi.json": get("openapi", "Describe the service", {"type": "object"}),
        "/docs": get("docs", "Open this description as a page", STRING, kind=HTML),
        "/": get("page", "Open the page", STRING, kind=HTML),
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
    layer = full(
        name=STRING,
        kind=STRING,
        labels=STRINGS,
        columns=STRINGS,
        probabilities=BOOLEAN,
        explains=BOOLEAN,
    )
    return {
        "Name": {
            "enum": [name for name, _ in settings.models],
            "description": "the name of a model; the first when left out",
        },
        "Tokens": tokens,
        "Item": {
            "oneOf": [
                ref("Tokens"),
                STRING,
                closed({"tokens": ref("Tokens"), **WISHES}, "tokens"),
                closed({"text": STRING}, "text"),
            ]
        },
        "Model": full(name=STRING, kind=STRING, version=STRING, layers=array(layer)),
        "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail"],
            "properties": {
                "type": STRING,
                "title": STRING,
                "status": INTEGER,
                "detail": STRING,
                "place": {
                    "type": "object",
                    "properties": {"sentence": INTEGER, "position": INTEGER, "line": INTEGER},
                },
                "option": STRING,
            },
        },
    }
