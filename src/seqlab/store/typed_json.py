"""Typed values as JSON, there and back: dataclasses and named tuples by their fields, checked by their types."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from seqlab.errors import SeqlabError, StoreError

_WORDS: dict[Any, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
_LISTS: tuple[Any, ...] = (tuple, list, frozenset, set, Sequence)


def to_json(value: Any) -> Any:
    """Return the value as JSON can hold it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        if getattr(value, "json_list", False):
            return [value[0], *value[1]]
        return {name: to_json(getattr(value, name)) for name in value._fields}
    if isinstance(value, Mapping):
        return {key: to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted(to_json(one) for one in value)
    return value.item() if hasattr(value, "item") else value


def from_json(kind: Any, data: Any, what: str) -> Any:
    """Return what to_json() was given, of the type `kind`; `what` it is for the message when it is not."""
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        return from_json(kind.__origin__, data, what)
    if origin in (typing.Union, types.UnionType):
        return _one_of(typing.get_args(kind), data, what)
    if kind in (Any, object):
        return data
    if origin in _LISTS:
        inner, make = typing.get_args(kind)[0], origin if origin is not Sequence else tuple
        return make(from_json(inner, one, what) for one in checked(list, data, what))
    if origin in (dict, Mapping):
        inner = typing.get_args(kind)[1]
        return {key: from_json(inner, one, f"{key!r:.80} of {what}") for key, one in _object(data, what)}
    if kind in _WORDS:
        return checked(kind, data, what)
    return _made(kind, data, what)


def checked(kind: Any, data: Any, what: str) -> Any:
    """Refuse a value of another type; a whole number also serves as a float."""
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:
        raise StoreError(f"{what} should be {_WORDS[kind]}, found {data!r:.80}")
    return data


def _one_of(kinds: tuple[Any, ...], data: Any, what: str) -> Any:
    """A value of one of several types, None among them perhaps."""
    if data is None and type(None) in kinds:
        return None
    some = [kind for kind in kinds if kind is not type(None)]
    exact = [kind for kind in some if type(data) is (typing.get_origin(kind) or kind)]
    return from_json((exact or some)[0], data, what)


def _object(data: Any, what: str) -> list[tuple[str, Any]]:
    return list(checked(dict, data, what).items())


@cache
def hints_of(kind: Any) -> dict[str, Any]:
    """Return the types of the fields by name, with what is written beside them."""
    return typing.get_type_hints(kind, include_extras=True)


def _made(kind: Any, data: Any, what: str) -> Any:
    """A dataclass or named tuple of its fields; a missing one has its default.

    A named tuple of a name and a list, if it says json_list, is one list.
    """
    hints = hints_of(kind)
    if getattr(kind, "json_list", False):
        first, rest = kind._fields
        items = checked(list, data, what) or [None]
        data = {first: items[0], rest: items[1:]}
    given = dict(_object(data, what))
    known = kind._fields if hasattr(kind, "_fields") else [f.name for f in dataclasses.fields(kind) if f.init]
    for name in given:
        if name not in known:
            raise StoreError(
                f"{kind.__name__} has no option {name!r:.80}, only {', '.join(map(repr, known))}"
            )
    values = {name: from_json(hints[name], one, f"{name!r} of {what}") for name, one in given.items()}
    try:
        made = kind(**values)
        if hasattr(made, "check"):
            made.check()
    except StoreError:
        raise
    except SeqlabError as error:
        raise StoreError(f"{what}: {error}") from error
    except TypeError as error:
        raise StoreError(f"{what} should have {', '.join(map(repr, known))}, found {data!r:.80}") from error
    return made
