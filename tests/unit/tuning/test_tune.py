import json
import math
import os
import signal
import threading

import pytest

import seqlab
from seqlab import (
    CRF,
    HMM,
    LBFGS,
    Constraints,
    LinearTagger,
    LocalTagger,
    MarkovChain,
    MostFrequentTag,
    Perceptron,
    demo_corpus,
    tune,
)
from seqlab.errors import OptionError, SeqlabError, ShapeError, StoreError
from seqlab.tuning import Interrupted, LogUniform, Uniform, searching
from seqlab.tuning.trials import Journal, fitted

TRAIN, DEV = demo_corpus("train")[:60], demo_corpus("test")[:25]
MODEL = CRF("word[0]\nsuffix(word[0],2)", LBFGS(max_iterations=4, start_epochs=0), threads=1)
L2 = {"learner__l2": [0.01, 1.0, 100.0]}


def same(one, other):
    return [(t.number, t.params, t.budget, t.scores, t.train_scores) for t in one.trials] == [
        (t.number, t.params, t.budget, t.scores, t.train_scores) for t in other.trials
    ]


def test_every_score_is_that_of_a_model_trained_by_hand():
    found = tune(MODEL, TRAIN, "pos", dev=DEV, search=L2)
    assert [trial.params["learner__l2"] for trial in found.trials] == [0.01, 1.0, 100.0]
    for trial in found.trials:
        by_hand = CRF(MODEL.features, LBFGS(max_iterations=4, start_epochs=0, l2=trial.params["learner__l2"]))
        by_hand.fit(TRAIN, "pos")
        assert trial.scores == (by_hand.evaluate(DEV, "pos").accuracy,)
        assert trial.train_scores == (by_hand.evaluate(TRAIN, "pos").accuracy,)
    assert found.best.score == max(trial.score for trial in found.trials)
    assert found.best_params == dict(found.best.params)


def test_the_best_model_is_trained_on_everything_and_the_given_one_is_left_alone():
    found = tune(MODEL, TRAIN, "pos", folds=2, search=L2)
    by_hand = CRF(
        MODEL.features, LBFGS(max_iterations=4, start_epochs=0, l2=found.best_params["learner__l2"])
    )
    assert found.model.predict(DEV) == by_hand.fit(TRAIN, "pos").predict(DEV)
    assert not MODEL._fitted()
    assert MODEL.learner.l2 == LBFGS().l2
    assert tune(MODEL, TRAIN, "pos", folds=2, search={"order": [1]}, refit=False).model is None


def test_folds_are_scored_on_what_they_were_not_trained_on():
    seen = []

    def metric(right, predicted):
        seen.append(sum(map(len, right)))
        return sum(map(len, right))

    found = tune(
        MostFrequentTag(),
        TRAIN,
        "pos",
        folds=4,
        search={"unknown": ["common"]},
        metric=metric,
        train_score=False,
        jobs=1,
    )
    assert sum(seen) == TRAIN.token_count
    (trial,) = found.trials
    mean = sum(trial.scores) / 4
    assert trial.score == mean
    assert trial.spread == pytest.approx(math.sqrt(sum((s - mean) ** 2 for s in trial.scores) / 3))


def test_the_number_of_jobs_changes_nothing():
    search = {**L2, "features": ["word[0]", "suffix(word[0],3)"]}
    one = tune(MODEL, TRAIN, "pos", folds=2, search=search, jobs=1)
    three = tune(MODEL, TRAIN, "pos", folds=2, search=search, jobs=3)
    assert same(one, three)
    assert one.best_params == three.best_params


def test_learners_and_their_options_are_searched_together():
    model = LinearTagger("word[0]", Perceptron(epochs=2))
    search = {"learner": [Perceptron(epochs=1), Perceptron(epochs=5)], "min_count": [1, 2]}
    found = tune(model, TRAIN, "pos", dev=DEV, search=search)
    assert len(found.trials) == 4
    assert found.model.learner in search["learner"]


def test_lists_do_as_a_corpus_does():
    X, y = TRAIN.column("word"), TRAIN.column("pos")
    lists = tune(MODEL, X, y, folds=2, search=L2)
    corpus = tune(MODEL, TRAIN.select("word", "pos"), "pos", folds=2, search=L2)
    assert [t.scores for t in lists.trials] == [t.scores for t in corpus.trials]
    dev = (DEV.column("word"), DEV.column("pos"))
    assert tune(MODEL, X, y, dev=dev, search=L2).trials[0].scores


