"""Trainers, taggers and items behave as those of python-crfsuite."""

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import seqlab.compat.pycrfsuite as ours
from seqlab import LBFGS, load
from seqlab.compat.pycrfsuite import BaseTrainer, ItemSequence, Tagger, Trainer
from seqlab.compat.pycrfsuite._logparser import TrainLogParser

X = [[{"walk": 1, "shop": 0.5}, {"walk": 1}, {}, {"clean": 1, "s": "b"}]] * 3 + [[{"clean": 1}, {"walk": 2}]]
Y = [["sunny", "sunny", "rainy", "rainy"]] * 3 + [["rainy", "cloudy"]]


def filled(*args, kind=Trainer, groups=(0, 0, 0, 0), **options):
    trainer = kind(*args, **{"verbose": False, **options})
    for x, y, group in zip(X, Y, groups, strict=True):
        trainer.append(x, y, group)
    return trainer


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    name = str(tmp_path_factory.mktemp("models") / "weather.crfsuite")
    filled().train(name)
    return name


@pytest.fixture
def tagger(path):
    made = Tagger()
    made.open(path)
    return made


# ------------------------------------------------------------------------------------------------ items


def test_items_are_read_once_as_the_models_see_them():
    items = ItemSequence(
        [
            {"a": {"b": {"c": 1, "d": "e"}}, "l": ["x", "y"], "s": {"q"}, "n": np.int64(3), "t": True},
            ["x", b"y"],
            {"k": 1, "m": 2}.keys(),
            (name for name in "pq"),
        ]
    )
    assert items.items() == [
        {"a:b:c": 1.0, "a:b:d:e": 1.0, "l:x": 1.0, "l:y": 1.0, "s:q": 1.0, "n": 3.0, "t": 1.0},
        {"x": 1.0, "y": 1.0},
        {"k": 1.0, "m": 1.0},
        {"p": 1.0, "q": 1.0},
    ]
    assert len(items) == 4
    assert repr(items) == "<ItemSequence of size 4>"
    assert ItemSequence(items).items() == items.items()


def test_an_attribute_that_occurs_twice_counts_twice(tagger):
    once, twice = [["walk"]], [["walk", "walk"]]
    marginals = []
    for x in (once, twice, ItemSequence(twice)):
        tagger.set(x)
        marginals.append(tagger.marginal("sunny", 0))
    assert marginals[0] < marginals[1] == marginals[2]


@pytest.mark.parametrize("given", ["ab", ["ab"], [1], 1, None, [None], [{1: 2}], [[{"a": 1}]], [{"a": None}]])
def test_what_is_no_sequence_of_items_is_refused(given):
    with pytest.raises(ValueError, match=r"got|value None"):
        ItemSequence(given)


def test_a_number_that_is_none_is_refused(tagger):
    with pytest.raises(ValueError, match="nan"):
        tagger.tag([{"walk": float("nan")}])


# ------------------------------------------------------------------------------------------------ the tagger


@pytest.mark.parametrize("seen", [list, tuple, iter, ItemSequence, lambda x: np.array(x, dtype=object)])
def test_a_sequence_may_be_any_iterable(seen, tagger):
    assert tagger.tag(seen(X[0])) == Y[0]


def test_marginal_and_probability_are_those_of_the_sequence_that_was_set(tagger):
    assert tagger.tag() == []
    assert tagger.marginal("sunny", 0) == tagger.probability(["sunny"]) == 0.0
    labels = tagger.tag(X[0])
    assert tagger.tag() == labels
    for t in range(4):
        assert sum(tagger.marginal(label, t) for label in tagger.labels()) == pytest.approx(1)
    assert 0 < tagger.probability(["sunny"] * 4) < tagger.probability(labels) < 1
    assert tagger.marginal(b"sunny", 0) == tagger.marginal("sunny", 0)
    tagger.set([])
    assert tagger.tag() == []


def test_what_was_set_is_a_copy(tagger):
    item = {"walk": 1}
    tagger.set([item])
    before = tagger.marginal("sunny", 0)
    tagger.set([item])
    item["clean"] = 5
    assert tagger.marginal("sunny", 0) == before


