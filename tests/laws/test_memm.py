"""The MEMM: every choice is a distribution, paths are products of choices, and training climbs their likelihood."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.linear_models import WORDS, random_case, random_model
from oracle.memm import Choices
from seqlab import LBFGS, MEMM, ConjugateGradient, GradientAscent, _core, inference, load
from seqlab.corpus import Corpus
from seqlab.encode import Encoder
from seqlab.errors import OptionError
from seqlab.families.linear.memm import memm_trellises
from seqlab.families.linear.training import TrainingSet
from seqlab.tagging.door.constraints import Allowed
from seqlab.tagging.door.sentences import read_gold

pytestmark = pytest.mark.usefixtures("kernel")

TIGHT = LBFGS(l2=0.5, epsilon=1e-9, delta=0.0, dtype="float64")


# ---------------------------------------------------------------- eq:memm-trellis


@st.composite
def cases(draw):
    return random_case(
        draw(st.integers(0, 2**32)),
        L=draw(st.integers(1, 4)),
        T=draw(st.integers(0, 4)),
        order=draw(st.integers(1, 3)),
        edges=draw(st.booleans()),
        valued=draw(st.booleans()),
        rules=draw(st.booleans()),
    )


@given(cases())
def test_trellis_scores_a_path_by_the_product_of_its_choices(case):  # eq:memm-trellis
    trellis = memm_trellises(case.model, case.encoded)[0]
    choices = Choices(case.model, case.encoded)
    for path in choices.paths():
        assert trellis.score(path) == approx(choices.log_prob(path), abs=1e-9)


@given(cases())
def test_log_partition_is_zero(case):  # eq:memm-trellis
    assert inference.log_partition(memm_trellises(case.model, case.encoded)[0]) == approx(0.0, abs=1e-9)


@given(cases())
def test_what_follows_does_not_change_a_label(case):  # eq:memm-trellis
    """Features here look back only, so a sentence that is cut off has the same labels up to the cut."""
    if case.model.rules:
        return  # a label that may not end a sentence is a rule about what follows
    whole = inference.posterior(memm_trellises(case.model, case.encoded)[0])
    for t in range(case.T):
        begun = memm_trellises(case.model, case.encoder.encode([case.words[: t + 1]]))[0]
        assert inference.posterior(begun).node[t] == approx(whole.node[t], abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_rows_are_distributions_and_huge_scores_do_no_harm(order):  # eq:memm-trellis
    case = random_case(5, L=3, T=4, order=order)
    huge = case.model.with_theta(case.model.theta * 300)
    trellis = memm_trellises(huge, case.encoded)[0]
    assert inference.log_partition(trellis) == approx(0.0, abs=1e-6)
    choices = Choices(huge, case.encoded)
    for before in range(3):
        assert math.fsum(math.exp(choices.log_choice(1, [before], y)) for y in range(3)) == approx(1.0)
    best = max(choices.paths(), key=choices.log_prob)
    assert tuple(inference.viterbi(trellis).ids) == best


@pytest.mark.parametrize("order", [1, 2])
def test_a_dead_end_keeps_its_share_of_the_probability(order):  # eq:memm-trellis
    """A label that nothing may follow can still be chosen: what is left of the paths sums to less than 1."""
    case = random_case(3, L=3, T=3, order=order)
    case.model.rules.forbidden[1, 0] = case.model.rules.forbidden[1, 2] = True
    allowed = [{0, 1, 2}, {0, 1, 2}, {0, 2}]
    mask = np.array([[y in some for y in range(3)] for some in allowed])
    trellis = memm_trellises(case.model, case.encoded, allowed=Allowed(mask))[0]
    choices = Choices(case.model, case.encoded, allowed=allowed)
    left = math.fsum(math.exp(choices.log_prob(path)) for path in choices.paths())
    assert left < 0.999
    assert inference.log_partition(trellis) == approx(math.log(left), abs=1e-9)


# ---------------------------------------------------------------- eq:memm-likelihood


class Problem:
    """A few random sentences with labels, and a random model over them."""

    def __init__(self, seed, *, L, lengths, edges, valued, rules, weighted, partial, dictionary, order=1):
        rng = np.random.default_rng(seed)
        self.names = tuple(f"y{i}" for i in range(L))
        sentences = [rng.choice(WORDS, length).tolist() for length in lengths]
        template = "word[0]\nword[-1]" + ("\nedge: word[0]" if edges else "")
        self.encoder = Encoder(_valued if valued else template)
        self.corpus = Corpus.from_lists(word=sentences)
        self.encoded = self.encoder.fit(self.corpus)
        self.model = random_model(rng, self.encoder, self.names, order=order, rules=rules)
        self.labels = [self._legal(rng, length) for length in lengths]
        self.lists = [[{y} for y in path] for path in self.labels]
        self.given = [[self.names[y] for y in path] for path in self.labels]
        if partial:
            self._blur(rng)
        tokens = sum(lengths)
        self.weights = rng.integers(1, 4, tokens).astype(float) / 2 if weighted else None
        self.active = self._active(rng, tokens) if dictionary else None
        gold = read_gold(self.corpus, self.given).numbered(self.names)
        self.task = TrainingSet(self.encoded, gold, self.weights, self.active).task(self.model, layered=False)

    def _legal(self, rng, length):
        """Labels that the rules allow; label 0 may stand anywhere."""
        path: list[int] = []
        for t in range(length):
            y, rules = int(rng.integers(len(self.names))), self.model.rules
            bad = rules.no_start[y] if not path else rules.forbidden[path[-1], y]
            path.append(0 if bad or (t == length - 1 and rules.no_end[y]) else y)
        return path

    def _blur(self, rng):
        for s, path in enumerate(self.labels):
            for t, y in enumerate(path):
                chance = rng.random()
                if chance < 0.3:
                    self.given[s][t], self.lists[s][t] = None, set(range(len(self.names)))
                elif chance < 0.5:
                    self.lists[s][t] = {y, int(rng.integers(len(self.names)))}
                    self.given[s][t] = {self.names[i] for i in self.lists[s][t]}

    def _active(self, rng, tokens):
        active = rng.random((tokens, len(self.names))) < 0.6
        active[:, 0] = True
        for token, some in enumerate(some for sentence in self.lists for some in sentence):
            if len(some) < len(self.names):
                active[token, list(some)] = True
        return active

    def value(self, theta):
        """The negative log-likelihood from choices alone."""
        model, total = self.model.with_theta(theta), 0.0
        for s, lists in enumerate(self.lists):
            tokens = range(int(self.encoded.offsets[s]), int(self.encoded.offsets[s + 1]))
            allowed = None
            if self.active is not None:
                allowed = [set(np.flatnonzero(self.active[token]).tolist()) for token in tokens]
            choices = Choices(model, self.encoded, s, allowed)
            told = [t for t, label in enumerate(self.given[s]) if label is not None]
            total += self._of_sentence(choices, lists, tokens, told)
        return total

    def _of_sentence(self, choices, lists, tokens, told):
        worth = [1.0 if self.weights is None else self.weights[token] for token in tokens]
        if all(len(some) == 1 for some in lists):
            path = [next(iter(some)) for some in lists]
            return -sum(
                w * choices.log_choice(t, path[:t], y)
                for t, (w, y) in enumerate(zip(worth, path, strict=False))
            )
        if not told:
            return 0.0
        fitting = [p for p in choices.paths() if all(y in some for y, some in zip(p, lists, strict=True))]
        weight = float(np.mean([worth[t] for t in told]))
        return -weight * float(np.logaddexp.reduce([choices.log_prob(path) for path in fitting]))


def _valued(sentence, t):
    word = sentence["word"][t]
    return {"word": word, "length": len(word) / 4}


@st.composite
def problems(draw, *, partial):
    return Problem(
        draw(st.integers(0, 2**32)),
        L=draw(st.integers(2, 3)),
        lengths=draw(st.lists(st.integers(0, 3), min_size=1, max_size=3).filter(any)),
        edges=draw(st.booleans()),
        valued=draw(st.booleans()),
        rules=draw(st.booleans()),
        weighted=draw(st.booleans()),
        partial=partial,
        dictionary=draw(st.booleans()),
        order=draw(st.integers(1, 3)),
    )


def differences(function, theta):
    """The slope by central differences, coordinate by coordinate."""
    slope = np.empty(len(theta))
    for k in range(len(theta)):
        step = np.zeros(len(theta))
        step[k] = 1e-5
        slope[k] = (function(theta + step) - function(theta - step)) / 2e-5
    return slope


@pytest.mark.parametrize(
    ("kind", "digits"), [(_core.LocalLikelihood32, 2e-4), (_core.LocalLikelihood64, 1e-8)]
)
@given(problem=problems(partial=False))
def test_value_is_the_sum_over_choices(kind, digits, problem):  # eq:memm-likelihood
    theta = problem.model.theta
    value = kind(problem.task)(theta, np.empty(len(theta)), 1)
    assert value == approx(problem.value(theta), abs=digits * (1 + np.abs(theta).sum()))


@pytest.mark.parametrize("L", [4, 9, 17, 33, 70])
def test_rows_of_any_width_are_summed(L):  # eq:memm-likelihood
    problem = Problem(
        2,
        L=L,
        lengths=[3, 0, 2, 1],
        edges=False,
        valued=False,
        rules=True,
        weighted=True,
        partial=False,
        dictionary=True,
    )
    theta = problem.model.theta
    for kind, digits in ((_core.LocalLikelihood32, 1e-5), (_core.LocalLikelihood64, 1e-12)):
        value = kind(problem.task)(theta, np.empty(len(theta)), 1)
        assert value == approx(problem.value(theta), rel=digits)


@given(problem=problems(partial=True))
def test_value_with_labels_known_in_part_is_the_sum_over_fitting_paths(problem):
    # eq:memm-likelihood eq:partial-labels
    theta = problem.model.theta
    value = _core.LocalLikelihood64(problem.task)(theta, np.empty(len(theta)), 1)
    assert value == approx(problem.value(theta), abs=1e-8 * (1 + np.abs(theta).sum()))


FULL = {"L": 3, "lengths": [3, 3, 1, 0, 2], "edges": True, "valued": False, "rules": True, "weighted": True}


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"edges": False},
        {"rules": False},
        {"weighted": False},
        {"valued": True},
        {"order": 2},
        {"order": 3},
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_slope_equals_differences_of_the_sum_over_choices(seed, change, partial, dictionary):
    # eq:memm-likelihood, by differences
    problem = Problem(seed, **{**FULL, **change}, partial=partial, dictionary=dictionary)
    theta = problem.model.theta
    slope = np.empty(len(theta))
    _core.LocalLikelihood64(problem.task)(theta, slope, 1)
    np.testing.assert_allclose(slope, differences(problem.value, theta), atol=1e-6)
    assert np.abs(slope).max() > 1e-3  # there is something to compare


@pytest.mark.parametrize("threads", [2, 8])
def test_threads_give_the_same_bits(threads):
    problem = Problem(1, **{**FULL, "lengths": [3, 2] * 30}, partial=True, dictionary=True)
    answers = []
    for count in (1, threads):
        slope = np.empty(len(problem.model.theta))
        answers.append(
            (_core.LocalLikelihood64(problem.task)(problem.model.theta, slope, count), slope.tobytes())
        )
    assert answers[0] == answers[1]


# ---------------------------------------------------------------- the whole tagger


def sentences(seed, count, lengths):
    """Words, and labels that depend on the word and on the label before."""
    rng = np.random.default_rng(seed)
    X = [rng.choice(WORDS, rng.integers(*lengths)).tolist() for _ in range(count)]
    y = []
    for words in X:
        path: list[int] = []
        for word in words:
            path.append((len(word) + (path[-1] if path else 0) + int(rng.random() < 0.3)) % 3)
        y.append([f"y{i}" for i in path])
    return X, y


@pytest.mark.parametrize(
    "learner", [TIGHT, LBFGS(l2=0.5, l1=0.3), ConjugateGradient(l2=0.5), GradientAscent(l2=0.5)]
)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_objective_is_the_penalised_likelihood_of_training(order, learner):  # eq:memm-likelihood
    X, y = sentences(0, 30, (0, 6))
    tagger = MEMM("word[0]\nword[-1]", learner, order=order).fit(X, y)
    theta = tagger.model_.theta
    likelihood = sum(tagger.log_prob(words, labels) for words, labels in zip(X, y, strict=True))
    penalty = learner.l2 * theta @ theta + getattr(learner, "l1", 0.0) * np.abs(theta).sum()
    assert tagger.history_[-1].objective == approx(-likelihood + penalty, rel=1e-9)


@pytest.mark.parametrize("lengths", [(1, 2), (1, 7)])
def test_tagger_equals_logistic_regression_with_the_previous_label_as_a_feature(lengths):
    """One-token sentences are plain logistic regression; longer ones too, once the label before is a column."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y = sentences(1, 60, lengths)
    tagger = MEMM("word[0]", TIGHT, states="all", transitions="all").fit(X, y)
    table = np.array([row for words, labels in zip(X, y, strict=True) for row in _rows(words, labels)])
    flat = [label for labels in y for label in labels]
    # C = 1 / (2 l2): scikit-learn weighs the loss, we weigh the penalty
    regression = linear_model.LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=5000)
    regression.fit(table, flat)
    expected = regression.predict_log_proba(table)[np.arange(len(flat)), [int(name[1]) for name in flat]]
    ours = [tagger.log_prob(words, labels) for words, labels in zip(X, y, strict=True)]
    ends = np.cumsum([len(words) for words in X])
    assert ours == approx([part.sum() for part in np.split(expected, ends[:-1])], abs=1e-4)
    for word in WORDS:
        chances = regression.predict_proba(np.array(_rows([word], ["y0"])))[0]
        assert tagger.posterior([word]).node[0] == approx(chances, abs=1e-4)


