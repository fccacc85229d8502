"""A model file of some 200 MB in use: load, first labels, the first `predict` beside the second, private memory.

python -m benchmarks.speed.mapped_model [FOLDER]

Two models. "made up" has weights drawn by lot for 440,000 words and 2.2 million pairs of them (loading.py), and tags
2,000 sentences of 25 words, also drawn by lot. "chunk" is that preset with weights for all labels, trained for a few
iterations on CoNLL-2000, and tags its test set. Each is measured in processes of their own, whose modules are
imported before; times are CPU times, of all threads. Files stay in FOLDER for the next time.

A tagger keeps the sums of words it has met, so a second `predict` of the same sentences is quicker for two reasons. The
row "read, not mapped" tells them apart: it is the same first `predict` with the whole file in private memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import seqlab
from benchmarks.speed import data, loading

RUNS = 7
AIMS = {"load": 10.0, "first labels": 25.0, "first / second predict": 1.3, "private MB": 40.0}


def sentences(name: str) -> list[Any]:
    if name == "made up":
        drawn = np.random.default_rng(1).integers(loading.WORDS, size=(2000, 25))
        return [[f"w{i:x}" for i in row] for row in drawn.tolist()]
    corpus = seqlab.read(data.found("conll2000/test.txt"))[:2000]
    both = zip(corpus.column("word"), corpus.column("pos"), strict=True)
    return [list(zip(words, tags, strict=True)) for words, tags in both]


def make(name: str, path: Path) -> None:
    if name == "made up":
        loading.made_up(loading.WORDS, loading.PAIRS).save(path)
        return
    train = seqlab.read(data.found("conll2000/train.txt"))
    seqlab.CRF("chunk", seqlab.LBFGS(max_iterations=8), states="all").fit(train, "chunk").save(path)


def private_megabytes() -> float:
    """Anonymous memory of this process: pages of a mapped file belong to all that map it."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) / 1024
    return 0.0


def measure(name: str, path: Path) -> dict[str, float]:
    given = sentences(name)
    seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=1)).fit([["a"]], [["X"]]).predict([["a"]])  # imports
    with tempfile.TemporaryDirectory() as folder:
        seqlab.CRF("word[0]", seqlab.LBFGS(max_iterations=1)).fit([["a"]], [["X"]]).save(Path(folder) / "m")
        seqlab.load(Path(folder) / "m").predict([["a"]])
    before = private_megabytes()
    marks = [time.process_time()]
    tagger = seqlab.load(path)
    marks.append(time.process_time())
    tagger.tag(given[0])
    marks.append(time.process_time())
    tagger.predict(given)
    marks.append(time.process_time())
    after = private_megabytes()
    again = time.process_time()
    tagger.predict(given)
    second = time.process_time() - again
    load, labels, first = np.diff(marks).tolist()
    tagger = seqlab.load(path, map=False)
    tagger.tag(given[0])
    again = time.process_time()
    tagger.predict(given)
    unmapped = time.process_time() - again
    return {
        "load": load * 1e3,
        "first labels": labels * 1e3,
        "first predict": first * 1e3,
        "second predict": second * 1e3,
        "first / second predict": first / second,
        "first, read, not mapped": unmapped * 1e3,
        "first / read, not mapped": first / unmapped,
        "private MB": after - before,
        "file MB": path.stat().st_size / 1e6,
    }


def main(folder: Path) -> None:
    for name in ("made up", "chunk"):
        if name == "chunk" and data.found("conll2000/train.txt") is None:
            continue
        path = folder / f"{name.replace(' ', '-')}.seqlab"
        if not path.exists():
            make(name, path)
        runs = []
        for _ in range(RUNS):
            asked = [sys.executable, "-m", "benchmarks.speed.mapped_model", "--measure", name, str(path)]
            done = subprocess.run(asked, capture_output=True, text=True, check=True)
            runs.append(json.loads(done.stdout))
        for what in runs[0]:
            middle = float(np.median([run[what] for run in runs]))
            aim = f"   at most {AIMS[what]:g}" if what in AIMS else ""
            sys.stdout.write(f"{name:8} {what:24} {middle:8.2f}{aim}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        sys.stdout.write(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
    elif len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
