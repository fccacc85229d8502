"""Hard EM: best paths get likelier with every step, and states that none of them visits are named."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx

from seqlab import HMM, HardEM, Poisson


@pytest.mark.parametrize("smoothing", [None, 0.1])
@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(1, 3))
def test_hard_em_names_the_states_that_no_best_path_visits(smoothing, seed, states, restarts):  # eq:hard-em
    rng = np.random.default_rng(seed)
    V = int(rng.integers(2, 6))
    X = [rng.integers(V, size=n).tolist() for n in rng.integers(2, 9, size=4)]
    hmm = HMM(states, Poisson() if seed % 2 else None, smoothing=smoothing, seed=seed % 1000)
    hmm.learner = HardEM(restarts=restarts, tolerance=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hmm.fit(X)
    said = [str(one.message) for one in caught if "nothing is left" in str(one.message)]
    # Of two paths that are equally good, training and predict() may each choose another.
    pairs = [[path.score for path in hmm.nbest(x, 2)] for x in X]
    assume(all(len(scores) < 2 or scores[0] - scores[1] > 1e-9 for scores in pairs))
    visited = {label for row in hmm.predict(X) for label in row}
    lost = [label for label in hmm.labels_ if label not in visited]
    assert len(said) == bool(lost)  # once, whatever the number of runs, and for the one that was kept
    if lost:
        assert all(repr(label) in said[0] for label in lost[:5])
        assert not any(repr(label) in said[0] for label in visited)
        assert lost == list(hmm.labels_[-len(lost) :])  # the most used come first
    best_paths = sum(hmm.nbest(x, 1)[0].score for x in X)
    assert hmm.history_.log_likelihood[hmm.history_.best] == approx(best_paths, abs=1e-8)
    assert (np.diff([-value for value in hmm.history_.objective]) >= 0).all()
    assert np.isfinite(hmm.model_.A).all()
    assert hmm.model_.A.sum(axis=1) == approx(np.ones(states))
