"""Features of a whole labelling, which a chain model cannot have."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqlab.corpus import Sentence
from seqlab.corpus.columns import WORD_COLUMNS
from seqlab.corpus.lists import Bag, bag
from seqlab.errors import OptionError, TemplateError
from seqlab.tags import Scheme, Span, detect, spans

Labels = tuple[str, ...]
Features = Callable[[Any, Labels], Any]  # (tokens, labels) -> strings, pairs (string, number), or a dict
MOST_COUNTED = 4  # counts of one label in a sentence are capped
LONGEST_SPAN = 6


@dataclass(frozen=True)
class GlobalFeatures:
    """The default features of a Reranker.

    Of labels: three and four in a row, and how many of each there are. Of words with labels: the word, its neighbours,
    its ending, and whether the same word has the same label each time. Of spans, when labels are tags of a scheme: type
    with text, length and the word before, types in a row, and how many of each type.

    >>> sorted(GlobalFeatures()(["saw"], ["V"]))[:4]
    ['V after <s>', 'V before </s>', 'V ending saw', 'V word saw']
    """

    scheme: Scheme | str | None = None

    def check(self) -> None:
        """Reject an unknown tag scheme."""
        if isinstance(self.scheme, str):
            Scheme.of(self.scheme)
        elif self.scheme is not None and not isinstance(self.scheme, Scheme):
            raise OptionError(f"scheme must be a tag scheme or its name, got {self.scheme!r:.60}")

    def __call__(self, tokens: Any, labels: Sequence[str]) -> dict[str, float]:
        """Return {feature: count} of this labelling."""
        return dict(self.of_list(tokens, [tuple(labels)])[0])

    def of_list(self, tokens: Any, candidates: Sequence[Labels]) -> list[Counter[str]]:
        """Return the features of every candidate; spans of all of them are read at once."""
        words = words_of(tokens)
        found = [Counter(_of_labels(labels)) for labels in candidates]
        if words is not None:
            for names, labels in zip(found, candidates, strict=True):
                names.update(_of_words(words, labels))
        if self.scheme is not None:
            # Without tokens there is one candidate, of no spans.
            read = spans([list(labels) for labels in candidates], self.scheme) if any(candidates) else [[]]
            for names, own in zip(found, read, strict=True):
                names.update(_of_spans(words, own))
        return found


def checked_features(given: Any, gold: Sequence[Sequence[str]]) -> Features:
    """Check features; None means the default ones, with the tag scheme of the gold labels if they have one."""
    if given is None:
        return GlobalFeatures(detect([list(labels) for labels in gold]).scheme)
    if not callable(given):
        raise OptionError(
            f"features must be a function (tokens, labels) or None for the usual ones, got {given!r:.60}"
        )
    return given  # type: ignore[no-any-return]


def features_of(
    function: Features, tokens: Any, candidates: Sequence[Labels], where: str
) -> Sequence[Mapping[str, float]]:
    """Return {feature: value} for each candidate; duplicates are added. `where` begins a message."""
    if isinstance(function, GlobalFeatures):
        return function.of_list(tokens, candidates)
    where = f"{where}: {getattr(function, '__name__', 'features')}(tokens, labels)"
    found: list[dict[str, float]] = []
    for labels in candidates:
        summed: dict[str, float] = {}
        for name, value in _checked(function(tokens, labels), where):
            summed[name] = summed.get(name, 0.0) + value
        found.append(summed)
    return found


def _checked(given: Any, where: str) -> Bag:
    if isinstance(given, Mapping):
        return bag(given, where=where)
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TemplateError(f"{where} should give a list of strings or a dict, got {given!r:.60}")
    found: Bag = []
    for one in given:
        pair = isinstance(one, tuple) and len(one) == 2 and not isinstance(one[1], (str, bytes))
        found += bag({one[0]: one[1]} if pair else [one], where=where)
    return found


def words_of(tokens: Any) -> list[str] | None:
    """Return the words of a sentence: strings, or the first cells of tuples; None for ready-made attributes."""
    if isinstance(tokens, Sentence):
        name = next((name for name in WORD_COLUMNS if name in tokens.columns), None)
        return None if name is None else list(tokens[name])
    cells = [token[0] if isinstance(token, (tuple, list)) and token else token for token in tokens]
    return cells if all(isinstance(cell, str) for cell in cells) else None


def _up_to(most: int, count: int) -> str:
    return str(count) if count < most else f"{most}+"


def _of_labels(labels: Labels) -> Iterator[str]:
    padded = ("<s>", "<s>", *labels, "</s>")
    for i in range(len(labels)):
        yield "labels " + " ".join(padded[i : i + 3])
        yield "labels " + " ".join(padded[i : i + 4])
    for label, count in Counter(labels).items():
        yield f"count {label}={_up_to(MOST_COUNTED, count)}"


def _of_words(words: list[str], labels: Labels) -> Iterator[str]:
    padded = ["<s>", *words, "</s>"]
    seen: dict[str, str] = {}
    for t, (word, label) in enumerate(zip(words, labels, strict=True)):
        yield f"{label} word {word}"
        yield f"{label} after {padded[t]}"
        yield f"{label} before {padded[t + 2]}"
        yield f"{label} ending {word[-3:]}"
        before = seen.setdefault(word.lower(), label)
        if before != label:
            yield "same word, other label"
            yield f"same word, {before} and {label}"


def _of_spans(words: list[str] | None, found: list[Span]) -> Iterator[str]:
    types = ["<s>", *(span.type for span in found), "</s>"]
    yield from (f"spans {one} {other}" for one, other in itertools.pairwise(types))
    for kind, count in Counter(types[1:-1]).items():
        yield f"spans of {kind}={_up_to(MOST_COUNTED, count)}"
    for span in found:
        yield f"{span.type} of length {_up_to(LONGEST_SPAN, span.end - span.start)}"
        if words is not None:
            yield f"{span.type} is {' '.join(words[span.start : span.end])}"
            yield f"{span.type} after {words[span.start - 1] if span.start else '<s>'}"
