"""Model files: of every kind of ours, read and mapped, and of CRFsuite, CRF++ and Wapiti."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import seqlab
from fuzz.doors.mutators import Mutator, any_bytes, chosen, lines, model_file, netstrings, words
from oracle import foreign_files
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import foreign_of
from seqlab.store import codec, reading

STORED = Path(__file__).parents[2] / "formats" / "models"
LARGEST_SEED = 24_000
Made = tuple[Callable[[bytes], Any], Sequence[bytes], Mutator]


class Scratch:
    """A file that gets one content after another."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        self.path = os.path.join(folder, "file")  # noqa: PTH118

    def __call__(self, data: bytes) -> str:
        with open(self.path, "wb") as file:  # noqa: PTH123  (asked a million times)
            file.write(data)
        return self.path


def _models(*, mapped: bool) -> Made:
    from faults.altered_models import answered, recipes, stored
    from formats.recipes.data import FUNCTIONS

    if mapped:  # as if the files were large: looked into where they lie, and not checked before
        codec.SMALL, reading.MAPPED = -1, 0
    scratch = Scratch()

    def ask(data: bytes) -> None:
        model = seqlab.load(scratch(data), functions=FUNCTIONS)
        chance = zlib.crc32(data)
        answered(model, bags=chance % 4 == 0, all_of_it=chance % 5 == 0)

    seeds = [stored(make()) for make in recipes().values()]
    seeds += [path.read_bytes() for path in sorted(STORED.glob("*.safetensors"))]
    return ask, [one for one in seeds if len(one) <= LARGEST_SEED], chosen(model_file, model_file, any_bytes)


WEIGHTS = {"U0:the": [1.0, -0.5, 0.25], "U1:a/DT": [0.5, 0.5, -2.0], "U1:b/c/NN": [0.0, 1.0, 2.0]}
MOVES = [0.5, -1.0, -9.0, 0.1, 0.2, 1.5, 0.3, -0.2, 1.0]
CRFPP = {**WEIGHTS, "B": MOVES, "B1:DT": MOVES}
WAPITI = {"u:w=the": [1.0, 0.0, -0.5], "*:t=DT/NN": [0.5] * 3 + MOVES, "b": MOVES, "u:s=e": [0.25, 0.5, 1.0]}
ROWS = [[["the", "DT"], ["dog", "NN"]], [["é", ""]]]


def _converted(seeds: Sequence[bytes], mutator: Mutator, tokens: Any) -> Made:
    scratch = Scratch()

    def ask(data: bytes) -> None:
        tagger = seqlab.convert_model(scratch(data))
        for sentence in tokens:
            tagger.tag(sentence)
        tagger.posterior(tokens[0])

    return ask, seeds, mutator


def _crfsuite() -> Made:
    bags = [[["w=the", "bias"], ["w=dog", "bias", "p=the"]], [["w=é", "bias"]]]
    learner = seqlab.LBFGS(max_iterations=3)
    tagger = seqlab.CRF(None, learner).fit(bags, [["D", "N"], ["X"]])
    seeds = [crfsuite.written(foreign_of(tagger)), crfsuite.written(foreign_of(tagger, ["N", "Z", "D", "X"]))]
    return _converted(seeds, chosen(words, words, any_bytes), bags)


def _crfsuite_tagger() -> Made:
    """The same files through the names of python-crfsuite, which use them as they lie in memory."""
    from seqlab.compat.pycrfsuite import Tagger

    _, seeds, mutator = _crfsuite()

    def ask(data: bytes) -> None:
        tagger = Tagger()
        tagger.open_inmemory(data)
        tagger.tag([["w=the", "bias"], {"w=dog": 2.0, "bias": True}])
        known = tagger.labels()
        tagger.probability(known[:1] * 2)
        tagger.marginal(known[0], 1)
        tagger.info()
        tagger.close()

    return ask, seeds, mutator


def _crfpp() -> Made:
    seeds = [foreign_files.crfpp(CRFPP).encode(), foreign_files.crfpp_binary(CRFPP)]
    return _converted(seeds, chosen(lines, words, any_bytes), ROWS)


def _wapiti() -> Made:
    seeds = [foreign_files.wapiti(WAPITI).encode(), foreign_files.wapiti(WAPITI, kind="1#").encode()]
    return _converted(seeds, chosen(netstrings, netstrings, any_bytes), ROWS)


DOORS: dict[str, Callable[[], Made]] = {
    "model": partial(_models, mapped=False),
    "mapped_model": partial(_models, mapped=True),
    "crfsuite_model": _crfsuite,
    "crfsuite_tagger": _crfsuite_tagger,
    "crfpp_model": _crfpp,
    "wapiti_model": _wapiti,
}
