"""Any classifier on a trellis: its scores are the trellis's, and the best path is the best of all."""

import itertools

import numpy as np
import pytest
from pytest import approx
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from seqlab.corpus import Corpus
from seqlab.errors import BeamError, ImpossibleError, OptionError, QuestionError
from seqlab.families.local.tagger import LocalTagger
from seqlab.trellis import Constraints

SENTENCES = [
    [("the", "D"), ("dog", "N"), ("runs", "V")],
    [("a", "D"), ("run", "N")],
    [("dogs", "N"), ("run", "V"), ("the", "D"), ("show", "N")],
    [],
    [("we", "P"), ("show", "V"), ("the", "D"), ("dog", "N")],
    [("run", "V")],
]
X = [[word for word, _ in sentence] for sentence in SENTENCES]
Y = [[label for _, label in sentence] for sentence in SENTENCES]
TEST = [["the", "run"], [], ["we", "run", "unheard", "dogs"], ["show"]]
TEMPLATE = "word[0]\nsuffix(word[0], 1)\nword[-1]"

DECIDING = [
    LinearSVC(random_state=0),
    RidgeClassifier(),
    Perceptron(random_state=0),
    SGDClassifier(random_state=0),
    OneVsRestClassifier(LinearSVC(random_state=0)),
    make_pipeline(TfidfTransformer(), LinearSVC(random_state=0)),
    SVC(kernel="linear", decision_function_shape="ovr"),
]
PROBABLE = [
    LogisticRegression(max_iter=1000),
    MultinomialNB(),
    ComplementNB(),
    SGDClassifier(loss="log_loss", random_state=0),
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(n_estimators=5, random_state=0),
    KNeighborsClassifier(3),
    make_pipeline(TfidfTransformer(), MultinomialNB()),
]


def named(classifier):
    steps = getattr(classifier, "steps", None)
    return "+".join(type(step).__name__ for _, step in steps) if steps else type(classifier).__name__


def matrix_of(encoder, corpus):
    """The matrix of attributes, made anew."""
    encoded = encoder.encode(corpus)
    values = np.ones(len(encoded.ids)) if encoded.values is None else encoded.values
    shape = (encoded.token_count, encoder.size)
    return csr_matrix((values, encoded.ids.copy(), encoded.indptr.copy()), shape=shape)


def with_previous(tagger, sentence, t, previous):
    """One dense row: attributes, previous labels, no previous label."""
    own = matrix_of(tagger.encoder_, [sentence]).toarray()[t]
    flags = np.zeros(len(tagger.labels_) + 1)
    flags[-1 if previous is None else tagger.labels_.index(previous)] = 1
    return csr_matrix(np.concatenate([own, flags])[None, :])


