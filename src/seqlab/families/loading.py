"""Read a model file: which kinds there are, and the class of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from seqlab.errors import StoreError

if TYPE_CHECKING:
    from seqlab.store.state import State

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
    "linear tagger": lambda: import_module("seqlab.families.linear.tagger").LinearTagger,
    "crf": lambda: import_module("seqlab.families.linear.tagger").CRF,
    "memm": lambda: import_module("seqlab.families.linear.memm").MEMM,
    "most frequent tag": lambda: import_module("seqlab.families.local.baseline").MostFrequentTag,
    "local tagger": lambda: import_module("seqlab.families.local.tagger").LocalTagger,
    "reranker": lambda: import_module("seqlab.families.rerank.tagger").Reranker,
    "hmm": lambda: import_module("seqlab.families.hmm.tagger").HMM,
    "markov chain": lambda: import_module("seqlab.families.chain.tagger").MarkovChain,
    "multinomial mixture": lambda: import_module("seqlab.families.mixture.tagger").MultinomialMixture,
    "gaussian means": lambda: import_module("seqlab.families.mixture.tagger").GaussianMeans,
}


def kinds() -> dict[str, Callable[[State], Any]]:
    """Return functions that make a model of a state, by kind."""
    return {kind: partial(_revived, home) for kind, home in _CLASSES.items()}


def _revived(home: Callable[[], Any], state: State) -> Any:
    try:
        return home().from_state(state)
    except RecursionError:
        raise StoreError("the model has parts within parts within parts, deeper than can be read") from None
