"""`seqlab tag` of one short input: done before NumPy would be imported, which takes longer than all the rest.

The bytes are those of the usual way, whose readers are used here, too. Whatever is not plain (options, models, lines
that are no tokens, doubts, mistakes) is left to the usual way: None says so.
"""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import IO, Any

from seqlab.cli.inputs import names_of_training, newly_named, one_line_of_cells
from seqlab.corpus.intake import in_blocks
from seqlab.corpus.options import Options
from seqlab.corpus.parsers import ColumnParser, FewSentences, LineParser
from seqlab.errors import OptionError
from seqlab.families.linear.glance import ALL_TOKENS, ODD, TOKENS
from seqlab.families.linear.peeked import Peeked, peeked
from seqlab.threads import thread_count

SHORT = 1 << 13  # bytes; more usually has more tokens than a glance looks at
# Options that change nothing of what is written, or are heeded here; all others must be as they are when not given.
HARMLESS = frozenset(
    ("command", "model", "files", "output", "sentence", "threads", "quiet", "format", "columns")
)
BETWEEN_CELLS = frozenset(" \t\n\r\0")  # a label that has one of these may not fit between the others
NOT_TEXT = (b"\r", b"\0", b"\x1f\x8b")  # line ends of other systems, binary files, gzip


def short_model(arguments: argparse.Namespace, sources: list[Any]) -> Peeked | None:
    """The model, if a short input may be all that is asked of it; nothing is read of the input."""
    given = [name for name, value in vars(arguments).items() if value not in (None, False)]
    if not HARMLESS.issuperset(given) or len(sources) != 1 or arguments.model == "-":
        return None
    if not _may_be_short(sources[0]) or not _threads_sound(arguments.threads):
        return None
    return peeked(arguments.model)


def short_answer(model: Peeked | None, arguments: argparse.Namespace, sources: list[Any]) -> bytes | None:
    """What `seqlab tag` writes, if that is found at a glance.

    model     what short_model() gave
    sources   what is to be read; in the place of standard input comes a stream that begins with what was read of it
    """
    data = None if model is None else _bytes_of(sources)
    if model is None or data is None:
        return None
    try:
        return b"".join(_labelled(model, data, arguments))
    except (_Unusual, *ODD):
        return None


class _Unusual(Exception):  # noqa: N818  (no error: the usual way knows what to do)
    """Something for the usual way."""


def _threads_sound(threads: int | None) -> bool:
    """A glance needs no threads, but a number of them that makes no sense is complained about."""
    try:
        thread_count(threads)
    except OptionError:
        return False
    return True


# ------------------------------------------------------------------------------------------------ bytes in


