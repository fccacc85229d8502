"""Wapiti's models.

    #mdl#2#1234         kind (0 maxent, 1 MEMM, 2 CRF; older files have none), number of weights
    #rdr#19/2/0         patterns, columns that they read, whether "u" is put before attributes
    12:u:w=%x[0,0],     a pattern: its length in bytes, its text, a comma
    #qrk#22             labels, then one a line in the same way
    #qrk#8000           attributes, the same
    17=0x1.8p-3         place and value of a weight that is not 0

Attributes have their weights one after another: one for each label after "u", one for each pair of labels after "b",
both after "*".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from seqlab.errors import StoreError
from seqlab.features import Template
from seqlab.foreign.netstrings import Netstrings
from seqlab.foreign.parts import Floats, ForeignModel, Ints, Weighted, check_labels

HEAD = b"#mdl#"
MEMM = 1
_NUMBER = re.compile(rb"([0-9]{1,19})=([-+0-9a-fA-FxXpPinfINFty.]{1,40})\s*")


def read(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    """The model in a file of Wapiti."""
    file = Netstrings(content, encoding)
    kind, count = file.header(rb"#mdl#(?:([0-9]{1,3})#)?([0-9]{1,18})\n", "#mdl#kind#weights")
    patterns_count, width, prefixed = file.header(
        rb"#rdr#([0-9]{1,9})/([0-9]{1,6})(?:/([0-9]))?\n", "#rdr#patterns/columns/prefix"
    )
    if prefixed:
        raise StoreError(
            "the model puts 'u' before its attributes, which a maximum-entropy model (--me) does; it labels "
            "single lines and no sentences, and cannot be converted",
            line=2,
        )
    first = file.line
    patterns = file.strings(patterns_count or 0, "pattern")
    text = "\n" * (first - 1) + "\n".join(patterns) + "\n"  # so that messages have the lines of this file
    template = Template.from_wapiti(text, columns=columns) if patterns else None
    labels = tuple(file.strings(file.header(rb"#qrk#([0-9]{1,9})\n", "#qrk#labels")[0] or 0, "label"))
    check_labels(labels)
    cut = any("%m" in pattern or "%M" in pattern for pattern in patterns)
    names = file.strings(
        file.header(rb"#qrk#([0-9]{1,9})\n", "#qrk#attributes")[0] or 0, "attribute", lenient=cut
    )
    if len(set(names)) != len(names):
        raise StoreError("an attribute is there twice")
    places, values = file.weights(count or 0, _NUMBER)
    plain = next((line for line in patterns if line.startswith("b") and "%" not in line), None)
    return _model(
        labels, names, _places(names, len(labels)), places, values, template, plain, width or 0, kind
    )


def _places(names: list[str], L: int) -> Ints:
    """(attributes + 1,) where the weights of each attribute begin."""
    sizes = {"u": L, "b": L * L, "*": L + L * L}
    for name in names:
        if name[:1] not in sizes:
            raise StoreError(f"the attribute {name!r:.80} should begin with u, b or *")
    return np.cumsum([0, *(sizes[name[0]] for name in names)], dtype=np.int64)


def _model(
    labels: tuple[str, ...],
    names: list[str],
    begin: Ints,
    places: Ints,
    values: Floats,
    template: Template | None,
    plain: str | None,
    width: int,
    kind: int | None,
) -> ForeignModel:
    L = len(labels)
    if len(places) and places.max() >= begin[-1]:
        raise StoreError(
            f"there is a weight at {int(places.max())}, but attributes and labels have {begin[-1]}"
        )
    letters = np.array([ord(name[0]) for name in names], dtype=np.int64)
    attribute = np.searchsorted(begin, places, side="right") - 1
    cell = places - begin[attribute]
    on_node = (letters[attribute] == ord("u")) | ((letters[attribute] == ord("*")) & (cell < L))
    cell = np.where(~on_node & (letters[attribute] == ord("*")), cell - L, cell)
    node = Weighted(names, attribute[on_node], cell[on_node], values[on_node])
    edge = Weighted(names, attribute[~on_node], cell[~on_node], values[~on_node])
    if template is None and len(edge.weight):
        raise StoreError(
            "the model has no patterns, and attributes for pairs of labels that come ready made; seqlab takes "
            "ready-made attributes for labels only"
        )
    moves, seen = np.zeros(L * L), np.zeros((L, L), dtype=bool)
    if plain in names:
        own = edge.attribute == names.index(plain)
        moves[edge.cell[own]], seen = edge.weight[own], ~seen
    return ForeignModel(
        "Wapiti",
        labels,
        _named(node),
        moves.reshape(L, L),
        seen,
        _named(edge),
        template,
        width,
        local=kind == MEMM,
    )


def _named(given: Weighted) -> Weighted:
    """Only with the attributes that have a weight."""
    kept, place = np.unique(given.attribute, return_inverse=True)
    return Weighted([given.names[i] for i in kept.tolist()], place.reshape(-1), given.cell, given.weight)
