"""Learners that change the weights after every sentence, each a small object that holds its options."""

from __future__ import annotations

from dataclasses import dataclass

from seqlab import _core
from seqlab.arrays import whole_number
from seqlab.errors import OptionError
from seqlab.learning.online import run_epochs
from seqlab.learning.progress import Outcome, Report, Weights


def _switch(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"{name} must be True or False, got {value!r}")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Perceptron:
    """The structured perceptron (eq:perceptron): where the best path is wrong, the right one wins what it loses.

    epochs     visits to every sentence, at most; an epoch without a mistake is the last
    averaged   the model gets the mean of all weights that training went through, which is nearly always better
    shuffle    another order in every epoch, from the seed; False: as the sentences come

    A sentence of weight w changes the weights w times as much; where tokens have weights, times the mean weight of
    the wrong ones. Of labels that are known in part, the best path that fits them counts as the right one.
    """

    epochs: int = 10
    averaged: bool = True
    shuffle: bool = True

    def __post_init__(self) -> None:
        whole_number(self.epochs, "epochs", 1)
        _switch(self.averaged, "averaged")
        _switch(self.shuffle, "shuffle")

    def train(
        self,
        task: _core.Task,
        theta: Weights,
        *,
        threads: int,  # noqa: ARG002 - part of the protocol; each step needs the one before
        seed: int,
        report: Report,
    ) -> Outcome:
        """Train from the weights theta (n,), which are left alone."""
        learner = _core.perceptron(task, theta, self.averaged, self.shuffle, seed)
        return run_epochs(learner, self.epochs, report, told=("mistakes", "updates"), content="no mistakes")
