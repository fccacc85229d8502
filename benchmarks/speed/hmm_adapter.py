"""seqlab.compat.hmmlearn beside hmmlearn: `fit` and `score` of each class, on the same data from the same start."""

from __future__ import annotations

import copy
import importlib
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.speed.figure import Figure
from benchmarks.speed.goals import Goal, figure
from benchmarks.speed.hmm_sides import DisagreementError
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.timing import measure

NEVER_SLOWER = Goal(1.0, 5.0)
SIDES = {"hmmlearn": "hmmlearn", "seqlab": "seqlab.compat.hmmlearn"}
K = 3
# Module, class, options, and the kind of rows
MODELS: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("hmm", "CategoricalHMM", {}, "symbols"),
    ("hmm", "MultinomialHMM", {"n_trials": 5}, "bags"),
    ("hmm", "PoissonHMM", {}, "counts"),
    ("hmm", "GaussianHMM", {"covariance_type": "diag"}, "vectors"),
    ("hmm", "GMMHMM", {"n_mix": 2}, "vectors"),
    ("vhmm", "VariationalCategoricalHMM", {}, "symbols"),
    ("vhmm", "VariationalGaussianHMM", {"covariance_type": "full"}, "vectors"),
)


def rows(kind: str, count: int) -> Any:
    """Draw rows of one kind."""
    rng = np.random.default_rng(0)
    if kind == "symbols":
        return rng.integers(8, size=(count, 1))
    if kind == "bags":
        return rng.multinomial(5, [0.2, 0.3, 0.5], size=count)
    if kind == "counts":
        return rng.poisson(3, size=(count, 2))
    return rng.normal(size=(count, 3)) + 3 * rng.integers(3, size=(count, 1))


def asked(model: Any, question: str, x: Any) -> Any:
    """Ask a copy of a model, so that every fit begins at the same start."""
    return getattr(copy.deepcopy(model), question)(x)


def run(case: str, *, quick: bool = False) -> Iterator[Figure]:
    """Measure both sides in one thread: ten iterations of fit, and a score."""
    logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)
    for module, name, options, kind in MODELS:
        x = rows(kind, 500 if quick else 20_000)
        made: dict[str, Any] = {}
        for side, package in SIDES.items():
            cls = getattr(importlib.import_module(f"{package}.{module}"), name)
            start = cls(K, n_iter=1, random_state=0, **options).fit(x)
            made[side] = start.set_params(n_iter=10, tol=-np.inf, init_params="")
            made[side].monitor_.n_iter, made[side].monitor_.tol = 10, -np.inf
        scores = {side: float(copy.deepcopy(model).fit(x).score(x)) for side, model in made.items()}
        if not np.isclose(scores["seqlab"], scores["hmmlearn"], rtol=1e-8, atol=0):
            raise DisagreementError(f"{name}: log-likelihoods after ten iterations are {scores}")
        for question in ("fit", "score"):
            sides: dict[str, Callable[[], object]] = {
                side: partial(asked, model, question, x) for side, model in made.items()
            }
            timings = measure(sides, seconds=0.05 if quick else 1.0)
            beside = ("hmmlearn", timings["hmmlearn"])
            label = f"compat.hmmlearn {name}, K = {K}, T = 2e4, {question}"
            yield figure(case, label, "ms", timings["seqlab"], beside, NEVER_SLOWER, hash_of(x), scale=1e3)
