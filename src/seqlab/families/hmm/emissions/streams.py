"""Several streams of observations, independent given the state: the product of their probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, OptionError, StoreError
from seqlab.families.hmm.emissions.base import (
    Chance,
    Distribution,
    Emission,
    Floats,
    Groups,
    Ids,
    Observed,
    Statistics,
)
from seqlab.families.hmm.emissions.categorical import BagDistribution, SymbolDistribution
from seqlab.families.hmm.emissions.gaussian import GaussianDistribution
from seqlab.families.hmm.emissions.gaussian_mixture import MixtureDistribution
from seqlab.families.hmm.emissions.poisson import PoissonDistribution
from seqlab.store.codec import Part, Series
from seqlab.store.fields import Names

PLAIN = (SymbolDistribution, BagDistribution, GaussianDistribution, MixtureDistribution, PoissonDistribution)


class Streams(Emission):
    """Several observations per token, independent given the state: Streams(word=Categorical(), pitch=Gaussian()).

    parts   a dict of streams by name, instead of named arguments

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
        """Read columns of the training corpus as arrays, and the domain; column has no meaning here."""
        read = {}
        for name, part in self.parts.items():
            with _named(name):
                read[name] = part.first(corpus, name)
        return tuple(seen for seen, _ in read.values()), {name: domain for name, (_, domain) in read.items()}

    def over(self, domain: Any) -> Streams:
        """Return the same streams, each for its own domain."""
        return Streams({name: part.over(domain[name]) for name, part in self.parts.items()})

    def random(self, domain: Any, observed: Any, size: int, rng: Chance) -> StreamsDistribution:
        """Initialise `size` states at random by rng, from the domain and the observed tokens."""
        parts = zip(self.parts.items(), observed, strict=True)
        return self._made(part.random(domain[name], seen, size, rng) for (name, part), seen in parts)

    def clustered(self, domain: Any, observed: Any, labels: Ids, size: int) -> StreamsDistribution:
        """Initialise `size` states over the domain by clusters, given as labels of the observed tokens."""
        parts = zip(self.parts.items(), observed, strict=True)
        return self._made(part.clustered(domain[name], seen, labels, size) for (name, part), seen in parts)

    def given(self, tables: Any, domain: Any, size: int) -> StreamsDistribution:
        """Initialise `size` states over the domain by tables, which are checked."""
        if isinstance(tables, StreamsDistribution):
            tables = tables.parts
        if not isinstance(tables, Mapping) or set(tables) != set(self.parts):
            raise OptionError(f"emissions must have an entry for each of {', '.join(map(repr, self.parts))}")
        parts = self.parts.items()
        return self._made(part.given(tables[name], domain[name], size) for name, part in parts)

    def _made(self, stream: Iterable[Distribution]) -> StreamsDistribution:
        return StreamsDistribution(tuple(self.parts), tuple(stream))


@dataclass(frozen=True, eq=False, repr=False)
class StreamsDistribution(Distribution):
    """One distribution for every stream, by name."""

    stored_kind: ClassVar[str] = "streams"

    names: Annotated[tuple[str, ...], Names()]
    stream: Annotated[tuple[Distribution, ...], Series(Part(*PLAIN), "")]

    def check(self) -> None:
        """Check the names of the streams."""
        if len(self.names) != len(self.stream):
            raise StoreError(f"{len(self.names)} streams are wanted, found {len(self.stream)}")

    @property
    def parts(self) -> dict[str, Distribution]:
        """The distributions by name."""
        return dict(zip(self.names, self.stream, strict=True))

    @property
    def size(self) -> int:
        return self.stream[0].size

    @property
    def parameters(self) -> int:
        return sum(part.parameters for part in self.stream)

    def observe(self, corpus: Corpus, column: str | None, *, unknown: str) -> tuple[Any, ...]:  # noqa: ARG002
        found = []
        for name, part in self.parts.items():
            with _named(name):
                found.append(part.observe(corpus, name, unknown=unknown))
        return tuple(found)

    def scores(self, observed: Any) -> Floats:
        first, *others = (part.scores(seen) for part, seen in zip(self.stream, observed, strict=True))
        return sum(others, first)

    def statistics(self, observed: Any, gamma: Floats) -> Statistics:
        """Sum up the statistics of every stream."""
        found = (part.statistics(seen, gamma) for part, seen in zip(self.stream, observed, strict=True))
        return self._joined(found)

    def maximised(self, found: Statistics, prior: Any, groups: Groups | None, frozen: Sequence[str]) -> Self:
        if isinstance(prior, Mapping) and (strange := set(prior) - set(self.names)):
            raise OptionError(
                f"the prior of emissions has the stream {min(strange)!r}, but there are only "
                f"{', '.join(map(repr, self.names))}"
            )
        stream = (
            part.maximised(_of_stream(found, name), _prior(prior, name), groups, frozen)
            for name, part in self.parts.items()
        )
        return replace(self, stream=tuple(stream))

    def comparable(self, found: Statistics) -> Statistics:
        parts = self.parts.items()
        return self._joined(part.comparable(_of_stream(found, name)) for name, part in parts)

    def added(self, one: Statistics, other: Statistics) -> Statistics:
        parts = self.parts.items()
        return self._joined(
            part.added(_of_stream(one, name), _of_stream(other, name)) for name, part in parts
        )

    def _joined(self, found: Iterable[Statistics]) -> Statistics:
        """Join the statistics of all streams, each under the name of its stream."""
        named = zip(self.names, found, strict=True)
        return {f"{name}.{key}": array for name, own in named for key, array in own.items()}

    def log_prior(self, prior: Any, groups: Groups | None) -> float:
        return sum(part.log_prior(_prior(prior, name), groups) for name, part in self.parts.items())

    def grown(self, corpus: Corpus, column: str | None) -> Self:  # noqa: ARG002
        return replace(self, stream=tuple(part.grown(corpus, name) for name, part in self.parts.items()))

    def draw(self, states: Ids, rng: Chance) -> list[Any]:
        return list(zip(*(part.draw(states, rng) for part in self.stream), strict=True))

    def reordered(self, order: Ids) -> Self:
        return replace(self, stream=tuple(part.reordered(order) for part in self.stream))


@contextmanager
def _named(stream: str) -> Iterator[None]:
    """Add the name of the stream to errors."""
    try:
        yield
    except (CorpusError, OptionError) as error:
        raise error.inside(f"stream {stream!r}") from None


def _prior(prior: Any, name: str) -> Any:
    return prior.get(name) if isinstance(prior, Mapping) else prior


def _of_stream(statistics: Statistics, name: str) -> Statistics:
    return {key.removeprefix(f"{name}."): x for key, x in statistics.items() if key.startswith(f"{name}.")}
