"""Models that are fitted, taught more, saved, loaded, pruned and converted in any order answer as plain Python does.

Each machine keeps what a model should have learned in the simplest form (counts, weights by name), and every answer is
computed from that by enumeration.
"""

import itertools
import math
import os
import pickle
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pytest import approx

import seqlab
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import foreign_of

SYMBOLS, LABELS = "abcd", "XYZ"
STEPS = settings(
    max_examples=int(os.environ.get("SEQLAB_LIVES", "15")), stateful_step_count=10, deadline=None
)


def lists(letters, most=4):
    return st.lists(st.sampled_from(letters), min_size=1, max_size=most)


def labelled(most=4):
    pairs = st.lists(st.tuples(st.sampled_from(SYMBOLS), st.sampled_from(LABELS)), min_size=1, max_size=most)
    return st.lists(pairs, min_size=1, max_size=4)


def unzipped(sentences):
    return [[w for w, _ in s] for s in sentences], [[y for _, y in s] for s in sentences]


class Life(RuleBasedStateMachine):
    """A model that may be stored at any time; what comes back takes its place."""

    model = None

    def fitted(self):
        return self.model is not None

    @precondition(fitted)
    @rule(way=st.sampled_from(["file", "mapped", "bytes", "pickle"]))
    def stored(self, way):
        if way == "bytes":
            self.model = type(self.model).from_bytes(self.model.as_bytes())
        elif way == "pickle":
            self.model = pickle.loads(pickle.dumps(self.model))
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "m.model")
                self.model.save(path)
                self.model = seqlab.load(path, map=way == "mapped")


class ChainLife(Life):
    """eq:add-lambda   P(w | h) = (c(h w) + lambda) / (c(h) + lambda S)"""

    add = 0.5

    @rule(sentences=st.lists(lists(SYMBOLS), min_size=1, max_size=4), order=st.integers(1, 2))
    def fit(self, sentences, order):
        self.order, self.counts, self.words = order, Counter(), set()
        self.model = seqlab.MarkovChain(order, self.add).fit(sentences)
        self._count(sentences)

    @precondition(Life.fitted)
    @rule(sentences=st.lists(lists(SYMBOLS), min_size=1, max_size=4))
    def partial_fit(self, sentences):
        self.model.partial_fit(sentences)
        self._count(sentences)

    def _count(self, sentences):
        for sentence in sentences:
            self.words |= set(sentence)
            for history, symbol in self._steps(sentence):
                self.counts[history, symbol] += 1

    def _steps(self, sentence):
        whole = ["<s>", *sentence]
        for t, symbol in enumerate([*sentence, "</s>"], start=1):
            yield tuple(whole[max(0, t - self.order) : t]), symbol

    def _log_prob(self, sentence):
        known = [w if w in self.words else "<unk>" for w in sentence]
        total = 0.0
        for history, symbol in self._steps(known):
            size = len(self.words) + 2  # the unknown word and the end
            of_history = sum(n for (h, _), n in self.counts.items() if h == history)
            total += math.log((self.counts[history, symbol] + self.add) / (of_history + self.add * size))
        return total

    @precondition(Life.fitted)
    @rule(sentence=lists(SYMBOLS + "?", 5))
    def asked(self, sentence):
        assert self.model.log_prob(sentence) == approx(self._log_prob(sentence), rel=1e-9)

    @precondition(Life.fitted)
    @rule(sentence=lists(SYMBOLS, 5))
    def converted(self, sentence):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.arpa")
            self.model.save_arpa(path)
            again = seqlab.MarkovChain.from_arpa(path)
        assert again.log_prob(sentence) == approx(self._log_prob(sentence), rel=1e-5)

    @invariant()
    def sums_to_one(self):
        if self.fitted():
            assert set(self.model.symbols_) == {*self.words, "<unk>", "</s>"}
            assert sum(self.model.next(["a"]).probabilities) == approx(1.0)


class HMMLife(Life):
    """eq:counting   P(y | y') and P(w | y) by counts, with lambda added to each"""

    add = 0.25

    @rule(sentences=labelled())
    def fit(self, sentences):
        self.moves, self.words = Counter(), Counter()
        self.model = self._new().fit(*unzipped(sentences))
        self._count(sentences)

    def _new(self):
        return seqlab.HMM(order=1, smoothing=self.add, learner=seqlab.Counting(unknown="none"))

    @precondition(Life.fitted)
    @rule(sentences=labelled())
    def partial_fit(self, sentences):
        self.model.partial_fit(*unzipped(sentences))
        self._count(sentences)

    def _count(self, sentences):
        for sentence in sentences:
            labels = ["start", *(y for _, y in sentence)]
            self.moves.update(itertools.pairwise(labels))
            self.words.update((y, w) for w, y in sentence)

    def _log_joint(self, words, labels):
        names, vocabulary = {y for y, _ in self.words}, {w for _, w in self.words}
        total, before = 0.0, "start"
        for word, label in zip(words, labels, strict=True):
            moves = sum(n for (y, _), n in self.moves.items() if y == before)
            total += math.log((self.moves[before, label] + self.add) / (moves + self.add * len(names)))
            seen = sum(n for (y, _), n in self.words.items() if y == label)
            total += math.log((self.words[label, word] + self.add) / (seen + self.add * len(vocabulary)))
            before = label
        return total

    @precondition(Life.fitted)
    @rule(data=st.data())
    def asked(self, data):
        words = data.draw(lists(sorted({w for _, w in self.words})))
        names = sorted({y for y, _ in self.words})
        assert sorted(self.model.labels_) == names
        paths = [self._log_joint(words, y) for y in itertools.product(names, repeat=len(words))]
        found = self.model.predict([words])[0]
        assert self._log_joint(words, found) == approx(max(paths), abs=1e-9)
        assert self.model.log_joint(words, found) == approx(max(paths), abs=1e-9)
        total = math.log(math.fsum(math.exp(one) for one in paths))
        assert self.model.log_likelihood(words) == approx(total, abs=1e-9)

    @precondition(Life.fitted)
    @rule(sentences=labelled())
    def all_at_once(self, sentences):
        """fit on all that it has seen and more is partial_fit of the rest."""
        first = self._new().fit(*unzipped(sentences))
        both = self._new().fit(*unzipped(sentences * 2))
        first.partial_fit(*unzipped(sentences))
        X, y = unzipped(sentences)
        assert first.log_joint(X[0], y[0]) == approx(both.log_joint(X[0], y[0]), abs=1e-12)


