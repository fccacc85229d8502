"""Several streams of observations, independent given the state: the product of their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, OptionError, StoreError
from seqlab.families.hmm.emissions.base import Distribution, Emission, Floats, Groups, Observed, Statistics
from seqlab.families.hmm.emissions.categorical import BagDistribution, SymbolDistribution
from seqlab.families.hmm.emissions.gaussian import GaussianDistribution
from seqlab.families.hmm.emissions.gaussian_mixture import MixtureDistribution
from seqlab.families.hmm.emissions.poisson import PoissonDistribution
from seqlab.store.codec import Names, Part, Series

PLAIN = (SymbolDistribution, BagDistribution, GaussianDistribution, MixtureDistribution, PoissonDistribution)


class Streams(Emission):
    """Streams by name: Streams(word=Categorical(), pitch=Gaussian()). Names are those of a corpus's columns.

    eq:stream-emission   P(x | y) = Π_s P(x_s | y)
    """

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
        return StreamsDistribution.of(
            {n: part.random(domain[n], seen, size, rng) for (n, part), seen in pairs}
        )

    def clustered(
        self, domain: Any, observed: Any, labels: npt.NDArray[np.int64], size: int
    ) -> StreamsDistribution:
        """A start from clusters."""
        pairs = zip(self.parts.items(), observed, strict=True)
        return StreamsDistribution.of(
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
        return StreamsDistribution.of(
            {name: part.given(tables[name], domain[name], size) for name, part in self.parts.items()}
        )


@dataclass(frozen=True, eq=False)
class StreamsDistribution(Distribution):
    """One distribution for every stream, by name."""

    stored_kind: ClassVar[str] = "streams"

    names: Annotated[tuple[str, ...], Names()]
    stream: Annotated[tuple[Distribution, ...], Series(Part(*PLAIN), "")]

    @staticmethod
    def of(parts: Mapping[str, Distribution]) -> StreamsDistribution:
        """Put the distributions of streams together."""
        return StreamsDistribution(tuple(parts), tuple(parts.values()))

    def check(self) -> None:
        """Refuse names without a stream."""
        if len(self.names) != len(self.stream):
            raise StoreError(f"{len(self.names)} streams are wanted, found {len(self.stream)}")

    @property
    def parts(self) -> dict[str, Distribution]:
        """The distributions by name."""
        return dict(zip(self.names, self.stream, strict=True))

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
    ) -> StreamsDistribution:
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
        return StreamsDistribution.of(made)

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

    def grown(self, corpus: Corpus, column: str | None) -> StreamsDistribution:  # noqa: ARG002
        """With the symbols of another corpus."""
        return StreamsDistribution.of({name: part.grown(corpus, name) for name, part in self.parts.items()})

    def draw(self, states: npt.NDArray[np.int64], rng: np.random.Generator) -> list[Any]:
        """One observation for every state."""
        return list(zip(*(part.draw(states, rng) for part in self.parts.values()), strict=True))

    def reordered(self, order: npt.NDArray[np.int64]) -> StreamsDistribution:
        """With state order[i] at place i."""
        return StreamsDistribution.of({name: part.reordered(order) for name, part in self.parts.items()})


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
