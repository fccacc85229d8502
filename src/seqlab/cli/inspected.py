"""A model file as facts, and the facts as text."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlab.cli.inspected_others import classifier_facts, reranker_facts, reranker_text
from seqlab.cli.printing import counted, duration, section, size, table

if TYPE_CHECKING:
    from seqlab.store.state import State
    from seqlab.tagging.tagger import Tagger

WIDTH = 80
LABELS_SHOWN = 12  # labels whose features are shown when nobody asked for one
TEMPLATE_LINES = 12


def facts_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    from seqlab import load, store
    from seqlab.cli.inputs import refuse_stream
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
    """Versions, which are in the header and not in a State; the header was checked before."""
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
    """Bytes of the arrays, by the part that they belong to."""
    found: dict[str, int] = {}
    for name, array in state.arrays.items():
        part = name.partition(".")[0] if "." in name else "model"
        found[part] = found.get(part, 0) + int(array.nbytes)
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _weights(tagger: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """The heaviest features and the moves of a linear model; what others have learned, and nothing for counts."""
    top, chosen = arguments.top, arguments.label or list(getattr(tagger, "labels_", ()))
    if hasattr(tagger, "classifier_"):
        return classifier_facts(tagger, top, chosen)
    if hasattr(tagger, "oracle_"):
        return reranker_facts(tagger, top)
    if not hasattr(tagger, "top_features"):
        return {}
    model = tagger.model_
    features = {
        label: [[one.attribute, one.weight] for one in tagger.top_features(top, label=label)]
        for label in chosen
    }
    rules = model.rules
    names = tagger.labels_
    return {
        "attributes": tagger.encoder_.size,
        "edge_attributes": tagger.encoder_.edge_size,
        "weights": model.size,
        "order": model.order,
        "template": _template(tagger),
        "top_features": features,
        "likely_moves": _moves(tagger, top, 1),
        "unlikely_moves": _moves(tagger, top, -1),
        "forbidden": {
            "moves": [[names[a], names[b]] for a, b in zip(*rules.forbidden.nonzero(), strict=True)],
            "starts": [names[y] for y in rules.no_start.nonzero()[0]],
            "ends": [names[y] for y in rules.no_end.nonzero()[0]],
        },
    }


def _moves(tagger: Any, top: int, sign: int) -> list[list[Any]]:
    found = tagger.top_transitions(top, sign=sign)
    return [[" ".join(one.labels), one.weight, *([one.attribute] if one.attribute else [])] for one in found]


def _template(tagger: Any) -> str | None:
    features = tagger.encoder_.features
    return None if features is None else str(features)


# ------------------------------------------------------------------------------------------------ text


def text_of(facts: dict[str, Any], arguments: argparse.Namespace) -> str:
    """The facts for people, in at most 80 columns where the model's own names allow it."""
    parts = [_head(facts), _settings(facts), _training(facts, all_epochs=arguments.history), _sizes(facts)]
    if facts.get("template"):
        parts.append(_template_text(facts["template"], whole=arguments.template))
    if facts.get("top_features"):
        parts += [_features_text(facts, arguments), _moves_text(facts)]
    if facts.get("oracle"):
        parts.append(reranker_text(facts))
    return "\n\n".join(part for part in parts if part)


def _head(facts: dict[str, Any]) -> str:
    labels = " ".join(facts["labels"])
    rows = [
        ("kind", facts["kind"]),
        ("size", size(facts["bytes"])),
        ("written by", f"seqlab {facts['written_by']}, format {facts['format']}"),
        ("checksum", facts["checksum"]),
    ]
    if facts["labels"]:
        shown = textwrap.shorten(f"{len(facts['labels'])}: {labels}", WIDTH - 14, placeholder=" ...")
        rows.append(("labels", shown))
    if facts["columns"]:
        rows.append(("columns", f"{' '.join(facts['columns'])} -> {facts['label_column'] or 'label'}"))
    if facts["vocabulary"] is not None:
        rows.append(("vocabulary", counted(facts["vocabulary"], "word")))
    if "classifier" in facts:
        rows.append(("classifier", facts["classifier"]))
    if "weights" in facts:
        rows.append(("attributes", f"{facts['attributes'] + facts['edge_attributes']:,}"))
        rows.append(("weights", f"{facts['weights']:,}"))
    return section(facts["model"], rows)


def _settings(facts: dict[str, Any]) -> str:
    rows = []
    for name, value in facts["settings"].items():
        lines = textwrap.wrap(str(value), WIDTH - 18, break_on_hyphens=False) or [""]
        lines = lines if len(lines) <= 4 else [*lines[:3], "..."]
        rows.append((name, lines[0]))
        rows += [("", line) for line in lines[1:]]
    return section("settings", rows)


