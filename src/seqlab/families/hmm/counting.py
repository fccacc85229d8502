"""Learning by counting, which needs every label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqlab.errors import OptionError
from seqlab.families.hmm.suffixes import SuffixModel
from seqlab.families.hmm.transitions import DEFAULT
from seqlab.learning.smoothing import Smoothing, smoothing_of

UNKNOWN = ("suffix", "none")


@dataclass(frozen=True, slots=True)
class Counting:
    """Count words and labels (eq:counting): one pass over labelled sentences, nothing to converge.

    smoothing   how counts of labels become probabilities: None for KneserNey(), MLE(), AddLambda(value) (a Dirichlet
                prior), WittenBell(), Interpolated() (deleted interpolation), one of their names, or a number that is
                added to every count. MLE and AddLambda hold for words too
    unknown     "suffix" or SuffixModel(...): words that training has not seen are judged by their endings; "none": they
                say nothing about their label
    """

    smoothing: Any = None
    unknown: Any = "suffix"

    def __post_init__(self) -> None:
        self.chosen_smoothing()
        self.suffixes()

    def chosen_smoothing(self) -> Smoothing:
        """The smoothing, with the default in its place."""
        return DEFAULT if self.smoothing is None else smoothing_of(self.smoothing)

    def suffixes(self) -> SuffixModel | None:
        """How unknown words are judged; None when they say nothing."""
        return suffixes_of(self.unknown)


def suffixes_of(unknown: Any) -> SuffixModel | None:
    """What `unknown` means: "suffix", "none", or options of the suffix model."""
    if isinstance(unknown, SuffixModel):
        return unknown
    if isinstance(unknown, str) and unknown in UNKNOWN:
        return SuffixModel() if unknown == "suffix" else None
    raise OptionError(f"unknown must be 'suffix', 'none' or a SuffixModel(...), got {unknown!r:.60}")
