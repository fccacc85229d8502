"""Taggers as files and bytes: which kinds there are, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from seqlab.errors import StoreError

if TYPE_CHECKING:
    import os

    from typing_extensions import Self

    from seqlab.state import State

Functions = Mapping[str, Callable[..., Any]]


def load(path: str | os.PathLike[str], *, functions: Functions | None = None, verify: bool = False) -> Any:
    """Read a tagger or chain that save(path) wrote. It answers as the one that was saved did, and can learn on.

    functions   feature functions that the tagger needs, {"name": function}: a file has only their names, and no code
                is looked up or run because a file says so
    verify      also compare the file with the checksum in it, which means to read every byte
    """
    from seqlab import store

    return store.load(path, kinds(), functions=functions, verify=verify)


# The classes by kind; a file's class alone is imported.
_CLASSES: dict[str, Callable[[], Any]] = {
    "linear tagger": lambda: import_module("seqlab.taggers.linear").LinearTagger,
    "crf": lambda: import_module("seqlab.taggers.linear").CRF,
    "memm": lambda: import_module("seqlab.taggers.memm").MEMM,
    "most frequent tag": lambda: import_module("seqlab.taggers.most_frequent").MostFrequentTag,
    "local tagger": lambda: import_module("seqlab.taggers.local").LocalTagger,
    "reranker": lambda: import_module("seqlab.taggers.reranker").Reranker,
    "hmm": lambda: import_module("seqlab.taggers.hmm").HMM,
    "markov chain": lambda: import_module("seqlab.taggers.markov_chain").MarkovChain,
    "multinomial mixture": lambda: import_module("seqlab.taggers.mixture").MultinomialMixture,
    "gaussian means": lambda: import_module("seqlab.taggers.mixture").GaussianMeans,
}


def kinds() -> dict[str, Callable[[State], Any]]:
    """What makes a tagger of a state, by kind."""
    return {kind: partial(_revived, home) for kind, home in _CLASSES.items()}


def _revived(home: Callable[[], Any], state: State) -> Any:
    try:
        return home().from_state(state)
    except RecursionError:
        raise StoreError("the model has parts within parts within parts, deeper than can be read") from None


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

        tagger = store.from_bytes(content, kinds(), functions=functions, verify=verify)
        if not isinstance(tagger, cls):
            raise StoreError(
                f"these bytes hold a {type(tagger).__name__}, a {cls.__name__} is wanted; "
                f"call {type(tagger).__name__}.from_bytes"
            )
        return tagger
