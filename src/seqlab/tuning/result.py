"""Results of a search: a table of trials, the best of them, and its model."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seqlab import draw
from seqlab.errors import OptionError
from seqlab.shown import Brief, Table, Written, brief, columns_of, cut
from seqlab.tuning.space import shown
from seqlab.views.text import clip, laid_out

NUMBERS = ("budget", "score", "spread", "train_score", "seconds", "error")
RATIO = 20  # from this ratio of the largest to the smallest value on, the axis is logarithmic


@dataclass(frozen=True, repr=False)
class Trial(Brief):
    """One combination of options (params).

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
        """Return the mean over folds; NaN without any."""
        return statistics.fmean(self.scores) if self.scores else math.nan

    @property
    def spread(self) -> float:
        """Return the standard deviation over folds; 0 for one."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else 0.0

    @property
    def train_score(self) -> float:
        """Return the mean on the training sentences; NaN if not computed."""
        return statistics.fmean(self.train_scores) if self.train_scores else math.nan

    @property
    def train_spread(self) -> float:
        """Return the standard deviation of the training score over folds."""
        return statistics.stdev(self.train_scores) if len(self.train_scores) > 1 else 0.0

    def is_complete(self, folds: int) -> bool:
        """Return True if it has a score on every one of the folds."""
        return self.error is None and len(self.scores) == folds

    def rank(self, folds: int) -> tuple[bool, float, float, int]:
        """Order trials: those with all folds first, then the largest budget, the best score, the first number."""
        complete = self.is_complete(folds)
        return not complete, -self.budget, -self.score if complete else 0.0, self.number

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; options that JSON does not know become text."""
        means = {name: getattr(self, name) for name in ("score", "spread", "train_score", "train_spread")}
        return {
            **vars(self),
            **{name: None if math.isnan(value) else value for name, value in means.items()},
            "params": {
                name: value if _is_plain(value) else repr(value) for name, value in self.params.items()
            },
            "scores": list(self.scores),
            "train_scores": list(self.train_scores),
        }


