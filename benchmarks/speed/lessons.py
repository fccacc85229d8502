"""The training jobs of the discriminative table: one corpus, one template, one penalty, the same for both sides.

The features are ours, encoded once; the other side is handed the names of the very same attributes, so that both
make the same function small.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from benchmarks.speed import data
from benchmarks.speed.chunking import TEMPLATE
from benchmarks.speed.inputs import hash_of
from seqlab import CRF, LBFGS, Corpus, LinearTagger, Template, presets, read
from seqlab.encode import EncodedCorpus, Encoder
from seqlab.families.linear.model import LinearModel, empty_model
from seqlab.families.linear.training import TrainingSet, trained
from seqlab.learning.history import Epoch
from seqlab.learning.monitor import Monitor
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.sentences import read_gold

QUICK_SENTENCES = 300

# The preset `pos` as it once was. It is written down here so that figures can be compared from commit to commit,
# whatever becomes of the preset, and CRFsuite need not be trained anew each time.
TAGGING = Template.parse("""
    bias
    word[0]
    lower(word[-2..2])
    lower(word[-1]) & lower(word[0])
    lower(word[0]) & lower(word[1])
    lower(word[-1]) & suffix(lower(word[0]), 3)
    lower(word[1]) & suffix(lower(word[0]), 3)
    prefix(lower(word[0]), 1..4)
    suffix(lower(word[0]), 1..5)
    suffix(lower(word[-1]), 2..3)
    suffix(lower(word[1]), 2..3)
    shape(word[0])
    short_shape(word[-1..1])
    has_digit(word[0])
    has_hyphen(word[0])
    length(word[0])
    first
    last
    is_capitalized(word[0]) & first
    short_shape(word[@0]) & short_shape(word[0])
    short_shape(word[@-2]) & short_shape(word[0])
""")


@dataclass(frozen=True, slots=True)
class Subject:
    """What is learned, and how strongly weights are held down (CRFsuite's c1 and c2 are our l1 and l2)."""

    name: str
    file: str
    column: str
    features: Template
    l1: float
    l2: float

    @property
    def penalty(self) -> str:
        return f"c2 = {self.l2:g}" if self.l1 == 0 else f"c1 = {self.l1:g}, c2 = {self.l2:g}"


CHUNKING = Subject("CoNLL-2000 chunking", "conll2000/train.txt", "chunk", Template.parse(TEMPLATE), 0.0, 1.0)
UPOS = Subject("EWT UPOS", "ud-en-ewt/train.conllu", "upos", TAGGING, 0.0, 0.1)
XPOS = Subject("EWT XPOS", "ud-en-ewt/train.conllu", "xpos", TAGGING, 0.0, 0.1)
NER = Subject("WNUT17 NER", "wnut17/train.txt", "ner", presets.ner, 0.1, 0.1)
SUBJECTS = (CHUNKING, UPOS, XPOS, NER)


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A subject, read and encoded."""

    subject: Subject
    corpus: Corpus
    encoded: EncodedCorpus
    lesson: TrainingSet
    model: LinearModel

    @property
    def input_hash(self) -> str:
        return hash_of(self.encoded.offsets, self.encoded.ids, self.lesson.gold.ids)

    def labels(self) -> list[list[str]]:
        return self.corpus.column(self.subject.column)

    def items(self) -> Iterator[list[list[str]]]:
        """The attributes of every sentence, by name."""
        return attribute_names(self.encoded)

    def train(
        self, callback: Callable[[Epoch], bool | None], tagger: LinearTagger | None = None
    ) -> LinearModel:
        """Everything of `fit` but reading and encoding, by default with the CRF as it comes."""
        learner = LBFGS(l1=self.subject.l1, l2=self.subject.l2)
        tagger = tagger or CRF(self.subject.features, learner, threads=1)
        return trained(tagger, self.lesson, self.model, Monitor(callbacks=(callback,)), 1)

    def with_all_weights(self) -> Prepared:
        """The same with a weight for every attribute and label, and for every move."""
        gold, rules = self.lesson.gold, self.model.rules
        every = {"all_states": True, "all_moves": True}
        return replace(self, model=empty_model(self.encoded, gold, rules, **every))


def attribute_names(encoded: EncodedCorpus) -> Iterator[list[list[str]]]:
    """For every sentence the attributes of its tokens, by name."""
    names, indptr, ids = encoded.encoder.attributes, encoded.indptr, encoded.ids
    for begin, end in pairwise(encoded.offsets.tolist()):
        bounds = indptr[begin : end + 1].tolist()
        yield [[names[i] for i in ids[a:b].tolist()] for a, b in pairwise(bounds)]


def prepare(subject: Subject, *, quick: bool = False) -> Prepared | None:
    """None without the corpus."""
    path = data.found(subject.file)
    if path is None:
        return None
    corpus = read(path)[: QUICK_SENTENCES if quick else None]
    if subject.column not in corpus.columns:  # two unnamed columns: the last one has the labels
        corpus = read(path, columns=["word", subject.column])[: QUICK_SENTENCES if quick else None]
    return prepare_corpus(subject, corpus)


def prepare_corpus(subject: Subject, corpus: Corpus) -> Prepared:
    encoded = Encoder(subject.features).fit(corpus, threads=1)
    gold = read_gold(corpus, subject.column)
    model = empty_model(encoded, gold, Rules.of(None, gold.names))
    return Prepared(subject, corpus, encoded, TrainingSet(encoded, gold, None, None), model)


@dataclass(frozen=True, slots=True)
class Course:
    """The way down: (CPU seconds since the start, objective) after every iteration."""

    steps: tuple[tuple[float, float], ...]

    @property
    def objective(self) -> float:
        return self.steps[-1][1]

    @property
    def seconds(self) -> float:
        return self.steps[-1][0]

    def seconds_to(self, objective: float) -> float | None:
        """When the objective was first as low as that; None when it never was."""
        return next((seconds for seconds, value in self.steps if value <= objective), None)


def course_of(prepared: Prepared, *, stop_at: float | None = None) -> Course:
    """Train with our defaults, until the default stop or an objective."""
    steps: list[tuple[float, float]] = []
    begin = time.process_time()

    def note(epoch: Epoch) -> bool:
        if epoch.objective is not None:
            steps.append((time.process_time() - begin, epoch.objective))
        return stop_at is None or epoch.objective is None or epoch.objective > stop_at

    prepared.train(note)
    return Course(tuple(steps))
