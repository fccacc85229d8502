"""Options of a tagger as plain data, there and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import features_of
from seqlab.errors import StoreError
from seqlab.store.state import Array, State, string_arrays
from seqlab.tagging.memory import named_dictionary, named_rules
from seqlab.tagging.options import ordered, plain, revived

if TYPE_CHECKING:
    from seqlab.tagging.door.constraints import Rules
    from seqlab.tagging.door.dictionary import TagDictionary
    from seqlab.tagging.tagger import Tagger

CONTAINERS: tuple[type, ...] = (list, tuple, set, frozenset)  # of the labels that a word may have

# ------------------------------------------------------------------------------------------------ options, there


def plain_options(tagger: Tagger, rules: Rules, apart: tuple[str, ...]) -> dict[str, Any]:
    """All options but those `apart`, which have a form of their own."""
    options = {name: getattr(tagger, name) for name in tagger._option_names() if name not in apart}
    if isinstance(options["constraints"], Iterator):  # read to its end by fit
        options["constraints"] = named_rules(rules, tagger.labels_)
    return {name: plain(value, f"the option {name}") for name, value in options.items()}


def features_data(given: Any, made: Any) -> dict[str, Any]:
    """Features as they were given; the encoder has what was `made` of them."""
    if given is None:
        return {"given": "none"}
    if isinstance(given, str):
        return {"given": "text", "text": given}
    if given == made:
        return {"given": "encoder"}
    if given == getattr(made, "function", None):
        return {"given": "function"}
    return {"given": "another"}  # set after fit


def allowed_arrays(
    allowed: Any, dictionary: TagDictionary | None, labels: tuple[str, ...]
) -> dict[str, Array]:
    """{word: labels} as arrays: there may be as many words as in a dictionary."""
    if allowed is None:
        return {}
    if not isinstance(allowed, Mapping):
        raise StoreError(f"the option allowed cannot be stored: {allowed!r:.80} is no {{word: labels}}")
    if any(isinstance(some, Iterator) for some in allowed.values()):  # read to their ends by fit
        allowed = named_dictionary(dictionary, labels) or {}
    number: dict[str, int] = {}
    rows = [[number.setdefault(label, len(number)) for label in ordered(some)] for some in allowed.values()]
    kinds = [CONTAINERS.index(type(some)) if type(some) in CONTAINERS else 0 for some in allowed.values()]
    return {
        **string_arrays("allowed.words", allowed),
        **string_arrays("allowed.labels", number),
        "allowed.begin": np.cumsum([0, *map(len, rows)]).astype(np.int64),
        "allowed.label": np.array([y for row in rows for y in row], dtype=np.int32),
        "allowed.kind": np.array(kinds, dtype=np.int32),
    }


# ------------------------------------------------------------------------------------------------ options, back


def options_given(state: State, known: list[str], apart: tuple[str, ...]) -> dict[str, Any]:
    """The options that plain_options() was asked for."""
    options = state.setting("options", dict)
    for name in options:
        if name not in known or name in apart:
            raise StoreError(f"there is no option {name!r:.80}")
    return {name: revived(value, f"the option {name}") for name, value in options.items()}


def features_given(state: State, made: Any) -> Any:
    """The features as they were given, of what was `made` of them."""
    given = State("features", state.setting("features", dict))
    match given.setting("given", str):
        case "none":
            return None
        case "text":
            return given.setting("text", str)
        case "encoder":
            return made
        case "function" if hasattr(made, "function"):
            return made.function
        case "another":
            return features_of(state.part("features", ENCODER))
        case other:
            raise StoreError(f"the features were given in an unknown way, {other!r:.80}")


def allowed_given(state: State) -> dict[str, Any] | None:
    """{word: labels}, if there was any."""
    if "allowed.begin" not in state.arrays:
        return None
    words, labels = state.strings("allowed.words"), state.strings("allowed.labels")
    label = state.numbers("allowed.label", (None,), len(labels)).tolist()
    begin = state.offsets("allowed.begin", len(label), count=len(words)).tolist()
    kinds = state.numbers("allowed.kind", (len(words),), len(CONTAINERS)).tolist()
    if len(set(words)) != len(words):
        raise StoreError("the option allowed should have each word once")
    return {
        word: CONTAINERS[kinds[i]](labels[y] for y in label[begin[i] : begin[i + 1]])
        for i, word in enumerate(words)
    }
