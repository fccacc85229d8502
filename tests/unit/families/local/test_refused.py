"""Local taggers that cannot be stored, and files of them that are not sound."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import (
    LogisticRegression,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import seqlab
from seqlab import store
from seqlab.errors import SeqlabError, StoreError
from seqlab.families.linear.tagger import CRF
from seqlab.families.local.tagger import LocalTagger

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"], [], ["runs"]]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"], [], ["O"]]
TEMPLATE = "word[0]\nsuffix(word[0], 2)\nword[-1]"


def fitted(classifier, **options):
    return LocalTagger(classifier, **{"features": TEMPLATE, **options}).fit(WORDS * 3, TAGS * 3)


class OwnSVC(LinearSVC):
    pass


class OwnTagger(LocalTagger):
    pass


@pytest.mark.parametrize(
    "classifier",
    [
        RandomForestClassifier(2),
        KNeighborsClassifier(1),
        SVC(kernel="linear"),
        BernoulliNB(),
        OneVsOneClassifier(LinearSVC()),
        OneVsRestClassifier(RandomForestClassifier(2)),
        make_pipeline(TfidfTransformer(), LinearSVC()),
        OwnSVC(),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_other_classifiers_are_refused_by_name(classifier, tmp_path):
    tagger = LocalTagger(classifier, TEMPLATE).fit(WORDS, TAGS)
    with pytest.raises(
        StoreError, match=r"cannot be stored: .* LinearSVC, LogisticRegression, .*; use one of these"
    ):
        tagger.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_finite_are_refused():
    with np.errstate(divide="ignore"):
        tagger = LocalTagger(MultinomialNB(alpha=0), "word[0]").fit(WORDS, TAGS)
    with pytest.raises(StoreError, match="MultinomialNB has learned a weight that is not finite"):
        tagger.as_bytes()


def test_another_formula_is_refused(monkeypatch):
    tagger = fitted(LogisticRegression())
    monkeypatch.setattr(LogisticRegression, "predict_log_proba", LogisticRegression.decision_function)
    with pytest.raises(
        StoreError, match="LogisticRegression of this scikit-learn computes predict_log_proba in a way"
    ):
        tagger.as_bytes()


def test_a_class_of_ones_own_is_refused():
    with pytest.raises(StoreError, match="OwnTagger is a class of your own"):
        OwnTagger(LinearSVC(), TEMPLATE).fit(WORDS, TAGS).as_bytes()


SOUND = fitted(LogisticRegression(), allowed={"Oslo": ["B-L"]}, previous=True).state()
WEIGHTS = SOUND.arrays["scores.weights"]


def tampered(settings=None, **arrays):
    return SOUND.replaced(settings={**SOUND.settings, **(settings or {})}, arrays={**SOUND.arrays, **arrays})


def options(**changes):
    return tampered({"options": {**SOUND.settings["options"], **changes}})


def scores(**changes):
    return _part("scores", settings={**SOUND.settings["parts"]["scores"]["settings"], **changes})


def training(**changes):
    return _part("training", settings={**SOUND.settings["parts"]["training"]["settings"], **changes})


def _part(name, **changes):
    parts = SOUND.settings["parts"]
    return tampered({"parts": {**parts, name: {**parts[name], **changes}}})


def without(name):
    return SOUND.replaced(arrays={key: array for key, array in SOUND.arrays.items() if key != name})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (tampered(**{"scores.weights": WEIGHTS[:-1]}), "'weights' should have shape"),
        (tampered(**{"scores.weights": WEIGHTS.T.copy()}), "should have shape"),
        (tampered(**{"scores.weights": WEIGHTS.astype(np.int32)}), "should hold weights, found int32"),
        (tampered(**{"scores.weights": WEIGHTS * np.nan}), "nan"),
        (tampered(**{"scores.weights": WEIGHTS + np.inf}), "found inf"),
        (tampered(**{"scores.weights": WEIGHTS + 1e200}), "weights up to 1e.30"),
        (tampered(**{"scores.intercept": np.zeros(3)}), "'intercept' should have shape"),
        (tampered(**{"scores.intercept": np.full(4, np.nan)}), "nan"),
        (without("scores.weights"), "'weights' is missing"),
        (without("scores.intercept"), "'intercept' is missing"),
        (without("training.rules.no_end"), "'rules.no_end' is missing"),
        (scores(link="magic"), "an unknown way, 'magic'"),
        (scores(link="rest of bayes"), "should have shape"),
        (scores(link="none"), "have no method 'predict_log_proba'"),
        (scores(link=3), "should be a string"),
        (scores(classes=["B-L", "B-N", "I-N", "X"]), "should have the same labels"),
        (scores(classes=["B-L", "B-N", "I-N"]), "should have shape"),
        (scores(classes=["O"]), "should be there, each of them once"),
        (scores(classes=["O", "O"]), "each of them once"),
        (training(labels=["A", "B", "C"]), "should have shape"),
        (training(labels=["O", "I-N", "B-N", "B-L"]), "in order"),
        (_part("scores", kind="linear model"), "'linear scores' is wanted"),
        (tampered({"parts": {}}), "'training' is missing"),
        (tampered({"method": "fit"}), "have no method 'fit'"),
        (tampered({"method": "__class__"}), "have no method"),
        (tampered({"previous": False}), "should have shape"),
        (tampered({"previous": 1}), "true or false"),
        (options(decode="magic"), "decode must be one of"),
        (options(beam=0), "beam must be"),
        (options(scores="loud"), "scores must be one of"),
        (options(previous="yes"), "previous must be True or False"),
        (options(colour="red"), "there is no option 'colour'"),
    ],
)  # fmt: skip
def test_tampered_files_are_refused(state, message, tmp_path):
    store.write(tmp_path / "model", SOUND)
    assert seqlab.load(tmp_path / "model").tag(["Oslo"]) == ["B-L"]
    store.write(tmp_path / "model", state)
    with pytest.raises(StoreError, match=message):
        seqlab.load(tmp_path / "model")


def test_kinds_are_kept_apart():
    with pytest.raises(StoreError, match="these bytes hold a LocalTagger, a CRF is wanted"):
        CRF.from_bytes(store.as_bytes(SOUND))
    with pytest.raises(StoreError, match="a model of kind 'local tagger' is wanted"):
        LocalTagger.from_state(SOUND.replaced(kind="crf"))
    with pytest.raises(SeqlabError):
        LocalTagger(LinearSVC()).as_bytes()
