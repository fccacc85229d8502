"""The numbers of the demo: every one is asked of the library."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from seqlab import inference
from seqlab.cli import garden_path
from seqlab.inference import Path, Posterior
from seqlab.trellis import Trellis

READINGS = 10  # more than the sentence has


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

    def as_json(self) -> str:
        """The same numbers for programs."""
        best, *_ = self.readings
        facts = {
            "words": self.words,
            "labels": garden_path.LABELS,
            "probability": _number(math.exp(self.log_probability)),
            "best": _path_facts(best),
            "prefixes": [_path_facts(path) for path in self.prefixes],
            "readings": [_path_facts(path) | {"share": _number(self.share(path))} for path in self.readings],
            "posterior": [[_number(p) for p in row] for row in self.posterior.node],
        }
        return json.dumps(facts, indent=2)


def tell() -> Story:
    """Decode the sentence in every way the demo shows."""
    words = garden_path.SENTENCE
    trellis = garden_path.trellis(words)
    lengths = range(1, len(words) + 1)
    return Story(
        words=words,
        trellis=trellis,
        prefixes=tuple(inference.viterbi(garden_path.trellis(words[:n])) for n in lengths),
        readings=tuple(inference.nbest(trellis, READINGS)),
        posterior=inference.posterior(trellis),
        log_probability=inference.log_partition(trellis),
    )


def _path_facts(path: Path) -> dict[str, object]:
    return {"labels": path.labels, "probability": _number(math.exp(path.score))}


def _number(value: float) -> float:
    """Without the last digits, which are rounding noise of exp and log."""
    return float(f"{value:.12g}")
