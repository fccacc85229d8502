"""Trainers read sequences when they are appended, as python-crfsuite does."""

import pytest

from seqlab.compat.pycrfsuite import ItemSequence, Tagger, Trainer

SEQUENCES = [[{"a": 1.0}, {"b": 0.5}], [{"b": 2.0}, {"c": "d"}], [{"c": "d"}, {"a": 0.5}]]


def filled(groups):
    """A trainer with the first sequences, each in its group; None leaves one out."""
    trainer = Trainer(verbose=False)
    for x, group in zip(SEQUENCES, groups, strict=False):
        if group is not None:
            trainer.append(x, ["A", "B"], group)
    return trainer


@pytest.mark.parametrize("item", [5, None, [1], [None], range(3), {"a": None}, {1: 1.0}, {"a": [1]}, "text"])
def test_an_item_of_a_wrong_type_is_refused_when_it_is_appended(item):
    trainer = filled((0,))
    with pytest.raises(TypeError, match=r"^sequence 1, item 1: ") as caught:
        trainer.append([{"a": 1.0}, item], ["A", "B"])
    assert isinstance(caught.value, ValueError)
    with pytest.raises(TypeError, match=r"^position 1: "):
        ItemSequence([{"a": 1.0}, item])
    trainer.train("")  # without that sequence


def test_what_was_appended_is_a_copy(tmp_path):
    item, trainer = {"shape": {"long": 1.0}}, Trainer(verbose=False)
    trainer.append([item, {}], ["A", "B"])
    item["shape"]["other"] = item["more"] = 1.0
    trainer.train(str(tmp_path / "model"))
    made = Tagger()
    made.open(str(tmp_path / "model"))
    assert list(made.info().attributes) == ["shape:long"]


def test_attributes_are_numbered_as_they_occur(tmp_path):
    trainer = Trainer(verbose=False, params={"c2": 0.1})
    trainer.append([{"z": 1.0, "b": {"y": 1.0, "a": "q"}}, ["c", "z"]], ["A", "B"])
    trainer.append([], [])
    trainer.append([ItemSequence([{"late": 1.0}]).items()[0], {"b": "x", "c": True}], ["B", "A"])
    trainer.train(str(tmp_path / "model"))
    made = Tagger()
    made.open(str(tmp_path / "model"))
    assert list(made.info().attributes) == ["z", "b:y", "b:a:q", "c", "late", "b:x"]
    assert [name for name, _ in made.info().state_features][:2] == ["z", "z"]


def test_group_minus_1_is_left_out_where_no_group_is_held_out(tmp_path):
    filled((0, -1, 0)).train(str(tmp_path / "few"))
    filled((0, None, 0)).train(str(tmp_path / "same"))
    assert (tmp_path / "few").read_bytes() == (tmp_path / "same").read_bytes()
