"""The E step of one shard, wherever it is computed, and EM whose expected counts are sums over shards."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from seqlab.corpus import Corpus
from seqlab.corpus.columns import offsets_of
from seqlab.errors import OptionError
from seqlab.families.hmm.em import BaumWelch, Evidence, HardEM, expect
from seqlab.families.hmm.emissions.base import is_sum
from seqlab.families.hmm.tables import Dirichlet, Expected, HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.learning.monitor import Outcome, Report
from seqlab.scale.cache import Facts
from seqlab.scale.cluster.sums import SAME, Answer, Counted, Share, Sums, added, seen_folder, tree
from seqlab.scale.columns import ColumnStore
from seqlab.scale.labels import choices, label_numbers, label_sets
from seqlab.scale.shards import open_shard
from seqlab.scale.vocabulary import located
from seqlab.tagging.door.blocks import stored_gold
from seqlab.tagging.door.constraints import TagDictionary
from seqlab.tagging.door.names import by_value
from seqlab.tagging.door.sentences import Gold


class SomeLabels:
    """The labels of a corpus on disk, if there are any.

    told     their column in the store, or None
    column   as users know it
    """

    def __init__(self, store: ColumnStore, told: str | None, column: str | None) -> None:
        self._store, self.told, self.column = store, told, column
        self._whole = bool(store.facts["whole"])
        some = [] if told is None else choices(store, told)
        names = {name for choice in some for name in choice}
        self.names = tuple(by_value(names) if self._whole else sorted(names))
        self.single = any(len(choice) == 1 for choice in some)  # True if a token has exactly one label
        self._sets = [] if told is None else label_sets(store, self.names, told)

    def gold(self, ids: Any) -> Gold | None:
        """Return labels with these numbers; None if the whole corpus has none."""
        if not self.names:
            return None
        return stored_gold(self.names, ids, self._sets, self.column, whole=self._whole)

    def all(self) -> Gold | None:
        """Return the labels of all shards."""
        return self.gold(np.concatenate([self.of_shard(number) for number in range(len(self._store.shards))]))

    def by_shard(self, names: Sequence[str]) -> Iterator[tuple[Gold, Any]]:
        """Yield the labels of every shard, numbered by these names, and the offsets of its sentences."""
        for number, shard in enumerate(self._store.shards):
            gold = self.gold(self.of_shard(number))
            if gold is not None:
                yield gold.numbered(names), offsets_of(shard.arrays["lengths"])

    def of_shard(self, number: int) -> Any:
        """Return the numbers of the labels of a shard."""
        return self._of(self._store.shards[number])

    def _of(self, shard: Any) -> Any:
        if self.told is None:
            return np.zeros(0, dtype=np.int32)
        return label_numbers(self._store, self.names, self.told)[self._store.codes(shard, self.told)]


@dataclass(frozen=True, slots=True, eq=False)
class HmmRecipe:
    """A corpus on disk and what EM does with it, as every worker finds them.

    folder              of its columns, on a file system that all workers see
    facts               from its manifest
    told, label         the column of labels in the store, and as users know it; None without labels
    emissions, column   how observations are read, and where they stand
    allowed             {word: labels}, or None
    weights             files of the weights of sentences, one for every shard; empty if all are 1
    unlabelled          what a sentence without any label counts
    hard                True for hard EM
    """

    folder: str
    facts: Facts
    told: str | None
    label: str | None
    emissions: Any
    column: str | None
    allowed: Any
    weights: tuple[str, ...]
    unlabelled: float
    hard: bool

    @property
    def count(self) -> int:
        """Number of shards."""
        return len(self.facts["shards"])

    def open(self, number: int) -> HmmShard:
        """Open a shard in this process."""
        store = _opened(str(seen_folder(self.folder)), tuple(self.facts["shards"]), _Held(self.facts))
        labels = SomeLabels(store, self.told, self.label)
        parts = list(store.blocks_of(number, 1 << 62))
        first = sum(store.shards[i].arrays.size("lengths") for i in range(number))
        return HmmShard(self, number, parts[0], labels.gold(labels.of_shard(number)), first)


class _Held:
    """Facts beside a key: they are equal whenever the key is."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=1)
def _opened(folder: str, _shards: tuple[str, ...], held: _Held) -> ColumnStore:
    from pathlib import Path

    return ColumnStore(Path(folder), held.facts)