def answer(classifier, rows, labels):
    """(rows, L) scores of the labels as the classifier itself gives them."""
    order = [list(classifier.classes_).index(label) for label in labels]
    if hasattr(classifier, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(classifier.predict_proba(rows))[:, order]
    return classifier.decision_function(rows)[:, order]


# ---------------------------------------------------------------- the classifier's scores


@pytest.mark.parametrize("classifier", DECIDING + PROBABLE, ids=named)
def test_trellis_has_the_scores_of_the_classifier(classifier):  # eq:local-trellis
    tagger = LocalTagger(classifier, TEMPLATE).fit(X, Y)
    assert tagger.labels_ == ("D", "N", "P", "V")
    expected = answer(tagger.classifier_, matrix_of(tagger.encoder_, TEST), tagger.labels_)
    found = np.concatenate([tagger.trellis(words).node for words in TEST])
    assert found == approx(expected, rel=1e-9)
    assert not tagger.trellis(TEST[0]).edge.any()
    best = [tagger.labels_[i] for i in expected.argmax(axis=1)]
    assert list(itertools.chain.from_iterable(tagger.predict(TEST))) == best


@pytest.mark.parametrize("classifier", DECIDING + PROBABLE, ids=named)
def test_without_neighbours_it_says_what_the_classifier_says(classifier):
    tagger = LocalTagger(classifier, TEMPLATE).fit(X, Y)
    if not isinstance(
        classifier, (SVC, KNeighborsClassifier)
    ):  # these break ties, or vote, in ways of their own
        said = tagger.classifier_.predict(matrix_of(tagger.encoder_, X)).tolist()
        assert list(itertools.chain.from_iterable(tagger.predict(X))) == said


@pytest.mark.parametrize(
    "classifier", [LinearSVC(random_state=0), RidgeClassifier(), LogisticRegression()], ids=named
)
@pytest.mark.parametrize("previous", [False, True])
def test_two_labels_have_two_columns(classifier, previous):
    x, y = [["a", "b", "a"], ["b"]], [["X", "Y", "X"], ["Y"]]
    tagger = LocalTagger(classifier, "word[0]", previous=previous, scores="decision").fit(x, y)
    node = tagger.trellis(["a"]).node
    row = with_previous(tagger, ["a"], 0, None) if previous else matrix_of(tagger.encoder_, [["a"]])
    margin = float(tagger.classifier_.decision_function(row)[0])
    assert node.tolist() == [[-margin, margin]]
    assert tagger.predict(x) == y


@pytest.mark.parametrize("classifier", [DECIDING[0], PROBABLE[0], PROBABLE[1], DECIDING[5]], ids=named)
def test_with_the_previous_label_moves_have_the_scores_of_the_classifier(classifier):  # eq:local-trellis
    tagger = LocalTagger(classifier, TEMPLATE, previous=True).fit(X, Y)
    words = TEST[2]
    trellis = tagger.trellis(words)
    assert trellis.node[0] == approx(
        answer(tagger.classifier_, with_previous(tagger, words, 0, None), tagger.labels_)[0], abs=1e-12
    )
    assert not trellis.node[1:].any()
    for t, (p, label) in itertools.product(range(1, len(words)), enumerate(tagger.labels_)):
        row = with_previous(tagger, words, t, label)
        assert trellis.edge[t - 1, p] == approx(answer(tagger.classifier_, row, tagger.labels_)[0], abs=1e-12)


def by_enumeration(tagger, words):
    """The best labelling of a chain of local decisions, asked one by one."""

    def score(path):
        before_each = (None, *path[:-1])
        rows = [with_previous(tagger, words, t, before) for t, before in enumerate(before_each)]
        return sum(
            answer(tagger.classifier_, row, tagger.labels_)[0, tagger.labels_.index(label)]
            for row, label in zip(rows, path, strict=True)
        )

    return max(itertools.product(tagger.labels_, repeat=len(words)), key=score)


@pytest.mark.parametrize("classifier", [DECIDING[0], PROBABLE[0]], ids=named)
def test_viterbi_finds_the_best_of_all_labellings(classifier):
    tagger = LocalTagger(classifier, TEMPLATE, previous=True).fit(X, Y)
    for words in (["we", "run", "show"], ["the", "run"]):
        assert tuple(tagger.tag(words)) == by_enumeration(tagger, words)


# ---------------------------------------------------------------- probabilities


@pytest.mark.parametrize("previous", [False, True])
@pytest.mark.parametrize("classifier", [PROBABLE[0], PROBABLE[1], PROBABLE[4]], ids=named)
def test_probabilities_of_labellings_add_up_to_one(classifier, previous):
    tagger = LocalTagger(classifier, TEMPLATE, previous=previous).fit(X, Y)
    for words in TEST:
        assert tagger.log_partition(words) == approx(0.0, abs=1e-9)
    for rows in tagger.predict_proba(TEST):
        assert rows.sum(axis=1) == approx(np.ones(len(rows)))


def test_decisions_are_no_probabilities():
    for tagger in (LocalTagger(LinearSVC()), LocalTagger(LogisticRegression(), scores="decision")):
        tagger.fit(X, Y)
        with pytest.raises(
            QuestionError, match=r"posterior has no meaning here: the decision_function of L.* gives sc"
        ):
            tagger.posterior(TEST[0])
        assert tagger.nbest(TEST[0], 2)[1].log_prob is None


def test_log_probabilities_do_not_underflow():
    tagger = LocalTagger(MultinomialNB(alpha=1e-3), None)
    heavy = {"w": 300.0}
    tagger.fit([[heavy, {"v": 300.0}]], [["X", "Y"]])
    assert np.isfinite(tagger.trellis([heavy]).node).all()


@pytest.mark.parametrize(
    ("classifier", "scores", "message"),
    [
        (LinearSVC(), "probability", "a classifier with predict_proba is wanted, but LinearSVC has none"),
        (
            MultinomialNB(),
            "decision",
            "a classifier with decision_function is wanted, but MultinomialNB has none",
        ),
        (LinearSVC(), "logits", "scores must be one of 'auto', 'probability', 'decision', got 'logits'"),
        (
            TfidfTransformer(),
            "auto",
            "a classifier with decision_function or predict_proba is wanted, but Tfidf",
        ),
        (LinearSVC, "auto", r"classifier must be an object, got the class LinearSVC; write LinearSVC\(\)"),
        ("svm", "auto", "classifier must be a classifier of scikit-learn, such as .*, got 'svm'"),
    ],
)
def test_unfit_classifiers_are_refused(classifier, scores, message):
    with pytest.raises(OptionError, match=message):
        LocalTagger(classifier, scores=scores).fit(X, Y)


def test_one_column_per_label_is_wanted():
    class Pairs(LinearSVC):
        def decision_function(self, X):
            return np.zeros((X.shape[0], 10))

    x, y = [["a", "b", "c", "d", "e"] * 3], [["A", "B", "C", "D", "E"] * 3]
    tagger = LocalTagger(Pairs(), "word[0]").fit(x, y)
    with pytest.raises(
        OptionError, match=r"shape \(1, 10\) for 1 tokens, but one column for each of the 5 labels"
    ):
        tagger.tag(["a"])
    assert LocalTagger(OneVsOneClassifier(LinearSVC(random_state=0)), "word[0]").fit(x, y).predict(x) == y


# ---------------------------------------------------------------- ways to decode


@pytest.mark.parametrize("classifier", [DECIDING[0], PROBABLE[0]], ids=named)
@pytest.mark.parametrize("previous", [False, True])
@pytest.mark.parametrize(
    "rules", [{}, {"constraints": [("D", "V"), ("V", "V")]}, {"allowed": {"run": ["V", "N"]}}]
)
def test_greedy_is_a_beam_of_one_and_a_wide_beam_is_viterbi(classifier, previous, rules):
    def made(**options):
        return LocalTagger(classifier, TEMPLATE, previous=previous, **rules, **options).fit(X, Y)

    data = X + TEST
    exact, greedy, wide = made(), made(decode="greedy"), made(decode="beam", beam=4)
    assert greedy.predict(data) == exact.predict(data, decode="beam", beam=1)
    assert wide.predict(data) == exact.predict(data)
    assert greedy.predict(data, decode="viterbi") == exact.predict(data)
    assert [greedy.tag(words) for words in data] == greedy.predict(data)
    assert greedy.tag(TEST[2], known={0: "N"})[0] == "N"


def test_greedy_says_where_it_got_stuck():
    never = [(one, other) for one in "DNPV" for other in "DNPV" if (one, other) != ("P", "V")]
    greedy = LocalTagger(LinearSVC(), TEMPLATE, previous=True, decode="greedy", constraints=never).fit(X, Y)
    with pytest.raises(
        BeamError, match=r"^sentence 2: following the best label alone has led to position 1"
    ) as caught:
        greedy.predict([["we", "run"], [], ["the", "run"]])
    assert (caught.value.sequence, caught.value.position) == (2, 1)
    assert greedy.predict([["the", "run"]], decode="viterbi") == [["P", "V"]]


@pytest.mark.parametrize("previous", [False, True])
@pytest.mark.parametrize("decode", ["viterbi", "greedy"])
def test_constraints_hold_from_the_first_token_to_the_last(previous, decode):
    x = [["a", "b", "c"], ["c", "c"], ["b"]]
    y = [["B-X", "E-X", "O"], ["O", "O"], ["S-X"]]
    free = LocalTagger(LinearSVC(random_state=0), "word[0]", previous=previous).fit(x, y)
    tagger = LocalTagger(
        LinearSVC(random_state=0), "word[0]", previous=previous, decode=decode, constraints="IOBES"
    ).fit(x, y)
    assert tagger.predict(x) == y
    for words in (["c", "b"], ["b", "b"], ["b", "c", "b"]):
        labels = " ".join(["O", *tagger.tag(words), "O"])
        assert not any(
            bad in labels for bad in ("O E-X", "S-X E-X", "B-X O", "E-X E-X", "B-X B-X", "B-X S-X")
        ), labels
    stuck = Corpus.from_lists(word=[["b"]], t=[["E-X"]])
    assert free.trellis(["b"]).score(["E-X"]) > -np.inf
    assert tagger.trellis(stuck[0]).score(["E-X"]) == -np.inf


def test_the_classifier_is_asked_of_reachable_labels_only():
    asked = []

    class Counting(LinearSVC):
        def decision_function(self, X):
            asked.append(X.shape[0])
            return super().decision_function(X)

    def rows(**rules):
        tagger = LocalTagger(Counting(random_state=0), "word[0]", previous=True, **rules).fit(X, Y)
        asked.clear()
        tagger.trellis(["the", "dog", "runs"])
        return sum(asked)

    assert rows() == 1 + 4 + 4
    assert rows(allowed={"the": ["D"], "dog": ["N", "V"]}) == 1 + 1 + 2
    only_n_after_d = [("D", other) for other in "DPV"]
    assert rows(constraints=only_n_after_d, allowed={"the": ["D"]}) == 1 + 1 + 1
    assert rows(constraints=Constraints(forbidden_starts=["P", "V"])) == 1 + 2 + 4


def test_greedy_keeps_an_eye_on_the_end():
    rules = Constraints(forbidden_ends=["N", "V"], forbidden_starts=["P"])
    greedy = LocalTagger(
        LinearSVC(random_state=0), TEMPLATE, previous=True, decode="greedy", constraints=rules
    )
    predicted = greedy.fit(X, Y).predict(X + TEST)
    assert [labels[-1] for labels in predicted if labels] == [
        labels[-1] for labels in greedy.predict(X + TEST, decode="beam", beam=1) if labels
    ]
    assert all(labels[-1] in "DP" and labels[0] != "P" for labels in predicted if labels)


class Backwards(LogisticRegression):
    """Gives its columns in the reverse order, and says so."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.classes_, self.coef_, self.intercept_ = (
            self.classes_[::-1],
            self.coef_[::-1],
            self.intercept_[::-1],
        )
        return self


@pytest.mark.parametrize("previous", [False, True])
def test_columns_are_found_by_the_names_of_classes(previous):
    usual, backwards = (
        LocalTagger(kind(), TEMPLATE, previous=previous).fit(X, Y) for kind in (LogisticRegression, Backwards)
    )
    assert backwards.labels_ == usual.labels_
    for one, other in zip(backwards.predict_proba(TEST), usual.predict_proba(TEST), strict=True):
        assert one == approx(other, abs=1e-12)


def test_a_dictionary_that_leaves_nothing_is_impossible():
    tagger = LocalTagger(
        LinearSVC(), TEMPLATE, previous=True, constraints=[("D", "N")], allowed={"the": ["D"], "dog": ["N"]}
    ).fit(X, Y)
    with pytest.raises(ImpossibleError, match="sentence 1: no legal path: nothing is left at position 1"):
        tagger.predict([["the"], ["the", "dog"]])


@pytest.mark.parametrize("previous", [False, True])
def test_blocks_and_threads_do_not_show(previous, monkeypatch):
    tagger = LocalTagger(LogisticRegression(), TEMPLATE, previous=previous).fit(X, Y)
    greedy = LocalTagger(LogisticRegression(), TEMPLATE, previous=previous, decode="greedy").fit(X, Y)
    data = (X + TEST) * 3
    expected = tagger.predict(data), greedy.predict(data), tagger.predict(data, threads=2)
    assert expected[0] == expected[2]
    for module in ("tagging.tagger", "families.local.tagger"):
        monkeypatch.setattr(f"seqlab.{module}.BLOCK", 3)
    monkeypatch.setattr("seqlab.families.local.tagger.MOST_ROWS", 2)
    assert (tagger.predict(data), greedy.predict(data)) == expected[:2]
