"""Where EM begins: by chance, by k-means, from tables, a tag dictionary, or labelled sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seqlab.errors import OptionError
from seqlab.families.hmm.em import Evidence, expect
from seqlab.families.hmm.emissions import Categorical, Emission, Poisson, Streams
from seqlab.families.hmm.emissions.base import Floats, VectorRows, as_floats
from seqlab.families.hmm.emissions.categorical import SymbolDistribution
from seqlab.families.hmm.emissions.symbols import Symbols, checked_probabilities
from seqlab.families.hmm.emissions.vectors import Spread, k_means
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.tagging.door.constraints import Given, Rules, label_list

TABLES = ("start", "transitions", "end", "emissions")
BIAS = 0.01  # what a label outside the dictionary weighs beside one in it
FIRST_COUNTS = Dirichlet(
    0.1, 0.1, 0.1, 0.1
)  # on top of labelled counts: what they do not have is not impossible


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What every start is made from."""

    emissions: Emission
    domain: Any
    evidence: Evidence
    labels: tuple[str, ...]
    rules: Rules
    end: bool

    @property
    def size(self) -> int:
        """L."""
        return len(self.labels)

    @property
    def vectors(self) -> VectorRows | None:
        """The vectors to find clusters of: the observations, or the first stream of numbers; None without any."""
        observed = self.evidence.observed
        streams = observed if isinstance(observed, tuple) else (observed,)
        return next((one for one in streams if isinstance(one, VectorRows)), None)

    def chain(self, pi: Floats, A: Floats, emissions: Any) -> HiddenMarkov:
        """A model that obeys the rules; with an end, sequences end as often as the data's do."""
        pi, A = _masked(pi, self.rules.no_start), _masked(A, self.rules.forbidden)
        end = None
        if self.end:
            chance = len(self.evidence) / max(self.evidence.tokens, 1)
            end = np.where(self.rules.no_end, 0.0, min(chance, 0.5))
            A = A * (1 - end)[:, None]
        return HiddenMarkov(self.labels, pi, A, end, emissions, self.rules)

    def flat(self, rng: np.random.Generator) -> HiddenMarkov:
        """Every state alike."""
        even = np.full((self.size, self.size), 1.0 / self.size)
        emissions = self.emissions.random(self.domain, self.evidence.observed, 1, rng)
        return self.chain(even[0], even, emissions.reordered(np.zeros(self.size, dtype=np.int64)))


def random_start(ground: Ground, rng: np.random.Generator) -> HiddenMarkov:
    """Tables drawn by chance."""
    size = ground.size
    pi, A = rng.dirichlet(np.full(size, 2.0)), rng.dirichlet(np.full(size, 2.0), size)
    emissions = ground.emissions.random(ground.domain, ground.evidence.observed, size, rng)
    return ground.chain(pi, A, emissions)


def clustered_start(ground: Ground, rng: np.random.Generator) -> HiddenMarkov:
    """States are clusters of vectors; how they follow each other is left to training."""
    vectors, observed, size = ground.vectors, ground.evidence.observed, ground.size
    if vectors is None and isinstance(ground.emissions, Streams):
        raise OptionError("init='kmeans' needs a stream of numbers, but every stream holds symbols")
    if vectors is None:
        raise OptionError("init='kmeans' is for vectors; symbols begin with init='random', or with tables")
    labels = k_means(vectors, size, rng)
    even = np.full((size, size), 1.0 / size)
    made = ground.emissions.clustered(ground.domain, observed, labels, size)
    return ground.chain(even[0], even, made)


def counted_start(ground: Ground, labelled: Evidence, rng: np.random.Generator) -> HiddenMarkov:
    """Counts of labelled sentences, with a little on top of each."""
    flat = ground.flat(rng)
    found = expect(flat, labelled, 1)
    return flat.maximised(found, FIRST_COUNTS)


def dictionary_start(
    ground: Ground, words: Mapping[str, Iterable[str]], rng: np.random.Generator
) -> HiddenMarkov:
    """A random start in which a word leans towards the labels that the dictionary gives it."""
    model = random_start(ground, rng)
    table = model.emissions
    if not isinstance(table, SymbolDistribution) or table.symbols.words is None:
        raise OptionError(
            "init={word: labels} is for words; give tables, or 'random' or 'kmeans', for other observations"
        )
    place = {label: i for i, label in enumerate(ground.labels)}
    probabilities = table.probabilities.copy()
    for word, some in words.items():
        ids = [place[label] for label in label_list(word, some, "init") if label in place]
        if word in table.symbols.number and ids:
            row = np.full(ground.size, BIAS)
            row[ids] = 1.0
            probabilities[table.symbols.number[word]] *= row
    return replace(model, emissions=type(table)(table.symbols, probabilities / probabilities.sum(axis=0)))


def given_start(ground: Ground, tables: Mapping[str, Any]) -> HiddenMarkov:
    """Tables that a user wrote down; what is missing is even."""
    for name in tables:
        if name not in TABLES:
            raise OptionError(f"init may have the tables {', '.join(map(repr, TABLES))}, got {name!r}")
    size = ground.size
    even = np.full((size, size), 1.0 / size)
    pi = checked_probabilities(tables.get("start", even[0]), "start", (size,))
    A, end = tables.get("transitions", None), tables.get("end")
    emissions: Any = tables.get("emissions")
    made = (
        ground.emissions.random(ground.domain, ground.evidence.observed, size, np.random.default_rng(0))
        if emissions is None
        else ground.emissions.given(emissions, ground.domain, size)
    )
    if A is None:
        return ground.chain(pi, even, made)
    A, end = checked_moves(A, end, size)
    if ground.end and end is None:
        return ground.chain(pi, A, made)
    return HiddenMarkov(ground.labels, pi, A, end if ground.end else None, made, ground.rules)


