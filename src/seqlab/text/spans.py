"""Spans of labels as parts of a text, with their probabilities."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.corpus import Corpus
from seqlab.tags import spans as read_spans
from seqlab.text.document import Document, Span

TAG = re.compile(r"[BIMELSU]-.")  # a letter of a scheme and a type
OUTSIDE = "O"
TOGETHER = 50_000  # tokens whose probabilities are held at one time


def is_span_layer(tagger: Any) -> bool:
    """Tell whether the labels of a tagger are tags of spans: B-PER, I-PER, O."""
    return getattr(tagger, "scheme_", None) is not None or are_tags(tagger.labels_)


def are_tags(labels: Iterable[str]) -> bool:
    """Tell whether labels are tags of spans."""
    inside = [label for label in labels if label != OUTSIDE]
    return bool(inside) and all(TAG.match(label) for label in inside)


def with_spans(document: Document, name: str, labels: Sequence[str]) -> Document:
    """Return the document with a layer of labels, and their spans where they are tags of spans."""
    if not are_tags(set(labels)):
        return document.with_layer(name, labels)
    bounds = list(pairwise(document.offsets.tolist()))
    found = read_spans([list(labels[a:b]) for a, b in bounds])
    spans = [
        (int(document.begins[a + one.start]), int(document.ends[a + one.end - 1]), one.type)
        for (a, _), some in zip(bounds, found, strict=True)
        for one in some
    ]
    return document.with_layer(name, labels, spans)


def spans_of(
    documents: Sequence[Document],
    corpus: Corpus,
    column: str,
    tagger: Any,
    threads: int,
    *,
    probabilities: bool,
) -> list[list[Span]]:
    """Find the spans of each document.

    corpus    the sentences of all documents
    column    of the labels in it
    """
    labels = corpus.column(column)
    found = read_spans(labels, getattr(tagger, "scheme_", None)) if labels else []
    chances = _probabilities(corpus, found, tagger, threads) if probabilities else {}
    bounds = np.cumsum([0, *(len(one.sentences) for one in documents)]).tolist()
    spans = []
    for document, (first, last) in zip(documents, pairwise(bounds), strict=True):
        text, begins, ends = document.text, document.begins.tolist(), document.ends.tolist()
        own = []
        for sentence, at in zip(range(first, last), document.offsets.tolist(), strict=False):
            some = found[sentence]
            for one, chance in zip(some, chances.get(sentence, [None] * len(some)), strict=True):
                b, e = begins[at + one.start], ends[at + one.end - 1]
                own.append(Span(b, e, one.type, text[b:e], chance))
        spans.append(own)
    return spans


def _probabilities(
    corpus: Corpus, found: Sequence[Sequence[Any]], tagger: Any, threads: int
) -> dict[int, list[float]]:
    """Compute the probabilities of the spans of each sentence that has some; none where the model has none."""
    if not getattr(tagger, "_probabilistic", False) or not hasattr(tagger, "trellis"):
        return {}
    chances: dict[int, list[float]] = {}
    for some in _blocks(corpus, [i for i, spans in enumerate(found) if spans]):
        asked = [[(one.start, one.end, one.type) for one in found[i]] for i in some]
        trellises = tagger._trellises(corpus.take(some), threads)
        told = inference.span_probabilities(trellises, asked, threads=threads)
        chances |= {i: one.tolist() for i, one in zip(some, told, strict=True)}
    return chances


def _blocks(corpus: Corpus, sentences: list[int]) -> Iterator[list[int]]:
    """Cut a list of sentences into parts of at most TOGETHER tokens, or of one sentence."""
    ends = np.cumsum(corpus.lengths[sentences]).tolist()
    first, done = 0, 0
    while first < len(sentences):
        last = max(bisect_right(ends, done + TOGETHER), first + 1)
        yield sentences[first:last]
        first, done = last, ends[last - 1]
