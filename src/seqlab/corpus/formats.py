"""The formats by name."""

from __future__ import annotations

from collections.abc import Callable

from seqlab.corpus.jsonl import JsonParser
from seqlab.corpus.options import Options
from seqlab.corpus.parsers import AttributeParser, ColumnParser, ConlluParser, LineParser, Parser

PARSERS: dict[str, Callable[[Options], Parser]] = {
    "conll": ColumnParser,
    "conllu": ConlluParser,
    "slash": LineParser,
    "text": LineParser,
    "jsonl": JsonParser,
    "crfsuite": AttributeParser,
}
