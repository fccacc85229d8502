"""scikit-learn's contract, kept by every model that says how data come about: chains, hidden states, mixtures."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from seqlab import (
    HMM,
    BaumWelch,
    Categorical,
    Counting,
    Dirichlet,
    Gaussian,
    GaussianMeans,
    GaussianMixture,
    HardEM,
    MarkovChain,
    MultinomialMixture,
    Poisson,
    Streams,
    SuffixModel,
)
from seqlab.errors import NotFittedError, OptionError
from seqlab.learning.smoothing import KneserNey

WORDS = [["a", "b", "a"], ["b", "a"], ["a", "c"]]
LABELS = [["x", "y", "x"], ["y", "x"], ["x", "y"]]
POINTS = np.random.default_rng(0).normal(size=(12, 2))
STREAMS = {"word": WORDS, "size": [[1, 0, 4], [2, 2], [0, 1]]}
TABLES = ([0.5, 0.5], [[0.5, 0.5], [0.5, 0.5]], [[0.6, 0.2, 0.2], [0.2, 0.4, 0.4]])

# an estimator with options that differ from the defaults, what it is fitted to, another value for one option
CASES = {
    "chain": (MarkovChain(2, KneserNey(0.75), min_count=1), (WORDS,), ("smoothing__discounts", 0.5)),
    "chain of a vocabulary": (MarkovChain(smoothing=0.5, vocabulary=["a", "b"]), (WORDS,), ("end", False)),
    "bags": (MultinomialMixture(2, smoothing=0.1, restarts=2), (WORDS,), ("seed", 5)),
    "bags from a table": (
        MultinomialMixture(2, init=np.full((2, 2), 0.5)),
        (np.eye(2),),
        ("init", np.array([[0.3, 0.7], [0.6, 0.4]])),
    ),
    "points": (GaussianMeans(3, variance=0.5), (POINTS,), ("n_components", 2)),
    "counted words": (
        HMM(learner=Counting("witten-bell", SuffixModel(longest=3))),
        (WORDS, LABELS),
        ("learner__unknown__longest", 2),
    ),
    "labelled tables": (HMM(smoothing=Dirichlet(1.0, 0.5)), (WORDS, LABELS), ("smoothing__start", 2.0)),
    "hidden words": (HMM(2, learner=BaumWelch(max_iterations=3)), (WORDS,), ("learner__max_iterations", 2)),
    "hard": (
        HMM(2, Categorical(["a", "b", "c"]), learner=HardEM(), seed=3),
        (WORDS,),
        ("emissions__symbols", None),
    ),
    "from tables": (HMM(init=TABLES, states=["q", "r"]), (WORDS,), ("states", ["r", "q"])),
    "with an array in its init": (HMM(init={"start": np.array([0.5, 0.5])}), (WORDS,), ("end", True)),
    "with a dictionary": (HMM(states=["x", "y"], allowed={"a": ["x"]}), (WORDS,), ("allowed", {"b": ["x"]})),
    "vectors": (HMM(2, Gaussian("full", mean_weight=1.0)), ([POINTS],), ("emissions__covariance", "tied")),
    "mixtures": (HMM(2, GaussianMixture(components=2)), ([POINTS],), ("emissions__components", 1)),
    "counts": (HMM(2, Poisson(1.0, 1.0)), ([[3, 0, 1, 4]],), ("emissions__rate_weight", 2.0)),
    "streams": (HMM(2, Streams(word=Categorical(), size=Poisson())), (STREAMS,), ("unknown", "missing")),
}


def inner(estimator, name):
    value = estimator
    for part in name.split("__"):
        value = getattr(value, part)
    return value


@pytest.mark.filterwarnings("ignore::seqlab.errors.TrainingWarning")
@pytest.mark.parametrize("case", CASES)
def test_the_contract_is_kept(case):
    model, data, (option, value) = CASES[case]
    names = list(inspect.signature(type(model)).parameters)
    assert list(model.get_params(deep=False)) == names
    assert all(model.get_params(deep=False)[name] is getattr(model, name) for name in names)
    assert option in model.get_params()

    # there and back: constructor, set_params, clone
    again = type(model)(**model.get_params(deep=False))
    assert repr(again) == repr(model)
    copied = clone(model)
    assert repr(copied) == repr(model)
    assert copied is not model
    assert type(model)().set_params(**model.get_params(deep=False)).get_params(deep=False).keys() == set(
        names
    )
    assert again.set_params(**{option: value}) is again
    assert inner(again, option) is value or inner(again, option) == value
    with pytest.raises(OptionError, match=f"{type(model).__name__} has no option 'luck', only '{names[0]}'"):
        again.set_params(luck=1)

    # repr is what one would write, where options have a short repr
    assert repr(model).startswith(f"{type(model).__name__}(")
    assert len(repr(model)) < 1000
    assert repr(type(model)()) == f"{type(model).__name__}()"

    # nothing is answered before fit, and fit answers with the model itself
    before = clone(model)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(before)
    questions = (
        ("log_prob", "perplexity", "score") if isinstance(model, MarkovChain) else ("predict", "score")
    )
    for question in questions:
        with pytest.raises(
            NotFittedError, match=rf"{type(model).__name__} has learned nothing yet; call fit"
        ):
            getattr(before, question)(data[0])
    assert before.fit(*data) is before
    check_is_fitted(before)
    assert before.get_params(deep=False).keys() == set(names)  # fit changes no option
    assert repr(before) == repr(model)
    assert np.isfinite(before.score(*data))

    # a clone of what was fitted has learned nothing; fitted again, it learns the same
    fresh = clone(before)
    with pytest.raises(NotFittedError):
        fresh.score(*data)
    assert fresh.fit(*data).score(*data) == before.score(*data)
    assert type(model).from_bytes(before.as_bytes()).score(*data) == before.score(*data)
