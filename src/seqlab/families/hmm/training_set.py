"""Training and development sets: sentences, their labels if any, and the names of the states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core, families
from seqlab.corpus import Corpus, StringColumn
from seqlab.corpus.columns import ragged
from seqlab.errors import LabelError, OptionError, ShapeError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.em import Evidence, say_lost
from seqlab.families.hmm.emissions import Emission
from seqlab.families.hmm.emissions.base import Floats, Ids
from seqlab.families.hmm.observations import find_column, read_observations, split_labels
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.scale.columns import cuts_of, spread_out
from seqlab.tagging.decoding import hits
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import NOTHING, SEVERAL, Gold, read_gold, token_weights

Bools = npt.NDArray[np.bool_]
LEAST = float(np.log(5e-324))  # of a token of an impossible sentence: log of the smallest positive number


@dataclass(frozen=True, slots=True, eq=False)
class Beyond:
    """A corpus on disk, of which a training set is a sample.

    tokens    of all sentences
    full      True if every token has one label
    named     True if any token has exactly one label
    rules     reads constraints for labels of these names, and checks all sentences by them
    weights   of the sentences of the sample; None if all are 1
    facts     name the data, for a checkpoint
    share     makes a learner like this one, whose E steps are sums over all sentences
    """

    tokens: int
    full: bool
    named: bool
    rules: Callable[[Sequence[str]], Rules]
    weights: Floats | None
    facts: Mapping[str, str]
    share: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Training sentences, checked, with their labels if any.

    emissions   the emission distribution, which defines their form
    gold        their labels, if any
    column      of the observations; None for streams
    beyond      the corpus that these sentences are a sample of; None if they are all there is
    """

    corpus: Corpus
    emissions: Emission
    gold: Gold | None
    column: str | None
    beyond: Beyond | None = None

    @staticmethod
    def read(
        hmm: families.HMM, X: Any, y: Any, lengths: Any = None, emissions: Emission | None = None
    ) -> TrainingSet:
        """Read the arguments of fit."""
        emissions = hmm._check_options() if emissions is None else emissions
        corpus = read_observations(X, emissions, lengths)
        gold = read_labels(corpus, y, lengths)
        if not corpus.token_count:
            raise ShapeError(
                f"X has {len(corpus)} sentences and no token at all, so there is nothing to learn from"
            )
        column = find_column(corpus, emissions, hmm.column, None if gold is None else gold.column)
        if hmm.allowed is not None and not (column and isinstance(corpus.data(column), StringColumn)):
            raise OptionError("allowed={word: labels} is for words, but the observations are something else")
        return TrainingSet(corpus, emissions, gold, column)

    @property
    def full(self) -> bool:
        """True if every token has one label."""
        if self.beyond is not None:
            return self.beyond.full
        return self.gold is not None and not self.gold.partial

    @property
    def named(self) -> bool:
        """True if any token has exactly one label."""
        if self.beyond is not None:
            return self.beyond.named
        return self.gold is not None and bool((self.gold.ids >= 0).any())

    @property
    def tokens(self) -> int:
        """The number of tokens that training has."""
        return self.corpus.token_count if self.beyond is None else self.beyond.tokens

    @property
    def words(self) -> bool:
        """True if the observations are words."""
        return self.column is not None and isinstance(self.corpus.data(self.column), StringColumn)

    @property
    def labelled(self) -> Bools:
        """(N,) True for sentences with any label."""
        if self.gold is None:
            return np.zeros(len(self.corpus), dtype=bool)
        known = np.concatenate([[0], np.cumsum(self.gold.ids != NOTHING)])
        return np.asarray(np.diff(known[self.corpus.offsets]) > 0)

    def numbered(self, labels: Sequence[str]) -> TrainingSet:
        """Number the labels in this order."""
        if self.gold is None:
            return self
        for name in self.gold.names:
            if name not in labels:
                raise LabelError(
                    f"y has the label {name!r}, which the first batch did not have; name all states with "
                    f"HMM(states=[...])"
                )
        return replace(self, gold=self.gold.numbered(labels))

    def evidence(
        self,
        observed: Any,
        size: int,
        dictionary: TagDictionary | None = None,
        sample_weight: Any = None,
        unlabelled: float = 1.0,
    ) -> Evidence:
        """Return the input of the E step; `unlabelled` is the weight of a sentence without any label."""
        weights = self.sentence_weights(sample_weight, unlabelled)
        allowed = self.allowed(dictionary, size)
        return Evidence(observed, self.corpus.offsets, weights, allowed, cuts_of(self.corpus))

    def sampled(self, parts: int) -> tuple[Ids, TrainingSet]:
        """Choose the sentences that a start is made of, of a corpus in so many parts: all of a single part.

        Otherwise every `parts`-th one, until there are as many as in a part: a sample that is a function of the data.
        """
        chosen = np.arange(len(self.corpus))
        if parts <= 1:
            return chosen, self
        chosen = chosen[spread_out(self.corpus, 0, parts)]
        corpus, gold = self.corpus.take(chosen), self.gold
        if gold is not None:
            _, tokens = ragged(self.corpus.offsets, chosen)
            sets = {i: gold.sets[token] for i, token in enumerate(tokens.tolist()) if token in gold.sets}
            gold = replace(gold, ids=gold.ids[tokens], sets=sets)
        return chosen, replace(self, corpus=corpus, gold=gold)

    def allowed(self, dictionary: TagDictionary | None, size: int) -> Bools | None:
        """Compute (T, L) the allowed labels of each token, by its label or labels and the dictionary; None for all."""
        mask = None if dictionary is None else dictionary.mask(self.corpus)
        gold = self.gold
        if gold is None:
            return mask
        known = gold.ids >= 0
        allowed = np.ones((len(gold.ids), size), dtype=bool) if mask is None else mask.copy()
        allowed[known] = False
        allowed[np.flatnonzero(known), gold.ids[known]] = True
        for token in np.flatnonzero(gold.ids == SEVERAL).tolist():
            allowed[token] = False
            allowed[token, list(gold.sets[token])] = True
        return allowed

    def sentence_weights(self, sample_weight: Any, unlabelled: float) -> Floats | None:
        """(N,) weight of each sentence; None when all are 1."""
        if self.beyond is not None:
            return self.weighted(self.beyond.weights, unlabelled)
        weights = token_weights(self.corpus, sample_weight)
        lengths, offsets = self.corpus.lengths, self.corpus.offsets
        made = np.ones(len(lengths))
        if weights is not None:
            some = lengths > 0
            made[some] = weights[offsets[:-1][some]]
            if not np.array_equal(np.repeat(made, lengths), weights):
                raise OptionError(
                    "an HMM counts whole sentences: sample_weight must be one number for each of them"
                )
        return self.weighted(made, unlabelled)

    def weighted(self, weights: Floats | None, unlabelled: float) -> Floats | None:
        """Multiply weights of sentences (N,), or 1 for None, by that of sentences without any label."""
        made = np.ones(len(self.corpus)) if weights is None else weights
        if self.gold is not None and unlabelled != 1.0:
            made = np.where(self.labelled, made, made * unlabelled)
        return None if (made == 1).all() else made


