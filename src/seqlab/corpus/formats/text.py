"""Plain text: one sentence per line, blanks between words."""

from __future__ import annotations

from collections.abc import Iterator

from seqlab import _core
from seqlab.corpus.columns import resolve
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import BLANKS, LINE_ENDS, SENTENCE_LINE, Format, Options, pieces
from seqlab.corpus.origin import Layout


class Text(Format):
    """Words only."""

    name = "text"
    title = "text"
    line_is_sentence = True
    weight = 1  # the format of last resort
    longest_line = SENTENCE_LINE
    separator = " "
    nameless = True

    def __init__(self, options: Options) -> None:
        reader = _core.LineReader(tagged=False, longest_line=self.longest_line)
        super().__init__(options, reader, options.fixed_names(self.name, ("word",)))

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write the words, one sentence per line."""
        word = resolve("word", corpus.columns) if len(corpus.columns) > 1 else corpus.columns[0]
        cls.refuse_cells(corpus, word, LINE_ENDS + BLANKS)
        sheet = cls.sheet(corpus, [corpus.strings(word)], layout)
        return (sheet.text(False, begin, end) for begin, end in pieces(corpus))


FORMAT = Text