def _is_plain(value: Any) -> bool:
    return (
        value is None or isinstance(value, (int, str)) or (isinstance(value, float) and math.isfinite(value))
    )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search.

    tuning   the results so far; None if no trial is complete
    """

    def __init__(self, tuning: Tuning | None) -> None:
        done = 0 if tuning is None else len(tuning.trials)
        super().__init__(f"the search was interrupted after {done} trials")
        self.tuning = tuning


@dataclass(frozen=True)
class Tuning(Written):
    """Result of a search.

    trials        in the order of the search; in successive halving one for each round that a combination was in
    metric        name of the score
    how           kind of search: "grid", "random" or "halving"
    is_share      True if the score lies between 0 and 1, so that 1 - score is an error rate
    folds         number of scores of a complete trial
    best          the best complete trial; of those with the largest budget in successive halving
    model         the model with the best options, trained on all sentences; None without refit, or after Ctrl-C
    interrupted   True if Ctrl-C ended the search, or the training of `model`, which then has the best weights so far
    seconds       duration of the search
    edges         options whose best value is the "smallest" or "largest" in their list: values beyond may be better
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
    edges: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        best = f"best {self.metric} {self.best_score:.4f} with {brief(self.best_params)}"
        return cut(f"Tuning({len(self.trials)} trials, {best})")

    def _columns(self) -> Table:
        ranked = self.ranked()
        params = {f"param_{name}": [trial.params[name] for trial in ranked] for name in self.best.params}
        return {**columns_of(ranked, "number"), **params, **columns_of(ranked, *NUMBERS)}

    @property
    def best_params(self) -> dict[str, Any]:
        """Return the options of the best trial, as for set_params."""
        return dict(self.best.params)

    @property
    def best_score(self) -> float:
        """Return the mean score of the best trial."""
        return self.best.score

    def ranked(self) -> list[Trial]:
        """Sort the trials, the best first; incomplete and failed ones last."""
        return sorted(self.trials, key=lambda trial: trial.rank(self.folds))

    def __str__(self) -> str:
        return self.text()

    def text(self, *, rows: int = 20, width: int = 80) -> str:
        """Format a table with at most `rows` rows and `width` columns, the best trial first."""
        names, ranked = list(self.best.params), self.ranked()
        halving = len({trial.budget for trial in self.trials}) > 1
        head = [*(short(name, names) for name in names), *(["budget"] if halving else []), self.metric]
        head += [*(["spread"] if self.folds > 1 else []), "training", "seconds", ""]
        cells = []
        for trial in ranked[:rows]:
            row = [shown(trial.params[name], 28) for name in names]
            row += [f"{trial.budget:.3g}"] if halving else []
            row.append(f"{trial.score:.4f}" if trial.scores else "failed" if trial.error else "-")
            row += [f"{trial.spread:.4f}" if trial.scores else "-"] if self.folds > 1 else []
            row.append(f"{trial.train_score:.4f}" if trial.train_scores else "-")
            cells.append([*row, f"{trial.seconds:.1f}", trial.error or ""])
        lines = [clip(f"  {line}", width, "…") for line in laid_out([head, *cells], "l" * len(head))]
        lines[1] = f"* {lines[1][2:]}" if ranked[0] is self.best else lines[1]
        if len(ranked) > rows:
            lines.append(f"  … {len(ranked) - rows} more")
        return "\n".join([*lines, *([""] if self.edges else []), *self.remarks()])

    def remarks(self) -> list[str]:
        """Return a remark for each best value at the edge of the values tried."""
        names = list(self.best.params)
        return [
            f"{short(name, names)}={shown(self.best.params[name], 28)} is the {side} value that was tried: "
            f"{'smaller' if side == 'smallest' else 'larger'} ones may be better"
            for name, side in self.edges.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the model, in plain lists, dicts and numbers."""
        names = ("metric", "how", "folds", "interrupted", "seconds", "edges")
        facts = {name: getattr(self, name) for name in names}
        return {**facts, "best": self.best.to_dict(), "trials": [trial.to_dict() for trial in self.trials]}

    def picture(self, parameter: str | None = None) -> draw.Picture:
        """Draw the error in training and on others, over an option (parameter) that is a number, as a penalty.

        For each value of the option its best trial counts: the other options are at their best.
        """
        from seqlab.draw import line_picture

        name = _axis_of(self, parameter)
        largest = max(trial.budget for trial in self.trials)
        by_value: dict[float, Trial] = {}
        for trial in self.ranked():
            if trial.is_complete(self.folds) and is_number(trial.params[name]) and trial.budget == largest:
                by_value.setdefault(float(trial.params[name]), trial)
        values = sorted(by_value)
        what, title = ("error", "Error") if self.is_share else (self.metric, self.metric)
        scores = [(x, by_value[x].score) for x in values]
        own = [(x, by_value[x].train_score) for x in values if by_value[x].train_scores]
        curves = {
            f"{'cross-validation' if self.folds > 1 else 'test'} {what}": scores,
            f"training {what}": own,
        }
        positive, best = [x for x in values if x > 0], self.best.params[name]
        return line_picture(
            {
                label: [(x, 1.0 - y if self.is_share else y) for x, y in points]
                for label, points in curves.items()
                if points
            },
            title=f"{title} over {_last(name)}",
            x_name=_last(name),
            y_name=f"1 − {self.metric}" if self.is_share else self.metric,
            log_x=len(positive) > 1 and positive[-1] / positive[0] >= RATIO,
            mark=float(best) if is_number(best) else None,
            mark_name=f"best: {best:.4g}" if is_number(best) else "",
        )


def _last(name: str) -> str:
    return name.rpartition("__")[2]


def short(name: str, names: Sequence[str]) -> str:
    """Write l2 for learner__l2, where no other option ends so."""
    return _last(name) if sum(_last(other) == _last(name) for other in names) == 1 else name


def is_number(value: Any) -> bool:
    """Return True if the value is a number that an axis can show."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _axis_of(found: Tuning, parameter: str | None) -> str:
    """Find the option to draw over: the one that was named, or a penalty, or the first number."""
    names = list(found.best.params)
    columns = {name: [trial.params[name] for trial in found.trials] for name in names}
    numbers = [name for name in names if len({value for value in columns[name] if is_number(value)}) > 1]
    if parameter is not None:
        chosen = [name for name in names if parameter in (name, _last(name))]
        if len(chosen) != 1 or chosen[0] not in numbers:
            raise OptionError(
                f"there is no option {parameter!r} with two or more numbers in this search, "
                f"only {', '.join(map(repr, numbers)) or 'none'}"
            )
        return chosen[0]
    if not numbers:
        raise OptionError("there is nothing to draw: no option of this search has two or more numbers")
    return next((name for name in numbers if _last(name) in ("l2", "l1", "C", "value")), numbers[0])
