"""Stream corpora from several files, which may be larger than memory together."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import Columns, by_suffix
from seqlab.corpus.io.reader import CHUNK, Stream, stream
from seqlab.corpus.sentence import Sentence
from seqlab.errors import CorpusError, OptionError, Place

Sources = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def stream_corpus(
    source: Sources,
    format: str | None = None,  # noqa: A002
    columns: Columns = None,
    *,
    separator: str | None = None,
    comments: bool | str = False,
    docstart: bool = True,
    missing: str | None = None,
    sequence: str | None = None,
    encoding: str = "utf-8",
    block: int = CHUNK,
) -> CorpusStream:
    """Stream the sentences of one or several files, in the order of their names; a block of one is in memory.

    source   a path, a pattern such as "part-*.txt.gz", or a list of these
    block    bytes read at a time; format, columns, separator, comments, docstart, missing, sequence and encoding are
             those of read

    `fit(stream_corpus("part-*.txt.gz"), "label", max_memory="2G", cache="dir")` learns from files larger than memory.
    """
    paths = _paths(source)
    given: dict[str, Any] = {
        "separator": separator,
        "comments": comments,
        "docstart": docstart,
        "missing": missing,
        "sequence": sequence,
        "encoding": encoding,
    }
    parts = tuple(stream(path, format, columns, block=block, **given) for path in paths)
    named = columns if columns is None or isinstance(columns, str) else repr(columns)
    # A format that is guessed may depend on the name of the file, not on its bytes alone.
    kinds = [[kind.name for kind in by_suffix(path)] for path in paths] if format is None else format
    return CorpusStream(paths, parts, repr((kinds, named, sorted(given.items(), key=lambda pair: pair[0]))))


def _paths(source: Any) -> tuple[str, ...]:
    several = (
        list(source) if isinstance(source, Iterable) and not isinstance(source, (str, bytes)) else [source]
    )
    found: list[str] = []
    for one in several:
        if not isinstance(one, (str, os.PathLike)) or not isinstance(os.fspath(one), str):
            raise OptionError(
                f"a path, a pattern such as 'part-*.txt.gz' or a list of these is wanted, got {one!r:.80}"
            )
        path = os.fspath(one)
        if glob.has_magic(path) and not os.path.exists(path):  # noqa: PTH110
            matched = sorted(glob.glob(path))  # noqa: PTH207
            if not matched:
                where = os.getcwd()  # noqa: PTH109
                raise CorpusError(f"no file matches {path!r:.200}; looked from {where}", path=path)
            found += matched
        else:
            found.append(path)
    if not found:
        raise CorpusError("the list of files is empty, but at least one is wanted")
    return tuple(found)


@dataclass(frozen=True, eq=False, repr=False)
class CorpusStream:
    """Sentences of several files: iterate over it, or over its blocks(); each iteration opens the files again.

    files      their paths, in order
    options    how they are read, as text: two streams of equal files and options have equal sentences
    """

    files: tuple[str, ...]
    _parts: tuple[Stream, ...]
    options: str
    _only: tuple[str, ...] = ()

    @property
    def regular(self) -> bool:
        """True if every file can be read again."""
        return all(os.path.isfile(path) for path in self.files)  # noqa: PTH113

    @property
    def share(self) -> float:
        """The share of the bytes of all files that the last iteration over blocks() has read."""
        done = total = 0
        for path, part in zip(self.files, self._parts, strict=True):
            size = os.path.getsize(path)  # noqa: PTH202
            total += size
            try:
                done += 0 if part.position is None else min(part.position(), size)
            except ValueError:  # closed
                done += size
        return done / total if total else 1.0

    def select(self, *names: str) -> CorpusStream:
        """Stream the columns of these names only."""
        return replace(self, _only=names, options=f"{self.options} {names!r}")

    def __iter__(self) -> Iterator[Sentence]:
        return itertools.chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[Corpus]:
        """Yield corpora of some thousand sentences, each with its own strings; all have the same columns."""
        first: tuple[str, ...] | None = None
        for part in self._parts:
            part.position = None
        for path, part in zip(self.files, self._parts, strict=True):
            for corpus in part.blocks():
                if first is None:
                    first = corpus.columns
                elif corpus.columns != first:
                    raise CorpusError(
                        f"the columns are {', '.join(map(repr, corpus.columns))}, but those of {self.files[0]!r} are "
                        f"{', '.join(map(repr, first))}; name them with columns=",
                        place=Place(path=path),
                    )
                yield corpus.select(*self._only) if self._only else corpus

    def __repr__(self) -> str:
        more = f", and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"CorpusStream({self.files[0]!r}{more})"