def test_models_without_labels_are_scored_by_themselves():
    found = tune(MarkovChain(), TRAIN.column("word"), search={"order": [1, 2]}, folds=2)
    assert found.metric == "score"
    assert not found.is_share
    hidden = tune(HMM(2, seed=1), TRAIN.column("pos"), dev=DEV.column("pos"), search={"n_states": [1, 3]})
    assert hidden.metric == "score"
    assert hidden.best_params == {"n_states": 3}


def test_tags_are_scored_by_span():
    found = tune(MODEL, TRAIN, "chunk", dev=DEV, search=L2)
    assert found.metric == "span_f1"
    assert tune(MODEL, TRAIN, "chunk", dev=DEV, search=L2, metric="unseen_accuracy").best.train_scores == ()


# ------------------------------------------------------------------------------------------------ random and halving


def test_chance_draws_the_same_for_the_same_seed_and_no_two_alike():
    search = {"learner__l2": LogUniform(0.01, 10.0), "min_count": [1, 2]}
    found = [tune(MODEL, TRAIN, "pos", dev=DEV, search=search, how="random", n=4, seed=s) for s in (3, 3, 4)]
    assert same(found[0], found[1])
    assert not same(found[0], found[2])
    drawn = [trial.params["learner__l2"] for trial in found[0].trials]
    assert len(set(drawn)) == 4
    assert all(0.01 <= value <= 10 for value in drawn)
    whole = tune(MODEL, TRAIN, "pos", dev=DEV, search=L2, how="random", n=50)
    assert len(whole.trials) == 3


def test_halving_gives_more_to_fewer():
    search = {"learner__l2": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]}
    found = tune(MODEL, TRAIN, "pos", dev=DEV, search=search, how="halving", factor=2)
    rounds = {}
    for trial in found.trials:
        rounds.setdefault(trial.budget, []).append(trial)
    assert {budget: len(trials) for budget, trials in rounds.items()} == {0.25: 6, 0.5: 3, 1.0: 2}
    for budget, more in ((0.25, 0.5), (0.5, 1.0)):
        best = sorted(rounds[budget], key=lambda trial: -trial.score)[: len(rounds[more])]
        assert min(t.score for t in best) >= max(
            t.score for t in rounds[budget] if t.number not in {k.number for k in rounds[more]}
        )
    assert found.best.budget == 1.0
    whole = tune(MODEL, TRAIN, "pos", dev=DEV, search={"learner__l2": [found.best_params["learner__l2"]]})
    assert whole.best.scores == found.best.scores


def test_halving_by_iterations():
    found = tune(
        MODEL, TRAIN, "pos", dev=DEV, search=L2, how="halving", factor=3, resource="learner__max_iterations"
    )
    assert [trial.budget for trial in found.trials] == [1.0, 1.0, 1.0, 4.0]
    with pytest.raises(OptionError, match="resource must be 'sentences' or an option"):
        tune(MODEL, TRAIN, "pos", dev=DEV, search=L2, how="halving", resource="learner__l1")


# ------------------------------------------------------------------------------------------------ journal


def test_a_search_goes_on_where_it_was(tmp_path):
    journal = tmp_path / "search.jsonl"
    whole = tune(MODEL, TRAIN, "pos", folds=2, search=L2, resume=journal, jobs=1)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 6
    for kept, torn in ((1, b""), (3, b""), (4, lines[4][:20]), (0, lines[0][:30])):
        journal.write_bytes(b"".join(lines[:kept]) + torn)
        trained = []
        again = tune(MODEL, TRAIN, "pos", folds=2, search=L2, resume=journal, on_trial=trained.append, jobs=2)
        assert same(whole, again)
        assert len(trained) == 3
        assert sorted(map(_place, journal.read_bytes().splitlines()[1:])) == sorted(map(_place, lines[1:]))
    finished = journal.read_bytes()
    assert same(whole, tune(MODEL, TRAIN, "pos", folds=2, search=L2, resume=journal))
    assert journal.read_bytes() == finished
    tune(MODEL, TRAIN, "pos", folds=2, search={"learner__l2": [0.01, 7.0]}, resume=journal)
    assert len(journal.read_bytes().splitlines()) == 9  # what is new is trained, and nothing else


