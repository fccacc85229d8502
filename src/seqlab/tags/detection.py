"""Which scheme a corpus follows.

Of the schemes that every sequence follows the one with the fewest letters is taken, since it allows least; then the
order of SCHEMES decides. If no scheme fits all of it, the one that the fewest labels break is taken, and the answer
says how many. Labels that are no tags (part-of-speech labels, say) give no scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seqlab.tags.coding import NO_TYPE, Coded, LabelTable, Places, encode, one_or_many, parse
from seqlab.tags.reading import Labels, Pairs
from seqlab.tags.schemes import IOB2, SCHEMES, Role, Scheme

# Tried in this order, when nothing is said: B-PER, B_PER, PER-B, PER_B.
SPELLINGS = (("-", False), ("_", False), ("-", True), ("_", True))


@dataclass(frozen=True, slots=True)
class Detection:
    """The scheme of a corpus, and why.

    scheme         None when the labels are no tags
    alternatives   other schemes that fit as well, best first; they read the same spans
    invalid        how many labels break the scheme
    reason         a sentence
    """

    scheme: Scheme | None
    alternatives: tuple[Scheme, ...]
    invalid: int
    reason: str


def detect(sequences: Labels, *, delimiter: str | None = None, suffix: bool | None = None) -> Detection:
    """The scheme that fits these labels (one sequence, or many).

    delimiter, suffix   how labels are written; None tries B-PER, B_PER, PER-B and PER_B
    """
    listed, _ = one_or_many(sequences, "sequences")
    return detect_coded(encode(listed, "sequences"), delimiter=delimiter, suffix=suffix)


def detect_coded(coded: Coded, *, delimiter: str | None = None, suffix: bool | None = None) -> Detection:
    """The same for coded sequences. The scheme should have the letters of all `coded.values`, even of unused ones."""
    if not coded.values:
        return Detection(None, (), 0, "there are no labels")
    for mark, behind in SPELLINGS if delimiter is None and suffix is None else [(delimiter, suffix)]:
        spelling = Scheme.of(IOB2, delimiter=mark, suffix=behind)
        table = parse(coded.values, None, spelling)
        if table.readable.all():
            return _best(coded, table, spelling)
    return Detection(None, (), 0, _no_tags(coded.values))


def _no_tags(values: Sequence[str]) -> str:
    table = parse(values, None)
    strangers = [value for value, fine in zip(values, table.readable.tolist(), strict=True) if not fine]
    shown = ", ".join(map(repr, strangers[:5])) + (", ..." if len(strangers) > 5 else "")
    return f"{len(strangers)} of {len(values)} distinct labels are no tags: {shown}"


def _best(coded: Coded, table: LabelTable, spelling: Scheme) -> Detection:
    if not (table.roles != Role.OUTSIDE).any():
        others = tuple(_respelled(scheme, spelling) for scheme in SCHEMES[1:])
        return Detection(
            _respelled(IOB2, spelling),
            others,
            0,
            "no label begins a span, so every scheme fits; IOB2 is usual",
        )
    neighbours = _neighbours(coded)
    ranked = []
    for order, plain in enumerate(SCHEMES):
        scheme = _respelled(plain, spelling)
        ranked.append((_broken(scheme, coded, neighbours), len(scheme.roles), order, scheme))
    ranked.sort(key=lambda row: row[:3])
    broken, _, _, best = ranked[0]
    alternatives = tuple(row[3] for row in ranked[1:] if row[0] == broken)
    return Detection(best, alternatives, broken, _reason(best, broken, alternatives, coded))


def _reason(best: Scheme, broken: int, alternatives: tuple[Scheme, ...], coded: Coded) -> str:
    if broken:
        return f"no scheme fits all; {best} comes nearest, with {broken} of {len(coded.codes)} labels that break it"
    if alternatives:
        return (
            f"all labels follow {best}, which allows least; {', '.join(map(str, alternatives))} would fit too"
        )
    return f"all labels follow {best}, and no other scheme fits"


def _respelled(scheme: Scheme, spelling: Scheme) -> Scheme:
    return Scheme.of(scheme, delimiter=spelling.delimiter, suffix=spelling.suffix)


def _neighbours(coded: Coded) -> tuple[Places, Places, Places]:
    """Distinct neighbours (as codes; one past the last label stands for the edge of a sequence), and how often."""
    edge = len(coded.values)
    codes = np.full(len(coded.codes) + len(coded.offsets), edge, dtype=np.int64)
    codes[np.arange(len(coded.codes)) + coded.sequence_of + 1] = coded.codes
    pairs, counts = np.unique(codes[:-1] * (edge + 1) + codes[1:], return_counts=True)
    return pairs // (edge + 1), pairs % (edge + 1), counts


def _broken(scheme: Scheme, coded: Coded, neighbours: tuple[Places, Places, Places]) -> int:
    """How many labels break the scheme, found on distinct neighbours; once for each side that is wrong."""
    table = parse(coded.values, scheme)
    roles = np.append(table.roles, np.int8(Role.OUTSIDE))
    types = np.append(table.types, np.int32(NO_TYPE))
    left, right, counts = neighbours
    pairs = Pairs(roles[left], types[left], roles[right], types[right])
    border = pairs.border()
    bad = pairs.bad_start(scheme, border).astype(np.int64) + pairs.bad_end(scheme, border)
    uses = np.bincount(coded.codes, minlength=len(coded.values))
    return int(bad @ counts) + int(np.maximum(uses, 1)[~table.own].sum())
