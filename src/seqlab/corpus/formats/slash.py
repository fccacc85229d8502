"""Text as word/TAG, one sentence per line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from seqlab import _core
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import (
    BLANKS,
    LINE_ENDS,
    SENTENCE_LINE,
    Format,
    Options,
    pieces,
    shown,
    strings_of,
)
from seqlab.corpus.origin import Layout
from seqlab.errors import CorpusError


class Slash(Format):
    """Words with one tag each."""

    name = "slash"
    title = "word/TAG"
    line_is_sentence = True
    weight = 30
    sign = re.compile(r"\S/\S")
    longest_line = SENTENCE_LINE
    separator = " "
    nameless = True

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:  # noqa: ARG003
        """Look for a slash inside nearly every token, and for lines with several tokens."""
        if 2 * sum("\t" in line.strip() for line in lines) > len(lines):
            return False  # tab-separated columns, in which words may contain slashes
        tokens = [token for line in lines for token in line.split()]
        inside = sum("/" in token[1:-1] for token in tokens)
        return 4 * inside >= 3 * len(tokens) and (len(tokens) > len(lines) or len(lines) == 1)

    def __init__(self, options: Options) -> None:
        self._core = _core.LineReader(tagged=True, longest_line=self.longest_line)
        super().__init__(options, self._core, options.fixed_names(self.name, ("word", "label")))

    def _layout(self) -> Layout:
        return replace(super()._layout(), escaped=self._core.escaped)

    def fault(self, kind: str, text: bytes, number: int) -> str:
        """Describe an error in a line."""
        if kind == "no_tag":
            token = [part for part in re.split(rb"[ \t\r]", text) if part][number]
            guess = "the format was guessed, pass format='text' for plain text"
            hint = guess if self.options.guessed else "add its tag"
            return f"token {number + 1} is {shown(token)}, but word/TAG was wanted; {hint}"
        return super().fault(kind, text, number)

    @classmethod
    def labelled(
        cls,
        corpus: Corpus,
        name: str,
        label: str | None,  # noqa: ARG003
        labels: Collection[str] = (),  # noqa: ARG003
    ) -> Corpus:
        """Keep words and labels."""
        return corpus.select(strings_of(corpus)[0], name)

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write two columns, one sentence per line."""
        if len(corpus.columns) != 2:
            raise CorpusError(
                f"word/TAG holds two columns, but the corpus has {len(corpus.columns)} ({' '.join(corpus.columns)}); "
                f"pass columns=('word', 'pos') or other two"
            )
        for name in corpus.columns:
            cls.refuse_cells(corpus, name, LINE_ENDS + BLANKS, backslash=True)
        sheet = cls.sheet(corpus, [corpus.strings(name) for name in corpus.columns], layout)
        return (sheet.text(layout.escaped, begin, end) for begin, end in pieces(corpus))


FORMAT = Slash
