"""A text with tokens, sentences, labels and spans, each with its place in the text.

Places are offsets in code points, as Python counts them: text[begin:end] is the token. They are kept as arrays, so that
a long text costs no object per token; Token, Span and Sentence objects are made when asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from seqlab.arrays import choice
from seqlab.corpus import Corpus
from seqlab.errors import LabelError
from seqlab.shown import cut
from seqlab.text.places import ascending, checked_spans, utf16_places

Places = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
UNITS = ("code points", "utf-16")
SURROGATES = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"
WORD = "word"  # the column of the tokens' text in a corpus


class Token(NamedTuple):
    """A token: text[begin:end], offsets in code points."""

    begin: int
    end: int
    text: str


class Span(NamedTuple):
    """A labelled part of a text: text[begin:end], offsets in code points.

    label         its type, such as "PER"
    text          the part itself
    probability   of this span with this label under the model; None where there is none
    """

    begin: int
    end: int
    label: str
    text: str
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """The answer of one tagger, or one annotation of a text.

    name     what it is about: "pos", "entity"
    labels   one for each token of the document; None for an annotation that has spans only
    spans    in the order of the text
    """

    name: str
    labels: tuple[str, ...] | None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """A text, its tokens and sentences, and layers of labels and spans.

    text      the text, unchanged
    begins    (tokens,)   first code point of each token
    ends      (tokens,)   the one after its last
    offsets   (N + 1,)    sentence i has the tokens offsets[i] .. offsets[i + 1]
    joined    (tokens,)   True for a token that continues the one before it as one word of the text: n't in "don't"
    layers    in the order of the taggers; `labels` and `spans` are those of the last one
    name      of the file or record that it came from
    meta      further facts about it, as plain data
    multiword   {number of a token: the words that it stands for}, where these are not parts of its text: du is de, le
    """

    text: str
    begins: Places
    ends: Places
    offsets: Places
    joined: Bools | None = None
    layers: tuple[Layer, ...] = ()
    name: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    multiword: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_offsets(
        cls, text: str, sentences: Iterable[Any], *, name: str = "", meta: Mapping[str, Any] | None = None
    ) -> Self:
        """Make a document of a text and the places of its tokens.

        text        the text
        sentences   a list of (begin, end) for every sentence; or one such list, for a single sentence. Tokens do not
                    overlap, and come in the order of the text. Further entries behind (begin, end) are ignored
        name, meta  as of the document
        """
        return cls(text, *ascending(text, sentences), name=name, meta=dict(meta or {}))

    # ------------------------------------------------------------------------------------------ what it holds

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.begins)

    @cached_property
    def words(self) -> list[str]:
        """The text of every token."""
        text = self.text
        return [text[b:e] for b, e in zip(self.begins.tolist(), self.ends.tolist(), strict=True)]

    @property
    def tokens(self) -> list[Token]:
        """All tokens."""
        return self._tokens(0, len(self))

    @property
    def sentences(self) -> Sentences:
        """The sentences, list-like."""
        return Sentences(self)

    @property
    def labels(self) -> list[str]:
        """The labels of the last layer that has labels, one for each token."""
        found = next((layer.labels for layer in reversed(self.layers) if layer.labels is not None), None)
        if found is None:
            raise LabelError("the document has no labels: no tagger has seen it")
        return list(found)

    @property
    def spans(self) -> list[Span]:
        """The spans of the last layer; none without layers."""
        return list(self.layers[-1].spans) if self.layers else []

    def layer(self, name: str) -> Layer:
        """Return the layer with this name."""
        for one in self.layers:
            if one.name == name:
                return one
        known = ", ".join(repr(one.name) for one in self.layers) or "none"
        raise LabelError(f"there is no layer {name!r}; the document has {known}", option="name")

    def iter_tokens(self) -> Iterator[Token]:
        """Yield all tokens, without a list of them."""
        for first in range(0, len(self), 10_000):
            yield from self._tokens(first, min(first + 10_000, len(self)))

    def _tokens(self, first: int, last: int) -> list[Token]:
        places = zip(self.begins[first:last].tolist(), self.ends[first:last].tolist(), strict=True)
        return [Token(b, e, self.text[b:e]) for b, e in places]

    # ------------------------------------------------------------------------------------------ made of it

    def with_layer(
        self, name: str, labels: Iterable[str] | None = None, spans: Iterable[Sequence[Any]] = ()
    ) -> Self:
        """Return the document with one more layer; one with the same name is replaced.

        name     of the layer
        labels   one for each token, or None
        spans    Span objects, or tuples (begin, end, label) and perhaps text and probability; their text is taken
                 from the document
        """
        told = None if labels is None else tuple(labels)
        if told is not None and len(told) != len(self):
            raise LabelError(f"{len(told)} labels are given for {len(self)} tokens", option="labels")
        found = tuple(Span(b, e, y, self.text[b:e], p) for b, e, y, p in checked_spans(self.text, spans))
        return self._with(Layer(name, told, found))

    def _with(self, layer: Layer) -> Self:
        """Return the document with a layer that is known to fit."""
        others = tuple(one for one in self.layers if one.name != layer.name)
        return replace(self, layers=(*others, layer))

    def part(self, first: int, last: int) -> Self:
        """Return the sentences first .. last - 1 as a document of their own, whose text begins with the first.

        first, last   numbers of sentences, from 0
        """
        count = len(self.offsets) - 1
        if not 0 <= first < last <= count:
            raise LabelError(f"the sentences {first} to {last} are asked for, and there are {count}")
        a, b = int(self.offsets[first]), int(self.offsets[last])
        begin, end = int(self.begins[a]), int(self.ends[b - 1])
        layers = tuple(
            Layer(
                one.name,
                None if one.labels is None else one.labels[a:b],
                tuple(_moved(s, -begin) for s in one.spans if begin <= s.begin and s.end <= end),
            )
            for one in self.layers
        )
        return replace(
            self,
            text=self.text[begin:end],
            begins=self.begins[a:b] - begin,
            ends=self.ends[a:b] - begin,
            offsets=self.offsets[first : last + 1] - a,
            joined=None if self.joined is None else self.joined[a:b],
            layers=layers,
            multiword={t - a: words for t, words in self.multiword.items() if a <= t < b},
        )

    def corpus(self) -> Corpus:
        """Make a Corpus with the column "word", and one for each layer of labels.

        Half of a surrogate pair, which no file can hold, becomes a replacement character.
        """
        made = corpus_of_words([self])
        for layer in self.layers:
            if layer.labels is not None:
                labels = layer.labels
                made = made.with_column(layer.name, [list(labels[a:b]) for a, b in self._bounds()])
        return made

    def _bounds(self) -> Iterator[tuple[int, int]]:
        return pairwise(self.offsets.tolist())

    # ------------------------------------------------------------------------------------------ as plain data

    def to_dict(self, *, offsets: str = "code points") -> dict[str, Any]:
        """Return plain lists, dicts and numbers.

        offsets   "code points", as in Python; "utf-16", as JavaScript, Java and C# count
        """
        choice(offsets, "offsets", UNITS)
        at = utf16_places(self.text) if offsets == "utf-16" else None

        def placed(begin: int, end: int) -> dict[str, int]:
            return {
                "begin": begin if at is None else int(at[begin]),
                "end": end if at is None else int(at[end]),
            }

        places = list(zip(self.begins.tolist(), self.ends.tolist(), strict=True))
        told: dict[str, Any] = {
            "text": self.text,
            "offsets": offsets,
            "sentences": [
                {**placed(one.begin, one.end), "tokens": [one.first, one.last]} for one in self.sentences
            ],
            "tokens": [
                {**placed(b, e), "text": word} for (b, e), word in zip(places, self.words, strict=True)
            ],
            "layers": {
                layer.name: {
                    **({} if layer.labels is None else {"labels": list(layer.labels)}),
                    "spans": [
                        {
                            **placed(s.begin, s.end),
                            "label": s.label,
                            "text": s.text,
                            "probability": s.probability,
                        }
                        for s in layer.spans
                    ],
                }
                for layer in self.layers
            },
        }
        return ({"name": self.name} if self.name else {}) | told | ({"meta": self.meta} if self.meta else {})

    def json(self, *, offsets: str = "code points", indent: int | None = None) -> str:
        """Return to_dict() as JSON; offsets as there, indent as for json.dumps."""
        return json.dumps(self.to_dict(offsets=offsets), indent=indent, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        sizes = f"{len(self.offsets) - 1} sentences, {len(self)} tokens"
        layers = ", ".join(
            f"{one.name}: {len(one.spans)} spans" if one.spans or one.labels is None else one.name
            for one in self.layers
        )
        start = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return cut(f"Document({start!r}, {sizes}{f', {layers}' if layers else ''})")

    def _repr_html_(self) -> str:
        from seqlab.views.notebook import fragment  # only a notebook needs them
        from seqlab.views.spans import marked

        parts: list[Any] = [repr(self)]
        for layer in self.layers:
            if layer.spans:
                parts += [layer.name, marked(self.text, layer.spans)]
        if len(parts) == 1:
            parts.append(marked(self.text, ()))
        return fragment(parts)


def _moved(span: Span, by: int) -> Span:
    return span._replace(begin=span.begin + by, end=span.end + by)


def with_layers_of(document: Document, parts: Iterable[Document]) -> Document:
    """Return the document with the layers of its parts, which are all of its sentences one after another."""
    names: list[str] = []
    labels: dict[str, list[str]] = {}
    spans: dict[str, list[Span]] = {}
    token = 0
    for part in parts:
        by = int(document.begins[token])
        for layer in part.layers:
            if layer.name not in labels:
                names.append(layer.name)
            labels.setdefault(layer.name, []).extend(layer.labels or ())
            spans.setdefault(layer.name, []).extend(_moved(one, by) for one in layer.spans)
        token += len(part)
    for name in names:
        document = document._with(Layer(name, tuple(labels[name]), tuple(spans[name])))
    return document


def corpus_of_words(documents: Iterable[Document]) -> Corpus:
    """Make one corpus of the words of all documents; halves of surrogate pairs become replacement characters."""
    sentences: list[list[str]] = []
    for document in documents:
        words = document.words
        try:
            document.text.encode()
        except UnicodeEncodeError:
            words = [SURROGATES.sub(REPLACEMENT, word) for word in words]
        sentences += [words[a:b] for a, b in document._bounds()]
    if not sentences:
        return Corpus.from_lists([[""]], columns=[WORD])[:0]
    return Corpus.from_lists(sentences, columns=[WORD])


class Sentences(Sequence["Sentence"]):
    """The sentences of a document."""

    __slots__ = ("_document",)

    def __init__(self, document: Document) -> None:
        self._document = document

    def __len__(self) -> int:
        return len(self._document.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Sentence(self._document, i) for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return Sentence(self._document, number)

    def __repr__(self) -> str:
        return cut(
            f"{[one.text for one in self[:4]]!r}" + ("" if len(self) <= 4 else f" and {len(self) - 4} more")
        )


@dataclass(frozen=True, slots=True, repr=False)
class Sentence:
    """A sentence of a document; its offsets are those of the document.

    document   the document
    number     of the sentence, from 0
    """

    document: Document
    number: int

    @property
    def first(self) -> int:
        """Number of its first token in the document."""
        return int(self.document.offsets[self.number])

    @property
    def last(self) -> int:
        """Number after that of its last token."""
        return int(self.document.offsets[self.number + 1])

    @property
    def begin(self) -> int:
        """First code point of its first token."""
        return int(self.document.begins[self.first]) if self.first < self.last else 0

    @property
    def end(self) -> int:
        """The code point after its last token."""
        return int(self.document.ends[self.last - 1]) if self.first < self.last else 0

    @property
    def text(self) -> str:
        """The text from its first to its last token."""
        return self.document.text[self.begin : self.end]

    @property
    def tokens(self) -> list[Token]:
        """Its tokens."""
        return self.document._tokens(self.first, self.last)

    @property
    def labels(self) -> list[str]:
        """Labels of its tokens in the last layer."""
        return self.document.labels[self.first : self.last]

    @property
    def spans(self) -> list[Span]:
        """Spans of the last layer that begin in it."""
        return [span for span in self.document.spans if self.begin <= span.begin < self.end]

    def __len__(self) -> int:
        return self.last - self.first

    def __repr__(self) -> str:
        return cut(f"Sentence({self.begin}, {self.end}, {self.text!r})")
