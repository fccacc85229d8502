"""Texts whose tokens and sentences are known: from CoNLL-U, and from tokenised lines beside their text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from seqlab.errors import CorpusError, Place
from seqlab.text.document import Document
from seqlab.text.files import read_text
from seqlab.text.places import checked_text

FORM, MISC, COLUMNS = 1, 9, 10
LABELS = {"lemma": 2, "upos": 3, "xpos": 4}
PARAGRAPH = "\n\n"
# Forms of treebanks for characters of the text.
WRITTEN = {"``": ('"', "“"), "''": ('"', "”"), "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",),
           "-LCB-": ("{",), "-RCB-": ("}",)}  # fmt: skip


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
    multiword token (don't: do, n't) are tokens of their own, marked as joined, where they are parts of its form.
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
            begin, end = _found(form, text, at, Place(path=name, line=line))
            parts = _parts(form, [cells[FORM] for cells in words], text[begin:end])
            for k, (b, e) in enumerate(parts):
                begins.append(size + begin + b)
                ends.append(size + begin + e)
                joined.append(k > 0)
                for label, labelled in layers.items():
                    labelled.append(words[k][LABELS[label]] if k < len(words) else "_")
            at = end
        size += len(text)
        offsets.append(len(begins))
        between = " " if sentence.tokens[-1][2] else ""
    title = next((one.document for one in sentences if one.document), "")
    continued = np.array(joined, dtype=bool)
    made = replace(Document("".join(pieces), *_arrays(begins, ends, offsets)), joined=continued, name=title)
    for label, column in layers.items():
        made = made.with_layer(label, column)
    return made


def _arrays(*lists: list[int]) -> Any:
    return (np.array(one, dtype=np.int64) for one in lists)


def _parts(form: str, words: list[str], written: str) -> list[tuple[int, int]]:
    """Return the places of the words of a token in it; one part where they are not simply parts of it."""
    if len(words) < 2 or "".join(words) != form or form != written:
        return [(0, len(written))]
    ends = np.cumsum([len(word) for word in words]).tolist()
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _found(form: str, text: str, at: int, place: Place) -> tuple[int, int]:
    """Return where a token stands in the text, from `at` on, blanks skipped."""
    while at < len(text) and text[at].isspace() and not form[:1].isspace():
        at += 1
    for written in (form, *WRITTEN.get(form, ())):
        if written and text.startswith(written, at):
            return at, at + len(written)
    raise CorpusError(
        f"the token {form!r:.40} is not in the text, which goes on with {text[at : at + 20]!r}; tokens and "
        f"text must be the same characters",
        place=place,
    )


def align(text: str, sentences: Iterable[Iterable[str]], *, name: str = "") -> Document:
    """Find the tokens of sentences in their text.

    text        the raw text
    sentences   lists of words, or lines with blanks between words; together they have every character of the text
                that is no blank, in its order. Treebanks' brackets and quotes (-LRB-, ``) are known
    name        of the document, for messages
    """
    checked_text(text)
    at, found = 0, []
    for number, sentence in enumerate(sentences):
        places = []
        for position, word in enumerate(sentence.split() if isinstance(sentence, str) else sentence):
            place = Place(number, position, path=name or None, item="token")
            begin, at = _found(word, text, at, place)
            places.append((begin, at))
        if places:
            found.append(places)
    if text[at:].strip():
        raise CorpusError(
            f"the text goes on with {text[at:].strip()[:20]!r} where the sentences end; tokens and text must be "
            f"the same characters",
            place=Place(path=name or None),
        )
    return Document.from_offsets(text, found, name=name)


def detokenise(sentences: Iterable[Iterable[str]]) -> Document:
    """Write sentences of words as people do, without blanks around punctuation and before clitics.

    sentences   lists of words; the document keeps the place of each
    """
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    offsets = [0]
    continued: list[bool] = []
    size = 0
    for sentence in sentences:
        words = list(sentence)
        glued = [False] * len(words)
        opened = False
        for t, (before, word) in enumerate(pairwise(words), 1):
            opened ^= before == '"'
            glued[t] = _glued(before, word, opened=opened)
        text = "".join(word if t == 0 or glued[t] else f" {word}" for t, word in enumerate(words))
        at = 0
        size += 1 if pieces else 0
        for t, word in enumerate(words):
            at += 0 if t == 0 or glued[t] else 1
            begins.append(size + at)
            at += len(word)
            ends.append(size + at)
            continued.append(glued[t] and word.lower() in CLITICS)
        pieces.append(text)
        size += len(text)
        offsets.append(len(begins))
    made = Document(" ".join(pieces), *_arrays(begins, ends, offsets))
    return replace(made, joined=np.array(continued, dtype=bool))


CLOSING = frozenset(".,;:!?)]}%…”’»")
OPENING = frozenset("([{$£€#“‘«")
CLITICS = frozenset(
    {"'s", "'m", "'d", "'re", "'ve", "'ll", "n't", "’s", "’m", "’d", "’re", "’ve", "’ll", "n’t", "'"}
)


def _glued(before: str, word: str, *, opened: bool) -> bool:
    """Tell whether people write no blank between two words."""
    if (
        word.lower() in CLITICS
        or word in "'’"
        or (len(word) <= 3 and word and all(c in CLOSING for c in word))
    ):
        return True
    if word == '"':
        return opened
    return before in OPENING or (before == '"' and opened)
