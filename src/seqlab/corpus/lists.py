"""Corpora from lists.

from_lists(word=[["the", "dog"], ...], pos=[["DT", "NN"], ...])     columns by name
from_lists({"word": [["the", "dog"], ...], "pos": ...})             the same; what to_lists() returns
from_lists([[("the", "DT"), ("dog", "NN")], ...])                   a tuple per token; columns=("word", "pos")
from_lists([["the", "dog"], ...])                                   words only
from_lists([{"word": ["the", "dog"], "pos": ["DT", "NN"]}, ...])    a dict of lists per sentence
from_lists([[{"word": "the", "pos": "DT"}, ...], ...])              a dict per token
from_lists(sorted(corpus, key=len))                                 sentences of one corpus or of several
from_lists(X, y)                                                    words or python-crfsuite's items, and labels

None (or NaN) is a missing value in every column but that of the words.

Items are features in the form of python-crfsuite and sklearn-crfsuite: a dict or a list of strings per token.

["a", "b"]                    a and b, weight 1
{"w": "the"}                  w:the, weight 1
{"len": 3, "cap": True}       len with weight 3, cap with weight 1; False is weight 0
{"w": {"-1": "the"}}          w:-1:the, and so on for nested dicts
{"suffix": ["e", "he"]}       suffix:e and suffix:he; a set does the same
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab import corpus as corpora
from seqlab.arrays import is_iterable
from seqlab.corpus.columns import (
    WORD_COLUMNS,
    BagColumn,
    Column,
    Offsets,
    StringColumn,
    VectorColumn,
    checked,
    offsets_of,
    usual,
)
from seqlab.corpus.sentence import Sentence
from seqlab.errors import CorpusError, Place

Lengths = npt.NDArray[np.int64]
Found = tuple[dict[str, Column], Offsets]


def _fault(
    wanted: str, got: Any, sentence: int, token: int | None = None, column: str | None = None, hint: str = ""
) -> CorpusError:
    """Make the error for a sentence or token of the wrong type."""
    within = () if column is None else (f"column {column!r}",)
    place = Place(sentence, token, item="token", within=within)
    return CorpusError(f" must {wanted}, got {got!r:.80}{hint}", place=place)


def are_sentences(data: Any) -> bool:
    """Return True if these are sentences of corpora: a list of them, or a corpus."""
    return isinstance(data, Sequence) and len(data) > 0 and all(isinstance(item, Sentence) for item in data)


def columns_of(data: tuple[Any, ...], columns: Iterable[str] | None, named: Mapping[str, Any]) -> Found:
    """Make columns and offsets from any accepted shape."""
    names = None if columns is None else checked(columns)
    if named or (len(data) == 1 and isinstance(data[0], Mapping)):
        given = {**(data[0] if data else {}), **named}
        return _of_columns({name: given[name] for name in names} if names else given)
    if len(data) == 2:
        sample = _first_token(_as_list(data[0], "X"))
        items = "vector" if _is_vector(sample) else "attributes"
        x_name = "word" if sample is None or isinstance(sample, str) else items
        return _of_columns(dict(zip(names or (x_name, "label"), data, strict=True)))
    if len(data) != 1:
        raise CorpusError(
            f"from_lists takes one list of sentences, X and y, or columns by name, got {len(data)} arguments"
        )
    return _of_sentences(_as_list(data[0], "the corpus"), names)


def as_column(name: str, values: Any, corpus: corpora.Corpus) -> Column:
    """Make a column for the corpus from the argument of with_column."""
    checked([name])
    if isinstance(values, (StringColumn, BagColumn, VectorColumn)):
        column: Column = values
    elif isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "fiu":
        column = _vector_column(values)
    else:
        column, lengths = _column(name, values, corpus.lengths)
        _check_lengths("the corpus", corpus.lengths, f"column {name!r}", lengths)
    if len(column) != corpus.token_count:
        raise CorpusError(
            f"column {name!r} has {len(column)} entries, but the corpus has {corpus.token_count} tokens"
        )
    return column


# ---------------------------------------------------------------------------------------------- columns


def _of_columns(given: Mapping[str, Any]) -> Found:
    if not given:
        raise CorpusError(
            "a corpus needs at least one column, got none; write from_lists(word=[['the', 'dog']])"
        )
    found: dict[str, Column] = {}
    lengths: Lengths | None = None
    for name in checked(given):
        column, own = _column(name, given[name], lengths)
        if lengths is None:
            lengths = own
        else:
            _check_lengths(f"column {next(iter(given))!r}", lengths, f"column {name!r}", own)
        found[name] = column
    return found, offsets_of(lengths if lengths is not None else [])


def _check_lengths(first: str, lengths: Lengths, name: str, own: Lengths) -> None:
    """Check that two sides have equal lengths; `first` and `name` are their names in the message."""
    if len(lengths) != len(own):
        raise CorpusError(f"{first} has {len(lengths)} sentences, but {name} has {len(own)}")
    if not np.array_equal(lengths, own):
        s = int(np.argmax(lengths != own))
        message = f" has {lengths[s]} tokens in {first}, but {own[s]} in {name}"
        raise CorpusError(message, place=Place(s))


def _column(name: str, values: Any, lengths: Lengths | None = None) -> tuple[Column, Lengths]:
    """Make a column from lists of strings, items or arrays; also return the lengths of its sentences.

    lengths   lengths in the columns before, if any; None instead of a list then means that all its values are missing
    """
    sentences = _as_list(values, f"column {name!r}")
    if lengths is not None and len(lengths) == len(sentences) and any(one is None for one in sentences):
        pairs = zip(sentences, lengths.tolist(), strict=True)
        sentences = [[None] * size if one is None else one for one, size in pairs]
    sample = _first_token(sentences)
    if _is_vector(sample) or any(isinstance(s, np.ndarray) and s.ndim == 2 for s in sentences):
        return _vectors(name, sentences)
    if isinstance(sample, (Mapping, list, tuple, set, frozenset)):
        return bag_column(sentences, f"column {name!r}")
    pool = _core.StringPool()
    missing = name not in WORD_COLUMNS
    codes, sizes, s, t = pool.intern_lists(sentences, missing=missing)
    if t >= 0 and missing and _is_nan(sentences[s][t]):
        return _column(name, [[None if _is_nan(one) else one for one in sentence] for sentence in sentences])
    if s < 0:
        return StringColumn(codes, pool), sizes
    sentence = sentences[s]
    if t < 0:
        hint = f"; write list({sentence!r:.40})" if isinstance(sentence, str) else ""
        raise _fault("be a list of strings", sentence, s, column=name, hint=hint)
    wanted = "text that UTF-8 can write" if isinstance(sentence[t], str) else "a string"
    raise _fault(f"be {wanted}", sentence[t], s, t, name)


def _vectors(name: str, sentences: list[Any]) -> tuple[Column, Lengths]:
    # The dimension of the first token, 0 when it is not a vector.
    first: Any = next((s for s in sentences if _is_list(s) and (len(s) or np.ndim(s) == 2)), [0])
    table = isinstance(first, np.ndarray) and first.ndim == 2
    width = int(first.shape[1]) if table else len(first[0]) if np.ndim(first[0]) == 1 else 0
    arrays = [_matrix(name, s, sentence, width) for s, sentence in enumerate(sentences)]
    return _vector_column(np.concatenate(arrays)), np.array([len(a) for a in arrays], dtype=np.int64)


def _vector_column(numbers: npt.NDArray[Any]) -> VectorColumn:
    return VectorColumn(numbers if numbers.dtype in (np.float32, np.float64) else numbers.astype(np.float64))


def _matrix(name: str, s: int, sentence: Any, width: int) -> npt.NDArray[Any]:
    """(tokens, width)   the vectors of one sentence."""
    if not _is_list(sentence):
        raise _fault("be a list of vectors", sentence, s, column=name)
    if not len(sentence):
        return np.zeros((0, width))
    try:
        array = np.asarray(sentence)
    except ValueError:  # vectors of different dimensions
        array = np.zeros(0)
    if array.ndim == 2 and array.shape[1] == width and array.dtype.kind in "fiub":
        return array

    def is_row(token: Any) -> bool:
        return _is_list(token) and len(token) == width and all(map(_is_number, token))

    t = next((t for t, token in enumerate(sentence) if not is_row(token)), 0)
    wanted = f"{width} numbers" if width else "a list of numbers"
    raise _fault(f"be {wanted}", sentence[t], s, t, name)


def _is_number(value: Any) -> bool:
    """Return True if an array of numbers can hold the value: an int may be too large."""
    return isinstance(value, (float, np.floating, np.bool_)) or (
        isinstance(value, (int, np.integer)) and -(2**63) <= int(value) < 2**63
    )


# ---------------------------------------------------------------------------------------------- one list of sentences


def _of_sentences(sentences: list[Any], names: tuple[str, ...] | None) -> Found:
    sized = only_lists(sentences) or all(hasattr(s, "__len__") and is_iterable(s) for s in sentences)
    sample = next((s for s in sentences if len(s)), None) if sized else None
    if isinstance(sample, Mapping):
        names = names or tuple(sample)
        for s, sentence in enumerate(sentences):
            for name in names:
                if not isinstance(sentence, Mapping) or name not in sentence:
                    raise _fault(f"be a dict with the key {name!r}", sentence, s)
        return _of_columns({name: [sentence[name] for sentence in sentences] for name in names})
    token = next(iter(sample), None) if sample is not None and not isinstance(sample, str) else None
    if isinstance(token, Mapping):
        cells = {
            name: [[_cell(t, name, s, i) for i, t in enumerate(x)] for s, x in enumerate(sentences)]
            for name in names or tuple(token)
        }
        return _of_columns(cells)
    if isinstance(token, (tuple, list)):
        return _of_rows(sentences, names, len(token))
    if names is not None and len(names) != 1:
        raise CorpusError(f"{len(names)} column names {names!r} for tokens that are single strings")
    return _of_columns({names[0] if names else "word": sentences})


def _cell(token: Any, name: str, sentence: int, position: int) -> Any:
    if isinstance(token, Mapping) and (isinstance(token.get(name), str) or token.get(name, "") is None):
        return token[name]
    hint = "; dicts of features go together with labels: from_lists(X, y)"
    raise _fault(f"be a dict with a string for {name!r}", token, sentence, position, hint=hint)


def _of_rows(sentences: list[Any], names: tuple[str, ...] | None, width: int) -> Found:
    """Make columns from a tuple per token: in the core where all hold strings, otherwise one after another."""
    pools = [_core.StringPool() for _ in range(width)]
    read = _core.intern_rows(pools, sentences)
    if read is not None and width:
        codes, lengths = read
        names = names or usual(width, pools[-1].strings())
        if len(names) == width:
            columns = map(StringColumn, codes, pools)
            return dict(zip(names, columns, strict=True)), offsets_of(lengths)
    for s, sentence in enumerate(sentences):
        for t, row in enumerate(sentence):
            if not isinstance(row, (tuple, list)) or len(row) != width:
                raise _fault(f"have {width} values like the first one", row, s, t)
    if names is None:
        last = {row[-1] for sentence in sentences for row in sentence if width and isinstance(row[-1], str)}
        names = usual(width, last)
    if len(names) != width:
        raise CorpusError(f"{len(names)} column names {names!r} for tokens of {width} values")
    cells = {name: [[row[c] for row in sentence] for sentence in sentences] for c, name in enumerate(names)}
    return _of_columns(cells)


# ---------------------------------------------------------------------------------------------- kinds of values


def _first_token(sentences: list[Any]) -> Any:
    tokens = (token for sentence in sentences if _is_list(sentence) for token in sentence)
    return next((token for token in tokens if token is not None and not _is_nan(token)), None)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _is_nan(value: Any) -> bool:
    """Return True for NaN, which pandas has for missing values."""
    return isinstance(value, float) and value != value  # noqa: PLR0124  (only NaN differs from itself)


def only_lists(sentences: Iterable[Any]) -> bool:
    """Return True if every sentence is a plain list or tuple, the usual case, which needs only one check."""
    return set(map(type, sentences)) <= {list, tuple}


def spelled(sequences: list[Any]) -> list[Any]:
    """Split strings without blanks into characters, for models of symbols: "ACGT" becomes a sequence of four."""
    if only_lists(sequences):
        return sequences
    return [list(one) if isinstance(one, str) and one.split() == [one] else one for one in sequences]


def _is_vector(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], (float, int, np.number))
    )


def _as_list(values: Any, what: str) -> list[Any]:
    if not isinstance(values, list) and (
        isinstance(values, (str, bytes, Mapping)) or not is_iterable(values)
    ):
        raise CorpusError(
            f"{what} must be a list of sentences, each a list with one entry per token, got {values!r:.80}"
        )
    return values if isinstance(values, list) else list(values)


# ---------------------------------------------------------------------------------------------- items

Bag = list[tuple[str, float]]  # attribute, weight; in the order given, not merged


def bag(item: Mapping[str, Any] | Iterable[str], *, where: str = "") -> Bag:
    """List the attributes of one item (token); `where` is put before an error message."""
    try:
        return list(_entries(item))
    except CorpusError as error:
        raise CorpusError(f"{where}: {error.message}" if where else error.message) from None
    except RecursionError:
        raise CorpusError(
            f"{where + ': ' if where else ''}the dicts of a token are nested too deeply"
        ) from None


def bags(items: Iterable[Mapping[str, Any] | Iterable[str]], *, where: str = "") -> list[Bag]:
    """List the attributes of the items (tokens) of a sentence; `where` is put before messages."""
    if isinstance(items, (str, bytes, Mapping)):
        raise CorpusError(
            f"{where + ': ' if where else ''}a sentence is a list with one dict or list of strings a token, "
            f"got {items!r}"
        )
    return [bag(item, where=f"{where}, token {t}" if where else f"token {t}") for t, item in enumerate(items)]


def _entries(item: Any) -> Iterator[tuple[str, float]]:
    if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise CorpusError(f"a token is a dict or a list of strings, got {item!r}; write [{item!r}]")
    if not isinstance(item, Mapping):
        # Sets have no order, and results must not depend on the hash seed.
        keys = sorted(item, key=str) if isinstance(item, (set, frozenset)) else item
        yield from ((_text(key), 1.0) for key in keys)
        return
    for key, value in item.items():
        name = _text(key)
        if isinstance(value, (str, bytes)):
            yield f"{name}:{_text(value)}", 1.0
        elif isinstance(value, (Mapping, list, tuple, set, frozenset)):
            yield from ((f"{name}:{inner}", weight) for inner, weight in _entries(value))
        else:
            yield name, _weight(value, name)


def _text(key: Any) -> str:
    try:
        if isinstance(key, bytes):
            return key.decode()
        if isinstance(key, str):
            str.encode(key)  # a lone surrogate cannot be written to any file
            return str.__str__(key)  # its text, also where a class of its own says something else of itself
    except UnicodeError:
        raise CorpusError(f"an attribute must be text in UTF-8, got {key!r}") from None
    raise CorpusError(f"an attribute must be a string, got {key!r} of type {type(key).__name__}")


def _weight(value: Any, name: str) -> float:
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise CorpusError(
            f"attribute {name!r} has the value {value!r} of type {type(value).__name__}; "
            f"a string, a number, a bool, a dict, a list or a set is wanted"
        )
    try:
        weight = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise CorpusError(f"attribute {name!r} has a weight that is no number: {value!r}") from error
    if not math.isfinite(weight):
        raise CorpusError(f"attribute {name!r} has the weight {weight!r}; weights must be finite")
    return weight


def bag_column(sentences: Sequence[Any], name: str) -> tuple[BagColumn, Lengths]:
    """Make a column from lists of items, with the number of items of each sentence."""
    sentences = sentences if isinstance(sentences, list) else list(sentences)
    pool = _core.StringPool()
    usual = _core.intern_items(pool, sentences)
    if usual is not None:
        return BagColumn(*usual[:3], pool), usual[3]
    # Objects of other classes, other kinds of numbers, and errors.
    pool = _core.StringPool()
    entries: list[Bag] = []
    for s, sentence in enumerate(sentences):
        if not isinstance(sentence, (list, tuple)):
            place = Place(s, within=(name,))
            raise CorpusError(f" must be a list of items, got {sentence!r:.80}", place=place)
        for t, item in enumerate(sentence):
            try:
                entries.append(bag(item))
            except CorpusError as error:
                raise error.at(sentence=s, position=t, item="token", within=(name,)) from None
    flat = [entry for token in entries for entry in token]
    codes = np.array([pool.intern(attribute) for attribute, _ in flat], dtype=np.int32)
    weights = np.array([weight for _, weight in flat])
    indptr, plain = offsets_of([len(token) for token in entries]), bool((weights == 1.0).all())
    column = BagColumn(indptr, codes, None if plain else weights, pool)
    return column, np.array([len(sentence) for sentence in sentences], dtype=np.int64)


def known_bags(sentences: list[Any], pool: _core.StringPool) -> tuple[BagColumn, Lengths] | None:
    """Make a column without attributes that are not in the pool; None for shapes that are left to bag_column()."""
    usual = _core.find_items(pool, sentences)
    return None if usual is None else (BagColumn(*usual[:3], pool), usual[3])
