"""The pure parts of the benchmark of training hidden Markov models; nothing here is timed."""

import logging

import numpy as np
import pytest

from benchmarks.speed import baum_welch
from benchmarks.speed.figure import Figure, Peer
from benchmarks.speed.table import WIDTH


@pytest.fixture(autouse=True)
def quiet(caplog):
    """The benchmark silences hmmlearn; after each test it is heard again."""
    caplog.set_level(logging.CRITICAL, logger="hmmlearn")


def test_starts_are_probabilities_and_the_same_every_time():
    start = baum_welch.random_start(np.random.default_rng(0), 3, 5)
    again = baum_welch.random_start(np.random.default_rng(0), 3, 5)
    for one, other in zip(start, again, strict=True):
        assert np.array_equal(one, other)
        assert np.allclose(one.sum(axis=-1), 1.0)
        assert one.min() > 0


def test_both_sides_do_the_same_iteration():
    pytest.importorskip("hmmlearn")
    for job in (baum_welch.long_job(quick=True), baum_welch.gauss_job(quick=True)):
        short = baum_welch.Job(job.name, job.pi, job.A, job.emissions, job.x[:300], np.array([200, 100]))
        assert baum_welch.check_agreement(short, short.model, short.evidence) < 1e-10


def test_tables_have_a_row_for_every_figure_and_fit_the_page():
    details = {"aim": 35.0, "difference": 1e-15, "job": "x"}
    peer = Peer("hmmlearn", 600.0, 0.1, 3)
    beside = Figure(
        "hmm-training", "K = 45, words, against scaling", "ms", 30.0, 0.1, 3, "abc", None, 15.0, peer, details
    )
    grown = Figure(
        "hmm-training", "K = 200", "ms", 30.0, 0.1, 3, "abc", details={"gflops": 10.0, "peak_mb": 300.0}
    )
    made = baum_welch.tables([beside, grown])
    assert [len(table.rows) for table in made] == [1, 1]
    assert all(len(line) <= WIDTH + 20 for table in made for line in table.text().splitlines())
    assert baum_welch.tables([]) == []


def test_whole_fit_has_its_peer():
    pytest.importorskip("hmmlearn")
    rng = np.random.default_rng(0)
    job = baum_welch.Job(
        "small", *baum_welch.random_start(rng, 3, 5), rng.integers(5, size=60), np.array([20] * 3)
    )
    figure = baum_welch.whole_fit(job, quick=True)
    assert (figure.name, figure.peer.name) == (baum_welch.WHOLE, "hmmlearn")
