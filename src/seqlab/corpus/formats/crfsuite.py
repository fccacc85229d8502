"""CRFsuite's files: one token per line: its label, then its attributes, separated by tabs, with optional weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.corpus.columns import BagColumn, Column, StringColumn
from seqlab.corpus.corpus import Corpus
from seqlab.corpus.formats.base import LINE_ENDS, SENTENCE_LINE, Format, Options, pieces, shown
from seqlab.corpus.origin import Extras, Layout
from seqlab.errors import CorpusError

ATTRIBUTE = re.compile(r".+=.+|__[BE]OS__|.*[^\\]:[-+]?[0-9.]+(e[-+]?[0-9]+)?")
WEIGHT = "@weight:"  # on a separate line before a sentence


class Crfsuite(Format):
    """The format of CRFsuite: a column of labels and one of bags."""

    name = "crfsuite"
    title = "a CRFsuite file"
    suffixes = (".crfsuite",)
    weight = 20
    sign = re.compile(r"\t.*(?:[=:]|__[BE]OS__)")
    longest_line = SENTENCE_LINE

    @classmethod
    def is_like(cls, lines: Sequence[str], *, blank_lines: bool) -> bool:  # noqa: ARG003
        """Return True if most cells after the first are name=value or name:weight."""
        cells = [cell for line in lines if not line.startswith("@") for cell in line.split("\t")[1:]]
        return sum(bool(ATTRIBUTE.fullmatch(cell)) for cell in cells) > 0.6 * len(cells)

    def __init__(self, options: Options) -> None:
        label, self._attributes = options.fixed_names(self.name, ("label", "attributes"))
        self._core = _core.AttributeReader(longest_line=self.longest_line)
        super().__init__(options, self._core, (label,))

    def _columns(self, raw: Sequence[tuple[Any, _core.StringPool]]) -> dict[str, Column] | None:
        bag = BagColumn(*self._core.take_bag())
        labels = super()._columns(raw)
        return None if labels is None else {**labels, self._attributes: bag}

    def fault(self, kind: str, text: bytes, number: int) -> str:
        """Describe an error in a line."""
        if kind == "bad_weight":
            cell = shown(text.split(b"\t")[number])
            return (
                f"the weight in {cell} is no finite number; CRFsuite writes attribute:2.5, and \\: for a colon in the "
                f"attribute itself"
            )
        if kind == "declaration":
            return (
                f"{shown(text)} is no declaration that CRFsuite knows; only @weight:2.5 is, and no label begins with "
                f"@"
            )
        return super().fault(kind, text, number)

    @classmethod
    def weights(cls, extras: Extras, size: int) -> npt.NDArray[np.float64]:
        """Read the weights of `size` sentences from their declarations."""
        weights = np.ones(size)
        for sentence, code in zip(extras.sentence.tolist(), extras.codes.tolist(), strict=True):
            line = "" if code < 0 else extras.pool.string(code)
            if line.startswith(WEIGHT) and sentence < size:
                weights[sentence] = float(line[len(WEIGHT) :])
        return weights

    @classmethod
    def render(cls, corpus: Corpus, layout: Layout) -> Iterator[bytes]:
        """Write labels and attributes."""
        bags = [name for name in corpus.columns if isinstance(corpus.data(name), BagColumn)]
        labels = [name for name in corpus.columns if isinstance(corpus.data(name), StringColumn)]
        if len(bags) != 1 or len(labels) != 1:
            raise CorpusError(
                f"a CRFsuite file holds one column of labels and one of attributes, but the corpus has "
                f"{' '.join(corpus.columns)}; pass columns=('label', 'attributes')"
            )
        bag = corpus.data(bags[0])
        assert isinstance(bag, BagColumn)  # noqa: S101  # chosen so above
        cls.refuse_cells(corpus, labels[0], LINE_ENDS + "\t")
        column = corpus.strings(labels[0])
        declared = [value.startswith("@") for value in column.values]
        wrong = np.flatnonzero(np.array(declared, dtype=bool)[column.codes])
        if len(wrong):
            raise cls.unwritable(corpus, labels[0], int(wrong[0]), column.values[column.codes[wrong[0]]])
        attribute = _core.first_unwritable(bag.codes, bag.pool, LINE_ENDS + "\t", True, False)
        if attribute < len(bag.codes):
            token = int(np.searchsorted(bag.indptr, attribute, side="right")) - 1
            raise cls.unwritable(corpus, bags[0], token, bag.values[bag.codes[attribute]])
        sheet = cls.sheet(corpus, [column], layout)
        arrays = (bag.indptr, bag.codes, bag.weights, bag.pool)
        return (sheet.attributes(*arrays, begin, end) for begin, end in pieces(corpus))


FORMAT = Crfsuite
