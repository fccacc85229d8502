"""Bad input to every kind of emissions: our error, with the place and what to do; and what is missing is welcome."""

import numpy as np
import pytest

from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    Dirichlet,
    FeatureBag,
    Gaussian,
    GaussianMixture,
    Poisson,
    Streams,
)
from seqlab.errors import CorpusError, LabelError, OptionError, SeqlabError, ShapeError

WORDS = [["a", "b", "a"], ["b", "a"]]
VECTORS = [[[0.0, 1.0], [2.0, 1.0], [3.0, 0.0]], [[1.0, 1.0], [0.0, 2.0]]]
KINDS = {
    "words": (Categorical(), WORDS, ["a", "zebra"]),
    "numbers": (Categorical(), [[0, 1, 0], [1, 2]], [0, -1]),
    "bags": (FeatureBag(), [[["f", "g"], ["g"], ["f"]], [["g"], ["f", "h"]]], [["f"], "g"]),
    "diag": (Gaussian(), VECTORS, [[1.0, 1.0], [1.0, np.inf]]),
    "full": (Gaussian("full"), VECTORS, [[1.0, 1.0], [1.0, np.nan]]),
    "tied": (Gaussian("tied"), VECTORS, [[1.0, 1.0], [1.0, np.nan]]),
    "spherical": (Gaussian("spherical"), VECTORS, [[1.0, 1.0], [1e200, 1.0]]),
    "mixture": (GaussianMixture(components=2), VECTORS, [[1.0, 1.0], [1.0, -np.inf]]),
    "mixture full": (GaussianMixture("full", components=2), VECTORS, [[1.0, 1.0], [1.0, np.nan]]),
    "counts": (Poisson(), [[[1, 0], [0, 3], [2, 2]], [[2, 1], [5, 4]]], [[1, 1], [0, 0.5]]),
    "streams": (
        Streams(word=Categorical(), pitch=Gaussian()),
        [[("a", [1.0, 2.0]), ("b", [2.0, 0.0]), ("a", None)], [(None, [1.0, 1.0]), ("b", [0.0, 0.0])]],
        [("a", [1.0, 2.0]), ("b", [np.inf, 0.0])],
    ),
}
EVEN = ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]])
TWO = [[0.0, 0.0], [1.0, 1.0]]


def fitted(kind):
    emissions, X, _ = KINDS[kind]
    return HMM(2, emissions, seed=1).fit(X)


