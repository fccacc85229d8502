"""Corpora to and from pandas and Arrow; strings become categories, so each distinct one is converted once."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import (
    MISSING,
    WORD_COLUMNS,
    BagColumn,
    Column,
    Offsets,
    StringColumn,
    VectorColumn,
    checked,
    offsets_of,
    unknown,
)
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.io.header import OURS, SEQUENCE, bare
from seqlab.corpus.lists import bag_column
from seqlab.errors import CorpusError
from seqlab.shown import library

# ---------------------------------------------------------------------------------------------- pandas


def to_pandas(corpus: Corpus) -> Any:
    """Make a DataFrame with one row per token: the number of its sentence, and a category per column of strings."""
    pandas = library("pandas")
    if "sentence" in corpus.columns:
        raise CorpusError(
            "to_pandas: the frame's column 'sentence' has the numbers of the sentences, but the corpus has a column of "
            "that name; rename it first: corpus.rename(sentence=...)"
        )
    data: dict[str, Any] = {"sentence": np.repeat(np.arange(len(corpus)), corpus.lengths)}
    for name in corpus.columns:
        column = corpus.data(name)
        if isinstance(column, StringColumn):
            data[name] = pandas.Categorical.from_codes(column.codes, categories=column.values)
        else:
            data[name] = pandas.Series(list(column.span(0, len(column))), dtype=object)
    return pandas.DataFrame(data)


def from_pandas(
    frame: Any, sentence: str | None = "sentence", columns: Iterable[str] | None = None
) -> Corpus:
    """Make a corpus from a DataFrame with one row per token; without a column of words, numbers become vectors.

    sentence   the column that says which sentence a row belongs to; a new value, or the first one after empty cells
               (as in files that name a sentence in its first row only), begins a sentence; None for one sequence
    columns    which columns to take; by default all but the sentence column
    """
    pandas = library("pandas")
    there = [str(name) for name in frame.columns]
    if sentence is not None and sentence not in frame.columns:
        raise CorpusError(
            f"from_pandas: {unknown(sentence, there)}; pass sentence=..., or sentence=None if all rows are one sequence"
        )
    names = checked(columns if columns is not None else [c for c in frame.columns if c != sentence])
    for name in names:
        if name not in frame.columns:
            raise CorpusError(f"from_pandas: {unknown(name, there)}")
    # A sentence begins where the mark changes; an empty mark repeats the row above.
    marks, _ = (
        pandas.factorize(frame[sentence].ffill()) if sentence is not None else (np.zeros(len(frame)), ())
    )
    begins = np.flatnonzero(np.diff(marks, prepend=np.int64(-2)))
    offsets = np.append(begins, len(marks)).astype(np.int64) if len(marks) else offsets_of([])
    words = any(name.lower() in WORD_COLUMNS for name in names)
    numbers = [] if words else [name for name in names if _is_measured(pandas, name, frame[name])]
    made: dict[str, Column] = {}
    for name in names:
        if name not in numbers:
            made[name] = _from_series(pandas, name, frame[name])
        elif len(numbers) == 1:
            made[name] = _vectors(frame[[name]])
        elif "vector" not in made:
            made["vector"] = _vectors(frame[numbers])
    return Corpus(made, offsets)


def _is_measured(pandas: Any, name: str, series: Any) -> bool:
    """Return True for a column of numbers, unless its name is one of words or labels."""
    numeric = pandas.api.types.is_numeric_dtype(series.dtype) and not pandas.api.types.is_bool_dtype(
        series.dtype
    )
    return bool(numeric) and bare(name) not in OURS


def _vectors(frame: Any) -> VectorColumn:
    return VectorColumn(np.ascontiguousarray(frame.to_numpy(dtype=np.float64, na_value=np.nan)))


def _from_series(pandas: Any, name: str, series: Any) -> Column:
    sample = series.iloc[0] if len(series) else ""
    if isinstance(sample, dict):
        return bag_column([list(series)], f"column {name!r}")[0]
    if isinstance(sample, np.ndarray):
        return VectorColumn(np.stack(list(series)))
    codes, strings = pandas.factorize(series.array)
    if name.lower() in WORD_COLUMNS and (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise CorpusError(
            f"column {name!r} has an empty cell in row {row}; fill it or drop it, and where pandas took a word such "
            f"as NA for an empty cell, read the file with keep_default_na=False"
        )
    return _interned(name, codes, [str(one) if _is_number(one) else one for one in strings])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _interned(name: str, codes: npt.NDArray[Any], strings: Sequence[Any]) -> StringColumn:
    pool = _core.StringPool()
    new = np.array([pool.intern(string) for string in strings], dtype=np.int32)
    if (new < 0).any():
        raise CorpusError(
            f"column {name!r} holds {strings[int(np.argmax(new < 0))]!r:.60}, but strings are wanted; "
            f"convert it with astype(str)"
        )
    return StringColumn(np.append(new, np.int32(MISSING))[codes], pool)


# ---------------------------------------------------------------------------------------------- Arrow


def to_arrow(corpus: Corpus) -> Any:
    """Make a Table with one row per sentence: for every column a list, dictionary-encoded where it has strings."""
    arrow = library("pyarrow")
    lists = arrow.LargeListArray.from_arrays
    columns = {name: lists(corpus.offsets, _to_array(arrow, corpus.data(name))) for name in corpus.columns}
    return arrow.table(columns)


def _to_array(arrow: Any, column: Column) -> Any:
    if isinstance(column, StringColumn):
        text, begins = map(arrow.py_buffer, column.pool.arrays())
        strings = arrow.LargeStringArray.from_buffers(len(column.pool), begins, text)
        codes = arrow.array(column.codes, mask=column.codes == MISSING if column.missing else None)
        return arrow.DictionaryArray.from_arrays(codes, strings)
    if isinstance(column, BagColumn):
        fields = {"attribute": _to_array(arrow, column.strings), "weight": arrow.array(column.all_weights)}
        pairs = arrow.StructArray.from_arrays([*fields.values()], [*fields])
        return arrow.LargeListArray.from_arrays(column.indptr, pairs)
    width = column.vectors.shape[1]
    return arrow.FixedSizeListArray.from_arrays(arrow.array(column.vectors.reshape(-1)), width)


def from_arrow(
    table: Any, columns: Iterable[str] | None = None, names: Mapping[str, Sequence[str]] | None = None
) -> Corpus:
    """Make a corpus from an Arrow table or dataset with one row per sentence: lists of strings, numbers or vectors.

    columns   which columns to take; by default all columns of lists
    names     label names for columns of label numbers: {"ner_tags": ["O", "B-PER", ...]}; a dataset has its own
    """
    arrow = library("pyarrow")
    kinds = arrow.types
    of_labels = {**_class_names(table), **(names or {})}
    table = _as_table(arrow, table)
    if columns is None:
        columns = [f.name for f in table.schema if kinds.is_list(f.type) or kinds.is_large_list(f.type)]
    chosen = checked(columns)
    if not chosen:
        return _from_rows(arrow, table)
    offsets: Offsets | None = None
    found: dict[str, Column] = {}
    for name in chosen:
        if name not in table.column_names:
            raise CorpusError(f"from_arrow: {unknown(name, table.column_names)}")
        chunks = table.column(name)
        lists = chunks.combine_chunks() if chunks.num_chunks != 1 else chunks.chunk(0)
        values = lists.flatten()
        if lists.null_count or (
            values.null_count
            and (name in WORD_COLUMNS or not (_is_text(arrow, values) or kinds.is_integer(values.type)))
        ):
            what = "a row without a list" if lists.null_count else "an empty cell"
            raise CorpusError(f"from_arrow: column {name!r} has {what}; fill it or drop it")
        own = _lengths(lists)
        if offsets is not None and not np.array_equal(own, offsets):
            raise CorpusError(
                f"from_arrow: columns {chosen[0]!r} and {name!r} have lists of different lengths"
            )
        whole = kinds.is_integer(values.type) and name not in WORD_COLUMNS
        column = _labels(name, values, of_labels.get(name)) if whole else _from_array(arrow, name, values)
        offsets, found[name] = own, column
    return Corpus(found, offsets if offsets is not None else offsets_of([]))


def _as_table(arrow: Any, given: Any) -> Any:
    """Make a Table of a dataset, or of any object that gives a stream of Arrow: of Polars, DuckDB, pandas, ..."""
    if isinstance(given, arrow.Table):
        return given
    if isinstance(given, Mapping):
        raise CorpusError(
            f"from_arrow: one table is wanted, got {type(given).__name__} with {', '.join(map(str, given))!s:.60}; "
            f"choose one of them: from_arrow(data[{next(iter(given), 'train')!r}])"
        )
    if getattr(given, "_indices", None) is not None:  # of a dataset that was shuffled or filtered
        given = given.flatten_indices()
    inner = getattr(given, "data", given)
    inner = getattr(inner, "table", inner)
    if isinstance(inner, arrow.Table):
        return inner
    if hasattr(given, "__arrow_c_stream__"):
        return arrow.table(given)
    if hasattr(inner, "schema") and hasattr(inner, "column_names"):
        return inner
    raise CorpusError(
        f"from_arrow: a table of Arrow or an object with __arrow_c_stream__ is wanted, got {given!r:.60}"
    )


def _from_rows(arrow: Any, table: Any) -> Corpus:
    """Make a corpus of a table with one row per token, and a column that says which sentence it belongs to."""
    names = table.column_names
    sentence = next((name for name in names if bare(name) in SEQUENCE), None)
    if sentence is None:
        raise CorpusError(
            f"from_arrow: no column holds lists, and none is called 'sentence', the columns are {', '.join(names)}"
        )
    marks = table.column(sentence).combine_chunks().dictionary_encode()
    codes = marks.indices.fill_null(MISSING).to_numpy(zero_copy_only=False)
    begins = np.flatnonzero((np.diff(codes, prepend=-2) != 0) & (codes != MISSING))
    offsets = np.append(begins, len(codes)).astype(np.int64)
    if len(codes) and (not len(begins) or begins[0]):
        raise CorpusError(f"from_arrow: the first row has no value in column {sentence!r}")
    found: dict[str, Column] = {}
    for name in names:
        if name == sentence:
            continue
        values = table.column(name).combine_chunks()
        if name in WORD_COLUMNS and values.null_count:
            raise CorpusError(f"from_arrow: column {name!r} has an empty cell; fill it or drop it")
        whole = arrow.types.is_integer(values.type)
        found[name] = _labels(name, values, None) if whole else _from_array(arrow, name, values)
    return Corpus(found, offsets if len(codes) else offsets_of([]))


def _class_names(table: Any) -> dict[str, Sequence[str]]:
    """Find the label names of columns of label numbers, in the features of a dataset or the metadata of its schema."""
    found: dict[str, Sequence[str]] = {}
    for column, feature in dict(getattr(table, "features", None) or {}).items():
        inner = getattr(feature, "feature", feature)
        labels = getattr(inner, "names", None)
        if labels:
            found[column] = list(labels)
    metadata = getattr(getattr(table, "schema", None), "metadata", None) or {}
    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        for column, feature in features.items():
            labels = feature.get("feature", feature).get("names")
            if labels:
                found.setdefault(column, list(labels))
    return found


def _labels(name: str, values: Any, names: Sequence[str] | None) -> StringColumn:
    """Convert label numbers to strings: their names, where -1 is a missing label, or without names their digits."""
    numbers = values.fill_null(-1).to_numpy(zero_copy_only=False)
    gone = values.is_null().to_numpy(zero_copy_only=False) | ((numbers == -1) & (names is not None))
    used, codes = np.unique(numbers[~gone], return_inverse=True)
    if names is not None and len(used) and not 0 <= int(used[0]) <= int(used[-1]) < len(names):
        bad = int(used[0] if used[0] < 0 else used[-1])
        raise CorpusError(
            f"from_arrow: column {name!r} has the label {bad}, but names were given for 0 to {len(names) - 1}"
        )
    all_codes = np.full(len(numbers), MISSING, dtype=np.int64)
    all_codes[~gone] = codes
    return _interned(name, all_codes, [str(n) if names is None else str(names[n]) for n in used.tolist()])


def _lengths(lists: Any) -> Offsets:
    return offsets_of(lists.value_lengths().to_numpy(zero_copy_only=False))


def _from_array(arrow: Any, name: str, values: Any) -> Column:
    kinds = arrow.types
    if kinds.is_fixed_size_list(values.type):
        flat = values.flatten().to_numpy(zero_copy_only=False)
        return VectorColumn(flat.reshape(-1, values.type.list_size))
    if kinds.is_large_list(values.type) and kinds.is_struct(values.type.value_type):
        pairs = values.flatten()
        strings = _from_array(arrow, name, pairs.field("attribute"))
        if not isinstance(strings, StringColumn):
            raise CorpusError(f"from_arrow: column {name!r} must hold lists of (attribute, weight)")
        weights = pairs.field("weight").to_numpy(zero_copy_only=False)
        usual = None if (weights == 1.0).all() else weights
        return BagColumn(_lengths(values), strings.codes, usual, strings.pool)
    if hasattr(kinds, "is_string_view") and kinds.is_string_view(values.type):
        values = values.cast(arrow.large_string())
    coded = values if kinds.is_dictionary(values.type) else None
    if not _is_text(arrow, values):
        raise CorpusError(
            f"from_arrow: column {name!r} holds {values.type}, but strings are wanted; convert it, "
            f"or leave it out with columns=..."
        )
    coded = values.dictionary_encode() if coded is None else coded
    strings = coded.dictionary.cast(arrow.large_string())
    # Numbers of an Enum of Polars have no sign.
    codes = coded.indices.cast(arrow.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False)
    pool = _core.pool_of(*_buffers(strings))
    return _interned(name, codes, strings.to_pylist()) if pool is None else StringColumn(codes, pool)


def _is_text(arrow: Any, values: Any) -> bool:
    kind = values.type.value_type if arrow.types.is_dictionary(values.type) else values.type
    view = getattr(arrow.types, "is_string_view", lambda _: False)
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind) or view(kind))


def _buffers(strings: Any) -> tuple[npt.NDArray[np.uint8], Offsets]:
    """Return bytes and offsets of a string array that starts at the beginning of its buffers."""
    if strings.offset or not len(strings):
        encoded = [string.encode() for string in strings.to_pylist()]
        return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets_of([len(text) for text in encoded])
    _, begins, text = strings.buffers()
    offsets = np.frombuffer(begins, dtype=np.int64, count=len(strings) + 1)
    return np.frombuffer(text or b"", dtype=np.uint8, count=int(offsets[-1])), offsets