class _Resumed:
    """A stream whose first bytes have been read; who reads on gets as many at once as there are."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest
        self.name = "<stdin>"

    def read(self, size: int) -> bytes | None:
        part, self._head = self._head[:size], self._head[size:]
        if len(part) == size:
            return part
        more: bytes | None = self._rest.read(size - len(part))
        return part or None if more is None else part + more  # None: there is nothing yet, and nobody waits


def _may_be_short(source: Any) -> bool:
    """--sentence, standard input that no one types, or a small file."""
    if not isinstance(source, str):
        return True
    if source == "-":
        return hasattr(sys.stdin, "buffer") and not sys.stdin.isatty()
    if source.endswith(".gz") or source in ("demo:train", "demo:test"):
        return False
    try:
        found = os.stat(source)  # noqa: PTH116  (pathlib is slow to import)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= SHORT


def _bytes_of(sources: list[Any]) -> io.BytesIO | None:
    """All that there is to read, with the name of where it comes from; None when it is much, or no plain text."""
    source, ended = sources[0], True
    try:
        if not isinstance(source, str):
            name, data = source.name, source.getvalue()
        elif source == "-":
            name, (data, ended) = "<stdin>", _beginning(sys.stdin.buffer)
            sources[0] = _Resumed(data, sys.stdin.buffer)
        else:
            with open(source, "rb") as file:  # noqa: PTH123  (pathlib is slow to import)
                name, (data, ended) = source, _beginning(file)
    except OSError:
        return None
    if not ended or any(odd in data for odd in NOT_TEXT):
        return None
    held = io.BytesIO(data)
    held.name = name
    return held


def _beginning(stream: IO[bytes]) -> tuple[bytes, bool]:
    """The first bytes, and whether there are no others; a pipe that does not wait for them gives None."""
    data = b""
    more: bytes | None = b" "
    while more and len(data) <= SHORT:
        more = stream.read(SHORT + 1 - len(data))
        data += more or b""
    return data, more == b""


# ------------------------------------------------------------------------------------------------ blocks, labelled


def _labelled(model: Peeked, data: io.BytesIO, arguments: argparse.Namespace) -> Iterator[bytes]:
    """Block after block, as tag_blocks.tagged() does it."""
    tokens = 0
    for number, (few, form) in enumerate(_blocks(data, arguments)):
        count = few.offsets[-1]
        tokens += count
        if count > TOKENS or tokens > ALL_TOKENS:
            raise _Unusual
        names = list(few.columns)
        if arguments.columns is None:
            names = names_of_training(tuple(few.columns), model.columns, model.column or "label")
            if number == 0 and arguments.format is None and _doubtful(few, names, form, model):
                raise _Unusual
        columns = dict(zip(names, few.columns.values(), strict=True))
        if len(columns) < len(names) or "attributes" in model.columns:
            raise _Unusual
        ids = model.glance.label_ids(_sentences(columns, few.offsets))
        if ids is None:
            raise _Unusual
        yield _rendered(few, [model.labels[i] for i in ids], form)
    if not tokens:
        raise _Unusual


def _blocks(data: io.BytesIO, arguments: argparse.Namespace) -> Iterator[tuple[FewSentences, str]]:
    """The sentences as corpus.stream() reads them, and their format."""
    for intake in in_blocks(data, Options(arguments.format, arguments.columns)):
        parser = intake.parser
        if not isinstance(parser, (ColumnParser, LineParser)) or intake.remarks:
            raise _Unusual
        few = parser.take_few()
        if few is not None:
            yield few, "conll" if isinstance(parser, ColumnParser) else "text"


def _sentences(columns: dict[str, list[str]], offsets: list[int]) -> Iterator[dict[str, list[str]]]:
    for first, last in pairwise(offsets):
        yield {name: cells[first:last] for name, cells in columns.items()}


def _doubtful(few: FewSentences, names: list[str], form: str, model: Peeked) -> bool:
    """Whether inputs.doubts() might have a word to say."""
    there, cells = list(few.columns), list(few.columns.values())
    taken = newly_named(there, names, model.columns) is not None and set(cells[-1]) <= set(model.labels)
    return taken or "upos" in there or one_line_of_cells(form, few.offsets[-1], len(there))


# ------------------------------------------------------------------------------------------------ bytes out


def _rendered(few: FewSentences, labels: list[str], form: str) -> bytes:
    """The lines with one cell more, as tag_blocks.written() has them; other formats become columns between tabs."""
    columns = form == "conll"
    if any(not label or set(label) & BETWEEN_CELLS for label in set(labels)):
        raise _Unusual
    if columns:
        _refuse_other_lines(few)
    separator = few.separator if columns else "\t"
    lines = [separator.join(cells) + "\n" for cells in zip(*few.columns.values(), labels, strict=True)]
    sentences = ["".join(lines[first:last]) for first, last in pairwise(few.offsets)]
    text = "\n".join(sentences)
    if not (columns and few.extras):  # what the reader remembers of a file without a blank line at its end
        text += "\n"
    if columns and not few.final_newline:
        text = text.removesuffix("\n")
    return text.encode()


def _refuse_other_lines(few: FewSentences) -> None:
    """Lines that are no tokens, but for the end of the file after the last sentence, and words that are blank."""
    sentences, length = len(few.offsets) - 1, few.offsets[-1] - few.offsets[-2]
    words = next(iter(few.columns.values()))
    if few.extras not in ([], [(sentences - 1, length + 1, None)]) or not all(map(str.strip, words)):
        raise _Unusual
