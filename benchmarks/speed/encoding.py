"""From Python lists of words to encoded training data, beside the usual way into CRFsuite.

Both sides get the same lists and make the same attributes: CRFsuite's chunking template on CoNLL-2000. On the
other side a plain Python loop makes the strings and python-crfsuite takes them in (ItemSequence, Trainer.append).
Before anything is timed, the attributes of both sides are compared. Memory is measured in a fresh process:
`python -m benchmarks.speed.encoding PATH` measures once and prints a JSON object.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from benchmarks.speed import data
from benchmarks.speed.chunking import TEMPLATE, items
from benchmarks.speed.figure import Figure, Peer, mark, widest_spread
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.memory import peak_megabytes, reset_peak
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import measure
from seqlab.corpus import Corpus, read
from seqlab.encode import EncodedCorpus, encode
from seqlab.features import Template

if TYPE_CHECKING:
    from collections.abc import Sequence

CASE = "encoding"
CORPUS = "conll2000/train.txt"
Columns = tuple[list[list[str]], list[list[str]], list[list[str]]]


def run(*, quick: bool = False) -> list[Figure]:
    path = data.found(CORPUS)
    if path is None:
        print(data.absent(CASE))
        return []
    corpus = read(path)[: 500 if quick else None]
    columns: Columns = (corpus.column("word"), corpus.column("pos"), corpus.column("chunk"))
    encoded = ours(columns)
    check_agreement(encoded, columns)
    timings = measure(
        {"python-crfsuite": lambda: theirs(columns), "seqlab": lambda: ours(columns)},
        seconds=0.2 if quick else 2.0,
    )
    mine, peer = timings["seqlab"], timings["python-crfsuite"]
    input_hash = hash_of(encoded.ids)
    time = Figure(
        case=CASE,
        name="chunking template, from lists",
        unit="ms",
        median=mine.median * 1e3,
        spread=mine.spread,
        repetitions=mine.repetitions,
        input_hash=input_hash,
        at_least=20.0,
        peer=Peer("python-crfsuite", peer.median * 1e3, peer.spread, peer.repetitions),
        details={"tokens": encoded.token_count, "attributes": encoded.encoder.size},
    )
    return [time, _memory_figure(in_fresh_process(str(path)), input_hash)]


def ours(columns: Columns) -> EncodedCorpus:
    words, tags, chunks = columns
    corpus = Corpus.from_lists(word=words, pos=tags, chunk=chunks)
    return encode(corpus, Template.parse(TEMPLATE), "chunk", threads=1)


def theirs(columns: Columns) -> object:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for words, tags, chunks in zip(*columns, strict=True):
        trainer.append(pycrfsuite.ItemSequence(items(words, tags)), chunks)
    return trainer


def check_agreement(encoded: EncodedCorpus, columns: Columns) -> None:
    words, tags, _ = columns
    for s in range(0, len(words), max(len(words) // 50, 1)):
        for t, wanted in enumerate(items(words[s], tags[s])):
            if encoded.attributes(s, t) != wanted:
                raise AssertionError(f"sentence {s}, token {t}: {encoded.attributes(s, t)} != {wanted}")


# ---------------------------------------------------------------- memory


def in_fresh_process(path: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.encoding", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr.strip()}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def measure_once(path: str) -> dict[str, Any]:
    corpus, template = read(path), Template.parse(TEMPLATE)
    encode(corpus[:1], template, "chunk", threads=1)  # loads what is lazy
    reset_peak()
    before = peak_megabytes()
    encoded = encode(corpus, template, "chunk", threads=1)
    return {"extra": peak_megabytes() - before, "arrays": encoded.nbytes / 1e6}


def _memory_figure(measured: dict[str, Any], input_hash: str) -> Figure:
    return Figure(
        case=CASE,
        name="peak memory",
        unit="MB",
        median=measured["extra"],
        spread=0.0,
        repetitions=1,
        input_hash=input_hash,
        at_most=2 * measured["arrays"],
        details=measured,
    )


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = {figure.name: figure for figure in figures if figure.case == CASE}
    if not mine:
        return []
    time, memory = mine["chunking template, from lists"], mine["peak memory"]
    peer = time.peer
    return [
        Table(
            title=f"Features: CRFsuite's chunking template, {time.details['tokens']:,} tokens, CPU ms",
            header=("", "python-crfsuite", "seqlab", "ratio", "aim"),
            rows=(
                (
                    "extract and take in",
                    "-" if peer is None else number(peer.median),
                    number(time.median),
                    mark(f"{time.ratio:.1f}x", time),
                    "20x",
                ),
            ),
            note=(
                f"{time.details['attributes']:,} attributes, the same on both sides. Encoding takes "
                f"{memory.median:.0f} MB at its peak, {memory.median / memory.details['arrays']:.2f} times the encoded "
                f"arrays (aim: 2). Spread up to {widest_spread([time])}."
            ),
        )
    ]


if __name__ == "__main__":
    print(json.dumps(measure_once(sys.argv[1])))
