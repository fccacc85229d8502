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

from seqlab import _core, load
from seqlab.arrays import thread_count
from seqlab.compat.pycrfsuite._dumpparser import HEADER, ParsedDump
from seqlab.compat.pycrfsuite.items import listed, plain
from seqlab.errors import CorpusError, StoreError
from seqlab.families.linear.tagger import LinearTagger
from seqlab.files import replaced
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import foreign_of, tagger_of
from seqlab.foreign.parts import ForeignModel, nothing_learned
from seqlab.inference import Posterior, posterior, viterbi
from seqlab.tagging.decoding import labelled
from seqlab.trellis import Trellis


class Tagger:
    """A tagger that reads model files of CRFsuite and of seqlab."""

    _foreign: ForeignModel | None
    _model: LinearTagger | None
    _numbers: dict[str, int]
    # The core has the model and the sequence that was set; it answers usual questions. None before the first one, and
    # for a model without labels.
    _native: _core.AttributeTagger | None
    _tokens: list[Any] | None  # the sequence that was set; None when the core has it

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
        self._foreign = self._model = self._native = None
        self._header, self._numbers = b"", {}
        self._keep([])

    def labels(self) -> list[str]:
        """Return the labels of the model."""
        return list(self._opened().labels)

    def set(self, xseq: Any) -> None:
        """Set the sequence for tag(), probability() and marginal().

        xseq   a list with the features of each item, or an ItemSequence
        """
        native = self._asked_native()
        if native is not None and native.set(xseq):
            self._keep(None)
            return
        tokens = listed(xseq)
        short = native is not None and native.takes(len(tokens))
        usual = short and (native.set(tokens) or native.set(list(map(plain, tokens))))  # type: ignore[union-attr]
        self._keep(None if usual else tokens)

    def _keep(self, tokens: list[Any] | None) -> None:
        self._tokens = tokens
        self._found: tuple[Trellis, Posterior] | None = None

    def tag(self, xseq: Any = None) -> list[str]:
        """Find the best labels of a sequence.

        xseq   as for set; None for the sequence that was set last
        """
        native = self._native
        if native is not None and xseq is not None:
            found = native.tag(xseq)
            if found is not None:
                self._keep(None)
                return found
        if xseq is not None:
            self.set(xseq)
        self._opened()
        if self._tokens is None:
            found = None if self._native is None else self._native.best()
            return list(viterbi(self._trellis()).labels) if found is None else found
        return self.tag_all([self._tokens])[0]

    def tag_all(self, sequences: Iterable[Any]) -> list[list[str]]:
        """Find the best labels of many sequences at once; the sequence that was set does not change.

        sequences   each as for set
        """
        self._opened()
        native = self._asked_native()
        given = sequences if isinstance(sequences, list) else list(sequences)
        found: list[list[str]] | None = None if native is None else native.tag_all(given, thread_count(None))
        if found is not None:
            return found
        given = list(map(listed, given))
        return self._asked().predict(given) if any(given) else [[] for _ in given]

    def probability(self, yseq: Iterable[str]) -> float:
        """Compute the probability of labels for the sequence that was set.

        yseq   a label for each item
        """
        found = None if self._native is None or self._tokens is not None else self._native.probability(yseq)
        if found is not None:
            return found
        self._opened()
        labels = [label_of(label) for label in yseq]
        length = self._length()
        if not length:
            return 0.0
        if len(labels) != length:
            raise ValueError(f"the numbers of items and labels differ: |x| = {length}, |y| = {len(labels)}")
        path = [self._number(label) for label in labels]
        trellis, posterior = self._posterior()
        return math.exp(min(trellis.score(path) - posterior.log_z, 0.0))

    def marginal(self, y: str, pos: int) -> float:
        """Compute the probability of a label at one position of the sequence that was set.

        y     the label
        pos   its position, from 0
        """
        found = None if self._native is None or self._tokens is not None else self._native.marginal(y, pos)
        if found is not None:
            return found
        self._opened()
        label, t, length = label_of(y), operator.index(pos), self._length()
        if not length:
            return 0.0
        number = self._number(label)
        if not 0 <= t < length:
            raise ValueError(f"the position {t} is out of range of {length}")
        return float(self._posterior()[1].node[t, number])

    def marginals(self, xseq: Any) -> list[dict[str, float]]:
        """Set a sequence, and compute for each item a dict from labels to probabilities.

        xseq   as for set
        """
        self.set(xseq)
        found = None if self._native is None or self._tokens is not None else self._native.marginals()
        if found is not None:
            return found
        return labelled(self._posterior()[1].node, self.labels()) if self._length() else []

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

    def _asked_native(self) -> _core.AttributeTagger | None:
        """Make the way through the core when it is first needed, and return it."""
        self._opened()
        if self._native is None and self._model is not None:
            self._native = self._model.fit_.attribute_tagger
        return self._native

    def _length(self) -> int:
        if self._tokens is not None:
            return len(self._tokens)
        return 0 if self._native is None else len(self._native)

    def _trellis(self) -> Trellis:
        """Make the trellis of the sequence that was set."""
        model = self._asked()
        if self._tokens is not None:
            return model.trellis(self._tokens)
        scores = self._native.scores()  # type: ignore[union-attr]
        return Trellis(scores, model.model_.moves, labels=model.labels_)

    def _posterior(self) -> tuple[Trellis, Posterior]:
        """Compute the posterior of the sequence, or return the cached one."""
        if self._found is None:
            trellis = self._trellis()
            self._found = trellis, posterior(trellis, threads=1)
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
