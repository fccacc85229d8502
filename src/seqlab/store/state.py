"""A model as plain data: the form in which every stored value is written and read.

Everything is checked when it is read: a State may come from an untrusted file.
"""

from __future__ import annotations

import dataclasses
import mmap
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab.errors import SeqlabError, StoreError

Array = npt.NDArray[Any]
Shape = tuple[int | None, ...]  # None stands for any length
Value = TypeVar("Value")

PARTS = "parts"  # the setting that describes the parts


@dataclass(slots=True, eq=False)
class State:
    """The data of one stored value.

    kind       identifies its class
    settings   JSON values: strings, numbers, lists, dicts with strings as keys
    arrays     by name; a dot stands between the name of a part and the name of its array
    record     facts of its training (data, dates), as JSON values; for information only
    functions  functions of the user that the model needs, given to load(); never stored
    where      file that it comes from
    """

    kind: str
    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)
    record: dict[str, Any] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict, repr=False)
    where: str | None = field(default=None, repr=False)

    def replaced(self, **changes: Any) -> State:
        """Copy the state with other values of some fields."""
        return dataclasses.replace(self, **changes)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    # ------------------------------------------------------------------------------------------ parts

    def with_parts(self, parts: Mapping[str, State]) -> State:
        """Copy the state with other states inside; `part` returns them. Names have no dot."""
        described = {**self.settings.get(PARTS, {})}
        arrays = dict(self.arrays)
        for name, part in parts.items():
            described[name] = {"kind": part.kind, "settings": part.settings, "record": part.record}
            arrays |= {f"{name}.{own}": array for own, array in part.arrays.items()}
        return self.replaced(settings={**self.settings, PARTS: described}, arrays=arrays)

    def has_part(self, name: str) -> bool:
        """Return True if there is a part of this name."""
        return PARTS in self.settings and name in self.setting(PARTS, dict)

    def part(self, name: str, kind: str) -> State:
        """Return the part of this name, which must be of this kind."""
        part = self.any_part(name)
        if part.kind != kind:
            raise StoreError(f"the part {name!r} is of kind {part.kind!r:.80}, {kind!r} is wanted")
        return part

    def any_part(self, name: str) -> State:
        """Return the part of this name, of any kind."""
        described = State("", State("", self.setting(PARTS, dict)).setting(name, dict))
        before = f"{name}."
        arrays = {own.removeprefix(before): one for own, one in self.arrays.items() if own.startswith(before)}
        kind, settings = described.setting("kind", str), described.setting("settings", dict)
        return State(kind, settings, arrays, described.setting("record", dict), self.functions)

    # ------------------------------------------------------------------------------------------ what is inside

    def setting(self, name: str, kind: type[Value]) -> Value:
        """Return a setting of this type; a whole number also serves as a float."""
        if name not in self.settings:
            raise StoreError(f"the setting {name!r} is missing")
        return from_json(kind, self.settings[name], f"the setting {name!r}")  # type: ignore[no-any-return]

    def number(self, name: str, least: int, most: int = 2**31 - 1) -> int:
        """Return a whole number between `least` and `most`."""
        value = self.setting(name, int)
        if not least <= value <= most:
            raise StoreError(f"the setting {name!r} should lie between {least} and {most}, found {value}")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """Return a setting that is a list of strings."""
        values = self.setting(name, list)
        for value in values:
            if not isinstance(value, str):
                raise StoreError(
                    f"the setting {name!r} should be a list of strings, found {value!r:.80} in it"
                )
        return tuple(values)

    def array(self, name: str, dtype: npt.DTypeLike, shape: Shape, *, mapped: bool = False) -> Array:
        """Return the array of this name, dtype and shape.

        mapped   True leaves an array of a mapped file there: its numbers may change after a check. False copies it
        """
        if name not in self.arrays:
            raise StoreError(f"the array {name!r} is missing")
        array = self.arrays[name]
        if array.dtype != np.dtype(dtype):
            raise StoreError(f"the array {name!r} should hold {np.dtype(dtype)}, found {array.dtype}")
        pairs = zip(shape, array.shape, strict=False)
        if len(array.shape) != len(shape) or any(wanted not in {None, found} for wanted, found in pairs):
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            raise StoreError(f"the array {name!r} should have shape ({wanted}), found {array.shape}")
        return array.copy() if not mapped and _in_a_file(array) else array

    def offsets(self, name: str, end: int, *, count: int | None = None) -> Array:
        """Return offsets (count + 1,): int64 from 0 to `end`, never falling."""
        found = self.array(name, np.int64, (None if count is None else count + 1,))
        if not len(found) or found[0] != 0 or found[-1] != end or (np.diff(found) < 0).any():
            raise StoreError(f"the array {name!r} should rise from 0 to {end} and never fall")
        return found

    def numbers(self, name: str, shape: Shape, below: int, *, least: int = 0) -> Array:
        """Return an array of int32, each from `least` up and below `below`."""
        found = self.array(name, "int32", shape)
        if found.size and not (least <= found.min() and found.max() < below):
            raise StoreError(
                f"the array {name!r} should hold numbers from {least} to {below - 1}, found others"
            )
        return found

    def finite(self, name: str, shape: Shape) -> Array:
        """Return an array of float64 without NaN or infinity."""
        found = self.array(name, np.float64, shape)
        if not np.isfinite(found).all():
            raise StoreError(f"the array {name!r} holds NaN or infinity")
        return found

    def function(self, name: str) -> Callable[..., Any]:
        """Return the user's function "module:function" that load() was given by this name, or by the part after ":"."""
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
        """Return (bytes, begins) of many strings: UTF-8 end to end, string i from begins[i] to begins[i + 1]."""
        content = self.array(f"{name}.bytes", "uint8", (None,))
        return content, self.offsets(f"{name}.begins", len(content))

    def strings(self, name: str) -> list[str]:
        """Return strings stored by `string_arrays`."""
        content, begins = self.text(name)
        blob = content.tobytes()
        try:
            return [blob[begin:end].decode() for begin, end in pairwise(begins.tolist())]
        except UnicodeDecodeError as error:
            raise StoreError(f"the strings {name!r} are not sound UTF-8") from error


