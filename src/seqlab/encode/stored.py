"""Stored form of an encoder: values with typed fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeAlias

import numpy as np

from seqlab import _core
from seqlab.encode.encoded import AttributeIds
from seqlab.errors import StoreError
from seqlab.features import Template
from seqlab.features.own import FeatureFunction, FeatureSum, LabelPairFunction, PairFunction
from seqlab.store.codec import Inside, Part, Series, put_part, state_of, value_of
from seqlab.store.fields import Array, Field, Names, Pool, Setting, Sizes
from seqlab.store.state import State

KIND = "encoder"
Made: TypeAlias = "Template | FeatureFunction | FeatureSum | None"
FUNCTION_KINDS = {"function": FeatureFunction, "pairs": PairFunction, "label pairs": LabelPairFunction}


@dataclass(frozen=True, eq=False)
class Group:
    """Attributes of features of one shape: their numbers, and the numbers of their values in the pools."""

    ids: Annotated[AttributeIds, Array(np.int32, "n", least=0)]
    values: Annotated[AttributeIds, Array(np.int32, "n", "places", least=0)]


class _Pools(Field):
    """String pools by number: values.0, values.3."""

    def put(self, state: State, name: str, value: Mapping[int, _core.StringPool]) -> None:
        """Write the pools in order."""
        for number in sorted(value):
            Pool().put(state, f"{name}.{number}", value[number])

    def get(self, state: State, name: str, sizes: Sizes) -> dict[int, _core.StringPool]:
        """Read the pools that are present."""
        parts = [
            one.split(".") for one in state.arrays if one.startswith(f"{name}.") and one.endswith(".bytes")
        ]
        numbers = [
            int(part[1]) for part in parts if len(part) == 3 and part[1].isdecimal() and len(part[1]) < 9
        ]
        return {number: Pool().get(state, f"{name}.{number}", sizes) for number in numbers}


@dataclass(frozen=True, eq=False)
class KnownTemplate:
    """The strings that a template has seen, and the values and numbers of every attribute."""

    stored_kind: ClassVar[str] = "template rows"

    on_moves: bool
    words: Annotated[tuple[_core.StringPool, ...], Series(Pool())]
    values: Annotated[Mapping[int, _core.StringPool], _Pools()]
    group: Annotated[tuple[Group, ...], Series(Inside(Group))]


@dataclass(frozen=True, eq=False)
class KnownBags:
    """Ready-made attributes in the order of their numbers; `column` is None for those of a function."""

    stored_kind: ClassVar[str] = "bag rows"

    column: str | None
    ids: Annotated[AttributeIds, Array(np.int32, "n", least=0)]
    attributes: Annotated[_core.StringPool, Pool("n")]


@dataclass(frozen=True, eq=False)
class KnownVectors:
    """The numbers of the attributes of a vector; -1 for a dropped one."""

    stored_kind: ClassVar[str] = "vector rows"

    column: str
    ids: Annotated[AttributeIds, Array(np.int32, "n", least=-1)]


Known: TypeAlias = "KnownTemplate | KnownBags | KnownVectors"
_KNOWN = Part(KnownTemplate, KnownBags, KnownVectors)


class StoredFeatures(Field):
    """Stored features: a template by value, a function by name."""

    def put(self, state: State, name: str, value: Made) -> None:
        """Write them."""
        if isinstance(value, Template):
            state.settings[name] = "template"
            put_part(state, "template", state_of(value))
        elif value is None:
            state.settings[name] = "none"
        elif isinstance(value, FeatureSum):
            parts: list[str | dict[str, str]] = []
            for part in value.parts:
                if isinstance(part, Template):
                    put_part(state, "template", state_of(part))
                    parts.append("template")
                else:
                    kind = next(kind for kind, made in FUNCTION_KINDS.items() if type(part) is made)
                    parts.append({kind: function_name(part.function, "use a template")})
            state.settings |= {name: "sum", "summed": parts}
        else:
            state.settings |= {name: "function", "function": function_name(value.function, "use a template")}

    def get(self, state: State, name: str, sizes: Sizes) -> Made:  # noqa: ARG002
        """Read the features; a function is taken from the arguments of load()."""
        match state.setting(name, str):
            case "template":
                return value_of(Template, state.any_part("template"))
            case "function":
                return FeatureFunction(state.function(state.setting("function", str)))
            case "none":
                return None
            case "sum":
                return FeatureSum(tuple(_part(state, one) for one in state.setting("summed", list)))
            case other:
                raise StoreError(
                    f"the features should be 'template', 'function', 'sum' or 'none', found {other!r:.80}"
                )


def _part(state: State, one: Any) -> Template | FeatureFunction:
    """Read one stored part of a sum of features."""
    if one == "template":
        return value_of(Template, state.any_part("template"))
    kind, name = next(iter(one.items())) if isinstance(one, dict) and len(one) == 1 else (None, None)
    if kind not in FUNCTION_KINDS or not isinstance(name, str):
        raise StoreError(f"a part of the features should be a template or a function, found {one!r:.80}")
    return FUNCTION_KINDS[kind](state.function(name))


@dataclass(frozen=True, eq=False)
class KnownEncoder:
    """An encoder: its options, and the learned data of its producers."""

    stored_kind: ClassVar[str] = KIND

    features: Annotated[Made, StoredFeatures()]
    min_count: Annotated[int, Setting(int, least=1, most=2**63)]
    labels: Annotated[tuple[str, ...], Names(least=0, ordered=True)]
    size: Annotated[int, Setting(int, least=0, most=2**31 - 1)]
    edge_size: Annotated[int, Setting(int, least=0, most=2**31 - 1)]
    node: Annotated[tuple[Known, ...], Series(_KNOWN, "")]
    edge: Annotated[tuple[Known, ...], Series(_KNOWN, "")]

    def check(self) -> None:
        """Check that every attribute has exactly one number."""
        for known, size in ((self.node, self.size), (self.edge, self.edge_size)):
            parts = [
                part for one in known for part in (one.group if isinstance(one, KnownTemplate) else [one])
            ]
            numbers = np.concatenate([np.zeros(0, np.int32), *(part.ids for part in parts)])
            numbers = numbers[numbers >= 0]
            sound = len(numbers) == size and (not size or numbers.max() < size)
            if not sound or (np.bincount(numbers, minlength=size) != 1).any():
                raise StoreError(f"the attributes should have the numbers 0 to {size - 1}, each once")
        bags = [one for one in self.node if not isinstance(one, KnownTemplate)]
        columns = [one.column for one in bags if one.column is not None]
        if len(set(columns)) != len(columns):
            raise StoreError("two producers of attributes read the same column")


def features_state(features: Made) -> State:
    """Return the features alone, as an untrained encoder."""
    state = State(KIND)
    StoredFeatures().put(state, "features", features)
    return state


def features_of(state: State) -> Made:
    """Return the features of an encoder, without the rest of it."""
    return StoredFeatures().get(state, "features", {})


def function_name(function: Any, instead: str) -> str:
    """Return module:function, the name for load(..., functions=...); `instead` is advice where there is no name."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str)) or "<" in name:
        known = getattr(function, "__name__", type(function).__name__)
        raise StoreError(
            f"the feature function {known!r} cannot be stored: a model file holds no code, and this function has no "
            f"name of its own in a module; define it with def at the top of a module, or {instead}"
        )
    return f"{module}:{name}"
