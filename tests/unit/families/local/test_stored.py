"""A saved LocalTagger answers bit for bit as the one that was saved, and without scikit-learn."""

import copy
import itertools
import json
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    PassiveAggressiveClassifier,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

import seqlab
from seqlab import store
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, QuestionError, StoreError
from seqlab.families.local.classifier import LinearScores
from seqlab.families.local.tagger import LocalTagger
from seqlab.trellis import Constraints

WORDS = [["the", "old", "man", "runs"], ["Rio", "runs"], ["the", "Rio", "man", "the", "old"], [], ["runs"]]
TAGS = [["B-N", "I-N", "I-N", "O"], ["B-L", "O"], ["B-N", "B-L", "B-N", "B-N", "I-N"], [], ["O"]]
TWO = [["O" if tag == "O" else "N" for tag in sentence] for sentence in TAGS]
TRAIN = Corpus.from_lists(word=WORDS * 3, chunk=TAGS * 3)
TEST = [["the", "man", "Oslo", "runs"], ["old"], [], ["Rio"] * 3, ["the", "Rio", "runs", "old", "the"]]
TEMPLATE = "word[0]\nsuffix(word[0], 2)\nword[-1]"
EDGES = "word[0]\nsuffix(word[0], 1)\nedge: word[0]\nboth: word[-1]"


def passive_aggressive():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn will rename it
        return PassiveAggressiveClassifier(random_state=0)


CLASSIFIERS = {
    "LinearSVC": LinearSVC(random_state=0),
    "LinearSVC without intercept": LinearSVC(random_state=0, fit_intercept=False),
    "LogisticRegression": LogisticRegression(max_iter=300),
    "LogisticRegressionCV": LogisticRegressionCV(
        Cs=2, cv=2, max_iter=300, l1_ratios=(0,), use_legacy_attributes=False, scoring="accuracy"
    ),
    "RidgeClassifier": RidgeClassifier(),
    "RidgeClassifier without intercept": RidgeClassifier(fit_intercept=False),
    "RidgeClassifierCV": RidgeClassifierCV(),
    "SGDClassifier": SGDClassifier(random_state=0),
    "SGDClassifier, log": SGDClassifier(loss="log_loss", random_state=0),
    "SGDClassifier, huber": SGDClassifier(loss="modified_huber", random_state=0),
    "Perceptron": Perceptron(random_state=0),
    "PassiveAggressiveClassifier": passive_aggressive(),
    "MultinomialNB": MultinomialNB(),
    "ComplementNB": ComplementNB(),
    "OneVsRest of LinearSVC": OneVsRestClassifier(LinearSVC(random_state=0)),
    "OneVsRest of LogisticRegression": OneVsRestClassifier(LogisticRegression()),
    "OneVsRest of liblinear": OneVsRestClassifier(LogisticRegression(solver="liblinear")),
    "OneVsRest of SGDClassifier, log": OneVsRestClassifier(SGDClassifier(loss="log_loss", random_state=0)),
    "OneVsRest of huber": OneVsRestClassifier(SGDClassifier(loss="modified_huber", alpha=1, random_state=0)),
    "OneVsRest of MultinomialNB": OneVsRestClassifier(MultinomialNB()),
    "OneVsRest of ComplementNB": OneVsRestClassifier(ComplementNB()),
}
OPTIONS = {
    "plain": {},
    "previous": {"previous": True},
    "edges": {"features": EDGES, "previous": True, "constraints": "IOB2"},
    "decision": {"scores": "decision", "decode": "beam", "beam": 3},
    "greedy": {"previous": True, "decode": "greedy", "constraints": [("O", "I-N")]},
    "allowed": {"allowed": {"Oslo": ["B-L", "B-N"], "the": {"B-N", "O"}, "old": ("I-N",)}, "min_count": 2},
    "rules": {"constraints": Constraints([("O", "I-N")], ("I-N",)), "class_weight": {"O": 2.0}},
}


