"""python-crfsuite's names over seqlab's models: `import seqlab.compat.pycrfsuite as pycrfsuite`.

Trainers are loaded when first used, so that a program that only tags needs no NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.compat.pycrfsuite.items import ItemSequence
from seqlab.compat.pycrfsuite.tagger import Tagger
from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.compat.pycrfsuite.trainer import BaseTrainer, CRFSuiteError, Trainer
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(__name__, {"trainer": ("BaseTrainer", "CRFSuiteError", "Trainer")})

CRFSUITE_VERSION = "0.12.2"  # the version of CRFsuite whose files are read and written

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