def read_labels(corpus: Corpus, y: Any, lengths: Any = None) -> Gold | None:
    """Read the labels of a corpus; None when there is not a single one."""
    if y is None:
        return None
    gold = read_gold(corpus, split_labels(y, corpus.offsets, lengths))
    return gold if gold.names else None


# ------------------------------------------------------------------------------------------------ names of the states


def state_names(
    hmm: families.HMM, data: TrainingSet, known: tuple[str, ...] | None, tokens: int | None = None
) -> tuple[str, ...]:
    """Find the names of the states; `known` are those of init, if any; `tokens`: how many there are, if not these."""
    names = () if data.gold is None else data.gold.names
    n_states, tokens = hmm.n_states, data.tokens if tokens is None else tokens
    if hmm.states is not None:
        labels = checked_states(hmm.states)
        if n_states is not None and n_states != len(labels):
            raise OptionError(f"n_states is {n_states}, but states has {len(labels)} names")
        for name in names:
            if name not in labels:
                raise LabelError(
                    f"y has the label {name!r}, but states has only {', '.join(map(repr, labels))}"
                )
    elif known is not None and n_states in (None, len(known)) and set(names) <= set(known):
        labels = known
    else:
        n_states = len(names or known or ()) if n_states is None else n_states
        if not n_states:
            raise OptionError(
                "n_states says how many hidden states there are; only labels, states or tables make it unneeded"
            )
        if n_states < len(names):
            raise OptionError(f"n_states is {n_states}, but y has {len(names)} labels")
        labels = (*names, *named_states(n_states)[: n_states - len(names)])
    if len(labels) > tokens:
        raise ShapeError(
            f"{len(labels)} states are more than the {tokens} observations of X can tell apart; ask for fewer"
        )
    return labels


