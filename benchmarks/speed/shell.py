"""From the shell: one sentence, start included, and files; wall clock of fresh processes.

Models are of the demo corpus with the preset `chunk`. The other side is a Python program with python-crfsuite, which
opens its model and tags the same sentence with ready-made attributes. A large file is the demo corpus again and again.
A whole file is CoNLL-2000's training set, by models of its test set with CRFsuite's template; there the Python program
reads columns, makes the attributes, tags, and writes a column more, as ours does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed import chunking, crfsuite, data
from benchmarks.speed.figure import Figure, Peer, mark
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.machine import ROOT
from benchmarks.speed.table import Table, number
from benchmarks.speed.timing import Timing, every_core
from seqlab import CRF, LBFGS, Corpus, demo_corpus, read, write

if TYPE_CHECKING:
    from collections.abc import Sequence

CASE = "shell"
SENTENCE_AIM = 60.0  # ms above `import numpy`
TOKENS_AIM = 1.5  # million a second
ITERATIONS = 20
LARGE = 1_500_000  # tokens
PEER = (
    "import json, pycrfsuite; tagger = pycrfsuite.Tagger(); tagger.open({model!r}); "
    "print(tagger.tag(json.load(open({items!r}))))"
)
WHOLE = "tag CoNLL-2000, from file to file"
PROGRAM = """
import sys, pycrfsuite
from benchmarks.speed.chunking import items

def sentences(lines):
    rows = []
    for line in lines:
        if cells := line.split():
            rows.append(cells)
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows

