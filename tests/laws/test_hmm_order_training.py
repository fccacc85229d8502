"""Training of hidden Markov models of order 2 and 3, and equal models of order 1."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import seqlab
from oracle.hmm_orders import random_tables
from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    Dirichlet,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    HardEM,
    Poisson,
    Streams,
)
from seqlab.errors import OptionError, TrainingWarning

ORDERS = pytest.mark.parametrize("order", [2, 3])


def drawn(seed, kind, n=8):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 7, size=n)
    if kind == "words":
        return None, [[str(v) for v in rng.integers(3, size=size)] for size in lengths]
    if kind == "bags":
        return FeatureBag(), [
            [[str(v) for v in rng.integers(4, size=rng.integers(0, 3))] + ["a"] for _ in range(size)]
            for size in lengths
        ]
    if kind == "counts":
        return Poisson(), [rng.poisson(3.0, size=(size, 1)) for size in lengths]
    if kind == "streams":
        return Streams(word=Categorical(), pitch=Gaussian("diag", min_covariance=0.1)), {
            "word": [[str(v) for v in rng.integers(3, size=size)] for size in lengths],
            "pitch": [rng.normal(size=(size, 1)) for size in lengths],
        }
    vectors = [rng.normal(size=(size, 2)) for size in lengths]
    if kind == "mixture":
        return GaussianMixture("diag", components=2, min_covariance=0.1), vectors
    return Gaussian("diag", min_covariance=0.1), vectors


@given(
    st.integers(0, 9999),
    st.sampled_from(["words", "bags", "counts", "streams", "vectors", "mixture"]),
    st.sampled_from([2, 3]),
    st.booleans(),
    st.sampled_from([BaumWelch, HardEM]),
    st.sampled_from([None, 0.3, Dirichlet(transitions=0.5, end=2.0)]),
    st.booleans(),
)
def test_the_objective_never_falls(
    seed, kind, order, end, learner, smoothing, labelled
):  # eq:baum-welch eq:hard-em
    emissions, X = drawn(seed, kind)
    smoothing = 0.0 if kind != "words" and smoothing == 0.3 else smoothing
    y = None
    if labelled:
        lengths = map(len, X["word"] if kind == "streams" else X)
        y = [["a", *[None] * (n - 1)] if i % 2 else ["b"] * n for i, n in enumerate(lengths)]
    hmm = HMM(
        2,
        emissions,
        order=order,
        end=end,
        smoothing=smoothing,
        learner=learner(max_iterations=6, tolerance=0),
        init="random",
        states=["a", "b"],
        seed=seed,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "nothing is left", TrainingWarning)
        hmm.fit(X, y)
    assert hmm.history_.reason != "fell"
    values = [-one for one in hmm.history_.objective]
    assert all(after >= before - 1e-8 * (1 + abs(before)) for before, after in itertools.pairwise(values))
    assert hmm.model_.order == order
    hmm.model_.check()
    copy = HMM.from_bytes(hmm.as_bytes())
    assert np.array_equal(copy.log_likelihoods(X), hmm.log_likelihoods(X))
    assert copy.predict(X) == hmm.predict(X)


def expanded(tables):
    """Write an order-2 chain as one of order 1 over pairs, the first of which may be the start."""
    L = len(tables["pi"])
    names = [("", y) for y in range(L)] + list(itertools.product(range(L), range(L)))
    pi = np.array([tables["pi"][y] if a == "" else 0.0 for a, y in names])
    A = np.zeros((len(names), len(names)))
    for i, (a, b) in enumerate(names):
        for j, (c, d) in enumerate(names):
            if c != "" and c == b:
                A[i, j] = tables["head"][0][b, d] if a == "" else tables["A"][a, b, d]
    B = np.array([tables["B"][y] for _, y in names])
    return names, pi, A, B


def test_order_two_is_order_one_over_pairs():
    rng = np.random.default_rng(8)
    tables, L = random_tables(rng, 3, 4, 2), 3
    X = [[int(v) for v in rng.integers(4, size=n)] for n in (9, 1, 2, 14, 6)]
    names, pi, A, B = expanded(tables)
    learner = BaumWelch(max_iterations=8, tolerance=0)
    start = {
        "start": tables["pi"],
        "head": tables["head"],
        "transitions": tables["A"],
        "emissions": tables["B"],
    }
    mine = HMM(order=2, init=start, learner=learner).fit(X)
    labels = [f"{a}{y}" for a, y in names]
    tied = [[f"{a}{y}" for a, y in names if y == one] for one in range(L)]
    pairs = HMM(
        states=labels,
        init={"start": pi, "transitions": A, "emissions": B},
        learner=BaumWelch(max_iterations=8, tolerance=0, tied=tied),
    ).fit(X)
    assert mine.history_.log_likelihood == approx(pairs.history_.log_likelihood, rel=1e-10)
    model, other = mine.model_, pairs.model_
    for i, (a, b) in enumerate(names):
        assert other.emissions.B[i] == approx(model.emissions.B[b])
        for j, (c, d) in enumerate(names):
            if c != "" and c == b:
                expected = model.head[0][b, d] if a == "" else model.A[a, b, d]
                assert other.A[i, j] == approx(expected, abs=1e-9)


def test_order_two_is_hmmlearn_over_pairs():
    peer = pytest.importorskip("hmmlearn.hmm")
    rng = np.random.default_rng(9)
    tables = random_tables(rng, 2, 3, 2)
    X = [[int(v) for v in rng.integers(3, size=n)] for n in (30, 4, 17)]
    names, pi, A, B = expanded(tables)
    A[A.sum(axis=1) == 0, 0] = 1.0
    theirs = peer.CategoricalHMM(len(names), n_features=3, n_iter=6, tol=-np.inf, params="st", init_params="")
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = pi, A, B
    flat, lengths = np.concatenate(X)[:, None], [len(x) for x in X]
    start = {
        "start": tables["pi"],
        "head": tables["head"],
        "transitions": tables["A"],
        "emissions": tables["B"],
    }
    learner = BaumWelch(max_iterations=6, tolerance=0, frozen=["emissions"])
    mine = HMM(order=2, init=start, learner=learner).fit(X)
    assert mine.history_.log_likelihood[0] == approx(theirs.score(flat, lengths))
    theirs.fit(flat, lengths)
    assert mine.log_likelihoods(X).sum() == approx(theirs.score(flat, lengths), rel=1e-9)
    for i, (a, b) in enumerate(names):
        for j, (c, d) in enumerate(names):
            if c != "" and c == b:
                expected = mine.model_.head[0][b, d] if a == "" else mine.model_.A[a, b, d]
                assert theirs.transmat_[i, j] == approx(expected, abs=1e-8)


WORDS = [["a", "b", "a", "c"], ["b", "a"], ["c"], ["a", "c", "b", "b", "a"]]
NAMES = [["x", "y", "x", "y"], ["y", "x"], ["y"], ["x", "y", "y", "x", "x"]]


@ORDERS
@pytest.mark.parametrize("add", [0.0, 0.4])
@pytest.mark.parametrize("end", [False, True])
def test_with_all_labels_em_is_counting(order, add, end):  # eq:baum-welch eq:counting
    one_step = BaumWelch(max_iterations=1)
    learned = HMM(order=order, end=end, smoothing=add, learner=one_step).fit(WORDS, NAMES).model_
    counted = HMM(order=order, end=end, smoothing=add or "mle", unknown="none").fit(WORDS, NAMES)
    tables = counted._tables("")
    assert learned.pi == approx(tables.pi)
    some = counted.counts_.moves.sum(axis=-1) + add > 0
    for j, (one, other) in enumerate(zip(learned.moves, tables.moves, strict=True)):
        seen = some[(2,) * (order - j - 1) + (slice(0, 2),) * (j + 1)]
        assert one[seen] == approx(other[seen])
    if end:
        assert learned.end == approx(tables.end)
    if not add:
        assert approx(tables.emissions.B) == learned.emissions.B


@ORDERS
def test_without_labels_it_is_baum_welch(order):
    fits = [
        HMM(2, order=order, seed=3, learner=BaumWelch(max_iterations=4)).fit(WORDS, y)
        for y in (None, [None] * 4, [[None] * len(x) for x in WORDS])
    ]
    for one in fits[1:]:
        assert one.history_.objective == fits[0].history_.objective
        assert np.array_equal(one.model_.A, fits[0].model_.A)


@ORDERS
def test_a_model_of_a_lower_order_is_a_start(order):
    first = HMM(2, seed=1, learner=BaumWelch(max_iterations=5)).fit(WORDS)
    higher = HMM(order=order, init=first, learner=BaumWelch(max_iterations=5)).fit(WORDS)
    assert higher.history_.log_likelihood[0] == approx(float(first.log_likelihoods(WORDS).sum()))
    assert higher.log_likelihoods(WORDS).sum() >= first.log_likelihoods(WORDS).sum() - 1e-9
    again = HMM(order=3, init=higher, learner=BaumWelch(max_iterations=0)).fit(WORDS)
    assert again.log_likelihoods(WORDS) == approx(higher.log_likelihoods(WORDS))
    assert higher.n_parameters_ > first.n_parameters_


@ORDERS
def test_restarts_development_sets_and_constraints_work(order):
    rng = np.random.default_rng(2)
    X = [[str(v) for v in rng.integers(4, size=9)] for _ in range(30)]
    many = HMM(2, order=order, learner=BaumWelch(restarts=3, max_iterations=8), seed=5).fit(X)
    assert len(many.restarts_) == 3
    assert many.history_.objective[-1] == min(one.objective[-1] for one in many.restarts_)
    watched = HMM(2, order=order, learner=BaumWelch(max_iterations=30, tolerance=0), seed=5)
    watched.fit(X[:20], dev=X[20:], patience=2)
    assert watched.score(X[20:]) == approx(max(watched.history_.dev_score))
    rules = {"forbidden_moves": [("x", "x")], "forbidden_starts": ["y"]}
    held = HMM(
        states=["x", "y"],
        order=order,
        constraints=seqlab.Constraints(**rules),
        learner=BaumWelch(max_iterations=5),
        seed=1,
    ).fit(X)
    assert held.model_.pi[1] == 0.0
    for one in held.model_.moves:
        assert (one[..., 0, 0] == 0).all()
        assert one.sum(axis=-1) == approx(1.0)
    assert all("xx" not in "".join(path) and path[0] == "x" for path in held.predict(X))
    allowed = HMM(states=["x", "y"], order=order, allowed={"0": ["x"]}, seed=1).fit(X)
    assert all(
        y == "x"
        for x, path in zip(X, allowed.predict(X), strict=True)
        for w, y in zip(x, path, strict=True)
        if w == "0"
    )


@ORDERS
def test_states_come_in_the_order_of_their_use(order):
    hmm = HMM(3, order=order, seed=4, learner=BaumWelch(max_iterations=5)).fit(WORDS * 3)
    shares = np.concatenate(hmm.predict_proba(WORDS * 3)).sum(axis=0)
    assert (np.diff(shares) <= 1e-6).all()


@ORDERS
def test_batches_go_on(order):
    whole = HMM(2, order=order, seed=2, learner=BaumWelch(max_iterations=1, tolerance=0)).fit(WORDS)
    batch = HMM(2, order=order, seed=2).partial_fit(WORDS)
    for one, other in zip(
        whole.model_.moves, batch.model_.reordered(_order_of(whole, batch)).moves, strict=True
    ):
        assert one == approx(other)
    further = HMM.from_bytes(batch.as_bytes()).partial_fit([["a", "d"]])
    assert np.array_equal(further.model_.A, batch.partial_fit([["a", "d"]]).model_.A)
    assert math.isfinite(further.log_likelihood(["d", "a"]))


def _order_of(one, other):
    """fit sorts states by their use, partial_fit does not: find the order that makes emissions equal."""
    wanted, given_rows = one.model_.emissions.B, other.model_.emissions.B
    return np.array([int(np.abs(given_rows - row).sum(axis=1).argmin()) for row in wanted])


def test_tables_of_any_order_are_checked():
    pi, B = [0.5, 0.5], [[0.5, 0.5], [0.1, 0.9]]
    A = np.full((2, 2, 2), 0.5)
    two = HMM.from_tables(pi, A, B)
    assert two.order == two.model_.order == 2
    assert np.array_equal(HMM.from_tables(pi, A.reshape(4, 2), B, order=2).model_.A, A)
    assert two.model_.head[0].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    raised = HMM.from_tables(pi, A[0], B, order=3)
    assert [one.shape for one in raised.model_.moves] == [(2, 2), (2, 2, 2), (2, 2, 2, 2)]
    with pytest.raises(OptionError, match=r"head has 2 tables, but transitions of order 2 want 1"):
        HMM.from_tables(pi, A, B, head=[A[0], A])
    with pytest.raises(OptionError, match=r"row 0, 1 of transitions sums to 1.5"):
        HMM.from_tables(pi, [[[0.5, 0.5], [0.5, 1.0]], [[0.5, 0.5], [0.5, 0.5]]], B)
    with pytest.raises(OptionError, match=r"head\[0\] has shape \(3, 2\), but \(2, 2\) is wanted"):
        HMM.from_tables(pi, A, B, head=[np.full((3, 2), 0.5)])
    with pytest.raises(OptionError, match=r"transitions has shape \(2, 2, 2\), but \(2, 2\) is wanted"):
        HMM.from_tables(pi, A, B, order=1)
    with pytest.raises(OptionError, match="A has 5 axes, for an order of 4, but it must be 1, 2 or 3"):
        HMM.from_tables([1.0], np.ones((1,) * 5), [[1.0]])
    with pytest.raises(OptionError, match=r"pseudo-counts of transitions have shape \(3, 3\)"):
        HMM(2, order=2, smoothing=Dirichlet(transitions=np.ones((3, 3)))).fit(WORDS)
    with pytest.raises(OptionError, match="order 3 with 100 labels needs a table of"):
        HMM(100, order=3).fit([["a"] * 200])