@pytest.mark.filterwarnings("ignore::seqlab.errors.TrainingWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_refuses_what_makes_no_sense_and_names_the_place(kind):
    emissions, X, bad = KINDS[kind]
    flat = [token for sequence in X for token in sequence]
    for lengths, message in (
        ([2], "lengths add up to 2, but X has 5 observations"),
        ([7, -2], r"lengths\[1\] is -2"),
        ([2.5, 2.5], "lengths must be a list of whole numbers"),
        (5, "lengths must be a list of whole numbers, got 5"),
    ):
        with pytest.raises(ShapeError, match=message):
            HMM(2, emissions).fit(flat, lengths=lengths)
    with pytest.raises(ShapeError, match="leave out lengths if X is a list of sequences"):
        HMM(2, emissions).fit(X, lengths=[3, 2])
    for nothing in ([], [[], []]):
        with pytest.raises(ShapeError, match=f"X has {len(nothing)} sentences and no token at all"):
            HMM(2, emissions).fit(nothing)
    with pytest.raises(ShapeError, match="50 states are more than the 5 observations of X can tell apart"):
        HMM(50, emissions).fit(X)
    with pytest.raises(CorpusError, match=r"sen(tence|quence) 1, (token|position) 1"):
        fitted(kind).predict([X[0], bad])
    with pytest.raises(OptionError, match=r"row 0 of transitions sums to 0\.9, but probabilities"):
        HMM(2, emissions, init={"transitions": [[0.5, 0.4], [0.5, 0.5]]}).fit(X)
    for foreign in (object(), 1j, b"a"):
        with pytest.raises(CorpusError, match=r"^sequence 0 of X|^sentence 0, position 0 of X"):
            HMM(2, emissions).fit([[foreign, foreign]])


@pytest.mark.filterwarnings("ignore::seqlab.errors.TrainingWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_what_is_missing_and_what_is_empty(kind):
    emissions, X, _ = KINDS[kind]
    hmm = fitted(kind)
    assert hmm.predict([[], []]) == [[], []]
    assert hmm.tag([]) == []
    assert hmm.log_likelihood([]) == 0.0
    assert hmm.posterior([]).node.shape == hmm.filter([]).node.shape == (0, 2)
    # a token that is not there says nothing, whatever its width, in a sequence with others and alone
    assert hmm.log_likelihood([None, None]) == pytest.approx(0.0, abs=1e-9)
    assert hmm.predict([X[0], [None]])[0] == hmm.tag(X[0])
    assert hmm.stream().push(None).node == pytest.approx(hmm.model_.pi)
    learned = HMM(2, emissions, seed=1).fit([[None, None], *X])
    assert np.isfinite(learned.log_likelihoods(X)).all()
    assert np.isfinite(learned.model_.A).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: HMM.from_tables("abc", EVEN[1], EVEN[1]), "pi must be numbers"),
        (lambda: HMM.from_tables([], EVEN[1], EVEN[1]), "pi sums to 0"),
        (lambda: HMM.from_tables([[0.5, 0.5]], EVEN[1], EVEN[1]), r"pi has shape \(1, 2\)"),
        (lambda: HMM.from_tables(*EVEN, [[1.0], [0.5, 0.5]]), "B must be numbers, with rows of one length"),
        (lambda: HMM.from_tables(*EVEN, {"means": TWO}, emissions=Poisson()), "B must be {'rates': ...}"),
        (lambda: HMM.from_tables(*EVEN, {"rates": [1, 2]}, emissions=Poisson()), r"rates has shape \(2,\)"),
        (lambda: HMM.from_tables(*EVEN, {"rates": [[1], [-2]]}, emissions=Poisson()), r"rates\[1, 0\] is -2"),
        (lambda: HMM.from_tables(*EVEN, {"means": "x"}, emissions=Gaussian()), "means must be numbers"),
        (
            lambda: HMM.from_tables(*EVEN, {"means": TWO, "variances": TWO}, emissions=Gaussian()),
            "emissions must be {'means': ..., 'covariances': ...}, got {'means': ..., 'variances': ...}",
        ),
        (
            lambda: HMM.from_tables(
                *EVEN, {"means": TWO, "covariances": [[1, 2], [2, 1]]}, emissions=Gaussian("tied")
            ),
            "covariances is not positive definite: .* is -1; something above 1 added to its diagonal",
        ),
        (
            lambda: HMM.from_tables(
                *EVEN,
                {"means": [TWO, TWO], "covariances": [[np.eye(2)] * 2, [np.eye(2), [[1, 2], [2, 1]]]]},
                emissions=GaussianMixture("full"),
            ),
            r"covariances\[1, 1\] is not positive definite",
        ),
        (
            lambda: HMM.from_tables(
                *EVEN,
                {"means": [TWO, TWO], "covariances": [np.ones((2, 2)), [[1, 1], [1, 0]]]},
                emissions=GaussianMixture("diag"),
            ),
            r"covariances\[1, 1, 1\] is 0, but a variance is above 0",
        ),
        (lambda: HMM(2, Gaussian(mean_prior=[1, 2, 3])).fit(VECTORS), r"mean_prior has shape \(3,\)"),
        (
            lambda: HMM(2, Gaussian(covariance_prior=np.eye(2))).fit(VECTORS),
            r"covariance_prior has shape \(2, 2\), but a number or an array of shape \(2,\)",
        ),
        (lambda: HMM(2, Poisson([1, 2, 3], 1.0)).fit(KINDS["counts"][1]), r"rate_prior has shape \(3,\)"),
        (lambda: Gaussian(mean_prior="a"), "mean_prior must be numbers"),
        (lambda: Gaussian(mean_prior=float("nan")), "mean_prior must be finite numbers"),
        (lambda: Gaussian(covariance_prior=-1.0), "covariance_prior must be finite numbers from 0 up"),
        (lambda: Gaussian("full", covariance_prior=[[1, 5], [5, 1]]), "with eigenvalues from 0 up"),
        (lambda: GaussianMixture(weight_prior=-1.0), "weight_prior must be a finite number from 0 up"),
        (
            lambda: HMM(2, smoothing=Dirichlet(emissions={"w": 1.0})).fit(WORDS),
            "prior of emissions must be numbers",
        ),
        (
            lambda: HMM(2, Streams(w=Categorical()), smoothing=Dirichlet(emissions={"v": 1.0})).fit(
                {"w": WORDS}
            ),
            "has the stream 'v', but there are only 'w'",
        ),
        (lambda: HMM(2, Gaussian(), allowed={"a": ["s0"]}).fit(VECTORS), "allowed=.* is for words"),
        (lambda: HMM(2, init={"a": 3}).fit(WORDS), r"init\['a'\] must be a list of labels, got 3"),
        (lambda: HMM(2, init=(WORDS, None)).fit(WORDS), r"init=\(X, y\) wants .* got None as y"),
        (lambda: HMM(2, init=("a", "b")).fit(WORDS), r"init=\(X, y\) wants .* got 'b' as y"),
        (
            lambda: HMM(2, Gaussian(), init=HMM(2).fit(WORDS)).fit(VECTORS),
            "init is a model whose emissions are Categorical",
        ),
        (
            lambda: HMM(2, init=HMM(2).fit(WORDS)).fit([[0, 1]]),
            "the model has words .* the data are whole numbers",
        ),
        (
            lambda: HMM(2).fit([[0, 10**9]]),
            "token 1: the symbol 1000000000 would need a table .* without gaps",
        ),
        (lambda: Categorical(10**9), "10,000,000 whole numbers as symbols at most"),
        (lambda: HMM(2, KINDS["streams"][0]).fit([0, 1]), "sequence 0 of X is 0, but a list of observations"),
        (
            lambda: HMM(2, KINDS["streams"][0]).fit({"word": 5, "pitch": 6}),
            "a list of sequences is wanted, got 5",
        ),
        (lambda: HMM(2, Gaussian()).fit([["1.0", "2.0"]]), "sequence 0 of X must be a vector of numbers"),
        (
            lambda: HMM(2, KINDS["streams"][0]).fit([[("a", 1.0), ("b",)]]),
            "sentence 0, position 1 of X: a tuple",
        ),
        (
            lambda: HMM(2, KINDS["streams"][0]).fit(
                {"word": WORDS, "pitch": [[1.0, np.inf, 0.0], [1.0, 2.0]]}
            ),
            "stream 'pitch': sentence 0, token 1: number 0 is inf",
        ),
    ],
)
def test_tables_priors_and_starts_that_make_no_sense_are_named(call, message):
    with pytest.raises((OptionError, CorpusError, LabelError), match=message) as caught:
        call()
    assert isinstance(caught.value, SeqlabError)