class LinearLife(Life):
    """The score of a path is the sum of the weights of its attributes and moves."""

    def _new(self):
        raise NotImplementedError

    @staticmethod
    def _bags(sentences):
        return [[[f"w={w}", "bias"] for w in s] for s in sentences]

    @rule(sentences=labelled())
    def fit(self, sentences):
        X, y = unzipped(sentences)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = self._new().fit(self._bags(X), y)
        self._read()

    @precondition(Life.fitted)
    @rule(sentences=labelled())
    def partial_fit(self, sentences):
        X, y = unzipped(sentences)
        before = set(self.model.labels_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model.partial_fit(self._bags(X), y)
        assert set(self.model.labels_) == before | {label for s in y for label in s}
        self._read()

    def _read(self):
        """Take the weights by name: from here on plain Python knows the model."""
        self.state = dict(self.model.state_features_)
        self.moves = dict(self.model.transition_features_)
        self.names = tuple(self.model.labels_)

    def _score(self, bags, labels):
        total = sum(self.state.get((a, y), 0.0) for bag, y in zip(bags, labels, strict=True) for a in bag)
        return total + sum(self.moves.get(pair, 0.0) for pair in itertools.pairwise(labels))

    def _best(self, bags):
        return max(self._score(bags, y) for y in itertools.product(self.names, repeat=len(bags)))

    @precondition(Life.fitted)
    @rule(sentence=lists(SYMBOLS + "?"))
    def asked(self, sentence):
        self._check(self.model, sentence)

    def _check(self, model, sentence):
        bags = self._bags([sentence])[0]
        found = model.predict([bags])[0]
        assert self._score(bags, found) == approx(
            self._best(bags), abs=1e-4
        )  # weights of the decoder are float32
        paths = model.nbest(bags, 3)
        scores = sorted(
            (self._score(bags, y) for y in itertools.product(self.names, repeat=len(bags))), reverse=True
        )
        assert [one.score for one in paths] == approx(scores[:3], abs=1e-6)

    @precondition(Life.fitted)
    @rule(threshold=st.sampled_from([0.01, 0.3, 1.0]), sentence=lists(SYMBOLS))
    def pruned(self, threshold, sentence):
        small = self.model.prune(threshold=threshold)
        kept = {name: w for name, w in self.state.items() if abs(w) > threshold}
        found = {name: w for name, w in small.state_features_.items() if w != 0}
        assert found == approx({name: w for name, w in kept.items() if w != 0}, abs=1e-6)
        assert small.model_.theta.size <= self.model.model_.theta.size
        self.model = small
        self._read()
        self._check(small, sentence)

    @precondition(Life.fitted)
    @rule(sentence=lists(SYMBOLS))
    def converted(self, sentence):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "x.crfsuite")
            path.write_bytes(crfsuite.written(foreign_of(self.model)))
            again = seqlab.convert_model(path)
        bags = self._bags([sentence])[0]
        assert self._score(bags, again.predict([bags])[0]) == approx(self._best(bags), abs=1e-4)


class PerceptronLife(LinearLife):
    def _new(self):
        return seqlab.LinearTagger(None, seqlab.Perceptron(epochs=2), threads=1)


class CRFLife(LinearLife):
    def _new(self):
        return seqlab.CRF(None, seqlab.LBFGS(max_iterations=3, l2=0.5), threads=1)

    @precondition(Life.fitted)
    @rule(sentence=lists(SYMBOLS, 3))
    def probabilities(self, sentence):
        bags = self._bags([sentence])[0]
        scores = [self._score(bags, y) for y in itertools.product(self.names, repeat=len(bags))]
        total = math.log(math.fsum(math.exp(one) for one in scores))
        assert self.model.log_partition(bags) == approx(total, abs=1e-6)


for life in (ChainLife, HMMLife, PerceptronLife, CRFLife):
    life.TestCase.settings = STEPS

TestChain = ChainLife.TestCase
TestHMM = HMMLife.TestCase
TestPerceptron = PerceptronLife.TestCase
TestCRF = CRFLife.TestCase
