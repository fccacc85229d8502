"""From corpora to bytes: one renderer per format. Each checks the whole corpus first, then gives piece after piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import BagColumn, StringColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.extras import Extras, Layout
from seqlab.corpus.names import CONLLU, resolve
from seqlab.errors import CorpusError, Place

if TYPE_CHECKING:
    from seqlab.corpus.json_shapes import Shape

PIECE = 50_000  # tokens

LINE_ENDS = "\n\r\0"
BLANKS = " \t"


def columns(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    """CoNLL columns."""
    chosen = [corpus.strings(name) for name in corpus.columns]
    separator = layout.separator
    blanks = separator in BLANKS or len(chosen) == 1
    forbidden = LINE_ENDS + separator + (BLANKS if separator == " " or len(chosen) == 1 else "")
    _refuse_empty_sentences(corpus, "CoNLL columns")
    for place, (name, column) in enumerate(zip(corpus.columns, chosen, strict=True)):
        _refuse(
            corpus,
            name,
            column,
            forbidden,
            "CoNLL columns",
            empty=place == 0 or (blanks and separator == " "),
        )
    sheet = _sheet(corpus, chosen, layout)
    return (sheet.columns(separator, begin, end) for begin, end in _pieces(corpus))


def conllu(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    """CoNLL-U; ids are counted when there are none, and _ stands for columns that are not there."""
    there = _conllu_places(corpus)
    _refuse_empty_sentences(corpus, "CoNLL-U")
    for name in there.values():
        _refuse(corpus, name, corpus.strings(name), LINE_ENDS + "\t", "CoNLL-U", empty=True)
    nothing = _core.StringPool()
    nothing.intern("_")
    blank = StringColumn(np.zeros(corpus.token_count, dtype=np.int32), nothing)
    chosen = [corpus.strings(there[name]) if name in there else blank for name in CONLLU]
    if "id" not in there:
        chosen[0] = _ids(corpus)
    sheet = _sheet(corpus, chosen, layout)
    return (sheet.columns("\t", begin, end) for begin, end in _pieces(corpus))


def _conllu_places(corpus: Corpus) -> dict[str, str]:
    """Column of CoNLL-U -> column of the corpus."""
    there: dict[str, str] = {}
    for name in corpus.columns:
        goal = {"form": "word", "pos": "upos"}.get(name, name)
        if goal not in CONLLU or goal in there:
            raise CorpusError(
                f"CoNLL-U has no place for column {name!r}: its columns are {', '.join(CONLLU)}; "
                f"pass columns=... to leave it out, or rename it"
            )
        there[goal] = name
    return there


def _ids(corpus: Corpus) -> StringColumn:
    longest = int(corpus.lengths.max(initial=0))
    pool = _core.StringPool()
    for number in range(1, longest + 1):
        pool.intern(str(number))
    codes = np.arange(corpus.token_count) - np.repeat(corpus.offsets[:-1], corpus.lengths)
    return StringColumn(codes.astype(np.int32), pool)


def text(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    """One sentence a line: the words alone."""
    word = resolve("word", corpus.columns) if len(corpus.columns) > 1 else corpus.columns[0]
    _refuse_empty_sentences(corpus, "text")
    _refuse(corpus, word, corpus.strings(word), LINE_ENDS + BLANKS, "text", empty=True)
    sheet = _sheet(corpus, [corpus.strings(word)], layout)
    return (sheet.text(False, begin, end) for begin, end in _pieces(corpus))


def slash(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    """word/TAG."""
    if len(corpus.columns) != 2:
        raise CorpusError(
            f"word/TAG holds two columns, but the corpus has {len(corpus.columns)} ({' '.join(corpus.columns)}); "
            f"pass columns=('word', 'pos') or other two"
        )
    _refuse_empty_sentences(corpus, "word/TAG")
    for name in corpus.columns:
        _refuse(
            corpus, name, corpus.strings(name), LINE_ENDS + BLANKS, "word/TAG", empty=True, backslash=True
        )
    sheet = _sheet(corpus, [corpus.strings(name) for name in corpus.columns], layout)
    return (sheet.text(layout.escaped, begin, end) for begin, end in _pieces(corpus))


def crfsuite(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    """CRFsuite's files: a column of labels and one of bags."""
    bags = [name for name in corpus.columns if isinstance(corpus.data(name), BagColumn)]
    labels = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
    if len(bags) != 1 or len(labels) != 1:
        raise CorpusError(
            f"a CRFsuite file holds one column of labels and one of attributes, but the corpus has "
            f"{' '.join(corpus.columns)}; pass columns=('label', 'attributes')"
        )
    bag, label = corpus.data(bags[0]), corpus.strings(labels[0])
    assert isinstance(bag, BagColumn)  # noqa: S101  # chosen so above
    _refuse_empty_sentences(corpus, "a CRFsuite file")
    _refuse(corpus, labels[0], label, LINE_ENDS + "\t", "a CRFsuite file", empty=True, at_sign=True)
    _refuse_attributes(corpus, bags[0], bag)
    sheet = _sheet(corpus, [label], layout)
    arrays = (bag.indptr, bag.codes, bag.weights, bag.pool)
    return (sheet.attributes(*arrays, begin, end) for begin, end in _pieces(corpus))


