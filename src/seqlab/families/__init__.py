"""Model families: a folder for each, with its parameters, its training and its tagger.

Each tagger is imported on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from seqlab import tagging, text
from seqlab.lazy import hooks, when_used

M = TypeVar("M")
Path = str | os.PathLike[str]
Functions = Mapping[str, Callable[..., Any]]

if TYPE_CHECKING:
    from seqlab.families.chain.tagger import MarkovChain
    from seqlab.families.hmm.tagger import HMM
    from seqlab.families.linear.memm import MEMM
    from seqlab.families.linear.tagger import CRF, LinearTagger
    from seqlab.families.local.baseline import MostFrequentTag
    from seqlab.families.local.tagger import LocalTagger
    from seqlab.families.mixture.tagger import GaussianMeans, MultinomialMixture
    from seqlab.families.rerank.tagger import Reranker
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "chain.tagger": ("MarkovChain",),
            "hmm.tagger": ("HMM",),
            "linear.memm": ("MEMM",),
            "linear.tagger": ("CRF", "LinearTagger"),
            "local.baseline": ("MostFrequentTag",),
            "local.tagger": ("LocalTagger",),
            "mixture.tagger": ("GaussianMeans", "MultinomialMixture"),
            "rerank.tagger": ("Reranker",),
        },
    )

__all__ = ["CRF", "HMM", "MEMM", "GaussianMeans", "LinearTagger", "LocalTagger", "MarkovChain"]
__all__ += ["MostFrequentTag", "MultinomialMixture", "Reranker", "kinds", "load"]

DEMO = "en-demo"  # a pipeline that is made from the built-in corpus

# The class of each kind of model file.
CLASSES = {
    "crf": "CRF",
    "gaussian means": "GaussianMeans",
    "hmm": "HMM",
    "linear tagger": "LinearTagger",
    "local tagger": "LocalTagger",
    "markov chain": "MarkovChain",
    "memm": "MEMM",
    "most frequent tag": "MostFrequentTag",
    "multinomial mixture": "MultinomialMixture",
    "pipeline": "Pipeline",
    "reranker": "Reranker",
    "rule tokeniser": "RuleTokeniser",
    "trained tokeniser": "TrainedTokeniser",
}
TEXT = ("Pipeline", "RuleTokeniser", "TrainedTokeniser")  # in seqlab.text: dataclasses that the codec reads


@overload
def load(  # type: ignore[overload-overlap]
    path: Literal["en-demo"], *, functions: Functions | None = None, verify: bool = False, map: bool = True
) -> text.Pipeline: ...
@overload
def load(
    path: Path, *, functions: Functions | None = None, verify: bool = False, map: bool = True
) -> tagging.Tagger: ...
@overload
def load(
    path: Path, kind: type[M], *, functions: Functions | None = None, verify: bool = False, map: bool = True
) -> M: ...
def load(
    path: Path,
    kind: Any = None,
    *,
    functions: Functions | None = None,
    verify: bool = False,
    map: bool = True,  # noqa: A002  (as in np.load and others)
) -> Any:
    """Load a model written by save(path): it gives the same answers, and its training can be continued.

    path        of the file, or of a folder that save_pretrained wrote; a model of CRFsuite, CRF++ or Wapiti is read as
                by convert_model(path). Or "en-demo", a small pipeline for English text that comes with seqlab
    kind        the class that it must have, for example MarkovChain; otherwise an error. None for any class
    functions   feature functions that the tagger needs, {"name": function}: a file has only their names, and loading
                never imports or runs code that a file names
    verify      True to compare the file with its checksum, which reads every byte
    map         True maps files above 4 MB into memory: they load at once and processes share them, but they must not
                change while in use. False reads the whole file, which may then be changed or removed
    """
    from seqlab import store
    from seqlab.arrays import switch
    from seqlab.store.pretrained import file_in

    if path == DEMO and not os.path.exists(path):  # noqa: PTH110  (pathlib is slow to import)
        from seqlab.families.builtin import en_demo

        model: Any = en_demo()
    elif store.is_foreign(path):
        model = hooks["foreign"](path)
    else:
        path = file_in(path) if isinstance(path, (str, os.PathLike)) else path
        model = store.load(path, kinds(), functions=functions, verify=verify, mapped=switch(map, "map"))
    if kind is not None and not (isinstance(kind, type) and isinstance(model, kind)):
        from seqlab.errors import Place, StoreError  # `import seqlab` does without

        wanted, found = getattr(kind, "__name__", kind), type(model).__name__
        raise StoreError(f"a {wanted} is wanted, the file has a {found}", place=Place(path=os.fspath(path)))
    return model


def kinds() -> dict[str, Callable[[Any], Any]]:
    """Return functions that make a model of a state, by kind; each imports its class alone."""
    from seqlab.store.codec import value_of  # `import seqlab` does without

    def maker(name: str) -> Callable[[Any], Any]:
        def revived(state: Any) -> Any:
            try:
                if name in TEXT:
                    return value_of(getattr(import_module("seqlab.text"), name), state)
                return getattr(import_module("seqlab.families"), name).from_state(state)
            except RecursionError:
                from seqlab.errors import StoreError  # not needed by `import seqlab`

                raise StoreError(
                    "the model has parts within parts within parts, deeper than can be read"
                ) from None

        return revived

    return {kind: maker(name) for kind, name in CLASSES.items()}
