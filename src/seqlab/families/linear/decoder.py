"""The fast way from a corpus to label numbers: the best path of every sentence (eq:viterbi).

A model of order 1 without edge attributes is decoded in the core, block by block: straight from the columns when a
template makes all its features, else from rows of attribute numbers. Everything else goes through trellises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from seqlab import _core, inference
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder, Rows, TemplateRows
from seqlab.errors import ImpossibleError
from seqlab.families.linear.model import LinearModel

Offsets = npt.NDArray[np.int64]

# Sums of some thousand weights this large still are float32 numbers; larger ones are left to float64.
LARGEST_WEIGHT = 1e30
# Tokens of one block of trellises; edge attributes have L * L numbers for each.
BLOCK_TOKENS = 4096


class Decoder:
    """Best labels under one model, for corpora that one encoder reads.

    Made once for a fitted model and kept; several threads may use it at once. The encoder must not be fitted anew
    meanwhile.
    """

    def __init__(self, model: LinearModel, encoder: Encoder) -> None:
        self._model = model
        self._encoder = encoder
        self._largest = _largest(model)
        self._template: tuple[TemplateRows, _core.TemplateDecoder] | None = None
        self._rows: _core.RowDecoder | None = None
        if model.order == 2 or model.edge is not None or self._largest > LARGEST_WEIGHT:
            return
        parameters: Any = (model.begin, model.label, model.weights, *_chain(model))
        producers = encoder.producers
        if len(producers) == 1 and isinstance(producers[0], TemplateRows):
            self._template = (producers[0], _core.TemplateDecoder(producers[0].bank, *parameters))
        else:
            self._rows = _core.RowDecoder(*parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return Decoder, (self._model, self._encoder)

    def label_ids(self, corpus: Corpus, threads: int = 1) -> LabelIds:
        """(tokens,) label numbers of the best paths; ImpossibleError names the sentence that has none."""
        ids = np.empty(corpus.token_count, dtype=np.int32)
        if self._template is not None:
            producer, decoder = self._template
            lost = decoder(producer.columns(corpus), corpus.offsets, ids, threads)
            if lost >= 0:
                self._refuse(corpus, lost)
            return ids
        encoded = self._encoder.encode(corpus, threads=threads).checked()
        if self._rows is None or _overflows(encoded.node, self._largest):
            return self._through_trellises(encoded, threads)
        node = encoded.node
        lost = self._rows(node.indptr, node.ids, node.values, encoded.offsets, ids, threads)
        if lost >= 0:
            self._refuse(corpus, lost)
        return ids

    def _refuse(self, corpus: Corpus, sentence: int) -> NoReturn:
        """Say why a sentence has no legal path, as its trellis does."""
        encoded = self._encoder.encode(corpus[sentence : sentence + 1])
        self._best(encoded, sentence, 1)
        raise RuntimeError(f"sentence {sentence}: the trellis has a path that the decoder did not find")

    def _through_trellises(self, encoded: EncodedCorpus, threads: int) -> LabelIds:
        blocks = [self._best(part, first, threads) for first, part in _blocks(encoded)]
        return np.concatenate([np.zeros(0, dtype=np.int32), *blocks])

    def _best(self, encoded: EncodedCorpus, first: int, threads: int) -> LabelIds:
        """The labels of sentences that have the numbers first, first + 1, ... in their corpus."""
        exact = self._largest > LARGEST_WEIGHT or _overflows(encoded.node, self._largest)
        dtype = np.float64 if exact else np.float32
        try:
            paths = inference.viterbi(
                self._model.trellises(encoded, dtype=dtype, threads=threads), threads=threads
            )
        except ImpossibleError as error:
            raise error.at(sentence=first + (error.sequence or 0), unit="sentence") from None
        return np.concatenate([np.zeros(0, dtype=np.int32), *(path.ids for path in paths)])


def names_of(ids: LabelIds, offsets: Offsets, names: Sequence[str]) -> list[list[str]]:
    """The labels of every sentence: ids (tokens,), sentence s has tokens offsets[s] .. offsets[s + 1]."""
    return _core.gather_all(list(names), ids, offsets)


def _chain(model: LinearModel) -> tuple[npt.NDArray[np.float32], ...]:
    """Scores of moves (L, L), first labels (L,) and last labels (L,), -inf for what is forbidden."""
    edge = np.array(model.moves, dtype=np.float32, order="C")
    edge[model.rules.forbidden] = -np.inf
    start, end = np.zeros(model.L, np.float32), np.zeros(model.L, np.float32)
    start[model.rules.no_start] = -np.inf
    end[model.rules.no_end] = -np.inf
    return edge, start, end


def _largest(model: LinearModel) -> float:
    return max(float(np.abs(part).max(initial=0.0)) for part in (model.weights, model.moves))


def _overflows(rows: Rows, largest: float) -> bool:
    """Whether values times weights may leave float32."""
    if rows.values is None:
        return False
    return float(np.abs(rows.values).max(initial=0.0)) * max(largest, 1.0) > LARGEST_WEIGHT


def _blocks(encoded: EncodedCorpus) -> Iterator[tuple[int, EncodedCorpus]]:
    """(number of its first sentence, part) for parts of about BLOCK_TOKENS tokens."""
    offsets = encoded.offsets
    first = 0
    while first < len(encoded):
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK_TOKENS, side="right")) - 1
        last = min(max(last, first + 1), len(encoded))
        yield first, encoded.stretch(first, last)
        first = last
