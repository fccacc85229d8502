"""What a search found: a table of trials, the best of them, and its model."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from seqlab.errors import OptionError
from seqlab.tuning.space import names_of, shown
from seqlab.tuning.trials import Outcome
from seqlab.views.text import clip, laid_out

if TYPE_CHECKING:
    from seqlab.draw import Picture

WIDTH = 80


@dataclass(frozen=True)
class Trial:
    """One combination of options.

    number        from 0, in the order of the search
    budget        the share of the sentences that it was given, or its iterations, in successive halving; else 1
    scores        one for each fold that is done, larger is better
    train_scores  the same on the sentences of training
    seconds       of all its trainings and their scoring
    error         why it failed, or None
    """

    number: int
    params: Mapping[str, Any]
    budget: float
    scores: tuple[float, ...]
    train_scores: tuple[float, ...]
    seconds: float
    error: str | None = None

    @property
    def score(self) -> float:
        """The mean over folds; NaN without any."""
        return statistics.fmean(self.scores) if self.scores else math.nan

    @property
    def spread(self) -> float:
        """The standard deviation over folds; 0 for one."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else 0.0

    @property
    def train_score(self) -> float:
        """The mean on the sentences of training; NaN when that was not asked."""
        return statistics.fmean(self.train_scores) if self.train_scores else math.nan

    @property
    def train_spread(self) -> float:
        """The standard deviation of that over folds."""
        return statistics.stdev(self.train_scores) if len(self.train_scores) > 1 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """In plain values; options that JSON does not know become text."""
        return {
            "number": self.number,
            "params": {name: _plain(value) for name, value in self.params.items()},
            "budget": self.budget,
            "score": _finite(self.score),
            "spread": self.spread,
            "train_score": _finite(self.train_score),
            "train_spread": self.train_spread,
            "scores": list(self.scores),
            "train_scores": list(self.train_scores),
            "seconds": self.seconds,
            "error": self.error,
        }


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    trials        in the order of the search; in successive halving one for each round that a combination was in
    metric        what they were scored by
    is_share      whether it lies between 0 and 1, so that 1 - score is an error
    folds         how many scores a complete trial has
    best          the best complete trial; of those with the largest budget in successive halving
    model         the model with the best options, trained on all sentences; None without refit, or after Ctrl-C
    interrupted   whether Ctrl-C ended the search, or the training of `model`, which is then the best so far
    """

    trials: tuple[Trial, ...]
    metric: str
    is_share: bool
    how: str
    folds: int
    best: Trial
    model: Any = field(repr=False)
    interrupted: bool
    seconds: float

    @property
    def best_params(self) -> dict[str, Any]:
        """The options of the best trial, as for set_params."""
        return dict(self.best.params)

    @property
    def best_score(self) -> float:
        """The mean score of the best trial."""
        return self.best.score

    def ranked(self) -> list[Trial]:
        """The best first; what is not complete, or failed, last."""
        return sorted(self.trials, key=lambda trial: _rank(trial, self.folds))

    def __str__(self) -> str:
        return self.text()

    def text(self, *, rows: int = 20, width: int = WIDTH) -> str:
        """A table, the best trial on top."""
        return "\n".join(_table(self, rows, width))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the model, in plain lists, dicts and numbers."""
        return {
            "metric": self.metric,
            "how": self.how,
            "folds": self.folds,
            "best": self.best.to_dict(),
            "trials": [trial.to_dict() for trial in self.trials],
            "interrupted": self.interrupted,
            "seconds": self.seconds,
        }

    def json(self, *, indent: int | None = 2) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def picture(self, parameter: str | None = None) -> Picture:
        """Error on the sentences of training and on others, over an option that is a number, such as a penalty."""
        return error_picture(self, parameter)


def trial_of(number: int, params: Mapping[str, Any], budget: float, outcomes: Sequence[Outcome]) -> Trial:
    """Make the trial of these trainings, in the order of their folds."""
    return Trial(
        number,
        dict(params),
        budget,
        tuple(one.score for one in outcomes if one.score is not None),
        tuple(one.train_score for one in outcomes if one.train_score is not None),
        sum(one.seconds for one in outcomes),
        next((one.error for one in outcomes if one.error is not None), None),
    )


def is_complete(trial: Trial, folds: int) -> bool:
    """Whether it has a score on every fold."""
    return trial.error is None and len(trial.scores) == folds


def _rank(trial: Trial, folds: int) -> tuple[bool, float, float, int]:
    complete = is_complete(trial, folds)
    return not complete, -trial.budget, -trial.score if complete else 0.0, trial.number


def best_of(trials: Sequence[Trial], folds: int) -> Trial | None:
    """The best complete one; of equals the one that was named first."""
    complete = [trial for trial in trials if is_complete(trial, folds)]
    return min(complete, key=lambda trial: _rank(trial, folds)) if complete else None


# ------------------------------------------------------------------------------------------------ as text


def _table(found: Tuning, rows: int, width: int) -> list[str]:
    names = names_of([trial.params for trial in found.trials])
    halving = len({trial.budget for trial in found.trials}) > 1
    folded = found.folds > 1
    ranked = found.ranked()
    head = [*(short(name, names) for name in names), *(["budget"] if halving else [])]
    head += [found.metric, *(["spread"] if folded else []), "training", "seconds"]
    cells = [_cells(trial, names, found.folds, halving=halving) for trial in ranked[:rows]]
    lines = [clip(f"  {line}", width, "…") for line in laid_out([[*head, ""], *cells], "l" * (len(head) + 1))]
    lines[1] = f"* {lines[1][2:]}" if ranked[0] is found.best else lines[1]
    if len(ranked) > rows:
        lines.append(f"  … {len(ranked) - rows} more")
    return lines


def _cells(trial: Trial, names: Sequence[str], folds: int, *, halving: bool) -> list[str]:
    cells = [shown(trial.params[name], 28) if name in trial.params else "" for name in names]
    cells += [f"{trial.budget:.3g}"] if halving else []
    done = bool(trial.scores)
    cells += [f"{trial.score:.4f}" if done else "failed" if trial.error else "-"]
    cells += [f"{trial.spread:.4f}" if done else "-"] if folds > 1 else []
    cells += [f"{trial.train_score:.4f}" if trial.train_scores else "-", f"{trial.seconds:.1f}"]
    return [*cells, trial.error or ""]


def short(name: str, names: Sequence[str]) -> str:
    """l2 for learner__l2, where no other option ends so."""
    last = name.rpartition("__")[2]
    return last if sum(other.rpartition("__")[2] == last for other in names) == 1 else name


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return repr(value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


RATIO = 20  # from here between the smallest and the largest value, equal steps multiply


def error_picture(found: Tuning, parameter: str | None) -> Picture:
    """For each value of the option, its best trial: the other options are at their best."""
    from seqlab.draw import line_picture

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