tagger = pycrfsuite.Tagger()
tagger.open(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as source, open(sys.argv[3], "w", encoding="utf-8") as target:
    for rows in sentences(source):
        labels = tagger.tag(items(*zip(*rows)))
        target.writelines(" ".join([*cells, label]) + "\\n" for cells, label in zip(rows, labels))
        target.write("\\n")
"""


def run(*, quick: bool = False) -> list[Figure]:
    corpus = demo_corpus("train").select("word", "pos", "chunk")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        model = place / "chunk.model"
        CRF("chunk", LBFGS(max_iterations=ITERATIONS), threads=1).fit(corpus, "chunk").save(model)
        return [
            one_sentence(corpus, model, place, rounds=3 if quick else 21),
            large_file(corpus, model, place, 20_000 if quick else LARGE, rounds=1 if quick else 5),
            *whole_file(quick=quick),
        ]


def one_sentence(corpus: Corpus, model: Path, place: Path, rounds: int) -> Figure:
    file, items, other = place / "one.txt", place / "items.json", place / "chunk.crfsuite"
    write(corpus[:1].select("word", "pos"), file)
    words, tags = corpus.column("word"), corpus.column("pos")
    made = [chunking.items(*both) for both in zip(words, tags, strict=True)]
    items.write_text(json.dumps(made[0]), encoding="utf-8")
    pairs = zip(made, corpus.column("chunk"), strict=True)
    crfsuite.train(*crfsuite.trainer(pairs, c1=0.0, c2=1.0, max_iterations=ITERATIONS), other)
    sides = {
        "python-crfsuite": ["-c", PEER.format(model=str(other), items=str(items))],
        "seqlab": ["-m", "seqlab", "tag", str(model), str(file)],
        "numpy": ["-c", "import numpy"],
    }
    samples: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds + 1):  # the first fills the file cache and writes byte code
        for name, words_of in sides.items():
            samples[name].append(wall(words_of) * 1e3)
    timing = {name: Timing(tuple(taken[1:])) for name, taken in samples.items()}
    ours, theirs = timing["seqlab"], timing["python-crfsuite"]
    return Figure(
        case=CASE,
        name="tag one sentence, start included",
        unit="ms",
        median=ours.median,
        spread=ours.spread,
        repetitions=ours.repetitions,
        input_hash=hash_of(),
        at_most=timing["numpy"].median + SENTENCE_AIM,
        peer=Peer("python-crfsuite", theirs.median, theirs.spread, theirs.repetitions),
        details={"numpy": timing["numpy"].median, "load": os.getloadavg()[0]},
    )


def large_file(corpus: Corpus, model: Path, place: Path, tokens: int, rounds: int) -> Figure:
    small, file, out = place / "small.txt", place / "large.txt", place / "out.txt"
    write(corpus.select("word", "pos"), small)
    copies = -(-tokens // corpus.token_count)
    with file.open("wb") as target:
        for _ in range(copies):
            target.write(small.read_bytes())
    command = ["-m", "seqlab", "tag", "--threads", "1", "-q", str(model), str(file), "-o", str(out)]
    timing = Timing(tuple(wall(command) for _ in range(rounds)))
    count = copies * corpus.token_count
    return Figure(
        case=CASE,
        name="tag a file, one thread, tokens",
        unit="ns/token",
        median=timing.median * 1e9 / count,
        spread=timing.spread,
        repetitions=timing.repetitions,
        input_hash=hash_of(),
        at_most=1e3 / TOKENS_AIM,
        details={"tokens": count, "megabytes": file.stat().st_size / 1e6},
    )


def whole_file(*, quick: bool = False) -> list[Figure]:
    """Both programs in turn on the same real text; nothing without the corpora."""
    known, new = data.found("conll2000/test.txt"), data.found("conll2000/train.txt")
    if known is None or new is None:
        return []
    corpus, asked = read(known), read(new)[: 500 if quick else None].select("word", "pos")
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs, file, out = (str(Path(folder) / name) for name in ("ours", "theirs", "new.txt", "out"))
        write(asked, file)
        learner = LBFGS(max_iterations=ITERATIONS)
        CRF(chunking.TEMPLATE, learner, threads=1).fit(corpus.select("word", "pos", "chunk"), "chunk").save(
            ours
        )
        made = map(chunking.items, corpus.column("word"), corpus.column("pos"))
        pairs = zip(made, corpus.column("chunk"), strict=True)
        crfsuite.train(*crfsuite.trainer(pairs, c1=0.0, c2=1.0, max_iterations=ITERATIONS), Path(theirs))
        sides = {
            "python-crfsuite": ["-c", PROGRAM, theirs, file, out],
            "seqlab": ["-m", "seqlab", "tag", "--threads", "1", "-q", ours, file, "-o", out],
        }
        samples: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(1 if quick else 5):
            for name, words in sides.items():
                samples[name].append(wall(words))
    timing = {name: Timing(tuple(taken)) for name, taken in samples.items()}
    mine, peer, scale = timing["seqlab"], timing["python-crfsuite"], 1e9 / asked.token_count
    return [
        Figure(
            case=CASE,
            name=WHOLE,
            unit="ns/token",
            median=mine.median * scale,
            spread=mine.spread,
            repetitions=mine.repetitions,
            input_hash=hash_of(asked.strings("word").codes),
            peer=Peer("python-crfsuite", peer.median * scale, peer.spread, peer.repetitions),
            details={"tokens": asked.token_count, "load": os.getloadavg()[0]},
        )
    ]


def wall(words: Sequence[str]) -> float:
    """Seconds of one process, on whatever cores there are, as a shell would start it."""
    with every_core():
        begin = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
        return time.perf_counter() - begin


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    rows = tuple(
        (
            one.name,
            one.unit,
            "-" if one.peer is None else number(one.peer.median),
            mark(number(one.median), one),
            "-" if one.at_most is None else number(one.at_most),
        )
        for one in mine
    )
    return [Table("From the shell, wall clock", ("", "unit", "peer", "seqlab", "at most"), rows, note(mine))]


def note(figures: Sequence[Figure]) -> str:
    by_name = {one.name: one for one in figures}
    sentence, large = (
        by_name["tag one sentence, start included"].details,
        by_name["tag a file, one thread, tokens"],
    )
    file = large.details
    return (
        "Peer: a Python program with python-crfsuite that opens its model and tags; the one sentence has its "
        "attributes ready-made. "
        f"`import numpy` alone takes {sentence['numpy']:.0f} ms; "
        f"load {sentence['load']:.2f}. "
        f"The file has {file['tokens'] / 1e6:.1f} million tokens in {file['megabytes']:.0f} MB, and the "
        f"start of the program is counted: {1e3 / large.median:.1f} million tokens a second."
    )