def _training(facts: dict[str, Any], *, all_epochs: bool) -> str:
    rows: list[tuple[str, str]] = []
    command, history = facts["command"], facts["history"]
    if isinstance(command, dict):
        files = " ".join(map(str, command.get("files", [])))
        rows.append(("from", files))
        rows.append(("sentences", f"{command.get('sentences', '?')}, {command.get('tokens', '?')} tokens"))
        given = command.get("given") or {}
        flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())
        lines = textwrap.wrap(flags, WIDTH - 13, break_on_hyphens=False, break_long_words=False)
        rows += [("" if i else "flags", line) for i, line in enumerate(lines)]
    if isinstance(history, dict) and history.get("epochs"):
        epochs = history["epochs"]
        seconds = sum(epoch["seconds"] for epoch in epochs)
        rows.append(
            ("epochs", f"{epochs[-1]['iteration']} in {duration(seconds)}, ended by {history['reason']!r}")
        )
        if epochs[-1]["objective"] is not None:
            rows.append(("objective", f"{epochs[-1]['objective']:.4f}"))
        if history.get("metric"):
            best = next(e["dev_score"] for e in reversed(epochs) if e["iteration"] == history["best"])
            rows.append(("best", f"epoch {history['best']}, {history['metric']} {best:.4f} on dev"))
    if not rows:
        return ""
    text = section("training", rows)
    return f"{text}\n\n{_epochs(history['epochs'])}" if all_epochs and isinstance(history, dict) else text


def _epochs(epochs: list[dict[str, Any]]) -> str:
    names = [
        name
        for name in ("objective", "gradient_norm", "active", "dev_score", "seconds")
        if epochs and epochs[0][name] is not None
    ]
    rows = [[str(e["iteration"]), *(f"{e[name]:.6g}" for name in names)] for e in epochs]
    return table(["epoch", *(name.replace("_", " ") for name in names)], rows, left=0)


def _sizes(facts: dict[str, Any]) -> str:
    return section("size of the parts", [(name, size(count)) for name, count in facts["parts"].items()])


def _template_text(template: str, *, whole: bool) -> str:
    lines = template.splitlines()
    shown = lines if whole else lines[:TEMPLATE_LINES]
    more = len(lines) - len(shown)
    rest = [f"  ... and {more} more (--template shows all)"] if more else []
    return "\n".join(["template", *(f"  {line}" for line in shown), *rest])


def _features_text(facts: dict[str, Any], arguments: argparse.Namespace) -> str:
    labels = list(facts["top_features"])
    shown = labels if arguments.label else labels[:LABELS_SHOWN]
    blocks = []
    for label in shown:
        rows = [[name, f"{weight:+.3f}"] for name, weight in facts["top_features"][label]]
        blocks.append("\n".join(_feature_rows(label, rows)))
    more = len(labels) - len(shown)
    rest = f"\n  ... and {more} more labels (--label shows one)" if more else ""
    return "heaviest features of each label\n" + "\n".join(blocks) + rest


def _feature_rows(label: str, rows: list[list[str]]) -> Iterator[str]:
    from seqlab.views.text.width import clip, printable

    yield f"  {printable(label)}"
    for name, weight in rows:
        yield f"    {weight:>9}  {clip(printable(name), WIDTH - 16, '…')}"


def _moves_text(facts: dict[str, Any]) -> str:
    from seqlab.views.text.width import printable

    parts = []
    for title, key in (("likely moves", "likely_moves"), ("unlikely moves", "unlikely_moves")):
        rows = [
            f"    {weight:>+9.3f}  {printable(' '.join([labels, *map(str, more)]))}"
            for labels, weight, *more in facts[key]
        ]
        if rows:
            parts.append("\n".join([title, *rows]))
    parts += _forbidden_text(facts["forbidden"])
    return "\n\n".join(parts)


def _forbidden_text(forbidden: dict[str, Any]) -> Iterator[str]:
    moves = [f"{a} {b}" for a, b in forbidden["moves"]]
    rows = [
        ("moves", "; ".join(moves)),
        ("first", " ".join(forbidden["starts"])),
        ("last", " ".join(forbidden["ends"])),
    ]
    lines = []
    for name, text in rows:
        shown = textwrap.shorten(text, 2 * (WIDTH - 10), placeholder=" ...")
        wrapped = textwrap.wrap(shown, WIDTH - 10, break_on_hyphens=False)
        lines += [f"    {name if i == 0 else '':<6}{line}" for i, line in enumerate(wrapped)]
    if lines:
        yield "\n".join([f"forbidden: {len(moves)} moves", *lines])