def _place(line):
    facts = json.loads(line)
    return facts["params"], facts["fold"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"X": TRAIN[:50]}, "sentences"),
        ({"model": CRF("word[0]")}, "model"),
        ({"metric": "sentence_accuracy"}, "metric"),
        ({"seed": 1}, "seed"),
        ({"folds": 3}, "folds"),
    ],
)
def test_a_journal_of_another_search_is_refused(tmp_path, change, what):
    journal = tmp_path / "search.jsonl"
    first = {"model": MODEL, "X": TRAIN, "y": "pos", "folds": 2, "search": {"order": [1]}, "resume": journal}
    tune(**first)
    with pytest.raises(OptionError, match=rf"of another search: its {what} is"):
        tune(**{**first, **change})


@pytest.mark.parametrize("content", [b"hello\n", b"{}\n", b"\xff\xfe\n", b"no end"])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path, content):
    journal = tmp_path / "search.jsonl"
    journal.write_bytes(content)
    with pytest.raises(StoreError, match="no journal of a search"):
        tune(MODEL, TRAIN, "pos", folds=2, search=L2, resume=journal)
    assert journal.read_bytes() == content


def test_values_that_do_not_say_what_they_are_cannot_be_written_down(tmp_path):
    class Odd:
        pass

    with pytest.raises(OptionError, match="say what they are"):
        tune(MODEL, TRAIN, "pos", search={"class_weight": [Odd()]}, resume=tmp_path / "j")


