"""CoNLL-U: ten columns, numbered tokens; comments, ranges and empty nodes are kept as extra lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import CONLLU, StringColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import LINE_ENDS, Format, Options, pieces, shown
from seqlab.corpus.formats.conll import Conll
from seqlab.corpus.origin import Layout
from seqlab.errors import CorpusError

OTHER_NAMES = {"form": "word", "pos": "upos"}
UPOS = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split()  # noqa: SIM905
)


class Conllu(Format):
    """The ten columns of Universal Dependencies."""

    name = "conllu"
    title = "CoNLL-U"
    suffixes = (".conllu", *Conll.suffixes)  # treebanks often have file names of column formats
    weight = 40
    mark = "_"
    marks_documents = True
    # After comments, if any: ten cells between tabs, the first of them a number.
    sign = re.compile(r"\A(?:#.*\n)*\d+(?:[-.][^\t\n]*)?(?:\t[^\t\n]*){9}$", re.MULTILINE)

    def __init__(self, options: Options) -> None:
        names, picks = _cells(options)
        core = _core.ColumnReader(
            separator=9,
            width=len(CONLLU),
            picks=picks,
            comment="#",
            docstart=False,
            numbered=True,
            longest_line=self.longest_line,
        )
        super().__init__(options, core, names)

    def fault(self, kind: str, text: bytes, number: int) -> str:
        """Describe an error in a line."""
        if kind == "columns":
            hint = "pass format='conll', comments=True if this is not CoNLL-U"
            hint = hint if b"\t" in text else "columns of CoNLL-U are separated by tabs"
            return f"{len(CONLLU)} columns expected ({', '.join(CONLLU)}), found {number} in {shown(text)}; {hint}"
        if kind == "empty_cell":
            which = f"column {number + 1} ({CONLLU[number]})"
            return f"{which} is empty in {shown(text)}; CoNLL-U writes _ for nothing"
        if kind == "bad_id":
            came = shown(text.partition(b"\t")[0])
            return (
                f"the id is {came}, but {number} was wanted (or a range like {number}-{number + 1}, or an empty node "
                f"like {number - 1}.1); ids count from 1 in every sentence, and a blank line ends a sentence"
            )
        return super().fault(kind, text, number)

    @classmethod
    def has_place(cls, label: str | None) -> bool:
        """Return True if the label is a column of CoNLL-U."""
        return label in CONLLU

    @classmethod
    def labelled(cls, corpus: Corpus, name: str, label: str | None, labels: Collection[str] = ()) -> Corpus:
        """Put the labels into the label column of training; if CoNLL-U has none of that name, into upos or misc.

        upos takes universal tags only. Without `labels` the values are more than labels, such as label:probability, and
        go to misc.
        """
        place = "misc"
        if labels and (label in CONLLU or UPOS.issuperset(labels)):
            place = label if label in CONLLU else "upos"
        values: Any = corpus.data(name)
        if place == "misc":
            values = _misc(corpus, (label or "label").capitalize(), name)
        kept = [one for one in corpus.columns if OTHER_NAMES.get(one, one) in {*CONLLU} - {place}]
        return corpus.with_column(place, values).select(*kept, place)

    @classmethod
    def document_lines(cls, name: str, width: int) -> tuple[str, ...]:  # noqa: ARG003
        """Return a comment "# newdoc"."""
        return (f"# newdoc id = {name}" if name else "# newdoc",)

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write ten columns; missing ids are counted, and missing columns are _."""
        there = _places(corpus)
        for name in there.values():
            cls.refuse_cells(corpus, name, LINE_ENDS + "\t")
        nothing = _core.StringPool()
        nothing.intern("_")
        blank = StringColumn(np.zeros(corpus.token_count, dtype=np.int32), nothing)
        chosen = [corpus.strings(there[name]) if name in there else blank for name in CONLLU]
        if "id" not in there:
            chosen[0] = ids(corpus)
        sheet = cls.sheet(corpus, chosen, layout)
        return (sheet.columns("\t", begin, end) for begin, end in pieces(corpus))


FORMAT = Conllu


def _cells(options: Options) -> tuple[tuple[str, ...], list[int]]:
    """Choose names and cells; names of CoNLL-U columns also select cells."""
    names, picks = options.cells()
    if names is None:
        return CONLLU, []
    outside = [pick for pick in picks if not -len(CONLLU) <= pick < len(CONLLU)]
    if outside:
        raise CorpusError(f"columns= picks cell {outside[0]}, but CoNLL-U has cells 0 to {len(CONLLU) - 1}")
    places = {name: CONLLU.index(OTHER_NAMES.get(name, name)) for name in (*CONLLU, *OTHER_NAMES)}
    if picks or (len(names) == len(CONLLU) and not set(names) <= set(places)):
        return names, picks
    strange = next((name for name in names if name not in places), None)
    if strange is not None:
        raise CorpusError(
            f"CoNLL-U has no column {strange!r}: its columns are {', '.join(CONLLU)}; "
            f"pass ten names, some of these, or a mapping like {{{strange!r}: 3}}"
        )
    return names, [places[name] for name in names]


def _misc(corpus: Corpus, key: str, name: str) -> list[list[str]]:
    """Make a MISC column: append key=value, with the value of another column, to the existing contents."""
    there = corpus.column("misc") if "misc" in corpus.columns else None
    made: list[list[str]] = []
    for i, values in enumerate(corpus.column(name)):
        bad = next((t for t, value in enumerate(values) if "|" in value), None)
        if bad is not None:
            raise CorpusError(
                f"MISC of CoNLL-U cannot hold the label {values[bad]!r}, because | stands between its parts; "
                f"choose another format",
                place=corpus.located(i, bad),
            )
        old = ["_"] * len(values) if there is None else there[i]
        pairs = zip(old, values, strict=True)
        made.append([f"{key}={y}" if was == "_" else f"{was}|{key}={y}" for was, y in pairs])
    return made


def _places(corpus: Corpus) -> dict[str, str]:
    """Find the column of the corpus for each column of CoNLL-U that has one."""
    there: dict[str, str] = {}
    for name in corpus.columns:
        goal = OTHER_NAMES.get(name, name)
        if goal not in CONLLU or goal in there:
            raise CorpusError(
                f"CoNLL-U has no place for column {name!r}: its columns are {', '.join(CONLLU)}; "
                f"leave it out with corpus.select(...), or rename it with corpus.rename(...)"
            )
        there[goal] = name
    return there


def ids(corpus: Corpus) -> StringColumn:
    """Number the tokens of each sentence from 1."""
    pool = _core.StringPool()
    for number in range(1, int(corpus.lengths.max(initial=0)) + 1):
        pool.intern(str(number))
    codes = np.arange(corpus.token_count) - np.repeat(corpus.offsets[:-1], corpus.lengths)
    return StringColumn(codes.astype(np.int32), pool)
