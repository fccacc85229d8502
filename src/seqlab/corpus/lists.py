"""Corpora from lists.

from_lists(word=[["the", "dog"], ...], pos=[["DT", "NN"], ...])     columns by name
from_lists({"word": [["the", "dog"], ...], "pos": ...})             the same; what to_lists() returns
from_lists([[("the", "DT"), ("dog", "NN")], ...])                   a tuple per token; columns=("word", "pos")
from_lists([["the", "dog"], ...])                                   words only
from_lists([{"word": ["the", "dog"], "pos": ["DT", "NN"]}, ...])    a dict of lists per sentence
from_lists([[{"word": "the", "pos": "DT"}, ...], ...])              a dict per token
from_lists(sorted(corpus, key=len))                                 sentences of one corpus or of several
from_lists(X, y)                                                    words or python-crfsuite's items, and labels
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import _core
from seqlab.corpus.columns import (
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

if TYPE_CHECKING:
    from seqlab.corpus.corpus import Corpus

Lists = Sequence[Any]


def are_sentences(data: Any) -> bool:
    """Whether these are sentences of corpora: a list of them, or a corpus."""
    return isinstance(data, Sequence) and len(data) > 0 and all(isinstance(item, Sentence) for item in data)


def columns_of(
    data: tuple[Any, ...], columns: Iterable[str] | None, named: Mapping[str, Any]
) -> tuple[dict[str, Column], Offsets]:
    """Columns and offsets of whatever shape came."""
    names = None if columns is None else checked(columns)
    if named or (len(data) == 1 and isinstance(data[0], Mapping)):
        given = {**(data[0] if data else {}), **named}
        return _of_columns({name: given[name] for name in names} if names else given)
    if len(data) == 2:
        return _of_columns(dict(zip(names or (_x_name(data[0]), "label"), data, strict=True)))
    if len(data) != 1:
        raise CorpusError(
            f"from_lists takes one list of sentences, X and y, or columns by name, got {len(data)} arguments"
        )
    return _of_sentences(_as_list(data[0], "the corpus"), names)


def _of_columns(given: Mapping[str, Any]) -> tuple[dict[str, Column], Offsets]:
    if not given:
        raise CorpusError(
            "a corpus needs at least one column, got none; write from_lists(word=[['the', 'dog']])"
        )
    found: dict[str, Column] = {}
    lengths: np.ndarray[Any, np.dtype[np.int64]] | None = None
    first = ""
    for name in checked(given):
        column, own = _column(name, given[name])
        if lengths is None:
            lengths, first = own, name
        elif not np.array_equal(lengths, own):
            raise CorpusError(_different(f"column {first!r}", lengths, f"column {name!r}", own))
        found[name] = column
    return found, offsets_of(lengths if lengths is not None else np.zeros(0, dtype=np.int64))


def _different(first: str, lengths: Any, name: str, own: Any) -> str:
    """`first` and `name` are how the message calls the two sides."""
    if len(lengths) != len(own):
        return f"{first} has {len(lengths)} sentences, but {name} has {len(own)}"
    s = int(np.argmax(lengths != own))
    return f"sentence {s} has {lengths[s]} tokens in {first}, but {own[s]} in {name}"


def _column(name: str, values: Any) -> tuple[Column, np.ndarray[Any, np.dtype[np.int64]]]:
    """A column of lists of strings, of items, or of arrays; with the number of tokens of each sentence."""
    sentences = _as_list(values, f"column {name!r}")
    sample = next((token for sentence in sentences if _is_list(sentence) for token in sentence), None)
    if isinstance(sample, (Mapping, list, tuple, set, frozenset)) and not _is_vector(sample):
        from seqlab.corpus.bags import bag_column

        bags, lengths = bag_column(sentences, f"column {name!r}")
        return bags, lengths
    if _is_vector(sample) or any(isinstance(s, np.ndarray) and s.ndim == 2 for s in sentences):
        return _vectors(name, sentences)
    return _strings(name, sentences)


def _strings(name: str, sentences: list[Any]) -> tuple[Column, np.ndarray[Any, np.dtype[np.int64]]]:
    pool = _core.StringPool()
    codes, lengths, bad_sentence, bad_token = pool.intern_lists(sentences)
    if bad_sentence < 0:
        return StringColumn(codes, pool), lengths
    sentence = sentences[bad_sentence]
    if bad_token < 0:
        hint = f"; write list({sentence!r:.40})" if isinstance(sentence, str) else ""
        raise CorpusError(
            f" must be a list of strings, got {sentence!r:.80}{hint}",
            place=Place(bad_sentence, within=(f"column {name!r}",)),
        )
    token = sentence[bad_token]
    wanted = "text that UTF-8 can write" if isinstance(token, str) else "a string"
    raise CorpusError(
        f" must be {wanted}, got {token!r:.80}",
        place=Place(bad_sentence, bad_token, item="token", within=(f"column {name!r}",)),
    )


def _vectors(name: str, sentences: list[Any]) -> tuple[Column, np.ndarray[Any, np.dtype[np.int64]]]:
    width = _vector_width(sentences)
    arrays = [_matrix(name, s, sentence, width) for s, sentence in enumerate(sentences)]
    joined = np.concatenate(arrays)
    if joined.dtype not in (np.float32, np.float64):
        joined = joined.astype(np.float64)
    return VectorColumn(joined), np.array([len(a) for a in arrays], dtype=np.int64)


def _vector_width(sentences: list[Any]) -> int:
    """How many numbers the first token has, 0 when it is no vector."""
    for sentence in sentences:
        if isinstance(sentence, np.ndarray) and sentence.ndim == 2:
            return int(sentence.shape[1])
        if _is_list(sentence) and len(sentence):
            return len(sentence[0]) if np.ndim(sentence[0]) == 1 else 0
    return 0


def _matrix(name: str, s: int, sentence: Any, width: int) -> np.ndarray[Any, Any]:
    """The vectors of one sentence, (tokens, width)."""
    if not _is_list(sentence):
        raise CorpusError(
            f" must be a list of vectors, got {sentence!r:.80}", place=Place(s, within=(f"column {name!r}",))
        )
    if not len(sentence):
        return np.zeros((0, width))
    try:
        array = np.asarray(sentence)
    except ValueError:  # vectors of different widths
        array = np.zeros(0)
    if array.ndim == 2 and array.shape[1] == width and array.dtype.kind in "fiub":
        return array
    t = next((t for t, token in enumerate(sentence) if not _is_row(token, width)), 0)
    wanted = f"{width} numbers" if width else "a list of numbers"
    raise CorpusError(
        f" must be {wanted}, got {sentence[t]!r:.80}",
        place=Place(s, t, item="token", within=(f"column {name!r}",)),
    )


def _is_row(token: Any, width: int) -> bool:
    return _is_list(token) and len(token) == width and all(map(_is_number, token))


def _is_number(value: Any) -> bool:
    """Whether an array of numbers can hold it: an int may be too large."""
    return isinstance(value, (float, np.floating, np.bool_)) or (
        isinstance(value, (int, np.integer)) and -(2**63) <= int(value) < 2**63
    )


# ---------------------------------------------------------------------------------------------- one list of sentences


def _of_sentences(sentences: list[Any], names: tuple[str, ...] | None) -> tuple[dict[str, Column], Offsets]:
    sized = only_lists(sentences) or all(map(_is_sized, sentences))
    sample = next((s for s in sentences if len(s)), None) if sized else None
    if isinstance(sample, Mapping):
        return _of_columns(_turned(sentences, names or tuple(sample)))
    token = next(iter(sample), None) if sample is not None and not isinstance(sample, str) else None
    if isinstance(token, Mapping):
        wanted = names or tuple(token)
        return _of_columns(
            {
                n: [[_cell(t, n, s, i) for i, t in enumerate(x)] for s, x in enumerate(sentences)]
                for n in wanted
            }
        )
    if isinstance(token, (tuple, list)):
        return _of_rows(sentences, names, len(token))
    return _of_columns({_single(names): sentences})


def _turned(sentences: list[Any], names: tuple[str, ...]) -> dict[str, list[Any]]:
    """A dict of lists per sentence -> a list per column."""
    turned: dict[str, list[Any]] = {name: [] for name in names}
    for s, sentence in enumerate(sentences):
        for name in names:
            if not isinstance(sentence, Mapping) or name not in sentence:
                raise CorpusError(
                    f" must be a dict with the key {name!r}, got {sentence!r:.80}", place=Place(s)
                )
            turned[name].append(sentence[name])
    return turned


def _cell(token: Any, name: str, sentence: int, position: int) -> Any:
    if isinstance(token, Mapping) and isinstance(token.get(name), str):
        return token[name]
    raise CorpusError(
        f" must be a dict with a string for {name!r}, got {token!r:.80}; "
        f"dicts of features go together with labels: from_lists(X, y)",
        place=Place(sentence, position, item="token"),
    )


def _of_rows(
    sentences: list[Any], names: tuple[str, ...] | None, width: int
) -> tuple[dict[str, Column], Offsets]:
    """A tuple per token."""
    pools = [_core.StringPool() for _ in range(width)]
    read = _core.intern_rows(pools, sentences)
    if read is not None and width:
        codes, lengths = read
        names = names or usual(width, pools[-1].strings())
        if len(names) == width:
            columns = map(StringColumn, codes, pools)
            return dict(zip(names, columns, strict=True)), offsets_of(lengths)
    return _of_other_rows(sentences, names, width)


def _of_other_rows(
    sentences: list[Any], names: tuple[str, ...] | None, width: int
) -> tuple[dict[str, Column], Offsets]:
    """Tuples that do not hold strings only, and whatever deserves an error."""
    for s, sentence in enumerate(sentences):
        for t, row in enumerate(sentence):
            if not isinstance(row, (tuple, list)) or len(row) != width:
                raise CorpusError(
                    f" must have {width} values like the first one, got {row!r:.80}",
                    place=Place(s, t, item="token"),
                )
    columns = [[[row[c] for row in sentence] for sentence in sentences] for c in range(width)]
    if names is None:
        last = (
            {value for sentence in columns[-1] for value in sentence if isinstance(value, str)}
            if width
            else ()
        )
        names = usual(width, last)
    if len(names) != width:
        raise CorpusError(f"{len(names)} column names {names!r} for tokens of {width} values")
    return _of_columns(dict(zip(names, columns, strict=True)))


def _single(names: tuple[str, ...] | None) -> str:
    if names is None:
        return "word"
    if len(names) != 1:
        raise CorpusError(f"{len(names)} column names {names!r} for tokens that are single strings")
    return names[0]


def _x_name(sentences: Any) -> str:
    """What the X of (X, y) holds: words, or python-crfsuite's items."""
    tokens = (token for sentence in _as_list(sentences, "X") if _is_list(sentence) for token in sentence)
    sample = next(tokens, None)
    return (
        "word"
        if sample is None or isinstance(sample, str)
        else "vector"
        if _is_vector(sample)
        else "attributes"
    )


def as_column(name: str, values: Any, corpus: Corpus) -> Column:
    """What with_column takes, as a column that fits the corpus."""
    checked([name])
    column: Column
    if isinstance(values, (StringColumn, BagColumn, VectorColumn)):
        column = values
    elif isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "fiu":
        column = VectorColumn(
            values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)
        )
    else:
        column, lengths = _column(name, values)
        if not np.array_equal(lengths, corpus.lengths):
            raise CorpusError(_different("the corpus", corpus.lengths, f"column {name!r}", lengths))
    if len(column) != corpus.token_count:
        raise CorpusError(
            f"column {name!r} has {len(column)} entries, but the corpus has {corpus.token_count} tokens"
        )
    return column


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def only_lists(sentences: Iterable[Any]) -> bool:
    """Whether every sentence is a plain list or tuple, as most are; asked once, where each would be asked otherwise."""
    return set(map(type, sentences)) <= {list, tuple}


def _is_sized(value: Any) -> bool:
    return hasattr(value, "__len__")


def _is_vector(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], (float, int, np.number))
    )


def _as_list(values: Any, what: str) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise CorpusError(
            f"{what} must be a list of sentences, each a list with one entry per token, got {values!r:.80}"
        )
    return values if isinstance(values, list) else list(values)
