"""Options of taggers as plain data for a model file, there and back as they were given.

What JSON has (None, True, numbers, strings) stands for itself. Anything else is an object with one key, which says what
it is: {"tuple": [...]}, {"mask": ...}, {"learner": ...}.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.errors import StoreError
from seqlab.lazy import lent
from seqlab.store.state import State

if TYPE_CHECKING:
    from seqlab.tags import Scheme

_COLLECTIONS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_SPELLING = ("delimiter", "suffix", "outside")  # of a tag scheme


# ------------------------------------------------------------------------------------------------ there


def plain(value: Any, what: str) -> Any:
    """The value as JSON can hold it; `what` it is for the message when it cannot."""
    if isinstance(value, np.generic):
        return plain(value.item(), what)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    from seqlab.tags import Scheme
    from seqlab.trellis import Constraints

    if isinstance(value, Constraints):
        return {"constraints": _fields(value, what)}
    if isinstance(value, Scheme):
        return {"scheme": _scheme_data(value)}
    if hasattr(value, "train"):
        return {"learner": _learner_data(value, what)}
    return _collection(value, what)


def _collection(value: Any, what: str) -> dict[str, Any]:
    for name, kind in _COLLECTIONS.items():
        if type(value) is kind:
            return {name: [plain(one, what) for one in ordered(value)]}
    if isinstance(value, Mapping):
        return {"dict": [[plain(key, what), plain(one, what)] for key, one in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype == bool:
        return {"mask": value.tolist()}
    if isinstance(value, Iterable) and not isinstance(value, Iterator):
        return _collection(list(value), what)
    raise StoreError(f"{what} cannot be stored: {value!r:.80} is nothing that a model file can hold")


def ordered(values: Any) -> list[Any]:
    """Sets in one order, so that the same model gives the same file."""
    return sorted(values, key=repr) if isinstance(values, (set, frozenset)) else list(values)


def _fields(value: Any, what: str) -> dict[str, Any]:
    return {
        field.name: plain(getattr(value, field.name), f"{what}.{field.name}")
        for field in dataclasses.fields(value)
        if field.init
    }


def _scheme_data(scheme: Scheme) -> dict[str, Any]:
    from seqlab.tags import Scheme

    spelling = {name: getattr(scheme, name) for name in _SPELLING}
    if scheme != Scheme.of(scheme.name, **spelling):
        raise StoreError(
            f"the tag scheme {scheme.name!r} is of your own making, and a model file has only names of "
            f"seqlab's; give its rules as a Constraints"
        )
    return {"name": scheme.name, **spelling}


def _learner_data(learner: Any, what: str) -> dict[str, Any]:
    kind = type(learner)
    if lent["learner"](kind.__name__) is not kind:
        raise StoreError(
            f"the learner {learner!r:.80} is of your own making, and a model file holds no code; "
            f"give the tagger one of seqlab's before it is saved, for example tagger.set_params(learner=LBFGS())"
        )
    return {"name": kind.__name__, "options": _fields(learner, what)}


# ------------------------------------------------------------------------------------------------ back


def revived(data: Any, what: str) -> Any:
    """The value that plain() was given."""
    if not isinstance(data, (dict, list)):
        return data
    if isinstance(data, list) or len(data) != 1:
        raise StoreError(f"{what} should be a value or an object with one key, found {data!r:.80}")
    ((name, inside),) = data.items()
    if name in _COLLECTIONS:
        return _COLLECTIONS[name](revived(one, what) for one in _list(inside, what))
    match name:
        case "dict":
            pairs = [_pair(pair, what) for pair in _list(inside, what)]
            return {revived(key, what): revived(one, what) for key, one in pairs}
        case "mask":
            return _mask(inside, what)
        case "constraints":
            from seqlab.trellis import Constraints

            return _made(Constraints, inside, what)
        case "scheme":
            from seqlab.tags import Scheme

            given = State(what, _object(inside, what))
            name, suffix = given.setting("name", str), given.setting("suffix", bool)
            delimiter, outside = given.setting("delimiter", str), given.setting("outside", str)
            return Scheme.of(name, delimiter=delimiter, suffix=suffix, outside=outside)
        case "learner":
            given = State(what, _object(inside, what))
            return _made(_learner(given.setting("name", str)), given.setting("options", dict), what)
        case _:
            raise StoreError(f"{what} is of the unknown kind {name!r:.80}")


def _made(kind: type, fields: Any, what: str) -> Any:
    given = _object(fields, what)
    known = [field.name for field in dataclasses.fields(kind) if field.init]
    for name in given:
        if name not in known:
            raise StoreError(
                f"{kind.__name__} has no option {name!r:.80}, only {', '.join(map(repr, known))}"
            )
    return kind(**{name: revived(one, f"{what}.{name}") for name, one in given.items()})


def _learner(name: str) -> type:
    found: type | None = lent["learner"](name)
    if found is None:
        raise StoreError(f"there is no learner {name!r:.80}")
    return found


def _mask(data: Any, what: str) -> np.ndarray:
    flags = np.array(_list(data, what))
    if flags.dtype != bool and flags.size:
        raise StoreError(f"{what} should hold true and false, found {data!r:.80}")
    return flags.astype(bool)


def _pair(data: Any, what: str) -> tuple[Any, Any]:
    pair = _list(data, what)
    if len(pair) != 2:
        raise StoreError(f"{what} should hold pairs of key and value, found {data!r:.80}")
    return pair[0], pair[1]


def _list(data: Any, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise StoreError(f"{what} should be a list, found {data!r:.80}")
    return data


def _object(data: Any, what: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise StoreError(f"{what} should be an object, found {data!r:.80}")
    return data
