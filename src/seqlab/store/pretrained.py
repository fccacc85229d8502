"""A model as a folder for a model hub: model.safetensors, config.json, and a card with its evaluation."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seqlab.errors import OptionError, Place, StoreError
from seqlab.files import checked_name, write_whole
from seqlab.store.state import State

MODEL, CONFIG, CARD = "model.safetensors", "config.json", "README.md"
# Figures of reports, and what a hub calls them.
FIGURES = {"accuracy": "accuracy", "span_f1": "f1", "span_precision": "precision", "span_recall": "recall"}


def write_folder(
    folder: str | os.PathLike[str], state: State, facts: Mapping[str, Any], report: Any, name: str | None
) -> None:
    """Write a model as a folder.

    folder   which is made if it is not there; other files in it stay
    state    of the model
    facts    about it, as plain data: labels, layers, ...
    report   its evaluation, with text() and to_dict(); or None
    name     of the model, in the card; None for that of the folder
    """
    from seqlab.store.writing import library_version, write  # reading does without

    if report is not None and not (hasattr(report, "text") and hasattr(report, "to_dict")):
        raise OptionError(f"report is what evaluate(...) returns, got {report!r:.60}", option="report")
    path = Path(checked_name(folder))
    config = {
        "library_name": "seqlab",
        "library_version": library_version(),
        "model_type": state.kind,
        **facts,
    }
    if report is not None:
        config["evaluation"] = _figures(report)
    try:
        path.mkdir(parents=True, exist_ok=True)
        write(path / MODEL, state)
        write_whole(path / CONFIG, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
        write_whole(path / CARD, _card(name or path.resolve().name, config, report, state))
    except OSError as error:
        raise StoreError(
            f"the folder cannot be written ({error.strerror or error})", place=Place(path=str(path))
        ) from error


def file_in(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the model file in a folder; a path that is no such folder stays."""
    inside = os.path.join(path, MODEL)  # noqa: PTH118  (pathlib is slow to import)
    return inside if os.path.isfile(inside) else path  # noqa: PTH113


def _figures(report: Any) -> dict[str, float]:
    """Return the headline figures of a report by the names of hubs."""
    told = getattr(report, "figures", None)
    if isinstance(told, Mapping):
        return {ours: float(told[name]) for name, ours in FIGURES.items() if name in told}
    strict = getattr(report, "strict", None)
    if strict is None:
        return {}
    return {name: float(getattr(strict, name)) for name in ("f1", "precision", "recall")}


def _card(name: str, config: Mapping[str, Any], report: Any, state: State) -> str:
    figures = config.get("evaluation", {})
    head = ["---", "library_name: seqlab", "pipeline_tag: token-classification", "tags:", "- seqlab"]
    head += ["- sequence-labelling", f"- {str(config['model_type']).replace(' ', '-')}"]
    if figures:
        head += ["model-index:", f"- name: {json.dumps(name)}", "  results:", "  - task:"]
        head += ["      type: token-classification", "    dataset:", "      name: held-out sentences"]
        head += ["      type: held-out", "    metrics:"]
        for figure, value in figures.items():
            head += [f"    - type: {figure}", f"      value: {value:.6f}"]
    parts = ["\n".join([*head, "---"]), f"# {name}"]
    parts.append(
        f"A model of [seqlab](https://seqlab.example) {config['library_version']}: {config['model_type']}."
    )
    parts.append(f'```python\nimport seqlab\n\nmodel = seqlab.load("{name}")  # this folder\n```')
    for layer, labels in config.get("labels", {}).items():
        parts += [f"## Labels: {layer}", ", ".join(f"`{label}`" for label in labels)]
    command = state.record.get("command")
    if isinstance(command, Mapping):
        told = [f"{command.get('sentences')} sentences, {command.get('tokens')} tokens"]
        told += [f"{key}: {value}" for key, value in dict(command.get("given", {})).items()]
        parts += ["## Training", "\n".join(f"- {one}" for one in told)]
    if report is None:
        parts += ["## Evaluation", "None was given: `save_pretrained(folder, report=model.evaluate(test))`."]
    else:
        parts += ["## Evaluation", f"```text\n{report.text()}\n```"]
    return "\n\n".join(parts) + "\n"
