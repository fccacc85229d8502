"""Writes tests/formats/models: a model file of each kind and option, and answers.json with what each of them answers.

PYTHONPATH=tests python -m formats.make_models [NAME ...]      (with seqlab installed)

It was run once, with seqlab 0.1.0.dev0 at commit 9224cd5, before models were stored in another way: what it wrote then
must load for ever, and is never written again. It stays for later releases, each of which may add files of its own:
give a recipe under formats/recipes a new name, and name it here. Without names it makes those that are not there yet.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import seqlab
from formats.model_answers import KERNEL, answers, machine
from formats.recipes import hidden, linear, others
from formats.recipes.data import FUNCTIONS

FOLDER = Path(__file__).parent / "models"
RECIPES = {**linear.RECIPES, **hidden.RECIPES, **others.RECIPES}


def main(names: list[str]) -> None:
    """Make models, and say which of them answer otherwise once they were in a file."""
    FOLDER.mkdir(exist_ok=True)
    book = FOLDER / "answers.json"
    found = json.loads(book.read_text(encoding="utf-8")) if book.exists() else {}
    for name in names or [name for name in RECIPES if name not in found]:
        if name in found:
            raise SystemExit(f"{name} is there already; files of earlier versions stay as they are")
        asked, make = RECIPES[name]
        with warnings.catch_warnings(), seqlab.inference.use_kernel(KERNEL):
            warnings.simplefilter("ignore")
            found[name] = {"asked": asked, "machine": machine(), "answers": _made(name, asked, make())}
    book.write_text(_written(found), encoding="utf-8")


def _made(name: str, asked: str, model: Any) -> dict[str, Any]:
    path = FOLDER / f"{name}.safetensors"
    fitted = hasattr(model, "save")
    if fitted:
        _set_clocks(model)
        model.save(path)
    else:  # a state, changed by hand
        seqlab.store.write(path, model)
    told = answers(seqlab.load(path, functions=FUNCTIONS, verify=True), asked)
    for question, before, after in _changes(answers(model, asked), told) if fitted else ():
        sys.stdout.write(f"{name}: {question} was {before!r:.90}, and is {after!r:.90}\n")
    return told


def _changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What answers otherwise once it was in a file."""
    for question in {**before, **after}:
        one, other = before.get(question), after.get(question)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from ((f"{question} {name}", *values) for name, *values in _changes(one, other))
        elif one != other:
            yield question, one, other


def _set_clocks(model: Any) -> None:
    """Seconds that training took, always the same ones."""
    for one in (model, getattr(model, "generator_", None)):
        if hasattr(one, "history_") and hasattr(one.history_, "to_dict"):
            told = one.history_.to_dict()
            for epoch in told["epochs"]:
                epoch["seconds"] = epoch["iteration"] / 8
            one.history_ = type(one.history_).from_dict(told)


def _written(found: dict[str, Any]) -> str:
    """JSON with a line for every answer."""
    models = []
    for name, told in found.items():
        head = [f"  {json.dumps(key)}: {json.dumps(told[key])}," for key in ("asked", "machine")]
        rows = [
            f"   {json.dumps(key)}: {json.dumps(one, ensure_ascii=False)}"
            for key, one in told["answers"].items()
        ]
        models.append(
            "\n".join([f" {json.dumps(name)}: {{", *head, '  "answers": {', ",\n".join(rows), "  }", " }"])
        )
    return "{\n" + ",\n".join(models) + "\n}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
