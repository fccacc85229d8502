"""Count n-grams of sentences that need not fit in memory: a block after the other, the counts added up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus, Sentence
from seqlab.errors import CorpusError, OptionError
from seqlab.families.chain.ngrams import RAW_WORDS, Counted, Tokens, check_no_edges, read_symbols
from seqlab.scale.disk import on_disk
from seqlab.scale.sizes import resident
from seqlab.scale.vocabulary import located
from seqlab.tagging.door.blocks import LabelledBlocks
from seqlab.tagging.door.sentences import word_column

BLOCK = 1 << 19  # tokens that are counted at once


def count_from_disk(
    X: Any,
    y: Any,
    order: int,
    max_memory: Any,
    cache: Any,
    *,
    end: bool,
    check: Callable[[Tokens], None],
    progress: Any = None,
) -> tuple[Counted, str | None]:
    """Count n-grams, and find the column of the symbols; None for lists.

    y       the name of the column; None for the words
    check   called with the tokens of every block
    progress   as for on_disk
    """
    if y is not None and not isinstance(y, str):
        raise OptionError(
            f"y is the name of the column that holds the symbols, or None, got {y!r:.80}; a chain has no labels"
        )
    lists: list[bool] = []

    def read(some: list[Any]) -> Corpus:
        if all(isinstance(one, Sentence) for one in some):
            return Corpus.from_lists(some)
        lists.append(True)
        tokens, _ = read_symbols(some, y)
        from seqlab.corpus import StringColumn

        return Corpus({"word": StringColumn(tokens.codes, tokens.pool)}, tokens.offsets)

    with on_disk(max_memory, cache, progress) as disk:
        store = disk.columns(LabelledBlocks(X, None, read=read), X)
        _, first = next(store.blocks(1))
        name = word_column(first, y)
        if name is None:
            have = ", ".join(map(repr, store.columns))
            raise CorpusError(f"there are no symbols: the columns {have} hold no strings")
        pool = store.pools[name]
        size = RAW_WORDS + len(pool)
        told, done, before = disk.told("counting", store.tokens), 0, resident()
        parts: list[
            tuple[int, Counted]
        ] = []  # of falling size, so that each n-gram is added a few times only
        for number, block in store.blocks(BLOCK):
            with located(number):
                tokens = Tokens(block.strings(name).codes, block.offsets, pool)
                _check(tokens, check)
            parts.append((block.token_count, Counted.of(tokens, order, end=end)))
            done += block.token_count
            if told is not None:
                told(done)
            needed = 2 * resident() - before  # counts that are joined are there twice
            disk.check(needed, f"the program, with the n-grams of {number + len(block):,} sentences,")
            while len(parts) > 1 and parts[-2][0] <= 2 * parts[-1][0]:
                parts.append(_joined(parts.pop(-2), parts.pop(), size))
        while len(parts) > 1:
            parts.append(_joined(parts.pop(-2), parts.pop(), size))
        return parts[0][1], None if lists else name


def _check(tokens: Tokens, check: Callable[[Tokens], None]) -> None:
    used, which = np.unique(tokens.codes, return_inverse=True)
    codes, strings = _core.compact_pool(np.ascontiguousarray(used, dtype=np.int32), tokens.pool)
    own = Tokens(codes[which].astype(np.int32), tokens.offsets, strings)
    check_no_edges(own)
    check(own)


def _joined(one: tuple[int, Counted], other: tuple[int, Counted], size: int) -> tuple[int, Counted]:
    numbers = np.arange(size, dtype=np.int32)
    ngrams = _core.join_ngrams([one[1].ngrams, other[1].ngrams], numbers, size)
    return one[0] + other[0], Counted(one[1].words, ngrams, one[1].end)
