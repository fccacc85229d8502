"""The n best paths of a sequence, and more of them when wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any, overload

import numpy as np

from seqlab import _core
from seqlab.arrays import whole_number
from seqlab.inference.partition import log_partitions
from seqlab.inference.paths import Path
from seqlab.inference.questions import Asked, Question
from seqlab.threads import thread_count
from seqlab.trellis import Trellis, TrellisBatch

Batched = TrellisBatch | Sequence[Trellis]


class NBest(Sequence[Path]):
    """Distinct paths, best first (eq:nbest). `more(m)` finds the next m; nothing found is computed twice.

    Equal scores come in the order of ties of Viterbi, so the first path is Viterbi's. When fewer legal paths exist than
    were asked for, the list is shorter and `exhausted` is True.
    """

    def __init__(self, trellis: Trellis, log_z: float) -> None:
        self.trellis = trellis
        self.log_z = log_z
        self.exhausted = False
        self._found: list[Path] = []
        self._turn = Lock()  # two threads may ask one list for more
        batch: Any = trellis.batch()
        self._search: Any = (
            _core.NBest32(batch, 0) if trellis.dtype == np.float32 else _core.NBest64(batch, 0)
        )

    def more(self, m: int) -> list[Path]:
        """The next m paths (fewer at the end), which are also appended to this list."""
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

    def __iter__(self) -> Iterator[Path]:
        return iter(self._found)

    def __repr__(self) -> str:
        shown = ", ".join(repr(path) for path in self._found[:3])
        return f"NBest([{shown}{', ...' if len(self) > 3 else ''}], {len(self)} paths)"


@overload
def nbest(asked: Trellis, n: int, *, threads: int | None = None) -> NBest: ...
@overload
def nbest(asked: Batched, n: int, *, threads: int | None = None) -> list[NBest]: ...
def nbest(asked: Asked, n: int, *, threads: int | None = None) -> NBest | list[NBest]:
    """The n best paths with their log-probabilities: exact, sorted, distinct."""
    question, n, count = Question(asked), whole_number(n, "n", 1), thread_count(threads)
    log_z = log_partitions(question, count)

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
