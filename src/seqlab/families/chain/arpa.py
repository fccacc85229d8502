"""n-gram models as ARPA files, a common format of language models."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.io.reader import BOM, CHUNK, opened
from seqlab.corpus.io.writer import opened_target
from seqlab.errors import CorpusError, Place
from seqlab.families.chain.ngrams import MOST_ORDER, NgramModel, Symbols
from seqlab.tagging.transitions import END, START

UNKNOWN = ("<unk>", "<UNK>")
_SPACE = re.compile(r"[\0\t\n\v\f\r ]")

_TROUBLES = {
    "no data": "there is no line \\data\\, with which an ARPA file begins; is it the right file?",
    "count line": "found {text!r}, but a line such as 'ngram 1=5000' is wanted, lengths from 1 up without a gap",
    "no counts": "found {text!r} after \\data\\, but lines such as 'ngram 1=5000' are wanted",
    "too long": "found {text!r}, but n-grams of at most {longest} words are wanted (order {order})",
    "header": "found {text!r}, but the heading of the next n-grams or \\end\\ is wanted",
    "how many": "the section ended after a wrong number of {text} that \\data\\ promised; is the file complete?",
    "fields": "a log-probability, {text} words and at most one back-off weight are wanted, separated by white space",
    "number": "found {text!r} where a number is wanted",
    "positive": "the log-probability {text} is above 0, which no probability has",
    "stranger": "the word {text!r} is not among the 1-grams",
    "prefix": "the first {text} words of this n-gram are no {text}-gram of the file",
    "twice": "this n-gram stands here for the second time",
    "no end": "the file ends without a line \\end\\; is it complete?",
    "utf8": "the word is not sound UTF-8; convert the file first",
}


def write_arpa(model: NgramModel, target: Any) -> None:
    """Write a model to a file, atomically and compressed for .gz, or to a stream.

    Backing off as such files say gives the probabilities of the model after every history that begins a sentence or
    has its full length.
    """
    for name in model.symbols.all_words:
        if not name or _SPACE.search(name):
            raise CorpusError(
                f"the symbol {name!r:.80} cannot stand in an ARPA file, which separates words by white space; "
                f"replace its white space before training"
            )
    text = model.table.arpa(model.symbols.pool)
    with opened_target(target) as put:
        put(text)


def read_arpa(source: Any) -> NgramModel:
    """Read a model; errors name the line."""
    with opened(source) as given:
        text, name = b"".join(iter(lambda: given.read(CHUNK), b"")), given.name
    file = _made(_core.read_arpa(text.removeprefix(BOM), MOST_ORDER + 1), name)
    words: list[str] = file.words.strings()
    known = frozenset(words)
    for special, edge in ((START, "start"), (END, "end")):
        if special not in known:
            raise CorpusError(
                f"the 1-grams have no {special}, which stands for the {edge} of a sentence; "
                f"is it a language model of sentences?",
                place=Place(path=name),
            )
    unknown = next((one for one in UNKNOWN if one in known), None)
    symbols = Symbols.of([word for word in words if word not in {START, END, unknown}], unknown, end=True)
    numbers = np.array(_core.translate(file.words, symbols.pool), dtype=np.int32)
    return NgramModel(symbols, _made(file.table(numbers, len(symbols.names)), name))


def _made(answer: tuple[Any, str, int, str], name: str) -> Any:
    found, trouble, line, text = answer
    if found is None:
        said = _TROUBLES[trouble].format(text=text, longest=MOST_ORDER + 1, order=MOST_ORDER)
        raise CorpusError(said, place=Place(path=name, line=line))
    return found
