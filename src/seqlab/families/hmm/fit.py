"""What a fitted hidden Markov model is: one frozen value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from seqlab.errors import StoreError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.stepwise import Running
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.learning.history import History
from seqlab.store.codec import Late, Listed, Part, Record
from seqlab.tagging.door.dictionary import Dictionary, TagDictionary
from seqlab.tagging.training import Training

HiddenModel = HiddenMarkov | CountedHMM


@dataclass(frozen=True, eq=False)
class HmmFit:
    """A fitted hidden Markov model.

    training          labels, columns, words, rules and dictionary
    model             tables, or counts of labelled words
    history           of the training
    observed_column   that the observations stand in; None for streams and for tables that were given
    unknown           what becomes of symbols that were never seen: "error", "missing" or "suffix"
    restarts          histories of all runs
    running           what partial_fit goes on from; None unless it has been there
    """

    training: Annotated[Training, Part(Training)]
    model: Annotated[HiddenModel, Part(HiddenMarkov, CountedHMM)]
    history: Annotated[History, Record(History)]
    observed_column: Annotated[str | None, Listed()]
    unknown: str
    restarts: Annotated[tuple[History, ...], Record(tuple[History, ...])] = ()
    running: Annotated[Running | None, Part(Running, optional=True)] = None

    @staticmethod
    def of(
        data: TrainingSet,
        model: HiddenModel,
        dictionary: TagDictionary | None,
        history: History,
        unknown: str,
        restarts: Sequence[History] = (),
        running: Running | None = None,
    ) -> HmmFit:
        """Put a fitted value together from what training has made."""
        column = None if data.gold is None else data.gold.column
        training = Training(
            model.labels,
            tuple(name for name in data.corpus.columns if name != column),
            column,
            Late(make=lambda: model.vocabulary),
            model.rules,
            dictionary,
        )
        return HmmFit(training, model, history, data.column, unknown, tuple(restarts), running)

    @staticmethod
    def of_tables(model: HiddenMarkov, allowed: Dictionary | None, unknown: str) -> HmmFit:
        """Make a fitted value of tables that somebody wrote down."""
        dictionary = TagDictionary.of(allowed, model.labels, "word")
        words = Late(make=lambda: model.vocabulary)
        training = Training(model.labels, (), None, words, model.rules, dictionary)
        return HmmFit(training, model, History(reason="given"), None, unknown)

    def check(self) -> None:
        """Refuse parts of a file that do not belong together."""
        if self.model.labels != self.training.labels:
            raise StoreError("the labels of the model are not those of the tagger")
        tables = isinstance(self.model, HiddenMarkov)
        if self.running is not None and not (tables and self.running.fits(self.model)):  # type: ignore[arg-type]
            raise StoreError("the running counts are not those of the model")

    def with_model(self, model: HiddenModel, **changes: Any) -> HmmFit:
        """Return another one with this model, which may know other labels, words and rules."""
        training = replace(
            self.training,
            labels=model.labels,
            rules=model.rules,
            vocabulary=Late(make=lambda: model.vocabulary),
        )
        return replace(self, training=training, model=model, **{"running": None, **changes})
