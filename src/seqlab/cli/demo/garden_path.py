"""A hidden Markov model small enough to check by hand, and what it makes of a sentence.

The tables are those of Figure 9.2 in the course notes (chapter 9) that seqlab's worked examples follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.inference import Path, Posterior
from seqlab.trellis import Trellis

READINGS = 10  # more than the sentence has

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
    """Make the trellis of these words: the score of a path is log P(words, labels)."""
    with np.errstate(divide="ignore"):
        start, node, edge = np.log(START), np.log([WORDS[word] for word in words]), np.log(MOVES)
    return Trellis(node, edge, start=start, labels=LABELS)


@dataclass(frozen=True, slots=True)
class Story:
    """One sentence and what the library says about it.

    prefixes   the best path of the first 1, 2, ..., T words
    readings   the possible paths, the best first
    """

    words: tuple[str, ...]
    trellis: Trellis
    prefixes: tuple[Path, ...]
    readings: tuple[Path, ...]
    posterior: Posterior
    log_probability: float

    def share(self, reading: Path) -> float:
        """P(labels | words) of one reading."""
        return math.exp(reading.score - self.log_probability)

    def facts(self) -> dict[str, Any]:
        """Tell the same numbers for programs."""
        return {
            "words": self.words,
            "labels": LABELS,
            "probability": _number(math.exp(self.log_probability)),
            "best": _path_facts(self.readings[0]),
            "prefixes": [_path_facts(path) for path in self.prefixes],
            "readings": [_path_facts(path) | {"share": _number(self.share(path))} for path in self.readings],
            "posterior": [[_number(p) for p in row] for row in self.posterior.node],
        }


def tell() -> Story:
    """Decode the sentence in every way the demo shows."""
    whole = trellis(SENTENCE)
    return Story(
        words=SENTENCE,
        trellis=whole,
        prefixes=tuple(inference.viterbi(trellis(SENTENCE[: n + 1])) for n in range(len(SENTENCE))),
        readings=tuple(inference.nbest(whole, READINGS)),
        posterior=inference.posterior(whole),
        log_probability=inference.log_partition(whole),
    )


def _path_facts(path: Path) -> dict[str, object]:
    return {"labels": path.labels, "probability": _number(math.exp(path.score))}


def _number(value: float) -> float:
    """Without the last digits, which are rounding noise of exp and log."""
    return float(f"{value:.12g}")
