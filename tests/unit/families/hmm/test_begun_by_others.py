"""HMMs initialised by another model; samples as arrays, states by number, sizes of tables, patience, weights."""

import numpy as np
import pytest

from seqlab import HMM, BaumWelch, Categorical, Gaussian, GaussianMixture, Poisson
from seqlab.errors import OptionError

RNG = np.random.default_rng(0)
VECTORS = [np.repeat([[0.0, 0.0], [5.0, 5.0]], 10, axis=0) + RNG.normal(size=(20, 2)) for _ in range(4)]
FEW = BaumWelch(max_iterations=3)


@pytest.mark.parametrize(
    ("emissions", "X"),
    [
        (Gaussian(), VECTORS),
        (Gaussian("full"), VECTORS),
        (GaussianMixture(components=2), VECTORS),
        (Poisson(), [[1, 9, 8], [0, 2, 11]]),
        (Categorical(), [["a", "b"], ["b", "b"]]),
    ],
    ids=repr,
)
def test_the_emissions_of_the_first_model_go_on(emissions, X):
    first = HMM(2, emissions, learner=FEW).fit(X)
    second = HMM(init=first, learner=FEW).fit(X)
    assert type(second.model_.emissions) is type(first.model_.emissions)
    whole = HMM(2, emissions, learner=BaumWelch(max_iterations=6, tolerance=0)).fit(X)
    assert second.score(X) >= first.score(X) - 1e-9
    assert second.predict(X) == HMM(init=first, emissions=emissions, learner=FEW).fit(X).predict(X)
    assert whole.score(X) >= first.score(X) - 1e-9
    again = HMM.from_bytes(second.as_bytes())
    assert again.predict(X) == second.predict(X)


def test_other_emissions_than_those_of_the_first_model_are_refused():
    first = HMM(2, Gaussian("full"), learner=FEW).fit(VECTORS)
    for other in (Poisson(), Gaussian("diag"), GaussianMixture(), Categorical()):
        with pytest.raises(
            OptionError, match=r"init is a model whose emissions are Gaussian\(covariance='full'\)"
        ):
            HMM(init=first, emissions=other).fit(VECTORS)


def test_samples_of_vectors_are_arrays():
    hmm = HMM(2, Gaussian(), learner=FEW).fit(VECTORS)
    drawn = hmm.sample(n=3, length=[4, 0, 1], seed=1)
    assert [one.shape for one in drawn.observations] == [(4, 2), (0, 2), (1, 2)]
    assert all(isinstance(one, np.ndarray) for one in drawn.observations)
    again = hmm.generate(3, [4, 0, 1], seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(drawn.observations, again.observations, strict=True))
    words = HMM(2, learner=FEW).fit([["a", "b"], ["b", "b"]]).sample(n=2, length=3)
    assert all(isinstance(one, list) for one in words.observations)


def test_states_by_number():
    hmm = HMM(2, Gaussian(), learner=FEW).fit(VECTORS)
    number = {name: i for i, name in enumerate(hmm.labels_)}
    names, numbers = hmm.predict(VECTORS), hmm.predict(VECTORS, states="index")
    assert numbers == [[number[name] for name in row] for row in names]
    assert all(type(state) is int for row in numbers for state in row)
    drawn, named = (hmm.sample(n=2, length=5, seed=3, states=states) for states in ("index", "name"))
    assert drawn.states == [[number[name] for name in row] for row in named.states]
    with pytest.raises(OptionError, match="states must be"):
        hmm.predict(VECTORS, states="number")


def test_a_table_of_sizes_has_what_it_was_chosen_by():
    chosen = HMM(emissions=Gaussian(), learner=FEW).select_states(
        VECTORS[:3], [1, 2], criterion="dev", dev=VECTORS[3:]
    )
    head, *rows = str(chosen).split("\n")
    assert head.split()[-1] == "dev"
    assert [float(row.split()[-1]) for row in rows] == pytest.approx(
        [one.dev for one in chosen.candidates], abs=1e-6
    )
    plain = HMM(emissions=Gaussian(), learner=FEW).select_states(VECTORS, [1, 2])
    assert "dev" not in str(plain)


@pytest.mark.parametrize("options", [{}, {"smoothing": 0.1}], ids=["counted", "tables"])
@pytest.mark.parametrize("dev", [None, ([["a"]], [["X"]])], ids=["alone", "dev"])
def test_patience_has_no_meaning_where_labels_are_counted(options, dev):
    with pytest.raises(OptionError, match="patience has no meaning here: every token has a label"):
        HMM(**options).fit([["a", "b"]], [["X", "Y"]], patience=1, dev=dev)


def test_patience_looks_at_a_development_set():
    with pytest.raises(OptionError, match="patience looks at a development set"):
        HMM(2).fit([["a", "b"]], patience=1)


@pytest.mark.parametrize("options", [{}, {"smoothing": 0.1, "learner": BaumWelch()}], ids=["counted", "em"])
def test_batches_obey_weights(options):
    X, y = [["a", "b"], ["b", "b"], ["a", "a"]], [["X", "Y"], ["Y", "Y"], ["Y", "X"]]
    heavy = HMM(**options).partial_fit(X, y, sample_weight=[3, 1, 1])
    copied = HMM(**options).partial_fit(X[:1] * 3 + X[1:], y[:1] * 3 + y[1:])
    even = HMM(**options).partial_fit(X, y)
    found = [one.log_joint(["a", "b"], ["X", "Y"]) for one in (heavy, copied, even)]
    assert found[0] == pytest.approx(found[1])
    assert abs(found[0] - found[2]) > 1e-3
    later = [one.partial_fit(X[1:], y[1:], sample_weight=[2, 1]) for one in (heavy, copied)]
    plain = even.partial_fit(X[1:], y[1:])
    found = [one.log_joint(["b", "b"], ["Y", "Y"]) for one in (*later, plain)]
    assert found[0] == pytest.approx(found[1])
