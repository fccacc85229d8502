"""How words that training has not seen are judged: options of the suffix model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.arrays import whole_number
from seqlab.errors import OptionError

LONGEST = 64


@dataclass(frozen=True, slots=True)
class SuffixModel:
    """P(label | ending of the word), each ending leaning on the next shorter one (eq:suffix-model).

    Words of different looks have different trees of endings: lower case, capitalised, all capitals, with a digit, with
    a dash, without any letter. In scripts without letter case there are fewer looks, that is all.

    longest    letters of the longest ending
    rare       words that count more than this teach nothing about new words
    strength   what the shorter ending counts beside a longer one; None for Brants' theta, the standard deviation of the
               probabilities of labels, whatever the endings count
    known      what the endings count beside the counts of a word that is known: a word seen once may have other labels
    folded     what the endings count beside the counts of the same word in other letter case; None: not looked for
    least      labels less likely than this times the likeliest one are left out
    """

    longest: int = 10
    rare: float = 10
    strength: float | None = 8.0
    known: float = 0.2
    folded: float | None = 3.0
    least: float = 1e-3

    def __post_init__(self) -> None:
        if whole_number(self.longest, "longest", 0) > LONGEST:
            raise OptionError(f"longest must be at most {LONGEST}, got {self.longest!r}")
        _check(self.rare, "rare", 0, np.inf)
        _check(self.known, "known", 0, np.inf)
        _check(self.least, "least", 0, 1)
        for name, value in (("strength", self.strength), ("folded", self.folded)):
            if value is not None:
                _check(value, name, 1e-9, np.inf)

    def settings(self, label_shares: Any, *, direct: bool) -> _core.LexiconSettings:
        """As the core takes them; label_shares (L,) are the probabilities of labels."""
        made = _core.LexiconSettings()
        made.direct, made.suffixes = direct, True
        made.longest, made.rare = int(self.longest), float(self.rare)
        made.strength = -1.0 if self.strength is None else float(self.strength)
        made.theta = float(np.std(label_shares, ddof=1)) if len(label_shares) > 1 else 1.0
        made.known = 0.0 if direct else float(self.known)
        made.folded = 0.0 if self.folded is None else float(self.folded)
        made.least = float(self.least)
        return made


def _check(value: Any, name: str, least: float, most: float) -> None:
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not least <= value <= most or value == np.inf:
        bounds = f"from {least:g} up" if most == np.inf else f"from {least:g} to {most:g}"
        raise OptionError(f"{name} must be a number {bounds}, got {value!r}")
