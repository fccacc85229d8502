"""The two sides of an exam: ours as it comes, and the peer as it comes: python-crfsuite, handed the same attributes, or
NLTK's TnT, handed the same words.

CRFsuite takes minutes, so its figures are kept in build/, under a name that has the hash of everything it saw.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.quality.exams import Exam
from benchmarks.speed import crfsuite, hmm_tagging
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.lessons import attribute_names
from benchmarks.speed.machine import ROOT
from seqlab import CRF, HMM, LBFGS, Corpus, Report, Template, evaluate
from seqlab.encode import Encoder

CACHE = ROOT / "build" / "benchmarks"
C1, C2 = 0.0, 1.0  # CRFsuite's own defaults


@dataclass(frozen=True, slots=True)
class Result:
    """Shares between 0 and 1; unseen is the accuracy on words that training has not seen."""

    value: float
    accuracy: float
    unseen: float | None
    seconds: float

    @classmethod
    def of(cls, report: Report, figure: str, seconds: float) -> Result:
        return cls(report.figures[figure], report.accuracy, report.unseen_accuracy, seconds)


def ours(exam: Exam, train: Corpus, test: Corpus, learner: LBFGS | None = None) -> Result:
    """Our defaults; another learner is for development sets only."""
    if exam.features is None:
        tagger: CRF | HMM = HMM(threads=1)
    else:
        tagger = CRF(exam.features, LBFGS() if learner is None else learner, order=exam.order, threads=1)
    begin = time.process_time()
    tagger.fit(train, exam.column)
    seconds = time.process_time() - begin
    return Result.of(tagger.evaluate(test, exam.column), exam.figure, seconds)


def theirs(exam: Exam, train: Corpus, test: Corpus, *, fresh: bool) -> Result:
    """The peer's defaults."""
    if exam.features is None:
        return tnt(exam, train, test)
    return suite(exam, exam.features, train, test, fresh=fresh)


def tnt(exam: Exam, train: Corpus, test: Corpus) -> Result:
    """NLTK's tagger in the design of Brants."""
    begin = time.process_time()
    tagger = hmm_tagging.trained(train.column("word"), train.column(exam.column))
    seconds = time.process_time() - begin
    predicted = [[label for _, label in sentence] for sentence in tagger.tagdata(test.column("word"))]
    report = evaluate(test.column(exam.column), predicted, words=test.column("word"), known=train)
    return Result.of(report, exam.figure, seconds)


def suite(exam: Exam, features: Template, train: Corpus, test: Corpus, *, fresh: bool) -> Result:
    """CRFsuite (L-BFGS, c2 = 1, order 1) on the attributes of our template."""
    encoder = Encoder(features)
    seen = encoder.fit(train, threads=1)
    asked = encoder.encode(test, threads=1)
    digest = hash_of(seen.offsets, seen.ids, asked.offsets, asked.ids)
    name = re.sub(r"\W+", "-", exam.name.lower())
    path = CACHE / f"quality-{name}-{digest}.json"
    if path.exists() and not fresh:
        return Result(**json.loads(path.read_text()))
    labels = train.column(exam.column)
    begin = time.process_time()
    predicted = _tagged(zip(attribute_names(seen), labels, strict=True), attribute_names(asked))
    seconds = time.process_time() - begin
    report = evaluate(test.column(exam.column), predicted, words=test.column("word"), known=train)
    result = Result.of(report, exam.figure, seconds)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(result)))
    return result


def _tagged(
    train: Iterator[tuple[list[list[str]], list[str]]], test: Iterator[list[list[str]]]
) -> list[list[str]]:
    import pycrfsuite

    made, lines = crfsuite.trainer(train, c1=C1, c2=C2)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        crfsuite.train(made, lines, model)
        tagger = pycrfsuite.Tagger()
        tagger.open(str(model))
        return [tagger.tag(sentence) for sentence in test]
