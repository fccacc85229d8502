"""The formats by name."""

from __future__ import annotations

from collections.abc import Callable

from seqlab.corpus.parsers import ColumnParser, ConlluParser, Options, Parser

PARSERS: dict[str, Callable[[Options], Parser]] = {
    "conll": ColumnParser,
    "conllu": ConlluParser,
}
