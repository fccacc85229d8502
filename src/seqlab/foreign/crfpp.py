"""CRF++'s models as text, which `crf_learn -t` writes.

Five parts with an empty line after each: the header (version, cost-factor, maxid, xsize), the labels, the template, the
attributes with the places of their weights, the weights. An attribute of a U line has a weight for each label, one of a
B line a weight for each pair of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from seqlab.errors import StoreError
from seqlab.features import crfpp as templates
from seqlab.features.template import Template
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
    places: Mapping[str, tuple[int, str]],
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
            raise StoreError(f"line {number}: a name and a number are wanted, found {line!r:.80}") from error
    for name in ("version", "maxid", "xsize"):
        if not 0 <= found.get(name, -1) <= 2**31:
            raise StoreError(f"line {first}: the header should say {name!r}, as a number")
    if not np.isfinite(found["cost-factor"]):
        raise StoreError(f"line {first}: the cost-factor should be a finite number")
    return found


def template_of(patterns: list[str], first: int, columns: Sequence[str] | None) -> Template:
    """The template in these lines, the first of which has this number."""
    text = "\n" * (first - 1) + "\n".join(patterns)  # so that messages have the lines of this file
    parsed = templates.read(text, columns=columns)
    return Template(tuple(parsed.features), parsed.bigram, parsed.boundary)


def _places(lines: Lines) -> dict[str, tuple[int, str]]:
    """Of each attribute where its weights begin, and the line that says so."""
    found: dict[str, tuple[int, str]] = {}
    first = lines.number
    for number, line in enumerate(lines.block("the attributes"), start=first):
        place, _, name = line.partition(" ")
        if not (place.isascii() and place.isdigit() and len(place) < 12) or name[:1] not in {"U", "B"}:
            raise StoreError(
                f"line {number}: the place of a weight and an attribute that begins with U or B are wanted, "
                f"found {line!r:.80}"
            )
        if name in found:
            raise StoreError(f"line {number}: the attribute {name!r:.80} is there twice")
        found[name] = (int(place), f"line {number}")
    return found


def _weights(lines: Lines, count: float) -> Floats:
    """As CRF++ uses them: its taggers read the binary form, which has floats of 4 bytes."""
    first = lines.number
    given = lines.rest()
    if len(given) != count:
        raise StoreError(f"line {first}: {count:.0f} weights are wanted (maxid), found {len(given)}")
    try:
        weights = np.array([float(line) for line in given])
    except ValueError as error:
        i = next(i for i, line in enumerate(given) if not _is_number(line))
        raise StoreError(f"line {first + i}: a weight is wanted, found {given[i]!r:.80}") from error
    with np.errstate(over="ignore"):
        rounded = weights.astype(np.float32).astype(np.float64)
    if not np.isfinite(rounded).all():
        i = int(np.argmin(np.isfinite(rounded)))
        raise StoreError(f"line {first + i}: the weight {given[i]!r:.80} is no finite float")
    return rounded


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _gathered(
    places: Mapping[str, tuple[int, str]], letter: str, size: int, weights: Floats
) -> dict[str, Floats]:
    """The `size` weights of each attribute that begins with this letter."""
    found = {}
    for name, (place, where) in places.items():
        if name[0] != letter:
            continue
        if place + size > len(weights):
            raise StoreError(
                f"{where}: the attribute {name!r:.80} has weights {place} to {place + size - 1}, but there are "
                f"only {len(weights)}"
            )
        found[name] = weights[place : place + size]
    return found


def _table(rows: dict[str, Floats], width: int) -> Floats:
    return np.stack(list(rows.values())) if rows else np.zeros((0, width))