def test_errors_have_the_types_of_the_original(tagger, tmp_path):
    tagger.set(X[0])
    for call, kind in (
        (lambda: tagger.marginal("snow", 0), RuntimeError),
        (lambda: tagger.probability(["snow"] * 4), RuntimeError),
        (lambda: tagger.marginal("sunny", 4), ValueError),
        (lambda: tagger.marginal("sunny", -1), ValueError),
        (lambda: tagger.probability(["sunny"]), ValueError),
        (lambda: tagger.marginal(1, 0), TypeError),
        (lambda: Tagger().open(str(tmp_path / "nothing")), FileNotFoundError),
        (lambda: Tagger().open(__file__), ValueError),
        (lambda: Tagger().open_inmemory(b"lCRF"), ValueError),
        (lambda: Tagger().open_inmemory("lCRF"), TypeError),
        (lambda: Tagger().tag(X[0]), ValueError),
        (lambda: Tagger().labels(), ValueError),
        (lambda: Tagger().info(), RuntimeError),
        (lambda: Tagger().dump("x"), RuntimeError),
    ):
        with pytest.raises(kind):
            call()


def test_a_tagger_closes_at_the_end_of_a_block(path):
    tagger = Tagger()
    with tagger.open(path):
        assert tagger.labels() == ["sunny", "rainy", "cloudy"]
    with pytest.raises(ValueError, match="not opened"):
        tagger.labels()
    with Tagger() as other:
        other.open_inmemory(Path(path).read_bytes())
        assert other.tag(X[0]) == Y[0]


def test_info_and_dump_tell_the_weights(tagger, tmp_path, capsys):
    info = tagger.info()
    assert info.labels == {"sunny": "0", "rainy": "1", "cloudy": "2"}
    assert set(info.attributes) == {"walk", "shop", "clean", "s:b"}
    assert info.header["num_labels"] == "3"
    assert info.state_features["walk", "sunny"] > 0
    assert ("cloudy", "sunny") not in info.transitions
    tagger.dump(str(tmp_path / "dump"))
    text = (tmp_path / "dump").read_text()
    assert f"(0) walk --> sunny: {info.state_features['walk', 'sunny']:f}" in text
    tagger.dump()
    assert capsys.readouterr().out == text


def test_the_dump_is_that_of_the_original(path, tmp_path, tagger):
    theirs = pytest.importorskip("pycrfsuite").Tagger()
    theirs.open(path)
    theirs.dump(str(tmp_path / "theirs"))
    tagger.dump(str(tmp_path / "ours"))
    assert (tmp_path / "ours").read_text() == (tmp_path / "theirs").read_text()


def test_models_of_no_data_have_no_labels(tmp_path):
    name = str(tmp_path / "nothing")
    Trainer(verbose=False).train(name)
    tagger = Tagger()
    tagger.open(name)
    assert tagger.labels() == tagger.tag([]) == []
    assert tagger.info().attributes == {}
    with pytest.raises(ValueError, match="no labels"):
        tagger.tag([{"a": 1}])


def test_our_own_file_on_request(tmp_path):
    trainer = filled()
    trainer.train("")
    trainer.model_.learner = LBFGS()  # its own belongs to the trainer
    name = str(tmp_path / "our.model")
    trainer.model_.save(name)
    assert load(name).tag(X[0]) == Y[0]
    tagger = Tagger()
    tagger.open(name)
    assert tagger.tag(X[0]) == Y[0]


# ------------------------------------------------------------------------------------------------ the trainer


def test_parameters_belong_to_the_algorithm():
    trainer = Trainer("l2sgd", {"c2": "0.5"})
    assert trainer.get("c2") == 0.5
    assert "c1" not in trainer.params()
    trainer.select("lbfgs")
    trainer.set_params({"c1": np.float64(0.25), "feature.possible_states": True, "max_iterations": "5.5"})
    values = trainer.get_params()
    assert (values["c1"], values["c2"], values["max_iterations"]) == (0.25, 1.0, 5)
    assert values["feature.possible_states"] is True
    assert "L1" in trainer.help("c1")
    for wrong in (
        lambda: trainer.select("none"),
        lambda: trainer.select("lbfgs", "tree"),
        lambda: trainer.set("gamma", 1),
        lambda: trainer.get("gamma"),
        lambda: trainer.help("gamma"),
        lambda: trainer.set("c1", "much"),
        lambda: trainer.set("linesearch", "long"),
    ):
        with pytest.raises(ValueError, match=r"should|has no"):
            wrong()