def _rows(words, labels):
    """(T, words + 3): which word, and which label before it."""
    earlier = [None, *labels[:-1]]
    return [
        [float(word == one) for one in WORDS] + [float(before == f"y{i}") for i in range(3)]
        for word, before in zip(words, earlier, strict=True)
    ]


def test_token_weights_weigh_choices():  # eq:memm-likelihood
    """A sentence of weight 2 is two sentences; a token of weight 0 teaches nothing of its own choice."""
    X, y = sentences(2, 20, (1, 5))
    twice = MEMM("word[0]", TIGHT).fit(X + X[:5], y + y[:5])
    weighted = MEMM("word[0]", TIGHT).fit(X, y, sample_weight=[2.0] * 5 + [1.0] * 15)
    assert weighted.state_features_ == approx(twice.state_features_, abs=1e-5)
    assert weighted.transition_features_ == approx(twice.transition_features_, abs=1e-5)
    ends = MEMM("word[0]", TIGHT).fit(X, y, sample_weight=[[1.0] + [0.0] * (len(words) - 1) for words in X])
    assert not ends.model_.moves.any()


def test_constraints_are_obeyed_and_share_out_the_probability():  # eq:memm-trellis
    X, y = [["a", "b"], ["c", "b"]], [["B-X", "I-X"], ["O", "O"]]
    tagger = MEMM("word[0]", constraints="IOB2").fit(X, y)
    assert tagger.log_prob(["a", "b"], ["O", "I-X"]) == -math.inf
    assert sum(math.exp(path.log_prob) for path in tagger.nbest(["a", "b"], 9)) == approx(1.0)


