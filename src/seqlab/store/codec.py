"""Store dataclasses: the annotation of each field says how it is stored and checked when it is read.

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
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from seqlab.errors import StoreError
from seqlab.store.fields import Field, Setting, Sizes, meet
from seqlab.store.reading import misfits_told
from seqlab.store.state import PARTS, State, built, hints_of, to_json

SMALL = 1 << 20  # bytes of arrays that are read and checked at once
Value = TypeVar("Value")


# ------------------------------------------------------------------------------------------------ whole values


def state_of(value: Any) -> State:
    """Return a dataclass as a State of its kind; other objects have their own state()."""
    if hasattr(value, "state"):
        return value.state()  # type: ignore[no-any-return]
    state = State(value.stored_kind)
    write_fields(state, value)
    return state


def value_of(kind: type[Value], state: State, sizes: Sizes | None = None) -> Value:
    """Make a value from the result of state_of(); the state is checked."""
    wanted: str = kind.stored_kind  # type: ignore[attr-defined]
    if state.kind != wanted:
        raise StoreError(f"a model of kind {wanted!r} is wanted, found one of kind {state.kind!r:.80}")
    return read_fields(kind, state, {} if sizes is None else sizes)


def write_fields(state: State, value: Any, prefix: str = "") -> None:
    """Write every field of a dataclass into a state."""
    for name in getattr(value, "stored_facts", ()):
        state.settings[f"{prefix}{name}"] = to_json(getattr(value, name))
    # Settings first: they say how arrays are packed.
    kind: Any = type(value)
    for name, (field, _) in sorted(_fields(kind).items(), key=lambda one: not isinstance(one[1][0], Setting)):
        field.put(state, f"{prefix}{name}", getattr(value, name))


def read_fields(kind: type[Value], state: State, sizes: Sizes, prefix: str = "") -> Value:
    """Make a dataclass from the fields in a state."""
    known: Any = kind
    values = {
        name: field.get(state, f"{prefix}{name}", sizes)
        for name, (field, defaulted) in _fields(known).items()
        if not (defaulted and field.absent(state, f"{prefix}{name}"))
    }
    return built(kind, values, prefix or state.kind)  # type: ignore[no-any-return]


@cache
def _fields(kind: Any) -> dict[str, tuple[Field, bool]]:
    """Return the storage of each field, and True if it has a default."""
    found = {}
    for one in dataclasses.fields(kind):
        if one.init and not one.name.startswith("_"):
            hint = hints_of(kind)[one.name]
            plain: Field = Part(hint) if hasattr(hint, "stored_kind") else Setting(hint)
            chosen = next((own for own in getattr(hint, "__metadata__", ()) if isinstance(own, Field)), plain)
            if isinstance(chosen, Part) and not chosen.kinds:
                chosen = Part(kind, optional=chosen.optional)
            found[one.name] = chosen, one.default is not dataclasses.MISSING
    return found


class Late(Generic[Value]):
    """A value that is computed on first use: Late(value), or Late(make=function)."""

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
        """True if the value is already computed."""
        return self._make is None

    def __reduce__(self) -> tuple[Any, ...]:
        return Late, (self(),)


# ------------------------------------------------------------------------------------------------ kinds of fields


class Part(Field):
    """Another dataclass, as a part of the state; one of several, identified by its kind; None where `optional`.

    kinds   the classes; none for the class that has the field. One with a from_state() reads its part itself
    """

    def __init__(self, *kinds: Any, optional: bool = False) -> None:
        self.kinds, self.optional = kinds, optional

    def put(self, state: State, name: str, value: Any) -> None:
        if value is not None:
            put_part(state, name, state_of(value))

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        if self.optional and not state.has_part(name):
            return None
        part = state.any_part(name)
        for kind in self.kinds:
            if hasattr(kind, "from_state"):
                return kind.from_state(part)
            if part.kind == kind.stored_kind:
                inner = _shared(sizes)
                made = read_fields(kind, part, inner)
                sizes.update(_shared(inner))
                return made
        wanted = " or ".join(repr(kind.stored_kind) for kind in self.kinds)
        raise StoreError(f"the part {name!r} is of kind {part.kind!r:.80}, {wanted} is wanted")


class Lazily(Field):
    """A field that is read on first use, as a Late value; in a small file at once.

    sizes   {size: setting}: sizes that the settings of the part give before it is read
    """

    def __init__(self, field: Field, **sizes: str) -> None:
        self.field, self.sizes = field, sizes

    def put(self, state: State, name: str, value: Late[Any]) -> None:
        self.field.put(state, name, value())

    def get(self, state: State, name: str, sizes: Sizes) -> Late[Any]:
        if self.sizes:
            part = state.any_part(name)
            for size, setting in self.sizes.items():
                meet(sizes, size, part.number(setting, 0), name)
        if state.nbytes <= SMALL:
            return Late(self.field.get(state, name, sizes))
        known = dict(sizes)

        def make() -> Any:
            with misfits_told(state.where):
                return self.field.get(state, name, known)

        return Late(make=make)


class Inside(Field):
    """Another dataclass whose fields are stored in the same state, their names after a prefix.

    prefix   None: the name of the field and a dot
    flag     for one that may be None: the setting that is True if it is present
    """

    def __init__(self, kind: type, prefix: str | None = None, flag: str | None = None) -> None:
        self.kind, self.prefix, self.flag = kind, prefix, flag

    def put(self, state: State, name: str, value: Any) -> None:
        if self.flag is not None:
            state.settings[self.flag] = value is not None
        if value is not None:
            write_fields(state, value, f"{name}." if self.prefix is None else self.prefix)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        if self.flag is not None and not state.setting(self.flag, bool):
            return None
        return read_fields(self.kind, state, sizes, f"{name}." if self.prefix is None else self.prefix)


class Series(Field):
    """A tuple of values of one kind of field, numbered from 0: name.0, name.1 (or name0, name1 for parts)."""

    def __init__(self, field: Field, joint: str = ".") -> None:
        self.field, self.joint = field, joint

    def put(self, state: State, name: str, value: Sequence[Any]) -> None:
        for number, one in enumerate(value):
            self.field.put(state, f"{name}{self.joint}{number}", one)

    def get(self, state: State, name: str, sizes: Sizes) -> tuple[Any, ...]:
        known = {*state.arrays, *state.settings.get(PARTS, {})}
        values: list[Any] = []
        while True:
            one = f"{name}{self.joint}{len(values)}"
            if not any(found == one or found.startswith(f"{one}.") for found in known):
                return tuple(values)
            values.append(self.field.get(state, one, _shared(sizes)))


def _shared(sizes: Sizes) -> Sizes:
    """Copy the sizes that also apply to parts: those named by capital letters."""
    return {size: value for size, value in sizes.items() if size.isupper()}


def put_part(state: State, name: str, part: State) -> None:
    """Write a state into another one as its part."""
    whole = state.with_parts({name: part})
    state.settings, state.arrays = whole.settings, whole.arrays
