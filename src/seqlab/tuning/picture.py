"""Training error against test error over an option: the picture of every textbook on penalties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from seqlab.draw import Picture, line_picture
from seqlab.errors import OptionError
from seqlab.tuning.result import Trial, is_complete
from seqlab.tuning.space import names_of

if TYPE_CHECKING:
    from seqlab.tuning.result import Tuning

RATIO = 20  # from here between the smallest and the largest value, equal steps multiply


def error_picture(found: Tuning, parameter: str | None) -> Picture:
    """For each value of the option, its best trial: the other options are at their best."""
    name = _axis_of(found, parameter)
    short = name.rpartition("__")[2]
    largest = max(trial.budget for trial in found.trials)
    usable = [
        trial
        for trial in found.trials
        if is_complete(trial, found.folds) and _numeric(trial.params.get(name)) and trial.budget == largest
    ]
    by_value: dict[float, Trial] = {}
    for trial in sorted(usable, key=lambda trial: -trial.score):
        by_value.setdefault(float(trial.params[name]), trial)
    values = sorted(by_value)
    what = "error" if found.is_share else found.metric
    other = "cross-validation" if found.folds > 1 else "test"
    curves = {
        f"{other} {what}": [(x, _height(found, by_value[x].score)) for x in values],
        f"training {what}": [
            (x, _height(found, by_value[x].train_score)) for x in values if by_value[x].train_scores
        ],
    }
    best = found.best.params.get(name)
    return line_picture(
        {label: points for label, points in curves.items() if points},
        title=f"{'Error' if found.is_share else found.metric} over {short}",
        x_name=short,
        y_name=f"1 − {found.metric}" if found.is_share else found.metric,
        log_x=bool(values) and _wide([x for x in values if x > 0]),
        mark=float(best) if _numeric(best) and best is not None else None,
        mark_name=f"best: {best:.4g}" if _numeric(best) else "",
    )


def _height(found: Tuning, score: float) -> float:
    return 1.0 - score if found.is_share else score


def _wide(values: list[float]) -> bool:
    return len(values) > 1 and max(values) / min(values) >= RATIO


def _numeric(value: Any) -> bool:
    """Whether it can stand on an axis."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _axis_of(found: Tuning, parameter: str | None) -> str:
    """The option to draw over: the one that was named, or a penalty, or the only number."""
    names = names_of([trial.params for trial in found.trials])
    numbers = [
        name
        for name in names
        if len({trial.params[name] for trial in found.trials if _numeric(trial.params.get(name))}) > 1
    ]
    if parameter is not None:
        chosen = [name for name in names if parameter in (name, name.rpartition("__")[2])]
        if len(chosen) != 1 or chosen[0] not in numbers:
            raise OptionError(
                f"there is no option {parameter!r} with two or more numbers in this search, "
                f"only {', '.join(map(repr, numbers)) or 'none'}"
            )
        return chosen[0]
    if not numbers:
        raise OptionError("there is nothing to draw: no option of this search has two or more numbers")
    penalties = [name for name in numbers if name.rpartition("__")[2] in ("l2", "l1", "C", "value")]
    return (penalties or numbers)[0]
