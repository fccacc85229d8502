"""Attributes of functions phi(sentence, t, previous, label), which depend on the labels of t - 1 and t."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.encode.bag_rows import PairBags
from seqlab.errors import CorpusError, ShapeError, TemplateError
from seqlab.features.own import LabelPairFunction

MOST_CALLS = 2**31  # largest number of calls of the function for one corpus


@dataclass(frozen=True, slots=True)
class BagsOfLabelPairs:
    """Calls the function for every label pair at every token but the first of a sentence.

    labels   all labels of the model; the pair (labels[a], labels[b]) has the number a * L + b
    """

    function: LabelPairFunction
    labels: tuple[str, ...]

    def __call__(self, corpus: Corpus) -> PairBags:
        """Collect the attributes that the function returns, each with the number of its label pair."""
        pairs = [(one, other) for one in self.labels for other in self.labels]
        if corpus.token_count * len(pairs) > MOST_CALLS:
            raise ShapeError(
                f"{corpus.token_count} tokens with {len(pairs)} pairs of labels are too many calls of "
                f"{self.function.name}; pairs(...) is called once a token"
            )
        pool = _core.StringPool()
        indptr, codes, values, moves = [0], [], [], []
        for number, sentence in enumerate(corpus):
            for t in range(len(sentence)):
                try:
                    for move, (one, other) in enumerate(pairs if t else ()):
                        for name, value in self.function(sentence, t, one, other):
                            codes.append(pool.intern(name))
                            values.append(value)
                            moves.append(move)
                except (CorpusError, TemplateError) as error:
                    raise error.at(sentence=number) from error.__cause__
                indptr.append(len(codes))
        return PairBags(
            np.array(indptr, dtype=np.int64),
            np.array(codes, dtype=np.int32),
            None if all(value == 1 for value in values) else np.array(values, dtype=np.float64),
            pool,
            np.array(moves, dtype=np.int32),
        )
