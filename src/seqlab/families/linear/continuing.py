"""Going on from an earlier model, for learners that go from sentence to sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from seqlab import _core
from seqlab.errors import OptionError
from seqlab.families.linear.learners.sgd import SGD


def going_on(learner: Any, task: _core.Task, seen: int | None) -> Any:
    """The learner for further sentences: its penalty is that of the whole corpus, of which these are a part.

    seen   sentences learned from before; None when a model from a file has not counted
    """
    if getattr(learner, "method", None) == "frank-wolfe":
        raise OptionError(
            "StructuredSVM(method='frank-wolfe') always begins at 0, so it cannot go on from an earlier model; "
            "use method='subgradient'"
        )
    if not isinstance(learner, SGD):  # a subgradient's steps grow as the penalty falls
        return learner
    before = 9 * task.sentences if seen is None else seen
    return replace(learner, l2=learner.l2 * task.sentences / (task.sentences + before))
