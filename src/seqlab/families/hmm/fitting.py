"""How HMM learns: what its states are called, where it begins, and one run of EM or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.corpus import Corpus, StringColumn
from seqlab.errors import OptionError, ShapeError
from seqlab.families.hmm.counted_engine import count_words
from seqlab.families.hmm.em import BaumWelch, EMTask, groups_of, say_empty
from seqlab.families.hmm.emissions import Emission
from seqlab.families.hmm.expectation import Evidence, expect
from seqlab.families.hmm.observations import find_column, read_observations
from seqlab.families.hmm.start import TABLES, Ground, checked_states, named_states, starter
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training import Data, allowed_labels, by_occupation, read_labels, state_count
from seqlab.learning.bar import Bar
from seqlab.learning.history import Epoch, History
from seqlab.learning.restarts import best_of
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.tagging.door.weights import token_weights

if TYPE_CHECKING:
    from typing_extensions import Self


class HMMFitting:
    """Mixed into HMM."""

    if TYPE_CHECKING:
        init: Any
        learner: Any
        states: Any
        n_states: Any
        allowed: Any
        column: str | None
        seed: int

        def _keep(
            self, model: Any, data: Any, dictionary: Any, history: Any, histories: Any, rules: Any = None
        ) -> None: ...
        def _check_fitted(self, question: str) -> None: ...
        def _chain(self, question: str) -> HiddenMarkov: ...

    def _learner(self, data: Data) -> Any:
        return self.learner if self.learner is not None else None if data.full else BaumWelch()

    def _data(self, X: Any, y: Any, lengths: Any, emissions: Emission) -> Data:
        corpus = read_observations(X, emissions, lengths)
        gold = read_labels(corpus, y, lengths)
        if not corpus.token_count:
            raise ShapeError(
                f"X has {len(corpus)} sentences and no token at all, so there is nothing to learn from"
            )
        column = find_column(corpus, emissions, self.column, None if gold is None else gold.column)
        if self.allowed is not None and not (column and isinstance(corpus.data(column), StringColumn)):
            raise OptionError("allowed={word: labels} is for words, but the observations are something else")
        return Data(corpus, gold, column)

    def _labels(self, data: Data) -> tuple[tuple[str, ...], Any]:
        """Names of the states, and `init` with tuples and models made tables."""
        init, known = as_tables_or_words(self.init)
        states = None if self.states is None else checked_states(self.states)
        gold = data.gold
        fits = known is not None and self.n_states in (None, len(known))
        if states is None and known is not None and fits and (gold is None or set(gold.names) <= set(known)):
            return known, init
        size = state_count(self.n_states, states, gold, known)
        if size is None:
            raise OptionError(
                "n_states says how many hidden states there are; only labels, states or tables make it unneeded"
            )
        if states is not None:
            return states, init
        names = () if gold is None else gold.names
        return (*names, *named_states(size)[: size - len(names)]), init

    def _count_words(
        self,
        data: Data,
        labels: tuple[str, ...],
        rules: Rules,
        dictionary: TagDictionary | None,
        sample_weight: Any,
    ) -> Self:
        model = count_words(self, data, labels, token_weights(data.corpus, sample_weight))
        history = History([Epoch(1, None, None, None, None, 0.0)], "counted", 1)
        self._keep(model, data, dictionary, history, (history,), rules)
        return self

    def _counted(self, ground: Ground, prior: Dirichlet, threads: int) -> Any:
        """With every label known, one M step is counting."""
        flat = ground.flat(np.random.default_rng(self.seed))
        model = flat.maximised(expect(flat, ground.evidence, threads), prior)
        history = History([Epoch(1, None, None, None, None, 0.0)], "counted", 1)
        return model, history, (history,)

    def _em(
        self,
        ground: Ground,
        data: Data,
        init: Any,
        learner: Any,
        prior: Dirichlet,
        threads: int,
        options: Any,
    ) -> Any:
        judge, patience, callbacks, progress = options
        init, labelled = self._beginning(ground, init, data)
        make, by_chance = starter(ground, init, labelled)
        starts = [
            make(np.random.default_rng([self.seed, run]))
            for run in range(learner.restarts if by_chance else 1)
        ]
        evidence = self._seen_by(starts[0], ground, data)
        groups = groups_of(learner.tied, ground.labels)

        emptied: list[int] = []

        def train(run: int, share: int, report: Any) -> Any:
            task = EMTask(evidence.alone() if run else evidence, prior, groups, emptied=emptied)
            return learner.train(task, starts[run], threads=share, report=report)

        best = best_of(
            train,
            len(starts),
            threads=threads,
            judge=judge,
            metric=None if judge is None else judge.name,
            patience=patience,
            callbacks=callbacks,
            bar=Bar() if progress else None,
        )
        model: Any = best.outcome.theta
        nameless = self.states is None and data.gold is None and by_chance and not isinstance(init, dict)
        sorts = nameless and not ground.rules and not learner.tied
        if sorts or emptied:  # what is said of states holds for the model that is kept, by its own names
            used = learner.expect(model, evidence, threads).occupied
            if sorts:
                model, used = by_occupation(model, used)
            say_empty(model, used)
        return model, best.history, best.histories

    def _beginning(self, ground: Ground, init: Any, data: Data) -> tuple[Any, Evidence | None]:
        """`init` as a word, tables or a dictionary; and labelled sentences to count first."""
        if isinstance(init, tuple) and len(init) == 2:
            return None, self._labelled_corpus(ground, init)
        if data.gold is None or init is not None:
            return init, None
        weights = data.labelled.astype(np.float64)
        return None, Evidence(
            ground.evidence.observed, ground.evidence.offsets, weights, ground.evidence.allowed
        )

    def _labelled_corpus(self, ground: Ground, init: Any) -> Evidence:
        corpus = read_observations(init[0], ground.emissions)
        gold = read_labels(corpus, init[1], None)
        if gold is None:
            raise OptionError("init=(X, y) wants labels, but y has none")
        column = find_column(corpus, ground.emissions, self.column, gold.column)
        flat = ground.flat(np.random.default_rng(self.seed))
        observed = flat.emissions.observe(corpus, column, unknown="missing")
        allowed = allowed_labels(gold.numbered(ground.labels), None, corpus, ground.size)
        return Evidence(observed, corpus.offsets, None, allowed)

    def _seen_by(self, start: HiddenMarkov, ground: Ground, data: Data) -> Evidence:
        """The evidence in the numbers of the model that training begins with."""
        if not isinstance(self.init, HMMFitting):
            return ground.evidence
        evidence = ground.evidence
        observed = start.emissions.observe(data.corpus, data.column, unknown="error")
        return Evidence(observed, evidence.offsets, evidence.weights, evidence.allowed)


def _labels_of(X: Any, y: Any) -> tuple[str, ...]:
    """The labels of init=(X, y), sorted."""
    if isinstance(y, str) and isinstance(X, Corpus):
        return tuple(sorted(X.strings(y).compact().values))
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        raise OptionError(
            f"init=(X, y) wants a Corpus and the name of a column, or sentences and their labels, got {y!r:.60} as y"
        )
    return tuple(sorted({one for row in y for one in row or () if isinstance(one, str)}))


def as_tables_or_words(init: Any) -> tuple[Any, tuple[str, ...] | None]:
    """`init` with models and tuples of tables as {"start": ...}; and the names of the states that it knows, if any."""
    if isinstance(init, HMMFitting):
        init._check_fitted("init")
        model = init._chain("init")
        tables = {"start": model.pi, "transitions": model.A, "emissions": model.emissions}
        return tables | ({} if model.end is None else {"end": model.end}), model.labels
    if isinstance(init, tuple) and len(init) == 2:
        return init, _labels_of(*init)
    if isinstance(init, tuple) and len(init) in (3, 4):
        init = dict(zip(("start", "transitions", "emissions", "end"), init, strict=False))
    if isinstance(init, dict) and "start" in init:
        return init, named_states(max(len(np.atleast_1d(init["start"])), 1))
    if isinstance(init, dict) and init and not set(init) & set(TABLES):
        words = (some for some in init.values() if isinstance(some, (list, tuple, set, frozenset)))
        return init, tuple(
            sorted({label for some in words for label in some if isinstance(label, str)})
        ) or None
    return init, None
