"""Sequence models on sequences of length one equal classifiers of scikit-learn, and formulas by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from seqlab import CRF, HMM, LBFGS, MEMM, Dirichlet, FeatureBag, LocalTagger

linear_model = pytest.importorskip("sklearn.linear_model")
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402
from sklearn.naive_bayes import BernoulliNB, MultinomialNB  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402

WORDS = tuple("abcdefgh")
CLASSES = ("p", "q", "r")


def documents(seed, n):
    """Counts of words in documents, with at least one document of every class; and the same for seqlab."""
    rng = np.random.default_rng(seed)
    y = np.array([*CLASSES, *rng.choice(CLASSES, n - len(CLASSES))])
    taste = rng.dirichlet(np.ones(len(WORDS)), len(CLASSES))
    counts = np.array([rng.multinomial(6, taste[CLASSES.index(label)]) for label in y]).astype(float)
    return counts, y, [[dict(zip(WORDS, row, strict=True))] for row in counts], [[label] for label in y]


seeds = st.integers(0, 10_000)


@given(seeds, st.sampled_from([0.05, 0.5, 3.0]))
@settings(max_examples=10)
def test_crf_and_memm_are_logistic_regression(seed, l2):
    counts, y, X, labels = documents(seed, 25)
    # C = 1 / (2 l2): scikit-learn weighs the loss, we weigh the penalty
    peer = linear_model.LogisticRegression(C=0.5 / l2, fit_intercept=False, tol=1e-9, max_iter=5000)
    chances = peer.fit(counts, y).predict_proba(counts)
    learner = LBFGS(l2=l2, epsilon=1e-9, delta=0.0, dtype="float64")
    for tagger in (CRF(None, learner, states="all"), MEMM(None, learner, states="all")):
        ours = np.concatenate(tagger.fit(X, labels).predict_proba(X))
        assert ours == approx(chances, abs=2e-4)
        weights = np.array([tagger.state_features_[word, label] for label in CLASSES for word in WORDS])
        assert weights == approx(peer.coef_.ravel(), abs=2e-3)
        # it is the optimum: the gradient of eq. 1.10 is zero at our weights
        table = weights.reshape(len(CLASSES), -1)
        wrong = ours - (y[:, None] == np.array(CLASSES))
        assert wrong.T @ counts + 2 * l2 * table == approx(np.zeros(table.shape), abs=1e-3)


@given(seeds, st.sampled_from([0.1, 1.0, 5.0]))
def test_hmm_is_multinomial_naive_bayes(seed, add):
    """The MAP estimate under a Dirichlet prior, by counting: n_j = λ + Σ x_ij, divided by their sum."""
    counts, y, X, labels = documents(seed, 20)
    hmm = HMM(emissions=FeatureBag(WORDS), smoothing=Dirichlet(emissions=add)).fit(X, labels)
    peer = MultinomialNB(alpha=add).fit(counts, y)
    for i, label in enumerate(hmm.labels_):
        n = add + counts[y == label].sum(axis=0)
        assert hmm.model_.emissions.B[i] == approx(n / n.sum())
        assert np.log(hmm.model_.pi[i]) == approx(np.log((y == label).mean()))
    assert np.concatenate(hmm.predict_proba(X)) == approx(peer.predict_proba(counts), abs=1e-9)
    joint = peer.predict_joint_log_proba(counts)
    ours = [hmm.log_joint(x, label) for x, label in zip(X, labels, strict=True)]
    assert ours == approx(joint[np.arange(len(y)), np.searchsorted(CLASSES, y)])


@given(seeds, st.sampled_from([0.1, 1.0, 5.0]))
def test_hmm_is_bernoulli_naive_bayes_where_every_feature_is_on_or_off(seed, add):
    counts, y, _, labels = documents(seed, 20)
    on = counts > 0
    X = [
        [[f"{word} {'on' if there else 'off'}" for word, there in zip(WORDS, row, strict=True)]] for row in on
    ]
    both = [f"{word} {state}" for word in WORDS for state in ("on", "off")]
    hmm = HMM(emissions=FeatureBag(both), smoothing=Dirichlet(emissions=add)).fit(X, labels)
    peer = BernoulliNB(alpha=add).fit(on, y)
    assert np.concatenate(hmm.predict_proba(X)) == approx(peer.predict_proba(on), abs=1e-9)
    by_hand = (on[y == "p"].sum(axis=0) + add) / ((y == "p").sum() + 2 * add)
    columns = [hmm.model_.emissions.symbols.number[f"{word} on"] for word in WORDS]
    assert hmm.model_.emissions.B[0, columns] * len(WORDS) == approx(by_hand)


def test_ridge_is_its_closed_form():
    counts, y, X, labels = documents(3, 30)
    strength = 0.1
    tagger = LocalTagger(
        linear_model.RidgeClassifier(strength * len(y), fit_intercept=False, solver="cholesky"), None
    )
    tagger.fit(X, labels)
    signs = np.where(y[:, None] == np.array(CLASSES), 1.0, -1.0)
    by_hand = np.linalg.solve(counts.T @ counts + strength * len(y) * np.eye(len(WORDS)), counts.T @ signs)
    names = list(tagger.encoder_.attributes)
    order = [names.index(word) for word in WORDS]
    assert tagger.classifier_.coef_.T[order] == approx(by_hand)
    best = np.array(CLASSES)[(counts @ by_hand).argmax(axis=1)]
    assert [label for [label] in tagger.predict(X)] == best.tolist()


@pytest.mark.parametrize("binary", [LinearSVC(C=0.5), linear_model.LogisticRegression(C=0.5)])
def test_one_versus_all_takes_the_largest_of_k_binary_scores(binary):
    counts, y, X, labels = documents(4, 30)
    tagger = LocalTagger(OneVsRestClassifier(binary), None, scores="decision").fit(X, labels)
    columns = [WORDS.index(name) for name in tagger.encoder_.attributes]
    rows = counts[:, columns]
    scores = np.stack([binary.fit(rows, y == label).decision_function(rows) for label in CLASSES], axis=1)
    assert np.array([tagger.trellis(x).node[0] for x in X]) == approx(scores, abs=1e-6)
    assert [label for [label] in tagger.predict(X)] == np.array(CLASSES)[scores.argmax(axis=1)].tolist()


@pytest.mark.parametrize("peer", [BernoulliNB(), MultinomialNB()])
def test_a_word_that_comes_twice_is_one_column(peer):
    """A list with a word twice equals a count of 2."""
    X = [[["a", "b", "a"]], [["b", "c"]], [["a", "a", "a"]], [["c"]]]
    labels = [["p"], ["q"], ["p"], ["q"]]
    counts = np.array([[2, 1, 0], [0, 1, 1], [3, 0, 0], [0, 0, 1]])
    tagger = LocalTagger(peer, None).fit(X, labels)
    expected = peer.fit(counts, [label for [label] in labels]).predict_proba(counts)
    assert np.concatenate(tagger.predict_proba(X)) == approx(expected)
