"""Bulk tagging: files on a cluster, and a function of Arrow batches for Spark, Polars, DuckDB and Dask."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from seqlab.corpus import Corpus, StringColumn, read, write
from seqlab.errors import CorpusError, OptionError
from seqlab.families import load
from seqlab.scale.cluster.files import spread
from seqlab.shown import library


def opened(path: str) -> Any:
    """Open a model, once in a process as long as its file stays; its weights are mapped."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return load(path)  # which says what is wrong
    return _opened(path, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=4)
def _opened(path: str, _file: tuple[int, ...]) -> Any:
    return load(path)


def tag_files(
    model: str | os.PathLike[str],
    files: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    client: Any,
    column: str = "predicted",
    **reading: Any,
) -> list[Path]:
    """Label files on a cluster, each into a file of the same name in a folder, and return the paths of those.

    model     file of a tagger, on a file system that all workers see, as the files and the folder are
    files     of sentences
    folder    made if it is not there; a file in it is whole or not there, also when workers are killed
    client    a distributed.Client, a Dask cluster, or the address of its scheduler
    column    of the labels that are written
    reading   options of seqlab.read
    """
    sources = [str(Path(one).resolve()) for one in files]
    target = Path(folder).resolve()
    make_folder(target)
    made = [target / Path(one).name for one in sources]
    check_targets(sources, made)
    jobs = [
        (source, str(goal), str(Path(model).resolve()), column, reading)
        for source, goal in zip(sources, made, strict=True)
    ]
    opened(jobs[0][2]) if jobs else None  # before anything is written
    for _ in spread(_tag_file, jobs, client):
        pass
    return made


