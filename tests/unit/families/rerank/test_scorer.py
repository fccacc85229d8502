"""Re-ranking by another model: its score beside that of the generator."""

import math
import pickle

import numpy as np
import pytest

import seqlab
from seqlab import CRF, HMM, LinearTagger, MarkovChain, Perceptron, Reranker
from seqlab.errors import NotFittedError, OptionError, ScoreError, StoreError

X = [["the", "old", "man"], ["the", "man", "saw"], ["old", "man", "the", "boat"], ["saw", "the", "old"]] * 3
Y = [["D", "A", "N"], ["D", "N", "V"], ["N", "V", "D", "N"], ["V", "D", "N"]] * 3
NEW = [["the", "old", "saw"], ["old", "boat", "man"], [], ["boat"]]


def letters(tokens, labels):
    """A score of one's own."""
    return float(sum(len(word) * (label == "N") for word, label in zip(tokens, labels, strict=True)))


@pytest.fixture(scope="module")
def generator():
    return HMM(smoothing=0.5).fit(X, Y)


@pytest.fixture(scope="module")
def crf():
    return CRF("word[0]\nword[-1]").fit(X, Y)


@pytest.mark.parametrize("probabilistic", [True, False])
def test_the_scorer_alone_chooses_its_best_candidate(generator, crf, probabilistic):
    scorer = crf if probabilistic else LinearTagger("word[0]", Perceptron()).fit(X, Y)
    reranker = Reranker(generator, scorer=scorer, weights=(0, 1), n=6, folds=None).fit(X, Y)
    for words in (one for one in NEW if one):
        candidates = [list(one.labels) for one in generator.nbest(words, 6)]
        scores = [scorer.trellis(words).score(labels) for labels in candidates]
        assert reranker.tag(words) == candidates[int(np.argmax(scores))]
        if probabilistic:
            scores = [scorer.log_prob(words, labels) for labels in candidates]
        found = {one.labels: one for one in reranker.nbest(words)}
        best = max(scores)
        for labels, score in zip(candidates, scores, strict=True):
            assert found[tuple(labels)].score == pytest.approx(score - best, abs=1e-6)
    assert reranker.predict(NEW)[2] == []


def test_given_weights_add_both_scores(generator, crf):
    reranker = Reranker(generator, scorer=crf, weights=[0.25, 2.0], n=5, folds=None).fit(X, Y)
    assert reranker.weights_ == {"generator score": 0.25, "scorer score": 2.0}
    words = NEW[1]
    wanted = {
        one.labels: 0.25 * one.score + 2 * crf.log_prob(words, one.labels)
        for one in generator.nbest(words, 5)
    }
    found = {one.labels: one.score for one in reranker.nbest(words)}
    shift = max(wanted.values()) - max(found.values())
    assert found == pytest.approx({labels: score - shift for labels, score in wanted.items()}, abs=1e-6)


def test_weights_are_learned_on_folds_with_both_models_trained_anew():
    reranker = Reranker(HMM(smoothing=0.5), scorer=CRF("word[0]\nword[-1]"), n=6, folds=3).fit(X, Y)
    assert list(reranker.weights_) == ["generator score", "scorer score"]
    assert reranker.weights_["scorer score"] > 0
    assert reranker.scorer_.tag(X[0]) == Y[0]
    assert not reranker.scorer._fitted()
    assert reranker.predict(X) == Y
    both = Reranker(
        HMM(smoothing=0.5), scorer=CRF("word[0]"), features=lambda x, y: ["N" * y.count("N")], folds=3
    )
    assert "scorer score" in both.fit(X, Y).weights_
    assert len(both.weights_) > 2


def test_functions_and_objects_score(generator):
    class Object:
        def log_prob(self, tokens, labels):
            return letters(tokens, labels) if labels[0] != "N" else -math.inf

    for scorer in (letters, Object()):
        reranker = Reranker(generator, scorer=scorer, weights=(0, 1), n=8, folds=None).fit(X[:2], Y[:2])
        words = NEW[0]
        candidates = [one.labels for one in generator.nbest(words, 8)]
        ask = letters if scorer is letters else scorer.log_prob
        assert ask(words, tuple(reranker.tag(words))) == max(ask(words, labels) for labels in candidates)


def test_labels_that_the_scorer_does_not_know_come_last(generator):
    scorer = CRF("word[0]").fit([["the", "man"]], [["D", "N"]])
    reranker = Reranker(generator, scorer=scorer, weights=(0, 1), n=30, folds=None).fit(X, Y)
    assert set(reranker.tag(["the", "man"])) <= {"D", "N"}


def test_one_file_has_both_models(tmp_path, generator, crf):
    learned = Reranker(HMM(smoothing=0.5), scorer=CRF("word[0]"), n=6, folds=3).fit(X, Y)
    given = Reranker(generator, scorer=crf, weights=(0.5, 1), n=6, folds=None).fit(X, Y)
    for reranker in (learned, given):
        reranker.save(tmp_path / "m.model")
        for again in (seqlab.load(tmp_path / "m.model"), pickle.loads(pickle.dumps(reranker))):
            assert again.predict(NEW) == reranker.predict(NEW)
            assert again.weights_ == reranker.weights_
            assert [one.score for one in again.nbest(NEW[0])] == [one.score for one in reranker.nbest(NEW[0])]
            assert type(again.scorer) is CRF
            assert again.scorer._fitted() == reranker.scorer._fitted()
    function = Reranker(generator, scorer=letters, n=6, folds=None).fit(X, Y)
    function.save(tmp_path / "m.model")
    with pytest.raises(StoreError, match="functions="):
        seqlab.load(tmp_path / "m.model")
    again = seqlab.load(tmp_path / "m.model", functions={"letters": letters})
    assert again.predict(NEW) == function.predict(NEW)
    assert again.scorer is letters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scorer": CRF}, r"got the class CRF; write CRF\(\)"),
        ({"scorer": 3}, r"scorer must be a tagger, .* got 3"),
        ({"scorer": MarkovChain()}, r"scorer must be a tagger, .* got MarkovChain"),
        ({"weights": (0, 1)}, "give a scorer, and no features"),
        ({"scorer": letters, "weights": (0, 1), "features": letters}, "give a scorer, and no features"),
        ({"scorer": letters, "weights": (0, math.nan)}, "weights must be two numbers"),
        ({"scorer": letters, "weights": 2}, "weights must be two numbers"),
    ],
)
def test_options_that_make_no_sense_are_refused(generator, options, message):
    with pytest.raises(OptionError, match=message):
        Reranker(generator, folds=None, **options).fit(X, Y)


def test_what_a_scorer_gives_is_checked(generator):
    with pytest.raises(NotFittedError, match="the scorer has learned nothing yet"):
        Reranker(generator, scorer=CRF("word[0]"), folds=None).fit(X, Y)
    for bad in (math.nan, math.inf, "1", None):
        with pytest.raises(ScoreError, match="sentence 0: the scorer gave"):
            Reranker(generator, scorer=lambda x, y, bad=bad: bad, folds=None).fit(X, Y)
