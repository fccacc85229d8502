"""What fit of a linear tagger can be asked: development set, metric, patience, callbacks, start, dictionary."""

import json

import numpy as np
import pytest

from seqlab import CRF, LBFGS, LinearTagger, demo_corpus, evaluate
from seqlab.errors import LabelError, OptionError, SeqlabError, ShapeError
from seqlab.learning.history import Epoch

TRAIN, DEV = demo_corpus("train")[:40], demo_corpus("test")[:15]
FEATURES = "word[0]\nsuffix(word[0], 3)"
QUICK = LBFGS(max_iterations=8, start_epochs=0, precondition=False)


def lists(corpus, column):
    return corpus.column("word"), corpus.column(column)


def test_a_corpus_and_lists_teach_the_same():
    one = CRF(FEATURES, QUICK).fit(TRAIN, "pos")
    other = CRF(FEATURES, QUICK).fit(*lists(TRAIN, "pos"))
    assert one.model_.theta.tobytes() == other.model_.theta.tobytes()
    assert one.predict(DEV) == other.predict(DEV.column("word"))


def test_a_development_set_may_be_a_corpus_or_lists():
    one = CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=DEV)
    other = CRF(FEATURES, QUICK).fit(*lists(TRAIN, "pos"), dev=lists(DEV, "pos"))
    pair = CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=(DEV, "pos"))
    assert one.history_.dev_score == other.history_.dev_score == pair.history_.dev_score
    assert one.history_.metric == "accuracy"
    assert len(set(one.history_.dev_score)) > 1


@pytest.mark.parametrize("order", [1, 2])
def test_the_model_is_the_best_one_on_the_development_set(order):
    tagger = CRF(FEATURES, QUICK, order=order).fit(TRAIN, "pos", dev=DEV)
    scores = tagger.history_.dev_score
    assert tagger.evaluate(DEV).accuracy == max(scores)
    assert scores[tagger.history_.best] == max(scores)


@pytest.mark.parametrize("metric", ["span_f1", "accuracy", "span_precision"])
def test_figures_of_the_report_are_metrics(metric):
    tagger = CRF(FEATURES, QUICK).fit(TRAIN, "chunk", dev=DEV, metric=metric)
    assert tagger.history_.metric == metric
    figure = evaluate(DEV, tagger.predict(DEV), "chunk").figures[metric]
    assert max(tagger.history_.dev_score) == figure


def test_spans_are_scored_where_labels_are_tags():
    assert CRF(FEATURES, QUICK).fit(TRAIN, "entity", dev=DEV).history_.metric == "span_f1"


def test_words_that_training_has_not_seen_are_a_metric():
    tagger = CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=DEV, metric="unseen_accuracy")
    assert max(tagger.history_.dev_score) == tagger.evaluate(DEV).unseen_accuracy
    more = tagger.partial_fit(DEV[:5], "pos", dev=DEV, metric="unseen_accuracy")
    assert max(more.history_.dev_score) == more.evaluate(DEV).unseen_accuracy
    with pytest.raises(OptionError, match="training has seen every word of dev"):
        CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=TRAIN, metric="unseen_accuracy")


def test_labels_that_are_no_tags_may_be_predicted_where_dev_has_tags_alone():
    X, y = [["a", "b", "z"]] * 3, [["B-X", "I-X", "odd"]] * 3
    dev = [["a", "b", "z"]], [["B-X", "I-X", "O"]]
    history = CRF("word[0]", QUICK).fit(X, y, dev=dev).history_
    assert history.metric == "accuracy"
    assert max(history.dev_score) == pytest.approx(2 / 3)
    with pytest.raises(
        OptionError, match="metric must be a function or one of 'accuracy', 'sentence_accuracy'"
    ):
        CRF("word[0]", QUICK).fit(X, y, dev=dev, metric="span_f1")
    report = CRF("word[0]", QUICK).fit(X, y).prune(dev=dev).pruned_
    assert report.metric == "accuracy"


def test_a_function_is_a_metric():
    seen = []

    def nouns(right, predicted):
        seen.append((right, predicted))
        return sum(label == "NOUN" for labels in predicted for label in labels)

    tagger = CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=DEV, metric=nouns)
    assert tagger.history_.metric == "nouns"
    assert all(right == DEV.column("pos") for right, _ in seen)
    assert len(seen) == len(tagger.history_)
    assert tagger.history_.dev_score[-1] == nouns(*seen[-1])


@pytest.mark.parametrize("answer", [None, "good", float("nan"), [1.0], True])
def test_a_metric_gives_numbers(answer):
    with pytest.raises(OptionError, match="metric 'odd' gave"):
        CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=DEV, metric=_odd(answer))


def _odd(answer):
    def odd(right, predicted):
        return answer

    return odd


