"""The cost model of benchmarks/scale counts the bytes that the program counts, and knows what a link can send."""

import numpy as np
import pytest

from benchmarks.scale.cost import Cluster, Rates, fitted, iteration
from benchmarks.scale.links import Links

NOTHING = Rates(0.0, 0.0, 0.0, 0.0)


def test_senders_share_their_link():
    links, came = Links(10.0, 0.5), {}
    for name, source, size in (("a", "x", 10.0), ("b", "x", 20.0), ("c", "y", 10.0)):
        links.send(source, size, lambda name=name: came.update({name: links.now}))
    assert links.run() == pytest.approx(3.5)
    assert came == {"a": pytest.approx(2.5), "b": pytest.approx(3.5), "c": pytest.approx(1.5)}


def test_vectors_down_and_up():
    """Weights once a worker, a vector an edge between workers, one to the driver; two workers need four hops."""
    seconds, sent = iteration(NOTHING, 0.0, 1000, 8, Cluster(2, 1, 8000.0))
    assert sent == 8 * 1000 * (2 + 1 + 1)
    assert seconds == pytest.approx(4.0)
    assert iteration(NOTHING, 0.0, 1000, 8, Cluster(1, 1, 8000.0)) == (pytest.approx(2.0), 16_000)


def test_tokens_are_shared_by_workers_and_cores():
    rates = Rates(1e-6, 0.0, 1e-9, 0.0)
    assert iteration(rates, 8e6, 1000, 8, Cluster())[0] == pytest.approx(8.0, rel=1e-3)
    assert iteration(rates, 8e6, 1000, 8, Cluster(4, 2))[0] == pytest.approx(1.0, rel=1e-3)


def test_rates_are_found_again():
    rates, terms = Rates(2e-7, 1e-8, 5e-8, 1e-3), []
    for tokens, weights, shards, tasks in ((1e5, 4e5, 2, 2), (4e5, 6e5, 7, 6), (1e6, 9e5, 15, 8)):
        worker = tokens * rates.token + shards * weights * rates.shard
        terms.append(
            {"tokens": tokens, "weights": weights, "shards": shards, "tasks": tasks, "worker": worker}
        )
        terms[-1]["driver"] = weights * rates.driver + tasks * rates.task
    found = fitted(terms)
    assert np.allclose([found.token, found.shard, found.driver, found.task], [2e-7, 1e-8, 5e-8, 1e-3])