def _in_a_file(array: Array) -> bool:
    """Return True if the array lies in a mapped file."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


def string_arrays(name: str, strings: Iterable[str]) -> dict[str, Array]:
    """Store many strings as two arrays, which State.strings(name) reads."""
    parts = [as_utf8(text, f"a string of {name!r}") for text in strings]
    begins = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=begins[1:])
    return text_arrays(name, np.frombuffer(b"".join(parts), dtype=np.uint8), begins)


def as_utf8(text: str, what: str) -> bytes:
    """Encode text as UTF-8; `what` names it in an error message."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise StoreError(
            f"{what} cannot be stored: {text!r:.80} has a lone surrogate, which UTF-8 does not allow"
        ) from error


def text_arrays(name: str, content: Array, begins: Array) -> dict[str, Array]:
    """Name the arrays of strings that are already encoded."""
    return {f"{name}.bytes": content, f"{name}.begins": begins}


# ------------------------------------------------------------------------------------------ typed values as JSON

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
    """Convert a value to JSON values: dataclasses and named tuples by their fields."""
    if getattr(value, "json_list", False):
        return [value[0], *value[1]]
    names = None if isinstance(value, type) else field_names(value)
    if names is not None:
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: to_json(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted(to_json(one) for one in value)
    return value.item() if hasattr(value, "item") else value


def field_names(kind: Any) -> list[str] | None:
    """List the arguments of a dataclass or named tuple; None for anything else."""
    if dataclasses.is_dataclass(kind):
        return [one.name for one in dataclasses.fields(kind) if one.init]
    return list(kind._fields) if hasattr(kind, "_fields") else None


def from_json(kind: Any, data: Any, what: str) -> Any:
    """Make a value of the type `kind` from the result of to_json(); `what` names it in an error message."""
    if kind in _WORDS:
        return plain(kind, data, what)
    origin, inside = _parts(kind)
    if origin is typing.Annotated:
        return from_json(inside[0], data, what)
    if origin in (typing.Union, types.UnionType):
        if type(data) in inside and (data is None or type(data) in _WORDS):
            return data
        some = [one for one in inside if one is not type(None)]
        exact = [one for one in some if type(data) is (typing.get_origin(one) or one)]
        return from_json((exact or some)[0], data, what)
    if kind in (Any, object):
        return data
    if origin in _LISTS:
        make: Any = tuple if origin is Sequence else origin
        return make(from_json(inside[0], one, what) for one in plain(list, data, what))
    if origin in (dict, Mapping):
        pairs = plain(dict, data, what).items()
        return {key: from_json(inside[1], one, f"{key!r:.80} of {what}") for key, one in pairs}
    return _of_fields(kind, data, what)


@cache
def _parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Analyse a type, once: a history has thousands of numbers."""
    return typing.get_origin(kind), typing.get_args(kind)


def plain(kind: Any, data: Any, what: str) -> Any:
    """Reject a value of another type; a whole number also serves as a float."""
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:
        raise StoreError(f"{what} should be {_WORDS[kind]}, found {data!r:.80}")
    return data


@cache
def hints_of(kind: Any) -> dict[str, Any]:
    """Return the types of the fields by name, with their annotations."""
    return typing.get_type_hints(kind, include_extras=True)


def _of_fields(kind: Any, data: Any, what: str) -> Any:
    """Make a dataclass or named tuple from its fields; a missing one has its default.

    A named tuple of a name and a list, if it says json_list, is one list.
    """
    known = field_names(kind) or []
    if getattr(kind, "json_list", False):
        items = plain(list, data, what) or [None]
        data = dict(zip(known, (items[0], items[1:]), strict=True))
    given = plain(dict, data, what)
    for name in given:
        if name not in known:
            raise StoreError(
                f"{kind.__name__} has no option {name!r:.80}, only {', '.join(map(repr, known))}"
            )
    hints = hints_of(kind)
    values = {name: from_json(hints[name], one, f"{name!r} of {what}") for name, one in given.items()}
    try:
        return built(kind, values, what)
    except TypeError as error:
        raise StoreError(f"{what} should have {', '.join(map(repr, known))}, found {data!r:.80}") from error


def built(kind: Any, values: Mapping[str, Any], what: str) -> Any:
    """Make an object from its fields, and check it as a whole; its errors are errors of the file."""
    try:
        made = kind(**values)
        if hasattr(made, "check"):
            made.check()
    except StoreError:
        raise
    except SeqlabError as error:
        raise StoreError(f"{what}: {error}") from error
    return made
