"""The beam: exact when it is wide enough, honest when it is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from oracle.closeness import assert_rank, score_tolerance
from oracle.paths import Enumeration, path_score
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference
from seqlab.errors import BeamError

pytestmark = pytest.mark.usefixtures("kernel")


@given(trellises())
def test_beam_of_full_width_is_viterbi_and_says_so(tables: Tables) -> None:  # eq:beam
    path = inference.beam(tables.trellis(), tables.L**tables.order)
    assert path.exact
    assert_rank(tables, Enumeration(tables), path)


@given(trellises(), st.integers(1, 4))
def test_beam_never_beats_viterbi(tables: Tables, width: int) -> None:  # eq:beam
    truth = Enumeration(tables)
    try:
        path = inference.beam(tables.trellis(), width)
    except BeamError:
        return
    ids = tuple(path.ids.tolist())
    tolerance = score_tolerance(tables)
    assert path.score == approx(path_score(tables, ids), abs=tolerance)
    assert -np.inf < path.score <= truth.best()[1] + tolerance
    if path.exact:
        assert_rank(tables, truth, path)


def test_beam_too_narrow_takes_the_garden_path_and_says_so() -> None:  # eq:beam
    node = np.array([[1.0, 0.0], [0.0, 0.0]])
    edge = np.array([[-5.0, -5.0], [0.0, 0.0]])
    path = inference.beam(Trellis(node, edge), 1)
    assert not path.exact
    assert path.ids.tolist() == [0, 0]
    assert path.score == -4.0
    assert inference.viterbi(Trellis(node, edge)).score == 0.0


def test_beam_that_loses_every_legal_path_raises_its_own_error() -> None:  # eq:beam
    node = np.array([[1.0, 0.0], [0.0, 0.0]])
    edge = np.array([[-np.inf, -np.inf], [0.0, 0.0]])
    with pytest.raises(BeamError) as caught:
        inference.beam(Trellis(node, edge), 1)
    assert caught.value.position == 1
    assert inference.beam(Trellis(node, edge), 2).ids.tolist() == [1, 0]


def test_beam_is_exact_when_the_masks_leave_fewer_labels_than_its_width() -> None:  # eq:beam
    rng = np.random.default_rng(1)
    trellis = Trellis(rng.normal(size=(9, 12)), rng.normal(size=(12, 12)))
    narrow = trellis.constrain(allowed={t: [t, t + 2] for t in range(9)})
    path = inference.beam(narrow, 2)
    assert path.exact
    assert path.ids.tolist() == inference.viterbi(narrow).ids.tolist()
