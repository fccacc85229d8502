"""CRFsuite, given the same features, finds the same minimum and says the same labels."""

import re
from functools import cache

import numpy as np
import pytest

from seqlab import CRF, LBFGS, demo_corpus

pycrfsuite = pytest.importorskip("pycrfsuite")
TRAIN, TEST = demo_corpus("train")[:70], demo_corpus("test")


def attributes(words):
    """What both sides get: plain strings."""
    found = []
    for t, word in enumerate(words):
        here = ["bias", f"w={word.lower()}", f"end={word[-2:]}", f"upper={word[:1].isupper()}"]
        here.append(f"before={words[t - 1].lower()}" if t else "first")
        here.append(f"after={words[t + 1].lower()}" if t + 1 < len(words) else "last")
        found.append(here)
    return found


@cache
def data(part, column):
    corpus = {"train": TRAIN, "test": TEST}[part]
    X = [attributes(sentence["word"]) for sentence in corpus]
    return X, [list(sentence[column]) for sentence in corpus]


def crfsuite(path, column, c1, c2, all_pairs):
    """Its tagger, and the last objective of its log."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for x, y in zip(*data("train", column), strict=True):
        trainer.append(x, y)
    log = []
    trainer.message = log.append
    trainer.set_params({
        "c1": c1, "c2": c2, "epsilon": 1e-8, "delta": 1e-9, "period": 20, "max_iterations": 3000,
        "feature.possible_states": all_pairs, "feature.possible_transitions": all_pairs,
    })  # fmt: skip
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    told = re.findall(r"^Loss: ([0-9.]+)", "".join(log), flags=re.MULTILINE)
    return tagger, float(told[-1])


def ours(column, c1, c2, all_pairs):
    choice = "all" if all_pairs else "observed"
    learner = LBFGS(l1=c1, l2=c2, epsilon=1e-7, delta=1e-9, period=20, max_iterations=3000)
    return CRF(learner=learner, states=choice, transitions=choice).fit(*data("train", column))


@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize(("c1", "c2"), [(0.0, 1.0), (0.1, 0.1)])
@pytest.mark.parametrize("column", ["chunk"])
def test_objective_and_labels_agree(tmp_path, column, c1, c2, all_pairs):
    theirs, loss = crfsuite(tmp_path / "model", column, c1, c2, all_pairs)
    tagger = ours(column, c1, c2, all_pairs)
    assert tagger.history_.objective[-1] == pytest.approx(loss, rel=1e-5)
    X, _ = data("test", column)
    pairs = [
        (a, b)
        for x, labels in zip(X, tagger.predict(X), strict=True)
        for a, b in zip(labels, theirs.tag(x), strict=True)
    ]
    assert len(pairs) > 5000
    assert sum(a == b for a, b in pairs) >= 0.999 * len(pairs)


def test_their_weights_score_the_same_with_us(tmp_path):
    theirs, loss = crfsuite(tmp_path / "model", "chunk", 0.0, 1.0, False)
    info = theirs.info()
    tagger = CRF(learner=LBFGS(max_iterations=1)).fit(*data("train", "chunk"))
    model = tagger.model_
    states = {key: info.state_features.get(key, 0.0) for key in tagger.state_features_}
    assert set(info.state_features) <= set(states)
    assert set(info.transitions) <= set(tagger.transition_features_)
    names = tagger.encoder_.attributes
    attribute = np.repeat(np.arange(len(names)), np.diff(model.begin))
    node = [states[names[a], model.labels[y]] for a, y in zip(attribute, model.label, strict=True)]
    rows, columns = np.nonzero(model.move_seen)
    moves = [
        info.transitions.get((model.labels[a], model.labels[b]), 0.0)
        for a, b in zip(rows, columns, strict=True)
    ]
    theta = np.array(node + moves)
    tagger.model_ = model.with_theta(theta)
    told = sum(tagger.log_prob(x, y) for x, y in zip(*data("train", "chunk"), strict=True))
    assert float(theta @ theta) - told == pytest.approx(loss, rel=1e-5)
    x = data("test", "chunk")[0][0]
    theirs.set(x)
    for t, row in enumerate(tagger.predict_marginals_single(x)):
        for label, p in row.items():
            assert p == pytest.approx(theirs.marginal(label, t), abs=1e-5)
