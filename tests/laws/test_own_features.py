"""Features of one's own: functions beside templates, of tokens and of pairs of labels (eq:linear-score)."""

import itertools
import math
import pickle

import numpy as np
import pytest

import seqlab
from seqlab import AROW, CRF, LBFGS, MEMM, SGD, LinearTagger, LocalTagger, Perceptron, StructuredSVM, Template
from seqlab.errors import CorpusError, OptionError, StoreError, TemplateError
from seqlab.features import FeatureSum, label_pairs, pairs, presets

X = [["Ann", "saw", "Bob"], ["the", "old", "man", "saw"], ["Bob"], [], ["old", "Ann", "saw", "the", "man"]]
Y = [["P", "V", "P"], ["D", "A", "N", "V"], ["P"], [], ["A", "P", "V", "D", "N"]]
TIGHT = LBFGS(l2=0.1, dtype="float64", epsilon=1e-9, delta=0, max_iterations=400)


def ending(sentence, t):
    """The last two letters, and the number of letters."""
    word = sentence["word"][t]
    return [("end=" + word[-2:], 1.0), ("length", len(word) / 4)]


def before(sentence, t):
    """The word before, for pairs of labels."""
    return ["before=" + sentence["word"][t - 1]]


def phi(sentence, t, previous, label):
    """Features that see both labels; some are there for several pairs, with values of their own."""
    word = sentence["word"][t]
    if previous == label:
        yield "same label"
    if word[0].isupper() and label == "P":
        yield "capital P"
    if previous == "D":
        yield f"after D: {label}", 0.5
    yield "letters", len(word) / 5 if label in "NV" else -0.25


SUM = "word[0]\nedge: word[0]" + label_pairs(phi) + ending + pairs(before)
ONLY = FeatureSum(("no edge\nword[0]", label_pairs(phi)))


def by_hand(tagger, words, labels):
    """The score of a labelling as a plain sum of weights and values, with functions called anew."""
    model, encoder, sentence = tagger.model_, tagger.encoder_, {"word": words}
    node = {
        (encoder.attributes[a], model.labels[model.label[k]]): model.weights[k]
        for a in range(encoder.size)
        for k in range(model.begin[a], model.begin[a + 1])
    }
    single, edge = {}, {}
    for a in range(encoder.edge_size):
        for k in range(model.edge.begin[a], model.edge.begin[a + 1]):
            name, move = encoder.edge_attributes[a], int(model.edge.move[k])
            if move < 0:
                single[name] = model.edge.weights[k]
            else:
                pair = tuple(model.labels[y] for y in divmod(move, model.L))
                edge[name, pair] = model.edge.weights[k]
    features = encoder.features
    total = 0.0
    for t, label in enumerate(labels):
        found = [(name, 1.0) for name in features.template.attributes(sentence, t)]
        found += ending(sentence, t) if any(f.function is ending for f in features.functions) else []
        total += sum(value * node.get((name, label), 0.0) for name, value in found)
        if t:
            pair = labels[t - 1], label
            total += model.moves[model.labels.index(pair[0]), model.labels.index(label)]
            total += sum(edge.get((name, pair), 0.0) for name in features.edge_attributes(sentence, t))
            given = (one if isinstance(one, tuple) else (one, 1.0) for one in phi(sentence, t, *pair))
            total += sum(value * single.get(name, 0.0) for name, value in given)
    return total


def labellings(tagger, words):
    return [list(path) for path in itertools.product(tagger.labels_, repeat=len(words))]


@pytest.mark.parametrize("features", [SUM, ONLY], ids=["sum", "only"])
def test_answers_are_those_of_the_sum_over_all_labellings(features):
    tagger = CRF(features, TIGHT).fit(X, Y)
    for words in (["the", "Ann"], ["Bob", "saw", "new"], ["man"]):
        every = labellings(tagger, words)
        scores = np.array([by_hand(tagger, words, path) for path in every])
        log_z = np.logaddexp.reduce(scores)
        order = np.argsort(-scores, kind="stable")[:4]
        assert tagger.tag(words) == every[order[0]]
        best = tagger.nbest(words, 4)
        assert [one.score for one in best] == pytest.approx(scores[order].tolist())
        assert [math.exp(one.log_prob) for one in best] == pytest.approx(np.exp(scores[order] - log_z))
        for t, label in itertools.product(range(len(words)), tagger.labels_):
            mass = sum(math.exp(s - log_z) for s, path in zip(scores, every, strict=True) if path[t] == label)
            assert tagger.posterior(words).label(t, label) == pytest.approx(mass, abs=1e-9)


def test_training_ends_where_the_likelihood_by_hand_has_no_slope():
    tagger = CRF(SUM, TIGHT).fit(X, Y)
    theta = tagger.model_.theta

    def objective(at):
        moved = tagger.fit_.with_model(tagger.model_.with_theta(at))
        other = pickle.loads(pickle.dumps(tagger))
        other.fit_ = moved
        told = sum(other.log_prob(words, labels) for words, labels in zip(X, Y, strict=True) if words)
        return 0.1 * float(at @ at) - told

    assert tagger.history_.objective[-1] == pytest.approx(objective(theta), rel=1e-9)
    for k in np.random.default_rng(0).choice(len(theta), 12, replace=False).tolist():
        step = np.zeros(len(theta))
        step[k] = 1e-4
        assert (objective(theta + step) - objective(theta - step)) / 2e-4 == pytest.approx(0, abs=2e-4)


def test_a_string_of_phi_has_one_weight_for_all_pairs():
    tagger = CRF(ONLY, TIGHT).fit(X, Y)
    names = tagger.encoder_.edge_attributes
    assert sorted(names) == [*(f"after D: {one}" for one in "ADNPV"), "capital P", "letters", "same label"]
    assert len(tagger.model_.edge.weights) == len(names)
    shown = {one.attribute: one for one in tagger.top_transitions(50)}
    assert shown["same label"].labels == ()
    assert shown["same label"].weight < 0  # no label follows itself in the data


