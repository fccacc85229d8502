"""Kinds of stored fields: each writes a value under a name, and reads it with every number checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import OptionError, StoreError
from seqlab.store.state import Shape, State, from_json, string_arrays, text_arrays, to_json

Sizes = dict[str, int]
Weights = npt.NDArray[np.float64]
Stored = npt.NDArray[Any]

DTYPES = ("float64", "float32", "float16", "int8")
STEPS = 127  # of int8, on each side of zero
LARGEST = 1e30  # beyond it a path's score could leave the range of float32
RUN = 256  # weights of a plain list that share a scale; a table has one for each of its rows


def packed(name: str, weights: Weights, dtype: str = "float64") -> dict[str, Stored]:
    """Return weights of any shape as arrays of a State, which unpacked() reads.

    float64 is exact; float32 and float16 are rounded to the nearest; int8 is rounded to
    a 127th of the largest weight of its row (of its run of 256, when the weights are not a table). Weights
    that are already rounded are stored exactly.
    """
    check_dtype(dtype)
    largest = _largest(weights)
    if not largest <= (float(np.finfo(np.float16).max) if dtype == "float16" else LARGEST):
        raise StoreError(f"a weight of {largest:.6g} is too large to be stored as {dtype}")
    if dtype != "int8":
        return {name: weights.astype(dtype, copy=False)}
    table = _rows(weights)
    largest_of_row = np.abs(table).max(axis=1)
    scale = (largest_of_row / STEPS).astype(np.float32)
    # Only for the tiniest scales could rounding move the largest weight out of range.
    outside = largest_of_row > (STEPS + 0.5) * scale.astype(np.float64)
    scale[outside] = np.nextafter(scale[outside], np.float32(np.inf))
    used = scale[:, None]
    steps = np.rint(np.divide(table, used, out=np.zeros(table.shape), where=used > 0)).astype(np.int8)
    return {name: steps.reshape(-1)[: weights.size].reshape(weights.shape), f"{name}.scale": scale}


def unpacked(state: State, name: str, shape: Shape) -> Weights:
    """Return the weights given to packed(), as float64 of this shape."""
    found = state.arrays.get(name)
    if found is None or str(found.dtype) not in DTYPES:
        what = "is missing" if found is None else f"should hold weights, found {found.dtype}"
        raise StoreError(f"the array {name!r} {what}")
    # Mapped, because models are large. A weight that changes after the check cannot cause an access out of bounds.
    stored = state.array(name, found.dtype, shape, mapped=True)
    weights: Weights = stored.astype(np.float64, copy=False)
    if stored.dtype == np.int8:
        table = _rows(weights)
        scale = state.array(f"{name}.scale", np.float32, (len(table),))
        if not (np.isfinite(scale).all() and (scale >= 0).all()):
            raise StoreError(f"the array '{name}.scale' should hold numbers from 0 up")
        flat = (table * scale.astype(np.float64)[:, None]).reshape(-1)
        weights = flat[: stored.size].reshape(stored.shape)
    largest = _largest(weights)
    if not largest <= 1.01 * LARGEST:  # it may have been rounded up
        raise StoreError(f"the array {name!r} should hold weights up to {LARGEST:g}, found {largest:.6g}")
    return weights


def check_dtype(dtype: str) -> None:
    """Check that weights can be stored in this dtype."""
    if dtype not in DTYPES:
        raise OptionError(f"weights are stored as {', '.join(DTYPES)}, got {dtype!r:.80}")


def _largest(weights: Weights) -> float:
    """Return the largest absolute value, NaN when there is one; without a copy, since models are large."""
    return max(float(weights.max(initial=0)), -float(weights.min(initial=0)))


def _rows(weights: Weights) -> Weights:
    """Arrange the weights as (rows, width), each row with a scale; zeros fill the last row of a plain list."""
    width = RUN if weights.ndim < 2 else max(weights.shape[-1], 1)
    flat = weights.reshape(-1)
    if len(flat) % width:
        flat = np.concatenate([flat, np.zeros(-len(flat) % width)])
    return flat.reshape(-1, width)


# ------------------------------------------------------------------------------------------------ kinds of fields


class Field:
    """Storage of a field: `put` writes a value under a name, `get` reads and checks it."""

    def put(self, state: State, name: str, value: Any) -> None:
        """Write the value."""
        raise NotImplementedError

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read the value."""
        raise NotImplementedError

    def absent(self, state: State, name: str) -> bool:  # noqa: ARG002
        """Return True if the file does not contain it."""
        return False