@pytest.fixture
def ctrl_c():
    """Ctrl-C as programs in the foreground know it: shells let those in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_what_is_done(tmp_path):
    journal = tmp_path / "search.jsonl"

    def interrupt(trial):
        if trial.number == 0:
            os.kill(os.getpid(), signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(Interrupted) as caught:
        tune(MODEL, TRAIN, "pos", dev=DEV, search=L2, resume=journal, jobs=1, on_trial=interrupt)
    assert isinstance(caught.value, KeyboardInterrupt)
    found = caught.value.tuning
    assert found.interrupted
    assert found.model is None
    assert 1 <= len(found.trials) <= 3
    whole = tune(MODEL, TRAIN, "pos", dev=DEV, search=L2, resume=journal)
    assert same(whole, tune(MODEL, TRAIN, "pos", dev=DEV, search=L2))


def test_a_trial_with_half_its_folds_is_no_result(tmp_path, monkeypatch):
    """Its folds stay in the journal, from where the search goes on."""
    journal, add = tmp_path / "search.jsonl", Journal.add

    def interrupt(self, task, outcome):
        add(self, task, outcome)
        if (task.number, task.fold) == (1, 0):
            raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", interrupt)
    with pytest.raises(Interrupted) as caught:
        tune(MODEL, TRAIN, "pos", folds=2, search=L2, resume=journal, jobs=1)
    monkeypatch.undo()
    assert {0} <= {trial.number for trial in caught.value.tuning.trials} <= {0, 2}
    assert journal.read_text().count("\n") >= 4  # the head, both folds of one trial, one of the next
    whole = tune(MODEL, TRAIN, "pos", folds=2, search=L2, resume=journal)
    assert same(whole, tune(MODEL, TRAIN, "pos", folds=2, search=L2))


def test_an_interrupted_last_training_keeps_its_model(monkeypatch):
    def fit(model, X, y, stop=None, checkpoint=None):
        if stop is not None:
            return fitted(model, X, y, stop)
        fitted(model, X, y)
        model.history_.reason = "interrupted"
        raise KeyboardInterrupt

    monkeypatch.setattr(searching, "fitted", fit)
    monkeypatch.setattr("seqlab.tuning.trials.fitted", fit)
    with pytest.raises(Interrupted) as caught:
        tune(CRF("word[0]", LBFGS(max_iterations=2)), TRAIN, "pos", dev=DEV, search={"min_count": [1]})
    assert caught.value.tuning.model.labels_


# ------------------------------------------------------------------------------------------------ table and picture


def test_table_json_and_picture_say_the_same():
    found = tune(MODEL, TRAIN, "pos", folds=2, search=L2)
    lines = found.text().splitlines()
    assert lines[0].split() == ["l2", "accuracy", "spread", "training", "seconds"]
    assert lines[1].startswith("* ")
    assert lines[1].split()[2] == f"{found.best.score:.4f}"
    facts = json.loads(found.json())
    assert facts["best"]["score"] == found.best.score
    assert [t["params"]["learner__l2"] for t in facts["trials"]] == [0.01, 1.0, 100.0]
    svg = found.picture().svg()
    for words in ("training error", "cross-validation error", "1 − accuracy", "l2"):
        assert words in svg
    assert found.picture("l2").svg() == found.picture("learner__l2").svg() == svg


def test_one_trial_that_fails_does_not_end_the_search():
    found = tune(MODEL, TRAIN, "pos", dev=DEV, search={"order": [1, 7]})
    assert found.best_params == {"order": 1}
    assert "order" in found.trials[1].error
    assert "failed" in found.text()
    with pytest.raises(OptionError, match="no trial of 2 succeeded; the first one: OptionError"):
        tune(MODEL, TRAIN, "pos", dev=DEV, search={"order": [7, 8]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": {}}, "search must say what to try"),
        ({"search": {"l2": [1.0]}}, "CRF has no option 'l2'"),
        ({"search": {"learner__l3": [1.0]}}, "has no option 'l3'"),
        ({"search": {"learner__l2": 1.0}}, "must be a list of values"),
        ({"search": {"learner__l2": []}}, "is empty"),
        ({"search": {"learner__l2": LogUniform(1, 2)}}, "a grid has no values to take"),
        ({"how": "best"}, "how must be one of"),
        ({"metric": "f2"}, "metric must be a function"),
        ({"dev": DEV, "folds": 3}, "exclude each other"),
        ({"folds": 1}, "folds"),
        ({"folds": 100}, "there are 60 sentences"),
        ({"n": 3}, "n= is for"),
        ({"how": "random", "n": 0}, "n "),
        ({"resource": "learner__l2"}, "resource= is for"),
        ({"jobs": 0}, "jobs"),
    ],
)
def test_what_cannot_be_is_refused_before_training(options, message):
    with pytest.raises(OptionError, match=message):
        tune(MODEL, TRAIN, "pos", **{"search": L2, **options})


def test_shapes_are_checked():
    with pytest.raises(ShapeError, match="60 sentences and y has 2"):
        tune(MODEL, TRAIN.column("word"), [["a"], ["b"]], search=L2)
    with pytest.raises(OptionError, match="dev must be"):
        tune(MODEL, TRAIN.column("word"), TRAIN.column("pos"), dev=DEV, search=L2)
    for wrong in (lambda: Uniform(1, 1), lambda: LogUniform(0, 1), lambda: Uniform(0, math.inf)):
        with pytest.raises(OptionError, match="the smaller one first"):
            wrong()
    found = tune(MODEL, TRAIN, "pos", dev=DEV, search={"features": ["word[0]", "pos"]})
    with pytest.raises(OptionError, match="nothing to draw"):
        found.picture()
    with pytest.raises(OptionError, match="no option 'l2'"):
        found.picture("l2")


def test_it_is_a_public_name():
    assert seqlab.tune is tune
    assert seqlab.tuning.LogUniform is LogUniform


def test_somebody_elses_classifier_is_never_shared():
    pytest.importorskip("sklearn")
    from sklearn.naive_bayes import MultinomialNB

    classifier = MultinomialNB()
    model = LocalTagger(classifier, "word[0]\nsuffix(word[0],2)")
    search = {"classifier__alpha": [0.1, 10.0]}
    found = [tune(model, TRAIN, "pos", dev=DEV, search=search, jobs=jobs) for jobs in (1, 2)]
    assert same(*found)
    assert not hasattr(classifier, "feature_count_")
    assert classifier.alpha == 1.0


# A label of one sentence is missing from the training part of one fold.
RARE_X, RARE_Y = [["a", "b"]] * 7 + [["c", "b"]], [["X", "Y"]] * 7 + [["Z", "Y"]]


@pytest.mark.parametrize(
    "options",
    [
        {"class_weight": {"Z": 2.0, "X": 0.5}},
        {"constraints": [("Z", "X"), ("Y", "X")]},
        {"constraints": Constraints([("X", "Z")], forbidden_starts=["Y"], forbidden_ends={"X", "Z"})},
    ],
)
def test_options_may_name_a_label_that_one_fold_lacks(options):
    model = CRF("word[0]", LBFGS(max_iterations=2), **options)
    found = tune(model, RARE_X, RARE_Y, folds=4, search={"learner__l2": [1.0]})
    assert len(found.trials[0].scores) == 4
    assert found.model.get_params(deep=False)[next(iter(options))] == next(iter(options.values()))


def test_options_may_not_name_a_label_that_no_sentence_has():
    model = CRF("word[0]", LBFGS(max_iterations=2), class_weight={"W": 2.0})
    with pytest.raises(SeqlabError, match="class_weight names the label 'W'"):
        tune(model, RARE_X, RARE_Y, folds=4, search={"learner__l2": [1.0]})