def test_parameters_and_their_defaults_are_those_of_the_original():
    theirs = pytest.importorskip("pycrfsuite")
    for algorithm in ("lbfgs", "l2sgd", "ap", "pa", "arow"):
        one, other = theirs.Trainer(algorithm).get_params(), Trainer(algorithm).get_params()
        assert other == one
        assert list(map(type, other.values())) == list(map(type, one.values()))


def test_data_that_cannot_be_learned_from_is_refused(tmp_path):
    with pytest.raises(ValueError, match="differ"):
        Trainer().append([{"a": 1}], ["A", "B"])
    with pytest.raises(TypeError):
        Trainer().append([{"a": 1}], [1])
    trainer = filled()
    with pytest.raises(ValueError, match="0 to evaluate"):
        trainer.train("", holdout=7)
    trainer.clear()
    with pytest.raises(ValueError, match="empty"):
        trainer.train("")
    with pytest.raises(OSError, match="No such file"):
        filled().train(str(tmp_path / "no" / "folder"))


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_the_log_is_that_of_crfsuite(algorithm, tmp_path):
    logs = []
    for module in (
        pytest.importorskip("pycrfsuite"),
        ours,
    ):
        trainer = filled(algorithm, {"max_iterations": 2}, kind=module.Trainer, groups=(0, 1, 0, 1))
        trainer.train(str(tmp_path / "model"), holdout=1)
        logs.append(trainer.logparser)
    one, other = logs
    names = [[name for name, _, _ in log.events] for log in logs]
    assert names[0] == names[1]
    assert [set(i) for i in one.iterations] == [set(i) for i in other.iterations]
    assert one.featgen_num_features == other.featgen_num_features
    told = [{line.partition(":")[0] for line in log.log[log.events[-4][1] :]} for log in logs]
    assert told[0] == told[1]  # from the first iteration on
    read = type(one)()  # their parser reads our text
    for line in other.log:
        read.feed(line)
    assert read.last_iteration.keys() == other.last_iteration.keys()
    assert read.iterations == other.iterations


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_settings_are_told_in_the_words_and_the_order_of_crfsuite(algorithm, tmp_path):
    told = []
    for module in (pytest.importorskip("pycrfsuite"), ours):
        trainer = filled(algorithm, kind=module.Trainer)
        trainer.train(str(tmp_path / "model"))
        lines = "".join(trainer.logparser.log).splitlines()
        told.append([line for line in lines[: lines.index("")] if "Seconds" not in line])
        begin = lines.index("", lines.index("") - 1)
        told[-1] += lines[begin : lines.index("", begin + 1)]
    assert told[0] == told[1]


def test_a_label_that_the_holdout_group_does_not_have_counts_as_0_in_the_means(tmp_path):
    told = []
    for module in (pytest.importorskip("pycrfsuite"), ours):
        trainer = module.Trainer("lbfgs", {"c2": 0.01, "max_iterations": 300}, verbose=False)
        for x, y, group in (("ab", "AB", 0), ("cb", "CA", 0), ("ba", "CA", 0), ("abc", "ACA", 1)):
            trainer.append([[name] for name in x], list(y), group)
        trainer.train(str(tmp_path / "model"), 1)
        last = trainer.logparser.last_iteration
        scores = [line for line in trainer.logparser.log if line.startswith("    ")]
        told.append([scores[-3:], *(last[name] for name in ("avg_precision", "avg_recall", "avg_f1"))])
    assert told[0] == told[1]
    assert "    B: (0, 1, 0) (******, ******, ******)\n" in scores
    assert last["scores"]["B"].f1 is None


def test_the_log_says_whether_the_gradient_ended_training():
    log = {}
    for epsilon, delta in ((1e-3, 0.0), (0.0, 1e-2)):
        trainer = filled("lbfgs", {"epsilon": epsilon, "delta": delta, "period": 1})
        trainer.train("")
        log[epsilon] = "".join(trainer.logparser.log)
    assert "L-BFGS resulted in convergence\n" in log[1e-3]
    assert "L-BFGS terminated with the stopping criteria\n" in log[0.0]


