"""Train an HMM out of core: labelled words are counted block by block, EM reads what does not fit shard by shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from seqlab import families
from seqlab.arrays import thread_count
from seqlab.corpus import Corpus, VectorColumn
from seqlab.corpus.columns import ragged, resolve
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm import engines
from seqlab.families.hmm.counted import Block, CountedHMM
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.emissions import Streams
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
from seqlab.families.hmm.training_set import Beyond, TrainingSet, state_names
from seqlab.learning.identity import digest
from seqlab.scale import columns
from seqlab.scale.cluster.distributed import sums_of
from seqlab.scale.columns import GOLD, ColumnStore
from seqlab.scale.disk import Disk, on_disk
from seqlab.scale.labels import open_label, written
from seqlab.scale.shards import write_shard
from seqlab.scale.sizes import resident, shown
from seqlab.scale.vocabulary import located
from seqlab.tagging.door.blocks import LabelledBlocks
from seqlab.tagging.door.constraints import Rules, TagDictionary, rules_by_blocks
from seqlab.tagging.door.sentences import Gold, sentence_weights, weights_of_block


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
    blocks = LabelledBlocks(X, y, read=partial(read_observations, emissions=emissions), write=written)
    with on_disk(max_memory, cache, asked.progress) as disk:
        store = disk.columns(blocks, X)
        told = None if y is None else GOLD if blocks.column is None else resolve(blocks.column, store.columns)
        some = SomeLabels(store, told, None if told == GOLD else told)
        first = TrainingSet(*_first(hmm, store, some, emissions))
        weights = _weights(store, sample_weight)
        whole = told is not None and open_label(store, told) is None
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
    rules = _rules(hmm, some, first.corpus.offsets, labels)
    told, tokens, before = disk.told("counting", store.tokens), 0, resident()

    def blocks() -> Iterator[Block]:
        nonlocal tokens
        for number, corpus, given in _blocks(store, some, engines.BLOCK):
            assert given is not None  # noqa: S101  (every token has a label)
            own = None if weights is None else weights[number : number + len(corpus)]
            with located(number):
                worth = None if own is None else weights_of_block(own, corpus.lengths.tolist())
            words = words_of(corpus, first.column).compact()
            yield words.pool, words.codes, corpus.offsets, given.numbered(labels).ids, worth
            done, tokens = number + len(corpus), tokens + corpus.token_count
            if told is not None:
                told(tokens)
            needed = 2 * resident() - before  # counts that are added up are there twice
            disk.check(needed, f"the program, with the counts of {done:,} sentences,")

    total = CountedHMM.of_blocks(blocks(), labels, **count_options(hmm, len(labels)))
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
    sample_weight: Any,
) -> HmmFit:
    """Estimate by EM: from memory if the sequences fit, else one shard after the other."""
    emissions = hmm._check_options()
    states = len(list(hmm.states)) if hmm.states is not None else hmm.n_states or len(some.names) or 1
    tables = _table_bytes(hmm, store, emissions, states)
    disk.check(resident() + tables, f"the program, and tables of {states} states with their expected counts,")
    of_token = _token_bytes(store, emissions, states, labelled=bool(some.names))
    needed = resident() + tables + store.tokens * of_token
    if client is None and needed <= disk.limit:
        corpus, gold = store.in_memory(), some.all()
        data = TrainingSet(corpus, emissions, gold, _column(hmm, corpus, gold, emissions))
        return engine_for(hmm, data).fit(hmm, data, sample_weight, asked)
    data, files = _sample(hmm, disk, store, some, sample_weight)
    if engine_for(hmm, data) is COUNTS:
        raise OptionError(
            f"counts of words with labels, some of them missing, are estimated from all words at once, and "
            f"{store.tokens:,} tokens need {shown(needed)} of memory; give it more max_memory without client, or name "
            f"the states and pass learner=BaumWelch()",
            option="max_memory" if client is None else "client",
        )
    largest = max(int(shard.arrays["lengths"].sum()) for shard in store.shards)
    disk.check(
        resident() + tables + largest * of_token,
        f"EM with {states} states and the data of a shard of {largest:,} tokens",
    )
    return _shared(hmm, data, store, some, asked, client, files)


def _column(hmm: families.HMM, corpus: Corpus, gold: Gold | None, emissions: Any) -> str | None:
    return find_column(corpus, emissions, hmm.column, None if gold is None else gold.column)


def _sample(
    hmm: families.HMM, disk: Disk, store: ColumnStore, some: SomeLabels, sample_weight: Any
) -> tuple[TrainingSet, tuple[str, ...]]:
    """Read the sentences that EM over shards begins with, those of TrainingSet.sampled; and write weights to files."""
    step, first, spent = len(store.shards), 0, 0
    parts: list[tuple[Corpus, Any]] = []
    chosen: list[Any] = []
    for number in range(step):
        ids, begin = some.of_shard(number), 0
        for corpus in store.blocks_of(number, engines.BLOCK):
            if spent < columns.SHARD:
                rows = np.arange(len(corpus))[columns.spread_out(corpus, -first % step, step, spent)]
                tokens = ragged(corpus.offsets, rows)[1] + begin
                parts.append((corpus.take(rows), ids[tokens] if some.names else ids))
                chosen.append(rows + first)
                spent += int(columns.costs(parts[-1][0]).sum())
            first, begin = first + len(corpus), begin + corpus.token_count
    sample = Corpus.join([corpus for corpus, _ in parts])
    gold = some.gold(np.concatenate([ids for _, ids in parts]))
    emissions = hmm._check_options()
    files, weights = _weight_files(disk, store, sample_weight)
    own = None if weights is None else weights[np.concatenate(chosen)]
    rules = partial(_rules, hmm, some, sample.offsets)
    full = some.told is not None and open_label(store, some.told) is None
    shards = digest(store.facts["shards"], store.facts["strings"])
    facts = {"sums": "over shards", "shards": shards, "weights of all": digest(weights)}
    beyond = Beyond(store.tokens, full, some.single, rules, own, facts)
    return TrainingSet(sample, emissions, gold, _column(hmm, sample, gold, emissions), beyond), files


def _weight_files(disk: Disk, store: ColumnStore, sample_weight: Any) -> tuple[tuple[str, ...], Any]:
    """Write weights of sentences to the cache, a file for every shard; return the files, and the weights if any."""
    if sample_weight is None:
        return (), None
    weights = sentence_weights(store.sentences, sample_weight)
    ends = np.cumsum([shard.arrays.size("lengths") for shard in store.shards])[:-1]

    def write(folder: Path) -> dict[str, Any]:
        return {"weights": [write_shard(folder, {"weights": own}) for own in np.split(weights, ends)]}

    made_of = [store.facts["shards"], digest(weights)]
    folder, facts = disk.cache.entry("weights", made_of, write)
    return tuple(str(folder.resolve() / name) for name in facts["weights"]), weights


def _domain(store: ColumnStore, emissions: Any, column: str | None) -> Any:
    """Collect the symbols of all shards, as the emissions would those of a corpus in memory; None for numbers."""
    if isinstance(emissions, Streams):
        return {name: _domain(store, part, name) for name, part in emissions.parts.items()}
    if emissions.holds not in ("symbols", "bags"):
        return None
    if emissions.symbols is not None:
        return Symbols.of(emissions.symbols)
    if str(column) in store.pools:
        words = tuple(word for word in store.pools[str(column)].strings() if word != MISSING)
        return Symbols(len(words), words)
    place = list(store.kinds).index(str(column))
    largest = np.fmax.reduce(
        [np.fmax.reduce(shard.arrays[f"vectors{place}"], axis=None) for shard in store.shards]
    )
    one = Corpus({"numbers": VectorColumn(np.array([[largest]]))}, np.array([0, 1], dtype=np.int64))
    return Symbols.seen_in(one, "numbers")


def _shared(
    hmm: families.HMM,
    data: TrainingSet,
    store: ColumnStore,
    some: SomeLabels,
    asked: FitOptions,
    client: Any,
    weights: tuple[str, ...],
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
        weights,
        float(learner.unlabelled_weight),
        isinstance(learner, HardEM),
    )
    threads = thread_count(hmm.threads)
    opened: Any = (
        nullcontext(OneByOne(recipe, threads)) if client is None else sums_of(recipe, client, threads)
    )
    engine = engine_for(hmm, data)
    emissions = data.emissions.over(_domain(store, data.emissions, data.column))
    with opened as sums:
        beyond: Any = data.beyond
        beyond = replace(beyond, share=lambda learner: OverShards.of(learner, sums, store.sentences))
        return engine.fit(hmm, replace(data, emissions=emissions, beyond=beyond), None, asked)


def _rules(hmm: families.HMM, some: SomeLabels, offsets: Any, labels: Sequence[str]) -> Rules:
    """Read the constraints, and check all labels by them; offsets are those of some sentences, if there are none."""
    if not some.names:
        return Rules.learned(hmm.constraints, labels, None, offsets)
    return rules_by_blocks(hmm.constraints, labels, lambda: some.by_shard(labels))


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