def test_patience_ends_training_and_keeps_the_best():
    scores = iter([1, 2, 3, 2, 2, 2, 9])
    tagger = CRF(FEATURES, LBFGS()).fit(
        TRAIN, "pos", dev=DEV, metric=lambda right, predicted: next(scores), patience=3
    )
    assert tagger.history_.reason == "patience"
    assert tagger.history_.best == 2
    assert tagger.history_.dev_score == [1, 2, 3, 2, 2, 2]
    again = CRF(FEATURES, LBFGS()).fit(TRAIN, "pos", callbacks=lambda epoch: epoch.iteration < 2)
    assert tagger.model_.theta.tobytes() == again.model_.theta.tobytes()


def test_callbacks_hear_epochs_and_end_training():
    heard = []
    tagger = CRF(FEATURES, LBFGS()).fit(
        TRAIN, "pos", callbacks=[heard.append, lambda epoch: epoch.iteration < 4]
    )
    assert all(isinstance(epoch, Epoch) for epoch in heard)
    assert heard == list(tagger.history_)
    assert tagger.history_.reason == "stopped"
    assert len(heard) == 5
    assert tagger.history_.best == 4


def test_a_callback_that_ends_the_first_part_ends_order_2():
    tagger = CRF(FEATURES, LBFGS(), order=2).fit(TRAIN, "pos", callbacks=lambda epoch: False)
    assert tagger.history_.reason == "stopped"
    assert len(tagger.history_) == 1
    assert tagger.model_.order == 2
    assert len(tagger.predict(DEV)) == len(DEV)


def test_history_is_data():
    tagger = CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=DEV)
    data = json.loads(tagger.history_.json(indent=1))
    assert data == tagger.history_.to_dict()
    assert [epoch["objective"] for epoch in data["epochs"]] == tagger.history_.objective


def test_progress_writes_to_standard_error_when_asked(capsys):
    CRF(FEATURES, QUICK).fit(TRAIN, "pos")
    assert capsys.readouterr() == ("", "")
    CRF(FEATURES, QUICK).fit(TRAIN, "pos", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("iteration") == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "accuracy"}, "dev"),
        ({"patience": 3}, "dev"),
        ({"dev": DEV, "metric": "beauty"}, "metric must be a function or one of .*'accuracy'"),
        ({"dev": DEV, "patience": 0}, "patience"),
        ({"callbacks": 3}, "callbacks"),
        ({"start": "model"}, "start must be a trained"),
        ({"start": CRF(FEATURES)}, "fit"),
        ({"sample_weight": [1.0]}, "40 sentences"),
        ({"sample_weight": [-1.0] * 40}, "sentence 0"),
        ({"sample_weight": [1.0] * 39 + [[1.0]]}, "sentence 39"),
        ({"sample_weight": "heavy"}, "sample_weight"),
        ({"sample_weight": [0] * 40}, "nothing to learn"),
        ({"dev": (DEV, [["X"]])}, "sentences"),
    ],
)
def test_options_of_fit_that_make_no_sense_are_refused(options, message):
    tagger = CRF(FEATURES, QUICK)
    with pytest.raises(SeqlabError, match=message):
        tagger.fit(TRAIN, "pos", **options)
    assert not hasattr(tagger, "model_")


