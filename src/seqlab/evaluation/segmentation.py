"""Scores of tokens, words and sentences by their places in a text, as in the CoNLL 2018 shared task.

Texts are compared by their characters without blanks, so that other line ends change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from seqlab.errors import CorpusError, Place
from seqlab.shown import Table, Written

Places = npt.NDArray[np.int64]


class Segmented(Protocol):
    """Texts with tokens and sentences: seqlab.text.Document."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def begins(self) -> Places:
        """(tokens,) first code points."""

    @property
    def ends(self) -> Places:
        """(tokens,) code points after the last."""

    @property
    def offsets(self) -> Places:
        """(N + 1,) tokens of each sentence."""

    @property
    def joined(self) -> npt.NDArray[np.bool_] | None:
        """(tokens,) True for parts of the token before."""

    @property
    def multiword(self) -> Mapping[int, tuple[str, ...]]:
        """{token: its words}, where these are not parts of its text."""

    @property
    def layers(self) -> tuple[Any, ...]:
        """Layers of labels and spans."""


class Agreement(NamedTuple):
    """Parts that two texts have in common.

    gold, predicted, correct   numbers of parts
    """

    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """Share of the predicted parts that are right."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold parts that were found."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 if there is nothing to find and nothing was found."""
        return 2 * self.correct / (self.gold + self.predicted) if self.gold + self.predicted else 1.0


