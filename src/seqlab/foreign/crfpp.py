"""CRF++'s models as text, which `crf_learn -t` writes.

Five parts with an empty line after each: the header (version, cost-factor, maxid, xsize), the labels, the template, the
attributes with the places of their weights, the weights. An attribute of a U line has a weight for each label, one of a
B line a weight for each pair of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from seqlab.errors import Place, StoreError
from seqlab.features import Template
from seqlab.foreign.lines import Lines
from seqlab.foreign.parts import Floats, ForeignModel, check_labels, dense

HEAD = b"version:"


def read(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    """The model in a text file of CRF++."""
    lines = Lines.of(content, encoding)
    header = _header(lines)
    labels = tuple(lines.block("the labels"))
    check_labels(labels)
    first = lines.number
    patterns = lines.block("the template")
    template = template_of(patterns, first, columns)
    places = _places(lines)
    weights = _weights(lines, header["maxid"]) * header["cost-factor"]
    return assembled(labels, patterns, template, places, weights, int(header["xsize"]))


def assembled(
    labels: tuple[str, ...],
    patterns: Sequence[str],
    template: Template,
    places: Mapping[str, tuple[int, Place]],
    weights: Floats,
    width: int,
) -> ForeignModel:
    """The model of these parts; `places` says of each attribute where its weights begin, and where that stands."""
    L = len(labels)
    wanted = sum(L if name[0] == "U" else L * L for name in places)
    if wanted > len(weights):
        raise StoreError(f"the attributes have {wanted} weights, but there are only {len(weights)}")
    node = _gathered(places, "U", L, weights)
    edge = _gathered(places, "B", L * L, weights)
    plain = next((line for line in patterns if line.startswith("B") and "%x[" not in line), None)
    moves, seen = np.zeros((L, L)), np.zeros((L, L), dtype=bool)
    if plain in edge:
        moves, seen = edge[plain].reshape(L, L), ~seen
    return ForeignModel(
        "CRF++",
        labels,
        dense(list(node), _table(node, L)),
        moves,
        seen,
        dense(list(edge), _table(edge, L * L)),
        template,
        width,
    )


def _header(lines: Lines) -> dict[str, float]:
    found: dict[str, float] = {"cost-factor": 1.0}
    first = lines.number
    for number, line in enumerate(lines.block("the header"), start=first):
        name, _, value = line.partition(":")
        try:
            found[name] = float(value)
        except ValueError as error:
            raise StoreError(f"a name and a number are wanted, found {line!r:.80}", line=number) from error
    for name in ("version", "maxid", "xsize"):
        if not 0 <= found.get(name, -1) <= 2**31:
            raise StoreError(f"the header should say {name!r}, as a number", line=first)
    if not np.isfinite(found["cost-factor"]):
        raise StoreError("the cost-factor should be a finite number", line=first)
    return found


def template_of(patterns: list[str], first: int, columns: Sequence[str] | None) -> Template:
    """Read the template in these lines of a file, the first of which has this number; messages name them."""
    return Template.from_crfpp("\n" * (first - 1) + "\n".join(patterns) + "\n", columns=columns)


def _places(lines: Lines) -> dict[str, tuple[int, Place]]:
    """Of each attribute where its weights begin, and the line that says so."""
    found: dict[str, tuple[int, Place]] = {}
    first = lines.number
    for number, line in enumerate(lines.block("the attributes"), start=first):
        place, _, name = line.partition(" ")
        if not (place.isascii() and place.isdigit() and len(place) < 12) or name[:1] not in {"U", "B"}:
            raise StoreError(
                f"the place of a weight and an attribute that begins with U or B are wanted, "
                f"found {line!r:.80}",
                line=number,
            )
        if name in found:
            raise StoreError(f"the attribute {name!r:.80} is there twice", line=number)
        found[name] = (int(place), Place(line=number))
    return found


def _weights(lines: Lines, count: float) -> Floats:
    """As CRF++ uses them: its taggers read the binary form, which has floats of 4 bytes."""
    first = lines.number
    given = lines.rest()
    if len(given) != count:
        raise StoreError(f"{count:.0f} weights are wanted (maxid), found {len(given)}", line=first)
    try:
        weights = np.array([float(line) for line in given])
    except ValueError as error:
        i = next(i for i, line in enumerate(given) if not _is_number(line))
        raise StoreError(f"a weight is wanted, found {given[i]!r:.80}", line=first + i) from error
    with np.errstate(over="ignore"):
        rounded = weights.astype(np.float32).astype(np.float64)
    if not np.isfinite(rounded).all():
        i = int(np.argmin(np.isfinite(rounded)))
        raise StoreError(f"the weight {given[i]!r:.80} is no finite float", line=first + i)
    return rounded


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _gathered(
    places: Mapping[str, tuple[int, Place]], letter: str, size: int, weights: Floats
) -> dict[str, Floats]:
    """The `size` weights of each attribute that begins with this letter."""
    found = {}
    for name, (place, where) in places.items():
        if name[0] != letter:
            continue
        if place + size > len(weights):
            raise StoreError(
                f"the attribute {name!r:.80} has weights {place} to {place + size - 1}, but there are "
                f"only {len(weights)}",
                place=where,
            )
        found[name] = weights[place : place + size]
    return found


def _table(rows: dict[str, Floats], width: int) -> Floats:
    return np.stack(list(rows.values())) if rows else np.zeros((0, width))
