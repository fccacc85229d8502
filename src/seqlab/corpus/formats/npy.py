"""NumPy arrays: sequences of numbers.

x.npy   (T,) or (T, D): one sequence of T vectors; (N, T, D): N sequences
x.npz   np.savez(path, *sequences): one array per sequence; np.savez(path, vector=..., label=..., lengths=...):
        one array per column, in which the sequences with these lengths follow one another
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import Column, Offsets, StringColumn, VectorColumn, checked, offsets_of
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import Columns, Format, Options
from seqlab.corpus.origin import Layout, Origin
from seqlab.errors import CorpusError, Place

LENGTHS = "lengths"
LABELS = ("label", "labels", "y", "tags", "states")  # whole numbers under these names are labels

Array = npt.NDArray[Any]


class Npy(Format):
    """NumPy arrays. They are not text, so read_arrays reads them instead of an instance."""

    name = "npy"
    title = "a NumPy file"
    suffixes = (".npy", ".npz")
    sign = re.compile(r"\A\x93NUMPY")

    def __init__(self, options: Options) -> None:
        message = (
            "arrays of NumPy are read from plain .npy and .npz files, and no other way; decompress it first"
        )
        raise CorpusError(message, path=options.name)

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:  # noqa: ARG003
        """Write the vectors of a corpus whose sequences have equal lengths."""
        names = [name for name in corpus.columns if isinstance(corpus.data(name), VectorColumn)]
        if len(names) != 1 or len(corpus.columns) != 1:
            raise CorpusError(
                f"a NumPy file holds one column of vectors, but the corpus has {' '.join(corpus.columns)}; "
                f"pass columns=... with one of them, or write 'csv'"
            )
        sizes = set(corpus.lengths.tolist())
        if len(sizes) > 1:
            raise CorpusError(
                f"an array holds sequences of one length, but these have {min(sizes)} to {max(sizes)} tokens; "
                f"write 'csv', or the sequences one by one: np.savez(path, *corpus.column({names[0]!r}))"
            )
        vectors = corpus.data(names[0])
        assert isinstance(vectors, VectorColumn)  # noqa: S101  (for mypy)
        array = (
            vectors.vectors if len(corpus) == 1 else vectors.vectors.reshape(len(corpus), -1, vectors.width)
        )
        out = io.BytesIO()
        np.save(out, array)
        return iter([out.getvalue()])


FORMAT = Npy


def read_arrays(source: str | os.PathLike[str] | IO[Any], columns: Columns) -> Corpus:
    """Read sequences of numbers from a file or a stream."""
    path = (
        os.fspath(source) if isinstance(source, (str, os.PathLike)) else getattr(source, "name", "<stream>")
    )
    with _named(str(path)):
        found = _loaded(source)
        if isinstance(found, dict):
            made, offsets = _of_archive(found)
        else:
            made, offsets = _of_array(found)
        if columns is not None:
            names = checked(columns)
            if isinstance(columns, Mapping) or len(names) != len(made):
                raise CorpusError(
                    f"columns= must give {len(made)} names, for {', '.join(made)}, got {columns!r:.60}"
                )
            made = dict(zip(names, made.values(), strict=True))
        lines = np.zeros(len(offsets) - 1, dtype=np.int64)
        origin = Origin.file(str(path), lines, token_lines=False)
        corpus = Corpus(made, offsets, layout=Layout(format=Npy.name), origin=origin)
        if not corpus.token_count:
            raise CorpusError(
                "the file holds no numbers, but at least one sequence is wanted; is it the right file?"
            )
        return corpus


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Add the path to errors."""
    try:
        yield
    except CorpusError as error:
        raise error.at(path=path) from error.__cause__


