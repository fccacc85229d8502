"""A trellis without a legal path is refused by every question, with the position where nothing is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from oracle.closeness import log_z_tolerance
from oracle.paths import Enumeration, first_dead_position
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, TrellisBatch, inference
from seqlab.errors import ImpossibleError

pytestmark = pytest.mark.usefixtures("kernel")

QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "viterbi": inference.viterbi,
    "viterbi_log_prob": lambda x: inference.viterbi(x, log_prob=True),
    "max_marginal": inference.max_marginal,
    "nbest": lambda x: inference.nbest(x, 3),
    "beam": lambda x: inference.beam(x, 64),
    "log_partition": inference.log_partition,
    "posterior": inference.posterior,
    "expected_counts": inference.expected_counts,
    "sample": lambda x: inference.sample(x, 2, seed=0),
    "filter": inference.filter,
}


@given(trellises(possible=False, holes=(0.2, 0.4, 0.6)))
def test_impossible_trellis_names_the_first_dead_position(tables: Tables) -> None:  # eq:masks
    dead = first_dead_position(tables)
    if dead is None:
        log_z = Enumeration(tables).log_z
        assert abs(inference.log_partition(tables.trellis()) - log_z) <= log_z_tolerance(tables, log_z)
        return
    for name, ask in QUESTIONS.items():
        with pytest.raises(ImpossibleError) as caught:
            ask(tables.trellis())
        assert caught.value.position == dead, name
        assert str(dead) in str(caught.value), name


@pytest.mark.parametrize("name", QUESTIONS)
def test_impossible_sequence_of_a_batch_is_named(name: str) -> None:  # eq:masks
    node = np.zeros((9, 2))
    node[5] = -np.inf  # the third sequence's second position
    batch = TrellisBatch(node, [2, 2, 3, 2], np.zeros((2, 2)))
    with pytest.raises(ImpossibleError) as caught:
        QUESTIONS[name](batch)
    assert caught.value.sequence == 2
    assert caught.value.position == 1


@pytest.mark.parametrize("name", QUESTIONS)
def test_impossible_because_two_rules_meet(name: str) -> None:  # eq:masks
    trellis = Trellis(np.zeros((5, 3)), np.zeros((3, 3)), labels=("B", "I", "O")).constrain(
        forbidden_moves=[("O", "I")], known={2: "O", 3: "I"}
    )
    with pytest.raises(ImpossibleError) as caught:
        QUESTIONS[name](trellis)
    assert caught.value.position == 3
    assert caught.value.sequence is None


def test_impossible_end_is_found_at_the_end() -> None:  # eq:masks
    trellis = Trellis(np.zeros((6, 2)), np.zeros((2, 2))).constrain(forbidden_ends=[0, 1])
    with pytest.raises(ImpossibleError) as caught:
        inference.viterbi(trellis)
    assert caught.value.position == 5


def test_impossible_is_not_confused_with_very_unlikely() -> None:  # eq:masks eq:scaling
    edge = np.full((2, 2), -1e8)
    trellis = Trellis(np.zeros((50, 2)), edge)
    assert inference.log_partition(trellis) == pytest.approx(-49e8 + 50 * np.log(2), rel=1e-12)
    np.testing.assert_allclose(inference.posterior(trellis).node, 0.5, atol=1e-6)
