import itertools
import math

import numpy as np
import pytest

from oracle.textbook import garden_path
from seqlab.draw.trellis import prefix, survivors
from seqlab.trellis import Constraints, Trellis

RNG = np.random.default_rng(7)


def best_prefix(trellis, t, y):
    """Enumeration: the best score of a path of t + 1 positions that ends in y, and the label before."""
    paths = itertools.product(range(trellis.L), repeat=t)
    short = prefix(trellis, t + 1)
    score, path = max((short.score([*path, y]), path) for path in paths)
    return score, path[-1] if path else None


def example(order, *, shared):
    T, L = 5, 3
    edge = RNG.normal(size=((1 if shared else T - order), *[L] * (order + 1)))
    head = tuple(RNG.normal(size=[L] * (k + 1)) for k in range(1, order))
    return Trellis(RNG.normal(size=(T, L)), edge, order=order, head=head)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("shared", [True, False])
def test_a_cell_holds_the_best_way_into_it(order, shared):  # eq:viterbi
    trellis = example(order, shared=shared)
    for t in range(trellis.T):
        for y, cell in enumerate(survivors(trellis, t, [0, 1, 2])):
            score, before = best_prefix(trellis, t, y)
            assert cell.score == pytest.approx(score)
            assert cell.came_from == before
            assert not cell.dead


def test_a_cell_without_a_way_is_dead():
    trellis = Trellis(np.zeros((3, 2)), [[0.0, -math.inf], [-math.inf, 0.0]], start=[0.0, -math.inf])
    assert [cell.dead for t in range(3) for cell in survivors(trellis, t, [0, 1])] == [False, True] * 3


def test_a_cell_that_is_not_allowed_is_dead():
    trellis = Trellis(np.zeros((3, 2)), np.zeros((2, 2)), constraints=Constraints(known={1: 0}))
    assert [cell.dead for cell in survivors(trellis, 1, [0, 1])] == [False, True]
    assert [cell.came_from for cell in survivors(trellis, 2, [0, 1])] == [0, 0]


def test_prefix_of_everything_is_everything():
    tables = garden_path()
    trellis = Trellis(tables.node, tables.edge, start=tables.start, labels=tables.labels)
    assert np.array_equal(prefix(trellis, trellis.T).node, trellis.node)
