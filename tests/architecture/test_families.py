"""What a fitted tagger is: one frozen value; no mixins, no deep inheritance, no folder too full."""

import dataclasses
import re

import pytest

import seqlab
from architecture.tree import PACKAGE, files, text
from seqlab.tagging.model import Model
from seqlab.tagging.tagger import Tagger

FAMILIES = [
    getattr(seqlab, name)
    for name in seqlab.__all__
    if isinstance(getattr(seqlab, name), type)
    and issubclass(getattr(seqlab, name), Model)
    and name != "Tagger"
]
MOST_FILES = 22  # some twenty, in one folder


def test_all_families_are_found():
    assert {"CRF", "HMM", "MEMM", "MarkovChain", "Reranker", "LocalTagger"} <= {
        kind.__name__ for kind in FAMILIES
    }


@pytest.mark.parametrize("kind", FAMILIES, ids=lambda kind: kind.__name__)
def test_a_fitted_model_is_one_frozen_value(kind):
    assert kind.fit_ is None
    assert dataclasses.is_dataclass(kind._fit_class)
    assert kind._fit_class.__dataclass_params__.frozen


@pytest.mark.parametrize("kind", FAMILIES, ids=lambda kind: kind.__name__)
def test_inheritance_is_at_most_two_deep_and_never_multiple(kind):
    below = [one for one in kind.__mro__ if issubclass(one, Tagger) and one is not Tagger]
    assert len(below) <= 2
    assert all(len(one.__bases__) == 1 for one in kind.__mro__[:-1])


def test_no_folder_is_too_full():
    folders = {}
    for path in files(PACKAGE, ".py"):
        folders.setdefault(path.parent, []).append(path.name)
    assert {folder.name: len(names) for folder, names in folders.items() if len(names) > MOST_FILES} == {}


def test_nothing_is_mixed_in_and_nothing_is_taken_from_a_dict_of_attributes():
    wrong = re.compile(r"Mixed into|own: Any = self|__dict__")
    assert [path.name for path in files(PACKAGE, ".py") if wrong.search(text(path))] == []


def test_nobody_writes_states_by_hand():
    own = {"tagging/model.py", "encode/encoder.py"}  # the one way, and the part that is behind the core
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in files(PACKAGE, ".py")
        if re.search(r"def (state|from_state)\(", text(path)) and "store" not in path.parts
    }
    assert found == own
