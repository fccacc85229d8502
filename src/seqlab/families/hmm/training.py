"""From sentences and labels to what EM learns from, and from what it learned to a model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.errors import LabelError, OptionError, ShapeError, TrainingWarning
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.observations import read_observations, split_labels
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.tagging.door.labels import NOTHING, SEVERAL, Gold, hits, read_gold
from seqlab.tagging.door.weights import token_weights

LEAST = float(
    np.log(5e-324)
)  # log of the smallest number there is: what a token of an impossible sentence counts
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """Sentences at the door: a corpus, its labels if any, and the column of the observations."""

    corpus: Corpus
    gold: Gold | None
    column: str | None

    @property
    def full(self) -> bool:
        """Whether every token has one label."""
        return self.gold is not None and not self.gold.partial

    @property
    def labelled(self) -> Bools:
        """(N,) sentences with any label at all."""
        lengths = self.corpus.lengths
        if self.gold is None:
            return np.zeros(len(lengths), dtype=bool)
        told = np.concatenate([[0], np.cumsum(self.gold.ids != NOTHING)])
        return np.asarray(np.diff(told[self.corpus.offsets]) > 0)


def read_labels(corpus: Corpus, y: Any, lengths: Any) -> Gold | None:
    """The labels of a corpus; None when there is not a single one."""
    if y is None:
        return None
    gold = read_gold(corpus, split_labels(y, corpus.offsets, lengths))
    return gold if gold.names else None


def allowed_labels(
    gold: Gold | None, dictionary: TagDictionary | None, corpus: Corpus, size: int
) -> Bools | None:
    """(T, L) what each token may be, by its label, its set of labels, and the dictionary; None for anything."""
    mask = None if dictionary is None else dictionary.mask(corpus)
    if gold is None:
        return mask
    told = gold.ids >= 0
    allowed = np.ones((len(gold.ids), size), dtype=bool) if mask is None else mask.copy()
    allowed[told] = False
    allowed[np.flatnonzero(told), gold.ids[told]] = True
    for token in np.flatnonzero(gold.ids == SEVERAL).tolist():
        allowed[token] = False
        allowed[token, list(gold.sets[token])] = True
    return allowed


def sentence_weights(data: Data, sample_weight: Any, unlabelled: float) -> Floats | None:
    """(N,) what each sentence counts; None when all count 1."""
    weights = token_weights(data.corpus, sample_weight)
    lengths, offsets = data.corpus.lengths, data.corpus.offsets
    made = np.ones(len(lengths))
    if weights is not None:
        some = lengths > 0
        made[some] = weights[offsets[:-1][some]]
        if not np.array_equal(np.repeat(made, lengths), weights):
            raise OptionError(
                "an HMM counts whole sentences: sample_weight must be one number for each of them"
            )
    labelled = data.labelled
    if labelled.any() and unlabelled != 1.0:
        made = np.where(labelled, made, made * unlabelled)
    return None if (made == 1).all() else made


def state_count(
    n_states: Any, states: Sequence[str] | None, gold: Gold | None, known: Sequence[str] | None
) -> int | None:
    """How many states there are, if options and data agree on it."""
    if states is not None and n_states is not None and n_states != len(states):
        raise OptionError(f"n_states is {n_states}, but states has {len(states)} names")
    if states is not None:
        for name in () if gold is None else gold.names:
            if name not in states:
                raise LabelError(
                    f"y has the label {name!r}, but states has only {', '.join(map(repr, states))}"
                )
        return len(states)
    if gold is not None and n_states is not None and n_states < len(gold.names):
        raise OptionError(f"n_states is {n_states}, but y has {len(gold.names)} labels")
    if n_states is None:
        found = gold.names if gold is not None else known
        return None if found is None else len(found)
    return int(n_states)


def check_enough(corpus: Corpus, size: int) -> None:
    """At least as many tokens as states."""
    if not corpus.token_count:
        raise ShapeError(
            f"X has {len(corpus)} sentences and no token at all, so there is nothing to learn from"
        )
    if size > corpus.token_count:
        raise ShapeError(
            f"{size} states are more than the {corpus.token_count} observations of X can tell apart; ask for fewer"
        )


def by_occupation(model: HiddenMarkov, used: Floats) -> tuple[HiddenMarkov, Floats]:
    """States in the order of how often they are used, the most used first: an order that does not hang on chance."""
    order = np.argsort(-np.round(used, 6), kind="stable")
    return model.reordered(order), used[order]


class DevJudge:
    """Scores models on a development set: accuracy where it has labels, else log-likelihood a token.

    What cannot be under a model is labelled wrongly, or has LEAST for each of its tokens; that is reported once.
    """

    def __init__(self, dev: Any, data: Data, emissions: Any, threads: int) -> None:
        X, y = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, None)
        if isinstance(X, Corpus) and y is None and data.gold is not None and data.gold.column in X.columns:
            y = data.gold.column
        self.corpus = read_observations(X, emissions)
        if not self.corpus.token_count:
            raise ShapeError(
                f"dev has {len(self.corpus)} sentences and no token at all; leave it out, or give it some"
            )
        self.gold = read_labels(self.corpus, y, None)
        self.column, self.threads = data.column, threads
        self.allowed: Bools | None = None
        self.name = "log_likelihood" if self.gold is None else "accuracy"
        self._told = False

    def obeying(self, dictionary: TagDictionary | None) -> DevJudge:
        """With the tag dictionary of training."""
        self.allowed = None if dictionary is None else dictionary.mask(self.corpus)
        return self

    def __call__(self, model: HiddenMarkov) -> float:
        """Larger is better."""
        observed = model.emissions.observe(self.corpus, self.column, unknown="missing")
        batch = model.batch(observed, self.corpus.offsets, self.allowed)
        log_z, lengths = np.empty(len(self.corpus)), self.corpus.lengths
        if self.gold is None:
            _core.log_partition(batch.batch(), log_z, self.threads)
            self._say_impossible(log_z, model)
            return float(np.where(log_z > -np.inf, log_z, LEAST * lengths).sum()) / self.corpus.token_count
        ids = np.zeros(self.corpus.token_count, dtype=np.int32)
        _core.viterbi(batch.batch(), ids, log_z, self.threads)
        self._say_impossible(log_z, model)
        right = hits(self.gold, np.maximum(ids, 0), model.labels) & np.repeat(log_z > -np.inf, lengths)
        return float(right[self.gold.ids != NOTHING].mean())

    def _say_impossible(self, log_z: Floats, model: HiddenMarkov) -> None:
        lost = np.flatnonzero(~(log_z > -np.inf))
        if not len(lost) or self._told:
            return
        self._told = True
        counts = f"log P = {LEAST:.0f} each" if self.gold is None else "labelled wrongly"
        warnings.warn(
            f"{len(lost)} of {len(log_z)} sentences of dev cannot be under the model, sentence {int(lost[0])} first; "
            f"their tokens count as {counts}; {model.advice() or 'constraints= or allowed= forbid them'}",
            TrainingWarning,
            stacklevel=2,
        )
