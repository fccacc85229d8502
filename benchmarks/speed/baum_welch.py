"""Training hidden Markov models beside hmmlearn: one iteration of EM, E step and M step, on the same data and start.

hmmlearn runs `fit` with n_iter=1; seqlab runs the body of its own loop, once its answers were compared with hmmlearn's.
"""

from __future__ import annotations

import importlib
import logging
import os
import resource
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.speed import data, hmm_adapter
from benchmarks.speed.figure import Figure, widest_spread
from benchmarks.speed.goals import Goal, figure, table
from benchmarks.speed.hmm_sides import DisagreementError
from benchmarks.speed.inputs import hash_of
from benchmarks.speed.table import Table
from benchmarks.speed.timing import Timing, every_core, measure
from seqlab import HMM, BaumWelch, Gaussian, read
from seqlab.families.hmm.em import Evidence, expect
from seqlab.families.hmm.emissions import Categorical
from seqlab.families.hmm.emissions.base import VectorRows
from seqlab.families.hmm.emissions.symbols import Symbols, listed
from seqlab.families.hmm.emissions.vectors import Spread
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.tagging.door.constraints import Rules

CASE = "hmm-training"
WORDS = "ptb-sample/train.txt"
WHOLE = "K = 45, words, fit of 10 iterations"
SCALING, LOG = Goal(15.0, 35.0), Goal(80.0, 150.0)
RESTARTS = Goal(1.7, 1.9)
DEFAULT_FIT = Goal(5.0, 10.0)
TOLERANCE = 1e-8
# What BASELINES has for the words job: log-likelihoods at the start, and before the tenth M step.
KNOWN = {0: -698929.029, 9: -511997.530}


@dataclass(frozen=True, slots=True)
class Job:
    """A start, and sequences to learn from."""

    name: str
    pi: Any
    A: Any
    emissions: Any  # B (K, V), or {"means": ..., "covariances": ...}
    x: Any  # (T,) symbols, or (T, D)
    lengths: Any

    @property
    def model(self) -> HiddenMarkov:
        if isinstance(self.emissions, dict):
            made: Any = Gaussian("diag", min_covariance=0).given(
                self.emissions, Spread.of(self.rows), len(self.pi)
            )
        else:
            made = Categorical().given(self.emissions, Symbols(self.emissions.shape[1]), len(self.pi))
        names = tuple(map(str, range(len(self.pi))))
        return HiddenMarkov(names, self.pi, self.A, None, made, Rules.none(len(names)))

    @property
    def tables(self) -> dict[str, Any]:
        return {"start": self.pi, "transitions": self.A, "emissions": self.emissions}

    @property
    def rows(self) -> Any:
        return VectorRows(self.x) if self.x.ndim == 2 else listed(self.x.astype(np.int32))

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.rows, np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64))

    def peer(self, implementation: str, iterations: int = 1) -> Callable[[], Any]:
        """hmmlearn's fit from the same start."""
        hmm = importlib.import_module("hmmlearn.hmm")
        logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)
        options = {"n_iter": iterations, "tol": -np.inf, "init_params": "", "implementation": implementation}
        X = self.x if self.x.ndim == 2 else self.x[:, None]

        def fit() -> Any:
            if self.x.ndim == 2:
                model = hmm.GaussianHMM(len(self.pi), "diag", covars_prior=0, **options)
                model.means_, model.covars_ = self.emissions["means"], self.emissions["covariances"]
            else:
                model = hmm.CategoricalHMM(len(self.pi), n_features=self.emissions.shape[1], **options)
                model.emissionprob_ = self.emissions
            model.startprob_, model.transmat_ = self.pi, self.A
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return model.fit(X, self.lengths)

        return fit


def random_start(rng: np.random.Generator, states: int, symbols: int) -> tuple[Any, Any, Any]:
    """Tables of even numbers with a tenth on top, as in BASELINES."""
    shapes = ((1, states), (states, states), (states, symbols))
    pi, A, B = (one / one.sum(axis=1, keepdims=True) for one in (rng.random(s) + 0.1 for s in shapes))
    return pi[0], A, B


def words_job(path: Any, *, quick: bool) -> Job:
    corpus = read(path)
    corpus = corpus[:300] if quick else corpus
    column = corpus.strings("word").compact()
    start = random_start(np.random.default_rng(0), 45, len(column.pool))
    return Job("K = 45, words", *start, np.asarray(column.codes, dtype=np.int64), corpus.lengths)


def long_job(*, quick: bool) -> Job:
    rng = np.random.default_rng(0)
    length = 100_000 if quick else 1_000_000
    return Job("K = 8, T = 1e6", *random_start(rng, 8, 50), rng.integers(50, size=length), np.array([length]))


