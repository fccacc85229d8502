"""Attributes of template features that can have several values at a token, like `ngrams(word[0], 3)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import BagColumn, Corpus
from seqlab.encode.encoded import Rows, merged
from seqlab.encode.template_rows import NO_VALUE, column_of, is_native, native_calls
from seqlab.features.model import Atom, Feature
from seqlab.features.template import Template
from seqlab.features.values import all_through, written

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BagsOfFeatures:
    """Computes the attributes of such features as bags, once per combination of strings that they read.

    min_count   use only features with this min_count
    on_moves    compute edge attributes, which the first token of a sentence does not have
    """

    template: Template
    min_count: int
    on_moves: bool

    def __call__(self, corpus: Corpus) -> BagColumn:
        """Return the bags of all tokens."""
        pool = _core.StringPool()
        parts = [self._rows(feature, corpus, pool) for feature in self.features()]
        rows = merged(parts)
        return BagColumn(rows.indptr, rows.ids, None, pool)

    def features(self) -> list[Feature]:
        """Return the features of the template whose attributes are computed here."""
        return [
            one
            for one in several_features(self.template, on_moves=self.on_moves)
            if one.min_count == self.min_count
        ]

    def _rows(self, feature: Feature, corpus: Corpus, pool: _core.StringPool) -> Rows:
        different, which = np.unique(self.keys(feature, corpus), axis=0, return_inverse=True)
        ids = self.intern(feature, corpus, different, pool)
        counts = np.array([len(one) for one in ids], dtype=np.int64)
        flat = np.array([i for one in ids for i in one], dtype=np.int32)
        own = counts[which.reshape(-1)]
        if self.on_moves:
            own[corpus.offsets[:-1][corpus.lengths > 0]] = 0
        indptr = np.concatenate([[0], np.cumsum(own)]).astype(np.int64)
        begins = (np.cumsum(counts) - counts)[which.reshape(-1)]
        places = np.arange(int(indptr[-1])) + np.repeat(begins - indptr[:-1], own)
        return Rows(indptr, flat[places])

    def keys(self, feature: Feature, corpus: Corpus) -> Codes:
        """Return (tokens, atoms) numbers of what each token reads."""
        return np.stack([self._read(atom, corpus)[0] for atom in feature.atoms], axis=1)

    def intern(
        self, feature: Feature, corpus: Corpus, keys: Codes, pool: _core.StringPool
    ) -> list[list[int]]:
        """Write the attributes of rows of such numbers, and return their numbers in the pool."""
        texts = []
        for atom, used in zip(feature.atoms, keys.T, strict=True):
            strings = self._read(atom, corpus)[1]
            texts.append([*self._values(atom, strings, np.unique(used)), []])
        return [
            [pool.intern(text) for text in written(feature, [*map(list.__getitem__, texts, some)])]
            for some in keys.tolist()
        ]

    def _read(self, atom: Atom, corpus: Corpus) -> tuple[Codes, _core.StringPool]:
        """Return (tokens,) a number for what each token reads, and the strings of the first numbers."""
        codes, strings = column_of(atom.column, corpus, self.template.lexicons)
        boundary, size = self.template.boundary, len(strings)
        begins, ends = (np.repeat(side, corpus.lengths) for side in (corpus.offsets[:-1], corpus.offsets[1:]))
        base = np.arange(corpus.token_count) if not atom.absolute else ends if atom.offset < 0 else begins
        place = base + atom.offset
        before = np.clip(begins - place, 1, len(boundary.before)) - 1
        after = np.clip(place - ends, 0, len(boundary.after) - 1)
        outside = np.where(place < begins, size + before, size + len(boundary.before) + after)
        inside = (place >= begins) & (place < ends)
        found = codes[np.clip(place, 0, max(len(codes) - 1, 0))].astype(np.int64)
        nothing = size + len(boundary.before) + len(boundary.after)
        return np.where(inside, np.where(found == NO_VALUE, nothing, found), outside), strings

    def _values(self, atom: Atom, strings: _core.StringPool, used: Codes) -> list[list[str]]:
        """Return the values of each string, then those of the symbols before and after a sentence."""
        boundary, lexicons = self.template.boundary, self.template.lexicons
        texts, wanted = strings.strings(), np.zeros(len(strings), dtype=bool)
        wanted[used[used < len(strings)]] = True
        values: list[list[str]] = [[] for _ in texts]
        chosen = np.flatnonzero(wanted).tolist()
        if is_native(atom.calls):
            found = _core.call_all(native_calls(atom.calls), [texts[code] for code in chosen])
        else:
            found = [all_through(atom.calls, texts[code], lexicons) for code in chosen]
        for code, some in zip(chosen, found, strict=True):
            values[code] = some
        symbols = (*boundary.before, *boundary.after)
        return values + [
            all_through(atom.calls, one, lexicons) if boundary.calls else [one] for one in symbols
        ]


def several_features(template: Template, *, on_moves: bool) -> list[Feature]:
    """Return the features that can have several node attributes (with on_moves, edge attributes) at a token."""
    seen: Sequence[Feature] = template.features
    return [one for one in seen if (one.on_edge if on_moves else one.on_node) and one in template.several]


def bags_of(template: Template, *, on_moves: bool) -> list[BagsOfFeatures]:
    """Return an object that computes such attributes for each min_count of the features."""
    least = sorted({one.min_count for one in several_features(template, on_moves=on_moves)})
    return [BagsOfFeatures(template, count, on_moves) for count in least]
