"""Detection of the tag scheme of a corpus.

Of the schemes that every sequence follows the one with the fewest letters is taken, since it allows least; then the
order of SCHEMES decides. If no scheme fits all of it, the one that the fewest labels break is taken, and the answer
says how many. Labels that are no tags (part-of-speech labels, say) give no scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab.shown import Brief
from seqlab.tags.coding import NO_TYPE, Coded, Places, coded, parse
from seqlab.tags.reading import Labels, Pairs
from seqlab.tags.schemes import IOB2, SCHEMES, Role, Scheme

# Tried in this order by default: B-PER, B_PER, PER-B, PER_B.
SPELLINGS = (("-", False), ("_", False), ("-", True), ("_", True))


@dataclass(frozen=True, slots=True, repr=False)
class Detection(Brief):
    """The scheme of a corpus, and why.

    scheme         None when the labels are not tags
    alternatives   other schemes that fit as well, best first; they read the same spans
    invalid        number of labels that break the scheme
    reason         a sentence
    """

    scheme: Scheme | Any
    alternatives: tuple[Scheme, ...]
    invalid: int
    reason: str


def known_runs(sequences: Sequence[Sequence[str | None]]) -> list[list[str]]:
    """Split sequences at missing labels (None), so that detect() can use the others."""
    runs: list[list[str]] = []
    for sequence in sequences:
        runs.append([])
        for label in sequence:
            if label is None:
                runs.append([])
            else:
                runs[-1].append(label)
    return runs


def detect(sequences: Labels, *, delimiter: str | None = None, suffix: bool | None = None) -> Detection:
    """Find the scheme that fits these sequences of labels (one, or many).

    delimiter, suffix   how labels are written; None tries B-PER, B_PER, PER-B and PER_B
    """
    return detect_coded(coded(sequences, "sequences"), delimiter=delimiter, suffix=suffix)


def detect_coded(labels: Coded, *, delimiter: str | None = None, suffix: bool | None = None) -> Detection:
    """Find the scheme of coded sequences; it must have the letters of all `labels.values`, even of unused ones."""
    values = labels.values
    if not values:
        return Detection(None, (), 0, "there are no labels")
    for mark, behind in SPELLINGS if delimiter is None and suffix is None else [(delimiter, suffix)]:
        spelling = Scheme.of(IOB2, delimiter=mark, suffix=behind)
        table = parse(values, None, spelling)
        if table.readable.all():
            schemes = [
                Scheme.of(one, delimiter=spelling.delimiter, suffix=spelling.suffix) for one in SCHEMES
            ]
            if (table.roles != Role.OUTSIDE).any():
                return _best(labels, schemes)
            reason = "no label begins a span, so every scheme fits; IOB2 is usual"
            return Detection(schemes[0], tuple(schemes[1:]), 0, reason)
    readable = parse(values, None).readable.tolist()
    strangers = [value for value, fine in zip(values, readable, strict=True) if not fine]
    shown = ", ".join(map(repr, strangers[:5])) + (", ..." if len(strangers) > 5 else "")
    reason = f"{len(strangers)} of {len(values)} distinct labels are no tags: {shown}"
    return Detection(None, (), 0, reason)


def _best(labels: Coded, schemes: Sequence[Scheme]) -> Detection:
    neighbours = _neighbours(labels)
    broken = {scheme: _broken(scheme, labels, neighbours) for scheme in schemes}
    best, *others = sorted(schemes, key=lambda scheme: (broken[scheme], len(scheme.roles)))
    alternatives = tuple(scheme for scheme in others if broken[scheme] == broken[best])
    if broken[best]:
        share = f"{broken[best]} of {len(labels.codes)} labels that break it"
        reason = f"no scheme fits all; {best} comes nearest, with {share}"
    elif alternatives:
        fitting = ", ".join(map(str, alternatives))
        reason = f"all labels follow {best}, which allows least; {fitting} would fit too"
    else:
        reason = f"all labels follow {best}, and no other scheme fits"
    return Detection(best, alternatives, broken[best], reason)


def _neighbours(labels: Coded) -> tuple[Places, Places, Places]:
    """Count distinct pairs of neighbours: codes, with one past the last label for the end of a sequence."""
    edge = len(labels.values)
    codes = np.full(len(labels.codes) + len(labels.offsets), edge, dtype=np.int64)
    codes[np.arange(len(labels.codes)) + labels.sequence_of + 1] = labels.codes
    pairs, counts = np.unique(codes[:-1] * (edge + 1) + codes[1:], return_counts=True)
    return pairs // (edge + 1), pairs % (edge + 1), counts


def _broken(scheme: Scheme, labels: Coded, neighbours: tuple[Places, Places, Places]) -> int:
    """Count the labels that break the scheme, on distinct neighbours; once for each side that is wrong."""
    table = parse(labels.values, scheme)
    roles = np.append(table.roles, np.int8(Role.OUTSIDE))
    types = np.append(table.types, np.int32(NO_TYPE))
    left, right, counts = neighbours
    bad_start, bad_end = Pairs(roles[left], types[left], roles[right], types[right]).faults(scheme)
    uses = np.bincount(labels.codes, minlength=len(labels.values))
    return int((bad_start.astype(np.int64) + bad_end) @ counts) + int(np.maximum(uses, 1)[~table.own].sum())