def gauss_job(*, quick: bool) -> Job:
    rng = np.random.default_rng(0)
    length = 10_000 if quick else 100_000
    pi, A, _ = random_start(rng, 5, 1)
    tables = {"means": rng.normal(size=(5, 10)), "covariances": np.ones((5, 10))}
    x = rng.normal(size=(length, 10)) + 2 * rng.integers(5, size=(length, 1))
    return Job("Gaussian, K = 5, D = 10, 1e5 frames", pi, A, tables, x, np.array([length]))


def run(*, quick: bool = False) -> list[Figure]:
    figures: list[Figure] = []
    path = data.found(WORDS)
    if path is None:
        print(data.absent(CASE))
    else:
        words = words_job(path, quick=quick)
        if not quick:
            check_baselines(words)
        figures += compared(words, {"scaling": SCALING, "log": LOG}, quick=quick)
        figures.append(whole_fit(words, quick=quick))
    figures += compared(long_job(quick=quick), {"scaling": SCALING, "log": LOG}, quick=quick)
    figures += compared(gauss_job(quick=quick), {"scaling": Goal(5.0, 10.0)}, quick=quick)
    figures += [default_fit(covariance, quick=quick) for covariance in ("diag", "full")]
    figures += hmm_adapter.run(CASE, quick=quick)
    figures += restarts(quick=quick)
    figures += growth(quick=quick)
    return figures


def iteration(model: HiddenMarkov, evidence: Evidence) -> HiddenMarkov:
    """E step and M step, as training runs them."""
    return model.maximised(expect(model, evidence, 1), Dirichlet())


def compared(job: Job, goals: dict[str, Goal], *, quick: bool) -> list[Figure]:
    """One figure for each of hmmlearn's implementations."""
    model, evidence = job.model, job.evidence
    difference = check_agreement(job, model, evidence)
    found = []
    for implementation, goal in goals.items():
        timings = measure(
            {
                "hmmlearn": job.peer(implementation),
                "seqlab": partial(iteration, model, evidence),
            },
            seconds=0.1 if quick else 2.0,
        )
        name = f"{job.name}, against {implementation}"
        details = {"job": job.name, "difference": difference}
        peer = ("hmmlearn", timings["hmmlearn"])
        input_hash = hash_of(np.asarray(job.x), np.asarray(job.lengths))
        found.append(
            figure(CASE, name, "ms", timings["seqlab"], peer, goal, input_hash, scale=1e3, details=details)
        )
    return found


def check_agreement(job: Job, model: HiddenMarkov, evidence: Evidence) -> float:
    """Both sides' transitions after one iteration; raises when they differ."""
    mine = model.maximised(expect(model, evidence, 1), Dirichlet()).A
    theirs = job.peer("scaling")().transmat_
    difference = float(np.abs(mine - theirs).max())
    if not difference <= TOLERANCE:
        raise DisagreementError(
            f"{job.name}: transitions differ by {difference:.2g}, more than {TOLERANCE:g}"
        )
    return difference


def whole_fit(job: Job, *, quick: bool) -> Figure:
    """`fit` on both sides, ten iterations from the same start; hmmlearn by its faster implementation."""
    learner = BaumWelch(max_iterations=10, tolerance=0)
    sides: dict[str, Callable[[], object]] = {
        "hmmlearn": job.peer("scaling", iterations=10),
        "seqlab": lambda: HMM(init=job.tables, learner=learner, threads=1).fit(job.x, lengths=job.lengths),
    }
    timings = measure(sides, seconds=0.1 if quick else 2.0)
    input_hash = hash_of(np.asarray(job.x), np.asarray(job.lengths))
    peer = ("hmmlearn", timings["hmmlearn"])
    return figure(CASE, WHOLE, "ms", timings["seqlab"], peer, SCALING, input_hash, scale=1e3)


