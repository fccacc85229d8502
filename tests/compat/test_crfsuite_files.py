"""Model files equal CRFsuite's, byte for byte; the original reads them and gives the same answers."""

import numpy as np
import pytest

import seqlab.compat.pycrfsuite as ours
from seqlab import CRF
from seqlab.errors import StoreError
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import foreign_of
from seqlab.foreign.parts import ForeignModel, Weighted, nothing_learned

ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")


def trained(module, path, X, y, algorithm="lbfgs", **params):
    trainer = module.Trainer(algorithm, {"max_iterations": 20, **params}, verbose=False)
    for x, labels in zip(X, y, strict=True):
        trainer.append(x, labels)
    trainer.train(str(path))
    return trainer


def opened(module, path):
    tagger = module.Tagger()
    tagger.open(str(path))
    return tagger


def model(names, labels=("A", "B")):
    L, K = len(labels), len(names)
    attribute = np.repeat(np.arange(K), L)
    weights = np.random.default_rng(0).normal(size=K * L)
    node = Weighted(list(names), attribute, np.tile(np.arange(L), K), weights)
    return ForeignModel("CRFsuite", tuple(labels), node, np.eye(L), np.eye(L, dtype=bool))


@pytest.mark.parametrize("count", [0, 1, 2, 700])
def test_what_is_written_is_read_again(count):
    names = [f"{'long ' * (i % 9)}name {i} é" for i in range(count)]
    given = model(names)
    read = crfsuite.read(crfsuite.written(given), "utf-8")
    assert read.labels == given.labels
    assert list(read.node.names) == names
    np.testing.assert_array_equal(read.node.weight, given.node.weight)
    np.testing.assert_array_equal(read.moves, given.moves)


def test_zero_weights_and_their_attributes_are_left_out():
    given = model(["a", "b"])
    given.node.weight[:2] = 0
    assert list(crfsuite.read(crfsuite.written(given), "utf-8").node.names) == ["b"]


def test_a_name_with_a_zero_byte_is_refused():
    with pytest.raises(StoreError, match=r"attribute 'a.x00b'"):
        crfsuite.written(model(["a\0b"]))


def test_constraints_have_no_place_in_the_file():
    X, y = [[["a"], ["b"]]], [["A", "B"]]
    assert foreign_of(CRF().fit(X, y), ("B", "A")).labels == ("B", "A")
    with pytest.raises(StoreError, match="constraints"):
        foreign_of(CRF(constraints=[("B", "A")]).fit(X, y))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_files_of_the_original_are_written_byte_for_byte(algorithm, train, tmp_path):
    theirs = pytest.importorskip("pycrfsuite")
    path = tmp_path / "their.model"
    trained(theirs, path, *train, algorithm)
    content = path.read_bytes()
    assert crfsuite.written(crfsuite.read(content, "utf-8")) == content


def test_the_model_of_no_data_is_that_of_the_original(tmp_path):
    theirs = pytest.importorskip("pycrfsuite")
    theirs.Trainer(verbose=False).train(str(tmp_path / "their.model"))
    assert crfsuite.written(nothing_learned("CRFsuite")) == (tmp_path / "their.model").read_bytes()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_original_reads_ours_with_the_same_tags_and_marginals(algorithm, train, test, tmp_path):
    theirs = pytest.importorskip("pycrfsuite")
    path = tmp_path / "our.model"
    trained(ours, path, *train, algorithm)
    one, other = opened(theirs, path), opened(ours, path)
    assert one.labels() == other.labels()
    for x in test[0]:
        assert one.tag(x) == other.tag(x)
        assert one.probability(one.tag()) == pytest.approx(other.probability(one.tag()), abs=1e-12)
        one.set(x)  # after probability() and tag() its marginals are wrong, up to 1.8
        for label in one.labels():
            assert one.marginal(label, 0) == pytest.approx(other.marginal(label, 0), abs=1e-12)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"c1": 0.05, "c2": 0.1},
        {"feature.minfreq": 3},
        {"feature.possible_states": True, "feature.possible_transitions": True},
    ],
)
def test_both_trainers_find_the_same_optimum(params, train, test, tmp_path):
    theirs = pytest.importorskip("pycrfsuite")
    params = {**params, "max_iterations": 2000, "delta": 1e-8, "epsilon": 1e-4}
    one, other = (
        trained(module, tmp_path / "model", *train, **params).logparser for module in (theirs, ours)
    )
    assert other.featgen_num_features == one.featgen_num_features
    assert other.last_iteration["loss"] == pytest.approx(one.last_iteration["loss"], rel=1e-4)


def test_l2sgd_comes_as_near_to_the_optimum_as_the_original(train, tmp_path):
    theirs = pytest.importorskip("pycrfsuite")
    losses = []
    for module in (theirs, ours):
        path = tmp_path / module.__name__
        trained(module, path, *train, "l2sgd", max_iterations=1000)
        weights = crfsuite.read(path.read_bytes(), "utf-8")
        tagger = opened(ours, path)
        lost = 0.0
        for x, y in zip(*train, strict=True):
            tagger.set(x)
            lost -= np.log(tagger.probability(y))
        squares = (weights.node.weight**2).sum() + (weights.moves**2).sum()
        losses.append(lost + squares)
    assert losses[1] < 1.01 * losses[0]


def test_opening_reads_the_same_as_one_by_one(train, tmp_path):
    path = tmp_path / "model"
    trained(ours, path, *train)
    content = path.read_bytes()
    quick, slow = crfsuite.read(content, "utf-8"), crfsuite.read(content, "utf_8_sig")
    assert list(quick.node.names) == list(slow.node.names)


def test_altered_files_are_refused_and_never_crash(train, tmp_path):
    path = tmp_path / "model"
    trained(ours, path, train[0][:2], train[1][:2])
    content = path.read_bytes()
    chance = np.random.default_rng(1)
    for _ in range(300):
        altered = bytearray(content)
        for at in chance.integers(4, len(altered), 3):
            altered[at] = chance.integers(256)
        tagger = ours.Tagger()
        try:
            tagger.open_inmemory(bytes(altered))
            tagger.tag(train[0][0])
        except ValueError:
            pass
    for end in range(0, len(content), 97):
        with pytest.raises(ValueError, match=r"."):
            ours.Tagger().open_inmemory(content[:end])
