"""Texts with places, read from files and written to them, and as a corpus of tokens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import IO, Any

import numpy as np

from seqlab import _core
from seqlab.arrays import choice
from seqlab.corpus import Corpus
from seqlab.corpus.origin import Extras, Origin, document_name
from seqlab.errors import CorpusError, EmptyError, OptionError, Place, SeqlabError
from seqlab.text.alignment import WAYS, Remarks, label_tokens
from seqlab.text.document import Document, corpus_of_words
from seqlab.text.formats.base import ENTITY, DocumentFormat, Record, guessed, named, source_name, told_names
from seqlab.text.gold import detokenise
from seqlab.text.places import ascending
from seqlab.text.rules import RuleTokeniser
from seqlab.text.spans import with_spans

Tokeniser = Callable[[str], Any]


def read_documents(
    source: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    *,
    tokeniser: Tokeniser | None = None,
    align: str | None = None,
    layer: str = ENTITY,
    encoding: str = "utf-8",
) -> list[Document]:
    """Read texts with spans from a file of an annotation tool.

    source      a path, "-" for standard input, or a stream; a folder for "brat" and "webanno"
    format      "doccano", "prodigy" (which spaCy's tools read, too), "labelstudio", "brat" or "webanno"; guessed when
                left out
    tokeniser   cuts the texts into tokens where the file has none; None: by rules
    align       "shrink", "expand" or "refuse": spans become labels of tokens, too, and this is what happens where one
                cuts a token. None leaves the spans as they are
    layer       the name of the layer of spans
    encoding    of the file
    """
    return [one for one, _ in _placed(source, format, tokeniser, align, layer, encoding)]


def read_corpus(
    source: Any, form: str | None, *, tokeniser: Tokeniser | None, align: str, encoding: str
) -> Corpus:
    """Read texts as one corpus of tokens, with a column of labels for the spans; arguments as for read_documents."""
    found = _placed(source, form, tokeniser, align, ENTITY, encoding)
    return corpus_of([one for one, _ in found], [place for _, place in found])


def _placed(
    source: Any, form: str | None, tokeniser: Tokeniser | None, align: str | None, layer: str, encoding: str
) -> list[tuple[Document, Place]]:
    """Read documents, each with its place in its file."""
    remarks, cut = Remarks(), tokeniser or RuleTokeniser()
    found = []
    for record in read_records(source, form, encoding):
        one = _document(record, cut, align, layer, remarks)
        if one is not None:
            found.append((one, record.place))
    remarks.end()
    if not found:
        raise EmptyError(
            "the file holds no text, but at least one is wanted; is it the right file?",
            place=Place(path=source_name(source)),
        )
    return found


def read_records(source: Any, form: str | None, encoding: str) -> Iterator[Record]:
    """Read the texts of a file as they stand there; source, form and encoding as for read_documents."""
    known = form or guessed(source)
    if known is None:
        raise CorpusError(
            f"the format of the texts is not known; pass format={told_names()}",
            place=Place(path=source_name(source)),
        )
    return named(known).read(source, encoding)


def _document(
    record: Record, tokeniser: Tokeniser, align: str | None, layer: str, remarks: Remarks
) -> Document | None:
    """Make a document of a record; None for one that is not to be learned from."""
    if align is not None:
        choice(align, "align", WAYS)
    place = record.place
    if record.rejected and align is not None:
        remarks.add("annotators rejected or skipped the text; it is left out", place)
        return None
    try:
        if record.sentences is None:
            made = tokeniser(record.text)
            places = made if isinstance(made, Document) else Document.from_offsets(record.text, made)
            begins, ends, offsets, joined = places.begins, places.ends, places.offsets, places.joined
        else:
            begins, ends, offsets = ascending(record.text, record.sentences)
            joined = None
        document = Document(record.text, begins, ends, offsets, joined, name=record.name, meta=record.meta)
        for name, labels in record.labels.items():
            document = document.with_layer(name, labels)
        for name, spans in record.layers.items():
            document = document.with_layer(name, None, spans)
        document = document.with_layer(layer, None, record.spans)
        return (
            document
            if align is None
            else label_tokens(document, layer, align=align, place=place, remarks=remarks)
        )
    except SeqlabError as error:
        if error.place.path is not None:
            raise
        told: dict[str, Any] = {
            "path": place.path,
            "line": place.line,
            "sentence": place.sentence,
            "unit": place.unit,
        }
        raise error.at(**told) from error.__cause__


def write_documents(
    documents: Iterable[Document],
    target: str | os.PathLike[str] | IO[bytes] | IO[str],
    format: str | None = None,  # noqa: A002
    *,
    layer: str | None = None,
) -> None:
    """Write texts with the spans of a layer for an annotation tool; a file appears only when it is complete.

    documents   Document objects
    target      a path, "-" for standard output, or a stream; a folder for "brat" and "webanno", or NAME.txt and
                NAME.tsv for one document
    format      "doccano", "prodigy", "labelstudio", "brat" or "webanno"; when left out, what the name of the target
                says: a folder is for brat, .jsonl for Prodigy, .json for Label Studio, .tsv for WebAnno
    layer       whose spans to write; None: of the last layer that has spans, and of all layers for "webanno"
    """
    form = named(format) if format is not None else _by_name(target)
    form.write(documents, target, layer)


def _by_name(target: Any) -> type[DocumentFormat]:
    name = source_name(target).lower().removesuffix(".gz")
    usual = {
        ".jsonl": "prodigy",
        ".ndjson": "prodigy",
        ".json": "labelstudio",
        ".ann": "brat",
        ".tsv": "webanno",
    }
    suffix = os.path.splitext(name)[1]  # noqa: PTH122
    if suffix in usual or os.path.isdir(name):  # noqa: PTH112
        return named(usual.get(suffix, "brat"))
    raise OptionError(
        f"the name {name!r:.80} does not say which format to write; pass format={told_names()}",
        option="format",
    )


# ------------------------------------------------------------------------------------------------ as a corpus


def corpus_of(documents: Sequence[Document], places: Sequence[Place] = ()) -> Corpus:
    """Make one corpus of the sentences of documents: their words, and a column for each layer of labels.

    documents   texts with tokens; label_tokens gives them labels for their spans
    places      of the documents in files, for messages

    The corpus knows its documents: split(by="document") keeps them whole, and files of columns name them.
    """
    made = corpus_of_words(documents)
    names = dict.fromkeys(
        one.name for document in documents for one in document.layers if one.labels is not None
    )
    for name in names:
        column = [row for document in documents for row in _rows(document, name)]
        made = made.with_column(name, column) if len(made) else made
    counts = [len(document.sentences) for document in documents]
    first = np.cumsum([0, *counts]).tolist()[:-1]
    pool = _core.StringPool()
    marked = [(at, one) for at, one, count in zip(first, documents, counts, strict=True) if count]
    codes = [
        pool.intern(f"# newdoc id = {_one_line(one.name)}" if one.name else "# newdoc") for _, one in marked
    ]
    extras = Extras(
        np.array([at for at, _ in marked], dtype=np.int64),
        np.zeros(len(marked), dtype=np.int64),
        np.array(codes, dtype=np.int32),
        pool,
    )
    columns = {name: made.data(name) for name in made.columns}
    return Corpus(columns, made.offsets, extras=extras, origin=_origin(counts, places))


def _rows(document: Document, name: str) -> Iterator[list[str | None]]:
    labels = next((one.labels for one in document.layers if one.name == name), None)
    for a, b in pairwise(document.offsets.tolist()):
        yield [None] * (b - a) if labels is None else list(labels[a:b])


def _one_line(name: str) -> str:
    return " ".join(name.split()).encode("utf-8", "replace").decode()


def _origin(counts: Sequence[int], places: Sequence[Place]) -> Origin:
    numbers = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    if not places:
        size = int(sum(counts))
        return Origin(
            ("",), np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int64), (False,), numbers
        )
    names = list(dict.fromkeys(place.path or "" for place in places))
    which = np.repeat([names.index(place.path or "") for place in places], counts).astype(np.int32)
    lines = np.repeat([place.line or (place.sentence or 0) + 1 for place in places], counts).astype(np.int64)
    return Origin(tuple(names), which, lines, (False,) * len(names), numbers)


def documents_of(corpus: Corpus, columns: Sequence[str] | None = None) -> list[Document]:
    """Make texts of a corpus of tokens, one for each of its documents, written as people do.

    corpus    sentences of words
    columns   of labels, which become layers; tags of spans (B-PER) become spans, too. None: all columns of strings but
              that of the words
    """
    from seqlab.corpus import StringColumn
    from seqlab.corpus.columns import WORD_COLUMNS

    words = next((name for name in corpus.columns if name in WORD_COLUMNS), corpus.columns[0])
    strings = [
        name for name in corpus.columns if isinstance(corpus.data(name), StringColumn) and name != words
    ]
    numbers = corpus.documents
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(corpus)]
    made = []
    for a, b in pairwise(cuts):
        part = corpus[a:b]
        document = detokenise(part.column(words))
        for name in strings if columns is None else columns:
            labels = [y for sentence in part.column(name) for y in sentence]
            if None not in labels:
                document = with_spans(document, name, labels)
        title = next((document_name(text) for _, text in corpus.extras.of(a) if text), None)
        made.append(replace(document, name=title) if title else document)
    return made
