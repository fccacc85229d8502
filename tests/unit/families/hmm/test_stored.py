"""Everything that a constructor was given comes back from a model file, with its types; so does what fit has found."""

import numpy as np
import pytest

from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    Constraints,
    Corpus,
    Counting,
    Dirichlet,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    Poisson,
    Streams,
    SuffixModel,
)
from seqlab.errors import StoreError
from seqlab.tags import Scheme

WORDS = [["a", "b", "a"], ["b", "a"], ["a", "c"]]
LABELS = [["x", "y", "x"], ["y", "x"], ["x", "y"]]
TABLES = {
    "start": [0.5, 0.5],
    "transitions": np.full((2, 2), 0.5),
    "emissions": [[0.6, 0.2, 0.2], [0.2, 0.4, 0.4]],
}
SHORT = BaumWelch(max_iterations=2)
POINTS = list(np.random.default_rng(0).normal(size=(3, 6, 2)))


def again(hmm):
    return HMM.from_bytes(hmm.as_bytes())


def same(one, other):
    """Whether two values are the same, of the same types throughout."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, HMM):
        return one.as_bytes() == other.as_bytes()
    return bool(one == other) or (isinstance(one, Constraints) and repr(one) == repr(other))


CORPUS = Corpus.from_lists(
    word=WORDS, tag=LABELS, size=[[[0.5], [1.5], [2.0]], [[1.0], [0.0]], [[3.0], [4.0]]]
)


@pytest.mark.parametrize(
    "init",
    [
        TABLES,
        (TABLES["start"], TABLES["transitions"], TABLES["emissions"]),
        {"a": ["x"], "b": ("x", "y"), "c": {"y"}},
        (WORDS, LABELS),
        (CORPUS, "tag"),
        HMM(2, learner=SHORT).fit(WORDS),
        {"start": np.array([0.25, 0.75], dtype=np.float32)},
        "random",
    ],
    ids=["tables", "tuple", "dictionary", "labelled", "corpus", "model", "array", "word"],
)
def test_init_comes_back(init):
    states = ["x", "y"] if isinstance(init, dict) and "a" in init else None
    hmm = HMM(2, init=init, states=states, learner=SHORT).fit(WORDS)
    back = again(hmm)
    assert same(back.init, init)
    assert back.fit(WORDS).log_likelihoods(WORDS).tolist() == hmm.fit(WORDS).log_likelihoods(WORDS).tolist()


def test_emissions_of_a_model_come_back_as_init():
    model = HMM(2, Gaussian("full"), learner=SHORT).fit(POINTS).model_
    tables = {"start": model.pi, "transitions": model.A, "emissions": model.emissions}
    hmm = HMM(2, Gaussian("full"), init=tables, learner=SHORT).fit(POINTS)
    back = again(hmm)
    assert np.array_equal(back.init["emissions"].means, model.emissions.means)
    assert (
        back.fit(POINTS).log_likelihoods(POINTS).tolist() == hmm.fit(POINTS).log_likelihoods(POINTS).tolist()
    )


@pytest.mark.parametrize(
    "options",
    [
        {"allowed": {"a": ["x"], "b": ("x", "y"), "c": frozenset(["y"])}, "states": ["x", "y"]},
        {"constraints": Constraints([("x", "x")], ("y",)), "states": ("x", "y")},
        {"constraints": (("x", "x"),), "states": ["x", "y"]},
        {"emissions": Categorical(np.array(["a", "b", "c", "d"])), "n_states": 2},
        {"emissions": Categorical(("a", "b", "c")), "n_states": 2},
        {"smoothing": Dirichlet([0.5, 1.0], np.ones((2, 2)), emissions=0.1), "n_states": 2},
        {"learner": BaumWelch(max_iterations=1, frozen=("start",), tied=[("x", "y")]), "states": ["x", "y"]},
    ],
)
def test_options_of_tables_come_back(options):
    hmm = HMM(**{"learner": SHORT, **options}).fit(WORDS)
    back = again(hmm)
    for name, value in options.items():
        given = getattr(back, name)
        if name == "emissions":
            assert same(given.symbols, value.symbols)
        elif name == "smoothing":
            assert same(given.start, value.start)
            assert same(given.transitions, value.transitions)
        else:
            assert same(given, value)
    assert again(back).as_bytes() == back.as_bytes() == hmm.as_bytes()


@pytest.mark.parametrize(
    "options",
    [
        {"constraints": Scheme.of("BIO"), "order": 2},
        {"learner": Counting("witten-bell", SuffixModel(longest=3, rare=2))},
        {"unknown": SuffixModel(strength=None)},
    ],
)
def test_options_of_counts_come_back(options):
    hmm = HMM(**options).fit(WORDS, [["B-x", "I-x", "O"], ["O", "B-x"], ["O", "O"]])
    back = again(hmm)
    assert all(same(getattr(back, name), value) for name, value in options.items())
    assert back.predict(WORDS) == hmm.predict(WORDS)
    assert back.restarts_[0].to_dict() == hmm.restarts_[0].to_dict()


def test_iterators_come_back_as_what_they_gave():
    hmm = HMM(states=iter(["x", "y"]), constraints=iter([("x", "x")]), learner=SHORT).fit(WORDS)
    back = again(hmm)
    assert back.states == ("x", "y")
    assert repr(back.constraints) == repr(Constraints((("x", "x"),), (), ()))
    assert back.fit(WORDS).labels_ == ("x", "y")
    symbols = HMM(2, Categorical(iter("abc")), learner=BaumWelch(max_iterations=1, frozen=iter(["start"])))
    assert again(symbols.fit(WORDS)).emissions == Categorical(("a", "b", "c"))


def test_histories_of_all_restarts_come_back():
    hmm = HMM(2, learner=BaumWelch(max_iterations=2, restarts=3)).fit(WORDS)
    assert [one.to_dict() for one in again(hmm).restarts_] == [one.to_dict() for one in hmm.restarts_]


EMISSIONS = {
    "words": (None, WORDS),
    "bags": (FeatureBag(), [[["a"], ["b", "c"]], [["a", "b"]]]),
    "gaussian": (Gaussian("full", [4.0, 1.0], 1.0, np.eye(2) * 0.5, 2.0, min_covariance=0.01), POINTS),
    "mixture": (GaussianMixture("diag", 4.0, 0.5, components=3, weight_prior=0.5, centre="before"), POINTS),
    "poisson": (Poisson([1.0, 2.0], 1), [[[1, 2], [0, 3]], [[4, 0], [1, 1]]]),
    "streams": (
        Streams(word=Categorical(), size=Gaussian(mean_weight=1.0)),
        {"word": WORDS, "size": [[0.5, 1, 2], [0, 1], [3, 3]]},
    ),
}


@pytest.mark.filterwarnings("ignore::seqlab.errors.TrainingWarning")
@pytest.mark.parametrize("begun", [False, True], ids=["fit", "partial_fit"])
@pytest.mark.parametrize("case", EMISSIONS)
def test_learning_goes_on_after_a_file_as_without_one(case, begun):
    emissions, X = EMISSIONS[case]
    hmm = HMM(2, emissions, learner=SHORT, smoothing=0.1)
    hmm = hmm.partial_fit(X).partial_fit(X) if begun else hmm.fit(X)
    back = again(hmm)
    for one in (hmm, back):
        one.partial_fit(X)
    assert back.as_bytes() == hmm.as_bytes()
    assert back.log_likelihoods(X).tolist() == hmm.log_likelihoods(X).tolist()


def test_running_counts_of_another_model_are_refused():
    state = HMM(2).partial_fit(WORDS).state()
    counts = state.arrays["running.emissions.counts"]
    for spoiled in (counts[:-1], counts * np.nan):
        arrays = {**state.arrays, "running.emissions.counts": np.ascontiguousarray(spoiled)}
        with pytest.raises(StoreError):
            HMM.from_state(state.replaced(arrays=arrays))


@pytest.mark.parametrize("order", [2, 3])
def test_tables_of_the_first_positions_are_checked(order):
    state = HMM(2, order=order, learner=SHORT).partial_fit(WORDS).state()
    whole = state.arrays["model.A"]
    assert whole.shape == (2,) * (order + 1)
    assert np.array_equal(HMM.from_state(state).model_.A, whole)
    without = {name: one for name, one in state.arrays.items() if name != "model.head.0"}
    uneven = {**state.arrays, "model.head.0": np.full((2, 2), 0.4)}
    lower = {**state.arrays, "model.A": np.full((2,) * order, 0.5)}
    higher = {**state.arrays, "model.A": np.full((2,) * 5, 0.5)}
    odd = {**state.arrays, "model.A": np.full((2,) * order + (3,), 0.5)}
    counts = {**state.arrays, "running.edge": np.zeros((2,) * order)}
    for arrays in (without, uneven, lower, higher, odd, counts):
        with pytest.raises(StoreError):
            HMM.from_state(state.replaced(arrays=arrays))


# ------------------------------------------------------------------------------------------------ one value


def test_another_model_changes_every_answer():
    one, other = (
        HMM(2, seed=1).fit(WORDS),
        HMM.from_tables(
            [0.9, 0.1],
            [[0.1, 0.9], [0.9, 0.1]],
            [[0.8, 0.2], [0.3, 0.7]],
            states=["p", "q"],
            symbols=["a", "b"],
        ),
    )
    one.model_ = other.model_
    assert one.labels_ == other.labels_ == ("p", "q")
    assert one.vocabulary_ == other.vocabulary_ == {"a", "b"}
    assert one.tag(["a", "b"]) == other.tag(["a", "b"])
    assert one.predict([["a", "b"]]) == other.predict([["a", "b"]])
    assert one.log_likelihood(["a", "b"]) == other.log_likelihood(["a", "b"])
    assert np.array_equal(one.posterior(["a"]).node, other.posterior(["a"]).node)
    assert np.array_equal(one.transition_matrix.matrix, other.transition_matrix.matrix)
    assert again(one).tag(["a", "b"]) == other.tag(["a", "b"])


def test_counts_may_take_the_place_of_tables():
    tables, counts = HMM(2).fit(WORDS), HMM(order=2, constraints=[("x", "x")]).fit(WORDS, LABELS)
    tables.model_ = counts.model_
    assert tables.labels_ == counts.labels_
    assert tables.predict(WORDS) == counts.predict(WORDS)
    assert tables.log_likelihoods(WORDS).tolist() == counts.log_likelihoods(WORDS).tolist()
