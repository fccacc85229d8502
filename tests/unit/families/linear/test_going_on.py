"""partial_fit of learners that go from sentence to sentence."""

import numpy as np
import pytest

from seqlab import SGD, LinearTagger, Perceptron, StructuredSVM, demo_corpus
from seqlab.errors import OptionError, StoreError


@pytest.mark.parametrize("learner", [SGD(epochs=8), Perceptron(epochs=5)])
def test_five_more_sentences_do_not_undo_two_hundred(learner):
    train, test = demo_corpus("train"), demo_corpus("test")[:100]
    tagger = LinearTagger("pos", learner).fit(train[:200], "pos")
    before = tagger.score(test, "pos")
    tagger.partial_fit(train[200:205], "pos")
    assert tagger.score(test, "pos") > before - 0.08
    assert tagger.sentences_ == 205


def test_frank_wolfe_cannot_go_on_and_says_so():
    tagger = LinearTagger("word[0]", StructuredSVM(epochs=2)).fit([["a", "b"]], [["X", "Y"]])
    with pytest.raises(OptionError, match="always begins at 0"):
        tagger.partial_fit([["a"]], [["X"]])


def test_a_stored_tagger_goes_on_as_the_one_that_was_stored():
    train = demo_corpus("train")
    tagger = LinearTagger("word[0]", SGD(epochs=3)).fit(train[:50], "pos")
    back = LinearTagger.from_state(tagger.state())
    assert back.sentences_ == 50
    for one in (tagger, back):
        one.partial_fit(train[50:60], "pos")
    assert np.array_equal(tagger.model_.theta, back.model_.theta)


@pytest.mark.parametrize("wrong", [-1, "many"])
def test_a_file_with_an_impossible_number_of_sentences_is_refused(wrong):
    state = LinearTagger("word[0]", Perceptron(epochs=1)).fit([["a", "b"]], [["X", "Y"]]).state()
    state.record["sentences"] = wrong
    with pytest.raises(StoreError, match="the setting 'sentences' should"):
        LinearTagger.from_state(state)
