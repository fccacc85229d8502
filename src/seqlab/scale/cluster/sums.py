"""Sums over the shards of a corpus, in an order that depends on their number alone.

A recipe names the data of all shards, and opens one of them anywhere: it is what travels, never the data. What a shard
answers is a dictionary of arrays; answers are added along a fixed tree, so that it does not matter who computed them,
how often, and in which order they came.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy.typing as npt

from seqlab.errors import Place, StoreError
from seqlab.learning.monitor import Progress, Report

T = TypeVar("T")
SAME = "="  # begins the name of an array that all answers share
Answer = Mapping[str, npt.NDArray[Any]]


class OpenShard(Protocol):
    """A shard that is open in this process."""

    def answer(self, what: str, given: Any, threads: int) -> Answer:
        """Compute one term of a sum: `what` it is, given the weights or the model."""


class Recipe(Protocol):
    """A corpus in shards, as a worker finds it: small, and pickled."""

    @property
    def count(self) -> int:
        """Number of shards."""

    def open(self, number: int) -> OpenShard:
        """Open a shard in this process."""


class Sums(Protocol):
    """Sums over the shards of a recipe."""

    moved: int  # bytes sent for sums so far

    def total(self, what: str, given: Any) -> Answer:
        """Add the answers of all shards."""

    def first(self, what: str, given: Any) -> Answer:
        """Return the answer of the first shard."""

    def close(self) -> None:
        """Let go of the shards."""


def added(left: Answer, right: Answer) -> Answer:
    """Add two answers, array by array; what is the same in both stays."""
    return {name: one if name.startswith(SAME) else one + right[name] for name, one in left.items()}


def tree(parts: Iterable[tuple[int, T]], join: Callable[[T, T], T]) -> T:
    """Join parts in pairs of neighbours, the pairs in pairs, and so on, deepest first.

    parts   in their order: the height of each, and the part. A single shard has height 0; 2^h neighbours that were
            joined already have height h, and begin at a multiple of 2^h
    """
    waiting: list[tuple[int, T]] = []  # no more than the logarithm of the number of shards
    for height, made in parts:
        while waiting and waiting[-1][0] == height:
            made = join(waiting.pop()[1], made)  # noqa: PLW2901
            height += 1  # noqa: PLW2901
        waiting.append((height, made))
    _, made = waiting.pop()
    while waiting:
        made = join(waiting.pop()[1], made)
    return made


def blocks(place: Sequence[str]) -> list[tuple[int, int]]:
    """Cut shards into subtrees of one worker each, as large as may be: the height of each, and its first shard.

    place   the worker of every shard
    """
    found, first = [], 0
    while first < len(place):
        height = 0
        while _is_block(place, first, 2 << height):
            height += 1
        found.append((height, first))
        first += 1 << height
    return found


def _is_block(place: Sequence[str], first: int, size: int) -> bool:
    return first % size == 0 and first + size <= len(place) and len(set(place[first : first + size])) == 1


class Share:
    """Sums that one of several trainings asks for, whose bytes are counted apart."""

    def __init__(self, sums: Sums) -> None:
        self._sums, self.moved = sums, 0

    def total(self, what: str, given: Any) -> Answer:
        """Add the answers of all shards; one question at a time."""
        before = self._sums.moved
        found = self._sums.total(what, given)
        self.moved += self._sums.moved - before
        return found


class Counted:
    """A report of iterations that also tells how many bytes were sent for each."""

    def __init__(self, report: Report, sums: Sums | Share) -> None:
        self._report, self._sums, self._before = report, sums, sums.moved
        self.resumed = getattr(report, "resumed", None)

    def __call__(self, progress: Progress) -> bool:
        """Report an iteration."""
        before, self._before = self._before, self._sums.moved
        more = {**progress.more, "bytes": self._before - before}
        return self._report(replace(progress, more=more))


def seen_folder(name: str) -> Path:
    """Return a folder of the cache, if this machine sees it."""
    folder = Path(name)
    if not folder.is_dir():
        raise StoreError(
            "the folder of the cache is not there; cache= must name a folder that all workers see, by the same path",
            place=Place(path=name),
        )
    return folder


class Open:
    """A shard that is opened when it is first asked; where it is sent to, it is opened anew."""

    def __init__(self, recipe: Recipe, number: int) -> None:
        self.recipe, self.number = recipe, number
        self._guard = threading.Lock()
        self._open: OpenShard | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Open, (self.recipe, self.number)

    def answer(self, what: str, given: Any, threads: int) -> Answer:
        """Ask the shard; one question at a time."""
        with self._guard:
            if self._open is None:
                self._open = self.recipe.open(self.number)
            return self._open.answer(what, given, threads)


def summed(shards: Sequence[Open], what: str, given: Any, threads: int) -> Answer:
    """Add the answers of shards in the threads of this process; a few more than there are threads are in progress."""
    count = len(shards)
    if count == 1 or threads == 1:
        return tree(((0, one.answer(what, given, threads)) for one in shards), added)
    each = max(threads // count, 1)
    with ThreadPoolExecutor(min(threads, count)) as pool:
        begun: deque[Any] = deque()

        def answers() -> Iterator[tuple[int, Answer]]:
            for number in range(count):
                while len(begun) <= threads and number + len(begun) < count:
                    begun.append(pool.submit(shards[number + len(begun)].answer, what, given, each))
                yield 0, begun.popleft().result()

        return tree(answers(), added)


class Here:
    """Sums over shards in the threads of this process."""

    def __init__(self, recipe: Recipe, threads: int) -> None:
        self._threads, self.moved = threads, 0
        self._shards = [Open(recipe, number) for number in range(recipe.count)]

    def total(self, what: str, given: Any) -> Answer:
        """Add the answers of all shards."""
        return summed(self._shards, what, given, self._threads)

    def first(self, what: str, given: Any) -> Answer:
        """Return the answer of the first shard."""
        return self._shards[0].answer(what, given, self._threads)

    def close(self) -> None:
        """Let go of the shards."""
        self._shards.clear()
