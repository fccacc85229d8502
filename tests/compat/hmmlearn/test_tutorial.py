"""The steps of hmmlearn's tutorial and of its gallery, each with nothing changed but the import."""

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


GALLERY = {
    "dice": """
from {package} import hmm
# A fair die and a loaded one, drawn and found again: the best of several starts on rolls kept back.
maker = hmm.CategoricalHMM(n_components=2, random_state=4)
maker.startprob_ = np.array([0.7, 0.3])
maker.transmat_ = np.array([[0.92, 0.08], [0.15, 0.85]])
maker.emissionprob_ = np.array([np.full(6, 1 / 6), [0.05, 0.05, 0.1, 0.1, 0.1, 0.6]])
rolls, states = maker.sample(1200)
train, held = rolls[:600], rolls[600:]
best = None
for seed in range(5):
    model = hmm.CategoricalHMM(n_components=2, random_state=seed, init_params="se", n_iter=50)
    model.transmat_ = np.array([[0.9, 0.1], [0.1, 0.9]])
    model.fit(train)
    if best is None or model.score(held) > best[0]:
        best = model.score(held), model
result = [best[0], np.round(best[1].emissionprob_, 6), best[1].predict(rolls), states]
""",
    "states": """
from {package} import hmm
# How many states: AIC, BIC and likelihood over n_components.
maker = hmm.GaussianHMM(3, covariance_type="full")
maker.startprob_ = np.array([0.2, 0.5, 0.3])
maker.transmat_ = np.array([[0.8, 0.1, 0.1], [0.25, 0.5, 0.25], [0.1, 0.4, 0.5]])
maker.means_, maker.covars_ = np.array([[-3.0], [0.5], [4.0]]), np.array([[[0.3]]] * 3)
X, _ = maker.sample(400, random_state=np.random.RandomState(5))
result = []
for n in (2, 3, 4):
    tries = [hmm.GaussianHMM(n, n_iter=100, tol=1e-4, random_state=seed).fit(X) for seed in range(2)]
    model = max(tries, key=lambda one: one.score(X))
    result += [model.aic(X), model.bic(X), model.score(X)]
""",
    "counts": """
from {package} import hmm
# Words of reviews as counts, and events a year as counts.
X = np.array([[2, 1, 1, 1, 0], [1, 3, 0, 1, 0], [0, 0, 2, 1, 2], [0, 1, 1, 0, 3], [1, 2, 1, 1, 0], [0, 0, 1, 1, 3]])
text = hmm.MultinomialHMM(n_components=2, n_trials=5, n_iter=50, random_state=1)
text.fit(X, lengths=[3, 3])
log_prob, sentiments = text.decode(X, lengths=[3, 3], algorithm="viterbi")
storms = np.array([4, 6, 3, 5, 15, 19, 17, 21, 18, 4, 5, 2, 7, 16, 20, 14, 22, 19, 3, 6])[:, None]
tries = [hmm.PoissonHMM(n_components=2, random_state=i, n_iter=10).fit(storms) for i in range(4)]
model = max(tries, key=lambda one: one.score(storms))
result = [log_prob, sentiments, text.emissionprob_, model.lambdas_, model.predict(storms)]
result += [*model.sample(30, random_state=3), model.get_stationary_distribution()]
""",
    "going on": """
from {package} import hmm
# Draw, go on from the last state, and decode with both algorithms.
model = hmm.GaussianHMM(n_components=4, covariance_type="full")
model.startprob_ = np.array([0.1, 0.0, 0.5, 0.4])
model.transmat_ = np.array([[0.6, 0.4, 0.0, 0.0], [0.0, 0.7, 0.3, 0.0], [0.0, 0.0, 0.8, 0.2], [0.5, 0.0, 0.0, 0.5]])
model.means_ = np.array([[-6.0, 1.0], [2.0, 7.0], [8.0, 0.0], [1.0, -5.0]])
model.covars_ = 0.8 * np.tile(np.identity(2), (4, 1, 1))
X, Z = model.sample(50, random_state=3)
more, after = model.sample(20, currstate=Z[-1], random_state=4)
result = [X, Z, more, after, *model.decode(X), *model.decode(X, algorithm="map")]
result += [model.predict_proba(X), *model.score_samples(X, [20, 30])]
""",
    "variational": """
from {package} import hmm, vhmm
# Fewer data than states asked for: lower bounds beside likelihoods.
maker = hmm.GaussianHMM(4, init_params="")
maker.n_features = 1
maker.startprob_, maker.transmat_ = np.full(4, 0.25), 0.6 * np.eye(4) + 0.1
maker.means_, maker.covars_ = np.array([[-4.0], [-1.0], [2.0], [5.0]]), np.array([[0.1]] * 4)
parts = [maker.sample(60, random_state=i)[0] for i in range(4)]
X, lengths = np.concatenate(parts), [60] * 4
result = []
for n in (2, 4, 5):
    plain = hmm.GaussianHMM(n, "full", n_iter=100, tol=1e-3, random_state=n).fit(X, lengths)
    model = vhmm.VariationalGaussianHMM(n, n_iter=200, tol=1e-4, covariance_type="full", random_state=n).fit(X, lengths)
    result += [plain.score(X, lengths), model.monitor_.history[-1], model.means_posterior_]
    result += [model.transmat_, model.covars_, model.predict(X, lengths)]
    dice = vhmm.VariationalCategoricalHMM(n, random_state=n, n_iter=30).fit((X > 1).astype(int), lengths)
    result += [dice.monitor_.history[-1], dice.emissionprob_posterior_]
""",
}


def run(package):
    space = {}
    exec(SCRIPT.format(package=package), space)
    return space


@pytest.fixture
def ours(caplog):
    caplog.set_level(logging.CRITICAL, logger="hmmlearn")
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


@pytest.mark.parametrize("name", list(GALLERY))
def test_gallery_runs_and_gives_what_hmmlearn_gives(name):
    def ran(package):
        space = {"np": np}
        exec(GALLERY[name].format(package=package), space)
        return space["result"]

    mine = ran("seqlab.compat.hmmlearn")
    assert all(np.isfinite(one).all() for one in mine)
    pytest.importorskip("hmmlearn")
    theirs = ran("hmmlearn")
    for one, other in zip(mine, theirs, strict=True):
        assert np.asarray(one) == approx(np.asarray(other), rel=1e-7, abs=1e-7)


def test_verbose_writes_hmmlearns_lines(capsys):
    peer = pytest.importorskip("hmmlearn")
    assert peer is not None
    script = """
from {package} import hmm
X = np.random.RandomState(0).normal(size=(60, 2))
model = hmm.GaussianHMM(2, n_iter=8, tol=1e-3, random_state=0, verbose=True).fit(X)
"""
    told = []
    for package in ("seqlab.compat.hmmlearn", "hmmlearn"):
        space = {"np": np}
        exec(script.format(package=package), space)
        told.append((capsys.readouterr().err, repr(space["model"].monitor_).splitlines()[0]))
    assert told[0] == told[1]
