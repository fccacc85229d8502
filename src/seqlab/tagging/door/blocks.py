"""Read training data of users block by block: streams of files, and iterators of sentences with their labels."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus, Sentence, StringColumn
from seqlab.corpus.io.reader import Stream
from seqlab.corpus.io.streams import CorpusStream
from seqlab.errors import CorpusError, LabelError, OptionError, SeqlabError, ShapeError
from seqlab.tagging.door.sentences import SEVERAL, Gold, read_gold, read_sentences

SENTENCES = 4096  # read from an iterator at once

Block = tuple[Corpus, StringColumn | None]  # sentences, and the labels beside them


class LabelledBlocks:
    """Blocks of labelled sentences.

    X   a stream_corpus(...), a stream(...), a Corpus, or any iterable of sentences
    y   the name of the column of labels, or an iterable of labels for every sentence; None without labels
    words   as for read_sentences
    read    reads sentences of an iterable in place of read_sentences; then y may be None
    write   writes the labels of a token as one string: one label, or several of which one is right

    whole   True if labels are whole numbers; known after the first block
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        words: bool = True,
        read: Callable[[list[Any]], Corpus] | None = None,
        write: Callable[[Sequence[str]], str] = "".join,
    ) -> None:
        if read is None and y is None:
            raise OptionError(
                "labels are wanted: y is the name of a column of the corpus, or a list of labels for every sentence"
            )
        if isinstance(X, (str, bytes, Mapping, Sentence)) or not isinstance(X, Iterable):
            raise CorpusError(
                f"X must be a stream_corpus(...) or an iterable of sentences, got {X!r:.80}; for files write "
                f"seqlab.stream_corpus(...)"
            )
        self._X, self._y, self._words, self._reader, self._write = X, y, words, read, write
        self.whole: bool | None = None

    @property
    def column(self) -> str | None:
        """The column that labels come from; None if they are beside the sentences."""
        return self._y if isinstance(self._y, str) else None

    @property
    def beside(self) -> bool:
        """True if labels come beside the sentences."""
        return self._y is not None and not isinstance(self._y, str)

    def __iter__(self) -> Iterator[Block]:
        done = 0
        labels = None if self.column is not None or self._y is None else iter(self._y)
        for corpus in self._corpora():
            gold = None
            if labels is not None:
                try:
                    gold = self._gold(corpus, list(itertools.islice(labels, len(corpus))))
                except SeqlabError as error:
                    raise error.at(offset=done) from error.__cause__
            done += len(corpus)
            yield corpus, gold
        if labels is not None and next(labels, self) is not self:
            raise ShapeError(f"X has {done} sentences, but y has more")

    def _corpora(self) -> Iterator[Corpus]:
        if isinstance(self._X, Corpus):
            yield self._X
        elif isinstance(self._X, (CorpusStream, Stream)):
            yield from self._X.blocks()
        else:
            sentences, first, done = iter(self._X), None, 0
            while some := list(itertools.islice(sentences, SENTENCES)):
                try:
                    first = self._read(some, first)
                except SeqlabError as error:
                    raise error.at(offset=done) from error.__cause__
                done += len(some)
                yield first

    def _read(self, some: list[Any], first: Corpus | None) -> Corpus:
        if self._reader is not None:
            return self._reader(some)
        labelled = self.column is not None
        cells = first is not None and labelled and self._words and isinstance(some[0], (list, tuple))
        if cells and first is not None and len(first.columns) > 1:  # named by the first block
            return Corpus.from_lists(some, columns=first.columns)
        columns = None if first is None else first.columns
        return read_sentences(some, words=self._words, labelled=labelled, columns=columns)

    def _gold(self, corpus: Corpus, y: list[Any]) -> StringColumn:
        sizes = corpus.lengths.tolist()
        if self._reader is not None and len(y) == len(sizes):  # a sequence may have no labels at all
            y = [[None] * size if row is None else row for row, size in zip(y, sizes, strict=True)]
        gold = read_gold(corpus, y)
        if gold.names:
            if self.whole not in (None, gold.whole):
                raise LabelError("some labels are strings, others whole numbers; write all in one way")
            self.whole = gold.whole
        pool = _core.StringPool()
        for name in gold.names:
            pool.intern(self._write([name]))
        codes = np.array(gold.ids, dtype=np.int32)
        for token, some in gold.sets.items():
            codes[token] = pool.intern(self._write([gold.names[i] for i in some]))
        return StringColumn(codes, pool)


def stored_gold(
    names: tuple[str, ...], ids: LabelIds, sets: Sequence[tuple[int, ...]], column: str | None, *, whole: bool
) -> Gold:
    """Read labels of tokens by their numbers in shards.

    sets   the labels that the numbers from -2 down stand for
    """
    several = np.flatnonzero(ids <= SEVERAL)
    if not len(several):
        return Gold(names, ids, {}, column, whole)
    found = {token: sets[SEVERAL - int(ids[token])] for token in several.tolist()}
    return Gold(names, np.maximum(ids, np.int32(SEVERAL)), found, column, whole)
