"""Templates and lexicons as plain data, there and back.

The features stand there one by one, not as text: reading them back opens no lexicon's file, unfolds no range, and gives
the same template whatever characters its pieces have. The text is there for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlab.errors import StoreError, TemplateError
from seqlab.features.computed import PLAIN, gazetteer_of
from seqlab.features.functions import FUNCTIONS
from seqlab.features.model import BOUNDARIES, Atom, Call, Feature, Features
from seqlab.store.state import Array, State, string_arrays

if TYPE_CHECKING:
    from seqlab.features.lexicon import Lexicon
    from seqlab.features.template import Template

KIND = "template"


def template_state(template: Template) -> State:
    """Everything of a template, the entries of its lexicons too."""
    arrays: dict[str, Array] = {}
    for name, lexicon in template.lexicons.items():
        arrays.update(string_arrays(f"lexicon.{name}.entries", lexicon.entries.keys()))
        arrays.update(string_arrays(f"lexicon.{name}.classes", lexicon.entries.values()))
    boundary = next(name for name, known in BOUNDARIES.items() if known == template.boundary)
    settings = {
        "text": str(template),
        "features": [_feature_data(feature) for feature in template.features],
        "bigram": template.bigram,
        "boundary": boundary,
        "lexicons": {name: lexicon.path for name, lexicon in template.lexicons.items()},
    }
    return State(KIND, settings, arrays)


def template_of(state: State) -> Template:
    """The template that template_state() was given."""
    from seqlab.features.template import Template

    parts = parts_of(state)
    try:
        template = Template(*parts)
    except TemplateError as error:
        raise StoreError(f"the template is not sound: {error}") from error
    if len(template.features) != len(parts.features):
        raise StoreError("the template has a feature twice")
    return template


def parts_of(state: State) -> Features:
    """What it is made of, each part checked by itself."""
    boundary = state.setting("boundary", str)
    if boundary not in BOUNDARIES:
        raise StoreError(f"the template has the unknown boundary {boundary!r:.80}")
    features = tuple(_feature(data) for data in state.setting("features", list))
    lexicons = {name: _lexicon(state, name, path) for name, path in state.setting("lexicons", dict).items()}
    return Features(features, state.setting("bigram", bool), BOUNDARIES[boundary], lexicons)


def _lexicon(state: State, name: str, path: Any) -> Lexicon:
    from seqlab.features.lexicon import Lexicon

    entries = state.strings(f"lexicon.{name}.entries")
    classes = state.strings(f"lexicon.{name}.classes")
    if len(entries) != len(classes) or len(set(entries)) != len(entries):
        raise StoreError(f"the lexicon {name!r:.80} should have as many classes as different entries")
    if not (path is None or isinstance(path, str)):
        raise StoreError(f"the lexicon {name!r:.80} should have a path, found {path!r:.80}")
    try:
        return Lexicon(name, dict(zip(entries, classes, strict=True)), path)
    except TemplateError as error:
        raise StoreError(f"the template is not sound: {error}") from error


# ------------------------------------------------------------------------------------------------ features


def _feature_data(feature: Feature) -> dict[str, Any]:
    return {
        "atoms": [
            {
                "column": atom.column,
                "offset": atom.offset,
                "absolute": atom.absolute,
                "calls": [[call.name, *call.args] for call in atom.calls],
            }
            for atom in feature.atoms
        ],
        "pieces": list(feature.pieces),
        "on_node": feature.on_node,
        "on_edge": feature.on_edge,
        "min_count": feature.min_count,
    }


def _feature(data: Any) -> Feature:
    given = _described(data, "a feature")
    atoms = tuple(_atom(atom) for atom in given.setting("atoms", list))
    on_node, on_edge = given.setting("on_node", bool), given.setting("on_edge", bool)
    # A count has no bound in a template: 10**30 means "never".
    least = given.setting("min_count", int)
    try:
        return Feature(atoms, given.names("pieces"), on_node, on_edge, least)
    except TemplateError as error:
        raise StoreError(f"the template is not sound: {error}") from error


def _atom(data: Any) -> Atom:
    given = _described(data, "a value of a feature")
    column = given.setting("column", str)
    if not _is_column(column):
        raise StoreError(f"a feature reads the column {column!r:.80}, which nothing can compute")
    calls = tuple(_call(call) for call in given.setting("calls", list))
    return Atom(column, given.setting("offset", int), given.setting("absolute", bool), calls)


def _is_column(name: str) -> bool:
    if name.startswith("#"):
        return name[1:].isascii() and name[1:].isdigit() and len(name) < 11
    if not name.startswith("@"):
        return True
    gazetteer = gazetteer_of(name)
    if gazetteer is None:
        return name[1:] in PLAIN
    return gazetteer.name == name and not gazetteer.column.startswith("@") and _is_column(gazetteer.column)


def _call(data: Any) -> Call:
    if not (isinstance(data, list) and data and isinstance(data[0], str)):
        raise StoreError(f"a function of a feature should be a name and its arguments, found {data!r:.80}")
    name, *arguments = data
    function = FUNCTIONS.get(name)
    if function is None and name != "in":
        raise StoreError(f"a feature calls the unknown function {name!r:.80}")
    kinds = (str,) if function is None else function.arguments
    if [type(argument) for argument in arguments] != list(kinds):
        raise StoreError(f"the function {name!r} got the arguments {arguments!r:.80}")
    if function is not None:
        for argument in arguments:
            _check_argument(name, argument, function.least)
    return Call(name, tuple(arguments))


def _check_argument(name: str, argument: int | str, least: int | None) -> None:
    if isinstance(argument, str):
        from seqlab.features.wapiti_regex import compiled

        try:
            compiled(argument)
        except TemplateError as error:
            raise StoreError(f"the function {name!r} has an unsound pattern: {error}") from error
    elif least is not None and argument < least:
        raise StoreError(f"the function {name!r} needs a number from {least} up, found {argument}")


def _described(data: Any, what: str) -> State:
    if not isinstance(data, dict):
        raise StoreError(f"{what} should be an object, found {data!r:.80}")
    return State(what, data)
