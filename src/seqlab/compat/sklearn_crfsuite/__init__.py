"""sklearn-crfsuite's names over seqlab's models: `import seqlab.compat.sklearn_crfsuite as sklearn_crfsuite`."""

from __future__ import annotations

from seqlab.compat.sklearn_crfsuite import metrics, scorers, utils
from seqlab.compat.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF", "metrics", "scorers", "utils"]