def checked_moves(A: Any, end: Any, size: int) -> tuple[Floats, Floats | None]:
    """Transitions (L, L), and the chance to end (L,) or None: together the rows sum to 1."""
    if end is None:
        return np.ascontiguousarray(checked_probabilities(A, "transitions", (size, size))), None
    moves = checked_probabilities(A, "transitions", (size, size), sums=False)
    last = checked_probabilities(end, "end", (size,), sums=False)
    whole = checked_probabilities(np.hstack([moves, last[:, None]]), "transitions with end", (size, size + 1))
    return np.ascontiguousarray(whole[:, :size]), whole[:, size].copy()


def starter(
    ground: Ground, init: Any, labelled: Evidence | None
) -> tuple[Callable[[np.random.Generator], HiddenMarkov], bool]:
    """What makes a start from a source of chance, and whether chance matters."""
    if init is None:
        if labelled is not None:
            return lambda rng: counted_start(ground, labelled, rng), True
        init = "random" if ground.vectors is None else "kmeans"
    if init == "random":
        return lambda rng: random_start(ground, rng), True
    if init == "kmeans":
        return lambda rng: clustered_start(ground, rng), True
    if isinstance(init, Mapping):
        if set(init) & set(TABLES) and not _is_dictionary(init):
            return lambda _: given_start(ground, init), False
        return lambda rng: dictionary_start(ground, init, rng), True
    raise OptionError(
        f"init must be 'random', 'kmeans', tables {{'start': ..., 'transitions': ..., 'emissions': ...}}, (pi, A, B), "
        f"a fitted HMM, {{word: labels}}, or (X, y) with labels, got {init!r:.60}"
    )


def _is_dictionary(init: Mapping[Any, Any]) -> bool:
    """Words may be called "start" too: lists of labels are strings."""
    return all(
        isinstance(some, (list, tuple, set, frozenset)) and all(isinstance(x, str) for x in some)
        for some in init.values()
    )


def named_states(count: int) -> tuple[str, ...]:
    """s0, s1, ...; with zeros in front where there are more than ten, so that names sort as numbers do."""
    digits = len(str(count - 1))
    return tuple(f"s{i:0{digits}d}" for i in range(count))


def checked_states(states: Any) -> tuple[str, ...]:
    """Names of states that a user gave."""
    if isinstance(states, (str, bytes)) or not isinstance(states, Iterable):
        raise OptionError(f"states must be a list of names, got {states!r:.60}")
    names: Sequence[Any] = list(states)
    for name in names:
        if not isinstance(name, str):
            raise OptionError(f"the name of a state is a string, got {name!r:.60}")
    if not names or len(set(names)) != len(names):
        raise OptionError(f"states must be different names, at least one, got {names!r:.80}")
    return tuple(names)


def _masked(table: Floats, forbidden: Any) -> Floats:
    """Probabilities without what is forbidden; a row that would have nothing left stays as it is."""
    if not np.any(forbidden):
        return table
    left = np.where(forbidden, 0.0, table)
    total = left.sum(axis=-1, keepdims=True)
    made: Floats = np.where(total > 0, left / np.where(total > 0, total, 1.0), table)
    return made


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
) -> HiddenMarkov:
    """Make a model of tables that somebody wrote down; see HMM.from_tables."""
    start = checked_probabilities(pi, "pi", (None,))
    size = len(start)
    names = named_states(size) if states is None else checked_states(states)
    if len(names) != size:
        raise OptionError(f"pi has {size} entries, but states has {len(names)} names")
    if emissions is None or isinstance(emissions, Categorical):
        B = B["probabilities"] if isinstance(B, Mapping) and set(B) == {"probabilities"} else B
        domain: Any = _domain(B, symbols, size)
    else:
        domain = _width_of(B, emissions)
    made = (emissions or Categorical()).given(B, domain, size)
    moves, last = checked_moves(A, end, size)
    return HiddenMarkov(names, start, moves, last, made, Rules.of(constraints, names))


def _domain(B: Any, symbols: Any, size: int) -> Symbols:
    """Return the symbols of a table, which is (L, V)."""
    table = as_floats(B, "B")
    if table.ndim != 2:
        raise OptionError(f"B has shape {table.shape}, but ({size}, symbols) is wanted")
    count = table.shape[1]
    found = Symbols(count) if symbols is None else Symbols.of(symbols)
    if len(found) != count:
        raise OptionError(f"the emission table has {count} columns, but there are {len(found)} symbols")
    return found


def _width_of(B: Any, emissions: Emission) -> Spread:
    """Return the numbers of a vector, as tables of vectors tell."""
    if isinstance(emissions, Streams):
        raise OptionError(
            "from_tables takes one kind of emissions; train streams with init={'emissions': {...}}"
        )
    key = "rates" if isinstance(emissions, Poisson) else "means"
    if not isinstance(B, Mapping) or key not in B:
        wanted = "{'rates': ...}" if key == "rates" else "{'means': ..., 'covariances': ...}"
        raise OptionError(f"B must be {wanted}, got {B!r:.60}")
    table = as_floats(B[key], key)
    if table.ndim < 2:
        raise OptionError(f"{key} has shape {table.shape}, but a row of numbers for every state is wanted")
    width = table.shape[-1]
    return Spread(width, np.zeros(width), np.eye(width))