@dataclass(frozen=True, repr=False)
class SegmentationReport(Written):
    """Scores of a tokeniser, and of what taggers make of its tokens.

    tokens      what stands between blanks and punctuation: don't is one
    words       its parts: do, n't; and the words that a token stands for (du: de, le), by their forms
    sentences   from the first to the last token
    labels      {layer: words with the right place and label}
    spans       {layer: spans with the right place and label}
    """

    tokens: Agreement
    words: Agreement
    sentences: Agreement
    labels: dict[str, Agreement]
    spans: dict[str, Agreement]

    def _rows(self) -> Iterator[tuple[str, Agreement]]:
        yield from (("tokens", self.tokens), ("words", self.words), ("sentences", self.sentences))
        yield from ((f"{name} labels", one) for name, one in self.labels.items())
        yield from ((f"{name} spans", one) for name, one in self.spans.items())

    def _columns(self) -> Table:
        rows = list(self._rows())
        scores = {name: [getattr(one, name) for _, one in rows] for name in ("precision", "recall", "f1")}
        return {"of": [name for name, _ in rows], **scores, "gold": [one.gold for _, one in rows]}

    def text(self) -> str:
        """Return a table of precision, recall and F1."""
        rows = list(self._rows())
        width = max(len(name) for name, _ in rows)
        lines = [f"{'':{width}}  precision   recall       F1     gold"]
        lines += [
            f"{name:{width}}  {one.precision:9.4f} {one.recall:8.4f} {one.f1:8.4f} {one.gold:8,}"
            for name, one in rows
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers by name."""

        def told(one: Agreement) -> dict[str, float]:
            return {**one._asdict(), "precision": one.precision, "recall": one.recall, "f1": one.f1}

        layers = {"labels": self.labels, "spans": self.spans}
        return {
            **{name: told(getattr(self, name)) for name in ("tokens", "words", "sentences")},
            **{name: {layer: told(one) for layer, one in some.items()} for name, some in layers.items()},
        }

    def __repr__(self) -> str:
        return (
            f"SegmentationReport(tokens F1 {self.tokens.f1:.4f}, words F1 {self.words.f1:.4f}, "
            f"sentences F1 {self.sentences.f1:.4f})"
        )


def score_segmentation(gold: Iterable[Segmented], predicted: Iterable[Segmented]) -> SegmentationReport:
    """Compare texts cut by a tokeniser with the right tokens and sentences, document by document.

    gold        Document objects with the right tokens, and perhaps layers of labels
    predicted   the same texts as a tokeniser or pipeline cuts and labels them
    """
    pairs = list(paired(list(gold), list(predicted)))
    names = list(dict.fromkeys(layer.name for one, _ in pairs for layer in one[0].layers))
    common = [
        name for name in names if any(name == layer.name for _, two in pairs for layer in two[0].layers)
    ]
    return SegmentationReport(
        _agreement(pairs, _tokens),
        _agreement(pairs, _words),
        _agreement(pairs, _sentences),
        {
            name: _agreement(pairs, lambda one, at, name=name: _labels(one, at, name))
            for name in common
            if _has_labels(pairs, name)
        },
        {
            name: _agreement(pairs, lambda one, at, name=name: _spans(one, at, name))
            for name in common
            if any(
                layer.spans for pair in pairs for one, _ in pair for layer in one.layers if layer.name == name
            )
        },
    )


Pair = tuple[tuple[Segmented, Places], tuple[Segmented, Places]]


def paired(gold: Sequence[Segmented], predicted: Sequence[Segmented]) -> Iterator[Pair]:
    """Pair documents, each with the number of characters before each of its places, blanks left out.

    gold, predicted   the same texts; blanks may differ
    """
    if len(gold) != len(predicted):
        raise CorpusError(
            f"{len(gold)} documents are compared with {len(predicted)}; the same number is wanted"
        )
    for number, (one, two) in enumerate(zip(gold, predicted, strict=True)):
        left, right = ("".join(some.text.split()) for some in (one, two))
        if left != right:
            at = next(
                (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
                min(len(left), len(right)),
            )
            raise CorpusError(
                f"the texts differ: {left[at : at + 20]!r} is compared with {right[at : at + 20]!r}; only blanks may",
                place=Place(number, unit="document"),
            )
        yield (one, _solid(one.text)), (two, _solid(two.text))


def _solid(text: str) -> Places:
    places = np.zeros(len(text) + 1, dtype=np.int64)
    np.cumsum(np.fromiter((not c.isspace() for c in text), dtype=bool, count=len(text)), out=places[1:])
    return places


def _agreement(pairs: Sequence[Pair], parts: Any) -> Agreement:
    gold, predicted = ([set(parts(*pair[side])) for pair in pairs] for side in (0, 1))
    correct = sum(len(one & two) for one, two in zip(gold, predicted, strict=True))
    return Agreement(sum(map(len, gold)), sum(map(len, predicted)), correct)


def _words(one: Segmented, at: Places) -> Iterable[Any]:
    """Yield the places of words; those that a token stands for (du: de, le) have its place and their form."""
    for number, place in enumerate(_places(one, at)):
        forms = one.multiword.get(number)
        if forms is None:
            yield place
        else:
            yield from ((*place, form.lower(), forms[:k].count(form)) for k, form in enumerate(forms))


def _places(one: Segmented, at: Places) -> Iterable[Any]:
    return zip(at[one.begins].tolist(), at[one.ends].tolist(), strict=True)


def _tokens(one: Segmented, at: Places) -> Iterable[Any]:
    if one.joined is None or not len(one.begins):
        return _places(one, at)
    first = np.flatnonzero(~one.joined)
    last = np.append(first[1:], len(one.begins)) - 1
    return zip(at[one.begins[first]].tolist(), at[one.ends[last]].tolist(), strict=True)


def _sentences(one: Segmented, at: Places) -> Iterable[Any]:
    first, last = one.offsets[:-1], one.offsets[1:] - 1
    return zip(at[one.begins[first]].tolist(), at[one.ends[last]].tolist(), strict=True)


def _labels(one: Segmented, at: Places, name: str) -> Iterable[Any]:
    found = next((layer.labels for layer in one.layers if layer.name == name), None)
    return () if found is None else zip(_places(one, at), found, strict=True)


def _spans(one: Segmented, at: Places, name: str) -> Iterable[Any]:
    found = chain.from_iterable(layer.spans for layer in one.layers if layer.name == name)
    return ((int(at[span.begin]), int(at[span.end]), span.label) for span in found)


def _has_labels(pairs: Sequence[Pair], name: str) -> bool:
    return all(
        any(layer.name == name and layer.labels is not None for layer in one.layers)
        for pair in pairs
        for one, _ in pair
    )
