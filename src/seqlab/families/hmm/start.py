"""Initialisation of EM: random, by k-means, clusters of words, tables, a tag dictionary, or labelled sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from seqlab import families
from seqlab.arrays import thread_count
from seqlab.corpus import Corpus
from seqlab.errors import OptionError
from seqlab.families.hmm import histories
from seqlab.families.hmm.clusters import named_clusters, word_clusters
from seqlab.families.hmm.counting import table_shape
from seqlab.families.hmm.em import BaumWelch, Evidence, expect
from seqlab.families.hmm.emissions import Categorical, Emission, Poisson, Streams
from seqlab.families.hmm.emissions.base import Chance, Floats, VectorRows, as_floats, normalised
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.emissions.symbols import Symbols, checked_probabilities
from seqlab.families.hmm.emissions.vectors import Spread, k_means
from seqlab.families.hmm.histories import Moves
from seqlab.families.hmm.tables import Dirichlet, Expected, HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet, checked_states, named_states, state_names
from seqlab.tagging.door.constraints import Given, Rules, TagDictionary, label_list

TABLES = ("start", "head", "transitions", "end", "emissions")
K_MEANS_RUNS = 10  # runs of k-means, of which the best is used
BIAS = 0.01  # weight of a label outside the dictionary relative to one in it
FIRST_COUNTS = Dirichlet(0.1, 0.1, 0.1, 0.1)  # added to labelled counts, so that unseen events are possible


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Input of the initialisation.

    data         sentences that a start is made of, with labels numbered like the states: a sample of large corpora
    domain       domain of the emissions: the symbols, or the moments of the vectors
    evidence     the sentences as arrays
    whole        all sentences as arrays, as far as they are in memory
    dictionary   the allowed labels of words, or None
    init         a method, tables, or a dictionary that biases the start; or None
    labelled     expected counts of the sentences to count first, under a model; or None
    order        number of previous states that a transition depends on
    threads      for k-means
    """

    data: TrainingSet
    domain: Any
    evidence: Evidence
    whole: Evidence
    labels: tuple[str, ...]
    rules: Rules
    end: bool
    dictionary: TagDictionary | None
    init: Any = None
    labelled: Callable[[HiddenMarkov], Expected] | None = None
    order: int = 1
    threads: int = 1

    @staticmethod
    def of(hmm: families.HMM, data: TrainingSet, unlabelled: float, sample_weight: Any) -> Ground:
        """Collect the input from options and data; `unlabelled` is the weight of a sentence without labels."""
        init, known = _read_init(hmm.init)
        pair = _read_pair(hmm, *init, data.emissions) if isinstance(init, tuple) and len(init) == 2 else None
        if pair is not None and pair.gold is not None:
            known = pair.gold.names
        labels = state_names(hmm, data, known)
        order = hmm.order or _order_of(init)
        table_shape(order, len(labels))
        dictionary = TagDictionary.of(hmm.allowed, labels, data.column)
        data = data.numbered(labels)
        beyond, size = data.beyond, len(labels)
        gold, offsets = data.gold, data.corpus.offsets
        rules = beyond.rules(labels) if beyond else Rules.learned(hmm.constraints, labels, gold, offsets)
        observed, domain = data.emissions.first(data.corpus, data.column)
        whole = evidence = data.evidence(observed, size, dictionary, sample_weight, unlabelled)
        chosen, sample = data.sampled(len(whole.parts))
        if sample is not data:
            own = data.emissions.over(domain)
            observed, domain = own.first(sample.corpus, sample.column)
            weights = None if whole.weights is None else whole.weights[chosen]
            evidence = replace(sample.evidence(observed, size, dictionary), weights=weights)
        threads = thread_count(hmm.threads)
        ground = Ground(
            sample,
            domain,
            evidence,
            whole,
            labels,
            rules,
            bool(hmm.end),
            dictionary,
            init,
            None,
            order,
            threads,
        )
        if pair is not None:
            return replace(
                ground, init=None, labelled=partial(_counts_of, pair.numbered(labels), size, threads)
            )
        if gold is None or init is not None:
            return ground
        if beyond is not None and beyond.share is not None:
            return replace(ground, labelled=beyond.share(BaumWelch()).labelled)
        first = replace(whole, weights=data.labelled.astype(np.float64))
        return replace(ground, labelled=lambda model: expect(model, first, threads))

    @property
    def size(self) -> int:
        """Number of states, L."""
        return len(self.labels)

    @property
    def by_chance(self) -> bool:
        """True if starts are random: given tables make the same one each time."""
        init = self.init
        return not (isinstance(init, Mapping) and set(init) & set(TABLES) and not _is_dictionary(init))

    def start(self, rng: Chance) -> HiddenMarkov:
        """Make a start."""
        init = self.init
        if init is None and self.labelled is not None:
            flat = self.flat(rng)
            return flat.maximised(self.labelled(flat), FIRST_COUNTS)
        if init is None:
            init = "random" if self._vectors is None else "kmeans"
        if init == "random":
            return self._random(rng)
        if init == "kmeans":
            return self._clustered(rng)
        if init == "clusters":
            return self._by_neighbours(rng)
        if isinstance(init, Mapping):
            return self._leaning(rng) if self.by_chance else self._given()
        raise OptionError(
            f"init must be 'random', 'kmeans', 'clusters', tables {{'start': ..., 'transitions': ..., 'emissions': "
            f"...}}, (pi, A, B), a fitted HMM, {{word: labels}}, or (X, y) with labels, got {init!r:.60}"
        )

    def flat(self, rng: Chance) -> HiddenMarkov:
        """Make a model whose states are all equal."""
        emissions = self._emissions(1, rng).reordered(np.zeros(self.size, dtype=np.int64))
        return self._chain(*self._even, emissions)

    @property
    def _even(self) -> tuple[Floats, Moves]:
        """Uniform start and transition probabilities."""
        start, *moves = (np.full((self.size,) * (j + 1), 1.0 / self.size) for j in range(self.order + 1))
        return start, tuple(moves)

    @property
    def _vectors(self) -> VectorRows | None:
        """The vectors to cluster: the observations, or the first stream of vectors; None without any."""
        observed = self.evidence.observed
        streams = observed if isinstance(observed, tuple) else (observed,)
        return next((one for one in streams if isinstance(one, VectorRows)), None)

    def _emissions(self, size: int, rng: Chance) -> Any:
        return self.data.emissions.random(self.domain, self.evidence.observed, size, rng)

    def _chain(self, pi: Floats, moves: Moves, emissions: Any) -> HiddenMarkov:
        """Make a model that obeys the rules; its end probability fits the lengths of the data."""
        pi, moves = (
            _masked(pi, self.rules.no_start),
            tuple(_masked(one, self.rules.forbidden) for one in moves),
        )
        end = None
        if self.end:
            chance = len(self.evidence) / max(self.evidence.tokens, 1)
            end = np.where(self.rules.no_end, 0.0, min(chance, 0.5))
            moves = tuple(one * (1 - end)[:, None] for one in moves)
        *head, A = moves
        return HiddenMarkov(self.labels, pi, A, end, emissions, self.rules, tuple(head))

    def _random(self, rng: Chance) -> HiddenMarkov:
        """Draw all tables."""
        size = self.size
        pi = rng.dirichlet(np.full(size, 2.0))
        moves = tuple(
            rng.dirichlet(np.full(size, 2.0), size**j).reshape((size,) * (j + 1))
            for j in range(1, self.order + 1)
        )
        return self._chain(pi, moves, self._emissions(size, rng))

    def _clustered(self, rng: Chance) -> HiddenMarkov:
        """Make states from clusters of vectors; transitions are left to training."""
        vectors, emissions = self._vectors, self.data.emissions
        if vectors is None and isinstance(emissions, Streams):
            raise OptionError("init='kmeans' needs a stream of numbers, but every stream holds symbols")
        if vectors is None:
            raise OptionError(
                "init='kmeans' is for vectors; symbols begin with init='random', or with tables"
            )
        labels = k_means(vectors, self.size, rng, runs=K_MEANS_RUNS, threads=self.threads)
        made = emissions.clustered(self.domain, self.evidence.observed, labels, self.size)
        return self._chain(*self._even, made)

    def _by_neighbours(self, rng: Chance) -> HiddenMarkov:
        """Initialise by clusters of words with similar neighbours, which are counted as if they were labels."""
        rows = self.evidence.observed
        if type(self.data.emissions) is not Categorical:
            raise OptionError(
                "init='clusters' is for words, which it tells apart by their neighbours; vectors begin with 'kmeans'"
            )
        offsets, symbols = self.evidence.offsets, len(self.domain)
        found = word_clusters(rows, offsets, symbols, self.size, rng, self.threads)
        if self.evidence.allowed is not None:
            found = named_clusters(found, self.evidence.allowed)
        mask = (found[:, None] == np.arange(self.size)) | (found < 0)[:, None]
        if self.evidence.allowed is not None:
            held = mask & self.evidence.allowed
            mask = np.where(held.any(axis=1, keepdims=True), held, self.evidence.allowed)
        flat = self.flat(rng)
        return flat.maximised(expect(flat, replace(self.evidence, allowed=mask), self.threads), FIRST_COUNTS)

    def _leaning(self, rng: Chance) -> HiddenMarkov:
        """Make a random start in which a word prefers the labels that the dictionary gives it."""
        model = self._random(rng)
        table = model.emissions
        if not isinstance(table, SymbolDistribution) or table.symbols.words is None:
            raise OptionError(
                "init={word: labels} is for words; give tables, or 'random' or 'kmeans', for other observations"
            )
        place = {label: i for i, label in enumerate(self.labels)}
        probabilities = table.probabilities.copy()
        for word, some in self.init.items():
            ids = [place[label] for label in label_list(word, some, "init") if label in place]
            if word in table.symbols.number and ids:
                row = np.full(self.size, BIAS)
                row[ids] = 1.0
                probabilities[table.symbols.number[word]] *= row
        probabilities /= probabilities.sum(axis=0)
        return replace(model, emissions=replace(table, probabilities=probabilities))

    def _given(self) -> HiddenMarkov:
        """Read tables of the user; missing ones are uniform."""
        tables, size = self.init, self.size
        for name in tables:
            if name not in TABLES:
                raise OptionError(f"init may have the tables {', '.join(map(repr, TABLES))}, got {name!r}")
        start, moves = self._even
        pi = checked_probabilities(tables.get("start", start), "start", (size,))
        emissions: Any = tables.get("emissions")
        if emissions is None:
            made = self._emissions(size, np.random.default_rng(0))
        else:
            made = self.data.emissions.given(emissions, self.domain, size)
        if tables.get("transitions") is None:
            return self._chain(pi, moves, made)
        moves, end = checked_moves(
            tables["transitions"], tables.get("end"), size, tables.get("head"), self.order
        )
        if self.end == (end is None):
            return self._chain(pi, histories.rows(moves, end), made)
        *head, A = moves
        return HiddenMarkov(self.labels, pi, A, end, made, self.rules, tuple(head))


