"""What a classifier is trained on: attributes, the label before, weights; and what is refused."""

import pickle

import numpy as np
import pytest
from pytest import approx
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from seqlab import Template
from seqlab.errors import CorpusError, OptionError, QuestionError, ShapeError
from seqlab.families.local.tagger import LocalTagger

X = [
    ["the", "dog", "runs"],
    ["a", "run"],
    ["dogs", "run", "the", "show"],
    [],
    ["we", "show", "the", "dog"],
    ["run"],
]
Y = [["D", "N", "V"], ["D", "N"], ["N", "V", "D", "N"], [], ["P", "V", "D", "N"], ["V"]]
TEST = [["the", "run"], [], ["we", "run", "unheard", "dogs"], ["show"]]


# ---------------------------------------------------------------- features


def test_features_of_label_pairs_are_seen_with_the_previous_label():
    # The label of the second token is decided by the first label and the second word together: an exclusive or.
    x = [["a", "u"], ["b", "u"], ["a", "v"], ["b", "v"]] * 3
    y = [["X", "X"], ["Y", "Y"], ["X", "Y"], ["Y", "X"]] * 3
    both = Template.parse("word[0]\nedge: word[0]")
    blind = LocalTagger(LogisticRegression(C=100.0), Template.parse("word[0]"), previous=True).fit(x, y)
    seeing = LocalTagger(LogisticRegression(C=100.0), both, previous=True).fit(x, y)
    assert blind.score(x, y) < 1.0
    assert seeing.predict(x) == y
    assert LocalTagger(LogisticRegression(), both).fit(x, y).layout_.previous is False
    tagger = LocalTagger(LogisticRegression(C=100.0), both, previous=True, decode="greedy").fit(x, y)
    assert tagger.predict(x) == y


def test_attributes_may_come_ready_made_and_have_values():
    bags = [[{"size": 2.0, "w=a": 1.0}, {"size": -1.0}], [{"size": 0.5}]]
    tagger = LocalTagger(RidgeClassifier(), None).fit(bags, [["X", "Y"], ["X"]])
    assert tagger.predict([[{"size": 3.0}, {"size": -3.0}]]) == [["X", "Y"]]
    assert tagger.evaluate(bags, [["X", "Y"], ["X"]]).unseen is None


