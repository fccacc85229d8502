"""Scores of spans by their places in texts, counted in the four ways of SemEval-2013 (task 9.1), as nervaluate does.

strict    begin, end and label are right
exact     begin and end are right, whatever the label
partial   as exact; a span that overlaps one counts half
type      the label is right, and the spans overlap
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from seqlab.corpus.columns import counted
from seqlab.errors import LabelError
from seqlab.evaluation.segmentation import Pair, Segmented, paired
from seqlab.shown import Table, Written

WAYS = ("strict", "exact", "partial", "type")
Spans = list[tuple[int, int, str]]


class SpanCounts(NamedTuple):
    """Numbers of spans, and the scores that they give.

    correct      predicted spans that are right
    incorrect    predicted spans that overlap one, but are not right
    partial      predicted spans that overlap one, where that counts half
    missed       gold spans that no predicted one was held against
    spurious     predicted spans that overlap no gold one
    """

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0

    @property
    def gold(self) -> int:
        """Number of gold spans."""
        return self.correct + self.incorrect + self.partial + self.missed

    @property
    def predicted(self) -> int:
        """Number of predicted spans."""
        return self.correct + self.incorrect + self.partial + self.spurious

    @property
    def precision(self) -> float:
        """Share of the predicted spans that are right; partial ones count half."""
        return (self.correct + self.partial / 2) / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold spans that were found; partial ones count half."""
        return (self.correct + self.partial / 2) / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 if there is nothing to find and nothing was found."""
        both = self.gold + self.predicted
        return (2 * self.correct + self.partial) / both if both else 1.0


@dataclass(frozen=True, repr=False)
class TextReport(Written):
    """Scores of spans by their places in texts.

    documents   their number
    layer       whose spans were compared
    ways        {"strict", "exact", "partial", "type": counts of all spans}
    labels      {label: {way: counts of the spans with this label}}
    """

    documents: int
    layer: str
    ways: dict[str, SpanCounts]
    labels: dict[str, dict[str, SpanCounts]]

    @property
    def strict(self) -> SpanCounts:
        """Spans with the right begin, end and label."""
        return self.ways["strict"]

    @property
    def exact(self) -> SpanCounts:
        """Spans with the right begin and end."""
        return self.ways["exact"]

    @property
    def partial(self) -> SpanCounts:
        """Spans with the right begin and end; those that overlap count half."""
        return self.ways["partial"]

    @property
    def type(self) -> SpanCounts:
        """Spans with the right label that overlap."""
        return self.ways["type"]

    @property
    def f1(self) -> float:
        """Strict F1 of all spans."""
        return self.strict.f1

    def _rows(self) -> Iterator[tuple[str, str, SpanCounts]]:
        yield from (("all spans", way, one) for way, one in self.ways.items())
        yield from ((label, way, one) for label, some in self.labels.items() for way, one in some.items())

    def _columns(self) -> Table:
        rows = list(self._rows())
        numbers = ("precision", "recall", "f1", *SpanCounts._fields)
        told = {name: [getattr(one, name) for _, _, one in rows] for name in numbers}
        return {"of": [label for label, _, _ in rows], "way": [way for _, way, _ in rows], **told}

    def text(self) -> str:
        """Return tables of the four ways to count, and of the labels (strict)."""
        labels = {label: ways["strict"] for label, ways in self.labels.items()}
        width = max(map(len, (*WAYS, *labels)))
        head = f"{'':{width}} precision  recall      F1  correct incorrect partial  missed spurious"
        found = self.strict
        parts = [
            f"{counted(self.documents, 'text')}, {counted(found.gold, 'span')} ({self.layer}), {found.predicted} found",
            "\n".join([head, *(_line(way, one, width) for way, one in self.ways.items())]),
        ]
        if labels:
            parts.append("\n".join([head, *(_line(label, one, width) for label, one in labels.items())]))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers by name."""

        def told(one: SpanCounts) -> dict[str, float]:
            return {**one._asdict(), "precision": one.precision, "recall": one.recall, "f1": one.f1}

        return {
            "documents": self.documents,
            "layer": self.layer,
            "ways": {way: told(one) for way, one in self.ways.items()},
            "labels": {
                label: {way: told(one) for way, one in ways.items()} for label, ways in self.labels.items()
            },
        }

    def __repr__(self) -> str:
        scores = ", ".join(f"{way} F1 {one.f1:.4f}" for way, one in self.ways.items())
        return f"TextReport({counted(self.documents, 'text')}, {scores})"


