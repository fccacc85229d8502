"""Read observations as a corpus: words, whole numbers, lists of features, vectors, streams of these."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus import BagColumn, Column, Corpus, Sentence, StringColumn, VectorColumn
from seqlab.corpus.columns import offsets_of, resolve, token_place
from seqlab.corpus.lists import bag_column, spelled
from seqlab.encode.encoder import ATTRIBUTES, listed
from seqlab.errors import CorpusError, Place, ShapeError
from seqlab.families.hmm.emissions import Emission, Streams
from seqlab.families.hmm.emissions.symbols import MISSING
from seqlab.tagging.door.sentences import word_column

Offsets = npt.NDArray[np.int64]
NAMES = {"symbols": "word", "bags": ATTRIBUTES, "vectors": "vector"}  # default names of columns
KINDS = {"symbols": (StringColumn, VectorColumn), "bags": (BagColumn,), "vectors": (VectorColumn,)}
WANTED = {
    "symbols": "a word or a whole number",
    "bags": "a list of features, or {feature: count}",
    "vectors": "a vector of numbers",
}


def read_observations(X: Any, emissions: Emission, lengths: Any = None) -> Corpus:
    """Read X as a corpus.

    X         a Corpus, a list of sequences, or with `lengths` all sequences one after another, as a list or an array;
              an array without lengths is one sequence; streams are given as {name: X}, or as tuples with a cell per
              stream
    """
    if isinstance(X, Corpus):
        if lengths is not None:
            raise CorpusError("a Corpus has sentences of its own; lengths are for one long array or list")
        return X
    if isinstance(X, (str, bytes)) or (not isinstance(X, Iterable) and not hasattr(X, "__array__")):
        raise CorpusError(
            f"X must be a Corpus or a list of sequences, got {X!r:.60}; for one sequence there is tag(x)"
        )
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # of pandas, without an import
        named = "sentence" in X.columns
        if named or emissions.holds != "vectors":
            return Corpus.from_pandas(X, "sentence" if named else None)
        X = X.to_numpy()
    if isinstance(emissions, Streams):
        return _streams(X, emissions, lengths)
    if isinstance(X, Mapping):
        raise CorpusError(
            "X is a dict, which is for streams: HMM(emissions=Streams(word=Categorical(), ...))"
        )
    column, offsets = _column(X, emissions.holds, lengths)
    return Corpus.from_lists(list(X)) if column is None else Corpus({NAMES[emissions.holds]: column}, offsets)


def read_sequence(tokens: Any, emissions: Emission) -> Corpus:
    """Read one sequence as a corpus of one."""
    if isinstance(tokens, Corpus):
        raise CorpusError(
            f"one sequence is wanted, got a corpus of {len(tokens)}; predict(corpus) takes all of them"
        )
    if isinstance(tokens, (str, bytes)) or not (isinstance(tokens, Iterable) or hasattr(tokens, "__array__")):
        raise CorpusError(f"one sequence is a list of observations, got {tokens!r:.60}")
    return read_observations([tokens], emissions)


def find_column(
    corpus: Corpus, emissions: Emission, asked: str | None, label: str | None = None
) -> str | None:
    """Find the column of the observations; None for streams, which have a column each."""
    if isinstance(emissions, Streams):
        for name in emissions.parts:
            resolve(name, corpus.columns)
        return None
    if asked is not None:
        return resolve(asked, corpus.columns)
    if emissions.holds == "symbols" and (found := word_column(corpus)) not in {None, label}:
        return found
    for name in corpus.columns:
        if isinstance(corpus.data(name), KINDS[emissions.holds]) and name != label:
            return name
    have = ", ".join(map(repr, corpus.columns))
    raise CorpusError(
        f"{type(emissions).__name__}() wants {WANTED[emissions.holds]} for every token, but none of {have} has that"
    )


def split_labels(y: Any, offsets: Offsets, lengths: Any) -> Any:
    """Convert y to a list for every sentence: None for a sentence becomes None for each of its tokens."""
    if y is None or isinstance(y, (str, bytes, Mapping)) or not isinstance(y, Iterable):
        return y
    rows = list(y)
    if lengths is not None and not any(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        if len(rows) != offsets[-1]:
            raise ShapeError(f"X has {int(offsets[-1])} tokens, but y has {len(rows)} labels")
        return [rows[b:e] for b, e in itertools.pairwise(offsets.tolist())]
    sizes = np.diff(offsets).tolist()
    if len(rows) != len(sizes):
        return rows  # read_gold raises the error
    return [[None] * size if row is None else row for row, size in zip(rows, sizes, strict=True)]


# ------------------------------------------------------------------------------------------------ inside


def _column(X: Any, holds: str, lengths: Any) -> tuple[Column | None, Offsets]:
    """Read the column of one kind of emissions, and the offsets of its sequences; no column for a Corpus."""
    if lengths is None and isinstance(X, np.ndarray) and X.dtype != object and X.ndim in (1, 2):
        lengths = [len(X)]
    if lengths is not None:
        tokens = X if isinstance(X, np.ndarray) else list(X)
        offsets = _offsets(lengths, len(tokens))
        if isinstance(tokens, np.ndarray) and tokens.dtype.kind in "fiub":
            return _rows_of(tokens, holds), offsets
        flat = tokens if isinstance(tokens, list) else tokens.tolist()
        sequences = [flat[b:e] for b, e in itertools.pairwise(offsets.tolist())]
    else:
        if isinstance(X, (str, bytes)) or not (isinstance(X, Iterable) or hasattr(X, "__array__")):
            raise CorpusError(f"a list of sequences is wanted, got {X!r:.60}")
        sequences = listed(X)
        if sequences and all(isinstance(one, Sentence) for one in sequences):
            return None, np.zeros(1, dtype=np.int64)
        if holds == "symbols":  # lists of strings are read in the core
            sequences = spelled(sequences)
            pool = _core.StringPool()
            codes, sizes, bad, _ = pool.intern_lists(sequences)
            if bad < 0 and len(codes):
                return StringColumn(codes, pool), offsets_of(sizes)
        for s, one in enumerate(sequences):
            _check_sequence(one, s)
        offsets = offsets_of([len(one) for one in sequences])
    if holds == "vectors":
        return _vectors(sequences), offsets
    flat = [token for one in sequences for token in one]
    return _bags(flat, offsets) if holds == "bags" else _symbols(flat, offsets), offsets


def _check_sequence(one: Any, s: int) -> None:
    # A set has no order, and the values of a dict would be ignored.
    if isinstance(one, (str, bytes, set, frozenset, dict)) or not hasattr(one, "__len__"):
        raise CorpusError(
            f" is {one!r:.60}, but a list of observations is wanted; X is a list of sequences, "
            f"or one after another with lengths=[...]",
            place=_sequence(s),
        )


def _rows_of(array: npt.NDArray[Any], holds: str) -> VectorColumn:
    """Read an array of numbers with all sequences one after another."""
    rows = array if array.ndim == 2 else array.reshape(len(array), -1)
    if holds == "symbols" and rows.shape[1] != 1:
        raise CorpusError(
            f"X has shape {array.shape}, but a symbol is one number; for a list of sequences write list(X), for "
            f"vectors emissions=Gaussian()"
        )
    if holds == "bags":
        raise CorpusError("FeatureBag() wants a list of features for every token, got an array of numbers")
    return VectorColumn(np.ascontiguousarray(rows, dtype=np.float64))


def _offsets(lengths: Any, total: int) -> Offsets:
    sizes = np.asarray(lengths)
    if sizes.ndim != 1 or (sizes.size and sizes.dtype.kind not in "iu"):
        raise ShapeError(f"lengths must be a list of whole numbers, got {lengths!r:.60}")
    if (sizes < 0).any():
        i = int(np.argmax(sizes < 0))
        raise ShapeError(f"lengths[{i}] is {sizes[i]}, but a sequence cannot have fewer than 0 observations")
    if int(sizes.sum()) != total:
        hint = "; leave out lengths if X is a list of sequences" if len(sizes) == total else ""
        raise ShapeError(f"lengths add up to {int(sizes.sum())}, but X has {total} observations{hint}")
    return offsets_of(sizes)


def _symbols(tokens: Sequence[Any], offsets: Offsets) -> StringColumn | VectorColumn:
    """Read words or whole numbers; None for missing ones."""
    words = isinstance(next((token for token in tokens if token is not None), ""), str)
    values = np.full(len(tokens), np.nan)
    for t, token in enumerate(tokens):
        if words and not (token is None or isinstance(token, str)):
            message = f"a word is a string or None, got {token!r:.60}, among other words"
            raise CorpusError(message, place=_place(offsets, t))
        if not words and token is not None:
            one = np.asarray(token)
            if one.size != 1 or one.dtype.kind not in "fiu":
                message = f"a word or a whole number is wanted, got {token!r:.60}"
                raise CorpusError(message, place=_place(offsets, t))
            values[t] = one.reshape(())
    if not words:
        return VectorColumn(values[:, None])
    filled = [[MISSING if token is None else token for token in tokens]]
    return Corpus.from_lists({"word": filled}).strings("word")


def _bags(tokens: Sequence[Any], offsets: Offsets) -> BagColumn:
    for t, token in enumerate(tokens):
        if isinstance(token, (str, bytes)) or not (token is None or isinstance(token, Iterable)):
            raise CorpusError(f"{WANTED['bags']} is wanted, got {token!r:.60}", place=_place(offsets, t))
    column, _ = bag_column([[[] if token is None else token for token in tokens]], "X")
    return column


def _vectors(sequences: Sequence[Any]) -> VectorColumn:
    """Read vectors, sequence by sequence; all have the same width."""
    parts: list[npt.NDArray[np.float64]] = []
    there = (token for sequence in sequences for token in sequence if token is not None)
    usual = _width(next(there, 0.0))  # a missing vector has the same width
    for s, sequence in enumerate(sequences):
        if not len(sequence):
            continue
        rows = _rows(sequence, s, usual)
        if parts and rows.shape[1] != parts[-1].shape[1]:
            raise CorpusError(
                f" has vectors of {rows.shape[1]} numbers, but those before had {parts[-1].shape[1]}",
                place=_sequence(s),
            )
        parts.append(rows)
    return VectorColumn(np.ascontiguousarray(np.concatenate(parts) if parts else np.zeros((0, 1))))


def _width(vector: Any) -> int:
    try:
        return int(np.size(vector))
    except ValueError:  # lists of unequal lengths, rejected below with their place
        return 0


def _rows(sequence: Any, s: int, width: int) -> npt.NDArray[np.float64]:
    """Read (T, D) of one sequence; None stands for a missing vector."""
    tokens = sequence
    if not isinstance(tokens, np.ndarray):
        width = next((_width(token) for token in tokens if token is not None), width)
    try:
        if not isinstance(tokens, np.ndarray):
            tokens = [np.full(width, np.nan) if token is None else np.atleast_1d(token) for token in tokens]
        given = np.asarray(tokens)
        # Neither strings nor complex numbers.
        rows = given.astype(np.float64) if given.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        rows = None
    if rows is None:
        raise CorpusError(
            f" must be {WANTED['vectors']} for every token, all of one size, got {sequence!r:.60}",
            place=_sequence(s),
        )
    if rows.ndim > 2:
        raise CorpusError(f" has shape {rows.shape}, but (T, D) is wanted", place=_sequence(s))
    return rows.reshape(len(rows), -1)


def _streams(X: Any, emissions: Streams, lengths: Any) -> Corpus:
    if isinstance(X, Mapping):
        if set(X) != set(emissions.parts):
            raise CorpusError(
                f"X has the streams {', '.join(map(repr, X))}, but {', '.join(map(repr, emissions.parts))} are wanted"
            )
        given = {name: X[name] for name in emissions.parts}
    else:
        given, lengths = _cells(X, emissions, lengths)
    read = {name: _column(part, emissions.parts[name].holds, lengths) for name, part in given.items()}
    first = next(iter(read))
    offsets = read[first][1]
    for name, (_, own) in read.items():
        if not np.array_equal(own, offsets):
            raise ShapeError(f"stream {name!r} has sequences of other lengths than stream {first!r}")
    return Corpus({name: column for name, (column, _) in read.items() if column is not None}, offsets)


def _cells(X: Any, emissions: Streams, lengths: Any) -> tuple[dict[str, Any], Any]:
    """Convert tuples with a cell for every stream to one list for every stream."""
    flat, width = list(X), len(emissions.parts)
    if lengths is None:
        for s, one in enumerate(flat):
            _check_sequence(one, s)
        lengths = [len(one) for one in flat]
        flat = [token for one in flat for token in one]
    offsets = _offsets(lengths, len(flat))
    for t, token in enumerate(flat):
        if token is not None and (not isinstance(token, (tuple, list)) or len(token) != width):
            raise CorpusError(
                f"a tuple with {width} cells is wanted, one for each stream, got {token!r:.60}",
                place=_place(offsets, t),
            )
    whole = [(None,) * width if token is None else token for token in flat]
    return {name: [token[i] for token in whole] for i, name in enumerate(emissions.parts)}, lengths


def _place(offsets: Offsets, token: int) -> Place:
    return Place(*token_place(offsets, token), of="X")


def _sequence(s: int) -> Place:
    return Place(s, unit="sequence", of="X")
