"""A fitted linear tagger as one frozen value, and the report of its pruning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from typing import Annotated, Any, Self

import numpy as np

from seqlab import _core
from seqlab.encode import Encoder
from seqlab.errors import StoreError
from seqlab.families.linear.decoder import Decoder, DecoderTables, LateTables, StoredTables, tables_of
from seqlab.families.linear.model import LinearModel
from seqlab.learning.history import History
from seqlab.shown import Brief, Table, Tabular
from seqlab.store.codec import Late, Lazily, Part
from seqlab.store.fields import Record, check_dtype
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.training import Training


@dataclass(frozen=True, slots=True, repr=False)
class PruneReport(Tabular):
    """Report of a pruning: sizes and scores before and after; str() gives it in one line.

    weights_before, weights_after         number of all weights of the model
    attributes_before, attributes_after   number of attributes of the encoder, edge attributes included
    bytes_before, bytes_after             of the arrays in the model file; None for a tagger that cannot be saved
    storage                               number type of the weights in the file
    metric                                the score on `dev`; None without one, and then the scores are None
    score_before, score_after             larger is better
    """

    weights_before: int
    weights_after: int
    attributes_before: int
    attributes_after: int
    bytes_before: int | None
    bytes_after: int | None
    storage: str
    metric: str | None = None
    score_before: float | None = None
    score_after: float | None = None

    @property
    def loss(self) -> float | Any:
        """Loss of score; below 0 if pruning helped. None without `dev`."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_before - self.score_after

    def _columns(self) -> Table:
        names = ["weights", "attributes", "bytes", *([] if self.metric is None else ["score"])]
        both = {when: [getattr(self, f"{name}_{when}") for name in names] for when in ("before", "after")}
        return {"of": names, **both}

    def _views(self) -> Iterator[str | Table]:
        yield str(self)
        yield self._columns()

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings by name."""
        return asdict(self)

    def check(self) -> None:
        """Check the values read from a file."""
        check_dtype(self.storage)

    def __str__(self) -> str:
        share = self.weights_after / self.weights_before if self.weights_before else 1.0
        size = ""
        if self.bytes_before is not None and self.bytes_after is not None:
            size = f", {_size(self.bytes_before)} -> {_size(self.bytes_after)} as {self.storage}"
        return (
            f"{self.weights_before:,} -> {self.weights_after:,} weights ({share:.1%}){size}; "
            f"{self._loss_in_words()}"
        )

    def _loss_in_words(self) -> str:
        if self.loss is None:
            return "loss of accuracy not measured (pass dev=)"
        change = f"{self.metric} {self.score_before:.4f} -> {self.score_after:.4f}"
        if self.loss == 0:
            return f"{change} (no loss)"
        return f"{change} ({'loss' if self.loss > 0 else 'gain'} {abs(self.loss):.4f})"


def _size(count: int) -> str:
    for unit, large in (("MB", 1e6), ("kB", 1e3)):
        if count >= large:
            return f"{count / large:.1f} {unit}"
    return f"{count} bytes"


@dataclass(frozen=True, eq=False, repr=False)
class LinearFit(Brief):
    """A fitted linear tagger.

    training    labels, columns, words, rules and dictionary
    encoder     turns sentences into attributes; loaded on first use, if it comes from a file
    model       the weights, likewise
    history     of the training, likewise
    sentences   number of training sentences; None in files of earlier versions
    pruned      the report of prune(); None for a tagger that was not pruned
    tables      the arrays of the fast decoder: mapped from a file, or built on first use
    """

    training: Annotated[Training, Part(Training)]
    encoder: Annotated[Late[Encoder], Lazily(Part(Encoder), K="size", E="edge_size")]
    model: Annotated[Late[LinearModel], Lazily(Part(LinearModel))]
    history: Annotated[Late[History], Lazily(Record(History))]
    sentences: Annotated[int | None, Record(int | None, least=0, most=2**53)] = None
    pruned: Annotated[PruneReport | None, Record(PruneReport | None)] = None
    tables: Annotated[LateTables | None, StoredTables()] = None

    def __post_init__(self) -> None:
        tables, source = self.tables, (self.model, self.encoder)
        if tables is None or tables.source not in (None, source):  # None: all three come from one file
            tables = LateTables(make=self._tables)
            object.__setattr__(self, "tables", tables)
        tables.source = source

    def _tables(self) -> DecoderTables | None:
        """Build the tables; none for models with dictionaries, which need trellises."""
        return None if self.training.dictionary is not None else tables_of(self.model(), self.encoder())

    def check(self) -> None:
        """Check that the parts loaded so far fit together."""
        if not self.model.made:
            return
        model, training = self.model(), self.training
        if model.labels != training.labels:
            raise StoreError("the model and the tagger should have the same labels")
        masks = ((getattr(model.rules, one), getattr(training.rules, one)) for one in Rules.__annotations__)
        if not all(np.array_equal(*pair) for pair in masks):
            raise StoreError("the model and the tagger should have the same rules")
        if self.pruned is not None and self.pruned.storage != model.dtype:
            raise StoreError(f"the weights should be stored as {self.pruned.storage}")

    @classmethod
    def of(
        cls, training: Training, encoder: Encoder, model: LinearModel, history: History, **more: Any
    ) -> Self:
        """Make a fitted value from the results of training."""
        return cls(training, Late(encoder), Late(model), Late(history), **more)

    def with_model(self, model: LinearModel, encoder: Encoder | None = None, **changes: Any) -> Self:
        """Return a copy with this model, which may have other labels or rules."""
        training = replace(self.training, labels=model.labels, rules=model.rules)
        kept = self.encoder if encoder is None else Late(encoder)
        return replace(self, training=training, encoder=kept, model=Late(model), **changes)

    @cached_property
    def decoder(self) -> Decoder:
        """The fast decoder."""
        return Decoder(self.tables(), lambda: (self.model(), self.encoder()))  # type: ignore[misc]

    @cached_property
    def attribute_tagger(self) -> _core.AttributeTagger | None:
        """The short way from lists of ready-made attributes to labels; None for a model that needs a corpus."""
        training = self.training
        return None if training.dictionary is not None else self.decoder.attribute_tagger(training.classes)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out data that can be recomputed."""
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "tables"}
        return partial(type(self), **kept), ()
