"""The name of python-crfsuite's compiled module, which some programs import."""

from __future__ import annotations

from seqlab.compat.pycrfsuite.items import ItemSequence
from seqlab.compat.pycrfsuite.tagger import Tagger
from seqlab.compat.pycrfsuite.trainer import BaseTrainer, CRFSuiteError, Trainer

__all__ = ["BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
