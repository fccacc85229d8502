"""Going on from what was learned: start=, partial_fit, new features and new labels."""

import numpy as np
import pytest

from seqlab import CRF, LBFGS, demo_corpus
from seqlab.errors import OptionError

TRAIN, MORE, TEST = demo_corpus("train")[:150], demo_corpus("train")[150:300], demo_corpus("test")[:80]
FEATURES = "word[0]\nsuffix(word[0], 3)"
TIGHT = LBFGS(dtype="float64", epsilon=1e-8, delta=0)


@pytest.fixture
def tagger():
    return CRF(FEATURES).fit(TRAIN, "pos")


def test_a_start_at_the_minimum_ends_at_once():
    before = CRF(FEATURES, TIGHT).fit(TRAIN[:40], "pos")
    after = CRF(FEATURES, TIGHT).fit(TRAIN[:40], "pos", start=before)
    assert after.history_.objective[0] == pytest.approx(before.history_.objective[-1], rel=1e-9)
    assert len(after.history_) <= 3
    np.testing.assert_allclose(after.model_.theta, before.model_.theta, atol=1e-6)


def test_a_start_does_not_change_the_minimum():
    before = CRF(FEATURES, TIGHT).fit(TRAIN[:30], "pos")
    fresh = CRF(FEATURES, TIGHT, states="all", transitions="all").fit(TRAIN[:60], "pos")
    warm = CRF(FEATURES, TIGHT, states="all", transitions="all").fit(TRAIN[:60], "pos", start=before)
    assert warm.history_.objective[-1] == pytest.approx(fresh.history_.objective[-1], rel=1e-8)


def test_a_start_leaves_the_earlier_tagger_alone(tagger):
    before = tagger.model_.theta.copy()
    answers = tagger.predict(TEST)
    CRF(FEATURES).fit([["zyx"]], [["NEW"]], start=tagger)
    assert "NEW" not in tagger.labels_
    assert tagger.model_.theta.tobytes() == before.tobytes()
    assert tagger.predict(TEST) == answers


def test_new_words_and_new_labels_join(tagger):
    old_labels, old_size = tagger.labels_, tagger.encoder_.size
    known = dict(tagger.state_features_)
    for _ in range(3):
        tagger.partial_fit([["zyx", "zyx"], ["zyx"]], [["NEW", "NEW"], ["NEW"]])
    assert set(tagger.labels_) == {*old_labels, "NEW"}
    assert tagger.labels_ == tuple(sorted(tagger.labels_))
    assert tagger.encoder_.size > old_size
    assert set(known) < set(tagger.state_features_)
    assert tagger.predict([["zyx"], ["the"]]) == [["NEW"], ["DET"]]
    assert "zyx" in tagger.vocabulary_
    assert "the" in tagger.vocabulary_


def test_little_new_data_does_not_wipe_out_the_old(tagger):
    before = tagger.predict(TRAIN)
    accuracy = tagger.score(TEST, "pos")
    tagger.partial_fit([["zyx", "runs"]], [["NEW", "VERB"]])
    pairs = [
        (a, b) for x, y in zip(before, tagger.predict(TRAIN), strict=True) for a, b in zip(x, y, strict=True)
    ]
    assert sum(a == b for a, b in pairs) >= 0.995 * len(pairs)
    assert tagger.score(TEST, "pos") >= accuracy - 0.01


def test_more_data_makes_it_better(tagger):
    before = tagger.score(TEST, "pos")
    tagger.partial_fit(MORE, "pos")
    assert tagger.score(TEST, "pos") > before


def test_without_any_data_before_partial_fit_is_fit():
    one = CRF(FEATURES).partial_fit(TRAIN[:20], "pos")
    other = CRF(FEATURES).fit(TRAIN[:20], "pos")
    assert one.model_.theta.tobytes() == other.model_.theta.tobytes()


def test_classes_announce_labels():
    tagger = CRF(FEATURES).partial_fit([["a", "b"]], [["X", "Y"]], classes=["X", "Y", "Z"])
    assert tagger.labels_ == ("X", "Y", "Z")
    assert set(tagger.predict_marginals([["a"]])[0][0]) == {"X", "Y", "Z"}
    tagger.partial_fit([["c"]], [["Z"]])
    assert tagger.predict([["c"]]) == [["Z"]]


@pytest.mark.parametrize("classes", ["XY", 3, [1, 2], [None]])
def test_classes_are_labels(classes):
    with pytest.raises(OptionError, match="classes must be a list of"):
        CRF(FEATURES).partial_fit([["a", "b"]], [["X", "Y"]], classes=classes)


def test_a_start_with_other_features_is_refused(tagger):
    with pytest.raises(OptionError, match="start was trained with features"):
        CRF("word[0]").fit(TRAIN, "pos", start=tagger)
    with pytest.raises(OptionError, match="start was trained with features"):
        CRF().fit([[["a"]]], [["X"]], start=tagger)


def test_attributes_ready_made_join_as_well():
    tagger = CRF().fit([[{"w": "a", "long": 1.5}], [["w:b"]]], [["X"], ["Y"]])
    tagger.partial_fit([[["w:c"]]], [["Z"]])
    assert tagger.predict([[["w:c"]], [["w:b"]], [{"w": "a"}]]) == [["Z"], ["Y"], ["X"]]


def test_constraints_hold_for_new_labels():
    tagger = CRF("word[0]", LBFGS(l2=0.01), constraints="IOB2").fit(
        [["a", "b"], ["o", "a"]], [["B-X", "I-X"], ["O", "B-X"]]
    )
    tagger.partial_fit([["c", "d"]], [["B-Y", "I-Y"]])
    assert tagger.log_prob(["a", "d"], ["B-X", "I-Y"]) == -np.inf
    assert tagger.predict([["a", "b"], ["c", "d"]]) == [["B-X", "I-X"], ["B-Y", "I-Y"]]


def test_a_development_set_ends_it_and_the_best_weights_are_kept(tagger, capsys):
    tagger.partial_fit(MORE, "pos", dev=TEST, metric="accuracy", patience=2, progress=True)
    assert tagger.history_.metric == "accuracy"
    assert tagger.score(TEST, "pos") == max(tagger.history_.dev_score)
    assert "iteration" in capsys.readouterr().err


@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_l1_keeps_weights_where_they_were_and_not_at_zero(l2):
    tagger = CRF(FEATURES, LBFGS(l1=0.3, l2=l2)).fit(TRAIN, "pos")
    before, score = tagger.state_features_, tagger.score(TRAIN, "pos")
    tagger.partial_fit(MORE[:5], "pos")
    met = {f"word[0]={word}" for sentence in MORE[:5].column("word") for word in sentence}
    apart = [key for key in before if key[0].startswith("word[0]=") and key[0] not in met]
    assert len(apart) > 100
    assert [tagger.state_features_[key] for key in apart] == [before[key] for key in apart]
    assert tagger.score(TRAIN, "pos") > score - 0.05
    assert tagger.score(MORE[:5], "pos") > 0.9
    moved = [abs(weight - before.get(key, 0.0)) for key, weight in tagger.state_features_.items()]
    assert tagger.history_[-1].active == np.count_nonzero(tagger.model_.theta)
    assert 0 < np.count_nonzero(moved) < len(moved) / 3
