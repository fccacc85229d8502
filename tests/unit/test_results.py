"""The result objects: named, frozen, in the user's labels."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from seqlab import Trellis, inference
from seqlab.errors import LabelError, SeqlabError, ShapeError

RNG = np.random.default_rng(0)
NAMED = Trellis(RNG.normal(size=(6, 3)), RNG.normal(size=(3, 3)), labels=("x", "y", "z"))
BARE = Trellis(NAMED.node, NAMED.edge)


def test_path_speaks_names_or_numbers() -> None:
    named, bare = inference.viterbi(NAMED), inference.viterbi(BARE)
    assert named.labels == tuple("xyz"[y] for y in bare.labels)
    assert all(type(y) is int for y in bare.labels)
    assert type(named.score) is float
    assert named.log_prob is None
    assert len(named) == 6


def test_path_is_frozen() -> None:
    path = inference.viterbi(NAMED)
    with pytest.raises(AttributeError):
        path.score = 0.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        path.ids[0] = 1


def test_nbest_is_a_sequence() -> None:
    best = inference.nbest(NAMED, 4)
    assert isinstance(best, Sequence)
    assert len(best) == 4
    assert [p.score for p in best[1:3]] == [best[1].score, best[2].score]
    assert best[-1].score == best[3].score
    with pytest.raises(IndexError):
        best[4]
    assert not best.exhausted
    more = best.more(2)
    assert len(best) == 6
    assert more[1].score == best[5].score


def test_nbest_knows_when_it_is_exhausted() -> None:
    best = inference.nbest(Trellis(np.zeros((2, 2)), np.zeros((2, 2))), 3)
    assert not best.exhausted
    assert len(best.more(5)) == 1
    assert best.exhausted
    assert best.more(1) == []


def test_posterior_takes_names_and_numbers() -> None:
    posterior = inference.posterior(NAMED)
    assert posterior.label(2, "y") == posterior.label(2, 1) == posterior.node[2, 1]
    assert posterior.move(3, "y", "z") == posterior.move(3, 1, 2)
    assert posterior.move(3, 1, 2) == pytest.approx(posterior.edge[2, 1, 2])
    assert posterior.span(1, 4, ["x", "y", "z"]) == posterior.span(1, 4, [0, 1, 2])
    assert posterior.span(2, 3, ["y"]) == pytest.approx(posterior.label(2, "y"))
    assert posterior.node.dtype == np.float64
    assert isinstance(posterior.log_space, bool)


def test_posterior_refuses_labels_and_positions_it_does_not_have() -> None:
    posterior = inference.posterior(NAMED)
    for bad in ("w", 3, -1):
        with pytest.raises(LabelError):
            posterior.label(0, bad)
    for t in (6, -7):
        with pytest.raises((SeqlabError, IndexError)):
            posterior.label(t, "x")
    with pytest.raises((SeqlabError, IndexError)):
        posterior.move(0, "x", "y")
    with pytest.raises(ShapeError):
        posterior.span(0, 3, ["x", "y"])
    for i, j in ((4, 2), (-1, 1), (3, 9)):
        with pytest.raises((SeqlabError, IndexError)):
            posterior.span(i, j, ["x"] * max(j - i, 0))


def test_filtered_takes_names_and_numbers() -> None:
    filtered = inference.filter(NAMED)
    assert filtered.label(2, "y") == filtered.label(2, 1) == filtered.node[2, 1]
    assert inference.filter([BARE, NAMED])[1].label(5, "z") == filtered.node[5, 2]
    assert inference.filter(BARE).label(0, 2) == filtered.label(0, "z")
    stream = inference.Filter(NAMED.edge, labels=NAMED.labels)
    steps = [stream.push(row) for row in NAMED.node]
    assert steps[2].label("y") == steps[2].label(1) == pytest.approx(filtered.label(2, "y"))
    assert pickle.loads(pickle.dumps(steps[2])).label("y") == steps[2].label("y")
    for t, bad in ((6, "x"), (-1, "x"), (1.0, "x"), (0, "w"), (0, 3)):
        with pytest.raises(LabelError, match=r"position|unknown label"):
            filtered.label(t, bad)  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="unknown label 'w'"):
        steps[0].label("w")


def test_posterior_computes_its_edges_once() -> None:
    posterior = inference.posterior(NAMED)
    assert posterior.edge is posterior.edge
    assert posterior.edge.shape == (5, 3, 3)


def test_posterior_keeps_the_type_of_the_scores_or_better() -> None:
    single = Trellis(NAMED.node.astype(np.float32), NAMED.edge.astype(np.float32))
    assert inference.posterior(single).node.dtype in (np.float32, np.float64)
    np.testing.assert_allclose(inference.posterior(single).node, inference.posterior(NAMED).node, atol=1e-5)


def test_samples_speak_the_labels() -> None:
    samples = inference.sample(NAMED, 4, seed=1)
    assert [["xyz"[y] for y in row] for row in samples.ids] == [list(row) for row in samples.labels]


def test_samples_are_a_list_of_paths() -> None:
    samples = inference.sample(NAMED, 4, seed=1)
    assert (samples[0], samples[-1]) == (samples.labels[0], samples.labels[3])
    assert list(samples) == samples.labels
    assert samples[1:3].labels == samples.labels[1:3]
    assert samples.labels[2] in samples
    with pytest.raises(IndexError, match="path 4 of 4 samples"):
        samples[4]


def test_results_show_themselves_briefly() -> None:
    long = Trellis(np.zeros((5000, 3)), np.zeros((3, 3)))
    for result in (
        inference.viterbi(long),
        inference.posterior(long),
        inference.nbest(long, 2),
        inference.filter(long),
    ):
        assert len(repr(result)) < 400
