"""Which labels a model of order 2 looks at, for learners whose scores are no logarithms of probabilities."""

import numpy as np
import pytest

from seqlab import AROW, CRF, LBFGS, LinearTagger, PassiveAggressive, Perceptron, StructuredSVM, demo_corpus
from seqlab.families.linear.higher_order import likely_labels
from seqlab.families.linear.training import first_order

TRAIN, TEST = demo_corpus("train")[:120], demo_corpus("test")[:60]
LEARNERS = [Perceptron(), StructuredSVM(epochs=10), PassiveAggressive(), AROW()]


def labels_a_token(tagger, corpus):
    encoded = tagger.encoder_.encode(corpus)
    return likely_labels(tagger.model_.coarse, encoded, 1e-3).sum() / encoded.token_count


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_few_labels_are_left_and_more_than_one(learner):
    tagger = LinearTagger("pos", learner, order=2).fit(TRAIN, "pos")
    assert labels_a_token(tagger, TRAIN) == pytest.approx(3, abs=0.2)
    assert 2 < labels_a_token(tagger, TEST) < 8
    assert len(tagger.labels_) > 12


def test_probabilities_are_left_as_they_are():
    assert CRF("pos", LBFGS(max_iterations=5), order=2).fit(TRAIN, "pos").model_.sharpness == 1.0


def test_keep_zero_leaves_all():
    model = LinearTagger("pos", Perceptron(), order=2, keep=0).fit(TRAIN, "pos").model_
    assert model.coarse is None
    assert model.sharpness == 1.0


def test_two_labels_need_no_pruning():
    X, y = [["a", "b"], ["b", "a", "b"]], [["A", "B"], ["B", "A", "B"]]
    tagger = LinearTagger("word[0]", Perceptron(), order=2).fit(X, y)
    assert tagger.model_.sharpness == 1.0
    assert tagger.predict(X) == y


def test_learning_goes_on_from_weights_that_nothing_was_multiplied_with():
    first, second = (LinearTagger("pos", Perceptron(), order=n).fit(TRAIN, "pos") for n in (1, 2))
    assert second.model_.sharpness != 1.0
    np.testing.assert_allclose(first_order(second.model_).theta, first.model_.theta, rtol=1e-12)
    assert first_order(first.model_) is first.model_


def test_it_is_stored():
    tagger = LinearTagger("pos", Perceptron(), order=2).fit(TRAIN, "pos")
    again = LinearTagger.from_bytes(tagger.as_bytes())
    assert again.model_.sharpness == tagger.model_.sharpness != 1.0
    assert again.predict(TEST) == tagger.predict(TEST)