def _counts_of(pair: TrainingSet, size: int, threads: int, model: HiddenMarkov) -> Expected:
    """Compute the expected counts of labelled sentences beside the training data."""
    observed = model.emissions.observe(pair.corpus, pair.column, unknown="missing")
    return expect(model, pair.evidence(observed, size), threads)


def _order_of(init: Any) -> int:
    """Return the order of transitions given as init; 1 if there are none."""
    moves = init.get("transitions") if isinstance(init, Mapping) and not _is_dictionary(init) else None
    return max(np.ndim(moves) - 1, 1) if isinstance(moves, (np.ndarray, list, tuple)) else 1


def _is_dictionary(init: Mapping[Any, Any]) -> bool:
    """Tell a dictionary from tables: a word may be called "start" too, but lists of labels are strings."""
    lists = all(isinstance(some, (list, tuple, set, frozenset)) for some in init.values())
    return lists and all(isinstance(x, str) for some in init.values() for x in some)


def checked_moves(
    A: Any, end: Any, size: int, head: Any = None, order: int = 1
) -> tuple[Moves, Floats | None]:
    """Check transitions A of at most this order, and end probabilities (L,) or None; rows with ends must sum to 1.

    A table of a lower order is repeated for longer histories. Without a head, tables of shorter histories are means
    over the oldest state.
    """
    last = None if end is None else checked_probabilities(end, "end", (size,), sums=False)
    given = np.asarray(as_floats(A, "transitions"))
    flat = {(size**j, size): j for j in range(order, 1, -1) if size > 1}  # a row per history
    if given.shape in flat:
        given = given.reshape((size,) * (flat[given.shape] + 1))
    tables = [_checked_table(given, last, "transitions", (size,) * max(min(given.ndim, order + 1), 2))]
    if head is None:
        while tables[0].ndim > 2:
            tables.insert(0, histories.shorter(tables[0]))
    else:
        some = list(head) if isinstance(head, (list, tuple)) else [head]
        if len(some) != tables[0].ndim - 2:
            raise OptionError(
                f"head has {len(some)} tables, but transitions of order {tables[0].ndim - 1} want "
                f"{tables[0].ndim - 2}, for the positions with fewer states before them"
            )
        shown = (f"head[{i}]" for i in range(len(some)))
        checked = (
            _checked_table(one, last, name, (size,) * (i + 2))
            for i, (one, name) in enumerate(zip(some, shown, strict=True))
        )
        tables = [*checked, *tables]
    moves = [*tables, *(histories.longer(tables[-1], j) for j in range(len(tables) + 1, order + 1))]
    return tuple(moves), last


