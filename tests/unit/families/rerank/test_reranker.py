"""Re-ranking n-best lists of functions, of objects and of taggers."""

import itertools
import math
import pickle
from typing import ClassVar

import numpy as np
import pytest

from seqlab import HMM, inference
from seqlab.corpus import Corpus
from seqlab.errors import (
    NotFittedError,
    OptionError,
)
from seqlab.families.local.baseline import MostFrequentTag
from seqlab.families.rerank.learners import ListPerceptron, LogLinear
from seqlab.families.rerank.tagger import Reranker
from seqlab.trellis import Trellis

LEARNERS = [LogLinear(l2=0.1), ListPerceptron(epochs=20)]
NOISE = {"a": 0.3, "b": -0.2, "c": 0.1, "d": -0.4, "e": 0.25}


def one_verb_sentences(count, seed):
    """Sentences with exactly one verb: the word that looks most like one."""
    rng = np.random.default_rng(seed)
    X = [list(rng.choice(list(NOISE), rng.integers(2, 6), replace=False)) for _ in range(count)]
    y = [["V" if word == max(words, key=NOISE.get) else "N" for word in words] for words in X]
    return X, y


def free_generator(tokens, n):
    """Every labelling, as if each word were on its own: often no verb at all, or two."""
    every = itertools.product("NV", repeat=len(tokens))
    scored = [(ys, sum(NOISE[w] for w, y in zip(tokens, ys, strict=True) if y == "V")) for ys in every]
    return sorted(scored, key=lambda pair: -pair[1])[:n]


def verbs(tokens, labels):
    return [f"{min(labels.count('V'), 3)} verbs"]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_rule_about_the_whole_sentence_is_learned(learner):
    X, y = one_verb_sentences(60, 0)
    test, truth = one_verb_sentences(40, 1)
    reranker = Reranker(free_generator, features=verbs, learner=learner, n=32).fit(X, y)
    alone = [list(free_generator(words, 1)[0][0]) for words in test]
    assert np.mean([a == t for a, t in zip(alone, truth, strict=True)]) < 0.5
    assert reranker.predict(test) == truth
    weights = reranker.weights_
    assert weights["1 verbs"] > max(weights["0 verbs"], weights["2 verbs"], weights["3 verbs"])
    assert weights["generator score"] > 0
    assert reranker.top_features(1)[0][1] in weights.values()


def test_scores_and_probabilities_are_those_of_the_list():  # eq:rerank-likelihood
    X, y = one_verb_sentences(30, 0)
    reranker = Reranker(free_generator, features=verbs, n=8).fit(X, y)
    tokens = ["a", "b", "c"]
    ranked, given = reranker.nbest(tokens), free_generator(tokens, 8)
    weights = reranker.weights_
    score = {ys: weights["generator score"] * g + weights[verbs(tokens, ys)[0]] for ys, g in given}
    total = math.fsum(map(math.exp, score.values()))
    assert len(ranked) == 8
    for one in ranked:
        assert one.log_prob == pytest.approx(score[one.labels] - math.log(total), abs=1e-12)
        assert given[one.generator_rank] == (one.labels, one.generator_score)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert math.fsum(math.exp(one.log_prob) for one in ranked) == pytest.approx(1)
    assert reranker.nbest(tokens, 2) == ranked[:2]
    assert reranker.tag(tokens) == reranker.predict_single(tokens) == list(ranked[0].labels)


def test_without_evidence_the_order_of_the_generator_stays():
    X, y = one_verb_sentences(10, 0)
    reranker = Reranker(free_generator, features=lambda tokens, labels: [], learner=LogLinear(l2=1e9)).fit(
        X, y
    )
    assert [one.generator_rank for one in reranker.nbest(["a", "b", "c"])] == list(range(8))
    assert reranker.weights_ == {"generator score": pytest.approx(1, abs=1e-6)}


