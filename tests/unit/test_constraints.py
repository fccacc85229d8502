"""Constraints: names or ids, pairs or masks, and words for what does not fit."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from seqlab import Constraints, Trellis, inference
from seqlab.errors import LabelError, SeqlabError, ShapeError

LABELS = ("B", "I", "O")


def trellis(**rules: object) -> Trellis:
    return Trellis(np.zeros((4, 3)), np.zeros((3, 3)), labels=LABELS, constraints=Constraints(**rules))  # type: ignore[arg-type]


def paths(x: Trellis) -> set[tuple[object, ...]]:
    return {path.labels for path in inference.nbest(x, 100)}


def test_constraints_read_pairs_of_names_ids_and_a_mask_alike() -> None:
    mask = np.zeros((3, 3), bool)
    mask[2, 1] = True
    by_name = paths(trellis(forbidden_moves=[("O", "I")]))
    assert by_name == paths(trellis(forbidden_moves=[(2, 1)])) == paths(trellis(forbidden_moves=mask))
    assert all(("O", "I") not in itertools.pairwise(path) for path in by_name)
    assert len(by_name) == 55


def test_constraints_read_starts_and_ends_alike() -> None:
    mask = np.array([False, True, False])
    for starts in (["I"], [1], mask):
        assert all(path[0] != "I" for path in paths(trellis(forbidden_starts=starts)))
        assert len(paths(trellis(forbidden_starts=starts))) == 54
    for ends in (["I"], [1], mask):
        assert all(path[-1] != "I" for path in paths(trellis(forbidden_ends=ends)))


def test_constraints_know_labels_by_name_and_id() -> None:
    expected = {path for path in paths(trellis()) if path[1] == "O"}
    assert paths(trellis(known={1: "O"})) == paths(trellis(known={1: 2})) == expected


def test_constraints_read_allowed_lists_and_masks_alike() -> None:
    mask = np.ones((4, 3), bool)
    mask[2] = [True, False, True]
    assert (
        paths(trellis(allowed={2: ["B", "O"]}))
        == paths(trellis(allowed={2: [0, 2]}))
        == paths(trellis(allowed=mask))
    )
    assert trellis(allowed={2: ["O", "B"]}).allowed[2].tolist() == [0, 2]
    assert list(trellis(allowed=mask).allowed) == [2]
    assert trellis(allowed={2: ["O", "B"]}).allowed[2].dtype == np.int32


def test_constraints_add_up_when_given_twice() -> None:
    twice = trellis(allowed={1: ["B", "O"]}).constrain(allowed={1: ["O", "I"]}, forbidden_ends=["O"])
    assert paths(twice) == {p for p in paths(trellis()) if p[1] == "O" and p[3] != "O"}


def test_constrain_leaves_the_first_trellis_alone() -> None:
    free = trellis()
    free.constrain(known={0: "O"}, forbidden_moves=[("O", "O")])
    assert len(paths(free)) == 81
    assert free.allowed == {}


def test_constraints_are_frozen() -> None:
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        Constraints().known = {0: 0}  # type: ignore[misc]


@pytest.mark.parametrize(
    "rules",
    [
        {"forbidden_moves": [("O", "X")]},
        {"forbidden_moves": [(0, 3)]},
        {"forbidden_moves": [(0, -1)]},
        {"forbidden_starts": ["X"]},
        {"forbidden_ends": [3]},
        {"known": {0: "X"}},
        {"known": {0: 7}},
        {"allowed": {0: ["B", "X"]}},
    ],
)
def test_constraints_name_the_unknown_label(rules: dict) -> None:
    with pytest.raises(LabelError, match=r"'X'|3|-1|7"):
        trellis(**rules)


@pytest.mark.parametrize("rules", [{"known": {4: "O"}}, {"known": {-1: "O"}}, {"allowed": {9: ["O"]}}])
def test_constraints_refuse_a_position_outside_the_sequence(rules: dict) -> None:
    ((position, _),) = next(iter(rules.values())).items()
    with pytest.raises(SeqlabError, match=str(position)):
        trellis(**rules)


@pytest.mark.parametrize(
    "rules",
    [
        {"forbidden_moves": np.zeros((2, 2), bool)},
        {"forbidden_starts": np.zeros(4, bool)},
        {"allowed": np.ones((3, 3), bool)},
    ],
)
def test_constraints_refuse_a_mask_of_the_wrong_shape(rules: dict) -> None:
    with pytest.raises(ShapeError):
        trellis(**rules)


@pytest.mark.parametrize("moves", [[("B", "I", "O")], ["BI", "OX"], [3]])
def test_constraints_want_pairs_for_moves(moves: list) -> None:
    with pytest.raises(LabelError):
        trellis(forbidden_moves=moves)


def test_constraints_refuse_to_contradict_themselves() -> None:
    with pytest.raises(SeqlabError, match="1"):
        inference.viterbi(trellis(known={1: "O"}, allowed={1: ["B", "I"]}))
    with pytest.raises(SeqlabError, match="2"):
        inference.viterbi(trellis(allowed={2: []}))


def test_constraints_need_names_to_understand_names() -> None:
    nameless = Trellis(np.zeros((2, 3)), np.zeros((3, 3)))
    with pytest.raises(LabelError, match="'O'"):
        nameless.constrain(known={0: "O"})
