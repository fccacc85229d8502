"""Stochastic gradient descent against plain loops, and against the optimum (eq:sgd, eq:adagrad)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.stochastic import SCHEDULES, Data, Walk, mean_of, steps
from seqlab import CRF, LBFGS, SGD, LinearTagger, _core
from seqlab.errors import OptionError, ScoreError
from seqlab.learning.monitor import Outcome
from seqlab.learning.optimisers import settings_for

pytestmark = pytest.mark.usefixtures("kernel")

RULES = [pytest.param(False, id="plain"), pytest.param(True, id="adagrad")]


def trained(learner, task, theta, *, seed=0, threads=1, stop_after=None):
    """The outcome, and what was told after every epoch."""
    told = []

    def report(progress):
        told.append((progress, progress.weights()))
        return len(told) != stop_after

    return learner.train(task, theta, threads=threads, seed=seed, report=report), told


def objective(task, theta, l2):
    return _core.Likelihood64(task)(theta, np.empty(len(theta)), 1) + l2 * (theta @ theta)


def lowest(task, size, l2):
    """The same objective, walked down in batches."""
    theta = np.zeros(size)
    settings = settings_for("lbfgs", size, {"epsilon": 1e-9, "period": 0})
    _core.Likelihood64(task).minimise(theta, None, l2, settings, 1, None)
    return objective(task, theta, l2)


# ---------------------------------------------------------------------------------- step by step


@pytest.mark.parametrize("adagrad", RULES)
@given(
    seed=st.integers(0, 2**32),
    schedule=st.sampled_from(sorted(SCHEDULES)),
    batch=st.integers(1, 20),
    l2=st.sampled_from([0.0, 0.3, 5.0]),
    valued=st.booleans(),
    L=st.sampled_from([1, 3, 5]),
)
def test_lazy_penalty_equals_eager(adagrad, seed, schedule, batch, l2, valued, L):  # eq:sgd eq:adagrad
    data = Data(seed, L=L, valued=valued)
    options = {"l2": l2, "rate": 0.2, "schedule": schedule, "batch": batch, "epochs": 3}
    learner = SGD(**options, adagrad=adagrad, tolerance=0, dtype="float64")
    outcome, told = trained(learner, data.task(), data.theta, seed=seed)
    walk, lost, ends = Walk(data, adagrad=adagrad), [0.0] * 3, [data.theta] * 3
    for epoch, rate, decay, some in steps(data, **options, seed=seed):
        before = walk.loss
        walk.step(rate, decay, some)
        lost[epoch] += walk.loss - before
        ends[epoch] = walk.theta.copy()
    if not data.usable:
        ends = [data.theta] * 3
    np.testing.assert_allclose(outcome.theta, ends[-1], atol=1e-9)
    for (progress, weights), loss, theta in zip(told, lost, ends, strict=True):
        np.testing.assert_allclose(weights, theta, atol=1e-9)
        assert progress.objective == pytest.approx(loss + l2 * (theta @ theta), rel=1e-9, abs=1e-9)
        assert progress.active == np.count_nonzero(weights)


@pytest.mark.parametrize("adagrad", RULES)
def test_float32_stays_near_the_plain_loop(adagrad):
    data = Data(5, L=4, sentences=40, valued=True)
    options = {"l2": 1.0, "rate": 0.1, "schedule": "inverse", "batch": 3, "epochs": 5}
    outcome, _ = trained(SGD(**options, adagrad=adagrad, tolerance=0), data.task(), data.theta, seed=1)
    walk = Walk(data, adagrad=adagrad)
    for _, rate, decay, some in steps(data, **options, seed=1):
        walk.step(rate, decay, some)
    np.testing.assert_allclose(outcome.theta, walk.theta, atol=1e-5)


@pytest.mark.parametrize("rate", [0.5, 1.0, 3.0])
def test_penalties_that_overshoot_are_still_exact(rate):
    """1 - rate · decay is 0 or negative here: no scale may be kept."""
    data = Data(3)
    options = {"l2": len(data.usable) / 2, "rate": rate, "schedule": "constant", "batch": 1, "epochs": 1}
    outcome, _ = trained(SGD(**options, tolerance=0, dtype="float64"), data.task(), data.theta)
    walk = Walk(data, adagrad=False)
    for _, step, decay, some in steps(data, **options, seed=0):
        walk.step(step, decay, some)
    np.testing.assert_allclose(outcome.theta, walk.theta, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scales_that_become_small_are_multiplied_out(dtype):
    data = Data(4, sentences=30)
    options = {"l2": 100.0, "rate": 0.05, "schedule": "constant", "batch": 1, "epochs": 6}
    outcome, _ = trained(SGD(**options, tolerance=0, dtype=dtype), data.task(), data.theta)
    walk = Walk(data, adagrad=False)
    for _, rate, decay, some in steps(data, **options, seed=0):
        walk.step(rate, decay, some)
    np.testing.assert_allclose(outcome.theta, walk.theta, atol=1e-5 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("adagrad", RULES)
@pytest.mark.parametrize("batch", [1, 7])
def test_averaged_weights_are_the_mean_of_snapshots(adagrad, batch):
    data = Data(6, sentences=30)
    options = {"l2": 0.5, "rate": 0.1, "schedule": "sqrt", "batch": batch, "epochs": 3}
    learner = SGD(**options, adagrad=adagrad, averaged=True, tolerance=0, dtype="float64")
    outcome, told = trained(learner, data.task(), data.theta)
    walk, all_steps = Walk(data, adagrad=adagrad), list(steps(data, **options, seed=0))
    per_epoch, snapshots, ends = len(all_steps) // 3, [], []
    for number, (_, rate, decay, some) in enumerate(all_steps):
        walk.step(rate, decay, some)
        j = number % per_epoch
        if 8 * (j + 1) // per_epoch > 8 * j // per_epoch:
            snapshots.append(walk.theta.copy())
        if j + 1 == per_epoch:
            ends.append(mean_of(snapshots))
    np.testing.assert_allclose(outcome.theta, ends[-1], atol=1e-9)
    for (_, weights), wanted in zip(told, ends, strict=True):
        np.testing.assert_allclose(weights, wanted, atol=1e-9)


# ---------------------------------------------------------------------------------- everything a task may hold

WORDS = [["the", "old", "man", "the", "boat"], ["a", "man"], ["old"], ["boats", "sail", "old", "man"]]
TAGS = [["D", "N", "V", "D", "N"], ["D", "N"], ["N"], ["N", "V", "A", "N"]]
PARTIAL = [["D", None, {"V", "N"}, "D", None], [None, None], [{"N", "A"}], ["N", "V", "A", "N"]]
WEIGHTS = [2.0, 0.0, 0.5, 3.0]
TOKEN_WEIGHTS = [[1.0, 2.0, 0.0, 1.0, 0.5], [0.0, 0.0], [2.0], [1.0, 1.0, 1.0, 1.0]]
NODES = "word[0]\nword[-1]"
EDGES = NODES + "\nedge: word[0]\nedge: word[-1]"
RULED = [("V", "V"), ("A", "D")]
DICTIONARY = {"the": ["D"], "old": ["A", "N"], "man": ["N", "V"]}

CASES = {
    "plain": ({}, TAGS, None),
    "partial": ({}, PARTIAL, None),
    "weights": ({}, TAGS, WEIGHTS),
    "token weights": ({}, TAGS, TOKEN_WEIGHTS),
    "partial, weights": ({}, PARTIAL, TOKEN_WEIGHTS),
    "edges": ({"features": EDGES}, TAGS, None),
    "edges, partial, weights": ({"features": EDGES}, PARTIAL, TOKEN_WEIGHTS),
    "order 2": ({"order": 2, "keep": 0}, TAGS, WEIGHTS),
    "order 3": ({"order": 3, "keep": 0}, TAGS, WEIGHTS),
    "order 3, edges, partial": ({"order": 3, "keep": 0, "features": EDGES}, PARTIAL, TOKEN_WEIGHTS),
    "order 2, pruned, partial": ({"order": 2, "keep": 0.2}, PARTIAL, None),
    "order 2, edges, partial": ({"order": 2, "keep": 0, "features": EDGES}, PARTIAL, TOKEN_WEIGHTS),
    "rules": ({"constraints": RULED}, PARTIAL, None),
    "dictionary": ({"allowed": DICTIONARY}, PARTIAL, WEIGHTS),
    "rules, order 2, dictionary": ({"constraints": RULED, "allowed": DICTIONARY, "order": 2}, TAGS, None),
}


class Catch:
    """Keeps the task it is given, and learns nothing."""

    likelihood = True

    def train(self, task, theta, **_):
        self.task, self.size = task, len(theta)
        return Outcome(theta, "caught", 0, None)


def caught(options, y, weights):
    catch = Catch()
    tagger = LinearTagger(**{"features": NODES, "learner": catch, "states": "all", **options})
    tagger.fit(WORDS, y, sample_weight=weights)
    return catch.task, np.random.default_rng(0).normal(size=catch.size)


@pytest.mark.parametrize("adagrad", RULES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("dtype", "close"), [("float32", 1e-5), ("float64", 1e-10)])
def test_one_step_with_all_sentences_is_along_the_gradient(case, adagrad, dtype, close):  # eq:partial-labels
    task, theta = caught(*CASES[case])
    slope = np.empty(len(theta))
    value = _core.Likelihood64(task)(theta, slope, 1)
    assert np.abs(slope).max() > 0.1
    learner = SGD(
        l2=0, epochs=1, batch=4, rate=0.3, schedule="constant", adagrad=adagrad, tolerance=0, dtype=dtype
    )
    outcome, told = trained(learner, task, theta)
    wanted = 0.3 * slope / (np.sqrt(1 + slope**2) if adagrad else 1)
    np.testing.assert_allclose(theta - outcome.theta, wanted, atol=close)
    assert told[0][0].objective == pytest.approx(value, abs=10 * close)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("s", [0, 3])
def test_one_step_with_one_sentence_is_along_its_gradient(case, s):
    options, y, weights = CASES[case]
    alone = [np.multiply(w, i == s).tolist() for i, w in enumerate(weights or [1.0] * 4)]
    task, theta = caught(options, y, alone)
    slope = np.empty(len(theta))
    _core.Likelihood64(task)(theta, slope, 1)
    learner = SGD(l2=0.7, epochs=1, batch=1, rate=0.1, schedule="constant", tolerance=0, dtype="float64")
    outcome, _ = trained(learner, task, theta)
    np.testing.assert_allclose(theta - outcome.theta, 0.1 * (slope + 2 * 0.7 * theta), atol=1e-10)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("adagrad", RULES)
def test_every_kind_of_task_is_learned(case, adagrad):
    """Also where sums of edge attributes must not leak from one step into the next."""
    task, theta = caught(*CASES[case])
    learner = SGD(
        l2=0.5, epochs=2000, rate=0.5, schedule="sqrt", adagrad=adagrad, tolerance=0, dtype="float64"
    )
    outcome, _ = trained(learner, task, theta * 0)
    assert objective(task, outcome.theta, 0.5) == pytest.approx(lowest(task, len(theta), 0.5), rel=5e-3)


# ---------------------------------------------------------------------------------- where it leads


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "options",
    [{}, {"batch": 4}, {"averaged": True}, {"adagrad": True}, {"schedule": "sqrt", "averaged": True}],
)
def test_reaches_the_optimum(options, dtype):  # eq:sgd eq:adagrad
    data = Data(8, L=4, sentences=60)
    task = data.task()
    outcome, _ = trained(
        SGD(l2=1.0, epochs=300, tolerance=0, dtype=dtype, **options), task, np.zeros(data.size)
    )
    assert objective(task, outcome.theta, 1.0) == pytest.approx(lowest(task, data.size, 1.0), rel=1e-3)


@pytest.mark.parametrize("adagrad", RULES)
@pytest.mark.parametrize("schedule", sorted(SCHEDULES))
@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_every_schedule_falls_and_tells_its_rate(adagrad, schedule, batch):
    data = Data(9, sentences=50)
    learner = SGD(l2=1.0, epochs=6, batch=batch, schedule=schedule, adagrad=adagrad, tolerance=0)
    start = objective(data.task(), np.zeros(data.size), 1.0)
    _, told = trained(learner, data.task(), np.zeros(data.size))
    rates = [progress.more["rate"] for progress, _ in told]
    assert objective(data.task(), told[-1][1], 1.0) < 0.95 * start
    assert told[-1][0].objective < start
    assert [progress.iteration for progress, _ in told] == [1, 2, 3, 4, 5, 6]
    if batch == 1000:  # one step an epoch, the first at the first rate
        assert rates == pytest.approx([SCHEDULES[schedule](rates[0], 1.0, e) for e in range(6)])
    assert (np.diff(rates) < 0).all() == (schedule != "constant")


def test_schedules_that_are_not_chosen():
    data = Data(9)
    for adagrad, schedule in ((False, "inverse"), (True, "constant")):
        one, other = (SGD(epochs=3, adagrad=adagrad, schedule=name) for name in (None, schedule))
        found = [trained(learner, data.task(), data.theta)[0].theta.tobytes() for learner in (one, other)]
        assert found[0] == found[1]


def test_calibrated_rates_suit_the_scale_of_the_data():
    """Values a hundred times as large want a rate ten thousand times as small."""
    data = Data(10, sentences=80, valued=True)
    rates = []
    for scale in (1.0, 100.0):
        data.values = data.values * scale
        _, told = trained(SGD(epochs=1, schedule="constant", l2=0.1), data.task(), np.zeros(data.size))
        rates.append(told[0][0].more["rate"])
    assert rates[1] < rates[0] / 100


# ---------------------------------------------------------------------------------- ends


def test_ends_when_the_objective_changes_little():
    data = Data(11, sentences=40)
    outcome, told = trained(SGD(epochs=500, tolerance=1e-3), data.task(), np.zeros(data.size))
    values = [progress.objective for progress, _ in told]
    assert outcome.reason == "value"
    assert outcome.iterations == len(told) < 500
    assert abs(values[-1] - values[-2]) < 1e-3 * values[-1]
    assert all(abs(a - b) >= 1e-3 * b for a, b in itertools.pairwise(values[:-1]))
    assert outcome.objective == values[-1]


def test_ends_when_told_to_and_after_all_epochs():
    data = Data(12)
    stopped, told = trained(SGD(tolerance=0), data.task(), data.theta, stop_after=2)
    assert (stopped.reason, stopped.iterations, len(told)) == ("stopped", 2, 2)
    whole, told = trained(SGD(epochs=3, tolerance=0), data.task(), data.theta)
    assert (whole.reason, whole.iterations, len(told)) == ("epochs", 3, 3)
    np.testing.assert_array_equal(whole.theta, told[-1][1])


def test_start_is_left_alone():
    data = Data(13)
    theta = data.theta.copy()
    trained(SGD(epochs=2), data.task(), theta)
    np.testing.assert_array_equal(theta, data.theta)


@pytest.mark.parametrize("rate", [1e200, None])
def test_a_walk_astray_says_so(rate):
    data = Data(14, sentences=30, valued=True)
    data.values = data.values * (1.0 if rate else 1e300)
    with pytest.raises(
        ScoreError, match=r"the objective became (nan|inf) in epoch 1, at a rate of .*smaller rate"
    ):
        trained(SGD(rate=rate, schedule="constant", dtype="float64"), data.task(), data.theta)


@pytest.mark.parametrize("adagrad", RULES)
@pytest.mark.parametrize("batch", [1, 100, 1000])
def test_same_seed_same_bits_for_any_number_of_threads(batch, adagrad):
    data = Data(15, L=4, sentences=700)
    learner = SGD(epochs=2, batch=batch, adagrad=adagrad, averaged=True)
    found = {
        trained(learner, data.task(), data.theta, threads=threads, seed=7)[0].theta.tobytes()
        for threads in (1, 2, 8, 1)
    }
    other = trained(learner, data.task(), data.theta, seed=8)[0].theta.tobytes()
    assert len(found) == 1
    assert batch == 1000 or other not in found


# ---------------------------------------------------------------------------------- nothing to learn from


def test_sentences_without_tokens_or_weight_are_left_out():
    data = Data(16, sentences=0)
    outcome, told = trained(SGD(l2=1.0, epochs=2, tolerance=0), data.task(), data.theta)
    np.testing.assert_allclose(outcome.theta, data.theta, rtol=1e-6)
    assert told[0][0].objective == pytest.approx(data.theta @ data.theta, rel=1e-6)


# ---------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l2": -1}, "l2 must be a finite number from 0 to 1e+12, got -1"),
        ({"epochs": 0}, "epochs must be a whole number from 1 up, got 0"),
        ({"batch": 0}, "batch must be a whole number from 1 up, got 0"),
        ({"batch": 2.5}, "batch must be a whole number from 1 up, got 2.5"),
        ({"rate": 0}, "rate must be a finite number above 0, got 0"),
        ({"rate": float("nan")}, "rate must be a finite number above 0, got nan"),
        ({"schedule": "linear"}, "schedule must be one of 'inverse', 'constant', 'sqrt', 'exponential', got 'linear'"),
        ({"adagrad": 1}, "adagrad must be True or False, got 1"),
        ({"averaged": "yes"}, "averaged must be True or False, got 'yes'"),
        ({"tolerance": -1e-3}, "tolerance must be a finite number from 0 up, got -0.001"),
        ({"dtype": "float16"}, "dtype must be one of 'float32', 'float64', got 'float16'"),
    ],
)  # fmt: skip
def test_options_are_checked(options, message):
    with pytest.raises(OptionError) as error:
        SGD(**options)
    assert str(error.value) == message


# ---------------------------------------------------------------------------------- through the front door


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_crf_learned_by_sgd_is_that_of_lbfgs(order):
    options = {"order": order, "keep": 0}
    by_steps = CRF(EDGES, SGD(epochs=400, tolerance=0, dtype="float64"), **options).fit(WORDS, TAGS)
    in_batches = CRF(EDGES, LBFGS(), **options).fit(WORDS, TAGS)
    for words, tags in zip(WORDS, TAGS, strict=True):
        assert by_steps.log_prob(words, tags) == pytest.approx(in_batches.log_prob(words, tags), abs=0.02)
    assert by_steps.history_.reason == "epochs"
    assert by_steps.history_.epochs[-1].more["rate"] > 0