class TrellisGenerator:
    """An n-best generator over scores of its own."""

    def __init__(self, seed=0):
        self.weights = dict(zip("abcde", np.random.default_rng(seed).normal(size=(5, 2)), strict=True))

    def nbest(self, tokens, n):
        node = np.array([self.weights[word] for word in tokens])
        return inference.nbest(Trellis(node, np.zeros((2, 2)), labels=["N", "V"]), n)


@pytest.mark.parametrize("learner", LEARNERS)
def test_objects_with_nbest_are_generators(learner):
    X, y = one_verb_sentences(60, 0)
    test, truth = one_verb_sentences(40, 1)
    reranker = Reranker(TrellisGenerator(), learner=learner, n=32).fit(X, y)
    assert reranker.score(test, truth) > 0.9
    assert reranker.oracle_.accuracy == 1
    assert reranker.oracle_.first_accuracy < 0.8


def test_target_is_the_best_of_the_list_when_gold_is_not_in_it():
    def generator(tokens, n):
        return [(("X", "X"), 2.0), (("A", "X"), 1.0), (("X", "B"), 0.5)]

    reranker = Reranker(generator, features=lambda tokens, labels: ["/".join(labels)])
    reranker.fit([["u", "v"]] * 3, [["A", "B"]] * 3)
    weights = reranker.weights_
    assert min(weights["A/X"], weights["X/B"]) > 0 > weights["X/X"]
    oracle = reranker.oracle_
    assert (oracle.accuracy, oracle.first_accuracy, oracle.sentence_accuracy) == (0.5, 0.0, 0.0)
    assert oracle.mean_length == 3
    assert reranker.oracle([["u", "v"]], [["X", "B"]]).accuracy == 1


def test_sentences_of_weight_zero_teach_nothing():
    X, y = one_verb_sentences(20, 0)
    wrong = [["N"] * len(words) for words in X]
    both = Reranker(free_generator, features=verbs).fit(X + X, y + wrong, sample_weight=[1] * 20 + [0] * 20)
    alone = Reranker(free_generator, features=verbs).fit(X, y)
    for name, weight in alone.weights_.items():
        assert both.weights_[name] == pytest.approx(weight, abs=1e-4)


class Remembering(MostFrequentTag):
    """Notes what it was trained on, and what it was asked."""

    trained: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        Remembering.trained.append({tuple(words) for words in X})
        return super().fit(X, y)


def test_folds_make_lists_by_generators_that_have_not_seen_the_sentences(monkeypatch):
    X, y = one_verb_sentences(20, 0)
    X = [[*words, f"x{i}"] for i, words in enumerate(X)]
    y = [[*labels, "N"] for labels in y]
    monkeypatch.setattr(Remembering, "trained", [])
    asked = []
    ask = Remembering._trellises
    monkeypatch.setattr(
        Remembering,
        "_trellises",
        lambda self, corpus, threads: (
            asked.append({tuple(s.tokens) for s in corpus}),
            ask(self, corpus, threads),
        )[1],
    )
    generator = Remembering()
    reranker = Reranker(generator, folds=4, n=4).fit(X, y)
    *parts, whole = Remembering.trained
    assert len(parts) == len(asked) == 4
    assert all(not seen & listed for seen, listed in zip(parts, asked, strict=True))
    assert set.union(*asked) == whole == {tuple(words) for words in X}
    assert not generator._fitted()
    assert reranker.generator_ is not generator
    assert len(reranker.predict(X)) == 20


def test_a_tagger_without_folds_is_used_as_it_stands():
    X, y = one_verb_sentences(20, 0)
    with pytest.raises(NotFittedError, match=r"the generator has learned nothing yet .* pass folds=5"):
        Reranker(MostFrequentTag(), folds=None).fit(X, y)
    ready = MostFrequentTag().fit(X, y)
    reranker = Reranker(ready, folds=None, n=4).fit(X, y)
    assert reranker.generator_ is ready


