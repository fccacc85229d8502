"""Training in order 2 and 3: the likelihood, learned weights, pruning (eq:order-k)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.lessons import exercise, exercises
from seqlab import (
    AROW,
    CRF,
    LBFGS,
    SGD,
    LinearTagger,
    PassiveAggressive,
    Perceptron,
    StructuredSVM,
    _core,
    demo_corpus,
    inference,
    load,
)
from seqlab.errors import OptionError

TIGHT = LBFGS(l2=0.05, dtype="float64", epsilon=1e-8, delta=0)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("kind", "digits"), [(_core.Likelihood32, 2e-4), (_core.Likelihood64, 1e-10)])
@pytest.mark.parametrize("order", [2, 3])
@given(data=st.data())
def test_likelihood_of_order_k_equals_the_sum_over_labellings(kind, digits, order, data):
    task = data.draw(exercises(order=order, weighted=None, scale=1.0))
    slope = np.empty(len(task.theta))
    value = task.loss(kind)(task.theta, slope, 1)
    wanted, wanted_slope = task.by_enumeration()
    assert value == pytest.approx(wanted, abs=digits)
    np.testing.assert_allclose(slope, wanted_slope, atol=digits)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("dictionary", [False, True])
def test_sequences_of_growing_length_share_one_evaluation(dictionary, order):
    """A later, longer sequence must not move what earlier ones of its block point to."""
    for seed in range(20):
        task = exercise(seed, 2, [2, 5, 9], order=order, dictionary=dictionary, partial=True)
        slope = np.empty(len(task.theta))
        value = task.loss(_core.Likelihood64)(task.theta, slope, 1)
        wanted, wanted_slope = task.by_enumeration()
        assert value == pytest.approx(wanted, abs=1e-9)
        np.testing.assert_allclose(slope, wanted_slope, atol=1e-9)


def labels_back(order):
    """Make sentences in which a label repeats the one `order` back; only the first labels show in words."""
    starts = list(itertools.product("AB", repeat=order))
    X = [[*start, *["-"] * (2 * order)] for start in starts]
    return X, [[*start] * 3 for start in starts]


def two_back():
    return labels_back(2)


LEARNERS = [
    LBFGS(l2=0.01),
    SGD(l2=0.001, epochs=60),
    PassiveAggressive(epochs=300),
    AROW(epochs=20),
    StructuredSVM(epochs=40),
    StructuredSVM(method="subgradient", epochs=600),
]


@pytest.mark.parametrize("keep", [0.0, 1e-3])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("order", [2, 3])
def test_order_k_learns_what_lower_orders_cannot(order, learner, keep):
    X, y = labels_back(order)
    lower = LinearTagger("word[0]", learner, order=order - 1, keep=keep).fit(X, y)
    higher = LinearTagger("word[0]", learner, order=order, keep=keep).fit(X, y)
    assert higher.predict(X) == y
    assert lower.predict(X) != y


@pytest.mark.parametrize("order", [2, 3])
def test_a_perceptron_of_order_k_ends_without_a_mistake(order):
    """Averages of few epochs still hold the first mistakes; the weights of the last epoch do not."""
    X, y = labels_back(order)
    lower, higher = (
        LinearTagger("word[0]", Perceptron(epochs=500), order=k).fit(X, y) for k in (order - 1, order)
    )
    assert higher.history_[-1].more["mistakes"] == 0
    assert lower.history_[-1].more["mistakes"] > 0


def by_enumeration(tagger, words):
    """Log-probabilities of all labellings from the tables of weights alone."""
    model = tagger.model_
    encoded = tagger.encoder_.encode([words])
    node = model.node_scores(encoded.node, dtype=np.float64)
    scores = {}
    for path in itertools.product(range(model.L), repeat=len(words)):
        score = sum(node[t, y] for t, y in enumerate(path))
        for t in range(1, len(path)):
            score += sum(table[path[t - n + 1 : t + 1]] for n, (table, _) in enumerate(model.tables[:t], 2))
        scores[path] = score
    log_z = np.logaddexp.reduce(list(scores.values()))
    return {path: score - log_z for path, score in scores.items()}


@pytest.mark.parametrize("order", [2, 3])
def test_answers_of_the_exact_model_are_those_of_enumeration(order):
    X, y = labels_back(order)
    tagger = CRF("word[0]\nword[-1]", LBFGS(l2=0.3), order=order, keep=0).fit(X, y)
    for words in ([], ["A"], ["A", "-"], ["A", "-", "-"], ["B", "A", "-", "-", "A", "-"]):
        truth = by_enumeration(tagger, words)
        best = max(truth, key=truth.get)
        assert tagger.tag(words) == [tagger.labels_[y] for y in best]
        for path in tagger.nbest(words, 4):
            assert path.log_prob == pytest.approx(truth[tuple(path.ids.tolist())], abs=1e-9)
        node = tagger.posterior(words).node
        for t, i in itertools.product(range(len(words)), range(2)):
            through = [p for path, p in truth.items() if path[t] == i]
            assert node[t, i] == pytest.approx(np.exp(np.logaddexp.reduce(through)), abs=1e-9)


@pytest.mark.parametrize("edge", ["", "\nedge: word[0]"])
def test_a_model_of_order_3_is_stored_pruned_edited_and_explained(edge, tmp_path):
    X, y = labels_back(3)
    tagger = CRF("word[0]\nword[-1]" + edge, LBFGS(l2=0.05), order=3).fit(X, y)
    tagger.save(tmp_path / "three.model")
    again = load(tmp_path / "three.model")
    assert again.model_.theta.tobytes() == tagger.model_.theta.tobytes()
    assert again.predict(X) == tagger.predict(X) == y
    assert again.log_prob(X[0], y[0]) == tagger.log_prob(X[0], y[0])
    assert tagger.prune(storage="float32").predict(X) == y
    edited = tagger.with_weights(transitions={("A", "A"): -50.0})
    assert not any(pair == ("A", "A") for labels in edited.predict(X) for pair in itertools.pairwise(labels))
    rows = {len(one.labels) for one in tagger.top_transitions(100)}
    assert rows == {2, 3, 4}
    found = tagger.explain(X[1], 4)
    assert found.log_odds is None
    assert found.margin == pytest.approx(found.total, abs=1e-9)
    known = tagger.trellis(X[1], known={4: found.label}), tagger.trellis(X[1], known={4: found.rival})
    one, other = (inference.viterbi(trellis).score for trellis in known)
    assert found.margin == pytest.approx(one - other, abs=1e-6)


@pytest.mark.parametrize("order", [2, 3])
def test_features_of_label_pairs_are_those_of_enumeration(order):
    """Decoding has tables for every position, training has pairs beside shared tables: the same probabilities."""
    X, y = labels_back(order)
    features = "word[0]\nedge: word[0]\nedge: word[-1]"
    tagger = CRF(features, TIGHT, order=order, keep=0).fit(X, y)
    theta = tagger.model_.theta
    likelihood = sum(tagger.log_prob(words, labels) for words, labels in zip(X, y, strict=True))
    assert tagger.history_[-1].objective == pytest.approx(-likelihood + TIGHT.l2 * theta @ theta, rel=1e-9)


@pytest.mark.parametrize("order", [2, 3])
def test_too_many_labels_for_the_tables_are_refused(order):
    count = {2: 600, 3: 120}[order]
    X = [[f"w{i}"] for i in range(count)]
    y = [[f"y{i}"] for i in range(count)]
    with pytest.raises(
        OptionError, match=rf"order={order} with {count} labels needs a table of {count}\^{order + 1}"
    ):
        CRF("word[0]", order=order).fit(X, y)


@pytest.mark.parametrize("order", [2, 3])
def test_pruning_that_keeps_everything_changes_nothing(order):
    corpus = demo_corpus("train")[:15]
    exact = CRF("word[0]\nword[-1]", TIGHT, order=order, keep=0).fit(corpus, "entity")
    tiny = CRF("word[0]\nword[-1]", TIGHT, order=order, keep=1e-30).fit(corpus, "entity")
    assert exact.model_.coarse is None
    assert tiny.model_.coarse is not None
    assert tiny.history_.objective[-1] == pytest.approx(exact.history_.objective[-1], rel=1e-7)
    assert tiny.predict(corpus) == exact.predict(corpus)


def flat_list(sentences):
    return list(itertools.chain.from_iterable(sentences))


@pytest.mark.parametrize("order", [2, 3])
def test_pruned_order_k_is_near_the_exact_one_and_beats_order_1(order):
    corpus, test = demo_corpus("train")[:80], demo_corpus("test")[:60]
    exact = CRF("chunk", order=order, keep=0).fit(corpus, "entity")
    pruned = CRF("chunk", order=order).fit(corpus, "entity")
    flat = CRF("chunk").fit(corpus, "entity")
    answers = list(zip(flat_list(exact.predict(test)), flat_list(pruned.predict(test)), strict=True))
    assert sum(a == b for a, b in answers) >= 0.97 * len(answers)
    assert pruned.history_.objective[-1] < flat.history_.objective[-1]


@pytest.mark.parametrize("order", [2, 3])
def test_training_goes_on_where_a_model_of_higher_order_stopped(order):
    X, y = labels_back(order)
    before = CRF("word[0]", TIGHT, order=order).fit(X, y)
    after = CRF("word[0]", TIGHT, order=order).fit(X, y, start=before)
    assert after.history_.objective[0] == pytest.approx(before.history_.objective[-1], rel=1e-3)
    assert len(after.history_) < len(before.history_)


@pytest.mark.parametrize("order", [2, 3])
def test_partial_fit_keeps_rows_of_labels(order):
    X, y = labels_back(order)
    tagger = CRF("word[0]", LBFGS(l2=0.01), order=order).fit(X, y)
    tagger.partial_fit([["+"]], [["C"]])
    assert tagger.labels_ == ("A", "B", "C")
    assert tagger.predict(X) == y
    assert tagger.predict([["+"]]) == [["C"]]


def test_what_is_known_may_be_what_pruning_left_out():
    X, y = two_back()
    tagger = CRF("word[0]", LBFGS(l2=0.001), order=2, keep=0.3).fit(X, y)
    exact = CRF("word[0]", LBFGS(l2=0.001), order=2, keep=0).fit(X, y)
    for first in "AB":
        known = {0: first, 1: "B"}
        assert tagger.tag(X[0], known=known)[:2] == [first, "B"]
        assert tagger.tag(X[0], known=known) == exact.tag(X[0], known=known)
        assert tagger.nbest(X[0], 1, known=known)[0].labels[:2] == (first, "B")


@pytest.mark.parametrize("order", [2, 3])
def test_order_k_keeps_to_constraints_and_dictionaries(order):
    corpus = demo_corpus("train")[:25]
    allowed = {"the": ["B-NP", "I-NP"], "of": ["B-PP"]}
    learner = LBFGS(max_iterations=10)
    tagger = CRF("word[0]", learner, order=order, constraints="IOB2", allowed=allowed).fit(corpus, "chunk")
    for words, labels in zip(corpus.column("word"), tagger.predict(corpus), strict=True):
        assert all(
            label in allowed.get(word, tagger.labels_) for word, label in zip(words, labels, strict=True)
        )
        for a, b in itertools.pairwise(["O", *labels]):
            assert not b.startswith("I-") or a[2:] == b[2:]
