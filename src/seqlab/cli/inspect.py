"""`seqlab inspect`: show the contents of a model file."""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from seqlab.cli import parsing
from seqlab.cli.kinds.inside import learned
from seqlab.cli.kinds.inside import text as text_of
from seqlab.cli.parsing import option, whole
from seqlab.cli.reading.corpora import is_arpa, is_builtin, refuse_stream
from seqlab.cli.terminal import as_json, counted, duration, section, size, table

USAGE = "MODEL"
DESCRIPTION = """\
What is inside a model file: its kind, labels and settings, how it was trained, the size of
its parts, the heaviest features of each label, likely and forbidden moves."""

EXAMPLES = """\
seqlab inspect chunks.model
seqlab inspect chunks.model --top 20 --label B-NP
seqlab inspect chunks.model --template --history
seqlab inspect chunks.model --json | jq .settings
seqlab inspect chunks.model --verify"""

OPTIONS = (
    parsing.MODEL,
    option("--top N", "features of each label, and moves (default: 5)", whole(1), default=5),
    option("--label -l LABEL", "only this label; may be repeated", action="append"),
    option("--template", "the whole template"),
    option("--history", "every epoch of training"),
    option("--verify", "also compare the file with the checksum in it"),
    parsing.JSON,
)

WIDTH = 80
LABELS_SHOWN = 12  # labels whose features are shown by default
TEMPLATE_LINES = 12


def run(arguments: argparse.Namespace) -> None:
    """Read the file and print its contents."""
    from seqlab.store.reading import misfits_told

    facts = _facts(arguments)
    with misfits_told(arguments.model):  # loading does not check the training record
        shown = as_json(facts, indent=2) if arguments.json else _text(facts, arguments)
    print(shown)


def _facts(arguments: argparse.Namespace) -> dict[str, Any]:
    """Collect all facts, as JSON values."""
    from seqlab import load, store
    from seqlab.errors import LabelError, OptionError

    refuse_stream(arguments.model)
    if is_arpa(arguments.model):
        raise OptionError(
            f"{arguments.model} is an ARPA file; seqlab convert makes a model of it, whose contents can be shown"
        )
    if is_builtin(arguments.model):
        return _of_text(load(arguments.model), {"model": arguments.model, "kind": "pipeline"})
    state = store.read(arguments.model, verify=arguments.verify)
    tagger: Any = load(arguments.model)
    if not hasattr(tagger, "get_params"):
        known = {"model": arguments.model, "kind": state.kind, "bytes": Path(arguments.model).stat().st_size}
        return _of_text(tagger, {**known, **_versions(arguments.model)})
    labels = tuple(getattr(tagger, "labels_", ()))
    for label in arguments.label or ():
        if label not in labels:
            raise LabelError(f"--label {label}: the model's labels are {' '.join(labels) or 'none'}")
    words, call, plain = (
        getattr(tagger, "vocabulary_", None),
        repr(tagger),
        (bool, int, float, str, type(None)),
    )
    settings = tagger.get_params(deep=False).items()
    parts = Counter[str]()
    for name, array in state.arrays.items():
        parts[name.partition(".")[0] if "." in name else "model"] += int(array.nbytes)
    return {
        "model": arguments.model,
        "kind": state.kind,
        "bytes": Path(arguments.model).stat().st_size,
        "checksum": "verified" if arguments.verify else "not compared (--verify does)",
        **_versions(arguments.model),
        "labels": list(map(str, labels)),
        "columns": list(getattr(tagger, "columns_", ())),
        "label_column": getattr(tagger, "column_", None),
        "vocabulary": None if words is None else len(words),
        "settings": {name: value if isinstance(value, plain) else repr(value) for name, value in settings},
        "python": call if len(call) < 2000 else f"{call[:2000]}...",
        **{name: state.record.get(name) for name in ("command", "history", "pruned")},
        "parts": dict(parts.most_common()),
        **_learned(tagger, arguments.top, arguments.label or labels),
    }