@pytest.fixture(autouse=True)
def quiet():
    """PassiveAggressiveClassifier warns whenever it is cloned."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        yield


def fitted(classifier, labels=TAGS, **options):
    return LocalTagger(classifier, **{"features": TEMPLATE, **options}).fit(WORDS * 3, labels * 3)


def options(**changes):
    """A sound state with other options."""
    sound = fitted(LogisticRegression(), allowed={"Oslo": ["B-L"]}, previous=True).state()
    return sound.replaced(settings={**sound.settings, "options": {**sound.settings["options"], **changes}})


def through_file(tagger, path, **options):
    tagger.save(path)
    return seqlab.load(path, verify=True, **options)


def trellises(tagger):
    found = [tagger.trellis(words) for words in TEST if words]
    return [array for one in found for array in (one.node, one.edge)]


def assert_same(one, two):
    assert (one.labels_, one.columns_, one.column_) == (two.labels_, two.columns_, two.column_)
    assert (one.vocabulary_, one.layout_, one.response_) == (two.vocabulary_, two.layout_, two.response_)
    assert one.predict(TEST) == two.predict(TEST)
    for mine, other in zip(trellises(one), trellises(two), strict=True):
        np.testing.assert_array_equal(mine, other)  # the same bits
    for words in TEST:
        assert [path.score for path in one.nbest(words, 3)] == [path.score for path in two.nbest(words, 3)]


@pytest.mark.parametrize("labels", [TAGS, TWO], ids=["four labels", "two labels"])
@pytest.mark.parametrize("previous", [False, True])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_linear_classifier_comes_back_bit_for_bit(name, previous, labels, tmp_path):
    tagger = fitted(CLASSIFIERS[name], labels, previous=previous)
    back = through_file(tagger, tmp_path / "model")
    assert_same(tagger, back)
    assert isinstance(back.classifier_, LinearScores)
    assert back.as_bytes() == tagger.as_bytes()  # before and after the classifier is made
    assert type(back.classifier) is type(CLASSIFIERS[name])
    assert repr(back.classifier.get_params()) == repr(CLASSIFIERS[name].get_params())
    assert back.as_bytes() == tagger.as_bytes()
    assert_same(back, LocalTagger.from_bytes(back.as_bytes()))


@pytest.mark.parametrize("name", ["LinearSVC", "LogisticRegression", "SGDClassifier, log"])
@pytest.mark.parametrize("options", OPTIONS)
def test_every_option_comes_back(name, options, tmp_path):
    tagger = fitted(CLASSIFIERS[name], **OPTIONS[options])
    back = through_file(tagger, tmp_path / "model")
    assert_same(tagger, back)
    for option in set(tagger.get_params(deep=False)) - {"classifier"}:
        one, other = (sorted(repr(getattr(each, option))) for each in (back, tagger))  # sets have no order
        assert one == other, option


def test_many_attributes_and_labels_sum_alike():
    """Longer sums than above, where another order of their terms would show in the last bits."""
    corpus = seqlab.demo_corpus("train")[:60]
    classifiers = [
        LogisticRegression(max_iter=2000),
        MultinomialNB(),
        LinearSVC(),
        RidgeClassifier(),
        SGDClassifier(loss="log_loss", random_state=0),
        OneVsRestClassifier(LogisticRegression(max_iter=2000)),
    ]
    for classifier in classifiers:
        tagger = LocalTagger(classifier, "pos", previous=True).fit(corpus, "pos")
        back = LocalTagger.from_bytes(tagger.as_bytes())
        assert back.predict(corpus) == tagger.predict(corpus)
        for sentence in itertools.islice(corpus, 5):
            one, two = tagger.trellis(sentence), back.trellis(sentence)
            np.testing.assert_array_equal(one.node, two.node)
            np.testing.assert_array_equal(one.edge, two.edge)


def test_probabilities_come_back():
    for name in ("LogisticRegression", "MultinomialNB", "SGDClassifier, log"):
        tagger = fitted(CLASSIFIERS[name])
        back = LocalTagger.from_bytes(tagger.as_bytes())
        for one, two in zip(tagger.predict_proba(TEST), back.predict_proba(TEST), strict=True):
            np.testing.assert_array_equal(one, two)
    back = LocalTagger.from_bytes(fitted(CLASSIFIERS["LinearSVC"]).as_bytes())
    with pytest.raises(QuestionError, match="the decision_function of LinearSVC gives scores"):
        back.posterior(TEST[0])
    with pytest.raises(QuestionError, match="LinearSVC gives scores, not probabilities"):
        back.classifier_.predict_proba(None)


def test_a_corpus_comes_back_by_its_columns(tmp_path):
    tagger = LocalTagger(LinearSVC(), "ner").fit(TRAIN, "chunk")
    back = through_file(tagger, tmp_path / "model")
    assert back.evaluate(TRAIN).figures == tagger.evaluate(TRAIN).figures
    assert (back.column_, back.columns_, back.features) == ("chunk", ("word",), "ner")


def test_ready_made_attributes_come_back():
    bags = [[{"w": 0.5, f"is {word}": 2.0} for word in words] for words in WORDS]
    tagger = LocalTagger(LinearSVC(), None).fit(bags, TAGS)
    back = LocalTagger.from_bytes(tagger.as_bytes())
    assert back.features is None
    assert back.predict(bags) == tagger.predict(bags)


def endings(sentence, t):
    yield sentence["word"][t][-2:]


def test_functions_are_given_back_by_name(tmp_path):
    tagger = fitted(LinearSVC(), features=endings)
    with pytest.raises(StoreError, match="endings', and a model file holds no code"):
        through_file(tagger, tmp_path / "model")
    back = through_file(tagger, tmp_path / "model", functions={"endings": endings})
    assert back.features is endings
    assert_same(tagger, back)


def test_sparse_weights_come_back():
    tagger = fitted(LinearSVC(random_state=0))
    tagger.classifier_.sparsify()
    # scipy multiplies two sparse matrices in an order of its own
    for one, two in zip(trellises(tagger), trellises(LocalTagger.from_bytes(tagger.as_bytes())), strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


WITHOUT = """
import sys
class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "sklearn":
            raise ImportError(name)
