"""python-crfsuite's names over seqlab's models: `import seqlab.compat.pycrfsuite as pycrfsuite`."""

from __future__ import annotations

from seqlab.compat.pycrfsuite.items import ItemSequence
from seqlab.compat.pycrfsuite.tagger import Tagger
from seqlab.compat.pycrfsuite.trainer import BaseTrainer, CRFSuiteError, Trainer

CRFSUITE_VERSION = "0.12.2"  # the version of CRFsuite whose files are read and written

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
