"""A model as plain data: what `seqlab.store` writes and reads, and what every room that has something to keep makes.

Nothing here trusts what it holds: a State may come from a file that somebody else wrote.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from seqlab.errors import SeqlabError, StoreError

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]
else:  # who looks at one sentence with a model from a file does without NumPy
    Array = Any

Value = TypeVar("Value")

PARTS = "parts"  # the setting that describes the parts
_WORDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


class State:
    """What one thing has to keep.

    kind       which class it belongs to
    settings   what JSON can hold: strings, numbers, lists, dicts with strings as keys
    arrays     by name; a dot stands between the name of a part and the name of its array
    record     how it came about (training, dates), as JSON can hold it; nothing depends on it
    functions  given by whoever loads a model that needs functions of the user's; never stored
    where      file that it comes from
    """

    __slots__ = ("arrays", "functions", "kind", "record", "settings", "where")

    def __init__(
        self,
        kind: str,
        settings: dict[str, Any] | None = None,
        arrays: dict[str, Array] | None = None,
        record: dict[str, Any] | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        where: str | None = None,
    ) -> None:
        self.kind = kind
        self.settings = {} if settings is None else settings
        self.arrays = {} if arrays is None else arrays
        self.record = {} if record is None else record
        self.functions = {} if functions is None else functions
        self.where = where

    def __repr__(self) -> str:
        return f"State({self.kind!r}, {self.settings!r}, {self.arrays!r}, {self.record!r})"

    def replaced(self, **changes: Any) -> State:
        """The same with other values of some fields; a dataclass could do it, but takes long to make."""
        return State(**{name: changes.get(name, getattr(self, name)) for name in self.__slots__})

    @property
    def nbytes(self) -> int:
        """Of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    # ------------------------------------------------------------------------------------------ parts

    def with_parts(self, parts: Mapping[str, State]) -> State:
        """The same with other states inside; `part` gives them back. Names have no dot."""
        described = {**self.settings.get(PARTS, {})}
        arrays = dict(self.arrays)
        for name, part in parts.items():
            described[name] = {"kind": part.kind, "settings": part.settings, "record": part.record}
            arrays.update({f"{name}.{own}": array for own, array in part.arrays.items()})
        return self.replaced(settings={**self.settings, PARTS: described}, arrays=arrays)

    def has_part(self, name: str) -> bool:
        """Is there a part of this name?"""
        return PARTS in self.settings and name in self.setting(PARTS, dict)

    def part(self, name: str, kind: str) -> State:
        """The part of this name, which must be of this kind."""
        part = self.any_part(name)
        if part.kind != kind:
            raise StoreError(f"the part {name!r} is of kind {part.kind!r:.80}, {kind!r} is wanted")
        return part

    def any_part(self, name: str) -> State:
        """The part of this name, of whatever kind."""
        described = State("", State("", self.setting(PARTS, dict)).setting(name, dict))
        arrays = {
            own.removeprefix(f"{name}."): array
            for own, array in self.arrays.items()
            if own.startswith(f"{name}.")
        }
        kind, settings = described.setting("kind", str), described.setting("settings", dict)
        return State(kind, settings, arrays, described.setting("record", dict), self.functions)

    # ------------------------------------------------------------------------------------------ what is inside

    def setting(self, name: str, kind: type[Value]) -> Value:
        """A setting of this type; a whole number also serves as a float."""
        if name not in self.settings:
            raise StoreError(f"the setting {name!r} is missing")
        value = self.settings[name]
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise StoreError(f"the setting {name!r} should be {_WORDS[kind]}, found {value!r:.80}")
        return value

    def number(self, name: str, least: int, most: int = 2**31 - 1) -> int:
        """A whole number between `least` and `most`."""
        value = self.setting(name, int)
        if not least <= value <= most:
            raise StoreError(f"the setting {name!r} should lie between {least} and {most}, found {value}")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """A setting that is a list of strings."""
        values = self.setting(name, list)
        for value in values:
            if not isinstance(value, str):
                raise StoreError(
                    f"the setting {name!r} should be a list of strings, found {value!r:.80} in it"
                )
        return tuple(values)

    def array(self, name: str, dtype: npt.DTypeLike, shape: tuple[int | None, ...]) -> Array:
        """The array of this name, dtype and shape; None in the shape stands for any length."""
        import numpy as np

        if name not in self.arrays:
            raise StoreError(f"the array {name!r} is missing")
        array = self.arrays[name]
        if array.dtype != np.dtype(dtype):
            raise StoreError(f"the array {name!r} should hold {np.dtype(dtype)}, found {array.dtype}")
        fits = len(array.shape) == len(shape) and all(
            wanted in {None, found} for wanted, found in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            raise StoreError(f"the array {name!r} should have shape ({wanted}), found {array.shape}")
        return array

    def offsets(self, name: str, end: int, *, count: int | None = None) -> Array:
        """(count + 1,) int64 from 0 to `end`, never falling."""
        import numpy as np

        # A copy: a file may change after the check.
        found: Array = self.array(name, np.int64, (None if count is None else count + 1,)).copy()
        if not len(found) or found[0] != 0 or found[-1] != end or (np.diff(found) < 0).any():
            raise StoreError(f"the array {name!r} should rise from 0 to {end} and never fall")
        return found

    def numbers(self, name: str, shape: tuple[int | None, ...], below: int, *, least: int = 0) -> Array:
        """An array of int32, each from `least` up and below `below`."""
        found: Array = self.array(name, "int32", shape).copy()  # a file may change after the check
        if found.size and not (least <= found.min() and found.max() < below):
            raise StoreError(
                f"the array {name!r} should hold numbers from {least} to {below - 1}, found others"
            )
        return found

    def finite(self, name: str, shape: tuple[int | None, ...]) -> Array:
        """An array of float64 without NaN or infinity."""
        import numpy as np

        found = self.array(name, np.float64, shape)
        if not np.isfinite(found).all():
            raise StoreError(f"the array {name!r} holds NaN or infinity")
        return found

    def function(self, name: str) -> Callable[..., Any]:
        """The user's function "module:function", which load() was given under this name or the part after the colon."""
        given = self.functions.get(name, self.functions.get(name.rpartition(":")[2]))
        if given is None:
            raise StoreError(
                f"the model uses a function of yours, {name!r:.80}, and a model file holds no code; "
                f"pass load(..., functions={{{name!r:.80}: the_function}})"
            )
        if not callable(given):
            raise StoreError(f"functions[{name!r:.80}] should be a function, got {given!r:.80}")
        return given

    # ------------------------------------------------------------------------------------------ strings

    def text(self, name: str) -> tuple[Array, Array]:
        """(bytes, begins) of many strings: UTF-8 end to end, string i from begins[i] to begins[i + 1]."""
        content = self.array(f"{name}.bytes", "uint8", (None,))
        return content, self.offsets(f"{name}.begins", len(content))

    def strings(self, name: str) -> list[str]:
        """Strings that `string_arrays` laid out."""
        content, begins = self.text(name)
        blob = content.tobytes()
        bounds = begins.tolist()
        try:
            return [blob[begin:end].decode() for begin, end in pairwise(bounds)]
        except UnicodeDecodeError as error:
            raise StoreError(f"the strings {name!r} are not sound UTF-8") from error


def string_arrays(name: str, strings: Iterable[str]) -> dict[str, Array]:
    """Many strings as two arrays, which State.strings(name) reads back."""
    import numpy as np

    parts = [as_utf8(text, f"a string of {name!r}") for text in strings]
    begins = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=begins[1:])
    content = np.frombuffer(b"".join(parts), dtype=np.uint8)
    return text_arrays(name, content, begins)


def as_utf8(text: str, what: str) -> bytes:
    """The text as it will stand in a file; `what` it is for the message when it cannot."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise StoreError(
            f"{what} cannot be stored: {text!r:.80} has a lone surrogate, which UTF-8 does not allow"
        ) from error


def text_arrays(name: str, content: Array, begins: Array) -> dict[str, Array]:
    """The arrays of strings that are laid out already."""
    return {f"{name}.bytes": content, f"{name}.begins": begins}


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
