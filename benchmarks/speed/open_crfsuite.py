"""Model files of CRFsuite: from the file to the first labels, beside python-crfsuite; and `crfs`, which tags with them.

A large file (some 40 MB, trained on CoNLL-2000 with many attributes and without L1) and a small one. "In a fresh
process" is the CPU time of a whole interpreter that imports the package, opens the file and tags one sentence; the
other rows are calls inside one process, in turn. `crfs` and ours label the same lists of strings, a sentence a call.
"""

from __future__ import annotations

import importlib.util
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import seqlab
from benchmarks.speed import data, goals
from benchmarks.speed.figure import Figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.startup import milliseconds
from benchmarks.speed.table import Table
from benchmarks.speed.timing import Timing, measure

CASE = "crfsuite-files"
PEER = "python-crfsuite"
OPENED = goals.Goal(1 / 3, 1)
TAGGED = goals.Goal(3, 5)
TRAIN, TEST = "conll2000/train.txt", "conll2000/test.txt"
SENTENCES = {"large": 3000, "small": 60}
PROGRAM = "import {module} as m; t = m.Tagger(); t.open({path!r}); t.tag({items!r})"
MODULES = {PEER: "pycrfsuite", "seqlab": "seqlab.compat.pycrfsuite"}

Items = list[list[str]]


