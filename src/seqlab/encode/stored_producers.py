"""What an encoder has learned, as plain data: its producers of attributes, there and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlab.encode import bag_rows
from seqlab.encode.bag_rows import BagRows, VectorRows
from seqlab.encode.given import BagsOfColumn, BagsOfFunction
from seqlab.encode.producer import Producer
from seqlab.encode.stored import TEMPLATE_ROWS
from seqlab.encode.template_rows import TemplateRows
from seqlab.errors import StoreError
from seqlab.features import Template
from seqlab.features.own import FeatureFunction
from seqlab.store.state import State

NODE, EDGE = "node", "edge"  # names of the parts, with a number behind

Made = Template | FeatureFunction | None


def with_producers(state: State, node: Sequence[Producer], edge: Sequence[Producer]) -> State:
    """The state with what the producers have learned."""
    parts = {f"{NODE}{number}": producer.state() for number, producer in enumerate(node)}
    parts.update({f"{EDGE}{number}": producer.state() for number, producer in enumerate(edge)})
    return state.with_parts(parts)


def producers_of(state: State, features: Made, min_count: int) -> tuple[list[Producer], list[Producer]]:
    """The producers of labels' attributes and of label pairs', as with_producers() was given them."""
    node = _producers(state, NODE, features, min_count, state.number("size", 0))
    edge = _producers(state, EDGE, features, min_count, state.number("edge_size", 0))
    wanted = isinstance(features, Template) and any(feature.on_edge for feature in features)
    if len(edge) != (1 if node and wanted else 0):
        raise StoreError("the attributes of label pairs do not fit the template")
    return node, edge


def _producers(state: State, name: str, features: Made, min_count: int, size: int) -> list[Producer]:
    made: list[Producer] = []
    numbers = [np.zeros(0, dtype=np.int32)]
    while state.has_part(f"{name}{len(made)}"):
        part = state.any_part(f"{name}{len(made)}")
        # Only the first makes attributes of others; the rest reads them from columns.
        made.append(_producer(part, features if not made else None, min_count, size, on_moves=name == EDGE))
        ids = [array for own, array in part.arrays.items() if own == "ids" or own.endswith(".ids")]
        numbers += [array[array >= 0] for array in ids]  # -1: a number of a vector that is left out
    _check_numbers(np.concatenate(numbers), size)
    columns = [producer.column for producer in made]
    if len(set(columns)) != len(columns):
        raise StoreError("two producers of attributes read the same column")
    return made


def _producer(part: State, features: Made, min_count: int, size: int, *, on_moves: bool) -> Producer:
    made: Producer | None = None
    if isinstance(features, Template):
        if part.kind == TEMPLATE_ROWS and part.setting("on_moves", bool) == on_moves:
            made = TemplateRows.from_state(part, features, min_count, size)
    elif part.kind == bag_rows.BAGS and not on_moves:
        if features is not None and part.settings.get("column", "") is None:
            made = BagRows.from_state(part, BagsOfFunction(features), min_count, size)
        elif features is None:
            made = BagRows.from_state(part, BagsOfColumn(part.setting("column", str)), min_count, size)
    elif part.kind == bag_rows.VECTORS and features is None and not on_moves:
        made = VectorRows.from_state(part, size)
    if made is None:
        raise StoreError(f"the part of kind {part.kind!r:.80} does not fit the features of the encoder")
    return made


def _check_numbers(numbers: np.ndarray, size: int) -> None:
    """Every number below `size` belongs to one attribute."""
    if len(numbers) != size or (np.bincount(numbers, minlength=size) != 1).any():
        raise StoreError(f"the attributes should have the numbers 0 to {size - 1}, each once")
