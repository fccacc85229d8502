"""Running averages of expected counts, for stepwise EM over batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from seqlab.corpus import Corpus, VectorColumn
from seqlab.families.hmm.emissions.base import Floats, Groups, Statistics, is_sum
from seqlab.families.hmm.histories import Moves, StoredHead, StoredMoves
from seqlab.families.hmm.tables import Dirichlet, Expected, HiddenMarkov
from seqlab.store.fields import Array, Field, Setting, Sizes
from seqlab.store.state import State


class _Statistics(Field):
    """Statistics of emissions as a stored field: arrays by name."""

    def put(self, state: State, name: str, value: Statistics) -> None:
        state.arrays |= {f"{name}.{key}": np.ascontiguousarray(array) for key, array in value.items()}

    def get(self, state: State, name: str, sizes: Sizes) -> Statistics:  # noqa: ARG002
        """Read the arrays; HmmFit.check compares them with the model."""
        shapes = {one: array.shape for one, array in state.arrays.items() if one.startswith(f"{name}.")}
        return {one.removeprefix(f"{name}."): state.finite(one, shape) for one, shape in shapes.items()}


@dataclass(frozen=True, eq=False)
class Running:
    """Running average of expected counts per token over batches, with the numbers of batches and tokens so far.

    start (L,), edge (L, ..., L), end (L,), head, emissions   as in Expected
    """

    stored_kind: ClassVar[str] = "running counts"

    start: Annotated[Floats, Array(np.float64, "L", least=0, finite=True)]
    edge: Annotated[Floats, StoredMoves(least=0)]
    end: Annotated[Floats, Array(np.float64, "L", least=0, finite=True)]
    emissions: Annotated[Statistics, _Statistics()]
    batches: Annotated[int, Setting(int, least=1)]
    tokens: Annotated[float, Setting(float, least=0)]
    head: Annotated[Moves, StoredHead()] = ()

    # eq:stepwise-em   s_k = (1 - η_k) s_{k-1} + η_k ŝ(batch k),  η_k = (k + 1)^-forgetting
    @staticmethod
    def of(
        before: Running | None, model: HiddenMarkov, found: Expected, tokens: float, forgetting: float
    ) -> Running:
        """Add the expected counts of another batch; `tokens` is the sum of the weights of its tokens."""
        whole = Running(found.start, found.edge, found.end, found.emissions, 1, tokens, found.head)
        fresh = whole._scaled(1.0 / max(tokens, 1))
        if before is None:
            return fresh
        share = float(before.batches + 1) ** -forgetting
        old, new = before._scaled(1 - share), fresh._scaled(share)
        emissions = model.emissions.added(old.emissions, new.emissions)
        start, edge, end = old.start + new.start, old.edge + new.edge, old.end + new.end
        head = tuple(a + b for a, b in zip(old.head, new.head, strict=True))
        return Running(start, edge, end, emissions, before.batches + 1, before.tokens + tokens, head)

    def maximised(
        self, model: HiddenMarkov, prior: Dirichlet, groups: Groups | None, frozen: Sequence[str]
    ) -> HiddenMarkov:
        """Run the M step on the mean, scaled to all tokens so far, so that pseudo-counts have their weight."""
        whole = self._scaled(float(max(self.tokens, 1)))
        found = Expected(whole.start, whole.edge, whole.end, whole.emissions, np.zeros(0), 0.0, whole.head)
        return model.maximised(found, prior, groups, frozen)

    def fits(self, model: HiddenMarkov) -> bool:
        """Return True if these are counts of this model: statistics of equal names and shapes."""
        empty = Corpus({"nothing": VectorColumn(np.zeros((0, 1)))}, np.zeros(1, dtype=np.int64))
        nothing = model.emissions.observe(empty, "nothing", unknown="missing")
        made = model.emissions.statistics(nothing, np.zeros((0, model.size)))
        one, other = ({name: array.shape for name, array in x.items()} for x in (made, self.emissions))
        moves = zip(model.moves, (*self.head, self.edge), strict=False)
        return (
            one == other and len(self.head) == len(model.head) and all(a.shape == b.shape for a, b in moves)
        )

    def _scaled(self, factor: float) -> Running:
        """Multiply all sums by a factor; reference means of moments are not sums and stay."""
        emissions = {
            name: np.asarray(array * factor) if is_sum(name) else array
            for name, array in self.emissions.items()
        }
        start, edge, end = self.start * factor, self.edge * factor, self.end * factor
        head = tuple(one * factor for one in self.head)
        return replace(self, start=start, edge=edge, end=end, emissions=emissions, head=head)
