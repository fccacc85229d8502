"""Facts of a training that every fitted tagger keeps: labels, columns, words, and what it obeys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from seqlab.corpus import Corpus
from seqlab.errors import StoreError
from seqlab.store.codec import Field, Inside, Late, Lazily, Listed, Names, Sizes, Strings
from seqlab.store.state import State, string_arrays
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.tagging.door.labels import Gold
from seqlab.tagging.door.sentences import vocabulary
from seqlab.trellis import Constraints


class _Dictionary(Field):
    """A tag dictionary, or None: the setting names its column, arrays have its words and rows."""

    def put(self, state: State, name: str, value: TagDictionary | None) -> None:
        """Write it."""
        Listed().put(state, name, None if value is None else value.column)
        if value is not None:
            state.arrays |= {f"{name}.rows": value.rows, **string_arrays(f"{name}.words", value.row)}

    def get(self, state: State, name: str, sizes: Sizes) -> TagDictionary | None:
        """Read it back."""
        column = Listed().get(state, name, sizes)
        if column is None:
            return None
        words = state.strings(f"{name}.words")
        rows = state.array(f"{name}.rows", np.bool_, (len(words), sizes["L"]))
        if len(set(words)) != len(words) or not rows.any(axis=1).all():
            raise StoreError("the dictionary should have each word once, and a label for each")
        return TagDictionary(column, {word: i for i, word in enumerate(words)}, rows)


@dataclass(frozen=True, eq=False)
class Training:
    """Facts of a training.

    labels       their names, in the order of every array with an axis of labels
    columns      of the corpus, without the label
    column       that the labels came from; None when they came as lists
    words        those of training, or None when it had none; made when first asked for
    rules        what the model never says
    dictionary   what words may be, or None
    """

    stored_kind: ClassVar[str] = "training"

    labels: Annotated[tuple[str, ...], Names("L")]
    columns: Annotated[tuple[str, ...], Names(least=0)]
    column: Annotated[str | None, Listed()]
    vocabulary: Annotated[Late[frozenset[str] | None], Lazily(Strings(make=frozenset, optional=True))]
    rules: Annotated[Rules, Inside(Rules, "rules.")]
    dictionary: Annotated[TagDictionary | None, _Dictionary()]

    @staticmethod
    def of(
        corpus: Corpus,
        gold: Gold | None,
        labels: Sequence[str],
        rules: Rules | None = None,
        dictionary: TagDictionary | None = None,
        *,
        before: Training | None = None,
    ) -> Training:
        """Collect the facts of a training on this corpus; words of a training `before` are remembered, too."""
        column = None if gold is None else gold.column
        words = vocabulary(corpus)
        earlier = None if before is None else before.vocabulary()
        if earlier is not None:
            words = earlier | (words or frozenset())
        return Training(
            tuple(labels),
            tuple(name for name in corpus.columns if name != column),
            column,
            Late(words),
            Rules.none(len(labels)) if rules is None else rules,
            dictionary,
        )

    def named_rules(self) -> Constraints | None:
        """Return the rules by the names of labels, so that they hold when there are more labels later."""
        rules, labels = self.rules, self.labels
        if not rules:
            return None
        moves = tuple((labels[one], labels[other]) for one, other in np.argwhere(rules.forbidden).tolist())
        starts, ends = (
            tuple(labels[i] for i in np.flatnonzero(flags).tolist())
            for flags in (rules.no_start, rules.no_end)
        )
        return Constraints(moves, starts, ends)

    def named_dictionary(self) -> dict[str, list[str]] | None:
        """Return {word: labels}, as a user would write it."""
        if self.dictionary is None:
            return None
        rows = self.dictionary.rows
        return {
            word: [self.labels[i] for i in np.flatnonzero(rows[row]).tolist()]
            for word, row in self.dictionary.row.items()
        }
