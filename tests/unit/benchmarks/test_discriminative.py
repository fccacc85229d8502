"""The pure parts of the discriminative case: logs, lessons, goals, features by hand; nothing here is timed."""

import numpy as np
import pytest

from benchmarks.speed import __main__ as command
from benchmarks.speed import (
    chunking,
    crfsuite,
    discriminative,
    footprint,
    goals,
    lessons,
    mistakes,
    preset_features,
    threads,
    training,
)
from benchmarks.speed.figure import Figure
from benchmarks.speed.table import WIDTH
from benchmarks.speed.timing import Timing
from seqlab import Template, _core, demo_corpus, presets

LOG = """Feature generation
type: CRF1d
0....1....2....3....4....5....6....7....8....9....10
Number of features: 4
Seconds required: 0.000

***** Iteration #1 *****
Loss: 20.500000
Feature norm: 0.624571
Line search trials: 2
Line search step: 0.577350
Seconds required for this iteration: 0.500

***** Iteration #2 *****
Loss: 10.005000
Line search trials: 1
Seconds required for this iteration: 0.250

***** Iteration #3 *****
Loss: 10.000000
Line search trials: 3
Seconds required for this iteration: 0.700

L-BFGS terminated with the stopping criteria
"""


def subject(l1=0.0, l2=1.0):
    template = Template.parse("word[-1..1]\nsuffix(word[0], 2)")
    return lessons.Subject("demo tags", "nowhere", "pos", template, l1, l2)


def prepared(l1=0.0, l2=1.0, sentences=30):
    return lessons.prepare_corpus(subject(l1, l2), demo_corpus()[:sentences])


def one_figure(name="objective, CoNLL-2000 chunking, float32", **details):
    goal = goals.Goal(10, 15)
    ours, peer = Timing((0.001, 0.001)), ("CRFsuite", Timing((0.009,)))
    return goals.figure(
        "discriminative", name, "ns/token", ours, peer, goal, "abc", scale=1e7, details=details
    )


def test_log_of_crfsuite_becomes_numbers():
    log = crfsuite.parse_log(LOG)
    assert log.features == 4
    assert [i.loss for i in log.iterations] == [20.5, 10.005, 10.0]
    assert [i.seconds for i in log.iterations] == [0.5, 0.25, 0.7]
    assert log.course.seconds == pytest.approx(1.45)


def test_time_to_a_tolerance_is_that_of_the_first_iteration_within_it():
    course = crfsuite.parse_log(LOG).course
    assert course.seconds_to(course.objective * 1.001) == pytest.approx(0.75)
    assert course.seconds_to(course.objective * 0.999) is None


def test_iterations_with_one_evaluation_are_compared_and_the_first_is_not():
    assert crfsuite.parse_log(LOG).plain_seconds() == [0.25]


def test_epochs_of_online_learners_have_no_trials():
    text = "***** Epoch #1 *****\nLoss: 1.5\nSeconds required for this iteration: 0.1\n"
    assert crfsuite.parse_log(text).iterations == (crfsuite.Iteration(1.5, 0.1, 1),)


def test_iteration_without_seconds_is_an_error():
    with pytest.raises(ValueError, match="without loss or seconds"):
        crfsuite.parse_log("***** Iteration #1 *****\nLoss: 1.5\n")


def test_logs_are_kept_and_not_made_twice(monkeypatch, tmp_path):
    pytest.importorskip("pycrfsuite")
    monkeypatch.setattr(crfsuite, "CACHE", tmp_path)
    data = prepared()
    first = crfsuite.converged(data, fresh=False)
    monkeypatch.setattr(crfsuite, "train", None)
    assert crfsuite.converged(data, fresh=False) == first
    with pytest.raises(TypeError):
        crfsuite.converged(data, fresh=True)


