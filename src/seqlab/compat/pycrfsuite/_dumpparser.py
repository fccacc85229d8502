"""Contents of a model file as dicts."""

from __future__ import annotations

import struct
from functools import cached_property
from typing import Any

HEADER = struct.Struct("<4sI4s9I")
FIELDS = ("num_features", "num_labels", "num_attrs")
PLACES = ("off_features", "off_labels", "off_attrs", "off_labelrefs", "off_attrrefs")


class ParsedDump:
    """The weights of a model, as dicts that are made on first use.

    content   bytes of a CRFsuite model file

    header, labels {name: number}, attributes {name: number} (numbers as strings, as in the text of a dump),
    transitions {(from, to): weight}, state_features {(attribute, label): weight}
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._head = HEADER.unpack_from(content)

    @cached_property
    def _model(self) -> Any:
        """The whole model, a ForeignModel."""
        from seqlab.foreign import crfsuite, parts

        trained = self._head[5] > 0
        return crfsuite.read(self._content, "utf-8") if trained else parts.nothing_learned("CRFsuite")

    @cached_property
    def header(self) -> dict[str, str]:
        """Fields of the header of the file, as strings."""
        magic, size, kind, version, *numbers = self._head
        told = {"magic": magic.decode(), "size": str(size), "type": kind.decode(), "version": str(version)}
        told |= {name: str(number) for name, number in zip(FIELDS, numbers[:3], strict=True)}
        return told | {name: f"0x{number:X}" for name, number in zip(PLACES, numbers[3:], strict=True)}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Numbers of the labels, as strings."""
        return {name: str(number) for number, name in enumerate(self._model.labels)}

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Numbers of the attributes, as strings."""
        return {name: str(number) for number, name in enumerate(self._model.node.names)}

    @cached_property
    def transitions(self) -> dict[tuple[str, str], float]:
        """Weights by (from, to)."""
        model = self._model
        pairs = zip(*(some.tolist() for some in model.move_seen.nonzero()), strict=True)
        names = model.labels
        return {(names[one], names[other]): float(model.moves[one, other]) for one, other in pairs}

    @cached_property
    def state_features(self) -> dict[tuple[str, str], float]:
        """Weights by (attribute, label)."""
        node, labels = self._model.node, self._model.labels
        names = list(node.names)
        entries = zip(node.attribute.tolist(), node.cell.tolist(), node.weight.tolist(), strict=True)
        return {(names[attribute], labels[label]): weight for attribute, label, weight in entries}