class HmmShard:
    """Sequences of one shard, read when the first model comes: its emissions number the symbols."""

    def __init__(self, recipe: HmmRecipe, number: int, corpus: Corpus, gold: Gold | None, first: int) -> None:
        self._recipe, self._number, self._first = recipe, number, first
        self._data = TrainingSet(corpus, recipe.emissions, gold, recipe.column)
        self._evidence: Evidence | None = None

    def answer(self, what: str, given: HiddenMarkov, threads: int) -> Answer:
        """Compute expected counts under a model: "expect", or "labelled" for those of sentences with labels."""
        evidence = self._evidence or self._read(given)
        if what == "labelled":
            evidence = replace(evidence, weights=self._data.labelled.astype(np.float64))
            found = expect(given, evidence, threads)
        else:
            learner = HardEM() if self._recipe.hard else BaumWelch()
            found = learner.expect(given, evidence, threads)
        lost = np.flatnonzero(~(found.log_z > -np.inf))
        rejected, first = (np.zeros(self._recipe.count, dtype=np.int64) for _ in range(2))
        rejected[self._number] = len(lost)
        first[self._number] = self._first + int(lost[0]) if len(lost) else 0
        made = {"start": found.start, "edge": found.edge, "end": found.end, "value": np.array([found.value])}
        made |= {"lost": rejected, "first lost": first}
        made |= {f"head {i}": one for i, one in enumerate(found.head)}
        for name, array in found.emissions.items():
            made[f"{'' if is_sum(name) else SAME}emissions {name}"] = array
        return made

    def _read(self, model: HiddenMarkov) -> Evidence:
        recipe = self._recipe
        data = self._data.numbered(model.labels)
        with located(self._first):
            observed = model.emissions.observe(data.corpus, data.column, unknown="error")
        dictionary = TagDictionary.of(recipe.allowed, model.labels, data.column)
        weights = open_shard(recipe.weights[self._number]).arrays["weights"] if recipe.weights else None
        weights = data.weighted(weights, recipe.unlabelled)
        self._evidence = replace(data.evidence(observed, model.size, dictionary), weights=weights)
        return self._evidence


def expected_of(total: Answer, sentences: int) -> Expected:
    """Read expected counts from a sum over shards."""
    emissions = {
        name.removeprefix(SAME).removeprefix("emissions "): array
        for name, array in total.items()
        if name.removeprefix(SAME).startswith("emissions ")
    }
    head = tuple(total[f"head {i}"] for i in range(sum(name.startswith("head ") for name in total)))
    log_z = np.broadcast_to(np.float64(0.0), (sentences,))
    if total["lost"].any():  # how many, and which is the first, is all that anyone asks
        log_z = np.zeros(sentences)
        first = int(total["first lost"][total["lost"] > 0].min())
        log_z[first] = -np.inf
        log_z[sentences - int(total["lost"].sum()) + 1 :] = -np.inf
    return Expected(
        total["start"], total["edge"], total["end"], emissions, log_z, float(total["value"][0]), head
    )


class OneByOne:
    """Sums over shards of which one is in memory at a time; the bits are those of a cluster."""

    def __init__(self, recipe: HmmRecipe, threads: int) -> None:
        self._recipe, self._threads, self.moved = recipe, threads, 0

    def total(self, what: str, given: Any) -> Answer:
        """Add the answers of all shards."""
        answers = (
            (0, self._recipe.open(number).answer(what, given, self._threads))
            for number in range(self._recipe.count)
        )
        return tree(answers, added)

    def first(self, what: str, given: Any) -> Answer:
        """Return the answer of the first shard."""
        return self._recipe.open(0).answer(what, given, self._threads)

    def close(self) -> None:
        """Let go of the shards: none is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverShards(BaumWelch):
    """EM whose E step is a sum over shards."""

    sums: Any = None
    sentences: int = 0
    guard: Any = field(default_factory=threading.Lock)  # restarts share the workers

    @staticmethod
    def of(learner: BaumWelch, sums: Sums, sentences: int) -> OverShards:
        """Make it of the learner that was asked for."""
        if type(learner) not in (BaumWelch, HardEM):
            raise OptionError(
                f"a cluster learns by BaumWelch or HardEM, got {type(learner).__name__}", option="client"
            )
        options = {one.name: getattr(learner, one.name) for one in fields(BaumWelch)}
        return OverShards(**options, sums=sums, sentences=sentences)

    def train(
        self, model: HiddenMarkov, evidence: Evidence, prior: Dirichlet, threads: int, report: Report
    ) -> Outcome:
        """Train as EM in memory does, and count the bytes of each iteration."""
        own = replace(self, sums=Share(self.sums))
        return BaumWelch.train(own, model, evidence, prior, threads, Counted(report, own.sums))

    def expect(self, model: HiddenMarkov, evidence: Evidence, threads: int) -> Expected:  # noqa: ARG002
        """Run the E step on all shards."""
        return self._total("expect", model)

    def labelled(self, model: HiddenMarkov) -> Expected:
        """Compute the expected counts of the sentences that have labels."""
        return self._total("labelled", model)

    def _total(self, what: str, model: HiddenMarkov) -> Expected:
        with self.guard:
            return expected_of(self.sums.total(what, model), self.sentences)
