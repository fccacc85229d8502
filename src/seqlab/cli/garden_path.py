"""A hidden Markov model small enough to check by hand.

The tables are those of Figure 9.2 in the course notes (chapter 9) that seqlab's worked examples follow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlab.trellis import Trellis

SENTENCE = ("the", "old", "man", "the", "boat")

LABELS = ("A", "N", "V", "D")
MEANINGS = ("adjective", "noun", "verb", "determiner")

#        A    N    V    D
START = (0.0, 0.2, 0.1, 0.7)

MOVES = (  # from each label to each label
    (0.1, 0.9, 0.0, 0.0),  # A
    (0.0, 0.2, 0.7, 0.1),  # N
    (0.1, 0.3, 0.1, 0.5),  # V
    (0.3, 0.7, 0.0, 0.0),  # D
)

WORDS = {  # the probability of each word under each label
    "man": (0.2, 0.4, 0.5, 0.0),
    "old": (0.8, 0.2, 0.0, 0.0),
    "the": (0.0, 0.0, 0.0, 1.0),
    "boat": (0.0, 0.4, 0.5, 0.0),
}


def trellis(words: Sequence[str]) -> Trellis:
    """The trellis of these words: the score of a path is log P(words, labels)."""
    with np.errstate(divide="ignore"):
        start, node, edge = np.log(START), np.log([WORDS[word] for word in words]), np.log(MOVES)
    return Trellis(node, edge, start=start, labels=LABELS)
