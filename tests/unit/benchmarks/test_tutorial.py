"""The tutorial's job on inputs made on the spot; nothing here is judged by its time."""

import pytest

from benchmarks.speed import __main__ as command
from benchmarks.speed import tutorial
from seqlab import Corpus, demo_corpus
from seqlab.encode import Encoder


@pytest.fixture(scope="module")
def prepared():
    corpus = demo_corpus("train")[:20]
    X = tutorial.dicts(corpus, ["word"])
    return tutorial.Prepared("demo", X, corpus.column("pos"), X[:5])


def test_features_see_the_token_and_both_neighbours():
    found = tutorial.features([("The", "DT"), ("dog", "NN")], 0)
    assert found == {
        "bias": 1.0,
        "word[-3:]": "The",
        "word[-2:]": "he",
        "word.isdigit()": False,
        "word.lower()": "the",
        "word.istitle()": True,
        "word.isupper()": False,
        "postag": "DT",
        "postag[:2]": "DT",
        "BOS": True,
        "+1:word.lower()": "dog",
        "+1:word.istitle()": False,
        "+1:word.isupper()": False,
        "+1:postag": "NN",
        "+1:postag[:2]": "NN",
    }


def test_strings_name_the_same_attributes_as_dicts(prepared):
    listed = tutorial._listed(prepared.X)
    corpora = [Corpus.from_lists(X, prepared.y) for X in (prepared.X, listed)]
    names = [set(Encoder(None).fit(corpus).encoder.attributes) for corpus in corpora]
    assert names[1] <= names[0]
    assert all(name.endswith("()") for name in names[0] - names[1])  # those that are never True


@pytest.mark.parametrize("part", tutorial.PARTS)
def test_every_part_makes_figures_with_marks_and_a_peer(part, prepared):
    pytest.importorskip("sklearn_crfsuite")
    figures = tutorial.PARTS[part](prepared, quick=True)
    assert figures
    for one in figures:
        assert one.case == tutorial.CASE
        assert one.name.endswith(", demo")
        assert one.peer.name == "sklearn-crfsuite"
        assert one.at_least < one.details["aim"]
        assert one.median > 0
    (table,) = tutorial.tables(figures)
    assert len(table.rows) == len(figures)
    for one in figures:
        if "to its" in one.name:
            assert one.details["objective"] <= one.details["peer_objective"]


def test_parts_choose_their_case():
    assert command.parse(["--part", "ridge"]).only == [tutorial.CASE]
    assert command.parse(["--part", "tagging"]).only == ["discriminative"]
    with pytest.raises(SystemExit):
        command.parse(["--part", "ridge", "--only", "hmm"])
