"""The first guess of LBFGS: stochastic descent over sentences, averaged (eq:averaged-sgd)."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.lessons import Exercise, exercise
from seqlab import CRF, LBFGS, _core, demo_corpus
from seqlab.encode.encoded import EncodedCorpus, Rows
from seqlab.learning.monitor import Job

pytestmark = pytest.mark.usefixtures("kernel")


def started(
    task,
    theta=None,
    *,
    l2=1.0,
    l1=0.0,
    epochs=6,
    burn_in=4,
    rate=0.1,
    seed=0,
    local=False,
    threads=1,
):
    found = np.zeros(len(task.theta)) if theta is None else theta.copy()
    core = task.lesson.task(task.model, layered=True)
    used = _core.averaged_start(core, found, l2, l1, epochs, burn_in, rate, seed, local, threads)
    return found, used


def copies(task, n):
    """The first sentence, n times: the order of sentences then says nothing."""
    lesson, encoded = task.lesson, task.lesson.encoded
    T = task.lengths[0]
    entries = int(encoded.indptr[T])
    starts = [encoded.indptr[:T] + i * entries for i in range(n)]
    rows = Rows(
        np.concatenate([*starts, [n * entries]]).astype(np.int64),
        np.tile(encoded.ids[:entries], n),
        None if encoded.values is None else np.tile(encoded.values[:entries], n),
    )
    many = EncodedCorpus(np.arange(n + 1, dtype=np.int64) * T, rows, None, None, encoded.encoder)
    active = None if lesson.active is None else np.tile(lesson.active[:T], (n, 1))
    gold = replace(lesson.gold, ids=np.tile(lesson.gold.ids[:T], n))
    return Exercise(task.model, replace(lesson, encoded=many, gold=gold, active=active))


def slope_of_choices(task, theta):
    """Of an MEMM's likelihood, which tests/laws/test_memm.py holds to differences."""
    slope = np.empty(len(theta))
    task.loss(_core.LocalLikelihood64)(theta, slope, 1)
    return slope


