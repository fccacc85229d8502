"""scikit-learn's tools take our taggers for their own kind."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_score,
    learning_curve,
)
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from oracle.toy_tagger import Learner, ToyTagger
from seqlab.corpus import Corpus
from seqlab.errors import OptionError
from seqlab.families.hmm.tagger import HMM
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.families.local.tagger import LocalTagger

SENTENCES = [
    [("the", "D"), ("dog", "N"), ("runs", "V")],
    [("a", "D"), ("cat", "N")],
    [("dogs", "N"), ("run", "V")],
    [("the", "D"), ("run", "N")],
    [],
    [("cats", "N"), ("run", "V"), ("fast", "R")],
] * 4
X = [[word for word, _ in sentence] for sentence in SENTENCES]
Y = [[label for _, label in sentence] for sentence in SENTENCES]
CORPUS = Corpus.from_lists(word=X, pos=Y)
TAGGERS = [
    ToyTagger(2.0, learner=Learner(l2=5.0)),
    MostFrequentTag("rare"),
    LocalTagger(MultinomialNB(alpha=0.5), "word[0]", previous=True),
    HMM(smoothing=0.5),
]


def named(tagger):
    return type(tagger).__name__


@pytest.mark.parametrize("tagger", TAGGERS, ids=named)
def test_clone_has_the_options_and_nothing_learned(tagger):
    tagger = clone(tagger).fit(X, Y)
    copied = clone(tagger)
    assert repr(copied) == repr(tagger)
    assert not hasattr(copied, "labels_")
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(copied)
    check_is_fitted(tagger)


@pytest.mark.parametrize("tagger", TAGGERS, ids=named)
@pytest.mark.parametrize(
    "data", [X, CORPUS, np.array([*X, None], dtype=object)[:-1]], ids=["lists", "corpus", "array"]
)
def test_cross_validation_is_what_a_loop_would_give(tagger, data):
    expected = []
    for train, test in KFold(3).split(X):
        fitted = clone(tagger).fit([X[i] for i in train], [Y[i] for i in train])
        expected.append(fitted.score([X[i] for i in test], [Y[i] for i in test]))
    assert cross_val_score(tagger, data, Y, cv=3).tolist() == expected
    assert cross_val_score(tagger, data, Y, cv=KFold(3)).tolist() == expected


def test_a_tagger_is_no_classifier_so_that_nothing_is_stratified():
    assert not is_classifier(MostFrequentTag())


def test_grid_search_sets_options_of_options():
    search = GridSearchCV(
        LocalTagger(MultinomialNB(), "word[0]"),
        {"classifier__alpha": [1e6, 0.1], "previous": [False, True]},
        cv=3,
    ).fit(X, Y)
    assert search.best_params_["classifier__alpha"] == 0.1
    assert search.best_estimator_.classifier_.alpha == 0.1
    assert search.predict([["the", "dog"]]) == [["D", "N"]]
    assert search.score(X, Y) == search.best_estimator_.score(X, Y)


def test_grid_search_makes_frozen_learners_anew():
    tagger = ToyTagger()
    search = GridSearchCV(tagger, {"learner__l2": [0.1, 10.0], "scale": [-1.0, 1.0]}, cv=2).fit(X, Y)
    assert set(search.best_params_) == {"learner__l2", "scale"}
    assert search.best_estimator_.learner.l2 == search.best_params_["learner__l2"]
    assert tagger.learner == Learner()


@pytest.mark.parametrize("kind", [RandomizedSearchCV, HalvingGridSearchCV])
def test_other_searches_run(kind):
    options = {"n_iter": 2} if kind is RandomizedSearchCV else {"min_resources": 6}
    search = kind(MostFrequentTag(), {"unknown": ["common", "rare"]}, cv=2, random_state=0, **options).fit(
        X, Y
    )
    assert search.best_params_["unknown"] in {"common", "rare"}


def test_learning_curve_runs():
    _, _, scores = learning_curve(MostFrequentTag(), X, Y, cv=2, train_sizes=[0.5, 1.0])
    assert scores.shape == (2, 2)


def test_last_step_of_a_pipeline():
    def lower(sentences):
        return [[word.lower() for word in words] for words in sentences]

    pipe = Pipeline([("lower", FunctionTransformer(lower)), ("tagger", MostFrequentTag())])
    shouting = [[word.upper() for word in words] for words in X]
    assert pipe.fit(X, Y).predict(shouting) == MostFrequentTag().fit(X, Y).predict(X)
    assert pipe.set_params(tagger__unknown="rare")["tagger"].unknown == "rare"
    assert cross_val_score(pipe, shouting, Y, cv=2).min() > 0
    assert "MostFrequentTag" in estimator_html_repr(pipe)
    assert "MostFrequentTag" in repr(pipe)


# ---------------------------------------------------------------- weights


def test_sample_weight_is_cut_with_the_folds():
    tokens = [[1.0] * len(words) for words in X]
    sentences = np.ones(len(X))
    expected = cross_val_score(MostFrequentTag(), X, Y, cv=2).tolist()
    for weights in (tokens, sentences):
        scores = cross_val_score(MostFrequentTag(), X, Y, cv=2, params={"sample_weight": weights})
        assert scores.tolist() == expected


def test_weights_are_routed_where_they_are_asked_for():
    weights = np.arange(len(X), dtype=float) + 1
    with config_context(enable_metadata_routing=True):
        tagger = ToyTagger().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(tagger, {"scale": [1.0]}, cv=2).fit(X, Y, sample_weight=weights)
        assert search.best_estimator_.sample_weight_.tolist() == weights.tolist()
        assert clone(tagger).get_metadata_routing().fit.requests == {"sample_weight": True}

        ignoring = ToyTagger().set_fit_request(sample_weight=False).set_score_request(sample_weight=True)
        search = GridSearchCV(ignoring, {"scale": [1.0]}, cv=2).fit(X, Y, sample_weight=weights)
        assert search.best_estimator_.sample_weight_ is None

        renamed = (
            ToyTagger().set_fit_request(sample_weight="importance").set_score_request(sample_weight=False)
        )
        search = GridSearchCV(renamed, {"scale": [1.0]}, cv=2).fit(X, Y, importance=weights)
        assert search.best_estimator_.sample_weight_.tolist() == weights.tolist()

        with pytest.raises(ValueError, match="sample_weight"):
            GridSearchCV(ToyTagger(), {"scale": [1.0]}, cv=2).fit(X, Y, sample_weight=weights)


def test_requests_that_make_no_sense_are_refused():
    with pytest.raises(OptionError, match="metadata routing is off"):
        MostFrequentTag().set_fit_request(sample_weight=True)
    with config_context(enable_metadata_routing=True):
        with pytest.raises(
            OptionError, match=r"MostFrequentTag\.fit takes no 'heaviness', only 'sample_weight', 'dev'"
        ):
            MostFrequentTag().set_fit_request(heaviness=True)
        with pytest.raises(OptionError, match="partial_fit takes no"):
            ToyTagger().set_partial_fit_request(sample_weight=True)


# ---------------------------------------------------------------- without scikit-learn

PROGRAM = """
import sys, pickle, copy
sys.modules["sklearn"] = sys.modules["scipy"] = None          # as if they were not installed
from seqlab.families.hmm.tagger import HMM
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.families.local.tagger import LocalTagger
tagger = MostFrequentTag("rare").fit([["a", "b"]], [["X", "Y"]])
pickle.loads(pickle.dumps(copy.deepcopy(tagger))).set_params(unknown="common").fit([["a"]], [["X"]], sample_weight=[2])
tagger.evaluate([["a"]], [["X"]]); tagger.score([["a"]], [["X"]]); repr(tagger); tagger.get_params()
class Classifier:
    def fit(self): pass
    def get_params(self): return {}
try:
    LocalTagger(Classifier()).fit([["a", "b"]], [["X", "Y"]])
except ImportError as error:
    print(error)
"""


def test_scikit_learn_is_never_needed_but_for_its_classifiers():
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert said == "scikit-learn is not installed; write `pip install 'seqlab[sklearn]'`\n"