def run(*, quick: bool = False) -> list[Figure]:
    train, test = data.found(TRAIN), data.found(TEST)
    if train is None or test is None:
        print(data.absent(CASE))
        return []
    figures = []
    sequences = [items for items, _ in sentences(test, 20 if quick else 400)]
    with tempfile.TemporaryDirectory() as folder:
        for name, size in SENTENCES.items():
            path = Path(folder) / f"{name}.crfsuite"
            write_model(path, sentences(train, size // 20 if quick else size))
            figures += opened(path, sequences[0], quick=quick)
        figures += beside_crfs(path, sequences, quick=quick)
    return figures


def sentences(path: Path, most: int) -> Iterator[tuple[Items, list[str]]]:
    """Attributes of the words around each word, and labels."""
    for sentence in seqlab.read(path)[:most]:
        yield attributes(sentence["word"], sentence["pos"]), list(sentence["chunk"])


def attributes(words: Sequence[str], pos: Sequence[str]) -> Items:
    items: Items = [[] for _ in words]
    for t, item in enumerate(items):
        for k in range(max(-3, -t), min(4, len(words) - t)):
            word, tag = words[t + k], pos[t + k]
            item += [f"w[{k}]={word}", f"p[{k}]={tag}", f"l[{k}]={word.lower()}"]
            item += [f"s3[{k}]={word[-3:]}", f"p3[{k}]={word[:3]}", f"s2[{k}]={word[-2:]}"]
            if t + k + 1 < len(words):
                item += [f"ww[{k}]={word}|{words[t + k + 1]}", f"pp[{k}]={tag}|{pos[t + k + 1]}"]
    return items


def write_model(path: Path, sequences: Iterator[tuple[Items, list[str]]]) -> None:
    """A model of python-crfsuite's own trainer; a few iterations are enough to have all weights."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer("lbfgs", {"c1": 0.0, "c2": 1.0, "max_iterations": 3}, verbose=False)
    for items, labels in sequences:
        trainer.append(items, labels)
    trainer.train(str(path))


def opened(path: Path, items: Items, *, quick: bool) -> list[Figure]:
    """Every way to open the file, each with the first labels."""
    import pycrfsuite
    import sklearn_crfsuite

    from seqlab.compat import pycrfsuite as ours
    from seqlab.compat import sklearn_crfsuite as our_estimators

    content = path.read_bytes()
    pickles = {module: pickle.dumps(estimator(module, path)) for module in (sklearn_crfsuite, our_estimators)}

    def their_first() -> list[str]:
        return first(pycrfsuite.Tagger().open(str(path)), items)

    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "from the file": (their_first, lambda: first(ours.Tagger().open(str(path)), items)),
        "from bytes": (
            lambda: first(pycrfsuite.Tagger().open_inmemory(content), items),
            lambda: first(ours.Tagger().open_inmemory(content), items),
        ),
        "by seqlab.load": (their_first, lambda: seqlab.load(path).tag(items)),
        "from a pickle": (
            lambda: pickle.loads(pickles[sklearn_crfsuite]).predict_single(items),
            lambda: pickle.loads(pickles[our_estimators]).predict_single(items),
        ),
        "and info()": (lambda: info(pycrfsuite, path), lambda: info(ours, path)),
    }
    figures = [in_fresh_processes(path, items, quick=quick)]
    for name, (theirs, mine) in ways.items():
        timings = measure({PEER: theirs, "seqlab": mine}, seconds=0.1 if quick else 0.5)
        figures.append(figure(path, name, timings))
    return figures


def first(opened: Any, items: Items) -> list[str]:
    with opened as tagger:
        labels: list[str] = tagger.tag(items)
        return labels


def info(module: Any, path: Path) -> Any:
    tagger = module.Tagger()
    tagger.open(str(path))
    return tagger.info()


def estimator(module: Any, path: Path) -> Any:
    """An estimator that carries the file in its pickle."""
    made = module.CRF()
    made.modelfile.refresh()
    Path(made.modelfile.name).write_bytes(path.read_bytes())
    return made


def in_fresh_processes(path: Path, items: Items, *, quick: bool) -> Figure:
    programs = {
        side: PROGRAM.format(module=module, path=str(path), items=items) for side, module in MODULES.items()
    }
    samples: dict[str, list[float]] = {side: [] for side in programs}
    for program in programs.values():
        milliseconds(program)  # fills the file cache and writes byte code
    for _ in range(3 if quick else 15):
        for side, program in programs.items():
            samples[side].append(milliseconds(program) / 1e3)
    return figure(path, "in a fresh process", {side: Timing(tuple(all_)) for side, all_ in samples.items()})


def figure(path: Path, name: str, timings: dict[str, Timing]) -> Figure:
    megabytes = path.stat().st_size / 1e6
    return goals.figure(
        CASE,
        f"{path.stem} file, {name}",
        "ms",
        timings["seqlab"],
        (PEER, timings[PEER]),
        OPENED,
        hash_of(),
        scale=1e3,
        details={"megabytes": megabytes},
    )


def beside_crfs(path: Path, sequences: list[Items], *, quick: bool) -> list[Figure]:
    """Labels of many sentences, one a call."""
    if importlib.util.find_spec("crfs") is None:
        print("crfs: skipped, it is not installed; the extra `bench` has it")
        return []
    import crfs

    from seqlab.compat import pycrfsuite as ours

    model, tagger = crfs.Model.open(str(path)), ours.Tagger()
    tagger.open(str(path))
    sides: dict[str, Callable[[], list[list[str]]]] = {
        "crfs": lambda: [list(model.tag(items)) for items in sequences],
        "seqlab": lambda: [tagger.tag(items) for items in sequences],
    }
    if sides["crfs"]() != sides["seqlab"]():
        raise AssertionError("crfs and seqlab label the same sentences differently")
    timings = measure(sides, seconds=0.1 if quick else 1.0)
    tokens = sum(map(len, sequences))
    return [
        goals.figure(
            CASE,
            "tag, lists of strings, beside crfs",
            "ns/token",
            timings["seqlab"],
            ("crfs", timings["crfs"]),
            TAGGED,
            hash_of(),
            scale=1e9 / tokens,
            details={"tokens": tokens},
        )
    ]


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [figure for figure in figures if figure.case == CASE]
    if not mine:
        return []
    sizes = {one.name.split()[0]: one.details["megabytes"] for one in mine if "megabytes" in one.details}
    told = ", ".join(f"the {name} one has {size:.1f} MB" for name, size in sizes.items())
    return [
        goals.table(
            "Model files of CRFsuite, from the file to the first labels; and `crfs`",
            mine,
            f"The peer is python-crfsuite (sklearn-crfsuite for pickles), and crfs in the last row; {told}. Where ours "
            "takes less than 10 ms, the ratio does not matter.",
        )
    ]