def by_definition(task, n, *, l2, epochs, burn_in, rate, local=False):
    """Step by step with the exact slope of the one sentence, some of them at a time; the mean of later moments."""
    one = copies(task, 1)
    theta, i, kept = np.zeros(len(task.theta)), 0, []
    together, gap = 4 if n < 6000 else 8, max(1, n // 8)
    for epoch in range(epochs):
        for before in range(0, n, together):
            size = min(together, n - before)
            slope = slope_of_choices(one, theta) if local else one.by_enumeration(theta)[1]
            eta = rate * (1 + 2 * l2 * rate * i / n) ** -0.75
            theta = theta - eta * size * (slope + 2 * l2 * theta / n)
            i += size
            if epoch >= burn_in and (before + size) // gap > before // gap and before // gap < 8:
                kept.append(theta)
    return np.mean(kept, axis=0) if kept else theta


@given(
    seed=st.integers(0, 2**32), n=st.sampled_from([1, 2, 3, 4, 8, 12, 20, 64]), masked=st.booleans(),
    dictionary=st.booleans(), valued=st.booleans(), burn_in=st.integers(0, 3), local=st.booleans(),
)  # fmt: skip
def test_the_start_follows_its_definition(seed, n, masked, dictionary, valued, burn_in, local):
    task = exercise(seed, 3, [3], masked=masked, dictionary=dictionary, valued=valued)
    settings = {"l2": 0.8, "epochs": 3, "burn_in": burn_in, "rate": 0.2, "local": local}
    found, rate = started(copies(task, n), **settings)
    assert rate == 0.2
    np.testing.assert_allclose(found, by_definition(task, n, **settings), atol=2e-4)


@pytest.mark.parametrize("threads", [1, 2])
def test_many_sentences_are_taken_eight_at_a_time(threads):
    task = exercise(7, 2, [2])
    settings = {"l2": 0.8, "epochs": 1, "burn_in": 0, "rate": 0.05}
    found, _ = started(copies(task, 6000), threads=threads, **settings)
    np.testing.assert_allclose(found, by_definition(task, 6000, **settings), atol=1e-3)


def test_the_start_is_far_below_zero_weights():
    task = exercise(3, 5, [10] * 300)
    loss, slope = task.loss(_core.Likelihood64), np.empty(len(task.theta))
    found, rate = started(task, rate=0.0)
    assert rate > 0
    best = LBFGS(dtype="float64", l2=1.0)
    optimum = best.train(Job(loss, loss, None, 1), np.zeros(len(slope)), lambda progress: True).objective

    def objective(theta):
        return loss(theta, slope, 1) + float(theta @ theta)

    assert objective(found) - optimum < 0.5 * (objective(np.zeros(len(slope))) - optimum)


def test_same_seed_same_bits_for_any_number_of_threads():
    task = exercise(4, 3, [3] * 6000)
    found = {started(task, threads=threads)[0].tobytes() for threads in (1, 2, 3)}
    assert len(found) == 1
    assert started(task, seed=1)[0].tobytes() not in found


def test_weights_it_does_not_know_stay_as_they_are():
    task = exercise(5, 3, [4, 3, 5], edges=True, order=2)
    before = np.random.default_rng(0).normal(size=len(task.theta))
    found, _ = started(task, before)
    first = len(task.model.label) + int(task.model.move_seen.sum())
    assert (found[first:] == before[first:]).all()
    assert (found[:first] != before[:first]).any()


def test_sentences_labelled_in_part_are_left_out():
    whole = exercise(6, 3, [3, 4])
    part = exercise(6, 3, [3, 4], partial=True)
    if not (part.lesson.gold.ids[:3] < 0).any() or not (part.lesson.gold.ids[3:] < 0).any():
        pytest.fail("choose another seed: both sentences should be labelled in part")
    found, _ = started(part)
    assert not found.any()
    assert started(whole)[0].any()


def test_it_stops_when_asked():
    task, flag = exercise(7, 3, [5] * 50), _core.Flag()
    threading.Timer(0.2, flag.set).start()
    with flag, pytest.raises(_core.Stopped):
        started(task, epochs=10**8, burn_in=6)


def test_with_or_without_a_start_training_ends_at_the_same_place():
    corpus = demo_corpus("train")[:60]
    ends = [
        CRF("word[0]\nword[-1]", LBFGS(start_epochs=n, dtype="float64", epsilon=1e-7, delta=0)).fit(
            corpus, "pos"
        )
        for n in (0, 1, 6)
    ]
    for one in ends[1:]:
        assert one.history_.objective[-1] == pytest.approx(ends[0].history_.objective[-1], rel=1e-9)
        np.testing.assert_allclose(one.model_.theta, ends[0].model_.theta, atol=1e-5)
    assert ends[2].history_.objective[0] < 0.5 * ends[0].history_.objective[0]


@given(st.integers(0, 2**16), st.floats(0.01, 2.0))
def test_a_penalty_moves_weights_towards_zero_and_no_further(seed, l1):  # eq:averaged-sgd
    """With one sentence the steps can be followed: gradient, then l1 · rate towards 0, at the end of each pass."""
    task = copies(exercise(seed, 3, [4]), 1)
    plain, _ = started(task, epochs=1, burn_in=0, rate=1e-3)
    pulled, _ = started(task, epochs=1, burn_in=0, rate=1e-3, l1=l1)
    assert (np.abs(pulled) <= np.abs(plain) + 1e-6).all()
    assert (pulled[plain == 0] == 0).all()
    strong, _ = started(task, epochs=1, burn_in=0, rate=1e-3, l1=1e6)
    assert not strong.any()


def test_a_start_with_a_penalty_has_zeros_and_trains_to_the_same_optimum():  # eq:averaged-sgd eq:proximal
    corpus = demo_corpus("train")[:60]

    def fitted(epochs):
        learner = LBFGS(l1=0.3, l2=0.1, start_epochs=epochs, dtype="float64", epsilon=1e-7, delta=0)
        return CRF("word[0]\nword[-1]", learner).fit(corpus, "pos")

    near, far = fitted(4), fitted(0)
    assert near.history_[0].active < near.model_.size
    assert near.history_[0].objective < far.history_[0].objective
    assert near.history_[-1].objective == pytest.approx(far.history_[-1].objective, rel=1e-7)
