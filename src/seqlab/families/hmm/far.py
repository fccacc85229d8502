"""Train an HMM out of core: labelled words are counted block by block, sequences of EM are mapped from disk."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from seqlab import families
from seqlab.arrays import thread_count
from seqlab.corpus import Corpus
from seqlab.corpus.columns import resolve
from seqlab.errors import OptionError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.engines import (
    COUNTS,
    FitOptions,
    engine_for,
    one_pass,
    refuse_patience,
    words_of,
)
from seqlab.families.hmm.fit import HmmFit
from seqlab.families.hmm.observations import find_column, read_observations
from seqlab.families.hmm.open_labels import count_options
from seqlab.families.hmm.shards import HmmRecipe, OverShards, SomeLabels
from seqlab.families.hmm.training_set import TrainingSet, state_names
from seqlab.learning.identity import digest
from seqlab.scale.cluster.distributed import sums_of
from seqlab.scale.columns import GOLD, ColumnStore
from seqlab.scale.disk import Disk, on_disk
from seqlab.scale.rows import missing_label
from seqlab.scale.vocabulary import located
from seqlab.tagging.door.blocks import LabelledBlocks
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import Gold

BLOCK = 1 << 19  # tokens that are counted at once


def learn_from_disk(
    hmm: families.HMM, X: Any, y: Any, asked: FitOptions, max_memory: Any, cache: Any, client: Any = None
) -> HmmFit:
    """Train an HMM on sequences that need not fit in memory.

    max_memory   bytes that the program may use, or "2G"
    cache        folder of the data on disk; None for a temporary one
    client       a Dask cluster that computes the E steps by shards, "threads" for this process; None for all at once
    """
    emissions = hmm._check_options()
    blocks = LabelledBlocks(X, y, read=partial(read_observations, emissions=emissions))
    with on_disk(max_memory, cache, asked.progress) as disk:
        store = disk.columns(blocks, X)
        told = None if y is None else GOLD if blocks.column is None else resolve(blocks.column, store.columns)
        some = SomeLabels(store, told, None if told == GOLD else told)
        first = TrainingSet(*_first(hmm, store, some, emissions))
        whole = told is not None and missing_label(store, told) is None
        if whole and engine_for(hmm, first) is COUNTS:
            return _counted(hmm, store, some, first, asked)
        return _estimated(hmm, disk, store, some, asked, client)


def _blocks(store: ColumnStore, some: SomeLabels, tokens: int) -> Iterator[tuple[int, Corpus, Gold | None]]:
    """Yield blocks of sentences: the number of the first, the sentences, and their labels."""
    first = 0
    for number in range(len(store.shards)):
        ids, begin = some.of_shard(number), 0
        for corpus in store.blocks_of(number, tokens):
            end = begin + corpus.token_count
            yield first, corpus, some.gold(ids[begin:end])
            first, begin = first + len(corpus), end


def _first(
    hmm: families.HMM, store: ColumnStore, some: SomeLabels, emissions: Any
) -> tuple[Corpus, Any, Gold | None, str | None]:
    """Read the first sentences, which show what kind of data these are."""
    _, corpus, gold = next(_blocks(store, some, 1 << 12))
    column = find_column(corpus, emissions, hmm.column, None if gold is None else gold.column)
    return corpus, emissions, gold, column


def _counted(
    hmm: families.HMM, store: ColumnStore, some: SomeLabels, first: TrainingSet, asked: FitOptions
) -> HmmFit:
    """Count labelled words, a block after the other; counts of blocks add up exactly."""
    refuse_patience(asked)
    labels = state_names(hmm, first, None, tokens=store.tokens)
    total: CountedHMM | None = None
    rules: Rules | None = None
    for number, corpus, given in _blocks(store, some, BLOCK):
        assert given is not None  # noqa: S101  (every token has a label)
        gold = given.numbered(labels)
        words = words_of(corpus, first.column).compact()
        own = CountedHMM.count(
            words.pool, words.codes, corpus.offsets, gold.ids, labels, **count_options(hmm, len(labels))
        )
        total = own if total is None else total.plus(own)
        with located(number):
            rules = Rules.learned(hmm.constraints, labels, gold, corpus.offsets, rules)
    assert total is not None  # noqa: S101  (there is a token)
    assert rules is not None  # noqa: S101
    total = total if total.labels == labels else total.relabelled(labels)
    history = one_pass()
    dictionary = TagDictionary.of(hmm.allowed, labels, first.column)
    model = replace(total, rules=rules)
    return HmmFit.of(model, dictionary, history, "suffix", first, restarts=(history,))


def _estimated(
    hmm: families.HMM, disk: Disk, store: ColumnStore, some: SomeLabels, asked: FitOptions, client: Any
) -> HmmFit:
    """Estimate by EM from sequences that are mapped: the system reads them when they are needed."""
    emissions = hmm._check_options()
    states = len(list(hmm.states)) if hmm.states is not None else hmm.n_states or len(some.names) or 1
    disk.check(
        _bytes(store, emissions, states, labelled=bool(some.names)), f"EM with {states} states and its data"
    )
    with store.mapped(disk.cache.folder) as corpus:
        gold = some.gold(np.concatenate(some.of_shards()))
        column = find_column(corpus, emissions, hmm.column, None if gold is None else gold.column)
        data = TrainingSet(corpus, emissions, gold, column)
        engine = engine_for(hmm, data)
        if client is None or engine is COUNTS or (hmm.learner is None and data.full):
            if client is not None:
                raise OptionError(
                    "a cluster shares the EM of tables, but here words and their labels are counted; leave client out, "
                    "or name the states and pass learner=BaumWelch()",
                    option="client",
                )
            return engine.fit(hmm, data, None, asked)
        return _shared(hmm, data, store, some, asked, client)


def _shared(
    hmm: families.HMM, data: TrainingSet, store: ColumnStore, some: SomeLabels, asked: FitOptions, client: Any
) -> HmmFit:
    """Estimate by EM whose E steps are sums over shards."""
    learner: Any = BaumWelch() if hmm.learner is None else hmm.learner
    recipe = HmmRecipe(
        str(store.folder.resolve()),
        store.facts,
        some.told,
        some.column,
        data.emissions,
        data.column,
        hmm.allowed,
        float(learner.unlabelled_weight),
        isinstance(learner, HardEM),
    )
    with sums_of(recipe, client, thread_count(hmm.threads)) as sums:
        asked = replace(asked, shared=(hmm, {"sums": "over shards", "shards": digest(store.facts["shards"])}))
        sharing = copy(hmm)
        sharing.learner = OverShards.of(learner, sums, store.sentences)
        return engine_for(sharing, data).fit(sharing, data, None, asked)


def _bytes(store: ColumnStore, emissions: Any, states: int, *, labelled: bool) -> int:
    """Estimate the memory of EM: for words their numbers, for vectors the scores and posteriors of every state."""
    of_token = 20 if emissions.holds in ("symbols", "bags") else 16 * states
    if labelled:
        of_token += 12 + 2 * states
    return store.tokens * of_token
