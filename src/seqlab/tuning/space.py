"""The search space: values of options, and the combinations to try."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from seqlab.arrays import is_iterable
from seqlab.errors import OptionError
from seqlab.shown import exact
from seqlab.views.text import clip

Params = dict[str, Any]
DRAWS_PER_CANDIDATE = 50  # random draws before a small space counts as exhausted
DEFAULT_N = 20  # combinations drawn at random


@dataclass(frozen=True)
class Uniform:
    """A number between low and high, uniformly distributed."""

    low: float
    high: float
    _least: ClassVar[float] = -math.inf

    def __post_init__(self) -> None:
        if not self._least < self.low < self.high < math.inf:
            kind = "finite numbers" if self._least < 0 else "numbers above 0"
            got = f"{self.low!r}, {self.high!r}"
            raise OptionError(f"{type(self).__name__} wants two {kind}, the smaller one first, got {got}")

    def draw(self, generator: np.random.Generator) -> float:
        """Draw a number by the generator."""
        return float(generator.uniform(self.low, self.high))


class LogUniform(Uniform):
    """A number from low to high, both above 0, whose logarithm is uniform: as likely in 0.01 to 0.1 as in 1 to 10."""

    _least = 0.0

    def draw(self, generator: np.random.Generator) -> float:
        """Draw a number by the generator, clipped to the interval after rounding."""
        drawn = math.exp(generator.uniform(math.log(self.low), math.log(self.high)))
        return min(max(drawn, self.low), self.high)


def checked_search(search: Any) -> dict[str, Any]:
    """Read a search space: option -> list of values, or a distribution."""
    if not isinstance(search, Mapping) or not search:
        raise OptionError(
            "search must say what to try, for example {'learner__l2': [0.01, 0.1, 1.0]}, "
            f"got {search!r:.80}"
        )
    found: dict[str, Any] = {}
    for name, given in ((str(name), given) for name, given in search.items()):
        found[name] = given
        if isinstance(given, Uniform) or hasattr(given, "rvs"):
            continue
        if isinstance(given, (str, bytes, Mapping)) or not is_iterable(given):
            raise OptionError(
                f"search[{name!r}] must be a list of values, LogUniform or Uniform, got {given!r:.80}; "
                f"for a single value set it in the model"
            )
        values = [one.item() if isinstance(one, np.generic) else one for one in given]
        if not values:
            raise OptionError(f"search[{name!r}] is empty: there is nothing to try")
        found[name] = list({shown(one, None): one for one in values}.values())
    return found


def candidates(how: str, search: Mapping[str, Any], n: int | None, seed: int) -> list[Params]:
    """List the combinations to try: all of them, the last option varying fastest, or n distinct random ones."""
    if how == "grid" and n is not None:
        raise OptionError("n= is for how='random' and how='halving'; a grid has all combinations")
    for name, values in search.items() if how == "grid" else ():
        if not isinstance(values, list):
            raise OptionError(
                f"search[{name!r}] is {values!r:.60}, from which a grid has no values to take; "
                f"list them, or pass how='random' and n="
            )
    most = DEFAULT_N if n is None else n
    if all(isinstance(values, list) for values in search.values()):
        count = math.prod(len(values) for values in search.values())
        if how == "grid" or count <= most or (how == "halving" and n is None):
            return [dict(zip(search, values, strict=True)) for values in itertools.product(*search.values())]
    generator = np.random.default_rng(seed)
    found: dict[str, Params] = {}
    for _ in range(most * DRAWS_PER_CANDIDATE):
        params = {name: _drawn(values, generator) for name, values in search.items()}
        found.setdefault(key_of(params), params)
        if len(found) == most:
            break
    return list(found.values())


def _drawn(values: Any, generator: np.random.Generator) -> Any:
    if isinstance(values, list):
        return values[int(generator.integers(len(values)))]
    if isinstance(values, Uniform):
        return values.draw(generator)
    one = values.rvs(random_state=int(generator.integers(1 << 31)))  # a distribution of scipy.stats
    return one.item() if isinstance(one, np.generic) else one


def key_of(params: Mapping[str, Any]) -> str:
    """Write a combination as text that is equal in another process for equal values."""
    return ", ".join(f"{name}={shown(value, None)}" for name, value in params.items())


def shown(value: Any, most: int | None) -> str:
    """Format a value, or with most=None to the last digit."""
    if most is None:
        return exact(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else " ".join(repr(value).split())
    return clip(text.replace("\n", " | "), most, "…")
