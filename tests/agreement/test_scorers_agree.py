"""Our span scores beside those of seqeval and conlleval: equal where they should be; the guide lists the rest."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from seqeval import scheme as seqeval_schemes
from seqeval.metrics import sequence_labeling as seqeval_default
from seqeval.metrics import v1 as seqeval_strict
from sklearn import metrics as sklearn_metrics

from oracle import conlleval
from seqlab import tags
from seqlab.errors import SeqlabError
from seqlab.evaluation import ScoreTable, evaluate

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "evaluation.md"
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
STRICT = (
    "IOB2",
    "IOE2",
    "IOBES",
    "BILOU",
)  # where seqeval's strict mode reads valid labels as they are meant
DEFAULT = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES")  # it does not know L and U
TYPES = ("PER", "LOC", "NP-SBJ")

Sentences = list[list[str]]


def alphabet(name: str) -> list[str]:
    return ["O", "O", *(f"{letter}-{kind}" for kind in TYPES for letter in LETTERS[name])]


def random_sides(name: str, sentences: int, seed: int) -> tuple[Sentences, Sentences]:
    """Half of the sentences follow the scheme in gold, the others are anything; predicted differs now and then."""
    chance = random.Random(seed)
    labels = alphabet(name)
    gold = [[chance.choice(labels) for _ in range(chance.randint(1, 12))] for _ in range(sentences)]
    gold[::2] = tags.repair(gold[::2], name).labels
    predicted = [[chance.choice(labels) if chance.random() < 0.25 else g for g in s] for s in gold]
    return gold, predicted


def same(table: ScoreTable, theirs: Callable[..., tuple[object, ...]]) -> None:
    """Rows and averages against precision_recall_fscore_support of seqeval or scikit-learn."""
    rows = np.array([(s.precision, s.recall, s.f1, s.support) for s in table.rows.values()]).reshape(-1, 4)
    np.testing.assert_allclose(rows, np.array(theirs(average=None), dtype=float).T.reshape(-1, 4), atol=1e-12)
    for average in ("micro", "macro", "weighted"):
        if not table.rows and average != "micro":
            continue  # the mean of nothing
        score = getattr(table, average)
        figures = theirs(average=average)[:3]
        assert (score.precision, score.recall, score.f1) == approx(figures, abs=1e-12)


def check_default(gold: Sentences, predicted: Sentences, name: str) -> None:
    spans = evaluate(gold, predicted, scheme=name).spans
    assert spans is not None
    same(
        spans.strict,
        lambda average: seqeval_default.precision_recall_fscore_support(
            gold, predicted, average=average, zero_division=0
        ),
    )


def check_strict(gold: Sentences, predicted: Sentences, name: str) -> None:
    spans = evaluate(gold, predicted, scheme=name, repair="strict").spans
    assert spans is not None
    scheme = getattr(seqeval_schemes, name)
    same(
        spans.strict,
        lambda average: seqeval_strict.precision_recall_fscore_support(
            gold, predicted, average=average, scheme=scheme, zero_division=0
        ),
    )


@pytest.mark.parametrize("name", DEFAULT)
def test_scores_equal_seqeval_default_on_ten_thousand_sentences(name: str) -> None:
    gold, predicted = random_sides(name, 10_000, seed=1)
    check_default(gold, predicted, name)
    for labels, spans in zip(predicted, tags.spans(predicted, name), strict=True):
        theirs = [(start, end + 1, kind) for kind, start, end in seqeval_default.get_entities(labels)]
        assert [(span.start, span.end, span.type) for span in spans] == theirs


@pytest.mark.parametrize("name", STRICT)
def test_scores_equal_seqeval_strict_on_ten_thousand_sentences(name: str) -> None:
    gold, predicted = random_sides(name, 10_000, seed=2)
    check_strict(gold, predicted, name)
    scheme = getattr(seqeval_schemes, name)
    for labels, spans in zip(predicted, tags.spans(predicted, name, "strict"), strict=True):
        theirs = [(e.start, e.end, e.tag) for e in seqeval_schemes.Tokens(labels, scheme).entities]
        assert [(span.start, span.end, span.type) for span in spans] == theirs


@pytest.mark.parametrize("name", ["IOB1", "IOB2", "IOE1", "IOE2"])
def test_scores_equal_conlleval_on_ten_thousand_sentences(name: str) -> None:
    gold, predicted = random_sides(name, 10_000, seed=3)
    right, found_predicted, found_gold = conlleval.counts(gold, predicted)
    spans = evaluate(gold, predicted, scheme=name).spans
    assert spans is not None
    for kind, score in spans.strict.rows.items():
        counts = (score.correct, score.predicted, score.support)
        assert counts == (right[kind], found_predicted[kind], found_gold[kind])
    ours = tags.spans(predicted, name)
    assert [[(s.start, s.end, s.type) for s in spans] for spans in ours] == list(
        map(conlleval.chunks, predicted)
    )


@st.composite
def made(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[str, Sentences, Sentences]:
    name = draw(st.sampled_from(names))
    label = st.sampled_from(alphabet(name))
    lengths = draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    gold, predicted = ([draw(st.lists(label, min_size=n, max_size=n)) for n in lengths] for _ in range(2))
    return name, gold, predicted


@given(made(DEFAULT))
def test_scores_equal_seqeval_default_on_made_sentences(case: tuple[str, Sentences, Sentences]) -> None:
    name, gold, predicted = case
    check_default(gold, predicted, name)


@given(made(STRICT))
def test_scores_equal_seqeval_strict_on_made_sentences(case: tuple[str, Sentences, Sentences]) -> None:
    name, gold, predicted = case
    check_strict(gold, predicted, name)


@given(made(tuple(LETTERS)))
def test_label_scores_equal_scikit_learn(case: tuple[str, Sentences, Sentences]) -> None:
    name, gold, predicted = case
    flat = [label for labels in gold for label in labels], [label for labels in predicted for label in labels]
    report = evaluate(gold, predicted, scheme=name)

    def theirs(average: str | None) -> tuple[object, ...]:
        result = sklearn_metrics.precision_recall_fscore_support(*flat, average=average, zero_division=0)
        return tuple(result)

    same(report.labels, theirs)
    assert report.accuracy == approx(sklearn_metrics.accuracy_score(*flat))
    if len(report.confusion.labels) > 1:  # scikit-learn warns about a single one
        np.testing.assert_array_equal(report.confusion.counts, sklearn_metrics.confusion_matrix(*flat))


# ------------------------------------------------------------------ the table in docs/guide/evaluation.md


def table_rows() -> list[dict[str, str]]:
    """The rows of the table whose head begins with "scheme | labels | conlleval"."""
    lines = iter(GUIDE.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if re.match(r"\| *scheme *\| *labels *\| *conlleval", line):
            break
    names = cells_of(line)
    next(lines)
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(names, cells_of(line), strict=True)))
    return rows


def cells_of(line: str) -> list[str]:
    return [cell.replace("`", "").strip() for cell in line.strip().strip("|").split("|")]


def shown(spans: list[tuple[int, int, str]]) -> str:
    return " ".join(f"{kind}[{start}:{end}]" for start, end, kind in spans) or "none"


def by_seqeval_default(labels: list[str], name: str) -> list[tuple[int, int, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "seems not to be NE tag"
        return [(start, end + 1, kind) for kind, start, end in seqeval_default.get_entities(labels)]


def by_seqeval_strict(labels: list[str], name: str) -> list[tuple[int, int, str]]:
    tokens = seqeval_schemes.Tokens(labels, getattr(seqeval_schemes, name))
    return [(entity.start, entity.end, entity.tag) for entity in tokens.entities]


def by_us(labels: list[str], name: str, repair: str) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.type) for span in tags.spans(labels, name, repair)]


SCORERS: dict[str, Callable[[list[str], str], list[tuple[int, int, str]]]] = {
    "conlleval": lambda labels, name: conlleval.chunks(labels),
    "seqeval default": by_seqeval_default,
    "seqeval strict": by_seqeval_strict,
    "seqlab": lambda labels, name: by_us(labels, name, "conlleval"),
    'seqlab repair="strict"': lambda labels, name: by_us(labels, name, "strict"),
}


@pytest.mark.parametrize("row", table_rows(), ids=lambda row: f"{row['scheme']}: {row['labels']}")
def test_table_of_differences_is_true(row: dict[str, str]) -> None:
    labels = row["labels"].split()
    for scorer, read in SCORERS.items():
        try:
            spans = shown(read(labels, row["scheme"]))
        except (KeyError, ValueError, SeqlabError):
            spans = "error"
        assert spans == row[scorer], scorer


def test_table_of_differences_names_every_scorer() -> None:
    rows = table_rows()
    assert len(rows) >= 10
    assert set(rows[0]) == {"scheme", "labels", *SCORERS}
