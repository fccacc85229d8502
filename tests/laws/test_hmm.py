"""Hidden Markov models: Figure 9.2 to all digits, every answer by enumeration, and emissions by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.stats import multivariate_normal, poisson

from oracle import hmm as oracle
from oracle import textbook
from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    HardEM,
    Poisson,
    Streams,
)

SYMBOLS = list(textbook.EMISSIONS)
B = np.array([textbook.EMISSIONS[word] for word in SYMBOLS]).T
FIGURE = HMM.from_tables(textbook.START, textbook.TRANSITIONS, B, states=textbook.LABELS, symbols=SYMBOLS)
WORDS = list(textbook.WORDS)


def digits(x):
    return approx(x, rel=1e-13)


# ---------------------------------------------------------------- Figure 9.2


def test_the_figure_to_all_digits():  # eq:hmm-joint
    assert math.exp(FIGURE.log_likelihood(WORDS)) == digits(textbook.LIKELIHOOD)
    for path, p in textbook.PATHS.items():
        assert math.exp(FIGURE.log_joint(WORDS, list(path))) == digits(p)
    assert ["".join(path.labels) for path in FIGURE.nbest(WORDS, 9)] == list(textbook.PATHS)
    for length, (path, p) in textbook.BEST_PREFIX.items():
        assert FIGURE.tag(WORDS[:length]) == list(path)
        assert math.exp(FIGURE.log_joint(WORDS[:length], list(path))) == digits(p)
    assert FIGURE.log_joint(WORDS, list("NNNNN")) == -math.inf
    third = textbook.PATHS["DNVDN"] / textbook.LIKELIHOOD
    assert FIGURE.posterior(WORDS).node[2, 2] == digits(third)


def test_labels_of_a_joint_may_be_open():
    both = math.exp(FIGURE.log_joint(WORDS, ["D", {"N", "A"}, None, "D", "N"]))
    assert both == digits(textbook.LIKELIHOOD)
    assert math.exp(FIGURE.log_joint(WORDS, ["D", "N", None, "D", "N"])) == digits(
        textbook.PATHS["DNVDN"] + textbook.PATHS["DNNDN"]
    )


# ---------------------------------------------------------------- any tables


@st.composite
def models(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    L, V = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    pi, A, B = rng.dirichlet(np.ones(L)), rng.dirichlet(np.ones(L), L), rng.dirichlet(np.ones(V), L)
    end = rng.uniform(0.05, 0.6, L) if draw(st.booleans()) else None
    if end is not None:
        A = A * (1 - end)[:, None]
    least = 0 if end is None else 1  # with an end nothing is empty
    x = [None if rng.random() < 0.2 else int(rng.integers(V)) for _ in range(draw(st.integers(least, 4)))]
    return pi, A, B, end, x


@given(models())
def test_answers_are_sums_over_paths(model):  # eq:hmm-emission
    pi, A, B, end, x = model
    hmm = HMM.from_tables(pi, A, B, end=end)
    found = list(oracle.paths(pi, A, B, x, end))
    z = math.fsum(p for _, p in found)
    assert math.exp(hmm.log_likelihood(x)) == approx(z, rel=1e-10)
    assert hmm.log_likelihoods([x, x]) == approx([math.log(z)] * 2, rel=1e-10, abs=1e-12)
    best = max(p for _, p in found)
    assert math.exp(hmm.nbest(x, 1)[0].score) == approx(best, rel=1e-10)
    for path, p in found[:5]:
        assert math.exp(hmm.log_joint(x, [hmm.labels_[y] for y in path])) == approx(p, rel=1e-10)
    for t in range(len(x)):
        for y, name in enumerate(hmm.labels_):
            mass = math.fsum(p for path, p in found if path[t] == y) / z
            assert hmm.posterior(x).label(t, name) == approx(mass, abs=1e-10)


@given(models())
def test_a_stream_knows_what_the_past_tells(model):  # eq:filter
    pi, A, B, _, x = model
    A = A / A.sum(axis=1, keepdims=True)
    hmm = HMM.from_tables(pi, A, B)
    stream = hmm.stream(lag=1)
    for t in range(len(x)):
        found = list(oracle.paths(pi, A, B, x[: t + 1]))
        z = math.fsum(p for _, p in found)
        row = [math.fsum(p for path, p in found if path[-1] == y) / z for y in range(len(pi))]
        step = stream.push(x[t])
        assert step.node == approx(row, abs=1e-9)
        assert math.exp(step.log_z) == approx(z)
        assert hmm.filter(x).node[t] == approx(row, abs=1e-9)


def test_probabilities_of_all_sequences_sum_to_one_with_an_end():
    A, end = np.array([[0.2, 0.2], [0.1, 0.1]]), [0.6, 0.8]
    hmm = HMM.from_tables([0.5, 0.5], A, [[0.3, 0.7], [1.0, 0.0]], end=end)
    import itertools

    total = [
        sum(math.exp(hmm.log_likelihood(list(x))) for x in itertools.product([0, 1], repeat=n))
        for n in range(1, 9)
    ]
    assert sum(total) == approx(1.0, abs=1e-3)


def test_drawn_sequences_have_the_frequencies_of_the_tables():
    end = [0.0, 0.5]
    A = [[0.6, 0.4], [0.3, 0.2]]
    hmm = HMM.from_tables(
        [0.25, 0.75], A, [[0.9, 0.1], [0.2, 0.8]], end=end, symbols=["a", "b"], states=["x", "y"]
    )
    drawn = hmm.sample(n=3000, seed=5)
    assert drawn.states == hmm.sample(n=3000, seed=5).states != hmm.sample(n=3000, seed=6).states
    assert np.mean([row[0] == "y" for row in drawn.states]) == approx(0.75, abs=0.03)
    assert all(row[-1] == "y" for row in drawn.states)
    pairs = [
        (s, o)
        for states, seen in zip(drawn.states, drawn.observations, strict=True)
        for s, o in zip(states, seen, strict=True)
    ]
    assert np.mean([o == "a" for s, o in pairs if s == "x"]) == approx(0.9, abs=0.02)
    assert [len(row) for row in hmm.sample(n=2, length=[3, 0], seed=1).states] == [3, 0]


def test_the_long_run_shares_are_what_the_moves_leave_as_it_is():  # eq:stationary
    rng = np.random.default_rng(0)
    A = rng.dirichlet(np.ones(4), 4)
    hmm = HMM.from_tables(np.ones(4) / 4, A, np.ones((4, 1)))
    share = hmm.stationary()
    assert share @ A == approx(share)
    assert share == approx(np.linalg.matrix_power(A, 200)[0])
    apart = HMM.from_tables([0.3, 0.7], np.eye(2), np.ones((2, 1)))
    assert apart.stationary() == approx([0.3, 0.7])
    circle = HMM.from_tables([1.0, 0.0], [[0.0, 1.0], [1.0, 0.0]], np.ones((2, 1)))
    assert circle.stationary() == approx([0.5, 0.5])


def test_criteria_count_what_was_free_to_choose():  # eq:aic eq:bic
    hmm = HMM.from_tables([0.5, 0.5], np.full((2, 2), 0.5), np.full((2, 3), 1 / 3))
    x = [0, 1, 2, 0]
    likelihood = 4 * math.log(1 / 3)
    parameters = 1 + 2 + 2 * 2
    assert hmm.n_parameters_ == parameters
    assert hmm.aic([x]) == approx(-2 * likelihood + 2 * parameters)
    assert hmm.bic([x]) == approx(-2 * likelihood + parameters * math.log(4))
    sizes = {"full": 2 * 3, "diag": 2 * 2, "tied": 3, "spherical": 2}
    for kind, count in sizes.items():
        X = np.random.default_rng(0).normal(size=(30, 2))
        assert HMM(2, Gaussian(kind)).fit(X).n_parameters_ == 1 + 2 + 2 * 2 + count


# ---------------------------------------------------------------- emissions by hand


def test_a_bag_of_features_is_naive_bayes():  # eq:naive-bayes-emission
    X = [[["suffix=ly", "lower"]], [["upper"]], [["lower", "lower"]], [["suffix=ly"]]]
    y = [["R"], ["N"], ["N"], ["R"]]
    hmm = HMM(emissions=FeatureBag(), smoothing=1.0).fit(X, y)
    R, N = hmm.labels_.index("R"), hmm.labels_.index("N")
    table = {f: hmm.model_.emissions.B[:, i] for i, f in enumerate(hmm.model_.emissions.symbols.words)}
    assert table["lower"][R] == approx((1 + 1) / (3 + 3))
    assert table["lower"][N] == approx((2 + 1) / (3 + 3))
    assert table["upper"][R] == approx((0 + 1) / (3 + 3))
    start = (2 + 1) / (4 + 2)
    for bag in (["lower", "upper"], ["suffix=ly", "lower", "lower"], [], ["never seen"]):
        joint = {
            name: start * math.prod(table[f][i] if f in table else 1.0 for f in bag)
            for name, i in (("R", R), ("N", N))
        }
        assert math.exp(hmm.log_joint([bag], ["R"])) == approx(joint["R"])
        assert hmm.posterior([bag]).label(0, "R") == approx(joint["R"] / (joint["R"] + joint["N"]))
    assert math.exp(hmm.log_joint([{"lower": 2.0}], ["N"])) == approx(start * table["lower"][N] ** 2)


def scores(hmm, corpus):
    """log P(x_t | y) of every token."""
    emissions = hmm.model_.emissions
    return emissions.scores(emissions.observe(corpus, hmm._column_in(corpus), unknown=hmm.unknown_))


def spd(rng, n):
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("kind", ["full", "diag", "tied", "spherical"])
def test_gaussian_densities(kind):  # eq:gaussian-emission
    rng = np.random.default_rng(1)
    means = rng.normal(size=(2, 3))
    full = np.stack([spd(rng, 3) for _ in range(2)])
    given = {
        "full": full,
        "diag": np.stack([np.diag(one) for one in full]),
        "tied": full[0],
        "spherical": np.array([0.5, 2.0]),
    }[kind]
    matrix = {
        "full": full,
        "diag": np.stack([np.diag(np.diag(one)) for one in full]),
        "tied": [full[0]] * 2,
        "spherical": [0.5 * np.eye(3), 2 * np.eye(3)],
    }[kind]
    hmm = HMM.from_tables(
        [0.5, 0.5], np.full((2, 2), 0.5), {"means": means, "covariances": given}, emissions=Gaussian(kind)
    )
    x = rng.normal(size=(4, 3))
    node = scores(hmm, hmm._corpus([x]))
    for y in range(2):
        assert node[:, y] == approx(multivariate_normal(means[y], matrix[y]).logpdf(x))


def test_mixture_and_poisson_probabilities():  # eq:mixture-emission eq:poisson-emission
    rng = np.random.default_rng(2)
    weights, means = rng.dirichlet(np.ones(2), 2), rng.normal(size=(2, 2, 2))
    full = np.stack([[spd(rng, 2) for _ in range(2)] for _ in range(2)])
    tables = {"weights": weights, "means": means, "covariances": full}
    even = ([0.5, 0.5], np.full((2, 2), 0.5))
    hmm = HMM.from_tables(*even, tables, emissions=GaussianMixture("full", components=2))
    x = rng.normal(size=(3, 2))
    node = scores(hmm, hmm._corpus([x]))
    for y in range(2):
        density = sum(weights[y, m] * multivariate_normal(means[y, m], full[y, m]).pdf(x) for m in range(2))
        assert np.exp(node[:, y]) == approx(density)
    rates = np.array([[1.0, 4.0], [0.0, 2.0]])
    counts = HMM.from_tables(*even, {"rates": rates}, emissions=Poisson())
    c = np.array([[0, 3], [0, 0], [2, 7]])
    node = scores(counts, counts._corpus([c]))
    assert node[:, 0] == approx(poisson.logpmf(c, rates[0]).sum(axis=1))
    assert node[:2, 1] == approx(poisson.logpmf(c[:2], rates[1]).sum(axis=1))
    assert node[2, 1] < -500  # as good as impossible, and a number


def test_streams_multiply_and_what_is_missing_is_summed_out():  # eq:stream-emission
    both = Streams(word=Categorical(), size=Gaussian("diag"))
    X = {"word": [["a", "b", "a", "a"]], "size": [[[0.1], [5.0], [0.2], [4.0]]]}
    hmm = HMM(2, both, seed=1).fit(X)
    parts = hmm.model_.emissions.parts
    corpus = hmm._corpus({"word": [["a"]], "size": [[[1.0]]]})
    whole = scores(hmm, corpus)
    alone = [part.scores(part.observe(corpus, name, unknown="error")) for name, part in parts.items()]
    assert whole == approx(alone[0] + alone[1])
    missing = hmm._corpus([[("a", None), (None, 1.0), None]])
    node = scores(hmm, missing)
    assert node[0] == approx(alone[0][0])
    assert node[1] == approx(alone[1][0])
    assert node[2] == approx([0.0, 0.0])


def test_numbers_missing_from_a_vector_are_left_out_of_its_density():
    X = np.array([[0.0, 1.0], [np.nan, 2.0], [3.0, np.nan], [np.nan, np.nan], [2.5, 0.5]])
    hmm = HMM(1, Gaussian("diag", min_covariance=1e-6)).fit(X)
    emissions = hmm.model_.emissions
    assert emissions.means[0] == approx([np.nanmean(X[:, 0]), np.nanmean(X[:, 1])])
    assert emissions.covariances[0] == approx([np.nanvar(X[:, 0]), np.nanvar(X[:, 1])])
    rows = HMM(1, Poisson()).fit(np.array([[1.0, np.nan], [3.0, 2.0]])).model_.emissions.rates
    assert rows[0] == approx([2.0, 2.0])
    words = HMM(1).fit([["a", None, "b", "a"]])
    assert dict(
        zip(words.model_.emissions.symbols.words, words.model_.emissions.B[0], strict=True)
    ) == approx({"a": 2 / 3, "b": 1 / 3})


# ---------------------------------------------------------------- hard EM by hand


def test_hard_em_counts_the_best_path():  # eq:hard-em
    pi, A, B = [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], [[0.9, 0.1], [0.2, 0.8]]
    hmm = HMM(init=(pi, A, B), learner=HardEM(max_iterations=1, tolerance=0))
    model = hmm.fit([[0, 0, 1], [1, 1]]).model_
    # best paths under the start: s0 s0 s1 and s1 s1
    assert model.pi == approx([0.5, 0.5])
    assert approx(np.array([[0.5, 0.5], [0.0, 1.0]])) == model.A
    assert approx(np.array([[1.0, 0.0], [0.0, 1.0]])) == model.emissions.B
    before = math.log(0.6 * 0.9 * 0.7 * 0.9 * 0.3 * 0.8) + math.log(0.4 * 0.8 * 0.6 * 0.8)
    assert hmm.history_.log_likelihood[0] == approx(before)


# ---------------------------------------------------------------- starts and restarts


def test_the_best_of_several_restarts_is_as_good_as_each():
    rng = np.random.default_rng(3)
    X = [rng.integers(6, size=15).tolist() for _ in range(20)]
    hmm = HMM(4, learner=BaumWelch(restarts=5, max_iterations=30)).fit(X)
    finals = [history.log_likelihood[-1] for history in hmm.restarts_]
    assert len(set(finals)) > 1
    assert hmm.history_.log_likelihood[-1] == max(finals)
    held = [rng.integers(6, size=15).tolist() for _ in range(10)]
    chosen = HMM(4, learner=BaumWelch(restarts=5, max_iterations=30)).fit(X, dev=held)
    assert chosen.score(held) == approx(max(max(history.dev_score) for history in chosen.restarts_))


def test_states_come_in_the_order_of_their_use():
    true = HMM.from_tables([0.1, 0.9], [[0.2, 0.8], [0.1, 0.9]], [[1.0, 0.0], [0.05, 0.95]])
    data = true.sample(n=50, length=20, seed=0).observations
    for seed in range(4):
        hmm = HMM(2, seed=seed).fit(data)
        used = np.mean([name == "s0" for row in hmm.predict(data) for name in row])
        assert used > 0.5


def test_a_start_from_labels_tables_or_a_dictionary_keeps_the_names():
    X = [["the", "dog", "runs"], ["a", "dog", "barks"], ["the", "cat", "runs"]]
    labels = [["D", "N", "V"]] * 3
    words = {"the": ["D"], "a": ["D"], "dog": ["N"], "cat": ["N"], "runs": ["V"], "barks": ["V"]}
    for init in ((X[:1], labels[:1]), words, HMM(smoothing=0.1).fit(X[:1], labels[:1])):
        hmm = HMM(init=init, smoothing=0.1, seed=3).fit(X)
        assert hmm.labels_ == ("D", "N", "V")
        assert hmm.tag(["the", "dog", "runs"]) == ["D", "N", "V"]
    strict = HMM(allowed=words, states=["D", "N", "V"], seed=3).fit(X)
    assert strict.predict(X) == labels
