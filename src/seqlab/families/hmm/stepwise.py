"""Stepwise EM: a running mean of expected counts, for data that comes in batches or does not fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from seqlab.corpus import Corpus, VectorColumn
from seqlab.families.hmm.emissions.base import Floats, Groups, Statistics
from seqlab.families.hmm.tables import Dirichlet, Expected, HiddenMarkov
from seqlab.store.codec import Array, Field, Setting, Sizes
from seqlab.store.state import State


class _Statistics(Field):
    """Statistics of emissions: arrays by name."""

    def put(self, state: State, name: str, value: Statistics) -> None:
        """Write them."""
        state.arrays |= {f"{name}.{key}": np.ascontiguousarray(array) for key, array in value.items()}

    def get(self, state: State, name: str, sizes: Sizes) -> Statistics:  # noqa: ARG002
        """Read them back; HmmFit.check compares them with the model."""
        names = [one for one in state.arrays if one.startswith(f"{name}.")]
        shapes = {one: tuple(state.arrays[one].shape) for one in names}
        return {one.removeprefix(f"{name}."): state.finite(one, shapes[one]) for one in names}


@dataclass(frozen=True, eq=False)
class Running:
    """Expected counts a token, averaged over the batches so far, and how many batches and tokens there were.

    start (L,), edge (L, L), end (L,), emissions   as an E step finds them (Expected)
    """

    stored_kind: ClassVar[str] = "running counts"

    start: Annotated[Floats, Array(np.float64, "L", least=0, finite=True)]
    edge: Annotated[Floats, Array(np.float64, "L", "L", least=0, finite=True)]
    end: Annotated[Floats, Array(np.float64, "L", least=0, finite=True)]
    emissions: Annotated[Statistics, _Statistics()]
    batches: Annotated[int, Setting(int, least=1)]
    tokens: Annotated[int, Setting(int, least=0)]

    # eq:stepwise-em   s_k = (1 - η_k) s_{k-1} + η_k ŝ(batch k),  η_k = (k + 1)^-forgetting
    @staticmethod
    def of(
        before: Running | None, model: HiddenMarkov, found: Expected, tokens: int, forgetting: float
    ) -> Running:
        """Take in what an E step has found on another batch of so many tokens."""
        fresh = Running(found.start, found.edge, found.end, found.emissions, 1, tokens)
        fresh = fresh._scaled(1.0 / max(tokens, 1))
        if before is None:
            return fresh
        share = float(before.batches + 1) ** -forgetting
        old, new = before._scaled(1 - share), fresh._scaled(share)
        return Running(
            old.start + new.start,
            old.edge + new.edge,
            old.end + new.end,
            model.emissions.added(old.emissions, new.emissions),
            before.batches + 1,
            before.tokens + tokens,
        )

    def maximised(
        self, model: HiddenMarkov, prior: Dirichlet, groups: Groups | None, frozen: Sequence[str]
    ) -> HiddenMarkov:
        """Make the M step on the mean, counting as much as all tokens so far: pseudo-counts weigh as they should."""
        whole = self._scaled(float(max(self.tokens, 1)))
        found = Expected(whole.start, whole.edge, whole.end, whole.emissions, np.zeros(0), 0.0)
        return model.maximised(found, prior, groups=groups, frozen=frozen)

    def fits(self, model: HiddenMarkov) -> bool:
        """Tell whether these are counts of this model: statistics of the same names and shapes."""
        empty = Corpus({"nothing": VectorColumn(np.zeros((0, 1)))}, np.zeros(1, dtype=np.int64))
        nothing = model.emissions.observe(empty, "nothing", unknown="missing")
        told = model.emissions.statistics(nothing, np.zeros((0, model.size)))
        return {name: array.shape for name, array in told.items()} == {
            name: array.shape for name, array in self.emissions.items()
        }

    def _scaled(self, factor: float) -> Running:
        """Multiply all sums by a factor; the means that moments are about are no sums."""
        emissions = {
            name: array if name.rpartition(".")[2] == "about" else np.asarray(array * factor)
            for name, array in self.emissions.items()
        }
        return Running(
            self.start * factor,
            self.edge * factor,
            self.end * factor,
            emissions,
            self.batches,
            self.tokens,
        )
