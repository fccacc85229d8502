"""Identify a training: hashes of its data, and its options by name, so that another one does not go on in its place."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus, StringColumn
from seqlab.shown import exact

LONGEST = 160  # characters of an option that are kept as they are
FREE = ("threads",)  # options that change no bit of a result
NAMELESS = " at 0x"  # in the repr of an object that says nothing of itself


def digest(*values: Any) -> str:
    """Compute a hash that is equal for equal sentences, labels and arrays, in any process."""
    found = hashlib.blake2b(digest_size=12)
    for value in values:
        for piece in _pieces(value):
            found.update(piece)
    return found.hexdigest()


def _pieces(value: Any) -> Iterator[Any]:
    """Cut a value into bytes."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode()
        if value.dtype == object:
            yield repr(value.tolist()).encode()
        elif value.size:
            yield np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
    elif isinstance(value, str):
        yield value.encode("utf-8", "surrogatepass") + b"\0"
    elif isinstance(value, Corpus):
        yield from _pieces(value.offsets)
        for name in value.columns:
            yield from _pieces(name)
            yield from _column(value.data(name))
    else:
        inside = _parts(value)
        yield f"{type(value).__name__} {repr(value) if inside is None else len(inside)}".encode() + b"\0"
        for one in inside or ():
            yield from _pieces(one)


def _parts(value: Any) -> Sequence[Any] | None:
    """List the values inside a value; None for a single one."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(one.name, getattr(value, one.name)) for one in dataclasses.fields(value) if one.init]
    if isinstance(value, Mapping):
        return list(value.items())
    if hasattr(value, "toarray"):  # a sparse matrix
        return [value.data, *value.nonzero()]
    return value if isinstance(value, Sequence) and not isinstance(value, bytes) else None


def _column(column: Any) -> Iterator[Any]:
    """Hash numbers of strings and the strings once: a token at a time would take seconds for a million."""
    if isinstance(column, BagColumn):
        yield from _pieces(column.indptr)
        yield from _pieces(column.all_weights)
        column = column.strings
    if isinstance(column, StringColumn):
        codes, pool = _core.compact_pool(column.codes, column.pool)
        for array in (codes, *pool.arrays()):
            yield from _pieces(array)
    else:
        yield from _pieces(column.vectors)


def facts_of(model: Any, **more: Any) -> dict[str, str]:
    """Describe a training by names and strings: library and kernel, the model, its options, and further values.

    more   options of fit and hashes of the data, by name
    """
    from seqlab.store.writing import library_version

    facts = {"seqlab": library_version(), "kernel": _core.kernel(), "model": type(model).__name__}
    given = model.get_params(deep=True)
    for name, value in given.items():
        if name not in FREE:
            whole = any(other.startswith(f"{name}__") for other in given)  # its own options follow
            facts[name] = type(value).__name__ if whole else told(value)
    return facts | {name: one if isinstance(one, str) else told(one) for name, one in more.items()}


def counted_digest(corpus: Corpus) -> str:
    """Describe a corpus by its size and a hash."""
    return f"{len(corpus)} of {corpus.token_count} tokens, {digest(corpus)}"


def told(value: Any) -> str:
    """Format an option; a long one by its beginning and a hash, a function by its name."""
    if callable(value) and not isinstance(value, type) and hasattr(value, "__qualname__"):
        return f"{getattr(value, '__module__', '')}.{value.__qualname__}"
    text = exact(value)
    if NAMELESS in text:
        text = f"{type(value).__module__}.{type(value).__qualname__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}... ({digest(text)})"


def differences(here: Mapping[str, str], there: Mapping[str, Any]) -> list[str]:
    """List what differs between the facts of two trainings, in words; `there` may come from a file."""
    missing = "nothing"
    if here.get("model") != there.get("model"):  # their options have nothing in common
        here, there = ({"model": one.get("model", missing)} for one in (here, there))
    found = []
    for name in {**here, **there}:
        one, other = here.get(name, missing), there.get(name, missing)
        if one != other:
            hint = f" (SEQLAB_KERNEL={other} chooses it)" if name == "kernel" else ""
            found.append(f"{name} is {one} here and {other!s:.200} there{hint}")
    return found
