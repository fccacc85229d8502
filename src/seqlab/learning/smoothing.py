"""Smoothing of counts into probabilities: small option objects, shared by Markov chains and hidden Markov models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import number
from seqlab.errors import OptionError


@dataclass(frozen=True, slots=True)
class MLE:
    """Maximum likelihood: relative frequencies; unseen events are impossible."""


@dataclass(frozen=True, slots=True)
class AddLambda:
    """Add `value` to every count (eq:add-lambda): 1 is Laplace's rule, 0 is MLE; the Dirichlet prior has value + 1."""

    value: float = 1.0

    def __post_init__(self) -> None:
        number(self.value, "the value of AddLambda")


# eq:add-lambda   P(w | h) = (c(h w) + λ) / (c(h) + λ S)
def added(
    counts: Any, totals: Any, add: float, outcomes: int, *, unseen: float | None = None
) -> npt.NDArray[np.float64]:
    """Smooth counts by adding a constant to each.

    totals     sums of the counts over all outcomes, also those that `counts` leaves out
    outcomes   number of outcomes, S
    unseen     the probability if both the total and `add` are 0; None for 1 / S
    """
    whole = np.asarray(totals) + add * outcomes
    rest = 1.0 / outcomes if unseen is None else unseen
    return np.asarray(np.where(whole > 0, (counts + add) / np.where(whole > 0, whole, 1.0), rest))


@dataclass(frozen=True, slots=True)
class WittenBell:
    """Interpolation with the shorter history, with more weight the more distinct symbols followed (eq:witten-bell)."""


@dataclass(frozen=True, slots=True)
class KneserNey:
    """Interpolated modified Kneser-Ney (eq:kneser-ney): discounted counts, the rest goes to the shorter history.

    discounts   None: estimated for every order from the counts of counts; a number from 0 to 1 for every count; or
                three, for counts of 1, of 2, and of 3 or more, each at most the count that it is taken from
    """

    discounts: float | tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        given = self.discounts
        if given is None:
            return
        if isinstance(given, (tuple, list)):
            if len(given) != 3:
                raise OptionError(
                    f"discounts must be one number, or three for counts of 1, 2, and 3 or more, got {given!r}"
                )
            for i, (value, most) in enumerate(zip(given, (1.0, 2.0, 3.0), strict=True)):
                number(value, f"discounts[{i}]", most=most)
            object.__setattr__(self, "discounts", tuple(given))
            return
        number(given, "discounts", most=1.0)

    def three(self) -> tuple[float, float, float] | None:
        """Return the discounts of counts of 1, of 2, and of 3 or more; None when they are estimated."""
        if self.discounts is None or isinstance(self.discounts, tuple):
            return self.discounts
        return (self.discounts, self.discounts, self.discounts)


@dataclass(frozen=True, slots=True)
class Interpolated:
    """Relative frequencies of all history lengths, mixed by weights from deleted interpolation."""


Smoothing = MLE | AddLambda | WittenBell | KneserNey | Interpolated

NAMES: dict[str, Smoothing] = {
    "mle": MLE(),
    "add-lambda": AddLambda(),
    "witten-bell": WittenBell(),
    "kneser-ney": KneserNey(),
    "interpolated": Interpolated(),
}


def smoothing_of(given: Any) -> Smoothing:
    """Read a smoothing option: an object, a name, or a number for AddLambda."""
    if isinstance(given, Smoothing):
        return given
    if isinstance(given, str) and given in NAMES:
        return NAMES[given]
    if isinstance(given, (int, float, np.number)) and not isinstance(given, bool):
        try:
            return AddLambda(given)  # type: ignore[arg-type]  # NumPy's numbers are numbers too
        except OptionError as error:
            raise OptionError(
                f"smoothing must be a finite number from 0 up to add to every count, got {given!r}"
            ) from error
    known = ", ".join(map(repr, NAMES))
    raise OptionError(
        f"smoothing must be one of {known}, a number to add to every count, or MLE(), AddLambda(...), WittenBell(), "
        f"KneserNey(...) or Interpolated(), got {given!r:.80}"
    )
