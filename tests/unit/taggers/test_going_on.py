"""partial_fit of learners that go from sentence to sentence."""

import pytest

from seqlab import SGD, LinearTagger, Perceptron, StructuredSVM, demo_corpus
from seqlab.errors import OptionError


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
