"""Options of a Markov chain, checked when they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from seqlab import _core
from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.families.chain.fit import Estimation
from seqlab.families.chain.ngrams import MOST_ORDER
from seqlab.learning.smoothing import Interpolated, smoothing_of
from seqlab.tagging.transitions import END, START

if TYPE_CHECKING:
    from seqlab.families.chain.tagger import MarkovChain


def checked_options(chain: MarkovChain) -> Estimation:
    """Check all options, and say how to estimate by them."""
    if whole_number(chain.order, "order", 1) > MOST_ORDER:
        raise OptionError(f"order must be from 1 to {MOST_ORDER}, got {chain.order!r}")
    smoothing = smoothing_of(chain.smoothing)
    if isinstance(smoothing, Interpolated):
        raise OptionError(
            "smoothing='interpolated' is for hidden Markov models; a chain of symbols has 'witten-bell' "
            "and 'kneser-ney', which interpolate too"
        )
    if not isinstance(chain.end, (bool, np.bool_)):
        raise OptionError(f"end must be True or False, got {chain.end!r:.80}")
    if chain.unknown is not None and (not _is_name(chain.unknown) or chain.unknown == ""):
        raise OptionError(
            f"unknown must be a name for the unknown word, other than {START!r} and {END!r}, or None, "
            f"got {chain.unknown!r:.80}"
        )
    if whole_number(chain.min_count, "min_count", 1) > 1 and chain.unknown is None:
        raise OptionError(
            f"min_count={chain.min_count} makes rare words unknown, but unknown=None says that there are none"
        )
    return Estimation.of(smoothing, chain.unknown, int(chain.min_count), _vocabulary(chain))


def _vocabulary(chain: MarkovChain) -> tuple[str, ...] | None:
    if chain.vocabulary is None:
        return None
    if chain.min_count > 1:
        raise OptionError("min_count chooses the words to know, and so does vocabulary; give one of them")
    # An iterator could be read once only, and options stay as they are.
    once = isinstance(chain.vocabulary, (str, bytes, Iterator)) or not isinstance(chain.vocabulary, Iterable)
    if once:
        raise OptionError(f"vocabulary must be a list of words or None, got {chain.vocabulary!r:.80}")
    words = list(chain.vocabulary)
    if not words:
        raise OptionError("vocabulary has no word; None takes those of the data")
    for word in words:
        if not _is_name(word):
            raise OptionError(
                f"vocabulary must be a list of words other than {START!r} and {END!r}, found {word!r:.80}"
            )
    return tuple(sorted(set(words)))


def _is_name(word: object) -> bool:
    """A string that UTF-8 can write, and not a name of the chain's own."""
    return isinstance(word, str) and word not in {START, END} and _core.StringPool().intern(word) == 0
