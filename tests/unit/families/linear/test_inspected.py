"""A tagger with a linear model says what it has learned and why it chose a label."""

import numpy as np
import pytest

from oracle.linear_models import random_case
from seqlab.errors import NotFittedError
from seqlab.families.linear.explain import state_features, top_features, top_transitions, transition_features
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.tagger import LinearTagger
from seqlab.learning.history import History
from seqlab.store.codec import Late
from seqlab.tagging.training import Training


class Small(LinearTagger):
    """The model of a random case, behind the face of a tagger."""

    def __init__(self, probabilistic=True):
        super().__init__("word[0]")
        self.probabilistic = probabilistic

    @property
    def _probabilistic(self):
        return self.probabilistic

    def _trellises(self, corpus, threads):
        return self.model_.trellises(self.encoder_.encode(corpus), threads=threads)

    def fit(self, seed):
        case = random_case(seed, L=4, T=5, edges=True)
        training = Training(case.model.labels, ("word",), None, Late(None), case.model.rules, None)
        self.fit_ = LinearFit.of(training, case.encoder, case.model, History())
        return self


WORDS = ["the", "old", "man", "Saw", "boat"]


def test_explanations_of_a_tagger_are_about_its_own_labels():
    tagger = Small().fit(1)
    labels, posterior = tagger.tag(WORDS), tagger.predict_marginals_single(WORDS)
    for t, label in enumerate(labels):
        found = tagger.explain(WORDS, t)
        assert found.tokens == tuple(WORDS)
        assert found.label == label
        odds = np.log(posterior[t][label]) - np.log(posterior[t][found.rival])
        assert found.log_odds == pytest.approx(odds, abs=1e-4)  # its trellis is float32
        assert found.total == pytest.approx(found.log_odds, abs=1e-9)
        assert found.normaliser == pytest.approx(0, abs=1e-4)


def test_known_labels_and_chosen_rivals_are_passed_on():
    tagger = Small().fit(1)
    found = tagger.explain(WORDS, 2, label="y3", rival="y1", known={1: "y2"}, allowed={3: ["y0"]})
    assert (found.label, found.rival) == ("y3", "y1")
    assert {move.labels[0] for move in found.moves if move.position == 2} == {"y2"}
    assert {move.labels[1] for move in found.moves if move.position == 3} == {"y0"}


def test_a_tagger_without_probabilities_compares_paths():
    found = Small(probabilistic=False).fit(1).explain(WORDS, 2)
    assert found.log_odds is None
    assert found.margin > 0
    assert found.path == tuple(Small().fit(1).tag(WORDS))


def test_weights_by_name_are_those_of_the_model():
    tagger = Small().fit(2)
    model, encoder = tagger.model_, tagger.encoder_
    assert tagger.state_features_ == state_features(model, encoder)
    assert tagger.transition_features_ == transition_features(model)
    assert tagger.top_features(7, label="y1", sign=-1) == top_features(model, encoder, 7, label="y1", sign=-1)
    assert tagger.top_transitions(7) == top_transitions(model, 7, encoder=encoder)
    assert any(one.attribute for one in tagger.top_transitions(1000))


@pytest.mark.parametrize("name", ["state_features_", "transition_features_"])
def test_before_fit_there_are_no_weights(name):
    with pytest.raises(NotFittedError, match=name):
        getattr(Small(), name)
    with pytest.raises(NotFittedError, match="explain"):
        Small().explain(WORDS, 0)
    with pytest.raises(NotFittedError, match="top_features"):
        Small().top_features()
