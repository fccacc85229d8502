"""Tag schemes: convert labels to spans and back, between schemes, and repair invalid labels.

Every function takes one sequence of labels, or a list of sequences, and answers in the same shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlab.lazy import when_used
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

if TYPE_CHECKING:
    from seqlab.tags.detection import Detection, detect
    from seqlab.tags.reading import Rules, Span, rules, spans
    from seqlab.tags.repairing import Repaired, Violation, convert, labels_of, repair, violations
else:  # otherwise a type checker would accept any attribute
    __getattr__, __dir__ = when_used(
        __name__,
        {
            "detection": ("Detection", "detect"),
            "reading": ("Rules", "Span", "rules", "spans"),
            "repairing": ("Repaired", "Violation", "convert", "labels_of", "repair", "violations"),
        },
    )

__all__ = ["ALIASES", "BILOU", "BMES", "IO", "IOB1", "IOB2", "IOBES", "IOE1", "IOE2", "SCHEMES", "Detection"]
__all__ += ["Repaired", "Role", "Rules", "Scheme", "Span", "Violation", "convert", "detect", "labels_of"]
__all__ += ["repair", "rules", "spans", "violations"]
