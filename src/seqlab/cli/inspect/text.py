"""Show what `seqlab inspect` tells of a model file, for people."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from typing import Any

from seqlab.cli.terminal.printing import counted, duration, section, size, table
from seqlab.views.text import clip, printable

WIDTH = 80
LABELS_SHOWN = 12  # labels whose features are shown when nobody asked for one
TEMPLATE_LINES = 12


def text_of(facts: dict[str, Any], arguments: argparse.Namespace) -> str:
    """Show the facts in at most 80 columns where the model's own names allow it."""
    parts = [_head(facts), _settings(facts), _training(facts, all_epochs=arguments.history), _sizes(facts)]
    if facts.get("template"):
        parts.append(_template_text(facts["template"], whole=arguments.template))
    if facts.get("top_features"):
        parts += [_features_text(facts, arguments), _moves_text(facts)]
    if facts.get("oracle"):
        parts.append(_reranker_text(facts))
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
    lines = ["heaviest features of each label"]
    for label in shown:
        lines += [f"  {printable(label)}", *_weight_lines(facts["top_features"][label], indent=4)]
    if len(labels) > len(shown):
        lines.append(f"  ... and {len(labels) - len(shown)} more labels (--label shows one)")
    return "\n".join(lines)


def _moves_text(facts: dict[str, Any]) -> str:
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


def _reranker_text(facts: dict[str, Any]) -> str:
    oracle, learned = facts["oracle"], facts["learned"]
    rows = [
        ("generator", facts["generator"]["kind"]),
        ("lists", f"{oracle['mean_length']:.1f} labellings on average in training"),
        (
            "accuracy",
            f"{oracle['first_accuracy']:.4f} of the first, {oracle['accuracy']:.4f} of the best of each",
        ),
        ("features", f"{facts['features']:,}"),
        ("learned", f"in {learned['iterations']} iterations, ended by {learned['reason']!r}"),
    ]
    lines = _weight_lines(facts["heaviest"], indent=2)
    return "\n".join([section("re-ranking", rows), "", "heaviest features", *lines])


def _weight_lines(pairs: list[list[Any]], indent: int) -> Iterator[str]:
    for name, weight in pairs:
        yield f"{'':<{indent}}{weight:>+9.3f}  {clip(printable(name), WIDTH - 12 - indent, '…')}"
