"""Mixtures as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.errors import StoreError
from seqlab.families.mixture.tables import EMHistory
from seqlab.store.state import State, string_arrays

if TYPE_CHECKING:
    from seqlab.families.mixture.tagger import _Mixture


def mixture_state(mixture: _Mixture) -> State:
    """Options, components, and how they were found."""
    settings = {
        "n_components": int(mixture.n_components),
        mixture._own: float(getattr(mixture, mixture._own)),
        "restarts": int(mixture.restarts),
        "epochs": int(mixture.epochs),
        "tolerance": float(mixture.tolerance),
        "seed": int(mixture.seed),
        "started": mixture.init is not None,
        "converged": mixture.history_.converged,
    }
    arrays = {
        "theta": getattr(mixture, mixture._theta),
        "mu": mixture.weights_,
        "log_likelihood": np.array(mixture.history_.log_likelihood),
    }
    if mixture.init is not None:
        arrays["init"] = np.asarray(mixture.init, dtype=np.float64)
    names = getattr(mixture, "features_", None)
    settings["named"] = names is not None
    arrays |= string_arrays("features", names or ())
    return State(mixture._kind, settings, arrays)


def mixture_from_state(mixture: _Mixture, state: State) -> None:
    """Fill a new mixture; nothing of the state is trusted."""
    for name in ("n_components", "restarts", "epochs", "seed"):
        setattr(mixture, name, state.setting(name, int))
    for name in ("tolerance", mixture._own):
        setattr(mixture, name, state.setting(name, float))
    theta, mu = state.finite("theta", (None, None)), state.finite("mu", (None,))
    k, size = theta.shape
    if k != len(mu) or k != mixture.n_components or not size or not _shares(mu):
        raise StoreError("the weights of the components do not fit, or do not sum to 1")
    if mixture._theta == "probabilities_" and not all(map(_shares, theta)):
        raise StoreError("the probabilities of a component do not sum to 1")
    mixture.init = np.array(state.finite("init", (k, size))) if state.setting("started", bool) else None
    logs = state.array("log_likelihood", np.float64, (None,))
    if not len(logs) or np.isnan(logs).any() or (np.diff(logs) < 0).any():
        raise StoreError("the log-likelihood should never fall")
    if mixture._theta == "probabilities_":
        _set_features(mixture, state, size)
    setattr(mixture, mixture._theta, np.array(theta))
    mixture.history_ = EMHistory(tuple(logs.tolist()), state.setting("converged", bool))
    mixture.n_features_in_, mixture.weights_ = size, np.array(mu)


def _set_features(mixture: Any, state: State, size: int) -> None:
    names = state.strings("features")
    if state.setting("named", bool) and (len(names) != size or len(set(names)) != size):
        raise StoreError("every feature needs a name of its own")
    mixture.features_ = tuple(names) if state.setting("named", bool) else None


def _shares(values: Any) -> bool:
    return bool((values >= 0).all() and abs(float(values.sum()) - 1) < 1e-6)
