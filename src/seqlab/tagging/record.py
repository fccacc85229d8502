"""The history of a training, read back from a model file."""

from __future__ import annotations

from typing import Any

from seqlab.errors import StoreError
from seqlab.learning.history import Epoch, History
from seqlab.store.state import State


def history_of(data: dict[str, Any]) -> History:
    """What History.to_dict() gave, if it is that."""
    given = State("history", data)
    epochs = [_epoch(one) for one in given.setting("epochs", list)]
    best, metric = optional(given, "best", int), optional(given, "metric", str)
    return History(epochs, given.setting("reason", str), best, metric)


def optional(given: State, name: str, kind: type) -> Any:
    """A setting of this type, or None."""
    if name in given.settings and given.settings[name] is None:
        return None
    return given.setting(name, kind)


def _epoch(data: Any) -> Epoch:
    if not isinstance(data, dict):
        raise StoreError(f"an epoch of the history should be an object, found {data!r:.80}")
    given = State("epoch", data)
    more = given.setting("more", dict)
    for name, value in more.items():
        if not isinstance(value, (int, float)):
            raise StoreError(f"{name!r:.80} of an epoch should be a number, found {value!r:.80}")
    return Epoch(
        given.setting("iteration", int),
        optional(given, "objective", float),
        optional(given, "gradient_norm", float),
        optional(given, "active", int),
        optional(given, "dev_score", float),
        given.setting("seconds", float),
        more,
    )
