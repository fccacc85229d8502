"""The engine of labelled words: they are counted, and new words are judged by their endings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import OptionError, QuestionError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counting import Counting, SuffixModel, suffixes_of, usual_order
from seqlab.families.hmm.emissions import Categorical
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.emissions.symbols import Symbols
from seqlab.families.hmm.engines.engine import FitOptions
from seqlab.families.hmm.fit import HmmFit
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet, state_names
from seqlab.learning.history import Epoch, History
from seqlab.learning.smoothing import MLE, AddLambda, smoothing_of
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import token_weights

if TYPE_CHECKING:
    from seqlab.families.hmm.tagger import HMM


def more_than_tables(hmm: HMM) -> bool:
    """Tell whether options ask for what only counts give: a higher order, endings of words, smoothing by histories."""
    endings = isinstance(hmm.unknown, SuffixModel) or hmm.unknown in ("suffix", "none")
    if hmm.order not in (None, 1) or endings:
        return True
    if isinstance(hmm.smoothing, Dirichlet):
        return False
    return hmm.smoothing is None or not isinstance(smoothing_of(hmm.smoothing), (MLE, AddLambda))


class CountsEngine:
    """Counts of words and labels (eq:counting), of order 1 to 3."""

    streams = False

    def refuse(self, hmm: HMM, data: TrainingSet) -> None:
        """Refuse data that cannot be counted, and options that counting does not use."""
        emissions = data.emissions
        plain = type(emissions) is Categorical and emissions.symbols is None
        if not (data.full and data.words and plain):
            raise OptionError(
                "Counting() wants words, each of them with a label; for anything else leave out learner"
            )
        if hmm.init is not None:
            raise OptionError("init says where EM begins, but Counting() begins with nothing; leave out init")
        if isinstance(hmm.learner, Counting):
            if hmm.unknown is not None:
                raise OptionError(
                    f"unknown={hmm.unknown!r:.60} is said twice: with learner=Counting(...) it is an option of the "
                    f"learner; write Counting(unknown={hmm.unknown!r:.60})"
                )
            if hmm.smoothing is not None and hmm.learner.smoothing is not None:
                raise OptionError(
                    f"smoothing={hmm.smoothing!r:.60} is said twice: Counting(smoothing="
                    f"{hmm.learner.smoothing!r:.60}) has another; leave out one of them"
                )
        elif hmm.unknown == "error":
            raise OptionError(
                "unknown='error' is for plain tables; counted words take 'suffix', 'none' or 'missing'"
            )

    def fit(self, hmm: HMM, data: TrainingSet, sample_weight: Any, asked: FitOptions) -> HmmFit:
        """Count."""
        asked.checked()
        labels = state_names(hmm, data, None)
        return self._fitted(hmm, data, _count(hmm, data, labels, sample_weight))

    def partial_fit(self, hmm: HMM, data: TrainingSet, sample_weight: Any) -> HmmFit:
        """Count on top of the counts before; tables that EM has found are no counts."""
        assert data.gold is not None  # noqa: S101  (refuse looked)
        model = _count(hmm, data, data.gold.names, sample_weight)
        before = None if hmm.fit_ is None else hmm.fit_.model
        if isinstance(before, CountedHMM):
            model = before.plus(model)
        return self._fitted(hmm, data, model)

    def _fitted(self, hmm: HMM, data: TrainingSet, model: CountedHMM) -> HmmFit:
        model = replace(model, rules=Rules.of(hmm.constraints, model.labels))
        dictionary = TagDictionary.of(hmm.allowed, model.labels, data.column)
        history = History([Epoch(1, None, None, None, None, 0.0)], "counted", 1)
        return HmmFit.of(data, model, dictionary, history, "suffix", (history,))

    def trellises(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> Trellises:
        """Return one trellis for every sentence."""
        words = corpus.strings(str(column)).compact()
        model: Any = fit.model
        made: Trellises = model.trellises(
            words.pool, words.codes, corpus.offsets, allowed=_flags(words, fit), threads=threads
        )
        return made

    def label_ids(self, fit: HmmFit, corpus: Corpus, column: str | None, threads: int) -> LabelIds | None:
        """(tokens,) numbers of the best labels, by the decoder of the core."""
        if not corpus.token_count:
            return None
        words = corpus.strings(str(column))
        model: Any = fit.model
        ids: LabelIds = model.label_ids(
            words.pool, words.codes, corpus.offsets, allowed=_flags(words, fit), threads=threads
        )
        return ids

    def tables(self, fit: HmmFit, question: str) -> HiddenMarkov:
        """Return plain tables over the words of training, which order 1 has."""
        model: Any = fit.model
        if model.order != 1:
            raise QuestionError(
                f"{question} has no meaning here: this model looks {model.order} labels back, so it has no plain "
                f"tables; count with order=1, or with smoothing='mle'"
            )
        moves, end = model.move_probabilities, model.end_probabilities
        A = moves[: model.L] if end is None else moves[: model.L] * (1 - end)[:, None]
        emitted = model.emissions()
        emitted = emitted / np.maximum(emitted.sum(axis=1, keepdims=True), 1e-300)
        words = Symbols(emitted.shape[1], tuple(model.words.pool.strings()))
        table = SymbolDistribution(words, np.ascontiguousarray(emitted.T))
        return HiddenMarkov(model.labels, moves[model.L], np.ascontiguousarray(A), end, table, model.rules)


def _count(hmm: HMM, data: TrainingSet, labels: tuple[str, ...], sample_weight: Any) -> CountedHMM:
    """Count labelled words."""
    assert data.gold is not None  # noqa: S101  (refuse looked)
    learner = hmm.learner if isinstance(hmm.learner, Counting) else None
    own = None if learner is None else learner.smoothing
    column = data.corpus.strings(str(data.column)).compact()
    return CountedHMM.count(
        column.pool,
        column.codes,
        data.corpus.offsets,
        data.gold.numbered(labels).ids,
        labels,
        order=usual_order(len(labels)) if hmm.order is None else hmm.order,
        smoothing=hmm.smoothing if own is None else own,
        unknown=_suffixes(hmm.unknown) if learner is None else learner.suffixes(),
        weights=token_weights(data.corpus, sample_weight),
        end=bool(hmm.end),
    )


def _suffixes(unknown: Any) -> SuffixModel | None:
    if unknown is None:
        return SuffixModel()
    return None if unknown == "missing" else suffixes_of(unknown)


def _flags(words: StringColumn, fit: HmmFit) -> npt.NDArray[np.bool_] | None:
    """(words, L) what each distinct word may be."""
    dictionary = fit.training.dictionary
    return None if dictionary is None else dictionary.flags(words.values)
