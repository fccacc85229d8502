"""Probabilities of spans of types, where labels are tags such as B-PER.

eq:typed-span   P(span) = Σ_w Σ_a Σ_b P(y_{i-1} = a, y_i .. y_{j-1} = w, y_j = b) over the labels w of the type
                without a border inside, a with a border to w, and b with a border from w
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import position_number, thread_count
from seqlab.errors import LabelError, Place
from seqlab.inference.questions import Asked, Part, Question
from seqlab.tags.coding import parse
from seqlab.tags.reading import Pairs
from seqlab.tags.schemes import Role

Doubles = npt.NDArray[np.float64]
OUTSIDE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Types:
    """Labels parsed by conlleval's rules.

    numbers   {type: its number}
    of        (L,)     number of the type of each label, -1 outside spans
    borders   (L, L)   1 if no span continues from one label to the next
    """

    numbers: dict[str, int]
    of: npt.NDArray[np.int32]
    borders: npt.NDArray[np.uint8]


def span_probabilities(asked: Asked, spans: Iterable[Any], *, threads: int | None = None) -> Any:
    """Compute the probability of each span: that exactly its positions form a span of its type (eq:typed-span).

    asked     a Trellis, a TrellisBatch or a list of trellises, whose labels are tags: B-PER, I-PER, O
    spans     of one trellis a list of (start, end, type), where end is not included; of several such a list for each
    threads   how many to use; None for every core

    One pass forward and backward over a sequence serves all of its spans. The answer is an array, or one for each
    sequence.
    """
    question, count = Question(asked), thread_count(threads)
    listed = [list(spans)] if question.single else [list(some) for some in spans]
    if len(listed) != len(question):
        raise LabelError(
            f"{len(listed)} lists of spans are given for {len(question)} sequences", option="spans"
        )
    answers: list[Doubles] = [np.zeros(0)] * len(listed)
    for part in question.parts:
        for labels, numbers in _by_labels(question, part):
            _compute(question, part, labels, numbers, listed, answers, count)
    return answers[0] if question.single else answers


def _by_labels(question: Question, part: Part) -> Iterator[tuple[tuple[str, ...], npt.NDArray[np.int64]]]:
    """Yield the label sets of a part, with the places of their sequences in it; a batch has one."""
    found: dict[tuple[str, ...], list[int]] = {}
    for at, number in enumerate(part.numbers.tolist()):
        found.setdefault(tuple(question.about(number).labels or ()), []).append(at)
    for labels, places in found.items():
        yield labels, np.array(places, dtype=np.int64)


def _compute(
    question: Question,
    part: Part,
    labels: tuple[str, ...],
    places: npt.NDArray[np.int64],
    listed: Sequence[Sequence[Any]],
    answers: list[Doubles],
    threads: int,
) -> None:
    """Compute the probabilities of the spans of sequences with the same labels."""
    types, single = span_types(labels), question.single
    sizes = np.zeros(len(part.numbers), dtype=np.int64)
    flat: list[tuple[int, int, int]] = []
    for at in places.tolist():
        number = int(part.numbers[at])
        length = int(part.lengths[at])
        place = Place(None if single else number, unit="sequence")
        flat += [checked_span(one, length, types, place) for one in listed[number]]
        sizes[at] = len(listed[number])
    begin, end, kind = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
    first = part.starts(sizes)
    chances, log_z = np.zeros(len(flat)), np.zeros(len(part.numbers))
    kinds = kind.astype(np.int32)
    _core.span_probabilities(
        part.batch, types.of, types.borders, first, begin, end, kinds, chances, log_z, threads
    )
    question.refuse_impossible(part, log_z)
    for at in places.tolist():
        answers[int(part.numbers[at])] = chances[first[at] : first[at + 1]]


def checked_span(span: Any, length: int, types: Types, place: Place) -> tuple[int, int, int]:
    """Return start, end and the number of the type of a span that a user gave."""
    if not isinstance(span, Sequence) or len(span) != 3:
        raise LabelError(f"a span is (start, end, type), got {span!r:.60}", place=place)
    i, j, kind = position_number(span[0], "a span"), position_number(span[1], "a span"), span[2]
    if kind not in types.numbers:
        known = ", ".join(map(repr, types.numbers)) or "none: labels are no tags such as B-PER"
        raise LabelError(
            f"span({i}, {j}, {kind!r}) asks for a type of span, but the types are {known}; for labels, write a list",
            place=place,
        )
    if not 0 <= i <= j <= length:
        raise LabelError(f"span({i}, {j}) lies outside a sequence of {length} positions", place=place)
    if i == j:
        raise LabelError(f"span({i}, {j}, {kind!r}) covers no position; a span has at least one", place=place)
    return i, j, types.numbers[kind]


@lru_cache(maxsize=16)
def span_types(labels: tuple[str, ...]) -> Types:
    """Read labels as tags of spans."""
    table = parse(labels, None)
    role, kind = table.roles, table.types
    inside = table.readable & (role != int(Role.OUTSIDE))
    of = np.where(inside, kind, OUTSIDE).astype(np.int32)
    numbers = {name: i for i, name in enumerate(table.type_names) if (of == i).any()}
    borders = Pairs(role[:, None], kind[:, None], role[None, :], kind[None, :]).border()
    return Types(numbers, of, np.ascontiguousarray(borders, dtype=np.uint8))
