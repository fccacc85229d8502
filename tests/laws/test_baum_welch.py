"""EM for hidden Markov models: every step against enumeration, and the laws that hold whatever the data."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from oracle import hmm as oracle
from seqlab import HMM, BaumWelch, Dirichlet, FeatureBag, Gaussian, GaussianMixture, HardEM, Poisson, Streams
from seqlab.errors import TrainingWarning
from seqlab.families.hmm.em import Evidence, expect
from seqlab.families.hmm.emissions.categorical import Categorical, SymbolDistribution
from seqlab.families.hmm.emissions.symbols import Symbols, listed
from seqlab.families.hmm.tables import HiddenMarkov
from seqlab.tagging.door.constraints import Rules

ONE_STEP = BaumWelch(max_iterations=1, tolerance=0)


@st.composite
def problems(draw, *, zeros=True, ends=True):
    """Tables and short sequences of symbols, some of them missing."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    L, V = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    pi, A, B = rng.dirichlet(np.ones(L)), rng.dirichlet(np.ones(L), L), rng.dirichlet(np.ones(V), L)
    end = rng.uniform(0.1, 0.5, L) if ends and draw(st.booleans()) else None
    if end is not None:
        A = A * (1 - end)[:, None]
    lengths = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    sequences = [[int(v) for v in rng.integers(V, size=n)] for n in lengths]
    if zeros and draw(st.booleans()):
        sequences = [[None if rng.random() < 0.2 else v for v in x] for x in sequences]
    if not any(v is not None for x in sequences for v in x):
        sequences.append([V - 1])
    sequences.append([V - 1] * L)  # the largest symbol is there, and as many tokens as states
    return pi, A, B, end, sequences


def chain(pi, A, B, end=None):
    symbols = SymbolDistribution(Symbols(B.shape[1]), np.ascontiguousarray(B.T))
    return HiddenMarkov(tuple("abc"[: len(pi)]), pi, A, end, symbols, Rules.none(len(pi)))


def evidence(sequences, weights=None, allowed=None):
    ids = np.array([-1 if v is None else v for x in sequences for v in x], dtype=np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(x) for x in sequences])]).astype(np.int64)
    return Evidence(listed(ids), offsets, weights, allowed)


# ---------------------------------------------------------------- one step


@given(problems(), st.integers(1, 3))
def test_the_e_step_is_the_sum_over_paths(problem, threads):  # eq:baum-welch
    pi, A, B, end, sequences = problem
    found = expect(chain(pi, A, B, end), evidence(sequences), threads)
    starts, moves, ends, emitted, total = oracle.expected(pi, A, B, sequences, end)
    assert found.start == approx(starts, abs=1e-12)
    assert found.edge == approx(moves, abs=1e-12)
    assert found.end == approx(ends, abs=1e-12)
    assert approx(emitted, abs=1e-12) == found.emissions["counts"].T
    assert found.value == approx(total, abs=1e-10)


