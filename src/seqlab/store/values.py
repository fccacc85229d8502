"""Store options as users gave them: as JSON where possible, as arrays where large, never as code.

Values that JSON has (None, True, numbers, strings) stand for themselves. Anything else is an object with one key, which
says what it is: {"tuple": [...]}, {"object": {"name": "LBFGS", "fields": {...}}}, {"tensor": "init.start"}.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from seqlab.errors import SeqlabError, StoreError
from seqlab.store.codec import put_part
from seqlab.store.fields import Field, Sizes
from seqlab.store.state import State, field_names, plain, string_arrays

COLLECTIONS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_CONTAINERS = tuple(COLLECTIONS.values())  # stored as a number in dictionaries {word: labels}
_LARGE = 256  # a list of lists with more strings is stored as an array


@dataclasses.dataclass(frozen=True, slots=True)
class OptionKind:
    """A class whose objects may be options.

    kind     the class itself, without derived classes
    fields   returns the arguments of its constructor, by name; None: the fields of a dataclass
    make     makes an object from them; None: the class
    """

    kind: type
    fields: Callable[[Any], Mapping[str, Any]] | None = None
    make: Callable[..., Any] | None = None

    def taken_apart(self, value: Any) -> Mapping[str, Any]:
        """Return the arguments of the constructor."""
        if self.fields is not None:
            return self.fields(value)
        return {name: getattr(value, name) for name in field_names(value) or ()}


def kinds_of(*classes: type) -> dict[str, OptionKind]:
    """Return option kinds of dataclasses by name."""
    return {kind.__name__: OptionKind(kind) for kind in classes}


class Values:
    """Writes values into a state and reads them.

    classes   whose objects may be stored, by name
    models    constructors of fitted models, by kind; a model inside an option is a part
    """

    def __init__(
        self,
        classes: Mapping[str, OptionKind],
        models: Callable[[], Mapping[str, Callable[[State], Any]]] | None = None,
    ) -> None:
        self._classes = classes
        self._models = models

    # -------------------------------------------------------------------------------------- there

    def put(self, state: State, path: str, value: Any) -> Any:
        """Convert the value to JSON values; large parts become arrays of the state, named after `path`."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        name = type(value).__name__
        if name in self._classes and self._classes[name].kind is type(value):
            fields = self._classes[name].taken_apart(value)
            told = {field: self.put(state, f"{path}.{field}", one) for field, one in fields.items()}
            return {"object": {"name": name, "fields": told}}
        if isinstance(value, np.ndarray):
            return self._put_array(state, path, value)
        if callable(getattr(value, "state", None)) and not isinstance(value, type) and self._models:
            put_part(state, path.replace(".", "-"), value.state())
            return {"model": path.replace(".", "-")}
        return self._put_collection(state, path, value)

    def _put_array(self, state: State, path: str, value: np.ndarray) -> Any:
        if value.dtype == bool and value.ndim <= 2:
            return {"mask": value.tolist()}
        if value.dtype.kind in "US":
            return {"string array": value.astype(str).tolist()}
        if value.dtype.kind not in "iuf":
            raise StoreError(f"the option {path} cannot be stored: it is an array of {value.dtype}")
        state.arrays[path] = value
        return {"tensor": path}

    def _put_collection(self, state: State, path: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            if value and all(isinstance(word, str) and _is_labels(some) for word, some in value.items()):
                return _put_dictionary(state, path, value)
            pairs = [
                [self.put(state, f"{path}.{n}.key", key), self.put(state, f"{path}.{n}", one)]
                for n, (key, one) in enumerate(value.items())
            ]
            return {"dict": pairs}
        for name, kind in COLLECTIONS.items():
            if type(value) is kind:
                if kind in (list, tuple) and _is_text(value):
                    return _put_rows(state, path, value, name)
                return {name: [self.put(state, f"{path}.{n}", one) for n, one in enumerate(ordered(value))]}
        if isinstance(value, Iterable) and not isinstance(value, (Iterator, bytes)):
            return self._put_collection(state, path, list(value))
        if hasattr(value, "train"):
            raise StoreError(
                f"the {path} {value!r:.80} is of your own making, and a model file holds no code; "
                f"give the model one of seqlab's before it is saved, with set_params({path}=...)"
            )
        raise StoreError(
            f"the option {path} cannot be stored: {value!r:.80} is nothing that a model file can hold"
        )

    # -------------------------------------------------------------------------------------- back

    def get(self, state: State, path: str, data: Any) -> Any:
        """Return the value given to put()."""
        if not isinstance(data, (dict, list)):
            return data
        if isinstance(data, list) or len(data) != 1:
            raise StoreError(
                f"the option {path} should be a value or an object with one key, found {data!r:.80}"
            )
        ((form, inside),) = data.items()
        if form in COLLECTIONS:
            found = [self.get(state, path, one) for one in plain(list, inside, f"the option {path}")]
            return COLLECTIONS[form](found)
        if form not in _FORMS:
            raise StoreError(f"the option {path} is of the unknown kind {form!r:.80}")
        return _FORMS[form](self, state, path, inside)

    def _get_object(self, state: State, path: str, inside: Any) -> Any:
        given = State(path, plain(dict, inside, f"the option {path}"))
        name = given.setting("name", str)
        fields = given.setting("fields" if "fields" in given.settings else "options", dict)
        if name not in self._classes:
            known = ", ".join(map(repr, sorted(self._classes)))
            raise StoreError(f"the option {path} is a {name!r:.80}, which seqlab does not have, only {known}")
        kind = self._classes[name]
        values = {field: self.get(state, f"{path}.{field}", one) for field, one in fields.items()}
        try:
            return (kind.make or kind.kind)(**values)
        except (SeqlabError, TypeError, ValueError) as error:
            raise StoreError(f"the option {path} of the model makes no sense: {error}") from error

    def _get_dict(self, state: State, path: str, inside: Any) -> Any:
        pairs = plain(list, inside, f"the option {path}")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise StoreError(f"the option {path} should hold pairs of key and value, found {inside!r:.80}")
        return {self.get(state, path, key): self.get(state, path, one) for key, one in pairs}

    def _get_model(self, state: State, path: str, inside: Any) -> Any:
        models = self._models() if self._models else {}
        part = state.any_part(inside).replaced(where=state.where)
        if part.kind not in models:
            raise StoreError(f"the option {path} is a model of the unknown kind {part.kind!r:.80}")
        return models[part.kind](part)


class Given(Field):
    """Stored options of a user, inside a fitted value: an object of one of several classes."""

    def __init__(self, *classes: type) -> None:
        self.classes = classes

    def put(self, state: State, name: str, value: Any) -> None:
        state.settings[name] = Values(kinds_of(*self.classes)).put(state, name, value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        value = Values(kinds_of(*self.classes)).get(state, name, state.setting(name, object))
        if not isinstance(value, self.classes):
            raise StoreError(f"the setting {name!r} is {value!r:.80}, which makes no sense here")
        return value


# ------------------------------------------------------------------------------------------------ forms of a value


def _tensor(_values: Values, state: State, path: str, inside: Any) -> Any:
    if not isinstance(inside, str) or inside not in state.arrays:
        raise StoreError(f"the array {inside!r:.80} of the option {path} is missing")
    return np.array(state.arrays[inside])


def _plain_array(_values: Values, _state: State, path: str, inside: Any) -> Any:
    try:
        return np.array(inside, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise StoreError(f"the option {path} should be an array of numbers: {error}") from error


def _mask(_values: Values, _state: State, path: str, inside: Any) -> Any:
    flags = np.array(plain(list, inside, f"the option {path}"))
    if flags.dtype != bool and flags.size:
        raise StoreError(f"the option {path} should hold true and false, found {inside!r:.80}")
    return flags.astype(bool)


def _put_rows(state: State, path: str, value: Any, form: str) -> dict[str, Any]:
    """Write sentences: lists of strings."""
    state.arrays |= string_arrays(f"{path}.text", [one for row in value for one in row])
    state.arrays[f"{path}.row"] = np.cumsum([0, *map(len, value)]).astype(np.int64)
    return {"rows": {"name": path, "form": form}}


def _rows(_values: Values, state: State, path: str, inside: Any) -> Any:
    given = State(path, plain(dict, inside, f"the option {path}"))
    name, form = given.setting("name", str), given.setting("form", str)
    strings = state.strings(f"{name}.text")
    bounds = state.offsets(f"{name}.row", len(strings)).tolist()
    return COLLECTIONS.get(form, list)(strings[begin:end] for begin, end in pairwise(bounds))


def _put_dictionary(state: State, path: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Write {word: labels} as arrays, because there may be many words."""
    number: dict[str, int] = {}
    rows = [[number.setdefault(label, len(number)) for label in ordered(some)] for some in value.values()]
    kinds = [_CONTAINERS.index(type(some)) if type(some) in _CONTAINERS else 0 for some in value.values()]
    state.arrays |= string_arrays(f"{path}.words", value) | string_arrays(f"{path}.labels", number)
    state.arrays |= {
        f"{path}.begin": np.cumsum([0, *map(len, rows)]).astype(np.int64),
        f"{path}.label": np.array([y for row in rows for y in row], dtype=np.int32),
        f"{path}.kind": np.array(kinds, dtype=np.int32),
    }
    return {"dictionary": path}


def _dictionary(_values: Values, state: State, path: str, inside: Any) -> Any:
    name = str(inside)
    words, labels = state.strings(f"{name}.words"), state.strings(f"{name}.labels")
    label = state.numbers(f"{name}.label", (None,), len(labels)).tolist()
    begin = state.offsets(f"{name}.begin", len(label), count=len(words)).tolist()
    kinds = state.numbers(f"{name}.kind", (len(words),), len(_CONTAINERS)).tolist()
    if len(set(words)) != len(words):
        raise StoreError(f"the option {path} should have each word once")
    return {
        word: _CONTAINERS[kinds[i]](labels[y] for y in label[begin[i] : begin[i + 1]])
        for i, word in enumerate(words)
    }


def _named(name: str) -> Callable[[Values, State, str, Any], Any]:
    """Read an object of this class from its fields alone, as in files of version 1."""
    return lambda values, state, path, one: values._get_object(state, path, {"name": name, "fields": one})


_FORMS: dict[str, Callable[[Values, State, str, Any], Any]] = {
    "array": _plain_array,
    "constraints": _named("Constraints"),
    "dict": Values._get_dict,
    "dictionary": _dictionary,
    "function": lambda _, state, __, inside: state.function(str(inside)),
    "learner": Values._get_object,
    "mapping": Values._get_dict,
    "mask": _mask,
    "model": Values._get_model,
    "object": Values._get_object,
    "rows": _rows,
    "scheme": _named("Scheme"),
    "string array": lambda _, __, path, inside: np.array(
        plain(list, inside, f"the option {path}"), dtype=str
    ),
    "tensor": _tensor,
}


def ordered(values: Any) -> list[Any]:
    """Return a collection as a list; sets in a fixed order, so that equal models give equal files."""
    return sorted(values, key=repr) if isinstance(values, (set, frozenset)) else list(values)


def _is_labels(some: Any) -> bool:
    plain = isinstance(some, Iterable) and not isinstance(some, (str, bytes, Mapping, Iterator, np.ndarray))
    return plain and all(isinstance(label, str) for label in some)


def _is_text(value: Any) -> bool:
    """Return True if these are many sentences of strings."""
    text = all(type(row) is list and all(isinstance(one, str) for one in row) for row in value)
    return text and sum(map(len, value)) > _LARGE
