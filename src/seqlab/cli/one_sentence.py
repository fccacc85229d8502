"""One sentence, given as text or by its number in a file: what `explain` and `draw` look at."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from seqlab.cli import parsing
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus


def add_sentence(parser: argparse.ArgumentParser) -> None:
    """--sentence, --number."""
    parser.add_argument("-s", "--sentence", metavar="TEXT", help="one sentence, its words between blanks")
    parser.add_argument(
        "--number",
        type=parsing.whole(0),
        default=0,
        metavar="N",
        help="which sentence of the file (default: 0)",
    )


def sentence_of(arguments: argparse.Namespace, tagger: Any) -> tuple[Any, list[str]]:
    """The sentence, its columns named as in training, and its words."""
    from seqlab.cli.inputs import named_for

    if (arguments.sentence is None) == (arguments.file is None):
        raise OptionError("one sentence is wanted: pass --sentence 'The old man', or a file (and --number)")
    corpus = named_for(_read(arguments), tagger, given=arguments.columns is not None)
    if arguments.number >= len(corpus):
        raise OptionError(
            f"--number {arguments.number}: {corpus.name} has the sentences 0 to {len(corpus) - 1}"
        )
    return corpus[arguments.number], _words(corpus, arguments.number)


def _read(arguments: argparse.Namespace) -> Corpus:
    import io

    from seqlab.cli.inputs import read_corpora
    from seqlab.corpus import read

    reading = parsing.reading_of(arguments)
    if arguments.sentence is None:
        return read_corpora([arguments.file], reading)
    if "columns" not in reading:
        reading.setdefault("format", "text")
    text = io.BytesIO(arguments.sentence.encode("utf-8", "surrogateescape") + b"\n")
    text.name = "--sentence"
    return read(text, **reading)


def _words(corpus: Corpus, number: int) -> list[str]:
    from seqlab.tagging.door.sentences import word_column

    name = word_column(corpus)
    sentence = corpus[number]
    return list(map(str, sentence[name])) if name else list(map(str, range(len(sentence))))
