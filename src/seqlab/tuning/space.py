"""What is searched: values of options, and which combinations of them are tried."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.errors import OptionError
from seqlab.views.text import clip

Params = dict[str, Any]
DRAWS_PER_CANDIDATE = 50  # before a small space counts as drawn empty
LONGEST_SHOWN = 40


@dataclass(frozen=True)
class Uniform:
    """A number between two others, each as likely as any."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self._least < self.low < self.high < math.inf:
            kind = "finite numbers" if self._least < 0 else "numbers above 0"
            raise OptionError(
                f"{type(self).__name__} wants two {kind}, the smaller one first, got {self.low!r}, {self.high!r}"
            )

    def draw(self, generator: np.random.Generator) -> float:
        """Draw a number."""
        return float(generator.uniform(self.low, self.high))

    @property
    def _least(self) -> float:
        return -math.inf


class LogUniform(Uniform):
    """A number above 0 whose logarithm is uniform: as likely between 0.01 and 0.1 as between 1 and 10."""

    def draw(self, generator: np.random.Generator) -> float:
        """Draw a number, between the two whatever rounding does."""
        drawn = math.exp(generator.uniform(math.log(self.low), math.log(self.high)))
        return min(max(drawn, self.low), self.high)

    @property
    def _least(self) -> float:
        return 0.0


def checked_search(search: Any) -> dict[str, Any]:
    """Option -> list of values, or a distribution."""
    if not isinstance(search, Mapping) or not search:
        raise OptionError(
            "search must say what to try, for example {'learner__l2': [0.01, 0.1, 1.0]}, "
            f"got {search!r:.80}"
        )
    return {str(name): _values(str(name), given) for name, given in search.items()}


def _values(name: str, given: Any) -> Any:
    if isinstance(given, Uniform) or hasattr(given, "rvs"):
        return given
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise OptionError(
            f"search[{name!r}] must be a list of values, LogUniform or Uniform, got {given!r:.80}; "
            f"for a single value set it in the model"
        )
    values = [one.item() if isinstance(one, np.generic) else one for one in given]
    if not values:
        raise OptionError(f"search[{name!r}] is empty: there is nothing to try")
    return list({shown(one, None): one for one in values}.values())


def grid(search: Mapping[str, Any]) -> list[Params]:
    """Every combination; the last option changes fastest."""
    for name, values in search.items():
        if not isinstance(values, list):
            raise OptionError(
                f"search[{name!r}] is {values!r:.60}, from which a grid has no values to take; "
                f"list them, or pass how='random' and n="
            )
    return [
        dict(zip(search, combination, strict=True)) for combination in itertools.product(*search.values())
    ]


def drawn(search: Mapping[str, Any], n: int, seed: int) -> list[Params]:
    """n combinations by chance, no two alike; all of a grid that has no more."""
    finite = all(isinstance(values, list) for values in search.values())
    if finite and math.prod(len(values) for values in search.values()) <= n:
        return grid(search)
    generator = np.random.default_rng(seed)
    found: dict[str, Params] = {}
    for params in itertools.islice(_draws(search, generator), n * DRAWS_PER_CANDIDATE):
        found.setdefault(key_of(params), params)
        if len(found) == n:
            break
    return list(found.values())


def _draws(search: Mapping[str, Any], generator: np.random.Generator) -> Iterator[Params]:
    while True:
        yield {name: _drawn(values, generator) for name, values in search.items()}


def _drawn(values: Any, generator: np.random.Generator) -> Any:
    if isinstance(values, list):
        return values[int(generator.integers(len(values)))]
    if isinstance(values, Uniform):
        return values.draw(generator)
    one = values.rvs(random_state=int(generator.integers(1 << 31)))  # a distribution of scipy.stats
    return one.item() if isinstance(one, np.generic) else one


def key_of(params: Mapping[str, Any]) -> str:
    """A combination in words: the same in another process, for the same values."""
    return ", ".join(f"{name}={shown(value, None)}" for name, value in params.items())


def shown(value: Any, most: int | None = LONGEST_SHOWN) -> str:
    """A value for people, or with most=None to the last digit."""
    if isinstance(value, float) and most is not None:
        return f"{value:.4g}"
    text = " ".join(repr(value).split()) if not isinstance(value, str) or most is None else value
    return text if most is None else clip(text.replace("\n", " | "), most, "…")


def names_of(trials: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every option that occurs, in order."""
    return list(dict.fromkeys(name for params in trials for name in params))
