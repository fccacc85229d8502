"""The table of the Viterbi algorithm: v and back links against all prefixes, and the worked example."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from oracle import textbook
from oracle.closeness import SINGLE, is_single, size
from oracle.paths import Labelling, all_paths
from oracle.strategies import trellises
from oracle.tables import Tables
from seqlab import Trellis, inference
from seqlab.errors import ImpossibleError, LabelError, ShapeError


def state(path: Labelling, t: int, order: int) -> Labelling:
    """The last `order` labels up to t, with 0 for each one before the first position."""
    return (0,) * max(order - 1 - t, 0) + path[max(t - order + 1, 0) : t + 1]


@given(trellises())
def test_every_cell_has_the_best_prefix_and_its_link(tables: Tables) -> None:  # eq:viterbi
    table = inference.viterbi_table(tables.trellis())
    close = (SINGLE if is_single(tables) else 1e-13) * size(tables)
    assert table.score.shape == table.back.shape == (tables.T,) + (tables.L,) * tables.order
    for t in range(tables.T):
        best: dict[Labelling, dict[Labelling, float]] = {}
        for path, score in all_paths(tables.prefix(t + 1)):
            best.setdefault(state(path, t, tables.order), {})[path] = score
        for cell in np.ndindex(table.score[t].shape):
            found = {path: score for path, score in best.get(cell, {}).items() if score > -np.inf}
            if not found:
                assert table.score[(t, *cell)] == -np.inf
                assert table.back[(t, *cell)] == -1
                continue
            top = max(found.values())
            assert table.score[(t, *cell)] == pytest.approx(top, abs=close)
            link = int(table.back[(t, *cell)])
            if t < tables.order:
                assert link == -1
            else:
                behind = [score for path, score in found.items() if path[t - tables.order] == link]
                assert max(behind) == pytest.approx(top, abs=close)


@given(trellises(min_T=1))
def test_links_lead_back_along_the_best_path(tables: Tables) -> None:  # eq:viterbi
    trellis = tables.trellis()
    try:
        best = inference.viterbi(trellis)
    except ImpossibleError:
        with pytest.raises(ImpossibleError):
            inference.viterbi_table(trellis).path()
        return
    path = inference.viterbi_table(trellis).path()
    assert path.score == pytest.approx(
        best.score, abs=1e-4 * size(tables) if is_single(tables) else 1e-12 * size(tables)
    )
    assert trellis.score(path.ids.tolist()) == pytest.approx(
        path.score, rel=1e-4 if is_single(tables) else 1e-12
    )


def test_the_garden_path_to_the_last_digit():  # eq:viterbi eq:forward eq:backward
    trellis = textbook.garden_path().trellis()
    table = inference.viterbi_table(trellis)
    for length, (prefix, probability) in textbook.BEST_PREFIX.items():
        best = table.path(length - 1)
        assert "".join(best.labels) == prefix
        assert math.exp(best.score) == pytest.approx(probability, rel=1e-14)
    best, *_ = textbook.PATHS
    assert "".join(table.path().labels) == best
    assert math.exp(table.best(4, "N")) == pytest.approx(textbook.PATHS[best], rel=1e-14)
    assert table.before(4, "N") == "D"
    assert table.before(3, "D") == "V"
    assert table.before(2, "N") == "A"
    assert table.before(2, "V") == "N"
    assert table.before(0, "D") is None
    assert table.before(2, "D") is None  # nothing leads there
    # By hand: .7, .7 * .3 * .8 = .168, .7 * .7 * .2 = .098, .168 * .9 * .4 = .06048, .098 * .7 * .5 = .0343
    with np.errstate(under="ignore"):
        v = np.exp(table.score)
    assert v[1] == pytest.approx([0.168, 0.098, 0, 0], rel=1e-14)
    assert v[2] == pytest.approx([0.00336, 0.06048, 0.0343, 0], rel=1e-14)
    # alpha sums the prefixes, beta the suffixes, without scaling.
    alpha, beta = np.exp(inference.forward(trellis)), np.exp(inference.backward(trellis))
    assert alpha[2] == pytest.approx([0.00336, 0.06048 + 0.098 * 0.2 * 0.4, 0.0343, 0], rel=1e-14)
    assert alpha[4].sum() == pytest.approx(textbook.LIKELIHOOD, rel=1e-14)
    assert (alpha * beta).sum(axis=1) == pytest.approx([textbook.LIKELIHOOD] * 5, rel=1e-13)
    assert beta[3, 3] == pytest.approx(0.7 * 0.4, rel=1e-14)


def test_tables_of_many_sequences_are_those_of_each():
    rng = np.random.default_rng(0)
    many = [Trellis(rng.normal(size=(T, 3)), rng.normal(size=(3, 3, 3)), order=2) for T in (0, 1, 5)]
    together = inference.viterbi_table(many, threads=2)
    assert len(together) == 3
    for one, table in zip(many, together, strict=True):
        alone = inference.viterbi_table(one)
        assert table.score.tolist() == alone.score.tolist()
        assert table.back.tolist() == alone.back.tolist()
        assert table.path().ids.tolist() == inference.viterbi(one).ids.tolist()


def test_cells_that_are_not_there_are_refused():
    table = inference.viterbi_table(textbook.garden_path().trellis())
    with pytest.raises(ShapeError, match="a state has 1 labels here, got 2"):
        table.best(1, "A", "N")
    with pytest.raises(LabelError):
        table.best(9, "A")
    with pytest.raises(LabelError):
        table.before(1, "X")
    with pytest.raises(ImpossibleError):
        table.path(2, "D")
    assert "ViterbiTable" in repr(table)