def test_streams_of_symbols_alone_begin_by_chance():
    both = HMM(2, Streams(word=Categorical(), look=FeatureBag()))
    both.fit({"word": WORDS, "look": KINDS["bags"][1]})
    assert np.isfinite(both.log_likelihood([("a", ["f"]), ("b", None)]))
    with pytest.raises(OptionError, match="needs a stream of numbers"):
        HMM(2, Streams(word=Categorical()), init="kmeans").fit({"word": WORDS})


@pytest.mark.parametrize("emissions", [Gaussian(), GaussianMixture(components=1), Poisson()])
def test_numbers_that_are_missing_do_not_pull_a_start_to_zero(emissions):
    X = [[[10.0, np.nan], [10.0, 20.0], [np.nan, 20.0]]]
    hmm = HMM(1, emissions, learner=BaumWelch(max_iterations=0)).fit(X)
    made = hmm.model_.emissions
    assert np.ravel(made.rates if isinstance(emissions, Poisson) else made.means) == pytest.approx(
        [10.0, 20.0]
    )


@pytest.mark.parametrize("sequence", [{"a", "b"}, frozenset({"a"}), {"a": 1, "b": 2}])
def test_sequences_without_an_order_are_refused(sequence):
    with pytest.raises(CorpusError, match=r"sequence 1 of X is .*a list of observations is wanted"):
        HMM().fit([["a"], sequence], [["X"], ["X"] * len(sequence)])
    hmm = HMM().fit([["a", "b"]], [["X", "Y"]])
    with pytest.raises(CorpusError, match="a list of observations is wanted"):
        hmm.tag(sequence)
