"""Check the features of a template that came from a file.

The features stand there one by one, not as text: reading them back opens no lexicon's file, unfolds no range, and gives
the same template whatever characters its pieces have. The text is there for people.
"""

from __future__ import annotations

from collections.abc import Iterable

from seqlab.errors import StoreError, TemplateError
from seqlab.features.computed import PLAIN, gazetteer_of
from seqlab.features.functions import FUNCTIONS
from seqlab.features.model import Call, Feature


def check_features(features: Iterable[Feature]) -> None:
    """Refuse columns that nothing computes, and functions or arguments that there are not."""
    for feature in features:
        for atom in feature.atoms:
            if not _is_column(atom.column):
                raise StoreError(f"a feature reads the column {atom.column!r:.80}, which nothing can compute")
            for call in atom.calls:
                _check_call(call)


def _is_column(name: str) -> bool:
    if name.startswith("#"):
        return name[1:].isascii() and name[1:].isdigit() and len(name) < 11
    if not name.startswith("@"):
        return True
    gazetteer = gazetteer_of(name)
    if gazetteer is None:
        return name[1:] in PLAIN
    return gazetteer.name == name and not gazetteer.column.startswith("@") and _is_column(gazetteer.column)


def _check_call(call: Call) -> None:
    name, arguments = call
    function = FUNCTIONS.get(name)
    if function is None and name != "in":
        raise StoreError(f"a feature calls the unknown function {name!r:.80}")
    kinds = (str,) if function is None else function.arguments
    if [type(argument) for argument in arguments] != list(kinds):
        raise StoreError(f"the function {name!r} got the arguments {list(arguments)!r:.80}")
    if function is not None:
        for argument in arguments:
            _check_argument(name, argument, function.least)


def _check_argument(name: str, argument: int | str, least: int | None) -> None:
    if isinstance(argument, str):
        from seqlab.features.wapiti_regex import compiled

        try:
            compiled(argument)
        except TemplateError as error:
            raise StoreError(f"the function {name!r} has an unsound pattern: {error}") from error
    elif least is not None and argument < least:
        raise StoreError(f"the function {name!r} needs a number from {least} up, found {argument}")
