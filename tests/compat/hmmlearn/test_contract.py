"""scikit-learn's contract, the monitor, and what is refused."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from pytest import approx
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from seqlab.compat.hmmlearn import base, hmm, vhmm

CLASSES = [hmm.CategoricalHMM, hmm.GaussianHMM, hmm.GMMHMM, hmm.MultinomialHMM, hmm.PoissonHMM]


def data(cls):
    rng = np.random.default_rng(0)
    if cls in (hmm.CategoricalHMM, vhmm.VariationalCategoricalHMM):
        return rng.integers(4, size=(80, 1))
    if cls is hmm.MultinomialHMM:
        return rng.multinomial(4, [0.5, 0.3, 0.2], size=80)
    return rng.poisson(3, size=(80, 2)) if cls is hmm.PoissonHMM else rng.normal(size=(80, 2))


@pytest.mark.parametrize("cls", [*CLASSES, vhmm.VariationalCategoricalHMM, vhmm.VariationalGaussianHMM])
def test_clone_pickle_and_parameters(cls):
    X, model = data(cls), cls(2, random_state=0, n_iter=3)
    assert clone(model).get_params() == model.get_params()
    assert clone(model).set_params(n_iter=7).n_iter == 7
    with pytest.raises(NotFittedError):
        model.score(X)
    again = pickle.loads(pickle.dumps(model.fit(X)))
    assert again.score(X) == model.score(X)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert list(again.monitor_.history) == list(model.monitor_.history)


@pytest.mark.parametrize("cls", CLASSES)
def test_signatures_are_those_of_hmmlearn(cls):
    import inspect

    peer = pytest.importorskip("hmmlearn.hmm")
    theirs, mine = (inspect.signature(one).parameters for one in (getattr(peer, cls.__name__), cls))
    assert [(p.name, p.kind, p.default) for p in mine.values()] == [
        (p.name, p.kind, p.default) for p in theirs.values()
    ]


def test_grid_search():
    X = np.concatenate([np.random.default_rng(i).normal(size=(40, 1)) + 6 * (i % 2) for i in range(6)])
    search = GridSearchCV(hmm.GaussianHMM(random_state=0), {"n_components": [1, 2]}, cv=3).fit(X)
    assert search.best_params_ == {"n_components": 2}


def test_monitor_speaks_only_when_asked(capsys):
    X = data(hmm.GaussianHMM)
    hmm.GaussianHMM(2, random_state=0, n_iter=3, tol=-np.inf).fit(X)
    assert capsys.readouterr() == ("", "")
    model = hmm.GaussianHMM(2, random_state=0, n_iter=3, tol=-np.inf, verbose=True).fit(X)
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 3)
    assert err.splitlines()[1].split()[0] == "2"
    assert float(err.splitlines()[2].split()[1]) == approx(model.monitor_.history[2])


def test_a_fall_is_logged(caplog):
    monitor = base.ConvergenceMonitor(1e-2, 10, verbose=False)
    monitor.report(-1.0)
    monitor.report(-2.0)
    assert [record.name for record in caplog.records] == ["hmmlearn.base"]
    assert caplog.text.endswith("fell from -1.0 to -2.0, by 1.0\n")
    assert monitor.converged


def test_what_is_set_is_kept_only_without_its_letter(caplog):
    X = data(hmm.GaussianHMM)
    model = hmm.GaussianHMM(2, init_params="tmc", params="tmc", random_state=0, n_iter=2)
    model.startprob_ = np.array([0.25, 0.75])
    assert model.fit(X).startprob_.tolist() == [0.25, 0.75]
    assert "overwritten" not in caplog.text
    model.set_params(init_params="stmc").fit(X)
    assert "startprob_" in caplog.text
    assert "overwritten" in caplog.text


@pytest.mark.parametrize("kind", ["spherical", "diag", "full", "tied"])
@pytest.mark.parametrize("family", [hmm.GaussianHMM, hmm.GMMHMM])
def test_one_row_is_enough_for_one_state(family, kind):
    model = family(1, covariance_type=kind, random_state=0).fit([[1.5, 2.0]])
    assert model.means_.ravel().tolist() == [1.5, 2.0]
    assert np.isfinite(model.covars_).all()


def test_of_equally_good_paths_the_last_state_is_the_first_and_those_before_the_last():
    model = hmm.CategoricalHMM(3)
    model.startprob_, model.transmat_ = np.full(3, 1 / 3), np.full((3, 3), 1 / 3)
    model.emissionprob_ = np.full((3, 2), 0.5)
    assert model.predict([[0]]).tolist() == [0]
    assert model.predict([[0], [1], [1], [0], [1]], [1, 3, 1]).tolist() == [0, 2, 2, 0, 0]
    assert model.predict(np.zeros((3000, 1), dtype=int))[-2:].tolist() == [2, 0]
    model.transmat_ = np.eye(3)
    model.startprob_ = np.array([0, 0.5, 0.5])
    assert model.predict([[0], [1], [0]], [2, 1]).tolist() == [1, 1, 1]


def test_lengths_may_be_one_number():
    X = data(hmm.GaussianHMM)
    model = hmm.GaussianHMM(2, random_state=0).fit(X, len(X))
    assert model.score(X, len(X)) == model.score(X)


def test_forbidden_moves_stay_forbidden():
    X = np.random.default_rng(1).normal(size=(60, 1)) + np.repeat([[0.0], [4.0], [8.0]], 20, axis=0)
    model = hmm.GaussianHMM(3, init_params="mc", random_state=0, n_iter=20)
    model.startprob_, model.transmat_ = [1.0, 0, 0], [[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1.0]]
    model.means_ = [[0.0], [4.0], [8.0]]
    model.set_params(init_params="c").fit(X)
    assert (np.tril(model.transmat_, -1) == 0).all()
    assert model.transmat_[0, 2] == 0
    assert (np.diff(model.predict(X)) >= 0).all()


def categorical(start=(1.0, 0.0), moves=((1.0, 0.0), (0.0, 1.0)), symbols=((1.0, 0.0), (0.0, 1.0))):
    model = hmm.CategoricalHMM(2, init_params="")
    model.startprob_, model.transmat_, model.emissionprob_ = start, moves, symbols
    return model


def test_a_sequence_that_cannot_be():
    X = np.array([[0], [1]])
    assert categorical().score(X) == -np.inf
    assert categorical().decode(X)[0] == -np.inf
    for question in ("predict_proba", "fit"):
        with pytest.raises(ValueError, match="sequence 1: it has probability 0"):
            getattr(categorical(), question)(np.concatenate([X * 0, X]), [2, 2])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"start": [0.5, 0.6]}, "startprob_ must sum to 1"),
        ({"start": [1.0]}, r"startprob_ must have shape \(2,\)"),
        ({"start": [2.0, -1.0]}, "from 0 up"),
        ({"moves": [[1.0, 0.0]]}, r"transmat_ must have shape \(2, 2\)"),
        ({"symbols": [[0.5, 0.4], [1.0, 0.0]]}, "emissionprob_ must sum to 1"),
    ],
)
def test_wrong_tables_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        categorical(**change).score([[0]])


@pytest.mark.parametrize(
    ("X", "lengths", "said"),
    [
        ([[0.5]], None, "whole numbers"),
        ([[-1]], None, "from 0 up"),
        ([[2]], None, "largest symbol is 2"),
        ([[0], [1]], [3], "lengths must sum"),
        ([[0], [1]], [3, -1], "from 0 up"),
        ([0, 1], None, "2D"),
    ],
)
def test_wrong_data_is_refused(X, lengths, said):
    model = categorical(start=(0.5, 0.5), moves=((0.5, 0.5), (0.5, 0.5)), symbols=((0.5, 0.5), (0.3, 0.7)))
    for question in (model.fit, model.score, model.predict):
        with pytest.raises(ValueError, match=said):
            question(X, lengths)


@pytest.mark.parametrize("cls", [hmm.GaussianHMM, hmm.GMMHMM])
@pytest.mark.parametrize("bad", [{"covariance_type": "round"}, {"implementation": "fast"}])
def test_unknown_options_are_refused(cls, bad):
    with pytest.raises(ValueError, match="must be"):
        cls(2, **bad).fit(data(cls))
    with pytest.raises(ValueError, match="algorithm"):
        cls(2, n_iter=1, random_state=0).fit(data(cls)).decode(data(cls), algorithm="best")


def test_scaling_refuses_what_it_cannot_hold_and_log_takes_it():
    X = np.concatenate([np.random.default_rng(0).normal(size=(50, 1)), [[1e4]]])
    for implementation in ("log", "scaling"):
        model = hmm.GaussianHMM(2, init_params="", implementation=implementation)
        model.startprob_, model.transmat_ = [0.5, 0.5], [[0.4, 0.6], [0.6, 0.4]]
        model.means_, model.covars_ = [[0.0], [5.0]], [[1.0], [1.0]]
        if implementation == "log":
            assert np.isfinite(model.fit(X).score(X))
        else:
            with pytest.raises(ValueError, match="implementation='log'"):
                model.fit(X)


def test_a_state_without_rows_keeps_its_tables():
    X = np.random.default_rng(0).normal(size=(30, 1))
    model = hmm.GaussianHMM(2, init_params="", n_iter=5)
    model.startprob_, model.transmat_ = [1.0, 0.0], [[1.0, 0.0], [0.5, 0.5]]
    model.means_, model.covars_ = [[0.0], [7.0]], [[1.0], [1.0]]
    model.fit(X)
    assert model.means_[1, 0] == 7.0
    assert np.isfinite(model._covars_).all()


def test_hmmlearn_is_not_imported():
    code = "import sys, seqlab, seqlab.compat.hmmlearn.hmm; sys.exit('hmmlearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    light = "import sys, seqlab; sys.exit('seqlab.compat' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", light], check=False).returncode == 0


@pytest.mark.parametrize(("value", "said"), [(-1.0, "from 0 up"), (0.0, None)])
def test_variances_of_a_mixture(value, said, caplog):
    model = hmm.GMMHMM(1, n_mix=1)
    model.startprob_, model.transmat_, model.weights_ = [1.0], [[1.0]], [[1.0]]
    model.means_, model.covars_ = [[[0.0]]], [[[value]]]
    if said is None:
        assert not np.isnan(model.score([[0.0]]))
        assert "Degenerate" in caplog.text
    else:
        with pytest.raises(ValueError, match=said):
            model.score([[0.0]])
