"""Bring training data to disk: columns first, then their attributes; what is there already is found again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqlab.corpus import Corpus, StringColumn
from seqlab.corpus.io.streams import CorpusStream
from seqlab.encode.encoder import Encoder
from seqlab.errors import OptionError, ShapeError
from seqlab.features import Template
from seqlab.scale import cache as caches
from seqlab.scale.columns import GOLD, ColumnStore, write_columns
from seqlab.scale.progress import Announce, announcer
from seqlab.scale.rows import RowStore, write_rows
from seqlab.scale.shards import unchanged
from seqlab.scale.sizes import available, bytes_of, resident, shown
from seqlab.scale.vocabulary import Told
from seqlab.store import reading, writing

ENCODER = "encoder.safetensors"


@dataclass(frozen=True, slots=True)
class Disk:
    """A training out of core.

    cache   of its data
    limit   bytes of memory that it may use
    say     told about the progress, or None
    """

    cache: caches.Cache
    limit: int
    say: Announce | None = None

    def told(self, what: str, total: int | None = None) -> Told:
        """Return who is told how many tokens are done, of `total` or nobody knows how many; None for nobody."""
        say = self.say
        return None if say is None else lambda done: say(what, done, total)

    def _told_of_files(self, source: CorpusStream) -> Told:
        """Estimate the number of all tokens by the bytes that were read."""
        say = self.say
        return None if say is None else lambda done: say("reading", done, int(done / max(source.share, 1e-9)))

    def room(self, share: float = 1.0, *, besides: int = 0) -> int:
        """Return a share of the memory that is left, in bytes."""
        return max(int((self.limit - resident() - besides) * share), 0)

    def check(self, needed: int, what: str) -> None:
        """Refuse what needs more memory than there is."""
        if needed > self.limit:
            raise OptionError(
                f"{what} need {shown(needed)} of memory, but max_memory is {shown(self.limit)}; give it more, or make "
                f"the model smaller: fewer features, a larger min_count, a learner with less memory",
                option="max_memory",
            )

    def columns(self, blocks: Iterable[tuple[Corpus, StringColumn | None]], source: Any) -> ColumnStore:
        """Write a corpus to disk, or find it there.

        source   where the blocks come from: files are recognised by their bytes, so that they are not read twice; other
                 sources are read each time, and recognised by their shards
        """
        if isinstance(source, CorpusStream) and not getattr(blocks, "beside", False) and source.regular:
            told = self._told_of_files(source)
            made_of = [[caches.digest_of_file(path) for path in source.files], source.options]
            path, facts = self.cache.entry(
                "columns", made_of, lambda folder: _whole(blocks, write_columns(folder, blocks, {}, told))
            )
            return ColumnStore(path, facts)
        return self._spilled(blocks, self.told("reading"))

    def _spilled(self, blocks: Any, told: Told) -> ColumnStore:
        with self.cache.temporary("spilled") as spilled:
            facts = _whole(blocks, write_columns(spilled, blocks, {}, told))
            made_of = [facts["shards"], facts["strings"], facts["columns"], facts["whole"]]

            def moved(folder: Path) -> caches.Facts:
                for one in sorted(spilled.iterdir()):
                    one.rename(folder / one.name)
                return facts

            path, found = self.cache.entry("columns", made_of, moved)
        return ColumnStore(path, found)

    @contextlib.contextmanager
    def rows(
        self,
        store: ColumnStore,
        encoder: Encoder,
        labels: Sequence[str],
        column: str,
        *,
        threads: int,
    ) -> Iterator[RowStore]:
        """Encode a corpus on disk, or find it encoded; open as long as this is."""

        def write(folder: Path) -> caches.Facts:
            room, told = self.room(0.4), self.told("encoding", 2 * store.tokens)
            return write_rows(folder, store, encoder, labels, column, threads=threads, room=room, told=told)

        if _has_code(encoder.features):  # which may have changed since
            with self.cache.temporary("encoded") as folder:
                yield RowStore(store, folder, write(folder), encoder)
            return
        fresh: list[Encoder] = []

        def stored(folder: Path) -> caches.Facts:
            facts = write(folder)
            writing.write(folder / ENCODER, encoder.state())
            fresh.append(encoder)
            return facts

        made_of = [
            caches.names_of(store.facts),
            store.facts["strings"],
            [list(labels), column],
            caches.digest_of(writing.as_bytes(encoder.state()).hex()),
        ]
        path, facts = self.cache.entry("rows", made_of, stored)
        known = fresh[0] if fresh else Encoder.from_state(reading.read(path / ENCODER, verify=True))
        yield RowStore(store, path, facts, known)


@contextlib.contextmanager
def on_disk(max_memory: Any, cache: Any, progress: Any = None) -> Iterator[Disk]:
    """Open a training out of core: with this much memory, and its data in this folder.

    progress   True for lines about it, or a function (what, tokens done, tokens in all or None)
    """
    limit = available() if max_memory is None else bytes_of(max_memory)
    with unchanged(), caches.opened(cache) as folder:
        yield Disk(folder, limit, announcer(progress))


def _whole(blocks: Any, facts: caches.Facts) -> caches.Facts:
    if not facts["tokens"]:
        raise ShapeError(
            f"X has {facts['sentences']} sentences and no token at all, so there is nothing to learn from"
        )
    return {**facts, "whole": bool(getattr(blocks, "whole", False))}


def _has_code(features: Any) -> bool:
    return not (features is None or isinstance(features, Template))


def label_column(column: str | None) -> str:
    """Return the column of labels, as a store of columns calls it."""
    return GOLD if column is None else column
