"""How many states: models of several sizes side by side, and the one that a criterion likes best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from seqlab.arrays import whole_number
from seqlab.errors import OptionError

CRITERIA = ("bic", "aic", "dev")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One size: its model, log-likelihood of the training data, free parameters, and criteria (smaller is better)."""

    n_states: int
    model: Any
    log_likelihood: float
    parameters: int
    aic: float
    bic: float
    dev: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Models of several sizes; `best` is the one that the criterion chose."""

    candidates: tuple[Candidate, ...]
    criterion: str

    @property
    def best(self) -> Any:
        """The chosen model."""
        return self.chosen.model

    @property
    def chosen(self) -> Candidate:
        """The chosen candidate."""
        if self.criterion == "dev":
            return max(self.candidates, key=lambda one: -float("inf") if one.dev is None else one.dev)
        return min(self.candidates, key=lambda one: float(getattr(one, self.criterion)))

    def __str__(self) -> str:
        lines = ["states  log-likelihood  parameters           aic           bic"]
        for one in self.candidates:
            mark = "*" if one is self.chosen else " "
            lines.append(
                f"{one.n_states:>6}{mark} {one.log_likelihood:>15.3f} {one.parameters:>11} "
                f"{one.aic:>13.3f} {one.bic:>13.3f}"
            )
        return "\n".join(lines)


def select_states(
    hmm: Any, X: Any, sizes: Iterable[int], *, criterion: str, lengths: Any, dev: Any
) -> Selection:
    """Fit one model of every size."""
    if criterion not in CRITERIA:
        raise OptionError(f"criterion must be one of {', '.join(map(repr, CRITERIA))}, got {criterion!r}")
    if criterion == "dev" and dev is None:
        raise OptionError("criterion='dev' looks at a development set; pass one as dev=")
    wanted = [whole_number(size, "n_states", 1) for size in sizes]
    if not wanted:
        raise OptionError("there is no number of states to choose from")
    corpus = hmm._corpus(X, lengths)
    return Selection(tuple(_candidate(hmm, corpus, size, dev) for size in wanted), criterion)


def _candidate(hmm: Any, corpus: Any, size: int, dev: Any) -> Candidate:
    model = type(hmm)(**{**hmm.get_params(deep=False), "n_states": size})
    model.fit(corpus, dev=dev)
    held_out = None if dev is None else float(model.score(dev[0] if isinstance(dev, tuple) else dev))
    likelihood = float(model.log_likelihoods(corpus).sum())
    return Candidate(
        size, model, likelihood, model.n_parameters_, model.aic(corpus), model.bic(corpus), held_out
    )
