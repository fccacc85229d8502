"""The tagger of python-crfsuite: it opens a model file, and labels one sequence at a time."""

from __future__ import annotations

import contextlib
import math
import operator
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy.typing as npt

from seqlab import load
from seqlab.compat.pycrfsuite._dumpparser import HEADER, ParsedDump
from seqlab.compat.pycrfsuite.items import listed
from seqlab.errors import CorpusError, StoreError
from seqlab.families.linear.tagger import LinearTagger
from seqlab.files import replaced
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import foreign_of, tagger_of
from seqlab.foreign.parts import ForeignModel, nothing_learned
from seqlab.inference import Posterior


class Tagger:
    """A tagger that reads model files of CRFsuite and of seqlab."""

    _foreign: ForeignModel | None
    _model: LinearTagger | None
    _numbers: dict[str, int]

    def __init__(self) -> None:
        self.close()

    def open(self, name: str | bytes) -> contextlib.closing[Tagger]:
        """Open a model file; `with tagger.open(name):` closes it at the end.

        name   path of a file that CRFsuite, a Trainer of this module, or save() of a seqlab tagger has written
        """
        path = path_of(name)
        content = Path(path).read_bytes()
        if content[8:9] == b"{":
            return self._take(_own(path))
        if not content.startswith(crfsuite.MAGIC):
            raise StoreError(f"invalid model file {path!r}: it begins with {content[:12]!r}", path=path)
        try:
            return self.open_inmemory(content)
        except StoreError as error:
            raise StoreError(error.message, place=error.place._replace(path=path)) from error.__cause__

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open a model from the content of its file; `with` as for open.

        value   content of a CRFsuite model file
        """
        if not isinstance(value, bytes):
            raise TypeError(f"the content of a model file is bytes, got {type(value).__name__}")
        if not value.startswith(crfsuite.MAGIC):
            raise StoreError(f"invalid model: it begins with {value[:12]!r}")
        if len(value) >= HEADER.size and HEADER.unpack_from(value)[5] == 0:  # trained without data
            return self._take((nothing_learned("CRFsuite"), None, value))
        model = crfsuite.read(value, "utf-8")
        return self._take((model, tagger_of(model), value))

    def _take(self, opened: tuple[ForeignModel, LinearTagger | None, bytes]) -> contextlib.closing[Tagger]:
        self.close()
        model, self._model, content = opened
        self._foreign = model
        self._header = content[: HEADER.size]
        self._numbers = {label: i for i, label in enumerate(model.labels)}
        return contextlib.closing(self)

    def close(self) -> None:
        """Close the model, and drop the sequence that was set."""
        self._foreign = self._model = None
        self._header, self._numbers = b"", {}
        self._set([])

    def labels(self) -> list[str]:
        """Return the labels of the model."""
        return list(self._opened().labels)

    def set(self, xseq: Any) -> None:
        """Set the sequence for tag(), probability() and marginal().

        xseq   a list with the features of each item, or an ItemSequence
        """
        self._opened()
        self._set(listed(xseq))

    def _set(self, tokens: list[Any]) -> None:
        self._tokens = tokens
        self._found: Posterior | None = None
        self._rows: npt.NDArray[Any] | None = None

    def tag(self, xseq: Any = None) -> list[str]:
        """Find the best labels of a sequence.

        xseq   as for set; None for the sequence that was set last
        """
        if xseq is not None:
            self.set(xseq)
        self._opened()
        return self._asked().tag(self._tokens) if self._tokens else []

    def tag_all(self, sequences: Iterable[Any]) -> list[list[str]]:
        """Find the best labels of many sequences at once; the sequence that was set does not change.

        sequences   each as for set
        """
        self._opened()
        given = list(map(listed, sequences))
        return self._asked().predict(given) if any(given) else [[] for _ in given]

    def probability(self, yseq: Iterable[str]) -> float:
        """Compute the probability of labels for the sequence that was set.

        yseq   a label for each item
        """
        self._opened()
        labels = [label_of(label) for label in yseq]
        if not self._tokens:
            return 0.0
        if len(labels) != len(self._tokens):
            raise ValueError(
                f"the numbers of items and labels differ: |x| = {len(self._tokens)}, |y| = {len(labels)}"
            )
        path = [self._number(label) for label in labels]
        log_z = self._posterior().log_z
        return math.exp(min(self._trellis.score(path) - log_z, 0.0))

    def marginal(self, y: str, pos: int) -> float:
        """Compute the probability of a label at one position of the sequence that was set.

        y     the label
        pos   its position, from 0
        """
        self._opened()
        label, t = label_of(y), operator.index(pos)
        if not self._tokens:
            return 0.0
        number = self._number(label)
        if not 0 <= t < len(self._tokens):
            raise ValueError(f"the position {t} is out of range of {len(self._tokens)}")
        if self._rows is None:
            self._rows = self._posterior().node
        return float(self._rows[t, number])

    def marginals(self, xseq: Any) -> list[dict[str, float]]:
        """Set a sequence, and compute for each item a dict from labels to probabilities.

        xseq   as for set
        """
        self.set(xseq)
        if not self._tokens:
            return []
        names = self.labels()
        return [dict(zip(names, row, strict=True)) for row in self._posterior().node.tolist()]

    def info(self) -> ParsedDump:
        """Return the weights of the model as dicts, which are made on first use."""
        if self._foreign is None:
            raise RuntimeError("the tagger is closed; open(name) comes first")
        return ParsedDump(self._foreign, self._header)

    def dump(self, filename: str | None = None) -> None:
        """Write the model as text.

        filename   path of the file; None for standard output
        """
        lines = self.info().text()
        if filename is None:
            sys.stdout.writelines(lines)
            return
        with replaced(path_of(filename)) as file:
            file.writelines(line.encode() for line in lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------ inside

    def _opened(self) -> ForeignModel:
        if self._foreign is None:
            raise ValueError("the tagger is not opened; open(name) comes first")
        return self._foreign

    def _asked(self) -> LinearTagger:
        if self._model is None:
            raise CorpusError("the model has no labels: its trainer was given no data")
        return self._model

    def _number(self, label: str) -> int:
        if label not in self._numbers:
            raise RuntimeError(
                f"the model does not know the label {label!r:.80}; labels() has those it knows"
            )
        return self._numbers[label]

    def _posterior(self) -> Posterior:
        """Compute the posterior of the sequence, or return the cached one."""
        if self._found is None:
            from seqlab.inference import posterior

            self._trellis = self._asked().trellis(self._tokens)
            self._found = posterior(self._trellis, threads=1)
        return self._found


def path_of(name: Any) -> str:
    """Check the name of a file, and return it as a string."""
    if not isinstance(name, (str, bytes, os.PathLike)):
        raise TypeError(f"the name of a file is wanted, got {type(name).__name__}")
    return os.fsdecode(name)


def label_of(label: Any) -> str:
    """Check a label: a string, or bytes in UTF-8."""
    if isinstance(label, bytes):
        return label.decode()
    if not isinstance(label, str):
        raise TypeError(f"a label is a string, got {label!r:.60} of type {type(label).__name__}")
    return str(label)


def _own(path: str) -> tuple[ForeignModel, LinearTagger, bytes]:
    """Read a model file of seqlab; return it with the header of an equivalent CRFsuite file."""
    tagger = load(path)
    if not isinstance(tagger, LinearTagger):
        raise StoreError(f"a CRF is wanted, but this is a {type(tagger).__name__}", path=path)
    model = foreign_of(tagger)
    content = crfsuite.written(model)
    return model, tagger_of(model), content
