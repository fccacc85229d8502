"""The worked example of the course notes, chapter 9, Figure 9.2: "the old man the boat".

States A, N, V, D; an HMM given by its tables. Below them, the products worked out by hand.
"""

from __future__ import annotations

import numpy as np

from oracle.tables import Tables

LABELS = ("A", "N", "V", "D")
WORDS = ("the", "old", "man", "the", "boat")
START = (0.0, 0.2, 0.1, 0.7)
TRANSITIONS = (  # row = from, columns A N V D
    (0.1, 0.9, 0.0, 0.0),
    (0.0, 0.2, 0.7, 0.1),
    (0.1, 0.3, 0.1, 0.5),
    (0.3, 0.7, 0.0, 0.0),
)
EMISSIONS = {  # columns A N V D
    "man": (0.2, 0.4, 0.5, 0.0),
    "old": (0.8, 0.2, 0.0, 0.0),
    "the": (0.0, 0.0, 0.0, 1.0),
    "boat": (0.0, 0.4, 0.5, 0.0),
}

LIKELIHOOD = 0.00671496
PATHS = {"DNVDN": 0.004802, "DANDN": 0.00169344, "DNNDN": 0.00021952}
BEST_PREFIX = {3: ("DAN", 0.06048), 4: ("DNVD", 0.01715)}


def garden_path(words: tuple[str, ...] = WORDS) -> Tables:
    """The trellis of the sentence: joint log-probabilities, so log Z is the log-likelihood."""
    with np.errstate(divide="ignore"):
        return Tables(
            node=np.log([EMISSIONS[word] for word in words]),
            edge=np.log(TRANSITIONS),
            start=np.log(START),
            labels=LABELS,
        )