def jsonl(corpus: Corpus, layout: Layout) -> Iterator[bytes]:
    """JSON lines, in the shape that was read, else an object of lists."""
    from seqlab.corpus.json_shapes import Shape

    names = dict(layout.keys)
    shape = Shape(layout.shape or "columns", tuple((name, names.get(name, name)) for name in corpus.columns))
    if shape.kind == "words" and len(corpus.columns) > 1:
        shape = Shape("rows", shape.keys)
    extras = corpus.extras if corpus.layout.format == "jsonl" else Extras.none()
    return _json_lines(corpus, layout, shape, extras)


def _json_lines(corpus: Corpus, layout: Layout, shape: Shape, extras: Extras) -> Iterator[bytes]:
    import json

    from seqlab.corpus.json_shapes import value_of
    from seqlab.corpus.jsonl import dumped

    for begin, end in _pieces(corpus):
        lines: list[str] = []
        for i in range(begin, end + (end == len(corpus))):
            around = extras.of(i) if len(extras) else []
            lines += [line for _, line in around if line is not None and not line.strip()]
            if i < len(corpus):
                rest = {p: json.loads(line) for p, line in around if line and line.strip()}
                cells = [_plain(corpus[i][name]) for name in corpus.columns]
                value = value_of(cells, rest, shape)
                lines.append(dumped(value, ascii_only=layout.escaped, separator=layout.separator))
        yield "".join(line + layout.newline for line in lines).encode("utf-8")


def _plain(cells: Any) -> Any:
    return cells.tolist() if isinstance(cells, np.ndarray) else cells


RENDERERS: dict[str, Callable[[Corpus, Layout], Iterator[bytes]]] = {
    "conll": columns,
    "conllu": conllu,
    "slash": slash,
    "text": text,
    "jsonl": jsonl,
    "crfsuite": crfsuite,
}


# ---------------------------------------------------------------------------------------------- what they share


def _sheet(corpus: Corpus, chosen: list[StringColumn], layout: Layout) -> _core.Sheet:
    extras = corpus.extras if corpus.layout.format == layout.format else Extras.none()
    pairs = [(column.codes, column.pool) for column in chosen]
    return _core.Sheet(
        pairs, corpus.offsets, extras.sentence, extras.position, extras.codes, extras.pool, layout.newline
    )


def _pieces(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Stretches of sentences of about PIECE tokens; one at least, for lines behind the last sentence."""
    begin = 0
    while True:
        goal = int(corpus.offsets[begin]) + PIECE
        end = min(max(int(np.searchsorted(corpus.offsets, goal)), begin + 1), len(corpus))
        yield begin, end
        begin = end
        if begin >= len(corpus):
            return


def _refuse_empty_sentences(corpus: Corpus, what: str) -> None:
    empty = corpus.lengths == 0
    if empty.any():
        raise CorpusError(
            f" has no tokens, and {what} cannot hold an empty sentence; leave it out with corpus.filter(len)",
            place=Place(int(np.argmax(empty))),
        )


def _refuse(
    corpus: Corpus,
    name: str,
    column: StringColumn,
    forbidden: str,
    what: str,
    *,
    empty: bool,
    backslash: bool = False,
    at_sign: bool = False,
) -> None:
    """An error that names the first token of the column that the format cannot hold."""
    token = _core.first_unwritable(column.codes, column.pool, forbidden, empty, backslash)
    if at_sign:
        signs = [i for i, value in enumerate(column.values) if value.startswith("@")]
        found = np.isin(column.codes, signs)
        token = min(token, int(np.argmax(found)) if found.any() else len(column))
    if token < len(column):
        sentence = int(np.searchsorted(corpus.offsets, token, side="right")) - 1
        value = column.values[column.codes[token]]
        raise CorpusError(
            f"{what} cannot hold "
            f"{value!r:.80} in column {name!r}; change it, or write another format such as 'jsonl'",
            place=Place(sentence, token - int(corpus.offsets[sentence]), item="token"),
        )


def _refuse_attributes(corpus: Corpus, name: str, bag: BagColumn) -> None:
    attribute = _core.first_unwritable(bag.codes, bag.pool, LINE_ENDS + "\t", True, False)
    if attribute < len(bag.codes):
        token = int(np.searchsorted(bag.indptr, attribute, side="right")) - 1
        sentence = int(np.searchsorted(corpus.offsets, token, side="right")) - 1
        raise CorpusError(
            f"a CRFsuite file cannot hold "
            f"{bag.values[bag.codes[attribute]]!r:.80} in column {name!r}; change it, or write 'jsonl'",
            place=Place(sentence, token - int(corpus.offsets[sentence]), item="token"),
        )
