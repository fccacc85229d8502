"""The fitted value of a Markov chain: counts, and how they become probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from seqlab import _core
from seqlab.arrays import whole_number
from seqlab.errors import LabelError, OptionError
from seqlab.families.chain.ngrams import Counted, NgramModel, Symbols
from seqlab.learning.smoothing import MLE, AddLambda, KneserNey, Smoothing, WittenBell
from seqlab.store.codec import Inside, Listed, Part, Strings, state_of, value_of

Three = tuple[float, float, float]
_METHODS = {MLE: "mle", AddLambda: "add_lambda", WittenBell: "witten_bell", KneserNey: "kneser_ney"}


@dataclass(frozen=True)
class Estimation:
    """How counts become probabilities, and which words have some of their own.

    method       the smoothing, as the core names it
    amount       added to every count by add_lambda
    discounts    of kneser_ney for counts of 1, of 2, and of 3 or more; None when the counts tell
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
        """Describe what this smoothing does."""
        method = _METHODS[type(smoothing)]
        amount = float(smoothing.value) if isinstance(smoothing, AddLambda) else 0.0
        discounts = smoothing.three() if isinstance(smoothing, KneserNey) else None
        if method == "add_lambda" and not amount:
            method = "mle"
        return Estimation(method, amount, discounts, unknown, min_count, vocabulary)

    def check(self) -> None:
        """Refuse numbers that no smoothing has."""
        if self.method not in _METHODS.values():
            raise OptionError(f"there is no smoothing {self.method!r:.80}")
        AddLambda(self.amount)
        KneserNey(self.discounts)
        whole_number(self.min_count, "min_count", 1)

    def symbols(self, counted: Counted) -> Symbols:
        """Choose the symbols among what was counted."""
        words = self.vocabulary
        if words is None:
            often = (counted.word_counts() >= self.min_count).tolist()
            words = tuple(word for word, keep in zip(counted.words.strings(), often, strict=True) if keep)
        return Symbols.of(words, self.unknown, end=counted.end)

    def model(self, counted: Counted) -> NgramModel:
        """Estimate probabilities; words that are no symbols are counted as the unknown one."""
        symbols = self.symbols(counted)
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


@dataclass(frozen=True, eq=False)
class Estimated:
    """Counts, and how probabilities are made of them."""

    stored_kind: ClassVar[str] = "n-gram counts"

    counted: Annotated[Counted, Inside(Counted, "")]
    estimation: Annotated[Estimation, Inside(Estimation, "")]

    def check(self) -> None:
        """Refuse counts that no probabilities can be made of."""
        self.model  # noqa: B018

    @cached_property
    def model(self) -> NgramModel:
        """The probabilities."""
        return self.estimation.model(self.counted)

    def __reduce__(self) -> tuple[object, ...]:
        return value_of, (Estimated, state_of(self))


@dataclass(frozen=True, eq=False)
class ChainFit:
    """A fitted Markov chain.

    column    the column of training; None when it came as lists
    learned   what was counted; or probabilities alone, as those of an ARPA file
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