def test_groups_and_positions_may_be_floats(tagger, tmp_path):
    files = []
    for one, other in ((1, 0), (1.0, 0.0)):
        filled(groups=(one, other, one, other)).train(str(tmp_path / "model"), one)
        files.append((tmp_path / "model").read_bytes())
    assert files[0] == files[1]
    tagger.set(X[0])
    assert tagger.marginal(Y[0][1], 1.0) == tagger.marginal(Y[0][1], 1)
    with pytest.raises(TypeError):
        Trainer(verbose=False).append(X[0], Y[0], "1")


def test_hooks_are_called_for_every_stage():
    called = []

    class Heard(Trainer):
        def __init__(self):
            self.verbose = True  # without the __init__ of Trainer

    for name in (
        "start",
        "featgen_progress",
        "featgen_end",
        "prepared",
        "iteration",
        "optimization_end",
        "end",
    ):
        setattr(Heard, f"on_{name}", lambda self, *args, name=name: called.append((name, args)))
    trainer = Heard()
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        trainer.append(x, y, i % 2)
    trainer.train("", holdout=1)
    stages = [name for name, _ in called]
    assert stages[0] == "start"
    assert stages[-1] == "end"
    assert [args[1] for name, args in called if name == "featgen_progress"] == list(range(0, 101, 2))
    last = trainer.logparser.last_iteration
    assert [args[1] for name, args in called if name == "iteration"][-1] is last
    assert last["item_accuracy"] == Fraction(5, 6)
    assert last["scores"]["cloudy"].ref == 1
    assert trainer.logparser.last_log.startswith("Storing the model")
    assert pickle.loads(pickle.dumps(trainer.logparser)).iterations == trainer.logparser.iterations


def test_messages_are_printed_and_may_stop_a_training(capsys):
    filled(kind=BaseTrainer, verbose=True).train("")
    assert "***** Iteration #1 *****\nLoss: " in capsys.readouterr().out

    class Stopped(Trainer):
        def message(self, message):
            if message.startswith("Loss"):
                raise KeyError(message)

    with pytest.raises(KeyError):
        filled(kind=Stopped).train("")


def test_the_last_weights_are_kept_with_a_holdout_group(tmp_path):
    models = []
    for holdout, some in ((1, (0, 1, 2, 3)), (-1, (0, 2))):
        trainer = Trainer(verbose=False)
        for i in some:
            trainer.append(X[i], Y[i], i % 2)
        trainer.append([{"walk": 1}], ["cloudy"], 0)
        trainer.train(str(tmp_path / "model"), holdout)
        models.append((tmp_path / "model").read_bytes())
    assert models[0] == models[1]


def test_one_label_needs_no_iteration(tmp_path):
    trainer = Trainer(verbose=False)
    trainer.append([{"a": 1}, {}], ["x", "x"])
    trainer.train(str(tmp_path / "model"))
    tagger = Tagger()
    tagger.open(str(tmp_path / "model"))
    assert tagger.tag([{"a": 1}]) == ["x"]
    assert tagger.marginal("x", 0) == 1


def test_data_without_attributes_teaches_transitions(tmp_path):
    trainer = Trainer(verbose=False)
    trainer.append([{}, {}], ["x", "y"])
    trainer.append([], [])
    trainer.train(str(tmp_path / "model"))
    tagger = Tagger()
    tagger.open(str(tmp_path / "model"))
    assert tagger.tag([{}, {}]) == ["x", "y"]
    assert tagger.info().attributes == {}


def test_ties_go_to_the_label_that_was_seen_first(tmp_path):
    trainer = Trainer(verbose=False)
    trainer.append([{"a": 1}], ["z"])
    trainer.append([{"a": 1}], ["b"])
    trainer.train(str(tmp_path / "model"))
    tagger = Tagger()
    tagger.open(str(tmp_path / "model"))
    assert tagger.labels() == ["z", "b"]
    assert tagger.tag([{"unseen": 1}]) == ["z"]


def test_a_parser_reads_a_log_that_has_no_score_of_a_label():
    parser = TrainLogParser()
    for line in (
        "Feature generation\n",
        "Seconds required: 0.1\n",
        "***** Iteration #1 *****\n",
        "Loss: 1.5\n",
        "    X: (0, 0, 0) (******, ******, ******)\n",
        "Item accuracy: 0 / 0\n",
    ):
        parser.feed(line)
    assert parser.last_iteration["scores"]["X"].f1 is None
    assert "item_accuracy" not in parser.last_iteration