def _loaded(source: Any) -> Array | dict[str, Array]:
    named = isinstance(source, (str, os.PathLike))
    try:
        # NumPy would not close a file that is no sound archive.
        with open(source, "rb") if named else io.BytesIO(source.read()) as given:  # noqa: PTH123
            found = np.load(given, allow_pickle=False)
            if isinstance(found, np.ndarray):
                return found
            with found:
                return {name: found[name] for name in found.files}
    except OSError as error:
        raise CorpusError(f"the file cannot be read ({error.strerror or error})", place=Place()) from error
    except MemoryError as error:
        raise CorpusError("there is not enough memory for the arrays of the file; is it damaged?") from error
    except Exception as error:  # NumPy, zipfile and zlib have errors of many kinds for a damaged file
        raise CorpusError(
            "this is no array of numbers that NumPy can read: the file is damaged, of another kind, or holds Python "
            "objects; write it with np.save or np.savez"
        ) from error


def _of_array(array: Array) -> tuple[dict[str, Column], Offsets]:
    text = array.dtype.kind == "U"
    if not text and (array.dtype.kind not in "fiub" or array.ndim not in (1, 2, 3)):
        raise CorpusError(
            f"an array of numbers (T,), (T, D) or (N, T, D) is wanted, got {array.dtype} of shape {array.shape}"
        )
    if text:
        rows = np.atleast_2d(array)
        return {"word": _strings(rows.reshape(-1))}, offsets_of([rows.shape[1]] * len(rows))
    if array.ndim == 3:
        n, size, width = array.shape
        return {"vector": _vectors(array.reshape(n * size, width))}, offsets_of([size] * n)
    return {"vector": _vectors(array)}, offsets_of([len(array)])


def _of_archive(arrays: dict[str, Array]) -> tuple[dict[str, Column], Offsets]:
    if arrays and all(re.fullmatch(r"arr_\d+", name) for name in arrays):
        parts = [_of_array(array) for array in arrays.values()]
        names = {next(iter(made)) for made, _ in parts}
        widths = {made["vector"].width for made, _ in parts if isinstance(made.get("vector"), VectorColumn)}  # type: ignore[union-attr]
        if len(names) > 1 or len(widths) > 1:
            shape = next(
                array.shape for array in arrays.values() if array.shape[1:] != arrays["arr_0"].shape[1:]
            )
            raise CorpusError(f"sequences of one width are wanted, got {arrays['arr_0'].shape} and {shape}")
        whole = Corpus.join([Corpus(*part) for part in parts])
        return {name: whole.data(name) for name in whole.columns}, whole.offsets
    lengths = arrays.pop(LENGTHS, None)
    made: dict[str, Column] = {}
    offsets: Offsets | None = None
    for name, array in arrays.items():
        found, own = _of_array(array)
        for column in found.values():
            labels = name in LABELS and array.dtype.kind in "iub" and array.ndim == 1
            made[name] = _strings(array.astype(str)) if labels else column
        if offsets is not None and not np.array_equal(own, offsets):
            raise CorpusError(
                f"array {name!r} has shape {array.shape}, but the others have {int(offsets[-1])} rows"
            )
        offsets = own
    if offsets is None:
        raise CorpusError("the file has no arrays")
    if lengths is not None:
        given = offsets_of(lengths.reshape(-1)) if lengths.dtype.kind in "iu" else offsets_of([])
        if given[-1] != offsets[-1] or (np.diff(given) < 0).any():
            raise CorpusError(
                f"lengths must be whole numbers that add up to {int(offsets[-1])}, the number of rows"
            )
        offsets = given
    return made, offsets


def _vectors(array: Array) -> VectorColumn:
    rows = array.reshape(len(array), int(np.prod(array.shape[1:])))
    return VectorColumn(
        np.ascontiguousarray(rows if rows.dtype in (np.float32, np.float64) else rows.astype(float))
    )


def _strings(texts: Array) -> StringColumn:
    pool = _core.StringPool()
    codes, _, wrong, _ = pool.intern_lists([texts.tolist()])
    if wrong >= 0:
        raise CorpusError("the strings of the array are not text that UTF-8 can write")
    return StringColumn(codes, pool)