sys.meta_path.insert(0, Refused())
import json, seqlab
tagger = seqlab.load(sys.argv[1])
print(json.dumps([tagger.predict(json.loads(sys.argv[2])), repr(tagger.classifier)]))
tagger.save(sys.argv[1])
try:
    tagger.fit([["a"]], [["X"]])
except seqlab.errors.OptionError as error:
    assert "and no classifier; to train it, give it one of scikit-learn" in str(error)
assert "sklearn" not in sys.modules
"""


@pytest.mark.parametrize("name", ["LinearSVC", "OneVsRest of LogisticRegression"])
def test_a_loaded_one_tags_without_scikit_learn(name, tmp_path):
    tagger = fitted(CLASSIFIERS[name], previous=True)
    tagger.save(tmp_path / "model")
    said = subprocess.check_output([sys.executable, "-c", WITHOUT, tmp_path / "model", json.dumps(TEST)])
    labels, classifier = json.loads(said)
    assert labels == tagger.predict(TEST)
    assert classifier.startswith("LinearScores(")
    assert (tmp_path / "model").read_bytes() == tagger.as_bytes()  # the given classifier is not lost


def test_loading_and_tagging_do_not_look_for_scikit_learn(tmp_path):
    fitted(LinearSVC()).save(tmp_path / "model")
    code = "import sys, seqlab; seqlab.load(sys.argv[1]).predict([['Rio']]); print('sklearn' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code, tmp_path / "model"]) == b"False\n"


def test_a_loaded_one_learns_again_alike():
    tagger = fitted(LogisticRegression(C=0.5, class_weight={"O": 2.0}), previous=True)
    back = LocalTagger.from_bytes(tagger.as_bytes())
    assert back.classifier.class_weight == {"O": 2.0}
    assert_same(tagger, back.fit(WORDS * 3, TAGS * 3))
    assert back.set_params(classifier=RidgeClassifier()).fit(WORDS, TAGS).tag(["Rio"]) == ["B-L"]


def test_options_that_a_file_cannot_hold_leave_the_numbers():
    tagger = fitted(LinearSVC(random_state=np.random.RandomState(0)))
    back = LocalTagger.from_bytes(tagger.as_bytes())
    assert_same(tagger, back)
    assert back.classifier is back.classifier_
    with pytest.raises(
        OptionError, match=r"the numbers of its LinearSVC and no classifier; to train it, give it"
    ):
        back.fit(WORDS, TAGS)
    assert back.as_bytes() == tagger.as_bytes()


@pytest.mark.parametrize(
    "told",
    [
        "LinearSVC",
        {"list": [1]},
        {"object": {"name": "SVC", "fields": {}}},
        {"object": {"name": "os.system", "fields": {"command": "true"}}},
        {"object": {"name": "LinearSVC", "fields": {"colour": "red"}}},
        {"object": {"name": "OneVsRestClassifier", "fields": {"estimator": {"set": [{"list": []}]}}}},
    ],
)
def test_no_other_class_is_looked_up(told):
    back = LocalTagger.from_bytes(store.as_bytes(options(classifier=told)))
    assert back.tag(["Oslo"]) == ["B-L"]
    assert back.classifier is back.classifier_  # as in a file that does not say how it was made


def test_a_loaded_one_is_as_good_as_another_estimator():
    back = LocalTagger.from_bytes(fitted(LinearSVC()).as_bytes())
    bare = LocalTagger.from_bytes(store.as_bytes(options(classifier=None)))
    assert "classifier=LinearScores(LogisticRegression, 4 classes, 4 x " in repr(bare)
    assert not [name for name in bare.get_params() if name.startswith("classifier__")]
    assert back.get_params()["classifier__C"] == 1.0
    for one in (back, bare):
        for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert_same(one, again)
        assert clone(one).get_params(deep=False).keys() == one.get_params(deep=False).keys()
    np.testing.assert_array_equal(back.classifier_.coef_, back.classifier_.weights.T)