def _line(name: str, one: SpanCounts, width: int) -> str:
    return (
        f"{name:{width}} {one.precision:9.4f}{one.recall:8.4f}{one.f1:8.4f} {one.correct:8,}{one.incorrect:10,}"
        f"{one.partial:8,}{one.missed:8,}{one.spurious:9,}"
    )


def score_spans(
    gold: Iterable[Segmented], predicted: Iterable[Segmented], layer: str | None = None
) -> TextReport:
    """Compare the spans of documents by their places, in the four ways of SemEval-2013.

    gold        Document objects with the right spans
    predicted   documents of the same texts, in their order
    layer       whose spans to compare; None: of the last layer that both have, else of the last one of each

    Predicted spans are held against gold ones in the order of the text, each against one: a right one if there is one,
    else the first that it overlaps.
    """
    pairs = list(paired(list(gold), list(predicted)))
    names = _layers(pairs, layer)
    compared = [tuple(_spans(pair, side, name) for side, name in enumerate(names)) for pair in pairs]
    labels = sorted({span[2] for sides in compared for spans in sides for span in spans})
    of_label = {
        label: [tuple([one for one in spans if one[2] == label] for spans in sides) for sides in compared]
        for label in labels
    }
    return TextReport(
        len(pairs),
        names[0],
        {way: _total(compared, way) for way in WAYS},
        {label: {way: _total(sides, way) for way in WAYS} for label, sides in of_label.items()},
    )


def _layers(pairs: Sequence[Pair], given: str | None) -> tuple[str, str]:
    """Choose the layer of each side."""
    found: list[list[str]] = []
    for side, what in enumerate(("gold", "predicted")):
        layers = [layer for pair in pairs for layer in pair[side][0].layers]
        names = dict.fromkeys(one.name for one in layers if one.spans or one.labels is None)
        names = names or dict.fromkeys(one.name for one in layers)
        if given is None and not names and pairs:
            raise LabelError(f"the {what} documents have no spans: there is no layer in them", option=what)
        found.append(list(names))
    if given is not None or not pairs:
        return given or "", given or ""
    common = [name for name in found[0] if name in found[1]]
    return (common[-1], common[-1]) if common else (found[0][-1], found[1][-1])


def _spans(pair: Pair, side: int, layer: str) -> Spans:
    """Return the places of the spans of a layer, in the order of the text; without blanks where these differ."""
    document, at = pair[side]
    spans = [span for one in document.layers if one.name == layer for span in one.spans]
    if pair[0][0].text == pair[1][0].text:
        return sorted((span.begin, span.end, span.label) for span in spans)
    return sorted((int(at[span.begin]), int(at[span.end]), span.label) for span in spans)


def _total(compared: Iterable[Any], way: str) -> SpanCounts:
    total: Counter[str] = Counter()
    for gold, predicted in compared:
        total.update(_outcomes(gold, predicted, way))
    return SpanCounts(**total)


def _outcomes(gold: Spans, predicted: Spans, way: str) -> Iterator[str]:
    """Yield the outcome of each predicted span, and "missed" for gold spans that are left."""
    begins, reached = [one[0] for one in gold], list(accumulate((one[1] for one in gold), max))
    free = [True] * len(gold)
    for span in predicted:
        begin, end, label = span
        near = range(bisect_right(reached, begin), bisect_left(begins, end))
        overlapped = [i for i in near if free[i] and gold[i][1] > begin]
        if way == "strict":
            right = [i for i in overlapped if gold[i] == span]
        elif way == "type":
            right = [i for i in overlapped if gold[i][2] == label]
            right.sort(key=lambda i: abs(gold[i][0] - begin) + abs(gold[i][1] - end))
        else:
            right = [i for i in overlapped if gold[i][:2] == (begin, end)]
        for i in (right or overlapped)[:1]:
            free[i] = False
        yield (
            "correct"
            if right
            else "spurious"
            if not overlapped
            else "partial"
            if way == "partial"
            else "incorrect"
        )
    yield from ("missed" for one in free if one)
