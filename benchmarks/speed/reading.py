"""Reading corpora: beside the loop everybody writes (CoNLL columns) and beside pyconll (CoNLL-U).

The loop opens the file, calls split() on every line and appends to lists, one per column; `read` makes a Corpus, and
`read, to_lists` also the same lists. Before anything is timed, the answers of both sides are compared. Streaming reads
2 GB, the training file over and over, in a fresh process and watches its memory.
`python -m benchmarks.speed.reading BYTES` streams once and prints a JSON object.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import seqlab
from benchmarks.speed import data
from benchmarks.speed.figure import Figure, Peer, mark, widest_spread
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.memory import peak_megabytes
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import Timing, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CASE = "reading"
COLUMNS = "conll2000/train.txt"
CONLLU = "ud-en-ewt/train.conllu"
STREAMED = 2 << 30
MOST_MEMORY = 300.0  # MB

Lists = list[list[str]]


def run(*, quick: bool = False) -> list[Figure]:
    columns = data.found("conll2000/test.txt" if quick else COLUMNS)
    conllu = data.found("ud-en-ewt/dev.conllu" if quick else CONLLU)
    if columns is None or conllu is None:
        print(data.absent(CASE))
        return []
    seconds = 0.2 if quick else 2.0
    figures = beside_plain_loop(columns, seconds)
    figures += beside_pyconll(conllu, seconds)
    return [*figures, streamed(columns, STREAMED // (100 if quick else 1))]


# ---------------------------------------------------------------------------------------------- the sides


def plain_loop(path: Path) -> dict[str, Lists]:
    """Columns as lists of lists, as one writes it."""
    words: Lists = []
    tags: Lists = []
    chunks: Lists = []
    word: list[str] = []
    tag: list[str] = []
    chunk: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            cells = line.split()
            if cells:
                word.append(cells[0])
                tag.append(cells[1])
                chunk.append(cells[2])
            elif word:
                words.append(word)
                tags.append(tag)
                chunks.append(chunk)
                word, tag, chunk = [], [], []
    return {"word": words, "pos": tags, "chunk": chunks}


def beside_plain_loop(path: Path, seconds: float) -> list[Figure]:
    corpus = seqlab.read(path)
    if corpus.to_lists() != plain_loop(path):
        raise RuntimeError(f"read and the plain loop disagree on {path}")
    sides: dict[str, Callable[[], object]] = {
        "a loop with split()": lambda: plain_loop(path),
        "read": lambda: seqlab.read(path),
        "read, to_lists": lambda: seqlab.read(path).to_lists(),
    }
    timings = measure(sides, seconds=seconds)
    theirs = "a loop with split()"
    return [
        _figure(
            "CoNLL columns, read", path, corpus.token_count, timings["read"], (theirs, timings[theirs]), 3.0
        ),
        _figure(
            "CoNLL columns, read, to_lists",
            path,
            corpus.token_count,
            timings["read, to_lists"],
            (theirs, timings[theirs]),
            None,
        ),
    ]


def beside_pyconll(path: Path, seconds: float) -> list[Figure]:
    corpus = seqlab.read(path)
    sides: dict[str, Callable[[], object]] = {
        "read": lambda: seqlab.read(path),
        "two": lambda: seqlab.read(path, columns=("form", "upos")),
    }
    try:
        import pyconll
    except ImportError:
        print(f"{CASE}: pyconll is not installed, CoNLL-U has no peer")
    else:
        parsed = pyconll.load_from_file(str(path))
        theirs = [
            [token.form for token in s if not token.is_multiword() and "." not in token.id] for s in parsed
        ]
        if corpus.column("form") != theirs:
            raise RuntimeError(f"read and pyconll disagree on {path}")
        del parsed, theirs
        sides["pyconll"] = lambda: pyconll.load_from_file(str(path))
    timings = measure(sides, seconds=seconds)
    peer = ("pyconll", timings["pyconll"]) if "pyconll" in timings else None
    tokens = corpus.token_count
    return [
        _figure("CoNLL-U, read", path, tokens, timings["read"], peer, 10.0),
        _figure("CoNLL-U, form and upos only", path, tokens, timings["two"], peer, None),
    ]


def _figure(
    name: str, path: Path, tokens: int, timing: Timing, peer: tuple[str, Timing] | None, aim: float | None
) -> Figure:
    nanoseconds = 1e9 / tokens
    other = peer and Peer(peer[0], peer[1].median * nanoseconds, peer[1].spread, peer[1].repetitions)
    return Figure(
        case=CASE,
        name=name,
        unit="ns/token",
        median=timing.median * nanoseconds,
        spread=timing.spread,
        repetitions=timing.repetitions,
        input_hash=hash_of(np.frombuffer(path.read_bytes(), dtype=np.uint8)),
        at_least=aim if other else None,
        peer=other or None,
        details={"kind": "time", "tokens": tokens},
    )


# ---------------------------------------------------------------------------------------------- memory


class Repeated(io.RawIOBase):
    """The same bytes over and over, `size` in all: a large file that takes no disk."""

    def __init__(self, content: bytes, size: int) -> None:
        self._content = memoryview(content)
        self._left = size // len(content)
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._at == len(self._content):
            self._left, self._at = self._left - 1, 0
        if self._left <= 0:
            return 0
        part = self._content[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


def streamed(path: Path, size: int) -> Figure:
    command = [sys.executable, "-m", "benchmarks.speed.reading", str(path), str(size)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr.strip()}")
    measured = json.loads(done.stdout)
    return Figure(
        case=CASE,
        name="stream, peak memory of the process",
        unit="MB",
        median=measured["peak"],
        spread=0.0,
        repetitions=1,
        input_hash=hash_of(np.frombuffer(path.read_bytes(), dtype=np.uint8)),
        at_most=MOST_MEMORY,
        details={"kind": "memory", **measured},
    )


def stream_once(path: Path, size: int) -> dict[str, Any]:
    content = Repeated(path.read_bytes(), size)
    begin = time.process_time()
    tokens = sum(len(sentence["word"]) for sentence in seqlab.stream(content, "conll"))
    return {
        "megabytes": size / 1e6,
        "tokens": tokens,
        "seconds": time.process_time() - begin,
        "peak": peak_megabytes(),
    }


# ---------------------------------------------------------------------------------------------- tables


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    times = [f for f in mine if f.details["kind"] == "time"]
    return [*([_times(times)] if times else []), *(_memory(f) for f in mine if f not in times)]


def _times(figures: Sequence[Figure]) -> Table:
    return Table(
        title="Reading corpora: CPU ns per token",
        header=("", "seqlab", "peer", "", "ratio", "aim"),
        rows=tuple(
            (
                f.name,
                number(f.median),
                f.peer.name if f.peer else "-",
                number(f.peer.median) if f.peer else "-",
                "-" if f.ratio is None else mark(f"{f.ratio:.1f}x", f),
                "-" if f.at_least is None else f"{f.at_least:.0f}x",
            )
            for f in figures
        ),
        note=f"Both sides open and read the file anew. Spread at most {widest_spread(figures)}.",
    )


def _memory(figure: Figure) -> Table:
    details = figure.details
    return Table(
        title=f"Streaming {details['megabytes'] / 1e3:.1f} GB of CoNLL columns",
        header=("", "peak MB", "aim", "ns/token"),
        rows=(
            (
                "one sentence after another",
                mark(number(figure.median), figure),
                number(figure.at_most or 0.0),
                number(details["seconds"] / details["tokens"] * 1e9),
            ),
        ),
        note="Resident memory of the whole process, Python and NumPy included.",
    )


if __name__ == "__main__":
    print(json.dumps(stream_once(Path(sys.argv[1]), int(sys.argv[2]))))
