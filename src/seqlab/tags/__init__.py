"""Tag schemes: labels as spans and back, from scheme to scheme, valid or repaired.

Every function takes one sequence of labels, or a list of sequences, and answers in the same shape.
"""

from __future__ import annotations

from seqlab.tags.detection import Detection, detect
from seqlab.tags.masks import Rules, rules
from seqlab.tags.reading import Span, spans
from seqlab.tags.repairing import Repaired, Violation, convert, repair, violations
from seqlab.tags.schemes import (
    ALIASES,
    BILOU,
    BMES,
    IO,
    IOB1,
    IOB2,
    IOBES,
    IOE1,
    IOE2,
    SCHEMES,
    Role,
    Scheme,
)
from seqlab.tags.writing import labels_of

__all__ = [
    "ALIASES",
    "BILOU",
    "BMES",
    "IO",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "SCHEMES",
    "Detection",
    "Repaired",
    "Role",
    "Rules",
    "Scheme",
    "Span",
    "Violation",
    "convert",
    "detect",
    "labels_of",
    "repair",
    "rules",
    "spans",
    "violations",
]
