"""What a search found: a table of trials, the best of them, and its model."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from seqlab.tuning.running import Outcome
from seqlab.tuning.space import names_of, shown
from seqlab.views.tables import laid_out
from seqlab.views.text.width import clip

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
        from seqlab.tuning.picture import error_picture

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
