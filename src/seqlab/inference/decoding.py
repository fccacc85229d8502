"""Paths of a sequence: Viterbi, posterior decoding, beam search, the n best, and samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NoReturn, overload

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, thread_count, whole_number
from seqlab.errors import BeamError, OptionError
from seqlab.inference.messages import log_partitions
from seqlab.inference.posteriors import node_marginals
from seqlab.inference.questions import Asked, Batched, Doubles, Part, Question, Results
from seqlab.shown import Table, Tabular, columns_of, cut
from seqlab.trellis import Trellis
from seqlab.trellis.labels import LabelSet, Named


class Path:
    """One labelling of a sequence; frozen.

    ids        (T,) label numbers, read-only
    labels     names of the labels, from label_set (numbers if the trellis has no names)
    score      sum of its node and edge scores
    log_prob   score - log Z; None if log Z was not computed
    exact      False when a beam may have lost a better path
    """

    # Not a dataclass: a frozen one takes three times as long to make, and a corpus has many sentences.
    __slots__ = ("_label_set", "exact", "ids", "log_prob", "score")

    ids: LabelIds
    score: float
    log_prob: float | Any
    exact: bool
    _label_set: LabelSet | None

    def __init__(
        self,
        ids: LabelIds,
        score: float,
        log_prob: float | None = None,
        exact: bool = True,  # noqa: FBT001, FBT002  (a field, not a switch)
        label_set: LabelSet | None = None,
    ) -> None:
        _set_ids(self, ids)
        _set_score(self, score)
        _set_log_prob(self, log_prob)
        _set_exact(self, exact)
        _set_label_set(self, label_set)

    @property
    def labels(self) -> tuple[Named, ...]:
        """Label names, or numbers where there are no names."""
        return tuple(self.ids.tolist()) if self._label_set is None else self._label_set.words(self.ids)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Path cannot be changed: {name!r} stays what it is")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.ids, self.score, self.log_prob, self.exact, self._label_set)

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Path):
            return NotImplemented
        return self.labels == other.labels and self.score == other.score

    def __hash__(self) -> int:
        return hash((self.labels, self.score))

    def __repr__(self) -> str:
        shown = self.ids[:12]
        words = shown.tolist() if self._label_set is None else list(self._label_set.words(shown))
        more = f" + {len(self) - 12} more" if len(self) > 12 else ""
        chance = "" if self.log_prob is None else f", log_prob={self.log_prob:.6g}"
        doubt = "" if self.exact else ", exact=False"
        return f"Path({words}{more}, score={self.score:.6g}{chance}{doubt})"


_set_ids, _set_score, _set_log_prob, _set_exact, _set_label_set = (
    getattr(Path, name).__set__ for name in ("ids", "score", "log_prob", "exact", "_label_set")
)


def _revived(ids: LabelIds, *rest: Any) -> Path:
    """Make the path of a pickle: unpickled arrays are no longer read-only."""
    ids.flags.writeable = False
    return Path(ids, *rest)


@overload
def viterbi(asked: Trellis, *, log_prob: bool = False, threads: int | None = None) -> Path: ...
@overload
def viterbi(asked: Batched, *, log_prob: bool = False, threads: int | None = None) -> Results[Path]: ...
def viterbi(asked: Asked, *, log_prob: bool = False, threads: int | None = None) -> Path | Results[Path]:
    """Find the path with the largest score (eq:viterbi).

    Among equally good paths, the one with the lowest label at the last position, then at the one before, and so on.
    With log_prob=True the path's log-probability comes along, at the price of a forward pass.
    asked: a Trellis, a TrellisBatch or a list of trellises; threads: how many to use, None for every core.
    """
    question, count = Question(asked), thread_count(threads)

    def decode(part: Part, ids: LabelIds, scores: Doubles) -> None:
        _core.viterbi(part.batch, ids, scores, count)
        question.refuse_impossible(part, scores)

    return _decoded(question, decode, log_partitions(question, count) if log_prob else None)


@overload
def max_marginal(asked: Trellis, *, threads: int | None = None) -> Path: ...
@overload
def max_marginal(asked: Batched, *, threads: int | None = None) -> Results[Path]: ...
def max_marginal(asked: Asked, *, threads: int | None = None) -> Path | Results[Path]:
    """Decode by posteriors: find at each position the label with the largest marginal (eq:max-marginal).

    This maximises the expected number of correct labels. Each label is chosen alone, so neighbours need not fit
    together: the score may be -inf. Ties go to the lowest label.
    asked: a Trellis, a TrellisBatch or a list of trellises; threads: how many to use, None for every core.
    """
    question, count = Question(asked), thread_count(threads)
    log_z = np.empty(len(question))

    def decode(part: Part, ids: LabelIds, scores: Doubles) -> None:
        node, log_z[part.numbers], _ = node_marginals(question, part, count)
        pairs = zip(part.split(ids, part.lengths), part.tables(node), strict=True)
        for place, (path, table) in enumerate(pairs):
            path[:] = table.argmax(axis=1)
            scores[place] = _core.path_score(part.batch, place, path)

    return _decoded(question, decode, log_z)


@overload
def beam(asked: Trellis, width: int, *, threads: int | None = None) -> Path: ...
@overload
def beam(asked: Batched, width: int, *, threads: int | None = None) -> Results[Path]: ...
def beam(asked: Asked, width: int, *, threads: int | None = None) -> Path | Results[Path]:
    """Find a good path: only the `width` best states of each position are followed (eq:beam).

    Inexact: the answer's `exact` is False when anything was cut, for then a better path may have been lost. When the
    beam loses every legal path it raises BeamError, naming the position.
    asked: a Trellis, a TrellisBatch or a list of trellises; threads: how many to use, None for every core.
    """
    question, count, width = Question(asked), thread_count(threads), whole_number(width, "width", 1)
    whole = np.ones(len(question), dtype=bool)

    def decode(part: Part, ids: LabelIds, scores: Doubles) -> None:
        exact, dead = np.empty(len(scores), np.uint8), np.empty(len(scores), np.int64)
        _core.beam(part.batch, width, ids, scores, exact, dead, count)
        for place in np.flatnonzero(dead >= 0).tolist():
            number, length, position = part.numbers.item(place), part.lengths.item(place), dead.item(place)
            if exact[place]:
                question.raise_impossible(number, position, length)
            raise BeamError(
                f"the beam of width {width} lost every legal path at position {position} (of {length}); "
                f"pass a larger width, or use viterbi, which is exact",
                place=question.place(number, position),
            )
        whole[part.numbers] = exact.astype(bool)

    return _decoded(question, decode, exact=whole)


def _decoded(
    question: Question,
    decode: Callable[[Part, LabelIds, Doubles], None],
    log_z: Doubles | None = None,
    exact: npt.NDArray[np.bool_] | None = None,
) -> Path | Results[Path]:
    """Call `decode` for the labels and scores of each part; paths are made from them on access."""
    count = len(question)
    scores, begins, lengths = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    ids, at = np.empty(sum(int(part.lengths.sum()) for part in question.parts), np.int32), 0
    for part in question.parts:
        starts = at + part.starts(part.lengths)
        found = np.empty(len(part.numbers))
        decode(part, ids[at : starts[-1]], found)
        scores[part.numbers], begins[part.numbers], lengths[part.numbers] = found, starts[:-1], part.lengths
        at = int(starts[-1])
    if log_z is not None:
        question.refuse_large(log_z)
    ids.flags.writeable = False

    def path(i: int) -> Path:
        begin, score = begins.item(i), scores.item(i)
        log_prob = None if log_z is None else score - log_z.item(i)
        labels = question.about(i).label_set
        return Path(
            ids[begin : begin + lengths.item(i)], score, log_prob, exact is None or exact.item(i), labels
        )

    return path(0) if question.single else Results(count, path)


class NBest(Tabular, Sequence[Path]):
    """Distinct paths, best first (eq:nbest). `more(m)` finds the next m; nothing found is computed twice.

    Equal scores come in the order of ties of Viterbi, so the first path is Viterbi's. When fewer legal paths exist than
    were asked for, the list is shorter and `exhausted` is True. It is made by nbest(), of a trellis and its log_z.
    """

    def __init__(self, trellis: Trellis, log_z: float) -> None:
        self.trellis = trellis
        self.log_z = log_z
        self.exhausted = False
        self._found: list[Path] = []
        self._turn = Lock()  # two threads may extend one list
        batch: Any = trellis.batch()
        self._search: Any = (
            _core.NBest32(batch, 0) if trellis.dtype == np.float32 else _core.NBest64(batch, 0)
        )

    def more(self, m: int) -> list[Path]:
        """Find the next m paths (fewer at the end), which are also appended to this list."""
        m = whole_number(m, "m", 0)
        with self._turn:
            return self._more(m)

    def _more(self, m: int) -> list[Path]:
        length = self.trellis.T
        fresh: list[Path] = []
        while m > len(fresh) and not self.exhausted:
            step = min(m - len(fresh), max(1, 4_000_000 // max(length, 1)))
            ids, scores = np.empty(step * length, np.int32), np.empty(step)
            got = self._search.take(step, ids, scores)
            self.exhausted = got < step
            ids.flags.writeable = False
            for row, score in zip(ids.reshape(step, length)[:got], scores[:got].tolist(), strict=True):
                fresh.append(Path(row, score, score - self.log_z, True, self.trellis.label_set))
        self._found += fresh
        return fresh

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, i: int) -> Path: ...
    @overload
    def __getitem__(self, i: slice) -> list[Path]: ...
    def __getitem__(self, i: int | slice) -> Path | list[Path]:
        return self._found[i]

    def _columns(self) -> Table:
        columns = columns_of(self, "score", "log_prob", "labels")
        chances = [None if log is None else math.exp(log) for log in columns["log_prob"]]
        return {"rank": range(len(self)), "probability": chances, **columns}

    def __repr__(self) -> str:
        return cut(f"NBest({len(self)} paths, the best {self._found[0] if self._found else None!r})")


@overload
def nbest(asked: Trellis, n: int, *, threads: int | None = None) -> NBest: ...
@overload
def nbest(asked: Batched, n: int, *, threads: int | None = None) -> list[NBest]: ...
def nbest(asked: Asked, n: int, *, threads: int | None = None) -> NBest | list[NBest]:
    """Find the n best paths of a Trellis or several (asked), with log-probabilities: exact, sorted, distinct.

    threads   how many to use, None for every core
    """
    question, n, count = Question(asked), whole_number(n, "n", 1), thread_count(threads)
    log_z = log_partitions(question, count)
    question.refuse_large(log_z)

    def search(i: int) -> NBest:
        found = NBest(question.trellis(i), log_z.item(i))
        found.more(n)
        return found

    if question.single:
        return search(0)
    if count == 1 or len(question) < 2:
        return list(map(search, range(len(question))))
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    with ThreadPoolExecutor(min(count, len(question))) as pool:  # the core searches without Python's lock
        return list(pool.map(search, range(len(question))))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Samples:
    """n paths of one sequence, each a tuple of labels: samples[0], len(samples), a loop; ids (n, T) has their numbers.

    label_set has the names.
    """

    ids: npt.NDArray[np.int32]
    label_set: LabelSet

    @property
    def labels(self) -> list[tuple[Named, ...]]:
        """Label names, or numbers where there are no names."""
        return [self.label_set.words(row) for row in self.ids]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, i: int) -> tuple[Named, ...]: ...
    @overload
    def __getitem__(self, i: slice) -> Samples: ...
    def __getitem__(self, i: int | slice) -> tuple[Named, ...] | Samples:
        if isinstance(i, slice):
            return Samples(self.ids[i], self.label_set)
        if not -len(self) <= i < len(self):
            raise IndexError(f"path {i} of {len(self)} samples")
        return self.label_set.words(self.ids[i])

    def __iter__(self) -> Iterator[tuple[Named, ...]]:
        return iter(self.labels)

    def __repr__(self) -> str:
        return f"Samples({self.ids.shape[0]} paths of {self.ids.shape[1]} positions)"


@overload
def sample(asked: Trellis, n: int, *, seed: int, stream: int = 0, threads: int | None = None) -> Samples: ...
@overload
def sample(
    asked: Batched, n: int, *, seed: int, stream: int = 0, threads: int | None = None
) -> Results[Samples]: ...
def sample(
    asked: Asked, n: int, *, seed: int, stream: int = 0, threads: int | None = None
) -> Samples | Results[Samples]:
    """Draw n independent paths, each with probability exp(score) / Z (eq:sample).

    asked: a Trellis, a TrellisBatch or a list of trellises. The k-th path depends on (seed, stream, k) alone:
    not on n, the batch's order of work, or the number of threads. Sequence i of a batch draws from stream + i.
    """
    question, count, n = Question(asked), thread_count(threads), whole_number(n, "n", 0)
    seed, stream = _word(seed, "seed"), _word(stream, "stream")

    def draw(part: Part) -> Iterator[Samples]:
        ids, log_z = np.empty(n * int(part.lengths.sum()), np.int32), np.empty(len(part.numbers))
        streams = (part.numbers.astype(np.uint64) + np.uint64(stream)).astype(np.uint64)
        _core.sample(part.batch, n, seed, streams, ids, log_z, count)
        question.refuse_impossible(part, log_z)
        pieces = zip(part.split(ids, n * part.lengths), part.lengths, part.numbers.tolist(), strict=True)
        for piece, length, number in pieces:
            yield Samples(piece.reshape(n, length), question.about(number).label_set)

    return question.answer(draw)


def _word(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**63:
        raise OptionError(f"{name} must be a whole number from 0 up, below 2**63, got {value!r}")
    return int(value)
