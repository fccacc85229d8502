"""Which pairs of an attribute and a label have a weight is decided by sums of values, as in CRFsuite."""

import pytest

from seqlab.compat.pycrfsuite import Tagger, Trainer


@pytest.mark.parametrize("params", [{}, {"feature.possible_states": True}, {"feature.minfreq": 1}])
def test_a_pair_whose_values_sum_to_less_than_minfreq_has_no_weight(params, tmp_path):
    trainer = Trainer("lbfgs", params, verbose=False)
    sequences = [
        [{"low": -1.5, "up": 1}, {"high": 2}],
        [{"low": 0.5, "up": -0.5}, {"low": 1}],
        [{"down": -1}],
    ]
    labels = [["X", "Y"], ["X", "Y"], ["X"]]
    files = [tmp_path / "ours", tmp_path / "theirs"]
    for x, y in zip(sequences, labels, strict=True):
        trainer.append(x, y)
    trainer.train(str(files[0]))
    tagger = Tagger()
    tagger.open(str(files[0]))
    found = tagger.info().state_features
    kept = {("high", "Y"), ("low", "Y")} | ({("up", "X")} if "feature.minfreq" not in params else set())
    every = {("high", "X"), ("up", "Y"), ("down", "Y")} if "feature.possible_states" in params else set()
    assert set(found) == kept | every

    theirs = pytest.importorskip("pycrfsuite")
    original = theirs.Trainer("lbfgs", params, verbose=False)
    for x, y in zip(sequences, labels, strict=True):
        original.append(x, y)
    original.train(str(files[1]))
    tagger.open(str(files[1]))
    assert tagger.info().state_features == pytest.approx(found, abs=1e-3)


def test_transitions_are_learned_where_every_value_is_below_0(tmp_path):
    trainer = Trainer(verbose=False)
    for _ in range(3):
        trainer.append([{"a": -1.0}] * 3, ["X", "X", "Y"])
    trainer.train(str(tmp_path / "m"))
    tagger = Tagger()
    tagger.open(str(tmp_path / "m"))
    assert not tagger.info().state_features
    assert set(tagger.info().transitions) == {("X", "X"), ("X", "Y")}
    assert len(tagger.tag([{"a": -1.0}] * 3)) == 3
