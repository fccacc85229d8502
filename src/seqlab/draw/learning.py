"""How a training went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqlab.draw.lines import line_picture
from seqlab.draw.picture import Picture, beneath
from seqlab.errors import OptionError


def learning_picture(given: Any, *, title: str = "Learning curve") -> Picture:
    """The objective of every epoch, and below it the score on the development set, if there was one.

    given   a `history_`, a tagger that has one, or {name: history or tagger} to compare several
    """
    histories = _histories(given)
    objective = {name: _points(history, "objective") for name, history in histories.items()}
    score = {name: _points(history, "dev_score") for name, history in histories.items()}
    more = {name: _points(history, "mistakes") for name, history in histories.items()}
    upper = {"objective": objective, "mistakes": more}
    shown = next(((what, curves) for what, curves in upper.items() if any(curves.values())), None)
    if shown is None and not any(score.values()):
        raise OptionError("there is nothing to draw: the history has no epoch with an objective or a score")
    pictures = []
    if shown is not None:
        pictures.append(line_picture(shown[1], title=title, x_name="epoch", y_name=shown[0]))
    if any(score.values()):
        pictures.append(_scores(score, histories, title=title if shown is None else ""))
    return pictures[0] if len(pictures) == 1 else beneath(pictures[0], pictures[1], title)


def _scores(score: dict[str, Any], histories: dict[str, Any], *, title: str) -> Picture:
    first = next(iter(histories.values()))
    single = len(histories) == 1 and first.best is not None
    return line_picture(
        score,
        title=title,
        x_name="epoch",
        y_name=f"{first.metric or 'score'} on the development set",
        mark=float(first.best) if single else None,
        mark_name="kept",
    )


def _histories(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return {str(name): _history(one) for name, one in given.items()}
    return {"": _history(given)}


def _history(given: Any) -> Any:
    history = getattr(given, "history_", given)
    if not hasattr(history, "epochs"):
        raise OptionError(f"a history_ or a fitted tagger is wanted, got {given!r:.80}")
    return history


def _points(history: Any, what: str) -> list[tuple[float, float]]:
    found = []
    for epoch in history.epochs:
        value = getattr(epoch, what, None) if what != "mistakes" else epoch.more.get(what)
        if value is not None:
            found.append((float(epoch.iteration), float(value)))
    return found
