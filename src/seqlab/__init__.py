"""seqlab: statistical sequence labelling on one trellis.

Names are loaded when first used, so that `import seqlab` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seqlab import corpus, errors, inference
    from seqlab.corpus import Corpus, Sentence, read, stream, write
    from seqlab.trellis import Constraints, Trellis, TrellisBatch

__version__ = "0.1.0.dev0"

__all__ = [
    "Constraints",
    "Corpus",
    "Sentence",
    "Trellis",
    "TrellisBatch",
    "corpus",
    "errors",
    "inference",
    "read",
    "stream",
    "write",
]

_HOME = {
    "Constraints": "seqlab.trellis",
    "Corpus": "seqlab.corpus",
    "Sentence": "seqlab.corpus",
    "Trellis": "seqlab.trellis",
    "TrellisBatch": "seqlab.trellis",
    "read": "seqlab.corpus",
    "stream": "seqlab.corpus",
    "write": "seqlab.corpus",
}
_ROOMS = ("corpus", "errors", "inference", "trellis")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _ROOMS:
        return import_module(f"seqlab.{name}")
    raise AttributeError(f"module 'seqlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
