"""The tagger of python-crfsuite: it opens a model file, and labels one sequence at a time.

The core uses the file as it lies in memory. NumPy and a tagger of ours come with the first question that needs them:
the weights by name, or the labels of many sequences.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from io import FileIO
from typing import Any, Self

from seqlab import _core
from seqlab.compat.pycrfsuite._dumpparser import HEADER, ParsedDump
from seqlab.compat.pycrfsuite.items import bags_of, listed, plain, whole
from seqlab.errors import CorpusError, ScoreError, StoreError

MAGIC = b"lCRF"
# Sequences are labelled with the file's own tables. It pays to make faster ones for more tokens than this, and than
# this share of the attributes.
MANY, SHARE = 4096, 0.1


class Tagger:
    """A tagger that reads model files of CRFsuite and of seqlab."""

    _content: bytes | None  # None: closed
    _model: _core.CrfsuiteModel | None  # None: closed, or a model that was trained without data
    _sequence: _core.CrfsuiteSequence | None  # None: none was set, or one without items
    _labels: list[str]
    _quick: Any  # a LinearTagger, or None

    def __init__(self) -> None:
        self.close()

    def open(self, name: str | bytes) -> contextlib.closing[Tagger]:
        """Open a model file; `with tagger.open(name):` closes it at the end.

        name   path of a file that CRFsuite, a Trainer of this module, or save() of a seqlab tagger has written
        """
        path = path_of(name)
        with FileIO(path) as file:
            content = file.readall()
        if content[8:9] == b"{":
            return self._take(_own(path))
        if not content.startswith(MAGIC):
            raise StoreError(f"invalid model file {path!r}: it begins with {content[:12]!r}", path=path)
        try:
            return self._take(content)
        except StoreError as error:
            raise StoreError(error.message, place=error.place._replace(path=path)) from error.__cause__

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open a model from the content of its file; `with` as for open.

        value   content of a CRFsuite model file
        """
        if not isinstance(value, bytes):
            raise TypeError(f"the content of a model file is bytes, got {type(value).__name__}")
        if not value.startswith(MAGIC):
            raise StoreError(f"invalid model: it begins with {value[:12]!r}")
        return self._take(value)

    def _take(self, content: bytes) -> contextlib.closing[Tagger]:
        self.close()
        empty = len(content) >= HEADER.size and HEADER.unpack_from(content)[5] == 0  # trained without data
        model = None if empty else _core.crfsuite_model(content)
        if model is None and not empty:
            content = _repaired(content)
            model = _core.crfsuite_model(content)
        self._content, self._model = content, model
        self._labels = [] if model is None else model.labels
        if len(set(self._labels)) != len(self._labels):
            self.close()
            _read(content)  # says which label is there twice
        return contextlib.closing(self)

    def close(self) -> None:
        """Close the model, and drop the sequence that was set."""
        self._content = self._model = self._sequence = self._quick = None
        self._labels = []

    def labels(self) -> list[str]:
        """Return the labels of the model."""
        self._opened()
        return list(self._labels)

    def set(self, xseq: Any) -> None:
        """Set the sequence for tag(), probability() and marginal().

        xseq   a list with the features of each item, or an ItemSequence
        """
        self._sequence = self._scored(xseq)

    def tag(self, xseq: Any = None) -> list[str]:
        """Find the best labels of a sequence.

        xseq   as for set; None for the sequence that was set last
        """
        if xseq is not None:
            self._sequence = self._scored(xseq)
        sequence = self._sequence
        if sequence is None:
            self._opened()
            return []
        return sequence.best()

    def tag_all(self, sequences: Iterable[Any]) -> list[list[str]]:
        """Find the best labels of many sequences at once; the sequence that was set does not change.

        sequences   each as for set
        """
        content = self._opened()
        given = [one if type(one) is list else listed(one) for one in sequences]
        few = max(MANY, SHARE * HEADER.unpack_from(content)[6])
        if self._quick is None and sum(map(len, given)) <= few:
            scored = map(self._scored, given)
            return [[] if one is None else one.best() for one in scored]
        if not any(given):
            return [[] for _ in given]
        if self._quick is None:
            from seqlab.foreign.converting import tagger_of

            self._asked()
            self._quick = tagger_of(_read(content))
        from seqlab.arrays import thread_count

        native = self._quick.fit_.attribute_tagger
        found = None if native is None else native.tag_all(given, thread_count(None))
        labels: list[list[str]] = self._quick.predict(list(map(listed, given))) if found is None else found
        return labels

    def probability(self, yseq: Iterable[str]) -> float:
        """Compute the probability of labels for the sequence that was set.

        yseq   a label for each item
        """
        sequence = self._sequence
        found = None if sequence is None else sequence.probability(yseq)
        if found is not None:
            return found
        self._opened()
        labels = [label_of(label) for label in yseq]
        if sequence is None:
            return 0.0
        if len(labels) != len(sequence):
            raise ValueError(
                f"the numbers of items and labels differ: |x| = {len(sequence)}, |y| = {len(labels)}"
            )
        return sequence.probability(list(map(self._known, labels)))  # type: ignore[return-value]

    def marginal(self, y: str, pos: int) -> float:
        """Compute the probability of a label at one position of the sequence that was set.

        y     the label
        pos   its position, from 0
        """
        sequence = self._sequence
        found = None if sequence is None else sequence.marginal(y, pos)
        if found is not None:
            return found
        self._opened()
        label, t = label_of(y), whole(pos)
        if sequence is None:
            return 0.0
        self._known(label)
        if not 0 <= t < len(sequence):
            raise ValueError(f"the position {t} is out of range of {len(sequence)}")
        return sequence.marginal(label, t)  # type: ignore[return-value]

    def marginals(self, xseq: Any) -> list[dict[str, float]]:
        """Set a sequence, and compute for each item a dict from labels to probabilities.

        xseq   as for set
        """
        self.set(xseq)
        return [] if self._sequence is None else self._sequence.marginals()

    def info(self) -> ParsedDump:
        """Return the weights of the model as dicts, which are made on first use."""
        if self._content is None:
            raise RuntimeError("the tagger is closed; open(name) comes first")
        return ParsedDump(self._content)

    def dump(self, filename: str | None = None) -> None:
        """Write the model as text.

        filename   path of the file; None for standard output
        """
        self.info()  # of an open file
        content = self._opened()
        text = _core.crfsuite_text(content) or _core.crfsuite_text(_repaired(content)) or b""
        if filename is None:
            sys.stdout.write(text.decode("utf-8", "replace"))
            return
        from seqlab.files import write_whole

        write_whole(path_of(filename), text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------ inside

    def _opened(self) -> bytes:
        if self._content is None:
            raise ValueError("the tagger is not opened; open(name) comes first")
        return self._content

    def _asked(self) -> _core.CrfsuiteModel:
        if self._model is None:
            raise CorpusError("the model has no labels: its trainer was given no data")
        return self._model

    def _scored(self, xseq: Any) -> _core.CrfsuiteSequence | None:
        """Compute the scores of a sequence; None for one without items."""
        model = self._model
        found = None if model is None else model.sequence(xseq)
        if found is None:
            found = self._scored_slowly(xseq)
        return found or None

    def _scored_slowly(self, xseq: Any) -> _core.CrfsuiteSequence | None:
        """Compute the scores of unusual items, and under a model whose tables are damaged."""
        self._opened()
        tokens = listed(xseq)
        if not tokens:
            return None
        model = self._asked()
        found = model.sequence(tokens) or model.sequence(list(map(plain, tokens)))
        if found is not None:
            return found
        sums = list(map(_summed, bags_of(tokens)))
        found = model.sequence(sums)
        if found is None:
            self._take(_repaired(self._opened()))
            found = self._asked().sequence(sums)
        if found is None:
            raise ScoreError("the values of the items are so large that the scores are no finite numbers")
        return found

    def _known(self, label: str) -> str:
        if label not in self._labels:
            raise RuntimeError(
                f"the model does not know the label {label!r:.80}; labels() has those it knows"
            )
        return label


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
    return str.__str__(label)


def _summed(bag: list[tuple[str, float]]) -> dict[str, float]:
    """Add the values of attributes that occur twice."""
    item: dict[str, float] = {}
    for name, value in bag:
        item[name] = item.get(name, 0.0) + value
    return item


def _read(content: bytes) -> Any:
    """Read and check the whole of a file: a ForeignModel."""
    from seqlab.foreign import crfsuite

    return crfsuite.read(content, "utf-8")


def _repaired(content: bytes) -> bytes:
    """Write a file anew whose weights and names can be read, though its tables are damaged."""
    from seqlab.foreign import crfsuite

    return crfsuite.written(_read(content))


def _own(path: str) -> bytes:
    """Read a model file of ours as the file that CRFsuite would have."""
    from seqlab import load
    from seqlab.families.linear.tagger import LinearTagger
    from seqlab.foreign import crfsuite
    from seqlab.foreign.converting import foreign_of

    tagger = load(path)
    if not isinstance(tagger, LinearTagger):
        raise StoreError(f"a CRF is wanted, but this is a {type(tagger).__name__}", path=path)
    return crfsuite.written(foreign_of(tagger))
