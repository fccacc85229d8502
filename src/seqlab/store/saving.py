"""save and load: the way from a model to a file and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from seqlab.errors import Place, SeqlabError, StoreError
from seqlab.store.layout import file_name
from seqlab.store.reading import read, revived
from seqlab.store.state import State

Model = TypeVar("Model")

# What a hostile file may make of code that expected sound data.
_MISFITS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError, RecursionError)


class Stored(Protocol):
    """What can be saved. The class also has `from_state(state)`."""

    def state(self) -> State:
        """Everything that must come back."""
        ...


def save(model: Stored, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all."""
    from seqlab.store.writing import write

    state = getattr(model, "state", None)
    if not callable(state):
        raise StoreError(f"a model that can be stored is wanted, got {model!r:.80}")
    write(path, state())


def load(
    path: str | os.PathLike[str],
    kinds: Mapping[str, Callable[[State], Model]],
    *,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    verify: bool = False,
) -> Model:
    """Read a model.

    kinds       what makes a model of a state, by kind
    functions   feature functions that the model needs, by name: a file has only their names, and no code of anyone
                is looked up or run because a file says so
    verify      also compare the file with the checksum in it
    """
    name = file_name(path)
    return _made(read(name, verify=verify), kinds, functions, name)


def from_bytes(
    content: bytes,
    kinds: Mapping[str, Callable[[State], Model]],
    *,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    verify: bool = False,
) -> Model:
    """The same for what as_bytes() gave."""
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise StoreError(f"the bytes of a model are wanted, got {content!r:.80}")
    return _made(revived(bytes(content), verify=verify), kinds, functions, None)


def _made(
    state: State,
    kinds: Mapping[str, Callable[[State], Model]],
    functions: Mapping[str, Callable[..., Any]] | None,
    where: str | None,
) -> Model:
    if state.kind not in kinds:
        known = ", ".join(map(repr, sorted(kinds)))
        raise StoreError(
            f"models of kind {state.kind!r:.80} are unknown here, only {known}", place=Place(path=where)
        )
    whole = state.replaced(functions=dict(functions or {}), where=where)
    with misfits_told(where):
        return kinds[state.kind](whole)


@contextmanager
def misfits_told(where: str | None) -> Iterator[None]:
    """While a model is made of what a file says: whatever goes wrong is an error of ours about the file `where`."""
    try:
        yield
    except SeqlabError as error:
        raise StoreError(error.message, place=error.place._replace(path=where)) from error
    except _MISFITS as error:
        raise StoreError(
            f"what the file says does not fit together: {type(error).__name__}: {error!s:.200}",
            place=Place(path=where),
        ) from error
