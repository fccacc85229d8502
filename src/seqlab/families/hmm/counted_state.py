"""A counted hidden Markov model as plain data, there and back: its counts, which everything else is made of."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from seqlab.errors import OptionError, StoreError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.suffixes import SuffixModel
from seqlab.families.hmm.transitions import Table, table_shape
from seqlab.families.hmm.word_counts import LARGEST_TOTAL, WordCounts
from seqlab.learning.smoothing import NAMES, AddLambda, KneserNey, Smoothing
from seqlab.store.state import State

KIND = "counted hidden Markov model"


def counted_state(model: CountedHMM) -> State:
    """Everything of a model."""
    flat = model.moves.reshape(-1)
    seen = np.flatnonzero(flat)
    settings: dict[str, Any] = {
        "labels": list(model.labels),
        "order": model.order,
        "end": model.end,
        "smoothing": smoothing_settings(model.smoothing),
        "unknown": {} if model.unknown is None else {"suffix": _plain(model.unknown)},
    }
    arrays = {
        "moves.place": seen.astype(np.int64),
        "moves.count": flat[seen],
        "last": model.last,
        **model.words.arrays(),
    }
    return State(KIND, settings, arrays)


def counted_model(state: State) -> CountedHMM:
    """The model of a state that somebody may have tampered with."""
    labels = state.names("labels")
    if not labels or len(set(labels)) != len(labels):
        raise StoreError("a model needs labels, each of them once")
    order = state.number("order", 1, 3)
    given = State("", state.setting("unknown", dict))
    unknown = suffix_model(State("", given.setting("suffix", dict))) if given.settings else None
    return CountedHMM(
        labels,
        order,
        _moves(state, order, len(labels)),
        _counts(state, "last", (len(labels),)),
        WordCounts.from_state(state, len(labels)),
        smoothing_from(State("", state.setting("smoothing", dict))),
        unknown,
        state.setting("end", bool),
    )


def _counts(state: State, name: str, shape: tuple[int | None, ...]) -> Table:
    counts = state.finite(name, shape)
    if (counts < 0).any() or not float(counts.sum()) < LARGEST_TOTAL:
        raise StoreError(f"the counts {name!r} should be from 0 up, and their sum a number")
    return counts


def _moves(state: State, order: int, L: int) -> Table:
    try:
        shape = table_shape(order, L)
    except OptionError as error:
        raise StoreError(str(error)) from error
    count = _counts(state, "moves.count", (None,))
    place = state.array("moves.place", np.int64, (len(count),))
    size = int(np.prod(shape))
    if not len(place) or place[0] < 0 or place[-1] >= size or (np.diff(place) <= 0).any() or not count.any():
        raise StoreError(
            f"the places of moves should rise and lie between 0 and {size - 1}, and not all count 0"
        )
    moves = np.zeros(size)
    moves[place] = count
    return moves.reshape(shape)


# ---------------------------------------------------------------------------------------------- options


def smoothing_settings(smoothing: Smoothing) -> dict[str, Any]:
    """As JSON can hold it."""
    name = next(name for name, one in NAMES.items() if type(one) is type(smoothing))
    if isinstance(smoothing, AddLambda):
        return {"name": name, "value": float(smoothing.value)}
    if isinstance(smoothing, KneserNey):
        given = smoothing.three()
        return {"name": name, "discounts": [] if given is None else [float(one) for one in given]}
    return {"name": name}


def smoothing_from(state: State) -> Smoothing:
    """The way back."""
    name = state.setting("name", str)
    if name not in NAMES:
        raise StoreError(f"no smoothing is called {name!r:.80}")
    try:
        if name == "add-lambda":
            return AddLambda(state.setting("value", float))
        if name == "kneser-ney":
            given: Any = tuple(state.setting("discounts", list))
            return KneserNey(given or None)
    except OptionError as error:
        raise StoreError(f"the smoothing of the model: {error}") from error
    return NAMES[name]


def _plain(model: SuffixModel) -> dict[str, Any]:
    """Numbers as JSON can hold them, also when they came from NumPy."""
    kept = {name: None if value is None else float(value) for name, value in asdict(model).items()}
    return {**kept, "longest": int(model.longest)}


def suffix_model(state: State) -> SuffixModel:
    """Options of the suffix model, checked."""
    wanted = set(SuffixModel.__dataclass_fields__)
    if set(state.settings) != wanted:
        raise StoreError(f"the options of the suffix model should be {', '.join(sorted(wanted))}")
    try:
        return SuffixModel(**state.settings)
    except (OptionError, TypeError) as error:
        raise StoreError(f"the suffix model: {error}") from error
