"""CoNLL columns: one token per line, cells separated by tabs, blanks or other characters, blank lines in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from seqlab import _core
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import BLANKS, LINE_ENDS, Format, Options, pieces, shown, strings_of
from seqlab.corpus.origin import Layout
from seqlab.errors import CorpusError


class Conll(Format):
    """CoNLL columns, with names from the user or default names."""

    name = "conll"
    title = "CoNLL columns"
    suffixes = (".conll", ".iob", ".iob2", ".bio", ".tsv")
    weight = 10
    nameless = True
    marks_documents = True

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:
        """Look for tabs, or for lines with equal numbers of cells; an empty file qualifies, too."""
        return not lines or any("\t" in line for line in lines) or _is_regular(lines, blank_lines)

    def __init__(self, options: Options) -> None:
        self._given, self._picks = options.cells()
        self._core = _core.ColumnReader(
            separator=_separator_byte(options.separator),
            width=len(self._given) if self._given and not self._picks else 0,
            picks=self._picks,
            comment=_comment_prefix(comments=options.comments),
            docstart=options.docstart,
            numbered=False,
            longest_line=self.longest_line,
        )
        super().__init__(options, self._core, self._given)
        self._hash = False  # True if the file begins with #, so that lines with # are tokens

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""
        if not self.reader.lines and not self.options.comments:
            self._hash = block[:1000].lstrip().startswith(b"#")
        super().feed(block, end)

    def _layout(self) -> Layout:
        return replace(super()._layout(), separator=chr(self._core.separator or 9))

    def fault(self, kind: str, text: bytes, number: int) -> str:
        """Describe an error in a line."""
        if kind == "columns":
            return self._other_width(text, number)
        if kind == "too_wide":
            guess = "; the format was guessed, pass format=... if it is another"
            return (
                f"{number} columns in {shown(text)}, but one token a line is wanted; pass format='text' for one "
                f"sentence a line, or name the columns with columns=...{guess if self.options.guessed else ''}"
            )
        if kind == "empty_cell":
            return (
                f"the word is empty in {shown(text)}; put a word there, or pass separator=' ' if blanks of any number "
                f"separate the columns"
            )
        return super().fault(kind, text, number)

    def _other_width(self, text: bytes, number: int) -> str:
        found = f"found {number} in {shown(text)}"
        if self._picks:
            least = max(0, *(pick + 1 for pick in self._picks)) + max(0, *(-pick for pick in self._picks))
            return f"at least {least} columns expected, {found}; pass other columns=..., or mend the line"
        if self._given:
            return (
                f"{self._core.width} columns expected ({', '.join(self._given)}), {found}; "
                f"pass columns=... with one name per column if the file is laid out differently"
            )
        hint = "mend the line, or pass columns={'word': 0, 'label': -1} to pick cells"
        if self._hash or text.startswith(b"#"):
            hint = "pass comments=True if lines that begin with # are comments, or mend the line"
        elif self.options.guessed:
            hint += "; the format was guessed to be 'conll', pass format=... if it is another"
        return f"{self._core.width} columns expected like in the lines before, {found}; {hint}"

    @classmethod
    def has_place(cls, label: str | None) -> bool:  # noqa: ARG003
        """Return True: any column can be added."""
        return True

    @classmethod
    def labelled(
        cls,
        corpus: Corpus,
        name: str,
        label: str | None,  # noqa: ARG003
        labels: Collection[str] = (),  # noqa: ARG003
    ) -> Corpus:
        """Keep columns of strings; of CoNLL-U only the words."""
        strings = strings_of(corpus)
        if corpus.layout.format == "conllu":
            return corpus.select(strings[0], name)
        return corpus.select(*(one for one in corpus.columns if one in strings))

    @classmethod
    def document_lines(cls, name: str, width: int) -> tuple[str, ...]:
        """Return a line -DOCSTART- and an empty one."""
        cells = [f"({name})"] if name else ["-X-"] * (width - 2) + ["O"] * (width > 1)
        return " ".join(["-DOCSTART-", *cells]), ""

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write columns with the separator of the layout."""
        chosen = [corpus.strings(name) for name in corpus.columns]
        separator = layout.separator
        forbidden = LINE_ENDS + separator + (BLANKS if separator == " " or len(chosen) == 1 else "")
        for place, name in enumerate(corpus.columns):
            cls.refuse_cells(corpus, name, forbidden, empty=place == 0 or separator == " ")
        sheet = cls.sheet(corpus, chosen, layout)
        return (sheet.columns(separator, begin, end) for begin, end in pieces(corpus))


FORMAT = Conll


def _is_regular(lines: Sequence[str], blank_lines: bool) -> bool:  # noqa: FBT001
    """Return True if most lines have the same small number of cells; half of them if there are blank lines."""
    widths = Counter(len(line.split()) for line in lines)
    width, count = max(widths.items(), key=itemgetter(1))
    enough = 2 * count >= len(lines) if blank_lines else 2 * count > len(lines)
    return enough and width <= 20 and (len(lines) > 1 or width <= 4)


def _separator_byte(separator: str | None) -> int:
    """Check the byte between cells; 0 when the first line decides."""
    if separator is None:
        return 0
    one = isinstance(separator, str) and len(separator) == 1 and separator not in "\r\n"
    if not one or not 0 < ord(separator) < 128:
        raise CorpusError(
            f"separator must be '\\t', ' ' for any number of blanks, or another ASCII character, got {separator!r}"
        )
    return ord(separator)


def _comment_prefix(*, comments: bool | str) -> str:
    """Check the prefix of comment lines; "" when there are none."""
    if isinstance(comments, str) and "\n" not in comments and comments:
        return comments
    if isinstance(comments, bool):
        return "#" if comments else ""
    raise CorpusError(f"comments must be True, False, or what comment lines begin with, got {comments!r}")
