"""What an encoder was made with, as plain data: its features by value or by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlab.errors import StoreError
from seqlab.store.codec import state_of, value_of
from seqlab.store.state import State

if TYPE_CHECKING:
    from seqlab.features import Template
    from seqlab.features.own import FeatureFunction

KIND = "encoder"
TEMPLATE_ROWS = "template rows"  # the kind of the parts that know what a template makes


def features_state(features: Template | FeatureFunction | None) -> State:
    """A template by value, a function by name."""
    from seqlab.features import Template

    if isinstance(features, Template):
        settings = {"features": "template"}
        return State(KIND, settings).with_parts({"template": state_of(features)})
    if features is None:
        return State(KIND, {"features": "none"})
    return State(
        KIND, {"features": "function", "function": function_name(features.function, "use a template")}
    )


def features_of(state: State) -> Template | FeatureFunction | None:
    """The features that features_state() was given; a function is the one that was given to load()."""
    match state.setting("features", str):
        case "template":
            from seqlab.features import Template

            return value_of(Template, state.any_part("template"))
        case "function":
            from seqlab.features.own import FeatureFunction

            return FeatureFunction(state.function(state.setting("function", str)))
        case "none":
            return None
        case other:
            raise StoreError(f"the features should be 'template', 'function' or 'none', found {other!r:.80}")


def function_name(function: Any, instead: str) -> str:
    """module:function, as load(..., functions=...) will want it; `instead` is what to do when there is no such name."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str)) or "<" in name:
        known = getattr(function, "__name__", type(function).__name__)
        raise StoreError(
            f"the feature function {known!r} cannot be stored: a model file holds no code, and this function has no "
            f"name of its own in a module; define it with def at the top of a module, or {instead}"
        )
    return f"{module}:{name}"
