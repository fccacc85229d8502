"""The two sides of an exam: ours as it comes, and the peer as it comes: python-crfsuite, handed the same attributes, or
NLTK's TnT, handed the same words.

CRFsuite takes minutes, so its figures are taken from the stored results where it saw the same attributes before.
"""

from __future__ import annotations

import datetime as dt
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality.exams import Exam
from benchmarks.speed import crfsuite, hmm_tagging
from benchmarks.speed.figure import Figure
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.lessons import attribute_names
from seqlab import CRF, HMM, LBFGS, Corpus, Report, Template, evaluate
from seqlab.encode import Encoder

C1, C2 = 0.0, 1.0  # CRFsuite's own defaults


@dataclass(frozen=True, slots=True)
class Result:
    """Shares between 0 and 1; unseen is the accuracy on words that training has not seen.

    attributes   hash of all attributes of training and test; empty where they are not handed over
    """

    value: float
    accuracy: float
    unseen: float | None
    seconds: float
    attributes: str = ""
    date: str = ""

    @classmethod
    def of(cls, report: Report, figure: str, seconds: float, attributes: str = "") -> Result:
        today = dt.datetime.now(dt.UTC).date().isoformat()
        return cls(
            report.figures[figure], report.accuracy, report.unseen_accuracy, seconds, attributes, today
        )


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


def theirs(exam: Exam, train: Corpus, test: Corpus, stored: Iterable[Figure] = ()) -> Result:
    """The peer's defaults; `stored` are earlier figures, newest last."""
    if exam.features is None:
        return tnt(exam, train, test)
    return suite(exam, exam.features, train, test, stored)


def tnt(exam: Exam, train: Corpus, test: Corpus) -> Result:
    """NLTK's tagger in the design of Brants."""
    begin = time.process_time()
    tagger = hmm_tagging.trained(train.column("word"), train.column(exam.column))
    seconds = time.process_time() - begin
    predicted = [[label for _, label in sentence] for sentence in tagger.tagdata(test.column("word"))]
    report = evaluate(test.column(exam.column), predicted, words=test.column("word"), known=train)
    return Result.of(report, exam.figure, seconds)


def suite(exam: Exam, features: Template, train: Corpus, test: Corpus, stored: Iterable[Figure]) -> Result:
    """CRFsuite (L-BFGS, c2 = 1, order 1) on the attributes of our template."""
    encoder = Encoder(features)
    seen = encoder.fit(train, threads=1)
    asked = encoder.encode(test, threads=1)
    digest = hash_of(seen.offsets, seen.ids, asked.offsets, asked.ids)
    for one in reversed(list(stored)):
        if one.name == exam.name and (one.details.get("peer") or {}).get("attributes") == digest:
            return Result(**one.details["peer"])
    labels = train.column(exam.column)
    begin = time.process_time()
    predicted = _tagged(zip(attribute_names(seen), labels, strict=True), attribute_names(asked))
    seconds = time.process_time() - begin
    report = evaluate(test.column(exam.column), predicted, words=test.column("word"), known=train)
    return Result.of(report, exam.figure, seconds, digest)


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