@given(problems(), st.sampled_from([0.0, 0.5]))
def test_an_iteration_is_the_one_by_enumeration(problem, prior):
    pi, A, B, end, sequences = problem
    expected = oracle.step(pi, A, B, sequences, end, prior=prior)
    tables = {"start": pi, "transitions": A, "emissions": B} | ({} if end is None else {"end": end})
    hmm = HMM(
        init=tables, learner=ONE_STEP, end=end is not None, smoothing=prior, emissions=Categorical(B.shape[1])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        model = hmm.fit(sequences).model_
    if hmm.history_.reason == "value" and len(hmm.history_) == 1:
        return  # the start was the optimum already
    some = np.isfinite(expected[1]).all(axis=1)
    assert model.pi == approx(expected[0], abs=1e-9)
    assert model.A[some] == approx(expected[1][some], abs=1e-9)
    fine = np.isfinite(expected[2]).all(axis=1)
    assert model.emissions.B[fine] == approx(expected[2][fine], abs=1e-9)
    if end is not None:
        assert model.end[some] == approx(expected[3][some], abs=1e-9)


@given(problems(ends=False), st.data())
def test_weights_count_a_sequence_so_often(problem, data):
    pi, A, B, _, sequences = problem
    times = [data.draw(st.integers(0, 3)) for _ in sequences]
    weighted = expect(chain(pi, A, B), evidence(sequences, np.array(times, dtype=float)), 1)
    repeated = expect(
        chain(pi, A, B), evidence([x for x, n in zip(sequences, times, strict=True) for _ in range(n)]), 1
    )
    assert weighted.edge == approx(repeated.edge, abs=1e-10)
    assert weighted.emissions["counts"] == approx(repeated.emissions["counts"], abs=1e-10)
    assert weighted.value == approx(repeated.value, abs=1e-10)


@given(problems(ends=False), st.integers(0, 2**32 - 1))
def test_labels_known_in_part_leave_the_paths_that_have_them(problem, seed):  # eq:baum-welch
    pi, A, B, _, sequences = problem
    rng, L = np.random.default_rng(seed), len(pi)
    mask = rng.random((sum(map(len, sequences)), L)) < 0.6
    mask[np.arange(len(mask)), rng.integers(L, size=len(mask))] = True
    rows = iter(mask)
    allowed = [[np.flatnonzero(next(rows)).tolist() for _ in x] for x in sequences]
    found = expect(chain(pi, A, B), evidence(sequences, allowed=mask), 1)
    _, moves, _, emitted, total = oracle.expected(pi, A, B, sequences, allowed=allowed)
    assert found.edge == approx(moves, abs=1e-12)
    assert approx(emitted, abs=1e-12) == found.emissions["counts"].T
    assert found.value == approx(total, abs=1e-10)


def test_same_bits_with_any_number_of_threads():
    rng = np.random.default_rng(0)
    lengths = [*rng.integers(1, 60, size=300).tolist(), 3000]
    x = rng.integers(40, size=sum(lengths))
    vectors = rng.normal(size=(sum(lengths), 3))
    fits = [
        [
            HMM(6, emissions, learner=BaumWelch(max_iterations=3, restarts=restarts), threads=threads).fit(
                X, lengths=lengths
            )
            for threads in (1, 2, 5)
        ]
        for emissions, X, restarts in ((None, x, 1), (None, x, 3), (Gaussian("full"), vectors, 2))
    ]
    for one, *others in fits:
        for other in others:
            assert np.array_equal(one.model_.A, other.model_.A)
            assert one.history_.log_likelihood == other.history_.log_likelihood


def test_many_short_and_one_long_sequence_agree_with_one_by_one():
    rng = np.random.default_rng(1)
    pi, A, B = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), 5), rng.dirichlet(np.ones(30), 5)
    sequences = [rng.integers(30, size=n).tolist() for n in [*rng.integers(1, 40, size=200), 12_000]]
    whole = expect(chain_of_five(pi, A, B), evidence(sequences), 1)
    parts = [expect(chain_of_five(pi, A, B), evidence([x]), 1) for x in sequences]
    assert whole.edge == approx(sum(one.edge for one in parts), rel=1e-9)
    assert whole.emissions["counts"] == approx(
        sum(one.emissions["counts"] for one in parts), rel=1e-9, abs=1e-9
    )
    assert whole.log_z == approx(np.concatenate([one.log_z for one in parts]), rel=1e-12)


def chain_of_five(pi, A, B):
    symbols = SymbolDistribution(Symbols(B.shape[1]), np.ascontiguousarray(B.T))
    return HiddenMarkov(tuple("abcde"), pi, A, None, symbols, Rules.none(5))


# ---------------------------------------------------------------- never falls