@pytest.mark.parametrize(("l1", "l2"), [(0.0, 1.0), (0.1, 0.1)])
def test_both_sides_make_one_function_small(monkeypatch, tmp_path, l1, l2):
    pytest.importorskip("pycrfsuite")
    monkeypatch.setattr(crfsuite, "CACHE", tmp_path)
    data = prepared(l1, l2)
    peer, ours = crfsuite.converged(data, fresh=False), lessons.course_of(data)
    assert peer.features == len(data.model.theta)
    assert abs(training.check_same("demo", ours.objective, peer.course.objective)) < 1e-3


def test_objective_at_the_weights_of_crfsuite_is_what_crfsuite_says(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    data, model = prepared(l1=0.1, l2=0.1), tmp_path / "model"
    log = crfsuite.train(*crfsuite.subject_trainer(data, max_iterations=20), model)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    theta = weights_of(data, tagger.info())
    task = data.lesson.task(data.model, layered=True)
    value = _core.Likelihood64(task)(theta, np.empty_like(theta), 1)
    value += 0.1 * np.abs(theta).sum() + 0.1 * np.square(theta).sum()
    assert value == pytest.approx(log.course.objective, rel=1e-5)  # weights are told with six digits


def weights_of(data, info):
    """The weights of a model of CRFsuite in our order; those it dropped are 0."""
    names, labels, model = data.encoded.encoder.attributes, data.model.labels, data.model
    owner = np.repeat(np.arange(len(names)), np.diff(model.begin))
    pairs = [(names[a], labels[y]) for a, y in zip(owner, model.label, strict=True)]
    moves = [(labels[a], labels[b]) for a, b in np.argwhere(model.move_seen)]
    told = [info.state_features.get(pair, 0.0) for pair in pairs]
    return np.array(told + [info.transitions.get(move, 0.0) for move in moves])


def test_other_functions_are_refused():
    with pytest.raises(AssertionError, match="should be the same"):
        training.check_same("demo", 10.1, 10.0)
    with pytest.raises(AssertionError, match="should be the same"):
        training.check_same("demo", 9.9, 10.0)


def test_course_ends_at_the_objective_asked_for():
    data = prepared()
    whole = lessons.course_of(data)
    target = whole.steps[len(whole.steps) // 2][1]
    short = lessons.course_of(data, stop_at=target)
    assert short.objective <= target < short.steps[-2][1]
    assert len(short.steps) < len(whole.steps)


def test_attributes_by_name_are_those_of_the_encoder():
    data = prepared(sentences=3)
    for s, sentence in enumerate(data.items()):
        assert sentence == [data.encoded.attributes(s, t) for t in range(len(sentence))]


def test_dicts_and_strings_hold_the_same_chunking_attributes():
    words, tags = ["He", "ran", "far"], ["PRP", "VBD", "RB"]
    strings = chunking.items(words, tags)
    dicts = chunking.features(list(zip(words, tags, strict=True)))
    assert [[f"{name}={value}" for name, value in token.items()] for token in dicts] == strings


@pytest.mark.parametrize("name", ["pos", "chunk", "ner"])
def test_features_by_hand_are_of_the_kind_of_the_preset(name):
    corpus = demo_corpus().select(*(["word", "pos"] if name == "chunk" else ["word"]))
    by_hand = getattr(preset_features, name)
    ours, theirs = preset_features.check(corpus, getattr(presets, name), by_hand)
    assert ours == pytest.approx(theirs, rel=0.1)
    with pytest.raises(AssertionError, match="not one kind"):
        preset_features.check(corpus, Template.parse("word[0]"), by_hand)


def test_matrix_has_attributes_and_the_label_before():
    data = prepared(sentences=4)
    rows, size = mistakes.matrix(data), data.encoded.encoder.size
    gold, offsets = data.lesson.gold.ids, data.encoded.offsets
    for token in range(data.encoded.token_count):
        before = rows[[token], size:].nonzero()[1].tolist()
        assert before == ([] if token in offsets else [gold[token - 1]])
        ids = data.encoded.ids[data.encoded.indptr[token] : data.encoded.indptr[token + 1]]
        assert sorted(rows[[token], :size].nonzero()[1]) == sorted(ids)


def test_all_weights_are_every_pair_and_every_move():
    data = prepared(sentences=4)
    every, L = data.with_all_weights(), data.model.L
    assert len(every.model.theta) == data.encoded.encoder.size * L + L * L


def test_sentences_of_a_file_come_one_at_a_time(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("He PRP B-NP\nran VBD B-VP\n\n\nStop VB B-VP")
    first, second = footprint.sentences(path)
    assert first == (chunking.items(["He", "ran"], ["PRP", "VBD"]), ["B-NP", "B-VP"])
    assert second == (chunking.items(["Stop"], ["VB"]), ["B-VP"])


def test_goal_rows_have_both_marks_and_a_star_below_the_first():
    assert goals.row(one_figure()) == (
        "objective, CoNLL-2000 chunking, float32",
        "ns/token",
        "90,000",
        "10,000",
        "9x *",
        "10x",
        "15x",
    )


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(12.34, "12x"), (5.5, "5.5x"), (5.0, "5x"), (1.75, "1.75x"), (10.0, "10x"), (0.9, "0.9x")],
)
def test_ratios_are_short(ratio, text):
    assert goals.times(ratio) == text


def test_discriminative_table_fits_and_says_what_was_compared():
    more = {"difference": -2e-6, "penalty": "c2 = 1", "peer_date": "2026-01-02", "peer_load": 0.1}
    figures = [
        one_figure("objective, EWT XPOS, float64"),
        one_figure("train to 0.1 %, chunking", **more),
        one_figure("MEMM, weights met, 1,000 sentences"),
        one_figure("two threads against one, wall", **{threads.CORES: 1.95}),
    ]
    [table] = discriminative.tables(figures)
    text = table.text()
    assert max(map(len, text.splitlines())) <= WIDTH
    joined = " ".join(text.split())
    assert "at most 2e-06 apart" in joined
    assert "chunking c2 = 1" in joined
    assert "hashed 1.95 times as much as one" in joined


def test_two_threads_are_measured_again_while_the_cores_are_not_there(monkeypatch):
    cores = iter([1.9, 1.1, 1.95, 1.95, 2.0, 1.9])

    def run(what, sentences="0"):
        return {"cores": next(cores)} if what == "cores" else {"seconds": 6.0 / int(what)}

    monkeypatch.setattr(threads, "in_fresh_process", run)
    pairs = threads.measured_pairs(2, 5, sentences=1)
    assert [pair["cores"] for pair in pairs] == [1.1, 1.95, 1.9]
    assert (pairs[0][1], pairs[0][2]) == (6.0, 3.0)


def test_a_machine_that_is_never_quiet_ends_the_measuring(monkeypatch):
    monkeypatch.setattr(threads, "in_fresh_process", lambda *_: {"seconds": 1.0, "cores": 1.2})
    assert len(threads.measured_pairs(2, 4, sentences=1)) == 4


def test_parts_choose_their_case_and_no_other():
    assert command.parse(["--part", "tagging"]).only == ["discriminative"]
    with pytest.raises(SystemExit):
        command.parse(["--part", "tagging", "--only", "hmm"])


def test_discriminative_is_skipped_politely_without_corpora(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SEQLAB_DATA", str(tmp_path))
    assert discriminative.run(quick=True) == []
    assert "discriminative: skipped" in capsys.readouterr().out


def test_objective_of_a_task_is_that_of_the_likelihood_at_zero():
    data = prepared(sentences=4)
    task = data.lesson.task(data.model, layered=True)
    theta = np.zeros(len(data.model.theta))
    value = _core.Likelihood64(task)(theta, np.empty_like(theta), 1)
    assert value == pytest.approx(data.encoded.token_count * np.log(data.model.L))


def test_figures_of_parts_are_figures_of_one_case():
    assert isinstance(one_figure(), Figure)
    assert one_figure().case == discriminative.CASE
