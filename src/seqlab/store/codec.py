"""Store dataclasses: each field says, beside its type, how it is stored and what is checked when it comes back.

    @dataclass(frozen=True)
    class Rules:
        stored_kind: ClassVar[str] = "rules"
        forbidden: Annotated[Bools, Array(np.bool_, "L", "L")]
        no_start: Annotated[Bools, Array(np.bool_, "L")]

A word in a shape is a size. The first field that has it gives it its value; later ones must agree. Capital letters (L
labels, K attributes) hold in parts as well, other words within one value. A field with a plain type (str, int, float,
bool, tuple[str, ...], or one of them or None) needs nothing beside it: it is a setting. A field with a default may be
missing in a file; one whose name begins with "_" is not stored. `stored_facts` names properties that are written for
people and never read. `check()`, where a class has it, looks at the value as a whole.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import SeqlabError, StoreError
from seqlab.store.packing import DTYPES, named, packed, unpacked
from seqlab.store.saving import misfits_told
from seqlab.store.state import PARTS, State, string_arrays, text_arrays
from seqlab.store.typed_json import from_json, hints_of, to_json

Sizes = dict[str, int]
SMALL = 1 << 20  # bytes of arrays that are read and checked at once
Value = TypeVar("Value")


# ------------------------------------------------------------------------------------------------ whole values


def state_of(value: Any) -> State:
    """Return a dataclass as a State of its kind."""
    state = State(value.stored_kind)
    write_fields(state, value)
    return state


def value_of(kind: type[Value], state: State, sizes: Sizes | None = None) -> Value:
    """Return the value that state_of() was given; nothing in the state is trusted."""
    wanted: str = kind.stored_kind  # type: ignore[attr-defined]
    if state.kind != wanted:
        raise StoreError(f"a model of kind {wanted!r} is wanted, found one of kind {state.kind!r:.80}")
    return read_fields(kind, state, {} if sizes is None else sizes)


def write_fields(state: State, value: Any, prefix: str = "") -> None:
    """Write every field of a dataclass into a state."""
    kind: Any = type(value)
    for name in getattr(value, "stored_facts", ()):
        state.settings[f"{prefix}{name}"] = to_json(getattr(value, name))
    # Settings first: they say how arrays are packed.
    for name, field in sorted(_fields(kind).items(), key=lambda one: not isinstance(one[1], Setting)):
        field.put(state, f"{prefix}{name}", getattr(value, name))


def read_fields(kind: type[Value], state: State, sizes: Sizes, prefix: str = "") -> Value:
    """Make a dataclass of what a state says of its fields."""
    known: Any = kind
    values = {
        name: field.get(state, f"{prefix}{name}", sizes)
        for name, field in _fields(known).items()
        if not (name in _defaulted(known) and field.absent(state, f"{prefix}{name}"))
    }
    try:
        made = kind(**values)
        if hasattr(made, "check"):
            made.check()
    except StoreError:
        raise
    except SeqlabError as error:
        raise StoreError(f"{prefix or state.kind}: {error}") from error
    return made


@cache
def _fields(kind: Any) -> dict[str, Field]:
    hints = hints_of(kind)
    found = {}
    for field in dataclasses.fields(kind):
        if field.init and not field.name.startswith("_"):
            hint = hints[field.name]
            own = [one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Field)]
            plain: Field = Part(hint) if hasattr(hint, "stored_kind") else Setting(hint)
            chosen = own[0] if own else plain
            if isinstance(chosen, Part) and not chosen.kinds:
                chosen = Part(kind, optional=chosen.optional)
            found[field.name] = chosen
    return found


@cache
def _defaulted(kind: Any) -> frozenset[str]:
    return frozenset(f.name for f in dataclasses.fields(kind) if f.default is not dataclasses.MISSING)


class Late(Generic[Value]):
    """A value that is made when it is first asked for: Late(value), or Late(make=function)."""

    def __init__(self, value: Value | None = None, *, make: Callable[[], Value] | None = None) -> None:
        self._value = value
        self._make = make
        self._lock = threading.RLock()

    def __call__(self) -> Value:
        """Return the value."""
        with self._lock:
            if self._make is not None:
                self._value, self._make = self._make(), None
        return self._value  # type: ignore[return-value]

    @property
    def made(self) -> bool:
        """Whether the value is there already."""
        return self._make is None

    def __reduce__(self) -> tuple[Any, ...]:
        return Late, (self(),)


# ------------------------------------------------------------------------------------------------ kinds of fields


class Field:
    """One way to store a field: `put` writes a value under a name, `get` reads it back and checks it."""

    def put(self, state: State, name: str, value: Any) -> None:
        """Write the value."""
        raise NotImplementedError

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read the value."""
        raise NotImplementedError

    def absent(self, state: State, name: str) -> bool:  # noqa: ARG002
        """Tell whether a file does not have it at all."""
        return False


