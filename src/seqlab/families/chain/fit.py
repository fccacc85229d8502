"""The fitted value of a Markov chain: counts, and the estimation of probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from seqlab import _core, families
from seqlab.arrays import whole_number
from seqlab.errors import LabelError, OptionError, StoreError
from seqlab.families.chain.ngrams import MOST_ORDER, RAW_WORDS, Counted, NgramModel, Symbols
from seqlab.learning.smoothing import (
    MLE,
    AddLambda,
    Interpolated,
    KneserNey,
    Smoothing,
    WittenBell,
    smoothing_of,
)
from seqlab.shown import Brief
from seqlab.store.codec import Inside, Part, state_of, value_of
from seqlab.store.fields import Listed, Strings
from seqlab.tagging.transitions import END, START

Three = tuple[float, float, float]
_METHODS = {
    MLE: "mle",
    AddLambda: "add_lambda",
    WittenBell: "witten_bell",
    KneserNey: "kneser_ney",
    Interpolated: "interpolated",
}


@dataclass(frozen=True)
class Estimation:
    """Estimation of probabilities from counts, and the vocabulary.

    method       the smoothing, as the core names it
    amount       added to every count by add_lambda
    discounts    of kneser_ney for counts of 1, of 2, and of 3 or more; None to estimate them
    unknown      the name of the unknown word; None if there is none
    min_count    words that were seen less often are counted as the unknown one
    vocabulary   the words to know; None for those that were seen
    """

    method: str
    amount: float
    discounts: Three | None
    unknown: Annotated[str | None, Listed()]
    min_count: int
    vocabulary: Annotated[tuple[str, ...] | None, Strings(optional=True)]

    @staticmethod
    def of(
        smoothing: Smoothing, unknown: str | None, min_count: int, vocabulary: tuple[str, ...] | None
    ) -> Estimation:
        """Make the settings of this smoothing."""
        method = _METHODS[type(smoothing)]
        amount = float(smoothing.value) if isinstance(smoothing, AddLambda) else 0.0
        discounts = smoothing.three() if isinstance(smoothing, KneserNey) else None
        if method == "add_lambda" and not amount:
            method = "mle"
        return Estimation(method, amount, discounts, unknown, min_count, vocabulary)

    def check(self) -> None:
        """Reject invalid numbers of a smoothing."""
        if self.method not in _METHODS.values():
            raise OptionError(f"there is no smoothing {self.method!r:.80}")
        AddLambda(self.amount)
        KneserNey(self.discounts)
        whole_number(self.min_count, "min_count", 1)

    def model(self, counted: Counted) -> NgramModel:
        """Estimate probabilities; words outside the vocabulary count as the unknown one."""
        chosen = self.vocabulary
        if chosen is None:
            seen = counted.ngrams.arrays()[0][2][RAW_WORDS:].tolist()  # how often each word was seen
            pairs = zip(counted.words.strings(), seen, strict=True)
            chosen = tuple(word for word, count in pairs if count >= self.min_count)
        symbols = Symbols.of(chosen, self.unknown, end=counted.end)
        words = symbols.numbers(counted.words)
        if (words < 0).any():
            strange = counted.words.string(int(np.argmax(words < 0)))
            raise LabelError(
                f"{strange!r:.80} was counted, but it is not in the vocabulary of {len(symbols.words)}, and there is "
                f"no unknown word; call fit"
            )
        start, end = len(symbols.names), symbols.end_code if symbols.end else 0
        numbers = np.concatenate([np.array([start, end]), words]).astype(np.int32)
        ngrams = _core.join_ngrams([counted.ngrams], numbers, start + 1)
        method = getattr(_core.NgramSmoothing, self.method)
        return NgramModel(symbols, *_core.estimate_ngrams(ngrams, method, self.amount, self.discounts))


@dataclass(frozen=True, eq=False, repr=False)
class Estimated(Brief):
    """Counts, and the estimation of probabilities."""

    stored_kind: ClassVar[str] = "n-gram counts"

    counted: Annotated[Counted, Inside(Counted, "")]
    estimation: Annotated[Estimation, Inside(Estimation, "")]

    def check(self) -> None:
        """Reject inconsistent counts, which give NaN instead of probabilities."""
        for level in self.model.table.arrays():
            if any(np.isnan(numbers).any() for numbers in level[2:]):
                raise StoreError("the counts of n-grams contradict each other, so they give no probabilities")

    @cached_property
    def model(self) -> NgramModel:
        """The probabilities."""
        return self.estimation.model(self.counted)

    def __reduce__(self) -> tuple[object, ...]:
        return value_of, (Estimated, state_of(self))


@dataclass(frozen=True, eq=False, repr=False)
class ChainFit(Brief):
    """A fitted Markov chain.

    column    the column of training; None if sentences were given as lists
    learned   the counts; or only probabilities, as from an ARPA file
    """

    column: Annotated[str | None, Listed()]
    learned: Annotated[Estimated | NgramModel, Part(Estimated, NgramModel)]

    @property
    def model(self) -> NgramModel:
        """The probabilities."""
        return self.learned.model if isinstance(self.learned, Estimated) else self.learned

    @property
    def counted(self) -> Counted | None:
        """The counts; None when there are none."""
        return self.learned.counted if isinstance(self.learned, Estimated) else None


def checked_options(chain: families.MarkovChain) -> Estimation:
    """Check all options, and return the estimation."""
    if whole_number(chain.order, "order", 1) > MOST_ORDER:
        raise OptionError(f"order must be from 1 to {MOST_ORDER}, got {chain.order!r}")
    smoothing = smoothing_of(chain.smoothing)
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


def _vocabulary(chain: families.MarkovChain) -> tuple[str, ...] | None:
    if chain.vocabulary is None:
        return None
    if chain.min_count > 1:
        raise OptionError("min_count chooses the words to know, and so does vocabulary; give one of them")
    # Iterators are rejected, because they can be read only once.
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
    """Return True for a string that UTF-8 can encode, other than the names of start and end."""
    return isinstance(word, str) and word not in {START, END} and _core.StringPool().intern(word) == 0
