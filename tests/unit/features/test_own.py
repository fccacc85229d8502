"""Features written as a function."""

import pytest

from seqlab.errors import CorpusError, TemplateError
from seqlab.features import FeatureFunction

SENTENCE = {"word": ["Old", "men"]}


def endings(sentence, t):
    yield sentence["word"][t][-2:]
    yield "length", len(sentence["word"][t])


def test_strings_pairs_and_dicts_are_taken():
    assert FeatureFunction(endings)(SENTENCE, 0) == [("ld", 1.0), ("length", 3.0)]
    assert FeatureFunction(lambda s, t: {"w": s["word"][t]})(SENTENCE, 1) == [("w:men", 1.0)]
    assert FeatureFunction(lambda s, t: [])(SENTENCE, 1) == []


def test_what_is_no_function_is_refused():
    with pytest.raises(TemplateError, match=r"a function \(sentence, t\) -> strings is wanted, got 'word'"):
        FeatureFunction("word")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("abc", "should give a list of strings, got 'abc'"),
        (None, "should give a list of strings, got None"),
        ([("a", "b")], "a string, or a pair of a string and a number, is wanted"),
        ([("a", float("nan"))], "attribute 'a' has the weight nan"),
        ([3], "an attribute must be a string, got 3"),
        ([("a", 1, 2)], "an attribute must be a string"),
    ],
)
def test_what_it_gives_is_checked(given, message):
    def broken(sentence, t):
        return given

    with pytest.raises((TemplateError, CorpusError), match=r"broken\(sentence, 1\).*" + message):
        FeatureFunction(broken)(SENTENCE, 1)