FAMILIES = {
    "categorical": (Categorical(), lambda rng, n: rng.integers(5, size=n)),
    "gaussian full": (Gaussian("full"), lambda rng, n: rng.normal(size=(n, 2)) * [1, 5]),
    "gaussian diag": (Gaussian("diag", min_covariance=1e-3), lambda rng, n: rng.normal(size=(n, 2))),
    "gaussian tied": (Gaussian("tied"), lambda rng, n: rng.normal(size=(n, 2))),
    "gaussian spherical": (Gaussian("spherical"), lambda rng, n: rng.normal(size=(n, 2))),
    "gaussian with a prior": (
        Gaussian("full", mean_prior=1.0, mean_weight=2.0, covariance_prior=0.5, covariance_weight=3.0),
        lambda rng, n: rng.normal(size=(n, 2)),
    ),
    "spherical with a prior": (
        Gaussian("spherical", mean_weight=1.0, covariance_prior=0.1, covariance_weight=1.0),
        lambda rng, n: rng.normal(size=(n, 3)),
    ),
    "tied with a prior": (
        Gaussian("tied", mean_weight=1.0, covariance_prior=0.1, covariance_weight=1.0),
        lambda rng, n: rng.normal(size=(n, 2)),
    ),
    "mixture": (GaussianMixture("diag", components=2), lambda rng, n: rng.normal(size=(n, 2))),
    "mixture full": (GaussianMixture("full", components=2), lambda rng, n: rng.normal(size=(n, 2))),
    "mixture tied": (GaussianMixture("tied", components=2), lambda rng, n: rng.normal(size=(n, 2))),
    "poisson": (Poisson(), lambda rng, n: rng.poisson(3, size=(n, 2))),
    "poisson with a prior": (Poisson(2.0, 1.0), lambda rng, n: rng.poisson(3, size=(n, 2))),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("smoothing", [None, 0.3])
@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([BaumWelch, HardEM]))
def test_the_objective_never_falls(family, smoothing, seed, states, learner):  # eq:hard-em
    emissions, make = FAMILIES[family]
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 12, size=4).tolist()
    hmm = HMM(
        states,
        emissions,
        smoothing=smoothing,
        learner=learner(max_iterations=10, tolerance=0),
        init="random" if seed % 2 else None,
        seed=seed % 1000,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        hmm.fit(make(rng, sum(lengths)), lengths=lengths)
    assert hmm.history_.reason != "fell"
    objectives = [-value for value in hmm.history_.objective if value is not None]
    assert (np.diff(objectives) >= 0).all()
    model = hmm.model_
    for table in (model.pi, model.A):
        assert np.isfinite(table).all()
        assert table.sum(axis=-1) == approx(np.ones(table.shape[:-1]))


def test_a_mixture_about_its_old_means_is_not_em_and_says_so_when_it_falls():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(40, 1)) * 0.1, rng.normal(size=(40, 1)) * 0.1 + 10])
    emissions = GaussianMixture("diag", components=2, centre="before")
    hmm = HMM(2, emissions, init="random", learner=BaumWelch(max_iterations=50, tolerance=0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hmm.fit(X)
    rose = np.diff([-value for value in hmm.history_.objective])
    assert (rose >= 0).all()
    assert (hmm.history_.reason == "fell") == any("fell" in str(one.message) for one in caught)


# ---------------------------------------------------------------- labels


@given(problems(zeros=False), st.sampled_from([None, 0.5]), st.integers(0, 2**32 - 1))
def test_with_all_labels_em_is_counting(problem, smoothing, seed):
    *_, end, sequences = problem
    rng = np.random.default_rng(seed)
    labels = [[str("xyz"[i]) for i in rng.integers(3, size=len(x))] for x in sequences]
    options = {"smoothing": smoothing, "end": end is not None, "seed": seed % 100}
    counted = HMM(**options).fit(sequences, labels)
    learned = HMM(**options, learner=BaumWelch(max_iterations=3, tolerance=0)).fit(sequences, labels)
    names, add = counted.labels_, smoothing or 0.0
    moves, ends = np.zeros((len(names), len(names))), np.zeros(len(names))
    for row in labels:
        for a, b in itertools.pairwise(row):
            moves[names.index(a), names.index(b)] += 1
        if row:
            ends[names.index(row[-1])] += 1
    rows = moves + add if end is None else np.hstack([moves, ends[:, None]]) + add
    some = rows.sum(axis=1) > 0
    found = counted.model_.A if end is None else np.hstack([counted.model_.A, counted.model_.end[:, None]])
    assert found[some] == approx((rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9))[some])
    assert learned.model_.A[some] == approx(counted.model_.A[some])
    assert approx(counted.model_.emissions.B) == learned.model_.emissions.B


@given(problems(ends=False))
def test_with_no_label_at_all_y_makes_no_difference(problem):
    pi, A, B, _, sequences = problem
    fits = []
    for y in (None, [None] * len(sequences), [[None] * len(x) for x in sequences]):
        hmm = HMM(init=(pi, A, B), emissions=Categorical(B.shape[1]), learner=BaumWelch(max_iterations=4))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)
            fits.append(hmm.fit(sequences, y))
    for other in fits[1:]:
        assert other.history_.log_likelihood == fits[0].history_.log_likelihood
        assert np.array_equal(other.model_.A, fits[0].model_.A)


def test_unlabelled_sentences_count_as_much_as_they_are_said_to():
    rng = np.random.default_rng(5)
    X = [rng.integers(4, size=8).tolist() for _ in range(6)]
    y = [[str(v % 2) for v in x] for x in X[:3]] + [None] * 3
    nothing = HMM(learner=BaumWelch(unlabelled_weight=0.0), emissions=Categorical(4)).fit(X, y)
    counted = HMM(emissions=Categorical(4)).fit(X[:3], y[:3])
    assert approx(counted.model_.A) == nothing.model_.A
    half = HMM(learner=BaumWelch(unlabelled_weight=0.5, max_iterations=1), emissions=Categorical(4)).fit(X, y)
    whole = HMM(learner=BaumWelch(max_iterations=1), emissions=Categorical(4)).fit(X, y)
    assert not np.allclose(half.model_.A, whole.model_.A)


# ---------------------------------------------------------------- tied, frozen


