"""The steps of hmmlearn's tutorial, each with nothing changed but the import."""

import logging

import joblib
import numpy as np
import pytest
from pytest import approx

SCRIPT = """
import numpy as np
from {package} import hmm

# A model by hand, and a sample of it.
np.random.seed(42)
built = hmm.GaussianHMM(n_components=3, covariance_type="full")
built.startprob_ = np.array([0.5, 0.4, 0.1])
built.transmat_ = np.array([[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
built.means_ = np.array([[0.0, 0.0], [4.0, -4.0], [6.0, 12.0]])
built.covars_ = np.tile(np.identity(2), (3, 1, 1))
X, Z = built.sample(200)

# Training it anew, with several sequences, and the best of some starts.
remodel = hmm.GaussianHMM(n_components=3, covariance_type="full", n_iter=100, random_state=1)
remodel.fit(X)
Z2 = remodel.predict(X)
converged = remodel.monitor_.converged
both = np.concatenate([X, X[:50]])
remodel.fit(both, lengths=[len(X), 50])
scores = []
for seed in range(3):
    model = hmm.GaussianHMM(n_components=2, n_iter=10, tol=0.1, random_state=seed)
    scores.append(model.fit(X).score(X))

# What is set before stays: only the rest gets a start.
part = hmm.GaussianHMM(n_components=3, n_iter=20, init_params="mcs", random_state=1)
part.transmat_ = built.transmat_
part.fit(X)

# Symbols, and counts.
coins = hmm.CategoricalHMM(n_components=2, random_state=9, n_iter=50).fit(np.array([[0, 1, 1, 0, 2, 2, 1, 0]]).T)
counts = hmm.PoissonHMM(n_components=2, random_state=9, n_iter=20).fit(np.array([[1, 9, 8, 0, 2, 7, 1, 0]]).T)
"""


def run(package):
    space = {}
    exec(SCRIPT.format(package=package), space)
    return space


@pytest.fixture
def ours():
    logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)
    return run("seqlab.compat.hmmlearn")


def test_tutorial_runs(ours, tmp_path):
    assert ours["X"].shape == (200, 2)
    assert ours["converged"]
    assert set(ours["Z2"].tolist()) == {0, 1, 2}
    for name in ("remodel", "part", "coins", "counts"):
        history = ours[name].monitor_.history
        assert history[-1] > history[0]
    joblib.dump(ours["remodel"], tmp_path / "model.pkl")
    again = joblib.load(tmp_path / "model.pkl")
    assert again.predict(ours["X"]).tolist() == ours["remodel"].predict(ours["X"]).tolist()


def test_tutorial_gives_what_hmmlearn_gives(ours):
    pytest.importorskip("hmmlearn")
    theirs = run("hmmlearn")
    for name in ("X", "Z", "Z2"):
        assert np.asarray(ours[name]) == approx(np.asarray(theirs[name]))
    assert ours["scores"] == approx(theirs["scores"], rel=1e-8)
    for name in ("remodel", "part", "coins", "counts"):
        history = list(theirs[name].monitor_.history)
        assert list(ours[name].monitor_.history) == approx(history, rel=1e-8), name
        assert ours[name].transmat_ == approx(theirs[name].transmat_, abs=1e-8)
