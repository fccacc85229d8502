"""What makes attributes, and how the attributes of several producers are numbered together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.encode.encoded import AttributeIds, Rows, merged
from seqlab.encode.stored import Known

Number = TypeVar("Number", np.int32, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """The attributes that a producer knows after learn().

    counts   (n,)   how often each was met in the corpus at hand
    least    (n,)   how often it must be to stay
    known    (n,)   the number it had before and keeps, -1 for a new one; None when all are new
    """

    counts: npt.NDArray[np.int64]
    least: npt.NDArray[np.int32]
    known: AttributeIds | None = None


class Producer(Protocol):
    """What makes attributes: learn, then met and number once, then look_up as often as one likes."""

    @property
    def column(self) -> str | None:
        """The column of ready-made attributes that it reads; None when it makes them of others."""

    def learn(self, corpus: Corpus, threads: int) -> None:
        """Meet every attribute of the corpus."""

    def met(self) -> Met:
        """What learn() met. Once."""
        ...

    def number(self, numbers: AttributeIds) -> Rows:
        """Give the attributes their final numbers, -1 for none; the rows of what learn() read."""
        ...

    def look_up(self, corpus: Corpus, threads: int) -> Rows:
        """The rows of another corpus, without what was never met."""
        ...

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""

    def extended(self) -> Producer:
        """Another one that knows the same attributes and may learn once more."""
        ...

    def restricted(self, numbers: AttributeIds) -> Producer:
        """Another one that knows attribute a under numbers[a], and not at all where that is -1."""
        ...

    def known(self) -> Known:
        """Return what it has learned."""
        ...


def learned(producers: Sequence[Producer], corpus: Corpus, threads: int, size: int = 0) -> tuple[Rows, int]:
    """Rows with final numbers, and how many attributes there are; `size` of them were known before."""
    for producer in producers:
        producer.learn(corpus, threads)
    numbers, size = _numbers([producer.met() for producer in producers], size)
    rows = merged([p.number(part) for p, part in zip(producers, numbers, strict=True)])
    if rows.kin is not None and len(rows.kin) < size:  # those of other producers have none
        rows = replace(rows, kin=np.pad(rows.kin, (0, size - len(rows.kin))))
    return rows, size


def looked_up(producers: Sequence[Producer], corpus: Corpus, threads: int) -> Rows:
    """Rows of attributes that are known."""
    return merged([producer.look_up(corpus, threads) for producer in producers])


def named(producers: Sequence[Producer], size: int) -> list[str]:
    """Names of the attributes, by number."""
    names = [""] * size
    for producer in producers:
        producer.name(names)
    return names


def _numbers(met: Sequence[Met], size: int) -> tuple[list[AttributeIds], int]:
    """Numbers for the attributes of each producer, and how many there are.

    New ones are numbered from `size` up, by falling frequency over all producers.
    """
    counts = _joined([part.counts for part in met])
    least = _joined([part.least for part in met])
    if not size:
        numbers = _core.by_frequency(counts, least)
        size = int(np.count_nonzero(numbers >= 0))
    else:
        numbers = _joined([_known(part) for part in met]).copy()
        new = numbers < 0
        fresh = _core.by_frequency(counts[new], least[new])
        numbers[new] = np.where(fresh >= 0, fresh + np.int32(size), np.int32(-1))
        size += int(np.count_nonzero(fresh >= 0))
    return np.split(numbers, np.cumsum([len(part.counts) for part in met])[:-1]), size


def _known(part: Met) -> AttributeIds:
    return np.full(len(part.counts), -1, dtype=np.int32) if part.known is None else part.known


def _joined(arrays: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)  # as usual, and these arrays are large
