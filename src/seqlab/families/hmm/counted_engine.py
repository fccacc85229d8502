"""Labelled words: HMM hands them to models.counted, which counts them and knows what to do with new words."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import OptionError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counting import Counting, suffixes_of
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.emissions.categorical import Categorical, SymbolDistribution
from seqlab.families.hmm.emissions.symbols import UNKNOWN, Symbols
from seqlab.families.hmm.suffixes import SuffixModel
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training import Data
from seqlab.families.hmm.transitions import usual_order
from seqlab.learning.smoothing import MLE, AddLambda, smoothing_of
from seqlab.tagging.decoding import Trellises
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary


def wants_counting(hmm: Any, data: Data, emissions: Any) -> bool:
    """Whether data and options are for counted words: every token has its label, and more than tables is asked."""
    words = data.column is not None and isinstance(data.corpus.data(data.column), StringColumn)
    fits = data.full and words and type(emissions) is Categorical and emissions.symbols is None
    asked = isinstance(hmm.learner, Counting)
    if not fits:
        if asked:
            raise OptionError(
                "Counting() wants words, each of them with a label; for anything else leave out learner"
            )
        return False
    if asked:
        return True
    return hmm.learner is None and hmm.states is None and hmm.init is None and _more_than_tables(hmm)


def _more_than_tables(hmm: Any) -> bool:
    if (
        hmm.order not in (None, 1)
        or isinstance(hmm.unknown, SuffixModel)
        or hmm.unknown in ("suffix", "none")
    ):
        return True
    if isinstance(hmm.smoothing, Dirichlet):
        return False
    return hmm.smoothing is None or not isinstance(smoothing_of(hmm.smoothing), (MLE, AddLambda))


def count_words(hmm: Any, data: Data, labels: tuple[str, ...], weights: Floats | None) -> CountedHMM:
    """The counts of labelled words."""
    assert data.gold is not None and data.column is not None  # noqa: PT018, S101  (wants_counting looked)
    own = hmm.learner if isinstance(hmm.learner, Counting) else None
    smoothing = own.smoothing if own is not None and own.smoothing is not None else hmm.smoothing
    unknown = own.suffixes() if own is not None else _suffixes(hmm.unknown)
    column = data.corpus.strings(data.column).compact()
    return CountedHMM.count(
        column.pool,
        column.codes,
        data.corpus.offsets,
        data.gold.numbered(labels).ids,
        labels,
        order=usual_order(len(labels)) if hmm.order is None else hmm.order,
        smoothing=smoothing,
        unknown=unknown,
        weights=weights,
        end=bool(hmm.end),
    )


def _suffixes(unknown: Any) -> SuffixModel | None:
    if unknown is None:
        return SuffixModel()
    if unknown == "missing":
        return None
    if unknown == "error":
        raise OptionError(
            "unknown='error' is for plain tables; counted words take 'suffix', 'none' or 'missing'"
        )
    return suffixes_of(unknown)


def counted_trellises(
    model: CountedHMM,
    corpus: Corpus,
    column: str,
    rules: Rules,
    dictionary: TagDictionary | None,
    threads: int,
) -> Trellises:
    """One trellis for every sentence, with rules and dictionary in it."""
    words = corpus.strings(column).compact()
    made = model.trellises(
        words.pool, words.codes, corpus.offsets, allowed=_flags(words, dictionary), threads=threads
    )
    if not rules:
        return made
    return [
        one.constrain(
            forbidden_moves=rules.forbidden, forbidden_starts=rules.no_start, forbidden_ends=rules.no_end
        )
        for one in made
    ]


def counted_ids(
    model: CountedHMM, corpus: Corpus, column: str, dictionary: TagDictionary | None, threads: int
) -> npt.NDArray[np.int32]:
    """(tokens,) numbers of the best labels, the fast way."""
    words = corpus.strings(column)
    return model.label_ids(
        words.pool, words.codes, corpus.offsets, allowed=_flags(words, dictionary), threads=threads
    )


def _flags(words: StringColumn, dictionary: TagDictionary | None) -> npt.NDArray[np.bool_] | None:
    """(words, L) what each distinct word may be."""
    return None if dictionary is None else dictionary.flags(words.values)


def as_tables(model: CountedHMM, rules: Rules) -> HiddenMarkov | None:
    """Plain tables over the words of training, for questions that need them; None for orders above 1."""
    if model.order != 1:
        return None
    moves, end = model.move_probabilities, model.end_probabilities
    A = moves[: model.L] if end is None else moves[: model.L] * (1 - end)[:, None]
    emitted = model.emissions()
    emitted = emitted / np.maximum(emitted.sum(axis=1, keepdims=True), 1e-300)
    words = Symbols(emitted.shape[1], tuple(model.words.pool.strings()))
    table = SymbolDistribution(words, np.ascontiguousarray(emitted.T))
    return HiddenMarkov(model.labels, moves[model.L], np.ascontiguousarray(A), end, table, rules)


UNKNOWNS = (*UNKNOWN, "suffix", "none")
