"""The history of a training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

from seqlab.shown import Brief, Table, Tabular, columns_of

NUMBERS = ("iteration", "objective", "gradient_norm", "active", "dev_score", "seconds")


@dataclass(frozen=True, slots=True, repr=False)
class Epoch(Brief):
    """Numbers known after one iteration of a batch learner, or one epoch of an online one; number 0 is the start.

    objective       the objective, penalties included; None for learners without one
    gradient_norm   None for learners without a gradient
    active          weights that are not 0
    dev_score       the metric on the development set; None without one
    seconds         wall-clock time since the epoch before
    more            further numbers by name: evaluations, mistakes, duality_gap, ...
    """

    iteration: int
    objective: float | None
    gradient_norm: float | None
    active: int | None
    dev_score: float | None
    seconds: float
    more: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(eq=False)
class History(Tabular, Sequence[Epoch]):
    """All epochs of a training, the reason it ended, and the epoch that was kept.

    reason   "gradient" or "value" (converged), "iterations" or "epochs" (the limit), "patience" (the development set),
             "stopped" (a callback), "interrupted" (Ctrl-C or SIGTERM), "no mistakes", "no loss", "duality gap",
             "no progress" (no step leads further down), "fell" (EM ended with the model before)
    best     the epoch whose weights the model has, by number
    metric   what dev_score measures; None without a development set
    """

    epochs: list[Epoch] = field(default_factory=list)
    reason: str = ""
    best: int | None = None
    metric: str | None = None

    def __len__(self) -> int:
        return len(self.epochs)

    @overload
    def __getitem__(self, i: int) -> Epoch: ...
    @overload
    def __getitem__(self, i: slice) -> list[Epoch]: ...
    def __getitem__(self, i: int | slice) -> Epoch | list[Epoch]:
        return self.epochs[i]

    def __iter__(self) -> Iterator[Epoch]:
        return iter(self.epochs)

    @property
    def objective(self) -> list[float | Any]:
        """Objective of each epoch."""
        return [epoch.objective for epoch in self.epochs]

    @property
    def log_likelihood(self) -> list[float | Any]:
        """Log-likelihood of each epoch, for learners that maximise it (EM); None for others."""
        return [epoch.more.get("log_likelihood") for epoch in self.epochs]

    @property
    def gradient_norm(self) -> list[float | Any]:
        """Gradient norm of each epoch."""
        return [epoch.gradient_norm for epoch in self.epochs]

    @property
    def active(self) -> list[int | Any]:
        """Number of nonzero weights after each epoch."""
        return [epoch.active for epoch in self.epochs]

    @property
    def dev_score(self) -> list[float | Any]:
        """Score on the development set after each epoch."""
        return [epoch.dev_score for epoch in self.epochs]

    @property
    def seconds(self) -> list[float]:
        """Seconds of each epoch."""
        return [epoch.seconds for epoch in self.epochs]

    def to_dict(self) -> dict[str, Any]:
        """Return the history as plain lists, dicts and numbers."""
        return {
            "reason": self.reason,
            "best": self.best,
            "metric": self.metric,
            "epochs": [asdict(epoch) for epoch in self.epochs],
        }

    def json(self, *, indent: int | None = None) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> History:
        """Make a history from the result of `to_dict`."""
        epochs = [Epoch(**epoch) for epoch in data["epochs"]]
        return History(epochs, data["reason"], data["best"], data["metric"])

    def _columns(self) -> Table:
        more = dict.fromkeys(name for epoch in self.epochs for name in epoch.more)
        columns = columns_of(self.epochs, *NUMBERS)
        return {**columns, **{name: [epoch.more.get(name) for epoch in self.epochs] for name in more}}

    def __repr__(self) -> str:
        if not self.epochs:
            return "History(no epochs)"
        last = self.epochs[-1]
        value = "" if last.objective is None else f", objective {last.objective:.6g}"
        score = "" if self.best is None or self.metric is None else f", best {self.metric} at {self.best}"
        return f"History({last.iteration} iterations{value}{score}, ended by {self.reason!r})"
