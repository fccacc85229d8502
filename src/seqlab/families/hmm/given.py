"""Models of tables that somebody wrote down, without any training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.errors import OptionError
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.emissions import Categorical, Emission, Poisson, Streams
from seqlab.families.hmm.emissions.base import as_floats
from seqlab.families.hmm.emissions.moments import Spread
from seqlab.families.hmm.emissions.symbols import checked_probabilities
from seqlab.families.hmm.start import checked_moves, checked_states, named_states, symbols_of
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.learning.history import History
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary

if TYPE_CHECKING:
    from typing_extensions import Self


class GivenTables:
    """Mixed into HMM."""

    if TYPE_CHECKING:

        def __init__(self, n_states: Any = None, emissions: Any = None, **options: Any) -> None: ...

    @classmethod
    def from_tables(
        cls,
        pi: Any,
        A: Any,
        B: Any,
        *,
        states: Iterable[str] | None = None,
        symbols: Any = None,
        end: Any = None,
        emissions: Emission | None = None,
        **options: Any,
    ) -> Self:
        """A fitted model of tables that an expert wrote down.

        pi        (L,) start probabilities
        A         (L, L) from state, to state; with `end` rows of both together sum to 1
        B         (L, V) P(symbol | state); for other emissions what init takes: {"means": ..., "covariances": ...}
        states    names of the states; symbols: the V words, or None for the numbers 0 .. V - 1
        end       (L,) the chance to end after each state
        """
        start = checked_probabilities(pi, "pi", (None,))
        size = len(start)
        names = named_states(size) if states is None else checked_states(states)
        if len(names) != size:
            raise OptionError(f"pi has {size} entries, but states has {len(names)} names")
        hmm: Any = cls(size, emissions, states=names, end=end is not None, **options)
        made = hmm._check_options().given(*_given(B, symbols, emissions, size), size)
        moves, last = checked_moves(A, end, size)
        rules = Rules.of(hmm.constraints, names)
        model = HiddenMarkov(names, start, moves, last, made, rules)
        hmm._keep_tables(model)
        return hmm  # type: ignore[no-any-return]

    def _keep_tables(self, model: HiddenMarkov) -> None:
        own: Any = self
        own.model_, own.history_, own.restarts_ = model, History(reason="given"), ()
        own.dictionary_ = TagDictionary.of(own.allowed, model.labels, "word")
        own.observed_column_, own.unknown_ = None, own.unknown or "error"
        own.rules_, own.vocabulary_ = model.rules, words_of(model)
        own.columns_, own.column_ = (), None
        own.labels_ = model.labels


def words_of(model: Any) -> frozenset[str] | None:
    """The words of training; None when observations are no words."""
    if isinstance(model, CountedHMM):
        return frozenset(model.words.pool.strings())
    words = getattr(getattr(model.emissions, "symbols", None), "words", None)
    return frozenset(words) if words and model.emissions.kind == "categorical" else None


def _given(B: Any, symbols: Any, emissions: Emission | None, size: int) -> tuple[Any, Any]:
    """Emission tables and their domain."""
    if emissions is None or isinstance(emissions, Categorical):
        B = B["probabilities"] if isinstance(B, Mapping) and set(B) == {"probabilities"} else B
        table = as_floats(B, "B")
        if table.ndim != 2:
            raise OptionError(f"B has shape {table.shape}, but ({size}, symbols) is wanted")
        return B, symbols_of(symbols, table.shape[1])
    return B, _width_of(B, emissions)


def _width_of(B: Any, emissions: Any) -> Any:
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