def _of_text(model: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a pipeline or tokeniser."""
    tokeniser = getattr(model, "tokeniser", model)
    layers = zip(getattr(model, "names", ()), getattr(model, "taggers", ()), strict=True)
    return {
        **known,
        "about": getattr(model, "about", ""),
        "tokeniser": repr(tokeniser),
        "layers": {name: {"python": repr(one), "labels": list(one.labels_)} for name, one in layers},
    }


def _text_of_pipeline(facts: dict[str, Any]) -> str:
    told = [(name, str(facts[name])) for name in ("model", "kind", "about", "tokeniser") if facts.get(name)]
    rows: list[tuple[str, str]] = []
    for name, value in told:
        rows += _named(name, textwrap.wrap(value, WIDTH - 18, break_on_hyphens=False) or [""])
    parts = [section("model", rows)]
    for name, layer in facts["layers"].items():
        text = f"{layer['python']}; labels {' '.join(layer['labels'])}"
        lines = textwrap.wrap(text, WIDTH - 4, break_on_hyphens=False)
        parts.append("\n  ".join([f"layer {name}", *(lines if len(lines) <= 5 else [*lines[:4], "..."])]))
    return "\n\n".join(parts)


def _versions(path: str) -> dict[str, Any]:
    """Read the versions, which are in the header and not in a State; the header is already checked."""
    import json

    with Path(path).open("rb") as file:
        found = json.loads(file.read(int.from_bytes(file.read(8), "little")))["__metadata__"]
    return {"written_by": found.get("seqlab"), "format": found.get("version"), "sha256": found.get("sha256")}


def _learned(tagger: Any, top: int, labels: Sequence[str]) -> dict[str, Any]:
    """Return the learned parameters: features and transitions of a linear model or classifier, lists of a re-ranker."""
    moves: list[list[Any]] = [[], []]
    if hasattr(tagger, "oracle_"):
        return _reranker(tagger, top)
    if hasattr(tagger, "classifier_"):
        scores, columns, rules = tagger.classifier_, tagger.layout_, tagger.rules_
        own: dict[str, Any] = {"classifier": f"{scores.name}, by its {tagger.response_.method}"}
        attributes, pairs = columns.attributes, columns.pairs if columns.previous else 0
        own |= {"attributes": attributes, "edge_attributes": pairs, "weights": int(scores.weights.size)}
        features = {label: _heaviest(tagger, label, top) for label in labels}
    elif hasattr(tagger, "top_features"):
        encoder, model, rules = tagger.encoder_, tagger.model_, tagger.model_.rules
        own = {"attributes": encoder.size, "edge_attributes": encoder.edge_size}
        own |= {"weights": model.size, "order": model.order}
        found = {label: tagger.top_features(top, label=label) for label in labels}
        features = {label: [[one.attribute, one.weight] for one in some] for label, some in found.items()}
        moves = [
            [[" ".join(one.labels), one.weight, *filter(None, [one.attribute])] for one in some]
            for some in (tagger.top_transitions(top, sign=sign) for sign in (1, -1))
        ]
    else:
        return {"learned": learned(tagger, top)}
    names, template = tagger.labels_, tagger.encoder_.features
    return {
        **own,
        "template": None if template is None else str(template),
        "top_features": features,
        "likely_moves": moves[0],
        "unlikely_moves": moves[1],
        "forbidden": {
            "moves": [[names[a], names[b]] for a, b in zip(*rules.forbidden.nonzero(), strict=True)],
            "starts": [names[y] for y in rules.no_start.nonzero()[0]],
            "ends": [names[y] for y in rules.no_end.nonzero()[0]],
        },
    }


def _heaviest(tagger: Any, label: str, top: int) -> list[list[Any]]:
    """Find the largest weights of a label in a classifier, by the names of its columns."""
    encoder, labels, weights = tagger.encoder_, tagger.labels_, tagger.classifier_.weights_of(label)

    def name(i: int) -> str:
        if i < encoder.size:
            return str(encoder.attributes[i])
        i -= encoder.size
        if i <= len(labels):
            return f"after {labels[i]}" if i < len(labels) else "at the beginning"
        pair, before = divmod(i - len(labels) - 1, len(labels))
        return f"{encoder.edge_attributes[pair]} after {labels[before]}"

    chosen = abs(weights).argsort(kind="stable")[::-1][:top]
    return [[name(i), float(weights[i])] for i in chosen.tolist()]


def _reranker(reranker: Any, top: int) -> dict[str, Any]:
    """Return the source of the n-best lists, their quality in training, and the learned weights."""
    from dataclasses import asdict

    told = ("iterations", "reason", "objective")
    return {
        "generator": {"kind": type(reranker.generator_).__name__, "python": f"{reranker.generator_!r:.2000}"},
        "features": len(reranker.coef_),
        "oracle": asdict(reranker.oracle_),
        "learned": {name: getattr(reranker.learned_, name) for name in told},
        "heaviest": [[name, weight] for name, weight in reranker.top_features(top)],
    }


def _text(facts: dict[str, Any], arguments: argparse.Namespace) -> str:
    """Format the facts in at most 80 columns, if the model's names allow it."""
    if "layers" in facts:
        return _text_of_pipeline(facts)
    sizes = [(name, size(count)) for name, count in facts["parts"].items()]
    settings: list[tuple[str, str]] = []
    for name, value in facts["settings"].items():
        lines = textwrap.wrap(str(value), WIDTH - 18, break_on_hyphens=False) or [""]
        settings += _named(name, lines if len(lines) <= 4 else [*lines[:3], "..."])
    parts = [
        _head(facts),
        section("settings", settings),
        _training(facts, all_epochs=arguments.history),
        section("size of the parts", sizes),
    ]
    if facts.get("template"):
        lines = facts["template"].splitlines()
        more = 0 if arguments.template else max(len(lines) - TEMPLATE_LINES, 0)
        rest = [f"... and {more} more (--template shows all)"] if more else []
        parts.append("\n  ".join(["template", *lines[: len(lines) - more], *rest]))
    if facts.get("top_features"):
        parts += [_features(facts["top_features"], every=bool(arguments.label)), *_moves(facts)]
    if facts.get("oracle"):
        parts.append(_reranking(facts))
    elif facts.get("learned"):
        parts += text_of(facts["learned"])
    return "\n\n".join(part for part in parts if part)


def _head(facts: dict[str, Any]) -> str:
    columns, words, all_labels = facts["columns"], facts["vocabulary"], facts["labels"]
    labels = f"{len(all_labels)}: {' '.join(all_labels)}"
    linear = "weights" in facts
    rows = {
        "kind": facts["kind"],
        "size": size(facts["bytes"]),
        "written by": f"seqlab {facts['written_by']}, format {facts['format']}",
        "checksum": facts["checksum"],
        "labels": textwrap.shorten(labels, WIDTH - 14, placeholder=" ...") if all_labels else None,
        "columns": f"{' '.join(columns)} -> {facts['label_column'] or 'label'}" if columns else None,
        "vocabulary": None if words is None else counted(words, "word"),
        "classifier": facts.get("classifier"),
        "attributes": f"{facts['attributes'] + facts['edge_attributes']:,}" if linear else None,
        "weights": f"{facts['weights']:,}" if linear else None,
    }
    return section(facts["model"], [(name, text) for name, text in rows.items() if text is not None])


def _named(name: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Put a name before the first of some lines."""
    return zip(chain([name], repeat("")), lines, strict=False)


def _training(facts: dict[str, Any], *, all_epochs: bool) -> str:
    rows: list[tuple[str, str]] = []
    command, history = facts["command"], facts["history"]
    if isinstance(command, dict):
        rows.append(("from", " ".join(map(str, command.get("files", [])))))
        rows.append(("sentences", f"{command.get('sentences', '?')}, {command.get('tokens', '?')} tokens"))
        given = command.get("given") or {}
        flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in given.items())
        rows += _named(
            "flags", textwrap.wrap(flags, WIDTH - 13, break_on_hyphens=False, break_long_words=False)
        )
    epochs = history.get("epochs") if isinstance(history, dict) else None
    if epochs:
        took, last = duration(sum(epoch["seconds"] for epoch in epochs)), epochs[-1]
        rows.append(("epochs", f"{last['iteration']} in {took}, ended by {history['reason']!r}"))
        if last["objective"] is not None:
            rows.append(("objective", f"{last['objective']:.4f}"))
        if history.get("metric"):
            best = next(e["dev_score"] for e in reversed(epochs) if e["iteration"] == history["best"])
            rows.append(("best", f"epoch {history['best']}, {history['metric']} {best:.4f} on dev"))
    if not rows:
        return ""
    text = section("training", rows)
    return f"{text}\n\n{_epochs(history['epochs'])}" if all_epochs and isinstance(history, dict) else text


def _epochs(epochs: list[dict[str, Any]]) -> str:
    known = ("objective", "gradient_norm", "active", "dev_score", "seconds")
    names = [name for name in known if epochs and epochs[0][name] is not None]
    rows = [[str(e["iteration"]), *(f"{e[name]:.6g}" for name in names)] for e in epochs]
    return table(["epoch", *(name.replace("_", " ") for name in names)], rows, left=0)


def _features(features: dict[str, Any], *, every: bool) -> str:
    from seqlab.views.text import printable

    shown = list(features)[: None if every else LABELS_SHOWN]
    lines = ["heaviest features of each label"]
    for label in shown:
        lines += [f"  {printable(label)}", *_weights(features[label], indent=4)]
    if len(features) > len(shown):
        lines.append(f"  ... and {len(features) - len(shown)} more labels (--label shows one)")
    return "\n".join(lines)


def _moves(facts: dict[str, Any]) -> Iterator[str]:
    from seqlab.views.text import printable

    for key in ("likely_moves", "unlikely_moves"):
        rows = [
            f"    {weight:>+9.3f}  {printable(' '.join([labels, *map(str, more)]))}"
            for labels, weight, *more in facts[key]
        ]
        if rows:
            yield "\n".join([key.replace("_", " "), *rows])
    forbidden, lines = facts["forbidden"], list[str]()
    moves = [" ".join(pair) for pair in forbidden["moves"]]
    texts = {
        "moves": "; ".join(moves),
        "first": " ".join(forbidden["starts"]),
        "last": " ".join(forbidden["ends"]),
    }
    for name, text in texts.items():
        shown = textwrap.shorten(text, 2 * (WIDTH - 10), placeholder=" ...")
        wrapped = textwrap.wrap(shown, WIDTH - 10, break_on_hyphens=False)
        lines += [f"    {begin:<6}{line}" for begin, line in _named(name, wrapped)]
    if lines:
        yield "\n".join([f"forbidden: {len(moves)} moves", *lines])


def _reranking(facts: dict[str, Any]) -> str:
    oracle, learned = facts["oracle"], facts["learned"]
    first, best = oracle["first_accuracy"], oracle["accuracy"]
    rows = [
        ("generator", facts["generator"]["kind"]),
        ("lists", f"{oracle['mean_length']:.1f} labellings on average in training"),
        ("accuracy", f"{first:.4f} of the first, {best:.4f} of the best of each"),
        ("features", f"{facts['features']:,}"),
        ("learned", f"in {learned['iterations']} iterations, ended by {learned['reason']!r}"),
    ]
    lines = _weights(facts["heaviest"], indent=2)
    return "\n".join([section("re-ranking", rows), "", "heaviest features", *lines])


def _weights(pairs: list[list[Any]], indent: int) -> Iterator[str]:
    from seqlab.views.text import clip, printable

    for name, weight in pairs:
        yield f"{'':<{indent}}{weight:>+9.3f}  {clip(printable(name), WIDTH - 12 - indent, '…')}"