def _checked_table(table: Any, end: Floats | None, name: str, shape: tuple[int, ...]) -> Floats:
    """Check the table of one length of history."""
    if end is None:
        return np.ascontiguousarray(checked_probabilities(table, name, shape))
    moves = histories.exits(checked_probabilities(table, name, shape, sums=False), end)
    whole = checked_probabilities(moves, f"{name} with end", (*shape[:-1], shape[-1] + 1))
    return np.ascontiguousarray(whole[..., :-1])


def _read_init(init: Any) -> tuple[Any, tuple[str, ...] | None]:
    """Read `init`: models and tuples of tables as {"start": ...}; also the names of its states, if any."""
    from seqlab.families.hmm.tagger import HMM

    if isinstance(init, HMM):
        model = init._tables("init")
        tables = {"start": model.pi, "transitions": model.A, "emissions": model.emissions}
        tables |= {"head": model.head} if model.head else {}
        return tables | ({} if model.end is None else {"end": model.end}), model.labels
    if isinstance(init, tuple) and len(init) in (3, 4):
        init = dict(zip(("start", "transitions", "emissions", "end"), init, strict=False))
    if isinstance(init, dict) and "start" in init:
        return init, named_states(max(len(np.atleast_1d(init["start"])), 1))
    if isinstance(init, dict) and init and (_is_dictionary(init) or not set(init) & set(TABLES)):
        words = (some for some in init.values() if isinstance(some, (list, tuple, set, frozenset)))
        labels = {label for some in words for label in some if isinstance(label, str)}
        return init, tuple(sorted(labels)) or None
    return init, None