@pytest.mark.parametrize("order", [2, 3])
def test_an_memm_of_higher_order_answers_stores_and_explains(order, tmp_path):
    """Every label repeats the one `order` back, which choices that see fewer labels cannot know."""
    starts = list(itertools.product("AB", repeat=order))
    X = [[*start, *["-"] * order] for start in starts]
    y = [[*start, *start] for start in starts]
    tagger = MEMM("word[0]", LBFGS(l2=0.001), order=order).fit(X, y)
    assert tagger.predict(X) == y
    assert MEMM("word[0]", LBFGS(l2=0.001), order=order - 1).fit(X, y).predict(X) != y
    assert tagger.log_partition(X[1]) == approx(0.0, abs=1e-9)
    best = tagger.nbest(X[1], 2)
    assert list(best[0].labels) == y[1]
    assert best[0].log_prob == approx(tagger.log_prob(X[1], y[1]), abs=1e-9)
    assert tagger.posterior(X[1]).node.sum(axis=1) == approx(np.ones(2 * order))
    assert tagger.tag(X[1], known={2 * order - 1: "A"})[-1] == "A"
    found = tagger.explain(X[1], order)
    assert found.total == approx(found.log_odds if order == 2 else found.margin, abs=1e-6)
    tagger.save(tmp_path / "memm.model")
    again = load(tmp_path / "memm.model")
    assert again.predict_proba(X)[1].tobytes() == tagger.predict_proba(X)[1].tobytes()
    tagger.partial_fit(X, y)
    assert tagger.predict(X) == y
    assert tagger.prune(threshold=1e-6).predict(X) == y


def test_a_long_sentence_of_many_labels_is_refused_at_order_3():
    labels = [f"y{i}" for i in range(60)]
    tagger = MEMM("word[0]", LBFGS(max_iterations=1), order=3).fit([labels], [labels])
    with pytest.raises(OptionError, match=r"order 3 needs 60 tables of 60\^4 numbers here"):
        tagger.tag(labels)