class Setting(Field):
    """A JSON value of a given type: numbers, strings, lists, dataclasses."""

    def __init__(self, kind: Any, *, least: float | None = None, most: float | None = None) -> None:
        self.kind, self.least, self.most = kind, least, most

    def put(self, state: State, name: str, value: Any) -> None:
        self._home(state)[name] = to_json(value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        home = self._home(state)
        if name not in home:
            if type(None) in getattr(self.kind, "__args__", ()):
                return None
            raise StoreError(f"the setting {name!r} is missing")
        value = from_json(self.kind, home[name], f"the setting {name!r}")
        fits = value is None or (
            (self.least is None or value >= self.least) and (self.most is None or value <= self.most)
        )
        if not fits:  # NaN does not
            raise StoreError(
                f"the setting {name!r} should lie between {self.least} and {self.most}, found {value!r:.80}"
            )
        return value

    def absent(self, state: State, name: str) -> bool:
        return name not in self._home(state)

    def _home(self, state: State) -> dict[str, Any]:
        return state.settings


class Record(Setting):
    """A JSON value among the facts of training; for information only."""

    def _home(self, state: State) -> dict[str, Any]:
        return state.record


class Choice(Field):
    """One of several values, by its name."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def put(self, state: State, name: str, value: Any) -> None:
        state.settings[name] = next(one for one, known in self.names.items() if known == value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        found = state.setting(name, str)
        if found not in self.names:
            raise StoreError(f"the setting {name!r} is the unknown {found!r:.80}")
        return self.names[found]


class Listed(Field):
    """A string or None, as a list with one entry or none."""

    def put(self, state: State, name: str, value: str | None) -> None:
        state.settings[name] = [] if value is None else [value]

    def get(self, state: State, name: str, sizes: Sizes) -> str | None:  # noqa: ARG002
        found = state.names(name)
        if len(found) > 1:
            raise StoreError(f"the setting {name!r} should have one entry at most, found {len(found)}")
        return found[0] if found else None


class Names(Field):
    """A tuple of distinct strings in the settings; `size` is their number."""

    def __init__(self, size: str | None = None, *, least: int = 1, ordered: bool = False) -> None:
        self.size, self.least, self.ordered = size, least, ordered

    def put(self, state: State, name: str, value: Sequence[str]) -> None:
        state.settings[name] = list(value)

    def get(self, state: State, name: str, sizes: Sizes) -> tuple[str, ...]:
        found = state.names(name)
        if len(found) < self.least or len(set(found)) != len(found):
            raise StoreError(f"the {name} of a model should be there, each of them once")
        if self.ordered and list(found) != sorted(found):
            raise StoreError(f"the {name} should be in order")
        meet(sizes, self.size, len(found), name)
        return found


class Strings(Field):
    """Many strings as an array: a tuple, or the result of `make` on a list; None where `optional`."""

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
        if self.optional:
            state.settings[name] = value is not None
        strings = sorted(value or ()) if isinstance(value, (frozenset, set)) else list(value or ())
        state.arrays.update(string_arrays(name, strings))

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        strings = state.strings(name)
        if self.distinct and len(set(strings)) != len(strings):
            raise StoreError(f"the strings {name!r} should be there once each")
        meet(sizes, self.size, len(strings), name)
        return None if self.optional and not state.setting(name, bool) else self.make(strings)


class Pool(Field):
    """A pool of strings; their numbers are kept."""

    def __init__(self, size: str | None = None) -> None:
        self.size = size

    def put(self, state: State, name: str, value: _core.StringPool) -> None:
        state.arrays.update(text_arrays(name, *value.arrays()))

    def get(self, state: State, name: str, sizes: Sizes) -> _core.StringPool:
        content, begins = state.text(name)
        made = _core.pool_of(np.ascontiguousarray(content), np.ascontiguousarray(begins))
        if not isinstance(made, _core.StringPool):
            raise StoreError(f"the strings {name!r} are not sound UTF-8, or one of them is there twice")
        meet(sizes, self.size, len(made), name)
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
        if value is not None:
            state.arrays[name] = np.ascontiguousarray(value, dtype=self.dtype)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        if self.optional and name not in state.arrays:
            return None
        shape = tuple(sizes.get(size) if isinstance(size, str) else size for size in self.shape)
        found = self._array(state, name, shape)
        for size, length in zip(self.shape, found.shape, strict=True):
            if isinstance(size, str):
                meet(sizes, size, length, name)
        self._check(found, name, sizes)
        return found

    def _array(self, state: State, name: str, shape: Shape) -> Any:
        return state.array(name, self.dtype, shape)

    def _check(self, found: Any, name: str, sizes: Sizes) -> None:
        if self.finite and not np.isfinite(found).all():
            raise StoreError(f"the array {name!r} holds NaN or infinity")
        below = self.below
        if isinstance(below, str):  # "L" or "L*L"
            below = math.prod(sizes[one] for one in below.split("*"))
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
        count = None if self.count is None else sizes.get(self.count)
        found = state.array(name, np.int64, (None if count is None else count + 1,), mapped=True)
        meet(sizes, self.end, int(found[-1]) if len(found) else 0, name)
        meet(sizes, self.count, len(found) - 1, name)
        return state.offsets(name, sizes[self.end])


class Packed(Array):
    """Weights, as float64 or in fewer bytes: the setting "dtype" says how. Small tables are never rounded to 8 bits."""

    def __init__(self, *shape: int | str, small: bool = False, optional: bool = False) -> None:
        super().__init__(np.float64, *shape, optional=optional)
        self.small = small

    def put(self, state: State, name: str, value: Any) -> None:
        if value is None:
            return
        dtype = str(state.settings.get("dtype", "float64"))
        coarse = self.small and dtype in {"float16", "int8"}
        state.arrays |= packed(name, value, "float32" if coarse else dtype)

    def _array(self, state: State, name: str, shape: Shape) -> Any:
        return unpacked(state, name, shape)


def meet(sizes: Sizes, size: str | None, value: int, name: str) -> None:
    """Set the value of a named size, or check that it agrees with the earlier value."""
    if size is not None and sizes.setdefault(size, value) != value:
        raise StoreError(f"{name!r} has {value} entries, {sizes[size]} are wanted")