def default_fit(covariance: str, *, quick: bool) -> Figure:
    """`fit` with the defaults of both sides, k-means included, on vectors of four states that stay for a while."""
    rng = np.random.default_rng(0)
    K, D, T = 4, 3, 10_000 if quick else 300_000
    states = np.repeat(rng.integers(K, size=T // 10), 10)
    x = 3 * rng.normal(size=(K, D))[states] + rng.normal(size=(T, D))
    peer = importlib.import_module("hmmlearn.hmm").GaussianHMM
    logging.getLogger("hmmlearn").setLevel(logging.CRITICAL)
    sides: dict[str, Callable[[], object]] = {
        "hmmlearn": lambda: peer(K, covariance, random_state=0).fit(x),
        "seqlab": lambda: HMM(K, Gaussian(covariance), threads=1).fit(x, lengths=[T]),
    }
    mine, theirs = sides["seqlab"](), sides["hmmlearn"]()
    likelihoods = {"seqlab": mine.score(x, lengths=[T]) * T, "hmmlearn": theirs.score(x)}  # type: ignore[attr-defined]
    timings = measure(sides, seconds=0.1 if quick else 2.0)
    name = f"Gaussian {covariance}, K = 4, D = 3, T = 3e5, whole default fit"
    beside, details = ("hmmlearn", timings["hmmlearn"]), {"log_likelihood": likelihoods}
    return figure(
        CASE, name, "ms", timings["seqlab"], beside, DEFAULT_FIT, hash_of(x), scale=1e3, details=details
    )


def check_baselines(job: Job) -> None:
    """The log-likelihoods that any implementation must show from this start."""
    hmm = HMM(init=job.tables, learner=BaumWelch(max_iterations=9, tolerance=0), threads=1)
    found = hmm.fit(job.x, lengths=job.lengths).history_.log_likelihood
    for iteration, known in KNOWN.items():
        if abs((found[iteration] or 0.0) - known) > 1e-2:
            raise DisagreementError(
                f"log-likelihood {found[iteration]} at iteration {iteration}, {known} is right"
            )


def restarts(*, quick: bool) -> list[Figure]:
    """Eight restarts on two threads against one after another, by the wall clock, on every core."""
    if (os.cpu_count() or 1) < 2:
        return []
    rng = np.random.default_rng(0)
    x, lengths = rng.integers(2000, size=2_000 if quick else 40_000), [20] * (100 if quick else 2_000)
    learner = BaumWelch(max_iterations=5, tolerance=0, restarts=8)
    load = os.getloadavg()[0]
    cap = os.environ.pop("SEQLAB_THREADS", None)
    samples: dict[int, list[float]] = {1: [], 2: []}
    try:
        with every_core():
            for _ in range(1 if quick else 7):
                for threads, taken in samples.items():
                    begin = time.perf_counter()
                    HMM(30, learner=learner, threads=threads).fit(x, lengths=lengths)
                    taken.append(time.perf_counter() - begin)
    finally:
        if cap is not None:
            os.environ["SEQLAB_THREADS"] = cap
    one, two = (Timing(tuple(samples[n])) for n in (1, 2))
    return [
        figure(
            CASE,
            "restarts = 8, two threads, wall",
            "s",
            two,
            ("one thread", one),
            RESTARTS,
            hash_of(x),
            details={"load": round(load, 2)},
        )
    ]


def growth(*, quick: bool) -> list[Figure]:
    """An iteration with many states and a large vocabulary: reported, beside nobody."""
    found = []
    for states in (50, 100) if quick else (50, 100, 200, 400):
        rng = np.random.default_rng(0)
        lengths = np.full(100 if quick else 2_000, 20)
        job = Job(
            f"K = {states}",
            *random_start(rng, states, 20_000),
            rng.integers(20_000, size=lengths.sum()),
            lengths,
        )
        timing = measure({"seqlab": partial(iteration, job.model, job.evidence)}, seconds=0.5)
        flops = 6.0 * states * states * float(lengths.sum())
        found.append(
            Figure(
                case=CASE,
                name=f"K = {states} dense, V = 20,000, {lengths.sum():,} tokens",
                unit="ms",
                median=timing["seqlab"].median * 1e3,
                spread=timing["seqlab"].spread,
                repetitions=timing["seqlab"].repetitions,
                input_hash=hash_of(job.x),
                details={
                    "gflops": flops / timing["seqlab"].median / 1e9,
                    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                },
            )
        )
    return found


def tables(figures: Sequence[Figure]) -> list[Table]:
    mine = [one for one in figures if one.case == CASE]
    beside = [one for one in mine if one.peer is not None]
    grown = [one for one in mine if one.peer is None]
    made = []
    if beside:
        made.append(table("Training hidden Markov models, iterations of Baum-Welch", beside, note(beside)))
    if grown:
        made.append(_grown(grown))
    return made


def note(figures: Sequence[Figure]) -> str:
    apart = [one.details["difference"] for one in figures if "difference" in one.details]
    said = [
        "One thread, float64, E step and M step; hmmlearn's fit from the same start, n_iter=1 or 10;",
        "whole default fits begin with k-means on both sides.",
    ]
    if apart:
        said.append(f"Transitions after it agree to {max(apart):.0e}.")
    busy = [one.details["load"] for one in figures if "load" in one.details]
    if busy:
        said.append(f"Restarts: wall clock at a load of {busy[0]:g}, against one after another.")
    said.append(f"A star marks a ratio below 'at least'. Spread up to {widest_spread(figures)}.")
    return " ".join(said)


def _grown(figures: Sequence[Figure]) -> Table:
    return Table(
        title="Baum-Welch with many states: how an iteration grows",
        header=("", "ms", "GFLOP/s", "peak MB"),
        rows=tuple(
            (one.name, f"{one.median:,.0f}", f"{one.details['gflops']:.0f}", f"{one.details['peak_mb']:,.0f}")
            for one in figures
        ),
        note="Forward-backward and expected moves are 6 K² operations a token; peak MB is of the whole process.",
    )
