"""Columns of a corpus: their names, and their values for every token: strings by number, bags, or vectors."""

from __future__ import annotations

import copyreg
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import CorpusError
from seqlab.shown import Brief

Codes = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

# ---------------------------------------------------------------------------------------------- names

WORD_COLUMNS = (
    "word",
    "form",
)  # columns of tokens: never missing, so a mark like "_" is a word
CONLLU = ("id", "word", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

# The types of the CoNLL-2000 chunking task; any other tag scheme is taken for entities.
CHUNK_TYPES = frozenset(["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP"])
USUAL = {1: ("word",), 2: ("word", "label"), 4: ("word", "pos", "chunk", "entity")}
_SCHEME_TAG = r"[BIESLUM]-(.+)"


def resolve(name: str, columns: Sequence[str]) -> str:
    """Resolve a column name: "form" is "word", and "pos" is "upos" when there is no "pos"."""
    if name in columns:
        return name
    alias = {"form": "word", "word": "form", "pos": "upos"}.get(name)
    if alias in columns:
        return str(alias)
    raise CorpusError(unknown(name, columns))


def unknown(name: object, columns: Sequence[str]) -> str:
    """Make the error for a missing column."""
    import difflib  # slow to import

    there = ", ".join(map(repr, columns)) or "none"
    near = difflib.get_close_matches(str(name), columns, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no column {name!r}: the columns are {there}{hint}"


def counted(number: int, noun: str) -> str:
    """Format a count: 1 token, 2 tokens."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def checked(names: Iterable[str]) -> tuple[str, ...]:
    """Check that names are distinct, non-empty strings."""
    if isinstance(names, str):
        raise CorpusError(
            f"columns must be a list of names, got the single string {names!r}; "
            f"write {tuple(names.replace(',', ' ').split()) or (names,)!r}"
        )
    try:
        kept = tuple(names)
    except TypeError:  # not iterable, like an array of dimension 0
        raise CorpusError(f"columns must be a list of names, got {names!r:.80}") from None
    for name in kept:
        if not isinstance(name, str) or not name:
            raise CorpusError(f"a column name must be a string that is not empty, got {name!r}")
        if not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name):
            raise CorpusError(f"a column name must be a string that UTF-8 can write, got {name!r}")
        if kept.count(name) > 1:
            raise CorpusError(
                f"the column name {name!r} occurs twice in {kept!r}; every column needs its own"
            )
    return kept


def usual(width: int, last_values: Iterable[str]) -> tuple[str, ...]:
    """Name the columns of a file of `width` columns without names."""
    if width != 3:
        return USUAL.get(width) or ("word", *(f"column{i}" for i in range(1, width - 1)), "label")
    tags = [re.fullmatch(_SCHEME_TAG, value) for value in last_values if value != "O"]
    types = {tag[1] if tag else None for tag in tags}
    scheme = types and None not in types
    return "word", "pos", "label" if not scheme else "chunk" if types <= CHUNK_TYPES else "entity"


# ---------------------------------------------------------------------------------------------- arrays


def locked(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array read-only, and aligned: the core relies on its numbers, and slices share it."""
    flags = array.flags
    if not flags.aligned:
        return locked(array.copy())
    if flags.writeable:
        flags.writeable = False
    return array


def checked_codes(codes: Codes, pool: _core.StringPool, least: int = 0) -> Codes:
    """Check that codes are numbers from `least` to the last string of the pool, which the core relies on."""
    checked = np.ascontiguousarray(codes, dtype=np.int32)
    inside = not checked.size or least <= int(checked.min()) <= int(checked.max()) < len(pool)
    if checked.ndim != 1 or not inside:
        raise CorpusError(
            f"codes must be a list of numbers from 0 to {len(pool) - 1}, the strings of the pool"
        )
    return locked(checked)


def checked_indptr(indptr: Offsets, size: int) -> Offsets:
    """Check offsets of parts of `size` entries: from 0 to size, never decreasing."""
    checked = np.ascontiguousarray(indptr, dtype=np.int64)
    ends = checked.ndim == 1 and checked.size and checked[0] == 0 and checked[-1] == size
    if not ends or (checked[1:] < checked[:-1]).any():
        raise CorpusError(
            f"offsets must begin with 0, never fall, and end with {size}, the number of entries"
        )
    return locked(checked)


def offsets_of(lengths: npt.ArrayLike) -> Offsets:
    """Compute the offsets of sentences of these lengths, and the end of the last one."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def token_place(offsets: Offsets, token: int) -> tuple[int, int]:
    """Find the sentence of a token, and its position there."""
    sentence = int(np.searchsorted(offsets, token, side="right")) - 1
    return sentence, token - int(offsets[sentence])


def ragged(offsets: Offsets, rows: npt.NDArray[np.int64]) -> tuple[Offsets, npt.NDArray[np.int64]]:
    """Concatenate the chosen rows: their offsets, and the indices of their entries."""
    begins, lengths = offsets[rows], offsets[rows + 1] - offsets[rows]
    new = offsets_of(lengths)
    places = np.arange(int(new[-1]), dtype=np.int64) + np.repeat(begins - new[:-1], lengths)
    return new, places


def joined_offsets(parts: Sequence[Offsets]) -> Offsets:
    """Concatenate the offsets of ragged arrays."""
    return offsets_of(np.concatenate([np.diff(part) for part in parts]))


def _pool(text: npt.NDArray[np.uint8], begins: Offsets) -> Any:
    return _core.pool_of(text, begins)  # a native function cannot be pickled itself


copyreg.pickle(_core.StringPool, lambda pool: (_pool, pool.arrays()))

# ---------------------------------------------------------------------------------------------- columns

MISSING = -1  # the code of a token without a value


@dataclass(frozen=True, eq=False, repr=False)
class StringColumn(Brief):
    """One string per token, each distinct string kept once.

    codes   (tokens,)   the number of each token's string; -1 where the value is missing, which lists show as None
    pool                the strings by number; a slice of a corpus shares it, so it may hold strings that no token has
    """

    codes: Codes
    pool: _core.StringPool
    _values: list[list[str]] = field(default_factory=list, repr=False)  # made on first use; slices share it

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", checked_codes(self.codes, self.pool, MISSING))

    @property
    def values(self) -> list[str]:
        """The distinct strings: token i has values[codes[i]]."""
        if not self._values:
            self._values.append(self.pool.strings())
        return self._values[0]

    @cached_property
    def missing(self) -> int:
        """The number of tokens without a value."""
        return int(np.count_nonzero(self.codes == MISSING))

    def filled(self, text: str) -> StringColumn:
        """Replace missing values by the string `text`."""
        if not self.missing:
            return self
        pool, (of_code,) = _core.join_pools([self.pool])
        return StringColumn(np.append(of_code, np.int32(pool.intern(text)))[self.codes], pool)

    def __len__(self) -> int:
        return len(self.codes)

    def __reduce__(self) -> tuple[object, ...]:
        return StringColumn, _core.compact_pool(self.codes, self.pool)

    def without(self, mark: str | None) -> StringColumn:
        """Replace the string `mark` by a missing value."""
        code = MISSING if mark is None else self.pool.find(mark)
        if code == MISSING:
            return self
        return StringColumn(np.where(self.codes == code, np.int32(MISSING), self.codes), self.pool)

    def span(self, begin: int, end: int) -> list[Any]:
        """List the strings of tokens begin .. end, None where one is missing."""
        return _core.gather(self.values, self.codes, begin, end)

    def nested(self, offsets: Offsets) -> list[list[Any]]:
        """List the strings of every sentence; sentence i has tokens offsets[i] .. offsets[i + 1]."""
        return _core.gather_all(self.values, self.codes, offsets)

    def take(self, tokens: npt.NDArray[np.int64]) -> StringColumn:
        """Keep these tokens only; the strings are shared."""
        return StringColumn(self.codes[tokens], self.pool, self._values)

    def compact(self) -> StringColumn:
        """Keep only the strings that the tokens use, in order of first appearance."""
        return StringColumn(*_core.compact_pool(self.codes, self.pool))

    def same(self, other: object) -> bool:
        """Compare the strings with the other column's, token by token."""
        if not isinstance(other, StringColumn) or len(self) != len(other):
            return False
        codes = other.codes
        if self.pool is not other.pool and len(self):
            known = _core.translate(other.pool, self.pool)
            codes = np.append(np.where(known < 0, MISSING - 1, known), MISSING)[codes]
        return bool(np.array_equal(self.codes, codes))

    @staticmethod
    def join(parts: Sequence[StringColumn]) -> StringColumn:
        """Concatenate the tokens of all parts."""
        first = parts[0]
        if all(part.pool is first.pool for part in parts):
            return StringColumn(np.concatenate([part.codes for part in parts]), first.pool)
        pool, translations = _core.join_pools([part.pool for part in parts])
        pairs = zip(parts, translations, strict=True)
        codes = [np.append(new, np.int32(MISSING))[part.codes] for part, new in pairs]
        return StringColumn(np.concatenate(codes), pool)


@dataclass(frozen=True, eq=False, repr=False)
class BagColumn(Brief):
    """A bag of attributes per token, as in CRFsuite's files: strings, each with a weight.

    indptr    (tokens + 1,)   attributes of token i are codes[indptr[i] : indptr[i + 1]]
    codes     (attributes,)   the number of each attribute's string in the pool
    weights   (attributes,)   or None when every weight is 1
    """

    indptr: Offsets
    codes: Codes
    weights: Weights | None
    pool: _core.StringPool

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", checked_codes(self.codes, self.pool))
        object.__setattr__(self, "indptr", checked_indptr(self.indptr, len(self.codes)))
        if self.weights is not None:
            weights = locked(np.ascontiguousarray(self.weights, dtype=np.float64))
            if weights.shape != self.codes.shape:
                raise CorpusError(f"{len(self.codes)} attributes, but weights of shape {weights.shape}")
            object.__setattr__(self, "weights", weights)

    @cached_property
    def values(self) -> list[str]:
        """The distinct attributes."""
        return self.pool.strings()

    @property
    def strings(self) -> StringColumn:
        """(attributes,)   the strings of all bags, one after another."""
        return StringColumn(self.codes, self.pool)

    @property
    def all_weights(self) -> Weights:
        """(attributes,)   the weights, also when all are 1."""
        return np.ones(len(self.codes)) if self.weights is None else self.weights

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __reduce__(self) -> tuple[object, ...]:
        codes, pool = _core.compact_pool(self.codes, self.pool)
        return BagColumn, (self.indptr, codes, self.weights, pool)

    def bag(self, token: int) -> dict[str, float]:
        """Return {attribute: weight} of one token; weights of a repeated attribute are added up."""
        begin, end = int(self.indptr[token]), int(self.indptr[token + 1])
        names = _core.gather(self.values, self.codes, begin, end)
        weights = [1.0] * (end - begin) if self.weights is None else self.weights[begin:end].tolist()
        bag: dict[str, float] = {}
        for name, weight in zip(names, weights, strict=True):
            bag[name] = bag.get(name, 0.0) + weight
        return bag

    def span(self, begin: int, end: int) -> list[dict[str, float]]:
        """List the bags of tokens begin .. end."""
        return [self.bag(token) for token in range(begin, end)]

    def nested(self, offsets: Offsets) -> list[list[dict[str, float]]]:
        """List the bags of every sentence; sentence i has tokens offsets[i] .. offsets[i + 1]."""
        return [self.span(*pair) for pair in itertools.pairwise(offsets.tolist())]

    def take(self, tokens: npt.NDArray[np.int64]) -> BagColumn:
        """Keep these tokens only; the strings are shared."""
        indptr, places = ragged(self.indptr, tokens)
        weights = None if self.weights is None else self.weights[places]
        return BagColumn(indptr, self.codes[places], weights, self.pool)

    def same(self, other: object) -> bool:
        """Compare attributes and weights with the other column, token by token."""
        if not isinstance(other, BagColumn) or not np.array_equal(self.indptr, other.indptr):
            return False
        return self.strings.same(other.strings) and bool(np.array_equal(self.all_weights, other.all_weights))

    @staticmethod
    def join(parts: Sequence[BagColumn]) -> BagColumn:
        """Concatenate the tokens of all parts."""
        strings = StringColumn.join([part.strings for part in parts])
        weighted = any(part.weights is not None for part in parts)
        weights = np.concatenate([part.all_weights for part in parts]) if weighted else None
        indptr = joined_offsets([part.indptr for part in parts])
        return BagColumn(indptr, strings.codes, weights, strings.pool)


@dataclass(frozen=True, eq=False, repr=False)
class VectorColumn(Brief):
    """A vector of D numbers per token.

    vectors   (tokens, D)   float32 or float64
    """

    vectors: npt.NDArray[np.floating[Any]]

    def __post_init__(self) -> None:
        vectors = np.asarray(self.vectors)
        if vectors.ndim != 2 or vectors.dtype not in (np.float32, np.float64):
            raise CorpusError(
                f"vectors must be an array (tokens, D) of float32 or float64, got {vectors.dtype} {vectors.shape}"
            )
        object.__setattr__(self, "vectors", locked(vectors.view()))

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def width(self) -> int:
        """The length D of each token's vector."""
        return int(self.vectors.shape[1])

    def span(self, begin: int, end: int) -> npt.NDArray[np.floating[Any]]:
        """(end - begin, D)   the vectors of tokens begin .. end."""
        return self.vectors[begin:end]

    def nested(self, offsets: Offsets) -> list[npt.NDArray[np.floating[Any]]]:
        """List an array per sentence; sentence i has tokens offsets[i] .. offsets[i + 1]."""
        return [self.vectors[begin:end] for begin, end in itertools.pairwise(offsets.tolist())]

    def take(self, tokens: npt.NDArray[np.int64]) -> VectorColumn:
        """Keep these tokens only."""
        return VectorColumn(self.vectors[tokens])

    def same(self, other: object) -> bool:
        """Compare the numbers with the other column's."""
        return isinstance(other, VectorColumn) and bool(np.array_equal(self.vectors, other.vectors))

    @staticmethod
    def join(parts: Sequence[VectorColumn]) -> VectorColumn:
        """Concatenate the tokens of all parts."""
        return VectorColumn(np.concatenate([part.vectors for part in parts]))


Column = StringColumn | BagColumn | VectorColumn
