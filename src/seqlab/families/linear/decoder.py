"""The fast way from a corpus to label numbers: the best path of every sentence (eq:viterbi).

A model of order 1 without edge attributes is decoded in the core, block by block, on tables used where they lie:
straight from the columns when a template makes all its features, else from rows of attribute numbers. Everything else
goes through trellises, which are the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from seqlab import _core, inference
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder, Rows
from seqlab.encode.bag_rows import BagRows
from seqlab.encode.encoder import ATTRIBUTES
from seqlab.encode.plan import Plan
from seqlab.encode.template_rows import ColumnReader
from seqlab.errors import ImpossibleError
from seqlab.families.linear.decoder_tables import LARGEST_WEIGHT, DecoderTables, largest_weight, tables_of
from seqlab.families.linear.model import LinearModel

Offsets = npt.NDArray[np.int64]

# Places from a token to what a feature reads; the core keeps room for all of them.
WIDEST = 10_000
# Tokens of one block of trellises; edge attributes have L * L numbers for each.
BLOCK_TOKENS = 4096


class Decoder:
    """Best labels under one model, for corpora that one encoder reads.

    tables       arrays that the core reads where they lie; None for a model that is decoded by trellises
    definition   gives model and encoder, for sentences that the tables are not for: they need not be there before

    Several threads may use one decoder at once. The encoder must not be fitted anew meanwhile.
    """

    def __init__(
        self, tables: DecoderTables | None, definition: Callable[[], tuple[LinearModel, Encoder]]
    ) -> None:
        self._definition = definition
        if tables is not None and tables.plan is not None and _widest(tables.plan) > WIDEST:
            tables = None
        self._plan = None if tables is None else tables.plan
        self._template: _core.TemplateDecoder | None = None
        self._rows: _core.RowDecoder | None = None
        self._attributes: BagRows | None = None
        if tables is None:
            return
        chain: Any = (tables.edge, tables.start, tables.end)
        if tables.plan is not None:
            self._template = _core.TemplateDecoder(tables.arrays, *tables.plan.compiled(), *chain)
        else:
            self._rows = _core.RowDecoder(tables.arrays, *chain)
        if tables.column is not None:
            self._attributes = BagRows.of_laid_out(tables.column, tables.arrays)

    @staticmethod
    def of(model: LinearModel, encoder: Encoder) -> Decoder:
        """Return the decoder of a model in memory."""
        return Decoder(tables_of(model, encoder), lambda: (model, encoder))

    def __reduce__(self) -> tuple[Any, ...]:
        return Decoder.of, self._definition()

    @property
    def known(self) -> _core.StringPool | None:
        """All attributes that it looks at in lists of ready-made ones; None where it wants to see all of them."""
        if self._attributes is not None:
            return self._attributes.pool if self._attributes.column == ATTRIBUTES else None
        return None if self._template is not None else self._definition()[1].known

    def label_ids(self, corpus: Corpus, threads: int = 1) -> LabelIds:
        """(tokens,) label numbers of the best paths; ImpossibleError names the sentence that has none."""
        ids = np.empty(corpus.token_count, dtype=np.int32)
        if self._plan is not None and self._template is not None:
            columns = ColumnReader(self._plan.template, corpus).read(self._plan.sources)
            lost = self._template(columns, corpus.offsets, ids, threads)
        else:
            rows = None if self._attributes is None else self._attributes.look_up(corpus, threads)
            if rows is None or rows.values is not None:
                encoded = self._encoded(corpus, rows, threads).checked()
                rows = encoded.node
                if self._rows is None or _overflows(rows, self._largest):
                    return self._through_trellises(encoded, threads)
                if rows.values is not None:
                    return self._weighed(encoded, corpus, threads)
            assert self._rows is not None  # noqa: S101  (where attributes are laid out, rows are)
            lost = self._rows(rows.indptr, rows.ids, corpus.offsets, ids, threads)
        if lost >= 0:
            self._refuse(corpus, lost)
        return ids

    def _encoded(self, corpus: Corpus, rows: Rows | None, threads: int) -> EncodedCorpus:
        """Return the corpus as the definition takes it; rows that were found in a file may be any numbers."""
        encoder = self._definition()[1]
        if rows is None or int(rows.ids.max(initial=-1)) >= encoder.size:
            return encoder.encode(corpus, threads=threads)
        return EncodedCorpus(corpus.offsets, rows, None, None, encoder)

    def _weighed(self, encoded: EncodedCorpus, corpus: Corpus, threads: int) -> LabelIds:
        """Return the labels where attributes count more or less than 1, which tables do not know."""
        model, blocks = self._definition()[0], [np.zeros(0, dtype=np.int32)]
        for first, part in _blocks(encoded, 16 * BLOCK_TOKENS):
            ids = np.empty(part.token_count, dtype=np.int32)
            node = model.node_scores(part.node, threads=threads)
            lost = self._rows.best(node.reshape(-1), part.offsets, ids, threads)  # type: ignore[union-attr]
            if lost >= 0:
                self._refuse(corpus, first + lost)
            blocks.append(ids)
        return np.concatenate(blocks)

    @cached_property
    def _largest(self) -> float:
        return largest_weight(self._definition()[0])

    def _refuse(self, corpus: Corpus, sentence: int) -> NoReturn:
        """Say why a sentence has no legal path, as its trellis does."""
        encoded = self._definition()[1].encode(corpus[sentence : sentence + 1])
        self._best(encoded, sentence, 1)
        raise RuntimeError(f"sentence {sentence}: the trellis has a path that the decoder did not find")

    def _through_trellises(self, encoded: EncodedCorpus, threads: int) -> LabelIds:
        blocks = [self._best(part, first, threads) for first, part in _blocks(encoded, BLOCK_TOKENS)]
        return np.concatenate([np.zeros(0, dtype=np.int32), *blocks])

    def _best(self, encoded: EncodedCorpus, first: int, threads: int) -> LabelIds:
        """The labels of sentences that have the numbers first, first + 1, ... in their corpus."""
        exact = self._largest > LARGEST_WEIGHT or _overflows(encoded.node, self._largest)
        dtype = np.float64 if exact else np.float32
        try:
            paths = inference.viterbi(
                self._definition()[0].trellises(encoded, dtype=dtype, threads=threads), threads=threads
            )
        except ImpossibleError as error:
            raise error.at(sentence=first + (error.sequence or 0), unit="sentence") from None
        return np.concatenate([np.zeros(0, dtype=np.int32), *(path.ids for path in paths)])


def names_of(ids: LabelIds, offsets: Offsets, names: Sequence[str]) -> list[list[str]]:
    """The labels of every sentence: ids (tokens,), sentence s has tokens offsets[s] .. offsets[s + 1]."""
    return _core.gather_all(list(names), ids, offsets)


def _overflows(rows: Rows, largest: float) -> bool:
    """Whether values times weights may leave float32."""
    if rows.values is None:
        return False
    return float(np.abs(rows.values).max(initial=0.0)) * max(largest, 1.0) > LARGEST_WEIGHT


def _blocks(encoded: EncodedCorpus, tokens: int) -> Iterator[tuple[int, EncodedCorpus]]:
    """(number of its first sentence, part) for parts of about so many tokens."""
    offsets = encoded.offsets
    first = 0
    while first < len(encoded):
        last = int(np.searchsorted(offsets, offsets[first] + tokens, side="right")) - 1
        last = min(max(last, first + 1), len(encoded))
        yield first, encoded.stretch(first, last)
        first = last


def _widest(plan: Plan) -> int:
    """Return how far from its token a feature reads at most."""
    offsets = [abs(atom.offset) for feature in plan.template.features for atom in feature.atoms]
    return max(offsets, default=0)
