"""The formats by name."""

from __future__ import annotations

from collections.abc import Callable

from seqlab.corpus.options import Options
from seqlab.corpus.parsers import AttributeParser, ColumnParser, ConlluParser, LineParser, Parser


def _json_parser(options: Options) -> Parser:
    from seqlab.corpus.jsonl import JsonParser

    return JsonParser(options)


PARSERS: dict[str, Callable[[Options], Parser]] = {
    "conll": ColumnParser,
    "conllu": ConlluParser,
    "slash": LineParser,
    "text": LineParser,
    "jsonl": _json_parser,
    "crfsuite": AttributeParser,
}
