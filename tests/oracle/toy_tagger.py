"""A tagger whose scores can be worked out by hand: one table of words and labels, one of moves."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from seqlab.tagging.door.sentences import read_labelled
from seqlab.tagging.tagger import Tagger
from seqlab.tagging.training import Training
from seqlab.trellis import TrellisBatch


@dataclass(frozen=True)
class Inner:
    """The deeper options of a learner."""

    rate: float = 0.5


@dataclass(frozen=True)
class Learner:
    """Options like those of a learner."""

    l2: float = 1.0
    start: Inner = Inner()


@dataclass(frozen=True, eq=False)
class ToyFit:
    """The least that a fitted tagger keeps."""

    training: Training


class ToyTagger(Tagger):
    """Scores are numbers made of the letters of word and label."""

    def __init__(self, scale=1.0, *, learner=Learner(), probabilistic=True, moves=True, block=50_000):
        self.scale = scale
        self.learner = learner
        self.probabilistic = probabilistic
        self.moves = moves
        self.block = block

    def fit(self, X, y, *, sample_weight=None):
        corpus, gold = read_labelled(X, y, words=self._reads_words)
        self.sample_weight_ = sample_weight
        self.fitted_on_ = len(corpus)
        self.fit_ = ToyFit(Training.of(corpus, gold, gold.names))
        return self

    @property
    def _probabilistic(self):
        return self.probabilistic

    @property
    def _block(self):
        return self.block

    def node(self, word, label):
        return self.scale * math.sin(sum(map(ord, word)) + 3 * sum(map(ord, label)))

    def edge(self, one, other):
        return self.scale * math.cos(sum(map(ord, one)) - 2 * sum(map(ord, other))) if self.moves else 0.0

    def path_score(self, words, labels):
        """By hand."""
        score = sum(map(self.node, words, labels))
        return score + sum(self.edge(one, other) for one, other in itertools.pairwise(labels))

    def all_paths(self, words):
        """Every labelling with its score, best first."""
        paths = [
            (self.path_score(words, path), path)
            for path in itertools.product(self.labels_, repeat=len(words))
        ]
        return sorted(paths, reverse=True)

    def _trellises(self, corpus, threads):
        words = [word for sentence in corpus.column("word") for word in sentence]
        node = np.array([[self.node(word, label) for label in self.labels_] for word in words])
        edge = np.array([[self.edge(one, other) for other in self.labels_] for one in self.labels_])
        return TrellisBatch(node.reshape(-1, len(self.labels_)), corpus.lengths, edge, labels=self.labels_)
