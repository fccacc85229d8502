"""Any tagger has NLTK's methods."""

import sys
from abc import ABC
from types import ModuleType

import pytest

from seqlab import HMM, demo_corpus
from seqlab.compat.nltk import TaggerI


def tagged(part):
    return [list(zip(s["word"], s["pos"], strict=True)) for s in demo_corpus(part)[:80]]


def test_it_trains_tags_and_scores():
    made = TaggerI.train(tagged("train"), HMM())
    gold = tagged("test")
    words = [[word for word, _ in sentence] for sentence in gold]
    assert made.tag_sents(words) == [made.tag(iter(one)) for one in words]
    right = [
        a == b
        for one, two in zip(made.tag_sents(words), gold, strict=True)
        for a, b in zip(one, two, strict=True)
    ]
    assert made.accuracy(gold) == made.evaluate(gold) == pytest.approx(sum(right) / len(right))
    assert made.accuracy(gold) > 0.6
    assert made.tag([]) == []
    assert made.tag_sents([[], []]) == [[], []]
    with pytest.raises(ValueError, match="no tagged word"):
        made.accuracy([])


def test_the_usual_tagger_is_a_crf_of_words():
    made = TaggerI.train([[("the", "D"), ("dog", "N")], [("a", "D"), ("cat", "N")]] * 3)
    assert made.tag(["the", "cat"]) == [("the", "D"), ("cat", "N")]


def test_it_is_one_of_theirs_where_nltk_is_loaded(monkeypatch):
    theirs = ModuleType("nltk.tag.api")
    theirs.TaggerI = type("TaggerI", (ABC,), {})
    monkeypatch.setitem(sys.modules, "nltk.tag.api", theirs)
    made = TaggerI(HMM())
    assert isinstance(made, theirs.TaggerI)


def test_tables_of_confusion_are_those_of_nltk():
    theirs = pytest.importorskip("nltk.tag.api")
    gold = [[("the", "D"), ("cat", "N")], [("dog", "N")]]
    made = TaggerI.train([[("the", "D"), ("dog", "N")], [("a", "D"), ("cat", "N")]] * 3)
    assert isinstance(made, theirs.TaggerI)
    assert made.confusion(gold)["N", "N"] == 2
    assert made.precision(gold) == made.recall(gold) == made.f_measure(gold) == {"D": 1.0, "N": 1.0}
    assert "Prec" in made.evaluate_per_tag(gold)


def test_what_nltk_does_not_have_is_no_attribute():
    assert not hasattr(TaggerI(HMM()), "train_all")
