"""Mixtures at the door, and scikit-learn's contract."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import seqlab
from seqlab import GaussianMeans, MultinomialMixture
from seqlab.errors import DtypeError, NotFittedError, OptionError, ScoreError, ShapeError, StoreError

TABLE = [[3, 0, 1], [0, 2, 2], [4, 1, 0], [0, 3, 3]]
POINTS = [[0.0, 1.0], [0.5, 0.5], [8.0, 9.0], [9.0, 8.0]]


@pytest.mark.parametrize("kind", [MultinomialMixture, GaussianMeans])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1 up"),
        ({"n_components": 2.0}, "n_components must be a whole number"),
        ({"restarts": 0}, "restarts must be a whole number from 1 up"),
        ({"epochs": 0}, "epochs must be a whole number from 1 up"),
        ({"tolerance": -1}, "tolerance must be a finite number from 0 up"),
        ({"tolerance": math.nan}, "tolerance must be a finite number"),
        ({"seed": -1}, "seed must be a whole number from 0 up"),
        ({"init": [[1.0, 2.0]]}, "init has shape|row 0 of init"),
        ({"init": "random"}, "init must hold numbers"),
    ],
)
def test_options_are_checked_by_fit(kind, options, message):
    mixture = kind(**options)
    with pytest.raises((OptionError, ShapeError, DtypeError), match=message):
        mixture.fit(TABLE if kind is MultinomialMixture else POINTS)
    assert not mixture.__sklearn_is_fitted__()


@pytest.mark.parametrize("value", [-1, math.inf, "1", None, True])
def test_smoothing_and_variance_are_numbers(value):
    with pytest.raises(OptionError, match="smoothing must be a finite number from 0 up"):
        MultinomialMixture(smoothing=value).fit(TABLE)
    with pytest.raises(OptionError, match="variance must be a finite number above 0"):
        GaussianMeans(variance=value).fit(POINTS)
    with pytest.raises(OptionError, match="variance must be a finite number above 0"):
        GaussianMeans(variance=0).fit(POINTS)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        ([], ShapeError, r"shape \(n, D\), found \(0,\)"),
        (np.zeros((0, 3)), ShapeError, "0 bags and no feature"),
        (np.zeros((3, 0)), ShapeError, r"found \(3, 0\)"),
        (np.zeros((3, 2)), ShapeError, "3 bags and no feature at all"),
        ([1, 2, 3], ShapeError, r"found \(3,\); for one number each write"),
        ([[1, 2], [3]], ShapeError, "rows differ in length"),
        ([[1, -2]], ScoreError, r"X\[0, 1\] is -2.0, but a count from 0 up is wanted"),
        ([[1, math.nan]], ScoreError, r"X\[0, 1\] is nan"),
        ([[1, math.inf]], ScoreError, r"X\[0, 1\] is inf"),
        ([[1, 1j]], DtypeError, "found dtype complex128"),
        ("abc", ShapeError, "a table of counts or a list of bags, got 'abc'"),
        (None, ShapeError, "a table of counts or a list of bags, got None"),
        ({"a": 1}, ShapeError, "a table of counts or a list of bags"),
        (["abc"], ShapeError, "bag 0 of X is 'abc'"),
        ([["a"], [1]], ShapeError, "bag 1 of X has the feature 1"),
        ([["a"], 1], ShapeError, "bag 1 of X is 1"),
        ([{"a": -1}], ScoreError, "bag 0 of X counts 'a' as -1"),
        ([{"a": math.nan}], ScoreError, "bag 0 of X counts 'a' as nan"),
        ([{"a": "b"}], ScoreError, "bag 0 of X counts 'a' as 'b'"),
        ([{3: 1}], ShapeError, "the feature 3, but features are strings"),
        ([{}, {}], ShapeError, "2 bags and no feature at all"),
    ],
)
def test_bags_that_cannot_be_counted_are_refused(data, kind, message):
    with pytest.raises(kind, match=message):
        MultinomialMixture().fit(data)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (np.zeros((0, 3)), ShapeError, "no row"),
        ([[0.0, math.nan]], ScoreError, r"X\[0, 1\] is nan"),
        ([[0.0, -math.inf]], ScoreError, r"X\[0, 1\] is -inf"),
        ([[0.0, 1e200]], ScoreError, r"X\[0, 1\] is 1e\+200"),
        ([["a", "b"]], DtypeError, "must hold numbers"),
        ([0.0, 1.0], ShapeError, r"reshape\(-1, 1\)"),
        (None, DtypeError, "must hold numbers"),
    ],
)
def test_points_that_are_none_are_refused(data, kind, message):
    with pytest.raises(kind, match=message):
        GaussianMeans().fit(data)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], r"has shape \(2,\), but X has 4 rows"),
        ([1, 1, 1, -1], r"sample_weight\[3\] is -1.0"),
        ([1, 1, 1, math.nan], r"sample_weight\[3\] is nan"),
        ([0, 0, 0, 0], "every weight in sample_weight is 0"),
        (["a"] * 4, "must be 4 numbers"),
    ],
)
def test_weights_are_checked(weights, message):
    for mixture, data in ((MultinomialMixture(), TABLE), (GaussianMeans(), POINTS)):
        with pytest.raises((OptionError, ShapeError), match=message):
            mixture.fit(data, sample_weight=weights)


def test_tables_of_another_width_are_refused():
    with pytest.raises(ShapeError, match="X has 2 columns, but in training it had 3"):
        MultinomialMixture().fit(TABLE).predict([[1, 2]])
    with pytest.raises(ShapeError, match="X has 3 columns, but in training it had 2"):
        GaussianMeans().fit(POINTS).predict(TABLE)
    with pytest.raises(ShapeError, match="in training features had names"):
        MultinomialMixture().fit([["a"], ["b"]]).predict([[1, 2]])
    with pytest.raises(ShapeError, match="in training it was a table of 3 columns"):
        MultinomialMixture().fit(TABLE).predict([["a"]])


def test_start_that_makes_data_impossible_is_refused():
    with pytest.raises(OptionError, match="row 1 of X is impossible under every component of init"):
        MultinomialMixture(1, smoothing=0, init=[[0.5, 0.0, 0.5]]).fit(TABLE)
    with pytest.raises(OptionError, match=r"row 0 of init sums to 0\.9"):
        MultinomialMixture(1, init=[[0.5, 0.2, 0.2]]).fit(TABLE)
    with pytest.raises(OptionError, match="row 0 of init"):
        MultinomialMixture(1, init=[[1.5, -0.5, 0.0]]).fit(TABLE)


def test_unseen_features_say_nothing_and_impossible_bags_have_no_nan():
    mixture = MultinomialMixture(2, smoothing=0, init=[[0.5, 0.5, 0], [0.5, 0, 0.5]]).fit(
        [[1, 1, 0], [1, 0, 1]]
    )
    assert mixture.score_samples([[0, 1, 1]]) == -math.inf
    assert mixture.predict_proba([[0, 1, 1]])[0] == pytest.approx(mixture.weights_)
    named = MultinomialMixture(2).fit([["a", "b"], ["c"]])
    assert named.predict_proba([["new"], []]) == pytest.approx(np.array([named.weights_, named.weights_]))


def test_more_components_than_data_are_no_trouble():
    some = GaussianMeans(6, restarts=3).fit([[1.0], [1.0], [2.0]])
    assert np.isfinite(some.means_).all()
    few = MultinomialMixture(5).fit([[1, 0], [0, 1]])
    assert np.isfinite(few.probabilities_).all()
    far = GaussianMeans(2, variance=1e-300, init=[[0.0], [1.0]]).fit([[0.0], [5.0]])
    assert not np.isnan(far.predict_proba([[0.0], [7.0]])).any()


def test_nothing_is_answered_before_fit():
    for mixture, data in ((MultinomialMixture(), TABLE), (GaussianMeans(), POINTS)):
        for name in ("predict", "predict_proba", "score_samples", "score"):
            with pytest.raises(NotFittedError):
                getattr(mixture, name)(data)
        with pytest.raises(NotFittedError):
            mixture.weights_  # noqa: B018


def test_score_of_nothing_has_no_meaning():
    with pytest.raises(ShapeError, match="a mean has no meaning"):
        GaussianMeans().fit(POINTS).score(np.zeros((0, 2)))
    weighted = GaussianMeans().fit(POINTS)
    assert weighted.score(POINTS, sample_weight=[1, 0, 0, 0]) == pytest.approx(
        weighted.score_samples(POINTS)[0]
    )


def test_scikit_learn_takes_them_for_its_own_kind():
    mixture = MultinomialMixture(3, smoothing=0.5).fit(TABLE)
    assert repr(clone(mixture)) == "MultinomialMixture(n_components=3, smoothing=0.5)"
    assert not hasattr(clone(mixture), "weights_")
    search = GridSearchCV(GaussianMeans(), {"n_components": [1, 2]}, cv=2).fit(POINTS * 5)
    assert search.best_params_ == {"n_components": 2}
    assert cross_val_score(MultinomialMixture(), np.array(TABLE * 3), cv=3).shape == (3,)
    assert MultinomialMixture().fit(np.array(TABLE)).n_features_in_ == 3
    assert (GaussianMeans().fit_predict(POINTS) == GaussianMeans().fit(POINTS).predict(POINTS)).all()


@pytest.mark.parametrize(
    ("mixture", "data"),
    [
        (MultinomialMixture(3, smoothing=0.5, restarts=2, seed=3), TABLE),
        (MultinomialMixture(2, init=[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]), TABLE),
        (MultinomialMixture(2), [["a", "b"], {"c": 2}, []]),
        (GaussianMeans(2, variance=0.5), POINTS),
    ],
    ids=["table", "init", "names", "points"],
)
def test_saved_mixture_comes_back(mixture, data, tmp_path):
    mixture.fit(data).save(tmp_path / "mixture.safetensors")
    again = seqlab.load(tmp_path / "mixture.safetensors", verify=True)
    assert type(again) is type(mixture)
    assert (again.predict_proba(data) == mixture.predict_proba(data)).all()
    assert again.history_ == mixture.history_
    assert again.as_bytes() == mixture.as_bytes()
    assert (again.fit(data).weights_ == mixture.weights_).all()


@pytest.mark.parametrize("name", ["theta", "mu", "log_likelihood"])
def test_tampered_states_are_refused(name):
    state = MultinomialMixture(2).fit(TABLE).state()
    for spoiled in (
        state.arrays[name] - 1000.0 * np.arange(state.arrays[name].size).reshape(state.arrays[name].shape),
        state.arrays[name] * np.nan,
    ):
        content = seqlab.store.as_bytes(
            type(state)(state.kind, state.settings, {**state.arrays, name: spoiled})
        )
        with pytest.raises(StoreError):
            MultinomialMixture.from_bytes(content)


def test_tables_of_pandas_are_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE, columns=["a", "b", "c"])
    assert (MultinomialMixture().fit(frame).weights_ == MultinomialMixture().fit(TABLE).weights_).all()
    assert (GaussianMeans().fit(frame).means_ == GaussianMeans().fit(TABLE).means_).all()


def test_the_same_seed_gives_the_same_components():
    first, second = (MultinomialMixture(2, seed=4, restarts=2).fit(TABLE) for _ in range(2))
    assert (first.probabilities_ == second.probabilities_).all()
    assert first.history_ == second.history_


def test_all_runs_are_told_and_a_development_set_chooses(tmp_path):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(40, 2)), 6 + rng.normal(size=(40, 2))])
    train, dev = points[::2], points[1::2]
    plain = GaussianMeans(3, restarts=4, seed=1).fit(train)
    assert len(plain.restarts_) == 4
    best = max(history.log_likelihood[-1] for history in plain.restarts_)
    assert plain.history_.log_likelihood[-1] == pytest.approx(best, rel=1e-6)
    judged = GaussianMeans(3, restarts=4, seed=1).fit(train, dev=dev)
    scores = [max(history.dev_score) for history in judged.restarts_]
    assert judged.score(dev) == pytest.approx(max(scores))
    assert judged.score(dev) >= plain.score(dev) - 1e-12
    judged.save(tmp_path / "m")
    again = seqlab.load(tmp_path / "m")
    assert [one.dev_score for one in again.restarts_] == [one.dev_score for one in judged.restarts_]
    short = GaussianMeans(20, variance=0.05, seed=1, epochs=50, tolerance=0).fit(train, dev=dev, patience=1)
    assert len(short.history_.log_likelihood) < 51


def test_bags_have_a_development_set_too():
    X = [["a", "a", "b"], ["a", "b"], ["c", "d"], ["d", "d", "c"]] * 3
    judged = MultinomialMixture(2, restarts=3, smoothing=0.0).fit(X, dev=[["a", "new"], ["c"]])
    assert np.isfinite(judged.score([["a", "new"], ["c"]]))
    assert len(judged.restarts_) == 3
    with pytest.raises(OptionError, match="patience looks at a development set"):
        MultinomialMixture(2).fit(X, patience=2)
    with pytest.raises(ShapeError, match="dev has no row"):
        GaussianMeans(2).fit([[1.0], [2.0]], dev=np.zeros((0, 1)))
