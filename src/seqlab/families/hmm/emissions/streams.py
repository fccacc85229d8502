"""Several streams of observations, independent given the state: the product of their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, OptionError
from seqlab.families.hmm.emissions.base import Distribution, Emission, Floats, Groups, Observed, Statistics
from seqlab.store.state import State

if TYPE_CHECKING:
    from typing_extensions import Self

STREAMS = "streams"


class Streams(Emission):
    """Streams by name: Streams(word=Categorical(), pitch=Gaussian()). Names are those of a corpus's columns.

    eq:stream-emission   P(x | y) = Π_s P(x_s | y)
    """

    kind = STREAMS
    holds = "streams"

    def __init__(self, parts: Mapping[str, Emission] | None = None, /, **named: Emission) -> None:
        given = {**(parts or {}), **named}
        if not given:
            raise OptionError(
                "streams need names and emissions: Streams(word=Categorical(), pitch=Gaussian())"
            )
        for name, part in given.items():
            if not isinstance(part, Emission) or isinstance(part, Streams):
                raise OptionError(f"stream {name!r} must be Categorical(), Gaussian(), ..., got {part!r:.60}")
        self.parts = given

    def __repr__(self) -> str:
        return f"Streams({', '.join(f'{name}={part!r}' for name, part in self.parts.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Streams) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(tuple(self.parts))

    def first(self, corpus: Corpus, column: str | None) -> tuple[Observed, Any]:  # noqa: ARG002
        """Training data as arrays, and the domain."""
        read = {}
        for name, part in self.parts.items():
            with _named(name):
                read[name] = part.first(corpus, name)
        return tuple(observed for observed, _ in read.values()), {
            n: domain for n, (_, domain) in read.items()
        }

    def random(self, domain: Any, observed: Any, size: int, rng: np.random.Generator) -> StreamsDistribution:
        """A start by chance."""
        pairs = zip(self.parts.items(), observed, strict=True)
        return StreamsDistribution({n: part.random(domain[n], seen, size, rng) for (n, part), seen in pairs})

    def clustered(
        self, domain: Any, observed: Any, labels: npt.NDArray[np.int64], size: int
    ) -> StreamsDistribution:
        """A start from clusters."""
        pairs = zip(self.parts.items(), observed, strict=True)
        return StreamsDistribution(
            {n: part.clustered(domain[n], seen, labels, size) for (n, part), seen in pairs}
        )

    @property
    def clustering(self) -> bool:
        """Whether a stream has numbers to find clusters of."""
        return any(part.clustering for part in self.parts.values())

    def clusters(self, observed: Any, size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """(T,) by k-means on the first stream that has numbers."""
        for part, seen in zip(self.parts.values(), observed, strict=True):
            if hasattr(part, "clusters"):
                found: npt.NDArray[np.int64] = part.clusters(seen, size, rng)
                return found
        raise OptionError("init='kmeans' needs a stream of numbers, but every stream holds symbols")

    def given(self, tables: Any, domain: Any, size: int) -> StreamsDistribution:
        """A start from tables, checked."""
        if isinstance(tables, StreamsDistribution):
            tables = tables.parts
        if not isinstance(tables, Mapping) or set(tables) != set(self.parts):
            raise OptionError(f"emissions must have an entry for each of {', '.join(map(repr, self.parts))}")
        return StreamsDistribution(
            {name: part.given(tables[name], domain[name], size) for name, part in self.parts.items()}
        )


@dataclass(frozen=True, eq=False)
class StreamsDistribution(Distribution):
    """One distribution for every stream, by name."""

    parts: Mapping[str, Distribution]
    kind: str = field(default=STREAMS, init=False)

    @property
    def size(self) -> int:
        """L."""
        return next(iter(self.parts.values())).size

    @property
    def parameters(self) -> int:
        """How many numbers were free to choose."""
        return sum(part.parameters for part in self.parts.values())

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> tuple[Any, ...]:  # noqa: ARG002
        """A corpus as arrays."""
        found = []
        for name, part in self.parts.items():
            with _named(name):
                found.append(part.observe(corpus, name, unknown=unknown))
        return tuple(found)

    def scores(self, observed: Any) -> Floats:
        """(T, L) log P(x_t | y)."""
        total: Floats | None = None
        for part, seen in zip(self.parts.values(), observed, strict=True):
            scores = part.scores(seen)
            total = scores if total is None else total + scores
        assert total is not None  # noqa: S101  (there is a stream)
        return total

    def statistics(self, observed: Any, gamma: Floats) -> Statistics:
        """Sums for the M step."""
        return {
            f"{name}.{key}": array
            for (name, part), seen in zip(self.parts.items(), observed, strict=True)
            for key, array in part.statistics(seen, gamma).items()
        }

    def maximised(
        self, statistics: Statistics, *, prior: Any, groups: Groups | None, frozen: Sequence[str]
    ) -> Self:
        """The M step."""
        if "emissions" in frozen:
            return self
        if isinstance(prior, Mapping) and (strange := set(prior) - set(self.parts)):
            raise OptionError(
                f"the prior of emissions has the stream {min(strange)!r}, but there are only "
                f"{', '.join(map(repr, self.parts))}"
            )
        made = {}
        for name, part in self.parts.items():
            own = _of_stream(statistics, name)
            made[name] = part.maximised(own, prior=_prior(prior, name), groups=groups, frozen=frozen)
        return replace(self, parts=made)

    def added(self, one: Statistics, other: Statistics) -> Statistics:
        """The statistics of two sets of sentences together."""
        return {
            f"{name}.{key}": array
            for name, part in self.parts.items()
            for key, array in part.added(_of_stream(one, name), _of_stream(other, name)).items()
        }

    def log_prior(self, prior: Any, groups: Groups | None) -> float:
        """What the prior adds to the objective, up to a constant."""
        return sum(part.log_prior(_prior(prior, name), groups) for name, part in self.parts.items())

    def grown(self, corpus: Corpus, column: str | None) -> Self:  # noqa: ARG002
        """With the symbols of another corpus."""
        return replace(self, parts={name: part.grown(corpus, name) for name, part in self.parts.items()})

    def draw(self, states: npt.NDArray[np.int64], rng: np.random.Generator) -> list[Any]:
        """One observation for every state."""
        return list(zip(*(part.draw(states, rng) for part in self.parts.values()), strict=True))

    def reordered(self, order: npt.NDArray[np.int64]) -> Self:
        """With state order[i] at place i."""
        return replace(self, parts={name: part.reordered(order) for name, part in self.parts.items()})

    def state(self) -> State:
        """As plain data."""
        names = {f"stream{i}": part.state() for i, part in enumerate(self.parts.values())}
        return State(STREAMS, {"names": list(self.parts)}).with_parts(names)


@contextmanager
def _named(stream: str) -> Iterator[None]:
    """Errors say which stream they are about."""
    try:
        yield
    except (CorpusError, OptionError) as error:
        raise error.inside(f"stream {stream!r}") from None


def _prior(prior: Any, name: str) -> Any:
    return prior.get(name) if isinstance(prior, Mapping) else prior


def _of_stream(statistics: Statistics, name: str) -> Statistics:
    return {key.removeprefix(f"{name}."): x for key, x in statistics.items() if key.startswith(f"{name}.")}
