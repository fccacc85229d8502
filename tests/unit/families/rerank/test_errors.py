"""What a Reranker refuses, and what it says."""

import math

import pytest

from seqlab.errors import (
    CorpusError,
    LabelError,
    NotFittedError,
    OptionError,
    ScoreError,
    SeqlabError,
    ShapeError,
)
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.families.rerank.learners import LogLinear
from seqlab.families.rerank.tagger import Reranker


def ok(tokens, n):
    return [(("N",) * len(tokens), 0.0), (("V",) * len(tokens), -1.0)]


@pytest.mark.parametrize(
    ("generator", "error", "message"),
    [
        (MostFrequentTag, OptionError, "got the class MostFrequentTag; write MostFrequentTag"),
        (3, OptionError, "generator must have nbest"),
        (lambda tokens, n: "NN", ShapeError, "sentence 0: the generator should give a list"),
        (lambda tokens, n: [], ShapeError, "sentence 0: the generator gave no labelling at all"),
        (
            lambda tokens, n: [(("N",), 0.0)],
            ShapeError,
            "sentence 0, labelling 0 of the generator has 1 labels",
        ),
        (lambda tokens, n: [("NN", 0.0)], ShapeError, "a pair .labels, score. is wanted"),
        (
            lambda tokens, n: [(("N", 1), 0.0)],
            LabelError,
            "labelling 0 of the generator, position 1: a label is a string",
        ),
        (lambda tokens, n: [(("N", "N"), math.nan)], ScoreError, "has the score nan"),
        (lambda tokens, n: [(("N", "N"), -math.inf)], ScoreError, "has the score -inf"),
        (lambda tokens, n: [(("N", "N"), "high")], ScoreError, "has the score 'high'"),
    ],
)
def test_bad_generators_are_refused(generator, error, message):
    with pytest.raises(error, match=message):
        Reranker(generator).fit([["a", "b"]], [["N", "V"]])


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (lambda tokens, labels: "word", "sentence 0: <lambda>.tokens, labels. should give a list of strings"),
        (lambda tokens, labels: 3, "should give a list of strings"),
        (lambda tokens, labels: [3], "an attribute must be a string, got 3"),
        (lambda tokens, labels: {"x": math.nan}, "attribute 'x' has the weight nan"),
        (lambda tokens, labels: [("x", math.inf)], "attribute 'x' has the weight inf"),
        ("word", "features must be a function"),
    ],
)
def test_bad_features_are_refused(features, message):
    with pytest.raises(SeqlabError, match=message):
        Reranker(ok, features=features).fit([["a", "b"]], [["N", "V"]])


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        ([["a"]], [["N"], ["V"]], ShapeError, "X has 1 sentences, but y has 2"),
        ([["a"], ["b"]], [["N"], ["V", "N"]], ShapeError, "sentence 1: X has 1 tokens, but y has 2 labels"),
        ([["a"]], ["N"], LabelError, "sentence 0 of y must be a list of 1 labels, got 'N'"),
        ([["a"]], [[None]], LabelError, "sentence 0, position 0 of y: a label is a string, got None"),
        ([["a"]], None, LabelError, "y must be the name of a column, or a list"),
        ([["a"]], "pos", LabelError, "y must be the name of a column, or a list"),
        ("a b", [["N"]], CorpusError, "X must be a Corpus or a list of sentences, got 'a b'"),
        (["a b"], [["N"]], CorpusError, "sentence 0 of X is 'a b', but a list of tokens is wanted"),
        ([], [], ShapeError, "no token at all"),
        ([[], []], [[], []], ShapeError, "X has 2 sentences and no token at all"),
    ],
)
def test_bad_data_is_refused(X, y, error, message):
    with pytest.raises(error, match=message):
        Reranker(ok).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n must be a whole number from 1 up, got 0"),
        ({"folds": 1}, "folds must be a whole number from 2 up, got 1"),
        ({"min_count": 0}, "min_count must be"),
        ({"learner": "lbfgs"}, "learner must be LogLinear"),
        ({"learner": LogLinear}, "learner must be LogLinear"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        Reranker(ok, **options).fit([["a"]], [["N"]])


def test_more_folds_than_sentences_are_refused():
    with pytest.raises(OptionError, match="folds=5 needs at least as many sentences, but X has 2"):
        Reranker(MostFrequentTag()).fit([["a"], ["b"]], [["N"], ["V"]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0, 0], "every sample_weight is 0"),
        ([1.0], "X has 2 sentences, but sample_weight has 1 entries"),
        ([[1.0], [1.0]], "X has 2 sentences: one number for each is wanted"),
        ([1.0, -1.0], "sentence 1 of sample_weight is -1.0"),
        (["a", "b"], "sentence 0 of sample_weight must be numbers"),
        (3, "sample_weight must hold a number"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(SeqlabError, match=message):
        Reranker(ok).fit([["a"], ["b"]], [["N"], ["V"]], sample_weight=weights)


@pytest.mark.parametrize("question", ["predict", "tag", "nbest"])
def test_questions_before_fit_are_refused(question):
    with pytest.raises(NotFittedError, match=question):
        getattr(Reranker(ok), question)([["a"]])
    with pytest.raises(NotFittedError):
        Reranker(ok).weights_  # noqa: B018