def _read_pair(hmm: families.HMM, X: Any, y: Any, emissions: Emission) -> TrainingSet:
    """Read the labelled sentences of init=(X, y)."""
    text = bytes if isinstance(X, Corpus) else (str, bytes)
    if isinstance(y, text) or not isinstance(y, Iterable):
        raise OptionError(
            f"init=(X, y) wants a Corpus and the name of a column, or sentences and their labels, got {y!r:.60} as y"
        )
    data = TrainingSet.read(hmm, X, y, emissions=emissions)
    if data.gold is None:
        raise OptionError("init=(X, y) wants labels, but y has none")
    return data


def _masked(table: Floats, forbidden: Any) -> Floats:
    """Set forbidden entries to 0; a row that would become all 0 stays unchanged."""
    return normalised(np.where(forbidden, 0.0, table), table, axis=-1) if np.any(forbidden) else table


# ------------------------------------------------------------------------------------------------ without any training


def written_model(
    pi: Any,
    A: Any,
    B: Any,
    end: Any,
    emissions: Emission | None,
    states: Iterable[str] | None,
    symbols: Any,
    constraints: Given,
    head: Any,
    order: int | None,
) -> HiddenMarkov:
    """Make a model from tables of a user; see HMM.from_tables."""
    start = checked_probabilities(pi, "pi", (None,))
    size = len(start)
    names = named_states(size) if states is None else checked_states(states)
    if len(names) != size:
        raise OptionError(f"pi has {size} entries, but states has {len(names)} names")
    emissions = emissions or Categorical()
    if isinstance(B, Mapping) and set(B) == {"probabilities"} and isinstance(emissions, Categorical):
        B = B["probabilities"]
    made = emissions.given(B, _domain(B, emissions, symbols, size), size)
    if order is None:
        order = max(np.ndim(A) - 1, 1)
        if order > histories.MOST_ORDER:
            raise OptionError(f"A has {order + 1} axes, for an order of {order}, but it must be 1, 2 or 3")
    (*before, moves), last = checked_moves(A, end, size, head, order)
    return HiddenMarkov(names, start, moves, last, made, Rules.of(constraints, names), tuple(before))


def _domain(B: Any, emissions: Emission, symbols: Any, size: int) -> Symbols | Spread:
    """Find the symbols of a table (L, V), or the dimension of vectors, from their tables."""
    if isinstance(emissions, Streams):
        raise OptionError(
            "from_tables takes one kind of emissions; train streams with init={'emissions': {...}}"
        )
    if isinstance(emissions, Categorical):
        table = as_floats(B, "B")
        if table.ndim != 2:
            raise OptionError(f"B has shape {table.shape}, but ({size}, symbols) is wanted")
        found = Symbols(table.shape[1]) if symbols is None else Symbols.of(symbols)
        if len(found) != table.shape[1]:
            raise OptionError(
                f"the emission table has {table.shape[1]} columns, but there are {len(found)} symbols"
            )
        return found
    key = "rates" if isinstance(emissions, Poisson) else "means"
    if not isinstance(B, Mapping) or key not in B:
        wanted = "{'rates': ...}" if key == "rates" else "{'means': ..., 'covariances': ...}"
        raise OptionError(f"B must be {wanted}, got {B!r:.60}")
    table = as_floats(B[key], key)
    if table.ndim < 2:
        raise OptionError(f"{key} has shape {table.shape}, but a row of numbers for every state is wanted")
    width = table.shape[-1]
    return Spread(width, np.zeros(width), np.eye(width))
