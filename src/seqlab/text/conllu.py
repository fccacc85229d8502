"""Texts of CoNLL-U: read with the places of tokens, and written with comments, ranges and SpaceAfter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.corpus.origin import Extras, Layout
from seqlab.errors import CorpusError, Place
from seqlab.text.document import WORD, Document
from seqlab.text.files import read_text
from seqlab.text.gold import arrays, place_of

FORM, MISC, COLUMNS = 1, 9, 10
LABELS = {"lemma": 2, "upos": 3, "xpos": 4}
PARAGRAPH = "\n\n"
NOTHING, UNSPACED = "_", "SpaceAfter=No"
CONLLU = "conllu"
PLUS = "+"  # between labels of the words of one token


@dataclass
class _Sentence:
    """A sentence of a CoNLL-U file.

    tokens   (form, words of it, space after it, line)
    """

    line: int
    text: str | None = None
    breaks: bool = False  # begins a paragraph
    document: str | None = None  # begins a document of this name
    tokens: list[tuple[str, list[list[str]], bool, int]] = field(default_factory=list)


def read_conllu(source: Any, *, labels: Sequence[str] = (), encoding: str = "utf-8") -> list[Document]:
    """Read the texts of a CoNLL-U file, one for each document in it, with tokens and sentences.

    source     a path, "-" for standard input, or a stream
    labels     columns that become layers: "upos", "xpos", "lemma"
    encoding   of the file

    The text is that of the comments `# text`, or else the forms with blanks but for SpaceAfter=No. Sentences stand
    on one line with a blank between them, and paragraphs (`# newpar`) have an empty line between them. The parts of a
    multiword token (don't: do, n't) are tokens of their own, marked as joined, where they are parts of its form. Where
    they are not (du: de, le), the form is one token, the words are in `multiword`, and its label is theirs with a +
    between them: ADP+DET.
    """
    name = str(getattr(source, "name", source))
    for label in labels:
        if label not in LABELS:
            raise CorpusError(f"layers of CoNLL-U are {', '.join(LABELS)}, got {label!r}")
    documents: list[list[_Sentence]] = []
    for sentence in _sentences(read_text(source, encoding=encoding), name):
        if sentence.document is not None or not documents:
            documents.append([])
        documents[-1].append(sentence)
    return [_document(sentences, labels, name) for sentences in documents]


def _sentences(text: str, name: str) -> Iterator[_Sentence]:
    current, last_of_token = _Sentence(1), 0
    for number, line in enumerate(text.split("\n"), 1):
        row = line.rstrip("\r")
        if not row.strip():
            if current.tokens:
                yield current
                current = _Sentence(number + 1)
            last_of_token = 0
        elif row.startswith("#"):
            _comment(current, row[1:].strip())
        else:
            last_of_token = _row(current, row.split("\t"), last_of_token, Place(path=name, line=number))
    if current.tokens:
        yield current


def _comment(sentence: _Sentence, said: str) -> None:
    key, _, value = said.partition("=")
    match key.split()[:1]:
        case ["text"] if key.strip() == "text":
            sentence.text = value.strip()
        case ["newpar"]:
            sentence.breaks = True
        case ["newdoc"]:
            sentence.breaks, sentence.document = True, value.strip()


def _row(sentence: _Sentence, cells: list[str], last: int, place: Place) -> int:
    """Add a line to a sentence; return the last word of the multiword token that is open."""
    if len(cells) != COLUMNS:
        raise CorpusError(f"10 cells with tabs between them are wanted, found {len(cells)}", place=place)
    number, spaced = cells[0], "SpaceAfter=No" not in cells[MISC].split("|")
    if "." in number:  # an empty node, which is not in the text
        return last
    first, dash, end = number.partition("-")
    if not first.isdecimal() or (dash and not end.isdecimal()):
        raise CorpusError(
            f"the number of a word is wanted in the first cell, found {number!r:.40}", place=place
        )
    if dash:
        sentence.tokens.append((cells[FORM], [], spaced, place.line or 0))
        return int(end)
    if int(first) <= last:
        sentence.tokens[-1][1].append(cells)
    else:
        sentence.tokens.append((cells[FORM], [cells], spaced, place.line or 0))
    return last


def _document(sentences: list[_Sentence], labels: Sequence[str], name: str) -> Document:
    pieces: list[str] = []
    size = 0
    begins: list[int] = []
    ends: list[int] = []
    joined: list[bool] = []
    multiword: dict[int, tuple[str, ...]] = {}
    offsets = [0]
    layers: dict[str, list[str]] = {label: [] for label in labels}
    between = ""
    for sentence in sentences:
        between = "" if not pieces else PARAGRAPH if sentence.breaks else between
        text = sentence.text
        if text is None:
            text = "".join(form + " " * space for form, _, space, _ in sentence.tokens).strip()
        pieces += [between, text]
        size += len(between)
        at = 0
        for form, words, _, line in sentence.tokens:
            begin, end = place_of(form, text, at, Place(path=name, line=line))
            parts = _parts(form, [cells[FORM] for cells in words], text[begin:end])
            if len(words) > len(parts):
                multiword[len(begins)] = tuple(cells[FORM] for cells in words)
            for k, (b, e) in enumerate(parts):
                begins.append(size + begin + b)
                ends.append(size + begin + e)
                joined.append(k > 0)
                for label, labelled in layers.items():
                    own = words[k : k + 1] if len(parts) > 1 else words
                    labelled.append(PLUS.join(cells[LABELS[label]] for cells in own) or NOTHING)
            at = end
        size += len(text)
        offsets.append(len(begins))
        between = " " if sentence.tokens[-1][2] else ""
    title = next((one.document for one in sentences if one.document), "")
    continued = np.array(joined, dtype=bool)
    made = replace(
        Document("".join(pieces), *arrays(begins, ends, offsets)),
        joined=continued,
        name=title,
        multiword=multiword,
    )
    for label, column in layers.items():
        made = made.with_layer(label, column)
    return made


def _parts(form: str, words: list[str], written: str) -> list[tuple[int, int]]:
    """Return the places of the words of a token in it; one part where they are not simply parts of it."""
    if len(words) < 2 or "".join(words) != form or form != written:
        return [(0, len(written))]
    ends = np.cumsum([len(word) for word in words]).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


# ------------------------------------------------------------------------------------------------ written


def write_conllu(documents: Iterable[Document], target: Any) -> None:
    """Write texts as CoNLL-U: a comment `# text` for each sentence, SpaceAfter=No, and ranges for multiword tokens.

    documents   Document objects; labels go to the columns upos, xpos and lemma, others to MISC
    target      a path, "-" for standard output, or a stream
    """
    from seqlab.corpus.formats.conllu import Conllu

    listed = list(documents)
    rows, lines = _rows(listed)
    if not rows:
        raise CorpusError("CoNLL-U holds sentences, and the texts have none")
    corpus = Corpus.from_lists([[row[0] for row in some] for some in rows], columns=[WORD])
    corpus = corpus.with_column("misc", [[row[1] for row in some] for some in rows])
    names = dict.fromkeys(one.name for text in listed for one in text.layers if one.labels is not None)
    for number, name in enumerate(names):
        column = [[row[2].get(name, NOTHING) for row in some] for some in rows]
        values = {y for some in column for y in some}
        corpus = Conllu.labelled(
            corpus.with_column(f"layer {number}", column), f"layer {number}", name, values
        )
    pool = _core.StringPool()
    extras = Extras(
        np.array([i for i, _, _ in lines], dtype=np.int64),
        np.array([t for _, t, _ in lines], dtype=np.int64),
        np.array([pool.intern(line) for *_, line in lines], dtype=np.int32),
        pool,
    )
    columns = {name: corpus.data(name) for name in corpus.columns}
    Corpus(columns, corpus.offsets, extras=extras, layout=Layout(CONLLU)).write(target, CONLLU)


Row = tuple[str, str, dict[str, str]]  # form, MISC, {layer: label}


def _rows(documents: Iterable[Document]) -> tuple[list[list[Row]], list[tuple[int, int, str]]]:
    """Return the words of every sentence, and the lines between them as (sentence, position, line)."""
    rows: list[list[Row]] = []
    lines: list[tuple[int, int, str]] = []
    for document in documents:
        name, end = _on_one_line(document.name), 0
        for number, sentence in enumerate(document.sentences):
            if number == 0:
                lines.append((len(rows), 0, f"# newdoc id = {name}" if name else "# newdoc"))
            elif "\n" in document.text[end : sentence.begin].partition("\n")[2]:
                lines.append((len(rows), 0, "# newpar"))
            end = sentence.end
            lines.append((len(rows), 0, f"# text = {_on_one_line(sentence.text)}"))
            own: list[Row] = []
            for first, last in _tokens(document, sentence.first, sentence.last):
                words = list(_words(document, first, last))
                spaced = _misc(document, last)
                if len(words) > 1:
                    form = _on_one_line(
                        document.text[int(document.begins[first]) : int(document.ends[last - 1])]
                    )
                    numbers = f"{len(own) + 1}-{len(own) + len(words)}"
                    cells = [numbers, form, *[NOTHING] * (COLUMNS - 3), spaced]
                    lines.append((len(rows), len(own), "\t".join(cells)))
                    spaced = NOTHING
                own += [(word, spaced, labels) for word, labels in words]
            rows.append(own)
    return rows, lines


def _tokens(document: Document, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the places from first to last that are one word of the text each."""
    begin = first
    for at in range(first + 1, last + 1):
        if at == last or document.joined is None or not document.joined[at]:
            yield begin, at
            begin = at


def _words(document: Document, first: int, last: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the words of a token with their labels."""
    for at in range(first, last):
        labels = {one.name: one.labels[at] for one in document.layers if one.labels is not None}
        forms = document.multiword.get(at)
        if forms is None:
            yield _on_one_line(document.words[at]), labels
            continue
        each = {name: label.split(PLUS) for name, label in labels.items()}
        for k, form in enumerate(forms):
            yield (
                form,
                {
                    name: some[k] if len(some) == len(forms) else labels[name] if k == 0 else NOTHING
                    for name, some in each.items()
                },
            )


def _misc(document: Document, last: int) -> str:
    """Return the cell that says whether a blank follows the token before `last`."""
    end = int(document.ends[last - 1])
    after = document.text[end : end + 1]
    return UNSPACED if after and not after.isspace() else NOTHING


def _on_one_line(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())