def make_folder(folder: Path) -> None:
    """Make the folder of labelled files, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if folder.is_file() else error.strerror or str(error)
        raise OptionError(f"labelled files cannot be written to the folder {str(folder)!r}: {why}") from error


def check_targets(sources: list[str], made: list[Path]) -> None:
    """Refuse two files that would be written to the same place, and a file that would replace its input."""
    names: dict[Path, str] = {}
    for source, goal in zip(sources, made, strict=True):
        if goal in names:
            raise OptionError(
                f"{names[goal]!r} and {source!r} would both be written to {str(goal)!r}; rename one"
            )
        if str(goal) == source:
            raise OptionError(f"{source!r} would replace itself; name another folder")
        names[goal] = source


def _tag_file(source: str, target: str, model: str, column: str, reading: dict[str, Any]) -> int:
    """Label one file, on a worker."""
    corpus = opened(model).annotate(read(source, **reading), column, threads=1)
    write(corpus, target)
    return len(corpus)


def tag_arrow(
    model: str | os.PathLike[str] | Any,
    *,
    columns: Iterable[str] | None = None,
    output: str = "predicted",
    threads: int = 1,
) -> Callable[[Any], Any]:
    """Make a function that adds labels to Arrow data, in which a row is a sentence and a cell a list of its words.

    model     file of a tagger, opened once in a process, or a tagger, which is sent along
    columns   of the lists that the tagger reads; None for all lists of strings
    output    column of the labels, a list of strings for each row
    threads   for each batch

    The function takes a Table, a RecordBatch, a RecordBatchReader, or a DataFrame of Polars or pandas and returns the
    same kind, for Polars' map_batches and Dask's map_partitions; a relation of DuckDB becomes a Table. Of an iterator
    of batches it makes an iterator, for Spark's mapInArrow; of arrays of lists an array, for functions in SQL.
    """
    if isinstance(model, (str, os.PathLike)):
        model = str(Path(model).resolve())
    elif not hasattr(model, "annotate"):
        raise OptionError(
            f"model must be a tagger or the path of its file, got {model!r:.60}", option="model"
        )
    return _TagArrow(model, None if columns is None else tuple(columns), output, threads)


class _TagArrow:
    """The function of tag_arrow: it can be pickled, and opens its model where it is called."""

    def __init__(self, model: Any, columns: tuple[str, ...] | None, output: str, threads: int) -> None:
        self._model, self._columns, self._output, self._threads = model, columns, output, threads

    def __call__(self, data: Any, *more: Any) -> Any:
        pa = library("pyarrow")

        if isinstance(data, (pa.Array, pa.ChunkedArray)):
            return self._of_arrays(pa, [data, *more])
        if isinstance(data, pa.Table):
            return data.append_column(self._output, self._labels(pa, data))
        if isinstance(data, pa.RecordBatch):
            labels = self._labels(pa, pa.Table.from_batches([data]))
            fields = [*data.schema, pa.field(self._output, labels.type)]
            return pa.RecordBatch.from_arrays([*data.columns, labels], schema=pa.schema(fields))
        if hasattr(data, "to_arrow") and hasattr(data, "lazy"):  # Polars
            return type(data)(self(data.to_arrow()))
        if hasattr(data, "assign"):  # pandas, as Dask's partitions are
            table = pa.Table.from_pandas(data, preserve_index=False)
            labels = self._labels(pa, table).to_pylist()
            return data.assign(**{self._output: library("pandas").Series(labels, data.index, dtype=object)})
        if isinstance(data, pa.RecordBatchReader):
            kind = pa.field(self._output, pa.list_(pa.string()))
            return pa.RecordBatchReader.from_batches(data.schema.append(kind), self._each(data))
        if hasattr(data, "__arrow_c_stream__"):  # a relation of DuckDB
            return self(pa.table(data))
        if not isinstance(data, Iterable) or isinstance(data, (str, bytes, Mapping)):
            raise CorpusError(
                f"Arrow data are wanted (a table, a batch, an iterator of batches, a data frame), got {data!r:.60}"
            )
        return self._each(data)

    def _each(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield self(batch)

    def _of_arrays(self, pyarrow: Any, arrays: list[Any]) -> Any:
        """Find the labels of lists of words, and of further lists beside them: a scalar function of DuckDB."""
        names = self._columns or (("word",) if len(arrays) == 1 else ())
        if len(names) != len(arrays):
            raise CorpusError(
                f"{len(arrays)} arrays came; name the column of each with tag_arrow(..., columns=[...])"
            )
        return self._labels(pyarrow, pyarrow.table(dict(zip(names, arrays, strict=True))))

    def _labels(self, pyarrow: Any, table: Any) -> Any:
        """Find the labels of all rows, as an array of lists."""
        kind = pyarrow.list_(pyarrow.string())
        tagger = opened(self._model) if isinstance(self._model, str) else self._model
        if self._output in table.column_names:
            raise CorpusError(
                f"the data have a column {self._output!r} already; pass output= with another name"
            )
        if not table.num_rows:  # of which pandas does not know what its cells would be
            return pyarrow.array([], kind)
        names = self._columns or tuple(field.name for field in table.schema if _is_list(pyarrow, field.type))
        if not names:
            raise CorpusError(
                f"no column of {', '.join(map(repr, table.column_names)) or 'the data'} has lists of words, one for "
                f"each sentence"
            )
        if absent := [name for name in names if name not in table.column_names]:
            have = ", ".join(map(repr, table.column_names))
            raise CorpusError(f"columns= names {absent[0]!r}, but the data have the columns {have}")
        corpus = Corpus.from_arrow(_plain_lists(pyarrow, table.select(list(names))))
        done = tagger.annotate(corpus, self._output, threads=self._threads)
        column = done.data(self._output)
        assert isinstance(column, StringColumn)  # noqa: S101
        strings = pyarrow.array(column.pool.strings(), pyarrow.string())
        values = strings.take(pyarrow.array(column.codes))
        return pyarrow.ListArray.from_arrays(pyarrow.array(corpus.offsets.astype("int32")), values)


def _is_list(pyarrow: Any, kind: Any) -> bool:
    types = pyarrow.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _plain_lists(pyarrow: Any, table: Any) -> Any:
    """Convert lists of a fixed size, and empty lists, whose words have no type, to lists of strings."""
    for i, field in enumerate(table.schema):
        if not _is_list(pyarrow, field.type):
            continue
        words, fixed = field.type.value_type, pyarrow.types.is_fixed_size_list(field.type)
        if fixed or pyarrow.types.is_null(words):
            goal = pyarrow.large_list(pyarrow.string() if pyarrow.types.is_null(words) else words)
            table = table.set_column(i, field.name, table.column(i).cast(goal))
    return table