@pytest.mark.parametrize(
    "make",
    [
        CRF,
        MEMM,
        LinearTagger,
        lambda features: CRF(features, order=2),
        lambda features: CRF(features, order=2, keep=0),
    ],
)
def test_every_linear_model_learns_by_pairs_of_labels(make):
    assert make(SUM).fit(X, Y).predict(X) == Y


@pytest.mark.parametrize(
    "learner",
    [
        SGD(),
        Perceptron(),
        AROW(),
        StructuredSVM(),
        SGD(adagrad=True),
        StructuredSVM(method="frank-wolfe"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_every_learner_learns_by_pairs_of_labels(learner):
    """ "same" repeats the label before, "other" changes it, which phi says without naming a label."""
    words, labels = [], []
    for first in "AB":
        for some in itertools.product(["same", "other"], repeat=3):
            path = [first]
            for word in some:
                path.append(path[-1] if word == "same" else "AB"[path[-1] == "A"])
            words.append([first, *some])
            labels.append(path)

    def agrees(sentence, t, previous, label):
        return [sentence["word"][t] + (" equal" if previous == label else " unequal")]

    tagger = LinearTagger(FeatureSum(("no edge\nword[0]", label_pairs(agrees))), learner).fit(words, labels)
    assert tagger.predict(words) == labels


def test_explanations_add_up():
    tagger = CRF(SUM, TIGHT).fit(X, Y)
    found = tagger.explain(["the", "Ann", "saw"], 1)
    assert found.total == pytest.approx(found.log_odds)
    assert abs(found.normaliser) < 1e-9
    assert "capital P" in {one.attribute for one in found.moves}
    margin = LinearTagger(SUM, Perceptron()).fit(X, Y).explain(["the", "Ann", "saw"], 1)
    assert margin.total == pytest.approx(margin.margin)


def test_models_come_back_with_their_functions(tmp_path):
    tagger = CRF(SUM, TIGHT).fit(X, Y)
    tagger.save(tmp_path / "m.model")
    with pytest.raises(StoreError, match="functions="):
        seqlab.load(tmp_path / "m.model")
    again = seqlab.load(tmp_path / "m.model", functions={"phi": phi, "ending": ending, "before": before})
    for other in (again, pickle.loads(pickle.dumps(tagger))):
        assert other.features == SUM
        assert other.predict(X) == tagger.predict(X)
        assert other.log_prob(X[0], Y[0]) == tagger.log_prob(X[0], Y[0])
    again.partial_fit([["new", "Cid"]], [["X", "P"]])
    assert "X" in again.labels_
    assert again.predict([["new", "Cid"]]) == [["X", "P"]]
    pruned = tagger.prune(keep=30)
    assert pruned.model_.size - int(pruned.model_.move_seen.sum()) == 30
    pruned.predict(X)


def test_sums_are_written_in_several_ways():
    both = presets.ner + ending
    assert isinstance(both, FeatureSum)
    assert both == FeatureSum(("ner", ending)) == FeatureSum((presets.ner, ending, ending))
    assert (ending + presets.ner).functions == both.functions
    assert both.attributes({"word": ["running"]}, 0)[-2:] == ["end=ng", "length"]
    listed = CRF(["word[0]", ending], TIGHT).fit(X, Y)
    summed = CRF(Template.parse("word[0]") + ending, TIGHT).fit(X, Y)
    assert listed.model_.theta.tolist() == summed.model_.theta.tolist()
    assert "end=aw" in listed.encoder_.attributes
    assert CRF.from_bytes(listed.as_bytes(), functions={"ending": ending}).predict(X) == Y
    assert repr(both).endswith("...") or len(repr(both)) < 250
    three = Template.parse("word[0]") + ending + before
    assert len(three.functions) == 2


def test_wrong_sums_are_refused():
    with pytest.raises(OptionError, match=r"a list of features has .*, got 3"):
        CRF(["word[0]", 3]).fit(X, Y)
    with pytest.raises(TemplateError, match=r"label_pairs\(\.\.\.\) makes a feature of it"):
        CRF(phi).fit(X, Y)
    with pytest.raises(TemplateError, match="cannot be called with a sentence, a position and two labels"):
        label_pairs(ending)
    with pytest.raises(TypeError):
        presets.ner + 3
    with pytest.raises(OptionError, match="use pairs"):
        LocalTagger(pytest.importorskip("sklearn.svm").LinearSVC(), features=ONLY).fit(X, Y)
    with pytest.raises(CorpusError, match=r"sentence 0.*attribute 'a' has the weight nan"):
        CRF(["word[0]", label_pairs(lambda s, t, a, b: {"a": math.nan})]).fit(X, Y)


def test_functions_of_pairs_are_told_the_labels_of_the_transition_whatever_their_order():
    """Whole numbers are in their own order, 2 before 10; as strings, "10" comes before "2"."""

    def told(sentence, t, before, label):
        yield f"{before}>{label}"

    X, y = [["a", "b"]] * 20, [[2, 10]] * 20
    found = []
    for labels in (y, [[str(one) for one in row] for row in y]):
        crf = CRF([Template.parse("word[0]\n"), label_pairs(told)], TIGHT).fit(X, labels)
        names = crf.fit_.encoder().edge_attributes
        found.append(dict(zip(names, crf.model_.edge.weights.tolist(), strict=True)))
    assert found[0] == pytest.approx(found[1], abs=1e-4)
    assert max(found[0], key=found[0].get) == "2>10"