def named_states(count: int) -> tuple[str, ...]:
    """Name states s0, s1, ...; zero-padded if there are more than ten, so that names sort as numbers do."""
    digits = len(str(count - 1))
    return tuple(f"s{i:0{digits}d}" for i in range(count))


def checked_states(states: Any) -> tuple[str, ...]:
    """Check names of states that a user gave."""
    if isinstance(states, (str, bytes)) or not isinstance(states, Iterable):
        raise OptionError(f"states must be a list of names, got {states!r:.60}")
    names: Sequence[Any] = list(states)
    for name in names:
        if not isinstance(name, str):
            raise OptionError(f"the name of a state is a string, got {name!r:.60}")
    if not names or len(set(names)) != len(names):
        raise OptionError(f"states must be different names, at least one, got {names!r:.80}")
    return tuple(names)


# ------------------------------------------------------------------------------------------------ development sets


class DevScorer:
    """Scores models on a development set: accuracy where it has labels, else log-likelihood a token.

    An impossible sentence counts as wrong, or has LEAST for each of its tokens; that is reported once.
    """

    def __init__(self, dev: Any, data: TrainingSet, dictionary: TagDictionary | None, threads: int) -> None:
        X, y = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, None)
        if isinstance(X, Corpus) and y is None and data.gold is not None and data.gold.column in X.columns:
            y = data.gold.column
        self.corpus = read_observations(X, data.emissions)
        if not self.corpus.token_count:
            raise ShapeError(
                f"dev has {len(self.corpus)} sentences and no token at all; leave it out, or give it some"
            )
        self.gold = read_labels(self.corpus, y)
        self.column, self.threads = data.column, threads
        self.dictionary = dictionary
        self.allowed = None if dictionary is None else dictionary.mask(self.corpus)
        self.name = "log_likelihood" if self.gold is None else "accuracy"
        self._said = False

    def __call__(self, model: HiddenMarkov | CountedHMM) -> float:
        """Score a model; larger is better."""
        batch = self._batch(model)
        log_z, ids = np.empty(len(self.corpus)), np.zeros(self.corpus.token_count, dtype=np.int32)
        if self.gold is None:
            _core.log_partition(batch, log_z, self.threads)
        else:
            _core.viterbi(batch, ids, log_z, self.threads)
        lengths, possible = self.corpus.lengths, log_z > -np.inf
        if not self._said and not possible.all():
            counts = f"log P = {LEAST:.0f} each" if self.gold is None else "labelled wrongly"
            advice = model.advice() or "constraints= or allowed= forbid them"
            self._said = say_lost(log_z, " of dev", f"their tokens count as {counts}; {advice}")
        if self.gold is None:
            return float(np.where(possible, log_z, LEAST * lengths).sum()) / self.corpus.token_count
        right = hits(self.gold, np.maximum(ids, 0), model.labels) & np.repeat(possible, lengths)
        return float(right[self.gold.ids != NOTHING].mean())

    def _batch(self, model: HiddenMarkov | CountedHMM) -> Any:
        if isinstance(model, HiddenMarkov):
            observed = model.emissions.observe(self.corpus, self.column, unknown="missing")
            return model.batch(observed, self.corpus.offsets, self.allowed).batch()
        words = self.corpus.strings(str(self.column)).compact()
        flags = None if self.dictionary is None else self.dictionary.flags(words.values)
        node = model.word_scores(words.pool, words.codes, flags)[0]
        return model.batch(node, self.corpus.offsets)
