"""A Markov chain as plain data: its options, and either what it counted or, from an ARPA file, its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import _core
from seqlab.errors import StoreError
from seqlab.families.chain.ngrams import MOST_ORDER, RAW_START, RAW_WORDS, Counted, NgramModel, Symbols
from seqlab.learning.smoothing import NAMES, AddLambda, KneserNey, Smoothing
from seqlab.store.state import Array, State, string_arrays
from seqlab.tagging.transitions import END, START

if TYPE_CHECKING:
    from seqlab.families.chain.tagger import MarkovChain

KIND = "markov chain"
MOST_COUNT = 1 << 62


def chain_state(chain: MarkovChain) -> State:
    """Everything that must come back; a chain that was counted is estimated anew."""
    counted = chain.counts_
    settings = {
        "order": int(chain.order),
        "smoothing": _described(chain.smoothing),
        "unknown": [] if chain.unknown is None else [chain.unknown],
        "min_count": int(chain.min_count),
        "closed": chain.vocabulary is not None,
        "end": bool(chain.end),
        "column": [] if chain.column_ is None else [chain.column_],
        "counted": counted is not None,
    }
    given = [] if chain.vocabulary is None else chain.vocabulary
    words = list(given) if isinstance(given, Sequence) else sorted(set(given))
    arrays = string_arrays("vocabulary", words)
    if counted is None:
        symbols = chain.model_.symbols
        settings["own_unknown"] = [] if symbols.unknown is None else [symbols.unknown]
        known = [name for name in symbols.words if name != symbols.unknown]
        arrays |= string_arrays("words", known)
        arrays |= _levels(chain.model_.table.arrays(), ("parent", "symbol", "log_prob", "log_backoff"))
        return State(KIND, settings, arrays)
    settings["own_order"], settings["own_end"] = counted.order, counted.end
    arrays |= string_arrays("words", counted.pool.strings())
    arrays |= _levels(counted.ngrams.arrays(), ("parent", "symbol", "count"))
    return State(KIND, settings, arrays)


def chain_from_state(state: State) -> tuple[dict[str, Any], Counted | None, NgramModel | None, str | None]:
    """Options, then counts or a model (the other is None), and the column of training, all of them checked."""
    options = {
        "order": state.setting("order", int),
        "smoothing": _smoothing(State("", state.setting("smoothing", dict))),
        "unknown": next(iter(state.names("unknown")), None),
        "min_count": state.setting("min_count", int),
        "vocabulary": state.strings("vocabulary") if state.setting("closed", bool) else None,
        "end": state.setting("end", bool),
    }
    column = next(iter(state.names("column")), None)
    words = state.strings("words")
    if len(set(words)) != len(words) or {START, END} & set(words):
        raise StoreError("a word is there twice, or has the name of the start or the end")
    if state.setting("counted", bool):
        return options, _counted(state, words), None, column
    return options, None, _model(state, words), column


def _counted(state: State, words: list[str]) -> Counted:
    order = _order(state.setting("own_order", int))
    levels = []
    total = 0.0
    for k in range(order + 1):
        parent, symbol = _tree(state, k)
        count = state.array(f"count.{k}", np.int64, (len(symbol),))
        if (count < min(k, 1)).any() or (k > 0 and (symbol == RAW_START).any()):
            raise StoreError("an n-gram has a count below 1, or goes on with the start of a sentence")
        total += float(count.sum(dtype=np.float64))
        levels.append((parent, symbol, count))
    if len(levels[0][1]) != RAW_WORDS + len(words) or not len(levels[1][1]) or total > MOST_COUNT:
        raise StoreError("the counts do not fit the words, or there are none")
    pool = _core.StringPool()
    for word in words:
        pool.intern(word)
    return Counted(pool, _core.NgramCounts.of(levels), state.setting("own_end", bool))


def _model(state: State, words: list[str]) -> NgramModel:
    unknown = next(iter(state.names("own_unknown")), None)
    symbols = Symbols.of(words, unknown, end=True)
    if len(symbols.pool) != len(symbols.names) + 1:
        raise StoreError("the unknown word is also a word")
    levels: list[Any] = []
    for k in range(_order(state.setting("order", int)) + 1):
        parent, symbol = _tree(state, k)
        logs = [
            state.array(f"{name}.{k}", np.float64, (len(symbol),)) for name in ("log_prob", "log_backoff")
        ]
        if not all((one < np.inf).all() for one in logs) or (logs[0] > 0).any():
            raise StoreError("a log-probability is NaN or above 0")
        levels.append((parent, symbol, *logs))
    if len(levels[0][1]) != len(symbols.names) + 1:
        raise StoreError("the table does not fit the words")
    return NgramModel(symbols, _core.NgramTable.of(levels, flat=False))


def _tree(state: State, k: int) -> tuple[Array, Array]:
    symbol = state.array(f"symbol.{k}", np.int32, (None,))
    return state.array(f"parent.{k}", np.int32, (len(symbol),)), symbol


def _levels(levels: list[Any], names: tuple[str, ...]) -> dict[str, Array]:
    return {
        f"{name}.{k}": np.ascontiguousarray(array)
        for k, level in enumerate(levels)
        for name, array in zip(names, level, strict=True)
    }


def _order(order: int) -> int:
    if not 1 <= order <= MOST_ORDER:
        raise StoreError(f"the order should be from 1 to {MOST_ORDER}, found {order}")
    return order


def _described(given: Smoothing | str | float) -> dict[str, Any]:
    """As it was given: by name, as a number, or as an object with its numbers."""
    if isinstance(given, str):
        return {"name": given, "values": [], "given": "name"}
    if isinstance(given, AddLambda):
        return {"name": "add-lambda", "values": [_plain(given.value)], "given": "object"}
    if isinstance(given, KneserNey):
        values = given.discounts if isinstance(given.discounts, tuple) else (given.discounts,)
        return {
            "name": "kneser-ney",
            "values": [_plain(d) for d in values if d is not None],
            "given": "object",
        }
    if isinstance(given, Smoothing):
        name = next(name for name, one in NAMES.items() if one == given)
        return {"name": name, "values": [], "given": "object"}
    return {"name": "add-lambda", "values": [_plain(given)], "given": "number"}


def _plain(number: float) -> int | float:
    return int(number) if isinstance(number, (int, np.integer)) else float(number)


def _smoothing(state: State) -> Smoothing | str | float:
    name, given, values = (
        state.setting(key, kind) for key, kind in (("name", str), ("given", str), ("values", list))
    )
    if name not in NAMES:
        raise StoreError(f"there is no smoothing {name!r:.80}")
    if given == "name":
        return str(name)
    if name == "add-lambda":
        one = AddLambda(*values)
        return one.value if given == "number" else one
    if name == "kneser-ney" and values:
        return KneserNey(values[0] if len(values) == 1 else tuple(values))
    return NAMES[str(name)]