def test_min_count_drops_attributes():
    assert LocalTagger(LinearSVC(), "word[0]", min_count=3).fit(X, Y).encoder_.attributes == [
        "word[0]=the", "word[0]=run",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no attribute is left to learn from; lower min_count"):
        LocalTagger(LinearSVC(), "word[0]", min_count=99).fit(X, Y)


# ---------------------------------------------------------------- training


def test_the_given_classifier_is_not_touched():
    classifier = LinearSVC()
    tagger = LocalTagger(classifier).fit(X, Y)
    assert not hasattr(classifier, "coef_")
    assert tagger.classifier is classifier
    assert tagger.classifier_ is not classifier
    assert tagger.classifier_.classes_.tolist() == ["D", "N", "P", "V"]


class Recording(MultinomialNB):
    """Remembers what it was trained on."""

    def fit(self, X, y, sample_weight=None):
        self.rows_, self.targets_, self.weights_ = X.toarray(), list(y), sample_weight
        return super().fit(X, y, sample_weight)


def trained_on(x, y, *, sample_weight=None, features="word[0]", **options):
    return LocalTagger(Recording(), features, **options).fit(x, y, sample_weight=sample_weight).classifier_


def test_tokens_without_a_label_are_left_out():
    assert trained_on([["a", "b", "c"]], [["X", None, "Y"]]).targets_ == ["X", "Y"]
    assert trained_on(X, Y).weights_ is None


def test_weights_reach_the_classifier():
    x, y = [["a", "b"], ["c"]], [["X", "Y"], ["Y"]]
    assert trained_on(x, y, sample_weight=[2, 3]).weights_.tolist() == [2.0, 2.0, 3.0]
    assert trained_on(x, y, sample_weight=[[1, 4], [3]]).weights_.tolist() == [1.0, 4.0, 3.0]
    assert trained_on(x, y, class_weight={"Y": 5}).weights_.tolist() == [1.0, 5.0, 5.0]
    assert trained_on(x, y, class_weight="balanced").weights_ == approx([1.5, 0.75, 0.75])
    both = trained_on(x, y, class_weight={"Y": 5}, sample_weight=[2, 3])
    assert both.weights_.tolist() == [2.0, 10.0, 15.0]


def test_sets_of_labels_share_the_weight_of_their_token():
    found = trained_on([["a", "b", "c"]], [["X", {"X", "Y"}, "Y"]], sample_weight=[4])
    assert sorted(zip(found.targets_, found.weights_.tolist(), strict=True)) == [
        ("X", 2.0), ("X", 4.0), ("Y", 2.0), ("Y", 4.0),
    ]  # fmt: skip


def test_weights_go_to_the_last_step_of_a_pipeline():
    tagger = LocalTagger(make_pipeline(TfidfTransformer(), Recording()), "word[0]")
    assert tagger.fit(X, Y, sample_weight=range(1, 7)).classifier_[-1].weights_[:3].tolist() == [
        1.0,
        1.0,
        1.0,
    ]


def test_one_versus_rest_hands_weights_on():
    x, y = [["a"]] * 4, [["X"], ["X"], ["Y"], ["Z"]]
    weights = [1, 1, 5, 1]
    for inner in (LogisticRegression(), LinearSVC()):
        tagger = LocalTagger(OneVsRestClassifier(inner), "word[0]").fit(x, y, sample_weight=weights)
        assert tagger.tag(["a"]) == ["Y"]
        rows = np.ones((4, 1))
        for one, label in zip(tagger.classifier_.estimators_, "XYZ", strict=True):
            own = type(inner)().fit(rows, [int(labels == [label]) for labels in y], sample_weight=weights)
            np.testing.assert_allclose(one.coef_, own.coef_, rtol=1e-6)
    heavy = LocalTagger(OneVsRestClassifier(LogisticRegression()), "word[0]", class_weight={"Z": 9.0})
    assert heavy.fit(x, [["X"], [{"X", "Y"}], ["Y"], ["Z"]]).tag(["a"]) == ["Z"]
    search = LocalTagger(GridSearchCV(LinearSVC(), {"C": [0.1, 1.0]}, cv=2), "word[0]")
    assert search.fit(x * 2, y * 2, sample_weight=weights * 2).tag(["a"]) == ["Y"]


def test_classifiers_without_sparse_rows_get_them_with_all_zeros(monkeypatch):
    for previous in (False, True):
        tagger = LocalTagger(GaussianNB(), "word[0]", previous=previous).fit(X, Y)
        whole = tagger.predict_proba(X)
        monkeypatch.setattr("seqlab.families.local.scorer.MOST_CELLS", 20)
        np.testing.assert_array_equal(np.concatenate(tagger.predict_proba(X)), np.concatenate(whole))
    monkeypatch.setattr("seqlab.families.local.scorer.MOST_DENSE", 20)
    with pytest.raises(OptionError, match="GaussianNB takes no sparse rows, and 14 tokens with 8 attributes"):
        LocalTagger(GaussianNB(), "word[0]").fit(X, Y)


def test_scores_of_pairs_of_labels_are_refused():
    x, y = [["a", "b", "c"]] * 3, [["X", "Y", "Z"]] * 3  # three labels have three pairs: as many columns
    with pytest.raises(OptionError, match=r"SVC scores pairs of labels.*decision_function_shape='ovr'"):
        LocalTagger(SVC(decision_function_shape="ovo"), "word[0]").fit(x, y)


def test_weights_a_classifier_cannot_take_are_refused():
    for options, y in (({"class_weight": "balanced"}, Y), ({}, [[{"D", "N"}, *Y[0][1:]], *Y[1:]])):
        with pytest.raises(OptionError, match="but the fit of KNeighborsClassifier takes no sample_weight"):
            LocalTagger(KNeighborsClassifier(2), **options).fit(X, y)
    with pytest.raises(OptionError, match="takes no sample_weight"):
        LocalTagger(KNeighborsClassifier(2)).fit(X, Y, sample_weight=[1] * 6)
    LocalTagger(KNeighborsClassifier(2)).fit(X, Y)


def test_training_shows_the_label_before():
    found = trained_on([["a", "b", "c", "d"], ["e"]], [["X", "Y", None, "X"], ["Y"]], previous=True)
    # columns after the attributes: X, Y, no label before; after an unlabelled token there is none of them
    assert found.rows_[:, -3:].tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert found.rows_[:, :-3].sum(axis=1).tolist() == [1, 1, 1, 1]


def test_attributes_of_label_pairs_have_a_column_for_each_label_before():
    found = trained_on(
        [["a", "b", "b", "a"]],
        [["X", "Y", None, "Y"]],
        features=Template.parse("edge: word[0]\nbias"),
        previous=True,
    )
    bias, before, pairs = found.rows_[:, :1], found.rows_[:, 1:4], found.rows_[:, 4:]
    assert bias.tolist() == [[1], [1], [1]]
    assert before.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    # the first token has no label before it, and what stands before the last is not known: only b after X is left
    assert pairs.sum(axis=1).tolist() == [0, 1, 0]
    assert pairs.shape == (3, 2 * 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decode": "posterior"}, "decode must be one of 'viterbi', 'beam', 'greedy', got 'posterior'"),
        ({"beam": 0}, "beam must be a whole number from 1 up, got 0"),
        ({"previous": "yes"}, "previous must be True or False, got 'yes'"),
        ({"features": "chnk"}, "there is no preset 'chnk'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        LocalTagger(LinearSVC(), **options).fit(X, Y)


def test_ways_to_decode_may_be_changed_after_training_but_must_exist():
    tagger = LocalTagger(LinearSVC(), previous=True).fit(X, Y)
    assert tagger.set_params(decode="greedy").predict(TEST) == tagger.predict(TEST, decode="beam", beam=1)
    with pytest.raises(OptionError, match="decode must be one of 'viterbi', 'beam', 'greedy', got 'fast'"):
        tagger.set_params(decode="fast").predict(TEST)


def test_a_dictionary_needs_words():
    with pytest.raises(CorpusError, match="allowed speaks of words, but there is no column that holds them"):
        LocalTagger(LinearSVC(), None, allowed={"a": ["X"]}).fit([[["w=a"], ["w=b"]]], [["X", "Y"]])


def test_what_has_no_meaning_says_why():
    with pytest.raises(QuestionError, match="dev has no meaning here: the classifier's fit knows no epochs"):
        LocalTagger(LinearSVC()).fit(X, Y, dev=(X, Y))
    with pytest.raises(ShapeError, match="every label is 'X', but a classifier needs two to tell apart"):
        LocalTagger(LinearSVC()).fit([["a", "b"]], [["X", "X"]])


def test_pickles():
    tagger = LocalTagger(LogisticRegression(), previous=True, constraints=[("D", "V")]).fit(X, Y)
    again = pickle.loads(pickle.dumps(tagger))
    assert again.predict(TEST) == tagger.predict(TEST)
    assert (
        repr(again) == "LocalTagger(classifier=LogisticRegression(), previous=True, constraints=[('D', 'V')])"
    )


def test_same_bits_twice():
    one, two = (LocalTagger(LogisticRegression(), previous=True).fit(X, Y) for _ in range(2))
    for a, b in zip(one.predict_proba(TEST), two.predict_proba(TEST), strict=True):
        assert np.array_equal(a, b)
