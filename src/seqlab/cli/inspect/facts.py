"""Collect what `seqlab inspect` tells of a model file."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqlab.store.state import State
    from seqlab.tagging.tagger import Tagger


def facts_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Collect everything, as JSON can hold it."""
    from seqlab import load, store
    from seqlab.cli.models import refuse_stream
    from seqlab.errors import LabelError

    refuse_stream(arguments.model)
    state = store.read(arguments.model, verify=arguments.verify)
    tagger: Any = load(arguments.model)
    labels = tuple(getattr(tagger, "labels_", ()))
    for label in arguments.label or ():
        if label not in labels:
            raise LabelError(f"--label {label}: the model's labels are {' '.join(labels) or 'none'}")
    words = getattr(tagger, "vocabulary_", None)
    facts: dict[str, Any] = {
        "model": arguments.model,
        "kind": state.kind,
        "bytes": Path(arguments.model).stat().st_size,
        "checksum": "verified" if arguments.verify else "not compared (--verify does)",
        **_metadata(arguments.model),
        "labels": list(map(str, labels)),
        "columns": list(getattr(tagger, "columns_", ())),
        "label_column": getattr(tagger, "column_", None),
        "vocabulary": None if words is None else len(words),
        "settings": {name: _shown(value) for name, value in tagger.get_params(deep=False).items()},
        "python": _call(tagger),
        "command": state.record.get("command"),
        "history": state.record.get("history"),
        "pruned": state.record.get("pruned"),
        "parts": _parts(state),
    }
    return {**facts, **_weights(tagger, arguments)}


def _metadata(path: str) -> dict[str, Any]:
    """Read versions, which are in the header and not in a State; the header was checked before."""
    with Path(path).open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    found = header["__metadata__"]
    return {"written_by": found.get("seqlab"), "format": found.get("version"), "sha256": found.get("sha256")}


def _shown(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def _call(tagger: Tagger) -> str:
    text = repr(tagger)
    return text if len(text) < 2000 else f"{text[:2000]}..."


def _parts(state: State) -> dict[str, int]:
    """Count the bytes of the arrays, by the part that they belong to."""
    found: dict[str, int] = {}
    for name, array in state.arrays.items():
        part = name.partition(".")[0] if "." in name else "model"
        found[part] = found.get(part, 0) + int(array.nbytes)
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _weights(tagger: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Tell what was learned: features and moves of a linear model or a classifier, lists of a re-ranker."""
    top, chosen = arguments.top, arguments.label or list(getattr(tagger, "labels_", ()))
    if hasattr(tagger, "oracle_"):
        return _reranker(tagger, top)
    if hasattr(tagger, "classifier_"):
        rules, own = tagger.rules_, _classifier(tagger, top, chosen)
    elif hasattr(tagger, "top_features"):
        rules, own = tagger.model_.rules, _linear(tagger, top, chosen)
    else:
        return {}
    names = tagger.labels_
    return {
        **own,
        "forbidden": {
            "moves": [[names[a], names[b]] for a, b in zip(*rules.forbidden.nonzero(), strict=True)],
            "starts": [names[y] for y in rules.no_start.nonzero()[0]],
            "ends": [names[y] for y in rules.no_end.nonzero()[0]],
        },
    }


def _linear(tagger: Any, top: int, labels: list[str]) -> dict[str, Any]:
    """Tell the heaviest features and the moves of a chain."""

    def moves(sign: int) -> list[list[Any]]:
        found = tagger.top_transitions(top, sign=sign)
        return [
            [" ".join(one.labels), one.weight, *([one.attribute] if one.attribute else [])] for one in found
        ]

    return {
        "attributes": tagger.encoder_.size,
        "edge_attributes": tagger.encoder_.edge_size,
        "weights": tagger.model_.size,
        "order": tagger.model_.order,
        "template": _template(tagger),
        "top_features": {
            label: [[one.attribute, one.weight] for one in tagger.top_features(top, label=label)]
            for label in labels
        },
        "likely_moves": moves(1),
        "unlikely_moves": moves(-1),
    }


def _classifier(tagger: Any, top: int, labels: list[str]) -> dict[str, Any]:
    """Tell the numbers of a LocalTagger's classifier, and the heaviest features of these labels."""
    scores, columns = tagger.classifier_, tagger.layout_

    def heaviest(label: str) -> list[list[Any]]:
        weights = scores.weights_of(label)
        chosen = abs(weights).argsort(kind="stable")[::-1][:top]
        return [[_column(tagger, i), float(weights[i])] for i in chosen.tolist()]

    return {
        "classifier": f"{scores.name}, by its {tagger.response_.method}",
        "attributes": columns.attributes,
        "edge_attributes": columns.pairs if columns.previous else 0,
        "weights": int(scores.weights.size),
        "template": _template(tagger),
        "top_features": {label: heaviest(label) for label in labels},
        "likely_moves": [],
        "unlikely_moves": [],
    }


def _template(tagger: Any) -> str | None:
    template = tagger.encoder_.features
    return None if template is None else str(template)


def _column(tagger: Any, i: int) -> str:
    """Name a column of the matrix that the classifier sees."""
    encoder, labels = tagger.encoder_, tagger.labels_
    if i < encoder.size:
        return str(encoder.attributes[i])
    i -= encoder.size
    if i <= len(labels):
        return f"after {labels[i]}" if i < len(labels) else "at the beginning"
    pair, label = divmod(i - len(labels) - 1, len(labels))
    return f"{encoder.edge_attributes[pair]} after {labels[label]}"


def _reranker(reranker: Any, top: int) -> dict[str, Any]:
    """Tell where the lists come from, how good they were in training, and what was learned about them."""
    learned = reranker.learned_
    return {
        "generator": {"kind": type(reranker.generator_).__name__, "python": f"{reranker.generator_!r:.2000}"},
        "features": len(reranker.coef_),
        "oracle": asdict(reranker.oracle_),
        "learned": {
            "iterations": learned.iterations,
            "reason": learned.reason,
            "objective": learned.objective,
        },
        "heaviest": [[name, weight] for name, weight in reranker.top_features(top)],
    }
