"""Taggers as files and bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from seqlab.errors import StoreError
from seqlab.lazy import lent

if TYPE_CHECKING:
    import os

    from typing_extensions import Self

Functions = Mapping[str, Callable[..., Any]]


def refuse_own_class(model: Any, known: str) -> None:
    """Refuse to store a class derived from ours: what it adds would be lost."""
    if not type(model).__module__.startswith("seqlab."):
        raise StoreError(
            f"{type(model).__name__} is a class of your own, and seqlab.load would make a {known} of it; "
            f"give it state() and from_state()"
        )


class Storable:
    """Mixed into every Tagger; one that can be stored has state() and from_state()."""

    if TYPE_CHECKING:  # a Tagger has it

        def _check_fitted(self, question: str) -> None: ...

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to a file, whole or not at all; seqlab.load(path) reads it."""
        from seqlab import store

        self._check_fitted("save")
        model: Any = self  # store says so when it has no state()
        store.save(model, path)

    def as_bytes(self) -> bytes:
        """What save() would write."""
        from seqlab import store

        self._check_fitted("as_bytes")
        state = getattr(self, "state", None)
        if not callable(state):
            raise StoreError(f"a model that can be stored is wanted, got {self!r:.80}")
        return store.as_bytes(state())

    @classmethod
    def from_bytes(cls, content: bytes, *, functions: Functions | None = None, verify: bool = False) -> Self:
        """The tagger that as_bytes() was asked of; the options are those of seqlab.load."""
        from seqlab import store

        tagger = store.from_bytes(content, lent["kinds"](), functions=functions, verify=verify)
        if not isinstance(tagger, cls):
            raise StoreError(
                f"these bytes hold a {type(tagger).__name__}, a {cls.__name__} is wanted; "
                f"call {type(tagger).__name__}.from_bytes"
            )
        return tagger
