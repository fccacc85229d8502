"""What CRFsuite wrote, converted, gives every tag that CRFsuite gives."""

import random

import numpy as np
import pytest

import seqlab
from seqlab import demo_corpus

pycrfsuite = pytest.importorskip("pycrfsuite")
TRAIN, TEST = demo_corpus("train")[:40], demo_corpus("test")[:150]
ALGORITHMS = ["lbfgs", "l2sgd", "ap", "pa", "arow"]


def attributes(words):
    """Flags, strings, numbers and letters of every kind, as python-crfsuite takes them."""
    found = []
    for t, word in enumerate(words):
        here = {"bias": 1.0, "w": word.lower(), "Rand–é😀": word[-2:], "upper": word[:1].isupper()}
        here |= {"length": len(word) / 8, "below": -0.25}
        here |= {"before": words[t - 1].lower()} if t else {"first": True}
        found.append(here)
    return found


def data(corpus, column):
    return [(attributes(list(s["word"])), list(s[column])) for s in corpus]


def trained(path, algorithm, sentences, **options):
    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    for x, y in sentences:
        trainer.append(x, y)
    trainer.set_params({"max_iterations": 8, **options})
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def strange(rng):
    """Sentences with little that the model knows: most of their paths score alike, and the first one counts."""
    token = [
        [],
        ["never"],
        ["bias"],
        ["bias", "bias"],
        ["w=the"],
        {"bias": 0.0},
        {"w=the": -2.5, "first": 1e-9},
    ]
    return [[rng.choice(token) for _ in range(rng.randint(1, 5))] for _ in range(300)]


def counted(token):
    """python-crfsuite takes lists and dicts side by side; our corpora have one kind."""
    return token if isinstance(token, dict) else {name: float(token.count(name)) for name in token}


def assert_as_good(tagger, X, found, wanted):
    """Check that labels are the expected ones, or tie with them up to rounding, as averaged weights often do."""
    other = [(x, one, two) for x, one, two in zip(X, found, wanted, strict=True) if one != two]
    assert len(other) <= 2
    for x, one, two in other:
        assert tagger.log_prob(x, one) == pytest.approx(tagger.log_prob(x, two), rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("all_moves", [0, 1])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_tag_agrees(tmp_path, algorithm, all_moves):
    path = tmp_path / "model.crfsuite"
    theirs = trained(path, algorithm, data(TRAIN, "chunk"), **{"feature.possible_transitions": all_moves})
    ours = seqlab.convert_model(path)
    assert ours.columns_ == ("attributes",)
    X = [x for x, _ in data(TEST, "chunk")] + strange(random.Random(7))
    wanted = [list(theirs.tag(x)) for x in X]
    X = [[counted(token) for token in x] for x in X]
    found = ours.predict(X)
    assert_as_good(ours, X, found, wanted)
    assert [ours.tag(x) for x in X[-300:]] == found[-300:]
    ours.save(tmp_path / "ours.safetensors")
    assert seqlab.load(tmp_path / "ours.safetensors").predict(X) == found


def test_all_states_and_an_l1_penalty(tmp_path):
    path = tmp_path / "model"
    theirs = trained(path, "lbfgs", data(TRAIN, "pos"), c1=0.3, **{"feature.possible_states": 1})
    X = [x for x, _ in data(TEST, "pos")]
    assert seqlab.convert_model(path).predict(X) == [theirs.tag(x) for x in X]


def test_probabilities_agree(tmp_path):
    theirs = trained(tmp_path / "model", "lbfgs", data(TRAIN, "chunk"))
    ours = seqlab.convert_model(tmp_path / "model")
    assert isinstance(ours, seqlab.CRF)
    x = data(TEST, "chunk")[3][0]
    labels = theirs.tag(x)
    posterior = ours.posterior(x)
    wanted = np.array([[theirs.marginal(y, t) for y in ours.labels_] for t in range(len(x))])
    np.testing.assert_allclose(posterior.node, wanted, atol=1e-9)
    path = ours.nbest(x, n=1)[0]
    assert list(path.labels) == labels
    assert np.exp(path.log_prob) == pytest.approx(theirs.probability(labels))


def test_weights_of_mistakes_have_no_probabilities(tmp_path):
    trained(tmp_path / "model", "ap", data(TRAIN, "chunk"))
    ours = seqlab.convert_model(tmp_path / "model", learner=seqlab.Perceptron())
    assert type(ours) is seqlab.LinearTagger
    with pytest.raises(seqlab.errors.QuestionError, match="Perceptron"):
        ours.posterior(data(TEST, "chunk")[0][0])


def test_it_learns_on(tmp_path):
    trained(tmp_path / "model", "lbfgs", data(TRAIN, "chunk"))
    ours = seqlab.convert_model(tmp_path / "model")
    X, y = map(list, zip(*data(demo_corpus("train")[40:80], "chunk"), strict=True))
    new = [*y[:-1], ["B-NEW"] * len(y[-1])]
    before = set(ours.labels_)
    ours.partial_fit(X, new)
    assert set(ours.labels_) == before | {"B-NEW"} | {label for labels in y[:-1] for label in labels}
    assert ours.tag(X[-1])[0] == "B-NEW"


def test_one_label_and_one_attribute(tmp_path):
    theirs = trained(tmp_path / "model", "lbfgs", [([["a"]], ["X"])] * 3)
    assert (
        seqlab.convert_model(tmp_path / "model").tag([["a"], ["b"]])
        == theirs.tag([["a"], ["b"]])
        == ["X", "X"]
    )