@given(problems(ends=False), st.integers(0, 1000))
def test_tied_states_share_their_emissions(problem, seed):
    *_, sequences = problem
    hmm = HMM(states=["a", "b", "c"], seed=seed, learner=BaumWelch(max_iterations=3, tied=[("a", "c")]))
    sequences = [*sequences, [0, 0, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        B = hmm.fit(sequences).model_.emissions.B
    if len(hmm.history_) > 1:
        assert B[0] == approx(B[2])
    values = [-value for value in hmm.history_.objective]
    assert (np.diff(values) >= 0).all()


@pytest.mark.parametrize("name", ["start", "transitions", "emissions"])
def test_frozen_tables_stay(name):
    rng = np.random.default_rng(2)
    pi, A, B = rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(2), 2), rng.dirichlet(np.ones(3), 2)
    hmm = HMM(init=(pi, A, B), learner=BaumWelch(max_iterations=5, frozen=[name]))
    model = hmm.fit([rng.integers(3, size=20).tolist(), [0, 1, 2]]).model_
    for what, before, after in (
        ("start", pi, model.pi),
        ("transitions", A, model.A),
        ("emissions", B, model.emissions.B),
    ):
        assert np.allclose(before, after) == (what == name)


def test_pseudo_counts_may_differ_from_table_to_table():
    X, y = [["a", "b"], ["b"]], [["x", "y"], ["y"]]
    prior = Dirichlet(start=[3.0, 0.0], transitions=[[1.0, 0.0], [1.0, 3.0]], emissions=1.0)
    model = HMM(smoothing=prior).fit(X, y).model_
    assert model.pi == approx([4 / 5, 1 / 5])
    assert approx(np.array([[1 / 2, 1 / 2], [1 / 4, 3 / 4]])) == model.A
    assert approx(np.array([[2 / 3, 1 / 3], [1 / 4, 3 / 4]])) == model.emissions.B


# ---------------------------------------------------------------- recovers what made the data


def test_training_finds_the_tables_that_made_the_data():
    pi, A = [0.6, 0.4], [[0.9, 0.1], [0.2, 0.8]]
    B = [[0.7, 0.25, 0.05], [0.05, 0.15, 0.8]]
    true = HMM.from_tables(pi, A, B)
    drawn = true.sample(n=300, length=40, seed=1)
    near = HMM(2, init=([0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]))
    model = near.fit(drawn.observations).model_
    assert approx(np.array(A), abs=0.03) == model.A
    assert approx(np.array(B), abs=0.03) == model.emissions.B
    vectors = HMM.from_tables(
        pi,
        A,
        {"means": [[0.0, 0.0], [4.0, 1.0]], "covariances": [[1.0, 2.0], [0.5, 0.5]]},
        emissions=Gaussian("diag"),
    )
    again = (
        HMM(2, Gaussian("diag")).fit(vectors.sample(n=100, length=40, seed=2).observations).model_.emissions
    )
    order = np.argsort(again.means[:, 0])
    assert again.means[order] == approx(np.array([[0.0, 0.0], [4.0, 1.0]]), abs=0.15)
    assert again.covariances[order] == approx(np.array([[1.0, 2.0], [0.5, 0.5]]), abs=0.15)


# ---------------------------------------------------------------- batches


def test_one_batch_is_one_iteration_and_many_batches_settle():  # eq:stepwise-em
    rng = np.random.default_rng(4)
    tables = (rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(2), 2), rng.dirichlet(np.ones(3), 2))
    true = HMM.from_tables([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    data = true.sample(n=200, length=20, seed=3).observations
    whole = HMM(init=tables, learner=ONE_STEP).fit(data)
    batch = HMM(init=tables).partial_fit(data)
    assert approx(whole.model_.A) == batch.model_.A
    assert approx(whole.model_.emissions.B) == batch.model_.emissions.B
    parts = [data[i : i + 10] for i in range(0, 200, 10)]
    many = HMM(init=tables).fit_batches(parts, epochs=5)
    best = HMM(init=tables, learner=BaumWelch(max_iterations=200)).fit(data)
    assert many.score(data) == approx(best.score(data), abs=0.01)


def test_stepwise_em_takes_vectors_and_new_symbols():
    rng = np.random.default_rng(6)
    hmm = HMM(2, Gaussian("full"))
    for _ in range(30):
        part = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + np.array([8, 0])])
        hmm.partial_fit([part])
    means = hmm.model_.emissions.means[np.argsort(hmm.model_.emissions.means[:, 0])]
    assert means == approx(np.array([[0.0, 0.0], [8.0, 0.0]]), abs=0.4)
    words = HMM(2).partial_fit([["a", "b", "a"]]).partial_fit([["b", "c"]])
    assert words.model_.emissions.symbols.words == ("a", "b", "c")
    assert np.isfinite(words.log_likelihood(["c", "a"]))
    streams = HMM(2, Streams(word=Categorical(), size=Poisson()))
    streams.partial_fit([[("a", 1), ("b", 2)]]).partial_fit([[("b", 0), ("c", 3)]])
    assert np.isfinite(streams.log_likelihood([("c", 1)]))
    bags = HMM(2, FeatureBag()).partial_fit([[["a"], ["b", "c"]]]).partial_fit([[["d"], ["a"]]])
    assert np.isfinite(bags.log_likelihood([["d"]]))