def test_corpora_and_lists_give_the_same():
    X, y = one_verb_sentences(30, 0)
    corpus = Corpus.from_lists({"word": X, "pos": y})
    by_lists = Reranker(MostFrequentTag(), folds=3, n=6).fit(X, y)
    by_corpus = Reranker(MostFrequentTag(), folds=3, n=6).fit(corpus, "pos")
    assert by_lists.weights_ == by_corpus.weights_
    assert by_lists.predict(X) == by_corpus.predict(corpus)
    report = by_corpus.evaluate(corpus)
    assert report.accuracy == by_lists.score(X, y) == by_corpus.score(corpus, "pos")
    assert report.unseen == 0
    assert by_lists.evaluate([["a", "new"]], [["V", "N"]]).unseen == 1
    with pytest.raises(OptionError, match="evaluate needs the right labels"):
        by_lists.evaluate(corpus)


def test_features_do_not_see_the_column_of_labels():
    X, y = one_verb_sentences(5, 0)
    corpus = Corpus.from_lists({"word": X, "pos": y})
    columns = set()

    def peeking(tokens, labels):
        columns.add(tokens.columns)
        return []

    Reranker(lambda tokens, n: free_generator(tokens.tokens, n), features=peeking).fit(corpus, "pos").predict(
        corpus
    )
    assert columns == {("word",)}


def test_empty_sentences_have_the_empty_labelling():
    X, y = one_verb_sentences(10, 0)
    for generator in (free_generator, MostFrequentTag()):
        reranker = Reranker(generator, n=4, folds=2).fit([*X, []], [*y, []])
        assert reranker.predict([[], ["a"], []])[0::2] == [[], []]
        assert reranker.nbest([])[0].log_prob == 0
        assert reranker.predict([]) == []


def test_scikit_learns_contract_is_kept():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    reranker = Reranker(MostFrequentTag(), learner=LogLinear(l2=3.0), n=3)
    copied = clone(reranker)
    assert copied.learner == LogLinear(l2=3.0)
    assert copied.get_params()["learner__l2"] == 3.0
    assert repr(copied) == "Reranker(generator=MostFrequentTag(), learner=LogLinear(l2=3.0), n=3)"
    X, y = one_verb_sentences(24, 0)
    search = GridSearchCV(reranker, {"learner__l2": [0.1, 10.0]}, cv=2).fit(X, y)
    assert search.best_params_["learner__l2"] in {0.1, 10.0}


def test_a_fitted_one_can_be_pickled():
    X, y = one_verb_sentences(10, 0)
    reranker = Reranker(MostFrequentTag(), folds=2, n=4).fit(X, y)
    again = pickle.loads(pickle.dumps(reranker))
    assert again.predict(X) == reranker.predict(X)
    assert again.weights_ == reranker.weights_


def test_equal_training_gives_equal_weights():
    X, y = one_verb_sentences(30, 0)
    for learner in LEARNERS:
        one, other = (Reranker(free_generator, learner=learner).fit(X, y).coef_ for _ in range(2))
        assert one.tobytes() == other.tobytes()


def test_rare_features_are_dropped():
    X, y = one_verb_sentences(10, 0)
    every = Reranker(free_generator).fit(X, y)
    some = Reranker(free_generator, min_count=5).fit(X, y)
    assert set(some.feature_names_) < set(every.feature_names_)
    assert some.coef_.shape == (len(some.feature_names_),)


def test_sentences_may_come_one_by_one():
    X, y = [["a", "b"], ["b"], ["a"]] * 2, [["X", "Y"], ["Y"], ["X"]] * 2
    reranker = Reranker(HMM(), n=2, folds=2).fit(X, y)
    assert reranker.score((x for x in X), (labels for labels in y)) == reranker.score(X, y)
    assert reranker.evaluate((x for x in X), (labels for labels in y)).accuracy == reranker.score(X, y)
