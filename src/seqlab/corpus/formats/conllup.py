"""CoNLL-U Plus: as CoNLL-U, with the columns that the first line names.

# global.columns = ID FORM UPOS PARSEME:MWE
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import CONLLU
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import LINE_ENDS, Format, Options, pieces, shown
from seqlab.corpus.formats.conllu import Conllu, ids
from seqlab.corpus.origin import Extras, Layout
from seqlab.errors import CorpusError, Place

HEADER = re.compile(r"\A#\s*global\.columns\s*=\s*(.*)")
NAMES = {"form": "word"}  # ours for theirs
THEIRS = {ours: theirs for theirs, ours in NAMES.items()}


class ConlluPlus(Format):
    """Columns with names, and numbered tokens where one of them is ID."""

    name = "conllup"
    title = "CoNLL-U Plus"
    suffixes = (".conllup", ".conllu")
    weight = 60
    mark = "_"
    marks_documents = True
    has_header = True
    sign = HEADER

    def __init__(self, options: Options) -> None:
        self._columns_reader = _PlusReader(options, self.longest_line)
        super().__init__(options, self._columns_reader)  # type: ignore[arg-type]

    def feed(self, block: bytes, end: int) -> None:
        """Read block[:end], which holds whole lines."""
        super().feed(block, end)
        self.names = self._columns_reader.names

    def fault(self, kind: str, text: bytes, number: int) -> str:
        """Describe an error in a line."""
        named = self._columns_reader.header
        if kind == "columns":
            return f"{len(named)} columns expected ({' '.join(named)}), found {number} in {shown(text)}"
        if kind == "empty_cell":
            return f"column {number + 1} is empty in {shown(text)}; CoNLL-U Plus writes _ for nothing"
        if kind == "bad_id":
            came = shown(text.partition(b"\t")[0])
            return f"the id is {came}, but {number} was wanted: ids count from 1 in every sentence"
        return super().fault(kind, text, number)

    @classmethod
    def has_place(cls, label: str | None) -> bool:  # noqa: ARG003
        """Return True: any column can be added."""
        return True

    @classmethod
    def document_lines(cls, name: str, width: int) -> tuple[str, ...]:
        """Return a comment "# newdoc"."""
        return Conllu.document_lines(name, width)

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write a line with the names of the columns, then the tokens."""
        names, columns = list(corpus.columns), [corpus.strings(name) for name in corpus.columns]
        for name in names:
            cls.refuse_cells(corpus, name, LINE_ENDS + "\t")
            if any(c.isspace() for c in name):
                raise CorpusError(f"CoNLL-U Plus cannot hold a column {name!r:.60}: names have no blanks")
        if "id" not in names:
            names, columns = ["id", *names], [ids(corpus), *columns]
        sheet = cls.sheet(_without_header(corpus), columns, layout)
        header = f"# global.columns = {' '.join(map(_theirs, names))}{layout.newline}".encode()
        return _after(header, (sheet.columns("\t", begin, end) for begin, end in pieces(corpus)))


FORMAT = ConlluPlus


def _theirs(name: str) -> str:
    known = THEIRS.get(name, name)
    return known.upper() if known in CONLLU or name in THEIRS else known


def _after(header: bytes, parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        yield header + part
        header = b""


def _without_header(corpus: Corpus) -> Corpus:
    """Return the corpus without the line of the names, which may be others by now."""
    extras = corpus.extras
    texts = extras.pool.strings() if len(extras) else []
    heads = np.array(
        [*(bool(HEADER.match(text)) for text in texts), False]
    )  # the last for a line that is absent
    if not heads.any():
        return corpus
    kept = ~heads[extras.codes]
    fewer = Extras(extras.sentence[kept], extras.position[kept], extras.codes[kept], extras.pool)
    columns = {name: corpus.data(name) for name in corpus.columns}
    return Corpus(columns, corpus.offsets, extras=fewer, layout=corpus.layout, origin=corpus.origin)


class _PlusReader:
    """A native reader that is made when the first line is known."""

    def __init__(self, options: Options, longest: int) -> None:
        self._options, self._longest = options, longest
        self._core: Any = None
        self.header: tuple[str, ...] = ()
        self.names: tuple[str, ...] | None = None
        self.lines = self.first_crlf = self.crlf_lines = 0
        self.ends_in_newline = True

    def feed(self, block: bytes, begin: int, end: int) -> Any:
        """Read block[begin:end], which holds whole lines."""
        if self._core is None:
            self._begin(block[begin:end].partition(b"\n")[0])
        found = self._core.feed(block, begin, end)
        for name in ("lines", "first_crlf", "crlf_lines", "ends_in_newline"):
            setattr(self, name, getattr(self._core, name))
        return found

    def _begin(self, line: bytes) -> None:
        found = HEADER.match(line.decode("utf-8", "replace").rstrip("\r"))
        self.header = tuple(found[1].split()) if found else ()
        if not self.header:
            self.lines = 1
            raise CorpusError(
                f"CoNLL-U Plus begins with # global.columns = ID FORM ..., found {shown(line)}",
                place=Place(path=self._options.name, line=1),
            )
        known = {one.lower() for one in CONLLU} | set(NAMES)
        ours = [NAMES.get(one.lower(), one.lower()) if one.lower() in known else one for one in self.header]
        given, picks = self._options.cells()
        if given is not None and not picks:
            strange = next((name for name in given if name not in ours), None)
            if strange is not None and len(given) != len(ours):
                raise CorpusError(f"there is no column {strange!r}: the columns are {', '.join(ours)}")
            picks = [] if strange is not None else [ours.index(name) for name in given]
        self.names = tuple(ours) if given is None else given
        self._core = _core.ColumnReader(
            separator=9,
            width=len(ours),
            picks=picks,
            comment="#",
            docstart=False,
            numbered=ours[0] == "id",
            longest_line=self._longest,
        )

    def finish(self) -> None:
        """End the last sentence."""
        if self._core is not None:
            self._core.finish()

    def take(self) -> Any:
        """Return the sentences read so far."""
        if self._core is not None:
            return self._core.take()
        nothing = np.zeros(0, dtype=np.int64)
        extras = (nothing, nothing, np.zeros(0, dtype=np.int32), _core.StringPool())
        return [], np.zeros(1, dtype=np.int64), nothing, extras
