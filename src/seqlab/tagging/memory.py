"""What taggers have in common, as plain data for a model file: labels, columns, words, rules and dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.errors import StoreError
from seqlab.store.state import Array, State, string_arrays
from seqlab.tagging.door.constraints import Rules

if TYPE_CHECKING:
    from seqlab.tagging.door.dictionary import TagDictionary
    from seqlab.tagging.tagger import Tagger
    from seqlab.trellis import Constraints

KIND = "training"


def memory_state(tagger: Tagger, rules: Rules, dictionary: TagDictionary | None) -> State:
    """What a tagger remembers of its training, and what it obeys."""
    words = tagger.vocabulary_
    settings: dict[str, Any] = {
        "labels": list(tagger.labels_),
        "columns": list(tagger.columns_),
        "column": _listed(tagger.column_),
        "vocabulary": words is not None,
        "dictionary": _listed(None if dictionary is None else dictionary.column),
    }
    arrays: dict[str, Array] = {
        "rules.forbidden": rules.forbidden,
        "rules.no_start": rules.no_start,
        "rules.no_end": rules.no_end,
        **string_arrays("vocabulary", sorted(words or ())),
    }
    if dictionary is not None:
        arrays |= {"dictionary.rows": dictionary.rows, **string_arrays("dictionary.words", dictionary.row)}
    return State(KIND, settings, arrays)


def recall(tagger: Tagger, state: State, *, in_order: bool = True) -> tuple[Rules, TagDictionary | None]:
    """Give a tagger its memory back; what it obeys is the answer. Hidden states may come in any order."""
    rules, dictionary = recall_all_but_words(tagger, state)
    if in_order and list(tagger.labels_) != sorted(tagger.labels_):
        raise StoreError("a tagger needs labels, each of them once and in order")
    tagger.vocabulary_ = words_of(state)
    return rules, dictionary


def words_of(state: State) -> frozenset[str] | None:
    """The words of training, if it had any."""
    words = state.strings("vocabulary")
    return frozenset(words) if state.setting("vocabulary", bool) else None


def recall_all_but_words(tagger: Tagger, state: State) -> tuple[Rules, TagDictionary | None]:
    """The same without the words of training, of which there may be many; the labels may have any order."""
    labels = state.names("labels")
    if not labels or len(set(labels)) != len(labels):
        raise StoreError("a tagger needs labels, each of them once")
    rules, dictionary = _rules(state, len(labels)), _dictionary(state, len(labels))
    tagger.columns_ = state.names("columns")
    tagger.column_ = _single(state, "column")
    tagger.labels_ = labels
    return rules, dictionary


def named_rules(rules: Rules, labels: Sequence[str]) -> Constraints | None:
    """The rules by the names of labels, so that they hold when there are more labels later."""
    if not rules:
        return None
    from seqlab.trellis import Constraints

    moves = tuple((labels[one], labels[other]) for one, other in np.argwhere(rules.forbidden).tolist())
    starts, ends = (
        tuple(labels[i] for i in np.flatnonzero(flags).tolist()) for flags in (rules.no_start, rules.no_end)
    )
    return Constraints(moves, starts, ends)


def named_dictionary(dictionary: TagDictionary | None, labels: Sequence[str]) -> dict[str, list[str]] | None:
    """{word: labels}, as a user would write it."""
    if dictionary is None:
        return None
    return {
        word: [labels[i] for i in np.flatnonzero(dictionary.rows[row]).tolist()]
        for word, row in dictionary.row.items()
    }


def _rules(state: State, size: int) -> Rules:
    return Rules(
        state.array("rules.forbidden", np.bool_, (size, size)),
        state.array("rules.no_start", np.bool_, (size,)),
        state.array("rules.no_end", np.bool_, (size,)),
    )


def _dictionary(state: State, size: int) -> TagDictionary | None:
    column = _single(state, "dictionary")
    if column is None:
        return None
    from seqlab.tagging.door.dictionary import TagDictionary

    words = state.strings("dictionary.words")
    rows = state.array("dictionary.rows", np.bool_, (len(words), size))
    if len(set(words)) != len(words) or not rows.any(axis=1).all():
        raise StoreError("the dictionary should have each word once, and a label for each")
    return TagDictionary(column, {word: i for i, word in enumerate(words)}, rows)


def _listed(name: str | None) -> list[str]:
    return [] if name is None else [name]


def _single(state: State, name: str) -> str | None:
    found = state.names(name)
    if len(found) > 1:
        raise StoreError(f"the setting {name!r} should have one entry at most, found {len(found)}")
    return found[0] if found else None
