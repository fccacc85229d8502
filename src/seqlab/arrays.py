"""Types of arrays and numbers, and the checks of user input that all other modules rely on."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.errors import DtypeError, LabelError, OptionError, ScoreError, ShapeError

Scores = npt.NDArray[np.floating[Any]]  # natural logs, any shape, float32 or float64
LabelIds = npt.NDArray[np.int32]  # (T,)
Probabilities = npt.NDArray[np.floating[Any]]

LARGEST_COUNT = 2**31 - 1
LARGEST_MEMORY = 2**63 - 1
BROAD = 1 << 30  # bytes; smaller tables are not checked


def is_iterable(value: Any) -> bool:
    """Return True if the value can be iterated over; an array of dimension 0 has __iter__, but cannot."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def as_scores(value: npt.ArrayLike, name: str) -> Scores:
    """Return `value` as a C-contiguous float array; float32 and float64 are kept, integers become float64."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ShapeError(
            f"{name} scores must form a regular array, but their rows differ in length"
        ) from error
    kind = array.dtype
    if kind.kind == "f" and kind.itemsize <= 8:
        dtype: Any = np.float64 if kind.itemsize == 8 else np.float32
    elif kind.kind in "iub":
        dtype = np.float64
    else:
        raise DtypeError(
            f"{name} scores have dtype {kind}, but float32 or float64 is wanted; convert them with "
            ".astype(numpy.float64)"
        )
    needed = array.size * np.dtype(dtype).itemsize
    if needed > BROAD and needed > memory():
        raise ShapeError(
            f"{name} scores of shape {array.shape} need {needed / 1e9:,.0f} GB, but this machine has "
            f"{memory() / 1e9:,.0f} GB; take fewer labels"
        )
    return contiguous(array, dtype).reshape(array.shape)


def contiguous(value: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Return an array as C++ may read it: C-contiguous and aligned. One that is both already is not copied."""
    array = np.ascontiguousarray(value, dtype=dtype)
    return array if array.flags.aligned else array.copy()


def check_scores(scores: Scores, name: str) -> float:
    """Raise an error for NaN and +inf that names the position; return the largest finite magnitude."""
    bad, largest = _core.scan(scores)
    if bad >= 0:
        place = tuple(int(i) for i in np.unravel_index(bad, scores.shape))
        raise ScoreError(
            f"{name}[{', '.join(map(str, place))}] is {scores[place]}, but a score must be a number below +inf; "
            "write -inf for what is forbidden"
        )
    return largest


def check_room(labels: int, axes: int = 2, each: int = 8) -> None:
    """Raise an error for a table of transitions that is larger than the memory of the machine.

    axes   number of labels in a transition: 2 in order 1
    each   bytes per transition, in all tables together
    """
    needed = each * labels**axes
    if needed > BROAD and needed > (there := memory()):
        raise LabelError(
            f"{labels:,} labels need {needed / 1e9:,.0f} GB for the transitions between {axes} labels, but this "
            f"machine has {there / 1e9:,.0f} GB; are they labels, and not words or numbers? MostFrequentTag does "
            f"without transitions{'' if axes == 2 else ', and a lower order needs less'}"
        )


def memory() -> int:
    """Return the number of bytes that this process may use: the memory of the machine, or a lower limit."""
    try:
        most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # unknown on this system
        return LARGEST_MEMORY
    try:
        import resource  # not on every system

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (ImportError, ValueError, OSError):
        return most
    return most if limit == resource.RLIM_INFINITY else min(most, limit)


def frozen(array: Scores) -> Scores:
    """Return a read-only view, so that a checked array cannot change."""
    view: Scores = array.view()
    view.flags.writeable = False
    return view


def as_lengths(value: Sequence[int] | npt.ArrayLike, total: int) -> npt.NDArray[np.int64]:
    """Read sequence lengths, which add up to the number of rows."""
    lengths = np.asarray(value)
    if lengths.ndim != 1 or (lengths.size and lengths.dtype.kind not in "iu"):
        raise ShapeError(f"lengths must be a list of whole numbers, got {value!r}")
    if (lengths > total).any():
        first = int(np.argmax(lengths > total))
        raise ShapeError(f"lengths[{first}] is {lengths[first]}, but node has only {total} rows in all")
    lengths = np.array(lengths, dtype=np.int64)  # a copy: the core relies on it
    lengths.flags.writeable = False
    if (lengths < 0).any():
        first = int(np.argmax(lengths < 0))
        raise ShapeError(
            f"lengths[{first}] is {lengths[first]}, but a sequence cannot have fewer than 0 positions"
        )
    if int(lengths.sum()) != total:
        raise ShapeError(f"lengths add up to {int(lengths.sum())}, but node has {total} rows")
    return lengths


def whole_number(value: int, name: str, least: int) -> int:
    """Return `value` as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise OptionError(f"{name} must be a whole number from {least} up, got {value!r}")
    if value > LARGEST_COUNT:
        raise OptionError(f"{name} must be at most {LARGEST_COUNT}, got {value!r}")
    return int(value)


def number(
    value: Any, name: str, *, least: float = 0.0, most: float = math.inf, above: bool = False
) -> float:
    """Return a finite number between bounds, or raise an OptionError that names the option."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    try:
        found = float(value) if real else math.nan
    except OverflowError:  # an int too large for a float
        found = math.inf
    if not math.isfinite(found) or found < least or found > most or (above and found == least):
        bounds = f"above {least:g}" if above else f"from {least:g}"
        if most < math.inf:
            bounds += f" and at most {most:g}" if above else f" to {most:g}"
        elif not above:
            bounds += " up"
        raise OptionError(f"{name} must be a finite number {bounds}, got {value!r:.60}")
    return found


def choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of the given words, or raise an OptionError that names the option."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def switch(value: Any, name: str) -> bool:
    """Return True or False, or raise an OptionError that names the option."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def says_no(answer: Any) -> bool:
    """Return True if a callback's answer is False or NumPy's False; any other answer is not."""
    return isinstance(answer, (bool, np.bool_)) and not answer


def position_number(value: int, who: str) -> int:
    """Return `value` as an int; the caller checks the range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise LabelError(f"{who} wants positions as whole numbers, got {value!r}")
    return int(value)


def position_of(value: int, length: int) -> int:
    """Return `value` as a position in a sequence of `length`, or raise an error."""
    t = position_number(value, "a question")
    if not 0 <= t < length:
        held = f"the sequence has positions 0 to {length - 1}" if length else "the sequence is empty"
        raise LabelError(f"position {t} does not exist; {held}")
    return t


MOST_THREADS = 256


def thread_count(threads: int | None) -> int:
    """Return the number of threads: the given one, or all available cores; SEQLAB_THREADS limits both."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    elif isinstance(threads, bool) or not isinstance(threads, Integral) or threads < 1:
        raise OptionError(
            f"threads must be a whole number from 1 up, or None for every core, got {threads!r}"
        )
    return int(min(threads, _cap()))


def _cap() -> int:
    """Read the limit SEQLAB_THREADS; MOST_THREADS if it is not set, or larger."""
    cap = os.environ.get("SEQLAB_THREADS")
    if not cap:
        return MOST_THREADS
    if not (cap.isascii() and cap.isdecimal() and cap.strip("0")):
        raise OptionError(
            f"the environment variable SEQLAB_THREADS must be a whole number from 1 up, got {cap!r:.60}"
        )
    return min(
        int(cap.lstrip("0")[:9]), MOST_THREADS
    )  # Python refuses to parse numbers of thousands of digits
