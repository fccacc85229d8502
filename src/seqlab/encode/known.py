"""Encoders that know given attributes, for weights that were not learned here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.encode.bag_rows import BagRows, BagsOfColumn
from seqlab.encode.encoder import ATTRIBUTES, Encoder
from seqlab.encode.plan import Plan
from seqlab.encode.template_rows import TemplateRows
from seqlab.errors import TemplateError
from seqlab.features import Template

Numbers = npt.NDArray[np.int64]

# Ways to take attributes apart into values: an address full of slashes has hundreds, but most words have one.
MOST_READINGS, MOST_READINGS_EACH = 1_000_000, 16


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """An encoder and what its attributes are.

    node   (size,)        the place of each attribute in the list of names that was given
    edge   (edge_size,)   the same for attributes of label pairs
    """

    encoder: Encoder
    node: Numbers
    edge: Numbers


def of_bags(names: Sequence[str]) -> Known:
    """Make an encoder for ready-made attributes with these names, each of which is there once."""
    encoder = Encoder()
    pool, numbers = _core.StringPool(), np.arange(len(names))
    for name in names:
        pool.intern(name)
    rows = BagRows(BagsOfColumn(ATTRIBUTES), encoder.min_count, pool, numbers.astype(np.int32))
    encoder.take([rows], [], len(names), 0)
    return Known(encoder, numbers, np.zeros(0, dtype=np.int64))


def of_template(template: Template, names: Sequence[str], edge_names: Sequence[str]) -> Known:
    """Make an encoder for the attributes of a template with these names; those that it never makes are left out.

    "U:a/b/c" is what U:%x[0,0]/%x[0,1] makes of a/b and c, and of a and b/c: then both are known, as attributes of
    their own that come from the same name.
    """
    encoder = Encoder(template)
    rows, origin = _rows(Plan(template, encoder.min_count, on_moves=False), names)
    edges: list[TemplateRows] = []
    edge_origin = np.zeros(0, dtype=np.int64)
    if any(feature.on_edge for feature in template):
        made, edge_origin = _rows(Plan(template, encoder.min_count, on_moves=True), edge_names)
        edges.append(made)
    encoder.take([rows], edges, len(origin), len(edge_origin))
    return Known(encoder, origin, edge_origin)


def _rows(plan: Plan, names: Sequence[str]) -> tuple[TemplateRows, Numbers]:
    """Make the producer of the attributes, and find the name that each of them has."""
    pools = [_core.StringPool() for _ in plan.pools()]
    places = plan.places()
    ids: list[list[int]] = [[] for _ in places]
    values: list[list[int]] = [[] for _ in places]
    origin: list[int] = []
    most = MOST_READINGS + MOST_READINGS_EACH * len(names)
    for number, group, reading in _made_by(plan, names):
        if len(origin) == most:
            raise TemplateError(
                f"the attributes can be made of values in more than {most} ways, as {names[number]!r:.80} can; the "
                "template needs text between its values that the values do not have"
            )
        ids[group].append(len(origin))
        values[group] += [
            pools[pool].intern(value) for pool, value in zip(places[group], reading, strict=True)
        ]
        origin.append(number)
    learned = [
        (np.array(some, dtype=np.int32), np.array(flat, dtype=np.int32))
        for some, flat in zip(ids, values, strict=True)
    ]
    words = [_core.StringPool() for _ in plan.sources]
    return TemplateRows(plan, (words, pools, learned)), np.array(origin, dtype=np.int64)


def _made_by(plan: Plan, names: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Find (number of the name, group, values) for every way to make an attribute."""
    by_head: dict[str, list[int]] = {}
    for group, pieces in enumerate(plan.pieces):
        by_head.setdefault(pieces[0], []).append(group)
    lengths = sorted({len(head) for head in by_head})
    for number, name in enumerate(names):
        for length in lengths:
            for group in by_head.get(name[:length], ()) if length <= len(name) else ():
                for values in _readings(name[length:], plan.pieces[group][1:]):
                    yield number, group, values


def _readings(rest: str, pieces: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Find values with these pieces behind each of them that give `rest`."""
    if not pieces:
        if not rest:
            yield ()
        return
    if len(pieces) == 1:
        if rest.endswith(pieces[0]):
            yield (rest[: len(rest) - len(pieces[0])],)
        return
    at = rest.find(pieces[0])
    while at >= 0:
        for others in _readings(rest[at + len(pieces[0]) :], pieces[1:]):
            yield (rest[:at], *others)
        at = rest.find(pieces[0], at + 1)
