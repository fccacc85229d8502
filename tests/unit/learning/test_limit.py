"""A training that reaches its limit of iterations before it converges warns; others do not."""

import warnings

import pytest

import seqlab
from seqlab.errors import ConvergenceWarning, TrainingWarning
from seqlab.families.rerank.learners import LogLinear

WORDS = [["the", "man", "sleeps"], ["a", "dog", "barks"], ["the", "dog", "sleeps"]]
TAGS = [["D", "N", "V"]] * 3
FEATURES = "word[0]\nword[-1]"


def crf(learner):
    return seqlab.CRF(FEATURES, learner).fit(WORDS, TAGS)


@pytest.mark.parametrize(
    "train",
    [
        lambda: crf(seqlab.LBFGS(max_iterations=1, start_epochs=0)),
        lambda: crf(seqlab.LBFGS(max_iterations=1, start_epochs=0, l1=0.01)),
        lambda: crf(seqlab.ConjugateGradient(max_iterations=1)),
        lambda: crf(seqlab.GradientAscent(max_iterations=1)),
        lambda: seqlab.MEMM(FEATURES, seqlab.LBFGS(max_iterations=1, start_epochs=0)).fit(WORDS, TAGS),
        lambda: seqlab.HMM(2, learner=seqlab.BaumWelch(max_iterations=1)).fit(WORDS),
        lambda: seqlab.HMM(2, learner=seqlab.BaumWelch(max_iterations=1, restarts=3)).fit(WORDS),
        lambda: seqlab.MultinomialMixture(2, epochs=1).fit(WORDS),
        lambda: (
            seqlab.Reranker(seqlab.HMM(), folds=None, learner=LogLinear(max_iterations=1))
            .set_params(generator=seqlab.HMM().fit(WORDS, TAGS))
            .fit(WORDS, TAGS)
        ),
    ],
)
def test_the_limit_warns_once(train):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train()
    said = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    assert len(said) == 1
    assert issubclass(ConvergenceWarning, TrainingWarning)
    assert "limit of 1 iterations, before it converged" in str(said[0].message)


@pytest.mark.parametrize(
    "train",
    [
        lambda: crf(seqlab.LBFGS()),
        lambda: seqlab.LinearTagger(FEATURES, seqlab.Perceptron(epochs=1)).fit(WORDS, TAGS),
        lambda: seqlab.HMM(2).fit(WORDS),
        lambda: seqlab.HMM(2, learner=seqlab.BaumWelch(max_iterations=0)).fit(WORDS),
        lambda: seqlab.HMM().fit(WORDS, TAGS),
        lambda: seqlab.MultinomialMixture(2).fit(WORDS),
    ],
)
def test_others_do_not(train):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        train()


def test_a_search_does_not_warn_of_its_trials():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = seqlab.CRF(FEATURES, seqlab.LBFGS(max_iterations=1))
        seqlab.tune(model, WORDS, TAGS, search={"learner__l2": [0.1, 1]}, folds=3, refit=False)