class Setting(Field):
    """A JSON value of a given type: numbers, strings, lists, dataclasses."""

    def __init__(self, kind: Any, *, least: float | None = None, most: float | None = None) -> None:
        self.kind, self.least, self.most = kind, least, most

    def put(self, state: State, name: str, value: Any) -> None:
        """Write it into the settings."""
        self._home(state)[name] = to_json(value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        """Read it back; null serves where None may stand."""
        home = self._home(state)
        if name not in home:
            if type(None) in getattr(self.kind, "__args__", ()):
                return None
            raise StoreError(f"the setting {name!r} is missing")
        value = from_json(self.kind, home[name], f"the setting {name!r}")
        if value is not None and not _between(value, self.least, self.most):
            raise StoreError(
                f"the setting {name!r} should lie between {self.least} and {self.most}, found {value!r:.80}"
            )
        return value

    def absent(self, state: State, name: str) -> bool:
        """Tell whether a file does not have it at all."""
        return name not in self._home(state)

    def _home(self, state: State) -> dict[str, Any]:
        return state.settings


class Record(Setting):
    """A JSON value among the facts of training, which nothing depends on."""

    def _home(self, state: State) -> dict[str, Any]:
        return state.record


class Choice(Field):
    """One of several values, by its name."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def put(self, state: State, name: str, value: Any) -> None:
        """Write the name."""
        state.settings[name] = next(one for one, known in self.names.items() if known == value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        """Read the value of that name."""
        found = state.setting(name, str)
        if found not in self.names:
            raise StoreError(f"the setting {name!r} is the unknown {found!r:.80}")
        return self.names[found]


class Listed(Field):
    """A string or None, as a list with one entry or none."""

    def put(self, state: State, name: str, value: str | None) -> None:
        """Write it into the settings."""
        state.settings[name] = [] if value is None else [value]

    def get(self, state: State, name: str, sizes: Sizes) -> str | None:  # noqa: ARG002
        """Read it back."""
        found = state.names(name)
        if len(found) > 1:
            raise StoreError(f"the setting {name!r} should have one entry at most, found {len(found)}")
        return found[0] if found else None


class Names(Field):
    """A tuple of different strings in the settings; `size` is how many."""

    def __init__(self, size: str | None = None, *, least: int = 1, ordered: bool = False) -> None:
        self.size, self.least, self.ordered = size, least, ordered

    def put(self, state: State, name: str, value: Sequence[str]) -> None:
        """Write a list."""
        state.settings[name] = list(value)

    def get(self, state: State, name: str, sizes: Sizes) -> tuple[str, ...]:
        """Read it back."""
        found = state.names(name)
        if len(found) < self.least or len(set(found)) != len(found):
            raise StoreError(f"the {name} of a model should be there, each of them once")
        if self.ordered and list(found) != sorted(found):
            raise StoreError(f"the {name} should be in order")
        if self.size is not None:
            _meet(sizes, self.size, len(found), name)
        return found


class Strings(Field):
    """Many strings as an array: a tuple, or what `make` makes of a list; None where `optional`."""

    def __init__(
        self,
        size: str | None = None,
        *,
        make: Callable[[list[str]], Any] = tuple,
        distinct: bool = True,
        optional: bool = False,
    ) -> None:
        self.size, self.make, self.distinct, self.optional = size, make, distinct, optional

    def put(self, state: State, name: str, value: Any) -> None:
        """Write bytes and begins; sets in order."""
        if self.optional:
            state.settings[name] = value is not None
        strings = sorted(value or ()) if isinstance(value, (frozenset, set)) else list(value or ())
        state.arrays.update(string_arrays(name, strings))

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read them back."""
        strings = state.strings(name)
        if self.distinct and len(set(strings)) != len(strings):
            raise StoreError(f"the strings {name!r} should be there once each")
        if self.size is not None:
            _meet(sizes, self.size, len(strings), name)
        return None if self.optional and not state.setting(name, bool) else self.make(strings)


class Pool(Field):
    """A pool of strings; numbers of strings are what they were."""

    def __init__(self, size: str | None = None) -> None:
        self.size = size

    def put(self, state: State, name: str, value: _core.StringPool) -> None:
        """Write bytes and begins."""
        state.arrays.update(text_arrays(name, *value.arrays()))

    def get(self, state: State, name: str, sizes: Sizes) -> _core.StringPool:
        """Read them back."""
        content, begins = state.text(name)
        made = _core.pool_of(np.ascontiguousarray(content), np.ascontiguousarray(begins))
        if not isinstance(made, _core.StringPool):
            raise StoreError(f"the strings {name!r} are not sound UTF-8, or one of them is there twice")
        if self.size is not None:
            _meet(sizes, self.size, len(made), name)
        return made


class Array(Field):
    """An array of one dtype and shape: a shape has numbers and names of sizes.

    least, below   the range of its entries; `below` may be the name of a size
    finite         refuse NaN and infinity
    optional       None where the array is not there
    """

    def __init__(
        self,
        dtype: npt.DTypeLike,
        *shape: int | str,
        least: float | None = None,
        below: int | str | None = None,
        finite: bool = False,
        optional: bool = False,
    ) -> None:
        self.dtype, self.shape, self.least, self.below = np.dtype(dtype), shape, least, below
        self.finite, self.optional = finite, optional

    def put(self, state: State, name: str, value: Any) -> None:
        """Write it."""
        if value is not None:
            state.arrays[name] = np.ascontiguousarray(value, dtype=self.dtype)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read it back, as it lies in the file; numbers that are followed are copied, since a file may change."""
        if self.optional and name not in state.arrays:
            return None
        found = self._array(state, name, _known(self.shape, sizes))
        found = found if self.below is None else found.copy()
        for size, length in zip(self.shape, found.shape, strict=True):
            if isinstance(size, str):
                _meet(sizes, size, length, name)
        self._check(found, name, sizes)
        return found

    def _array(self, state: State, name: str, shape: tuple[int | None, ...]) -> Any:
        return state.array(name, self.dtype, shape)

    def _check(self, found: Any, name: str, sizes: Sizes) -> None:
        if self.finite and not np.isfinite(found).all():
            raise StoreError(f"the array {name!r} holds NaN or infinity")
        below = _product(self.below, sizes) if isinstance(self.below, str) else self.below
        low = self.least is not None and found.size and not (found >= self.least).all()
        if low or (below is not None and found.size and not (found < below).all()):
            upper = "" if below is None else f" to {below - 1}"
            raise StoreError(f"the array {name!r} should hold numbers from {self.least}{upper}, found others")


class Offsets(Array):
    """(count + 1,) int64 that rise from 0 to the size `end` and never fall."""

    def __init__(self, end: str, count: str | None = None) -> None:
        super().__init__(np.int64, "?")
        self.end, self.count = end, count

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read them back."""
        count = None if self.count is None else sizes.get(self.count)
        found = state.array(name, np.int64, (None if count is None else count + 1,))
        _meet(sizes, self.end, int(found[-1]) if len(found) else 0, name)
        if self.count is not None:
            _meet(sizes, self.count, len(found) - 1, name)
        return state.offsets(name, sizes[self.end])


class Packed(Array):
    """Weights, as float64 or in fewer bytes: the setting "dtype" says how. Small tables are never rounded to 8 bits."""

    def __init__(self, *shape: int | str, small: bool = False, optional: bool = False) -> None:
        super().__init__(np.float64, *shape, optional=optional)
        self.small = small

    def put(self, state: State, name: str, value: Any) -> None:
        """Write them in the dtype that was written before."""
        if value is None:
            return
        dtype = str(state.settings.get("dtype", "float64"))
        coarse = self.small and dtype in {"float16", "int8"}
        state.arrays.update(named(name, packed(value, "float32" if coarse else dtype)))

    def _array(self, state: State, name: str, shape: tuple[int | None, ...]) -> Any:
        return unpacked(state, name, shape)


class Part(Field):
    """Another dataclass, as a part of the state; one of several, told by its kind; None where `optional`.

    kinds   the classes; none for the class that has the field
    """

    def __init__(self, *kinds: Any, optional: bool = False) -> None:
        self.kinds, self.optional = kinds, optional

    def put(self, state: State, name: str, value: Any) -> None:
        """Write it as a part."""
        if value is not None:
            put_part(state, name, state_of(value))

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read it back."""
        if self.optional and not state.has_part(name):
            return None
        part = state.any_part(name)
        for kind in self.kinds:
            if part.kind == kind.stored_kind:
                inner = {size: value for size, value in sizes.items() if size.isupper()}
                made = read_fields(kind, part, inner)
                sizes.update({size: value for size, value in inner.items() if size.isupper()})
                return made
        wanted = " or ".join(repr(kind.stored_kind) for kind in self.kinds)
        raise StoreError(f"the part {name!r} is of kind {part.kind!r:.80}, {wanted} is wanted")


class Lazily(Field):
    """A field that is read when it is first asked for, as a Late value; that of a small file at once.

    sizes   {size: setting}: sizes that the settings of the part tell before it is read
    """

    def __init__(self, field: Field, **sizes: str) -> None:
        self.field, self.sizes = field, sizes

    def put(self, state: State, name: str, value: Late[Any]) -> None:
        """Write the value itself."""
        self.field.put(state, name, value())

    def get(self, state: State, name: str, sizes: Sizes) -> Late[Any]:
        """Look at nothing but the sizes."""
        if self.sizes:
            part = state.any_part(name)
            for size, setting in self.sizes.items():
                _meet(sizes, size, part.number(setting, 0), name)
        if state.nbytes <= SMALL:
            return Late(self.field.get(state, name, sizes))
        known = dict(sizes)

        def make() -> Any:
            with misfits_told(state.where):
                return self.field.get(state, name, known)

        return Late(make=make)


class Own(Field):
    """An object with a state() and a from_state() of its own, as a part."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def put(self, state: State, name: str, value: Any) -> None:
        """Write it as a part."""
        put_part(state, name, value.state())

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        """Read it back."""
        return self.kind.from_state(state.any_part(name))


class Inside(Field):
    """Another dataclass whose fields stand in the same state, their names behind a prefix.

    flag   for one that may be None: the setting that says whether it is there
    """

    def __init__(self, kind: type, prefix: str, flag: str | None = None) -> None:
        self.kind, self.prefix, self.flag = kind, prefix, flag

    def put(self, state: State, name: str, value: Any) -> None:  # noqa: ARG002
        """Write its fields."""
        if self.flag is not None:
            state.settings[self.flag] = value is not None
        if value is not None:
            write_fields(state, value, self.prefix)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        """Read them back."""
        if self.flag is not None and not state.setting(self.flag, bool):
            return None
        return read_fields(self.kind, state, sizes, self.prefix)


class Series(Field):
    """A tuple of values of one kind of field, numbered from 0: name.0, name.1 (or name0, name1 for parts)."""

    def __init__(self, field: Field, joint: str = ".") -> None:
        self.field, self.joint = field, joint

    def put(self, state: State, name: str, value: Sequence[Any]) -> None:
        """Write one after another."""
        for number, one in enumerate(value):
            self.field.put(state, f"{name}{self.joint}{number}", one)

    def get(self, state: State, name: str, sizes: Sizes) -> tuple[Any, ...]:
        """Read as many as there are."""
        return tuple(self.field.get(state, one, sizes) for one in self._names(state, name))

    def _names(self, state: State, name: str) -> Iterator[str]:
        known = {*state.arrays, *state.settings.get(PARTS, {})}
        for number in itertools.count():
            one = f"{name}{self.joint}{number}"
            if not any(found == one or found.startswith(f"{one}.") for found in known):
                return
            yield one


def put_part(state: State, name: str, part: State) -> None:
    """Write a state into another one as its part."""
    whole = state.with_parts({name: part})
    state.settings, state.arrays = whole.settings, whole.arrays


# ------------------------------------------------------------------------------------------------ sizes


def _known(shape: Sequence[int | str], sizes: Sizes) -> tuple[int | None, ...]:
    return tuple(sizes.get(size) if isinstance(size, str) else size for size in shape)


def _product(size: str, sizes: Sizes) -> int:
    """Return "L" or "L*L" as a number."""
    return math.prod(sizes[one] for one in size.split("*"))


def _meet(sizes: Sizes, size: str, value: int, name: str) -> None:
    if sizes.setdefault(size, value) != value:
        raise StoreError(f"{name!r} has {value} entries, {sizes[size]} are wanted")


def _between(value: Any, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


__all__ = [
    "DTYPES",
    "Array",
    "Choice",
    "Field",
    "Inside",
    "Late",
    "Lazily",
    "Listed",
    "Names",
    "Offsets",
    "Own",
    "Packed",
    "Part",
    "Pool",
    "Record",
    "Series",
    "Setting",
    "Sizes",
    "Strings",
    "put_part",
    "read_fields",
    "state_of",
    "value_of",
    "write_fields",
]
