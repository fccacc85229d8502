"""What is measured: one corpus, one preset, one figure that counts, and the marks it should reach on the test set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.speed import data
from seqlab import Corpus, Template, presets, read

HELD_OUT = 10  # the last 1 / 10 of training stands in for a development set where there is none


@dataclass(frozen=True, slots=True)
class Marks:
    """Figures on the test set, in per cent: what must be reached, and what is aimed at; unseen words apart."""

    at_least: float
    aim: float
    unseen_at_least: float | None = None
    unseen_aim: float | None = None


@dataclass(frozen=True, slots=True)
class Exam:
    """figure is "accuracy" or "span_f1"; files maps train, dev and test to names below the folder of corpora.

    features   what a CRF sees; None for an HMM, which counts the words themselves
    """

    name: str
    files: Mapping[str, str]
    column: str
    features: Template | None = field(repr=False)
    figure: str
    marks: Marks
    order: int = 1
    columns: tuple[str, ...] | None = None

    @property
    def peer(self) -> str:
        """Who stands beside us."""
        return "NLTK's TnT" if self.features is None else "python-crfsuite"

    def found(self) -> bool:
        return all(data.found(name) is not None for name in self.files.values())

    def corpus(self, part: str, *, sentences: int | None = None) -> Corpus:
        """One part, or its first sentences; "dev" is cut from the end of "train" where it has no file."""
        held_out = "dev" not in self.files and part != "test"
        whole = self._read("train" if held_out else part)
        if held_out and part == "dev":
            whole = whole[len(whole) - len(whole) // HELD_OUT :]
        return whole[:sentences]

    def training(self, *, for_dev: bool, sentences: int | None = None) -> Corpus:
        """What to learn from: all of train, but for what dev was cut from it."""
        train = self._read("train")
        if for_dev and "dev" not in self.files:
            train = train[: len(train) - len(train) // HELD_OUT]
        return train[:sentences]

    def _read(self, part: str) -> Corpus:
        path = data.found(self.files[part])
        if path is None:
            raise FileNotFoundError(f"{self.files[part]} is not in {data.folder()}")
        return read(path, columns=None if self.columns is None else list(self.columns))


CONLL = {"train": "conll2000/train.txt", "test": "conll2000/test.txt"}
EWT = {part: f"ud-en-ewt/{part}.conllu" for part in ("train", "dev", "test")}
PTB = {part: f"ptb-sample/{part}.txt" for part in ("train", "dev", "test")}
WNUT = {part: f"wnut17/{part}.txt" for part in ("train", "dev", "test")}

EXAMS = (
    Exam("CoNLL-2000 chunks", CONLL, "chunk", presets.chunk, "span_f1", Marks(93.8, 94.0)),
    Exam("CoNLL-2000, order 2", CONLL, "chunk", presets.supertag, "span_f1", Marks(94.1, 94.4), order=2),
    Exam("EWT UPOS", EWT, "upos", presets.pos, "accuracy", Marks(95.2, 95.7, 81.0, 84.0)),
    Exam("EWT XPOS", EWT, "xpos", presets.pos, "accuracy", Marks(94.5, 95.0, 79.5, 82.0)),
    Exam(
        "PTB sample",
        PTB,
        "pos",
        presets.pos,
        "accuracy",
        Marks(96.2, 96.7, 87.5, 89.0),
        columns=("word", "pos"),
    ),
    Exam("EWT XPOS, HMM", EWT, "xpos", None, "accuracy", Marks(93.2, 93.6, 71.0, 75.0)),
    Exam(
        "PTB sample, HMM",
        PTB,
        "pos",
        None,
        "accuracy",
        Marks(95.2, 95.5, 80.0, 83.0),
        columns=("word", "pos"),
    ),
    Exam("WNUT17 entities", WNUT, "ner", presets.ner, "span_f1", Marks(20.0, 26.0), columns=("word", "ner")),
)
