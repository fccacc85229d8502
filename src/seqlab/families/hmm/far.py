"""Train an HMM out of core: labelled words are counted block by block, EM reads what does not fit shard by shard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from seqlab import families
from seqlab.arrays import thread_count
from seqlab.corpus import Corpus
from seqlab.corpus.columns import resolve
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.emissions.symbols import MISSING, Symbols
from seqlab.families.hmm.engines import (
    COUNTS,
    FitOptions,
    engine_for,
    one_pass,
    refuse_patience,
    words_of,
)
from seqlab.families.hmm.fit import HmmFit
from seqlab.families.hmm.observations import find_column, read_observations, split_labels
from seqlab.families.hmm.open_labels import count_options
from seqlab.families.hmm.shards import HmmRecipe, OneByOne, OverShards, SomeLabels
from seqlab.families.hmm.training_set import TrainingSet, state_names
from seqlab.learning.identity import digest
from seqlab.scale.cluster.distributed import sums_of
from seqlab.scale.columns import GOLD, ColumnStore
from seqlab.scale.disk import Disk, on_disk
from seqlab.scale.rows import missing_label
from seqlab.scale.sizes import resident, shown
from seqlab.scale.vocabulary import located
from seqlab.tagging.door.blocks import LabelledBlocks
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import Gold, token_weights

BLOCK = 1 << 19  # tokens that are counted at once


def learn_from_disk(
    hmm: families.HMM,
    X: Any,
    y: Any,
    asked: FitOptions,
    max_memory: Any,
    cache: Any,
    client: Any = None,
    sample_weight: Any = None,
    lengths: Any = None,
) -> HmmFit:
    """Train an HMM on sequences that need not fit in memory.

    max_memory               bytes that the program may use, or "2G"
    cache                    folder of the data on disk; None for a temporary one
    client                   a Dask cluster that computes the E steps by shards, "threads" for this process; None for
                             all at once, or one shard after the other if they do not fit
    sample_weight, lengths   as for fit
    """
    emissions = hmm._check_options()
    if lengths is not None:
        X = read_observations(X, emissions, lengths)
        y = split_labels(y, X.offsets, lengths)
    blocks = LabelledBlocks(X, y, read=partial(read_observations, emissions=emissions))
    with on_disk(max_memory, cache, asked.progress) as disk:
        store = disk.columns(blocks, X)
        told = None if y is None else GOLD if blocks.column is None else resolve(blocks.column, store.columns)
        some = SomeLabels(store, told, None if told == GOLD else told)
        first = TrainingSet(*_first(hmm, store, some, emissions))
        weights = _weights(store, sample_weight)
        whole = told is not None and missing_label(store, told) is None
        if whole and engine_for(hmm, first) is COUNTS:
            return _counted(hmm, disk, store, some, first, asked, weights)
        return _estimated(hmm, disk, store, some, asked, client, weights)


def _weights(store: ColumnStore, sample_weight: Any) -> Any:
    """Read the weights of sentences: those given, or those of a file; None if all are 1."""
    if sample_weight is None:
        return store.weights
    weights = list(sample_weight)
    if len(weights) != store.sentences:
        raise ShapeError(f"X has {store.sentences} sentences, but sample_weight has {len(weights)} weights")
    return weights


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
    hmm: families.HMM,
    disk: Disk,
    store: ColumnStore,
    some: SomeLabels,
    first: TrainingSet,
    asked: FitOptions,
    weights: Any,
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
        with located(number):
            worth = None if weights is None else token_weights(corpus, weights[number : number + len(corpus)])
        own = CountedHMM.count(
            words.pool,
            words.codes,
            corpus.offsets,
            gold.ids,
            labels,
            weights=worth,
            **count_options(hmm, len(labels)),
        )
        total = own if total is None else total.plus(own)
        disk.check(resident(), f"the program, with the counts of {len(total.words.pool):,} words,")
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
    hmm: families.HMM,
    disk: Disk,
    store: ColumnStore,
    some: SomeLabels,
    asked: FitOptions,
    client: Any,
    weights: Any,
) -> HmmFit:
    """Estimate by EM: from memory if the sequences fit, else one shard after the other."""
    emissions = hmm._check_options()
    states = len(list(hmm.states)) if hmm.states is not None else hmm.n_states or len(some.names) or 1
    tables = _table_bytes(hmm, store, emissions, states)
    disk.check(resident() + tables, f"the program, and tables of {states} states with their expected counts,")
    of_token = _token_bytes(store, emissions, states, labelled=bool(some.names))
    fits = resident() + tables + store.tokens * of_token <= disk.limit
    sampled = None if fits else _sample(store, some)
    corpus = store.in_memory(sampled)
    numbers = range(len(store.shards)) if sampled is None else sampled
    gold = some.gold(np.concatenate([some.of_shard(number) for number in numbers]))
    column = find_column(corpus, emissions, hmm.column, None if gold is None else gold.column)
    data = TrainingSet(corpus, emissions, gold, column)
    engine = engine_for(hmm, data)
    if fits and client is None:
        return engine.fit(hmm, data, weights, asked)
    figure = f"{store.tokens:,} tokens need {shown(resident() + tables + store.tokens * of_token)} of memory"
    if client is not None and (engine is COUNTS or (hmm.learner is None and data.full)):
        raise OptionError(
            "a cluster shares the EM of tables, but here words and their labels are counted; leave client out, "
            "or name the states and pass learner=BaumWelch()",
            option="client",
        )
    for option, given, why in (
        (
            "max_memory",
            engine is COUNTS,
            "counts of words with missing labels are estimated from all words at once",
        ),
        ("sample_weight", weights is not None, "EM over shards has no weights of sentences"),
    ):
        if given:
            raise OptionError(
                f"{why}, and {figure}; give it more max_memory, or leave {option} out", option=option
            )
    largest = max(int(shard.arrays["lengths"].sum()) for shard in store.shards)
    disk.check(
        resident() + tables + largest * of_token,
        f"EM with {states} states and the data of a shard of {largest:,} tokens",
    )
    return _shared(hmm, data if fits else _with_domain(data, store), store, some, asked, client)


def _sample(store: ColumnStore, some: SomeLabels) -> list[int]:
    """Choose the shard from which EM over shards begins: the first, or the first with labels if there are any."""
    numbers = range(len(store.shards)) if some.names else range(1)
    return [next((i for i in numbers if (some.of_shard(i) >= 0).any()), 0)]


def _with_domain(data: TrainingSet, store: ColumnStore) -> TrainingSet:
    """Return training data whose words are those of all shards."""
    if not data.words or getattr(data.emissions, "symbols", None) is not None:
        return data
    words = tuple(word for word in store.pools[str(data.column)].strings() if word != MISSING)
    emissions: Any = data.emissions
    return replace(data, emissions=replace(emissions, symbols=Symbols(len(words), words)))


def _shared(
    hmm: families.HMM, data: TrainingSet, store: ColumnStore, some: SomeLabels, asked: FitOptions, client: Any
) -> HmmFit:
    """Estimate by EM whose E steps are sums over shards: of a cluster, or read one after the other here."""
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
    threads = thread_count(hmm.threads)
    opened: Any = (
        nullcontext(OneByOne(recipe, threads)) if client is None else sums_of(recipe, client, threads)
    )
    with opened as sums:
        asked = replace(asked, shared=(hmm, {"sums": "over shards", "shards": digest(store.facts["shards"])}))
        sharing = copy(hmm)
        sharing.learner = OverShards.of(learner, sums, store.sentences)
        return engine_for(sharing, data).fit(sharing, data, None, asked)


def _token_bytes(store: ColumnStore, emissions: Any, states: int, *, labelled: bool) -> int:
    """Estimate the memory of a token in EM: of words their numbers, of vectors the scores and posteriors of states."""
    numbers = sum(store.widths)
    of_token = 32 if emissions.holds in ("symbols", "bags") else 16 * states
    return int(numbers) + of_token + (12 + 2 * states if labelled else 0)


def _table_bytes(hmm: families.HMM, store: ColumnStore, emissions: Any, states: int) -> int:
    """Estimate the memory of tables and expected counts: each is there some ten times while EM goes on."""
    order = hmm.order or 1
    symbols = 0
    if emissions.holds in ("symbols", "bags"):
        symbols = max((len(pool) for name, pool in store.pools.items() if name != GOLD), default=0)
    return int(80 * (states ** (order + 1) + symbols * states) + 200 * symbols)
