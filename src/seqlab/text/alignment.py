"""Spans of characters as labels of tokens: what happens where a span cuts a token."""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seqlab.arrays import choice
from seqlab.errors import CorpusError, CorpusWarning, Place
from seqlab.text.document import Document, Span

WAYS = ("shrink", "expand", "refuse")
TOLD = 20  # spans of a corpus that are remarked on one by one
OUTSIDE = "O"


class Remarks:
    """Remarks about spans of a corpus: the first ones as warnings of their own, the others counted."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, message: str, place: Place) -> None:
        """Warn, or count."""
        self._count += 1
        if self._count <= TOLD:
            warnings.warn(f"{place}: {message}" if str(place) else message, CorpusWarning, stacklevel=2)

    def end(self) -> None:
        """Warn of the number of the others."""
        if self._count > TOLD:
            warnings.warn(f"and {self._count - TOLD} more of these", CorpusWarning, stacklevel=2)


def label_tokens(
    document: Document,
    layer: str | None = None,
    *,
    align: str = "expand",
    place: Place | None = None,
    remarks: Remarks | None = None,
) -> Document:
    """Return the document with labels (IOB2) for the spans of a layer, which then begin and end with tokens.

    document   a text with tokens and spans
    layer      its spans; None for those of the last layer
    align      of a span that cuts a token: "shrink" leaves the token out, "expand" takes it in, "refuse" is an error
    place      of the document in its file, for messages
    remarks    collects warnings about many documents; None warns about each

    Every span that is changed or left out is reported by a CorpusWarning. Of spans that overlap, the longest is kept. A
    sentence goes on where a span goes over its end.
    """
    choice(align, "align", WAYS)
    chosen = document.layer(layer) if layer is not None else document.layers[-1]
    own = Remarks() if remarks is None else remarks
    begins, ends = document.begins.tolist(), document.ends.tolist()
    labels, kept = [OUTSIDE] * len(document), []
    for number, span in sorted(enumerate(chosen.spans), key=lambda one: one[1].begin - one[1].end):
        where = (place or Place())._replace(position=number, item="span")
        tokens, changed = _tokens(span, begins, ends, align)
        message = _trouble(span, tokens, labels, changed=changed, align=align, text=document.text)
        if message is not None and align == "refuse":
            raise CorpusError(f"{message}; pass align='shrink' or 'expand' to go on", place=where)
        if message is not None:
            own.add(message, where)
        if not tokens or labels[tokens.start : tokens.stop] != [OUTSIDE] * len(tokens):
            continue
        labels[tokens.start : tokens.stop] = [f"{'I' if t else 'B'}-{span.label}" for t in range(len(tokens))]
        first, last = begins[tokens.start], ends[tokens.stop - 1]
        kept.append((first, last, span.label, "", span.probability))
    if remarks is None:
        own.end()
    return _joined(document, labels).with_layer(chosen.name, labels, kept)


def _tokens(span: Span, begins: list[int], ends: list[int], align: str) -> tuple[range, bool]:
    """Return the tokens of a span, and whether it cut one."""
    first, last = bisect_right(ends, span.begin), bisect_left(begins, span.end)
    cut_first = first < last and begins[first] < span.begin
    cut_last = first < last and ends[last - 1] > span.end
    if align == "shrink":
        first, last = first + cut_first, max(last - cut_last, first + cut_first)
    return range(first, last), cut_first or cut_last


def _trouble(
    span: Span, tokens: range, labels: list[str], *, changed: bool, align: str, text: str
) -> str | None:
    """Say what is wrong with a span and what was done; None for nothing."""
    told = f"the span {span.label} {span.begin} to {span.end} ({text[span.begin : span.end]!r:.40})"
    if not tokens and not changed:
        return f"{told} has no token in it" + ("" if align == "refuse" else "; it is left out")
    if changed and align == "refuse":
        return f"{told} cuts a token"
    if not tokens:
        return f"{told} is less than a token; it is left out"
    taken = next((label for label in labels[tokens.start : tokens.stop] if label != OUTSIDE), None)
    if taken is not None:
        what = f"{told} overlaps a span {taken[2:]} that is at least as long"
        return what if align == "refuse" else f"{what}; it is left out"
    return (
        f"{told} cuts a token; it was made {'shorter' if align == 'shrink' else 'longer'}"
        if changed
        else None
    )


def _joined(document: Document, labels: Sequence[str]) -> Document:
    """Return the document without ends of sentences inside spans."""
    offsets = document.offsets
    inside = [at < len(labels) and labels[at].startswith("I-") for at in offsets.tolist()]
    if not any(inside):
        return document
    kept: Any = offsets[~np.array(inside, dtype=bool)]
    return replace(document, offsets=kept)