def test_lists_need_labels_for_dev():
    with pytest.raises(OptionError, match=r"dev must be \(X, y\)"):
        CRF(FEATURES, QUICK).fit(*lists(TRAIN, "pos"), dev=DEV)
    with pytest.raises(ShapeError, match="every token of dev"):
        CRF(FEATURES, QUICK).fit(TRAIN, "pos", dev=([["a", "b"]], [["NOUN", None]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "lbfgs"}, "learner must be"),
        ({"order": 4}, "order must be 1, 2 or 3"),
        ({"order": True}, "order must be 1, 2 or 3"),
        ({"order": "2"}, "order must be 1, 2 or 3"),
        ({"keep": 1}, "keep"),
        ({"keep": -0.1}, "keep"),
        ({"keep": "0.1"}, "keep"),
        ({"states": "some"}, "states must be"),
        ({"transitions": True}, "transitions must be"),
        ({"min_count": 0}, "min_count"),
        ({"min_count": 1.5}, "min_count"),
        ({"min_count": 10**6}, "min_count"),
        ({"class_weight": {"POET": 2.0}}, "'POET'"),
        ({"class_weight": {"NOUN": -1.0}}, "class_weight of 'NOUN'"),
        ({"class_weight": "heavy"}, "class_weight"),
        ({"constraints": 7}, "constraints"),
        ({"constraints": "IOB7"}, "IOB7"),
        ({"constraints": [("NOUN", "POET")]}, "POET"),
        ({"allowed": ["the"]}, "allowed must be"),
        ({"allowed": {"the": "DET"}}, r"allowed\['the'\]"),
        ({"allowed": {1: ["DET"]}}, "words as keys, got 1"),
        ({"allowed": {"the": ["POET"]}}, r"allowed\['the'\]"),
        ({"features": 5}, "features must be"),
        ({"features": "nothing"}, "nothing"),
        ({"threads": 0}, "threads"),
        ({"threads": 1.5}, "threads"),
        ({"seed": "x"}, "seed"),
        ({"seed": -1}, "seed"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises((SeqlabError, TypeError), match=message) as caught:
        LinearTagger(**{"features": FEATURES, "learner": QUICK, **options}).fit(TRAIN, "pos")
    assert "seqlab" in type(caught.value).__module__


# ------------------------------------------------------------------------------------------------ dictionaries


@pytest.mark.parametrize("order", [1, 2])
def test_dictionaries_are_obeyed_in_training_and_after(order):
    allowed = {"the": ["DET"], "a": ["DET"], "of": ["ADP", "PART"]}
    tagger = CRF(FEATURES, QUICK, allowed=allowed, order=order).fit(TRAIN, "pos")
    for words, labels in zip(DEV.column("word"), tagger.predict(DEV), strict=True):
        for word, label in zip(words, labels, strict=True):
            assert label in allowed.get(word, tagger.labels_)
    assert set(tagger.predict_marginals([["the"]])[0][0]) == set(tagger.labels_)
    assert tagger.predict_marginals([["the"]])[0][0]["DET"] == pytest.approx(1)


def test_what_a_dictionary_rules_out_is_not_learned_against():
    X, y = [["a"], ["a"], ["b"]], [["X"], ["X"], ["Y"]]
    free = CRF("word[0]", LBFGS(dtype="float64")).fit(X, y)
    bound = CRF("word[0]", LBFGS(dtype="float64"), allowed={"a": ["X"], "b": ["Y"]}).fit(X, y)
    assert bound.history_.objective[-1] == pytest.approx(0, abs=1e-9)
    assert free.history_.objective[-1] > 0.1
    assert not bound.model_.theta.any()


def test_labels_given_are_right_whatever_the_dictionary_says():
    tagger = CRF("word[0]", allowed={"a": ["X"]}).fit([["a"], ["b"], ["a"]], [["X"], ["Y"], ["Y"]])
    assert np.isfinite(tagger.model_.theta).all()
    assert tagger.predict([["a"], ["b"]]) == [["X"], ["Y"]]


# ------------------------------------------------------------------------------------------------ constraints


def legal(labels):
    return all(not b.startswith("I-") or a[2:] == b[2:] for a, b in zip(["O", *labels], labels, strict=False))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("decode", ["viterbi", "beam"])
def test_predictions_never_break_the_scheme(order, decode):
    # Too little data to learn the scheme from.
    free = CRF("word[0]", QUICK).fit(TRAIN[:6], "chunk")
    bound = CRF("word[0]", QUICK, constraints="IOB2", order=order, transitions="all").fit(TRAIN[:6], "chunk")
    test = demo_corpus("test")[:100]
    options = {"decode": decode, "beam": 50} if decode == "beam" else {}
    assert all(map(legal, bound.predict(test, **options)))
    assert not all(map(legal, free.predict(test)))
    for sentence in test[:5]:
        assert all(map(legal, (path.labels for path in bound.nbest(sentence, 5))))
        assert all(map(legal, bound.sample(sentence, 5).labels))


def test_forbidden_moves_are_not_counted_in_training():
    X, y = [["a", "b"]] * 2, [["X", "Y"]] * 2
    bound = CRF("word[0]", LBFGS(dtype="float64"), constraints=[("X", "X"), ("Y", "Y"), ("Y", "X")])
    assert bound.fit(X, y).history_.objective[-1] == pytest.approx(0, abs=1e-9)
    assert bound.log_prob(["a", "b"], ["Y", "X"]) == -np.inf


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ([["O", "B-X"], ["O", "I-X"]], "sentence 1, position 1: the label 'I-X' after 'O'"),
        ([["O", "B-X"], [], ["I-X", "O"]], "sentence 2, position 0: the label 'I-X' at the beginning"),
        ([["B-Y", "I-X"], ["O", "B-X"]], "sentence 0, position 1: the label 'I-X' after 'B-Y'"),
    ],
)
def test_labels_that_break_the_scheme_are_refused(labels, place):
    X = [["w"] * len(row) for row in labels]
    with pytest.raises(LabelError, match=place):
        CRF("word[0]", constraints="IOB2").fit(X, labels)


def test_labels_that_cannot_end_are_refused():
    with pytest.raises(LabelError, match="sentence 0, position 1: the label 'B-X' at the end"):
        CRF("word[0]", constraints="IOBES").fit([["a", "b"], ["c"]], [["O", "B-X"], ["S-X"]])
