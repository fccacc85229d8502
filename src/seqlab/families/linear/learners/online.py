"""The loop of learners that change the weights after every sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from seqlab import _core
from seqlab.errors import ScoreError
from seqlab.learning.progress import Outcome, Progress, Report, Weights


def run_epochs(
    learner: _core.OnlineLearner, epochs: int, report: Report, *, told: Iterable[str], content: str
) -> Outcome:
    """Visit all sentences `epochs` times, or until an epoch changes nothing.

    told      which numbers of an epoch go into Progress.more: "mistakes" (wrong tokens), "updates" (sentences that
              changed the weights), "loss" (summed over sentences, each with the weights of the moment)
    content   the reason to give when an epoch changed nothing
    """
    weights = weights_of(learner)
    for epoch in range(1, epochs + 1):
        mistakes, updates, loss = learner.epoch()
        numbers = {"mistakes": float(mistakes), "updates": float(updates), "loss": loss}
        more = {name: numbers[name] for name in told}
        go_on = report(Progress(epoch, None, None, None, weights, more))
        if updates == 0:
            return Outcome(weights(), content, epoch, None)
        if not go_on:
            return Outcome(weights(), "stopped", epoch, None)
    return Outcome(weights(), "epochs", epochs, None)


def weights_of(learner: _core.OnlineLearner) -> Callable[[], Weights]:
    """A function that gives the weights of a model that stops now, (n,), as a copy."""

    def weights() -> Weights:
        theta = np.empty(learner.size)
        learner.weights(theta)
        if not np.isfinite(theta).all():
            raise _out_of_range()
        return theta

    return weights


def _out_of_range() -> ScoreError:
    return ScoreError(
        "training left the range of numbers: feature values, weights of sentences and labels, or options of "
        "the learner may be too large or too small; scale values and weights to about 1"
    )


def run_to_the_gap(
    learner: _core.StructuredSvm,
    epochs: int,
    report: Report,
    *,
    tolerance: float,
    check_every: int,
    threads: int,
) -> Outcome:
    """Visit all sentences until the duality gap is at most `tolerance` of the objective, or `epochs` times.

    The gap is looked at every `check_every` epochs and after the last. Where there is none (a start other than 0, or
    labels known in part without paths that stand for them) only the objective is told.
    """
    weights = weights_of(learner)
    theta, objective = weights(), None
    for epoch in range(1, epochs + 1):
        _, updates, _ = learner.epoch()
        if epoch == 1:
            learner.renew()  # by now the weights know something of labels
        objective, dual = None, np.nan
        if epoch == epochs or epoch % check_every == 0:
            objective, dual = learner.check(threads)
            if not np.isfinite(objective):  # weights may be finite when their squares are not
                raise _out_of_range()
        more = {"updates": float(updates)}
        if objective is not None and not np.isnan(dual):
            more |= {"dual": dual, "duality_gap": objective - dual}
        go_on = report(Progress(epoch, objective, None, None, weights, more))
        theta = weights()  # before paths are chosen anew, which takes their part off
        close = objective is not None and objective - dual <= tolerance * objective
        if objective is not None and learner.renew() == 0 and close:
            return Outcome(theta, "duality gap", epoch, objective)
        if not go_on:
            return Outcome(theta, "stopped", epoch, objective)
    return Outcome(theta, "epochs", epochs, objective)
