"""The likelihood of one shard: its value, gradient and curvature, wherever it is computed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.encode import Encoder
from seqlab.families.linear.model import Begins, LinearModel, every_pair
from seqlab.families.linear.training import numbered
from seqlab.learning.monitor import Job, Weights
from seqlab.scale.cache import Facts
from seqlab.scale.cluster.sums import Answer, Sums, seen_folder
from seqlab.scale.columns import ColumnStore
from seqlab.scale.disk import ENCODER
from seqlab.scale.rows import RowStore
from seqlab.scale.shards import unchanged
from seqlab.scale.sizes import available, resident
from seqlab.store import reading

LOSSES: Mapping[str, Any] = {
    "chain": (_core.Likelihood32, _core.Likelihood64),
    "local": (_core.LocalLikelihood32, _core.LocalLikelihood64),
}


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The weights of a model besides those of attributes: small, so that it can be sent.

    size     of labels
    moves    numbers of the transitions, by order
    rules    what is forbidden, as the core reads it; empty without rules
    """

    size: int
    moves: tuple[LabelIds, ...]
    rules: Mapping[str, Any]


def shape_of(model: LinearModel) -> Shape:
    """Describe the transitions and rules of a model."""
    tables = tuple(numbered(seen) for _, seen in model.tables)
    return Shape(model.L, tables, dict(model.rules.flags()) if model.rules else {})


def task_of(
    rows: RowStore,
    begin: Begins,
    label: LabelIds,
    shape: Shape,
    room: int,
    only: int | None = None,
    labels: LabelIds | None = None,
) -> _core.Task:
    """Make the task of the core, for all shards or one.

    begin, label   the labels that each attribute has a weight for
    room           bytes for rows that are kept in memory from pass to pass
    labels         in memory, in place of those in the shards
    """
    nothing = np.zeros(0, dtype=np.int32)
    moves, *more = shape.moves
    none = (np.zeros(1, dtype=np.int64), nothing, None)
    own = nothing if labels is None else labels
    task = _core.Task(shape.size, rows.offsets(only), own, *none, begin, label, moves)
    for numbers in more:
        task.add_transitions(numbers)
    codes = rows.weights.get("cluster_codes")
    if codes is not None:
        task.set_kin(codes)
    if shape.rules:
        task.set_rules(**shape.rules)
    rows.add_to(task, only, labelled=labels is None)
    task.set_room(room)
    return task


@dataclass(frozen=True, slots=True, eq=False)
class LinearRecipe:
    """An encoded corpus and the kind of its likelihood, as every worker finds them.

    columns, rows   folders, on a file system that all workers see
    facts           from the manifests of both
    attributes      of the encoder, if each has a weight for every label; None for labels it was met with
    loss            "chain" or "local"
    limit           bytes that a process may use; None for what its machine has left
    """

    columns: str
    rows: str
    facts: tuple[Facts, Facts]
    attributes: int | None
    shape: Shape
    loss: str
    limit: int | None

    @staticmethod
    def of(rows: RowStore, model: LinearModel, loss: str, limit: int | None, *, every: bool) -> LinearRecipe:
        """Describe a corpus for the workers."""
        columns, own = (str(folder.resolve()) for folder in (rows.store.folder, rows.folder))
        attributes = rows.encoder.size if every else None
        facts = (rows.store.facts, rows.facts)
        return LinearRecipe(columns, own, facts, attributes, shape_of(model), loss, limit)

    @property
    def count(self) -> int:
        """Number of shards."""
        return len(self.facts[1]["shards"])

    def open(self, number: int) -> LinearShard:
        """Open a shard in this process."""
        rows, begin, label = _opened(self)
        limit = available() if self.limit is None else self.limit
        room = max(int((limit - resident()) * 0.4), 0)
        return LinearShard(task_of(rows, begin, label, self.shape, room, number), self.loss)


_guard = threading.Lock()
_known: dict[tuple[str, int | None], tuple[RowStore, Begins, LabelIds]] = {}


def _opened(recipe: LinearRecipe) -> tuple[RowStore, Begins, LabelIds]:
    """Open what all shards of a corpus share, once in a process: vocabulary, tables and pairs."""
    key = (recipe.rows, recipe.attributes)
    with _guard:
        if key not in _known:
            folder = seen_folder(recipe.rows)
            encoder: Any = None
            if recipe.facts[1]["compact"] is not None:
                encoder = Encoder.from_state(reading.read(folder / ENCODER, verify=True))
            rows = RowStore(
                ColumnStore(Path(recipe.columns), recipe.facts[0]), folder, recipe.facts[1], encoder
            )
            if recipe.attributes is not None:
                begin, label = every_pair(recipe.attributes, recipe.shape.size)
            else:
                begin, label = rows.pairs()
            _known.clear()  # one corpus at a time
            _known[key] = (rows, begin, label)
            _ = rows.compact
        return _known[key]


class LinearShard:
    """The likelihood of one shard."""

    def __init__(self, task: _core.Task, loss: str) -> None:
        self._task, self._loss = task, loss
        self._made: dict[str, Any] = {}

    def answer(self, what: str, given: Any, threads: int) -> Answer:
        """Compute value and gradient ("quick" in float32, "exact"), "curvature", or a first guess ("start")."""
        with unchanged():
            return self._answer(what, given, threads)

    def _answer(self, what: str, given: Any, threads: int) -> Answer:
        if what == "start":
            theta = np.zeros(self._task.size)
            l2, l1, epochs, seed, tokens = given
            share = self._task.sentences / tokens
            options = (l2 * share, l1 * share, epochs, max(epochs - 2, 0), 0.0, seed, self._loss == "local")
            _core.averaged_start(self._task, theta, *options, threads, None)
            return {"theta": theta}
        vector = np.empty(self._task.size)
        if what.endswith("curvature"):
            self._of(what.partition(" ")[0]).curvature(given, vector, threads)
            return {"diagonal": vector}
        value = self._of(what)(given, vector, threads)
        return {"value": np.array([value]), "gradient": vector}

    def _of(self, what: str) -> Any:
        if what not in self._made:
            self._made[what] = LOSSES[self._loss][what == "exact"](self._task)
        return self._made[what]


def job_of(sums: Sums, learner: Any, size: int, sentences: int, threads: int, seed: int) -> Job:
    """Make the input of a batch learner whose loss is a sum over shards.

    The first guess is that of the first shard, its penalty in proportion: one pass over all shards would need them in
    one place, and in one order.
    """

    def loss(what: str) -> _core.AskedLoss:
        def value(theta: Weights, gradient: Weights) -> float:
            found = sums.total(what, np.array(theta))
            gradient[:] = found["gradient"]
            return float(found["value"][0])

        def curvature(theta: Weights, diagonal: Weights) -> None:
            diagonal[:] = sums.total(f"{what} curvature", np.array(theta))["diagonal"]

        return _core.AskedLoss(size, value, curvature)

    def first_guess(theta: Weights, epochs: int) -> None:
        options = (float(learner.l2), float(getattr(learner, "l1", 0.0)), epochs, seed, sentences)
        theta[:] = sums.first("start", options)["theta"]

    exact = loss("exact")
    quick = loss("quick") if getattr(learner, "dtype", "") == "float32" else exact
    return Job(quick, exact, first_guess, threads)
