"""From a file of another program to a tagger."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.encode.known import Known, of_bags, of_template
from seqlab.errors import OptionError, StoreError, TemplateError
from seqlab.families.linear.learners import LBFGS
from seqlab.families.linear.memm import MEMM
from seqlab.families.linear.model import EdgeWeights, LinearModel
from seqlab.families.linear.tagger import CRF, LinearTagger
from seqlab.foreign import crfpp, crfsuite, wapiti
from seqlab.foreign.parts import ForeignModel, Weighted
from seqlab.learning.history import History
from seqlab.store.codec import Late
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.sentences import USUAL
from seqlab.tagging.training import Training


def convert_model(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    learner: Any = None,
    encoding: str = "utf-8",
) -> LinearTagger:
    """Make a tagger that says what the model in this file says, tag for tag. Its save(path) writes our kind of file.

    path       a CRFsuite model (also from python-crfsuite and sklearn-crfsuite), a CRF++ model (binary, or as text
               from crf_learn -t), or a Wapiti model; which of them is seen from its content
    columns    names for the columns that a CRF++ or Wapiti template reads; None finds them by their position
    learner    what the weights came from, and how the tagger learns on. The file does not say it. None takes them as
               those of a likelihood and gives a CRF (or an MEMM, which Wapiti does say); with Perceptron(),
               PassiveAggressive() or AROW() it is a LinearTagger, which knows scores but no probabilities
    encoding   of the names in the file

    CRFsuite's taggers want attributes that are made already: lists of strings or dicts for each token. Those of CRF++
    and Wapiti want the columns of their files, and make the attributes themselves.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str) or not name or "\0" in name:
        raise StoreError(f"the path of a model file is wanted, got {path!r:.80}")
    try:
        "".encode(encoding)
    except (LookupError, TypeError) as error:
        raise OptionError(
            f"there is no encoding {encoding!r:.40}; 'utf-8' and 'latin-1' are usual"
        ) from error
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise StoreError(f"cannot read {name!r}: {error.strerror or error}", path=name) from error
    try:
        return tagger_of(_read(content, encoding, columns), columns, learner)
    except (StoreError, TemplateError) as error:
        raise StoreError(error.message, place=error.place._replace(path=name)) from error.__cause__


def _read(content: bytes, encoding: str, columns: Sequence[str] | None) -> ForeignModel:
    if content.startswith(crfsuite.MAGIC):
        return crfsuite.read(content, encoding)
    if content.startswith(crfpp.TEXT_HEAD):
        return crfpp.read_text(content, encoding, columns)
    if content.startswith(wapiti.HEAD):
        return wapiti.read(content, encoding, columns)
    if content.startswith(crfpp.BINARY_HEAD):
        return crfpp.read_binary(content, encoding, columns)
    if content[8:9] == b"{":
        raise StoreError("this looks like a model of seqlab's own; seqlab.load(path) reads it")
    raise StoreError(f"this is no model of CRFsuite, CRF++ or Wapiti: it begins with {content[:12]!r}")


# ------------------------------------------------------------------------------------------------ building


def tagger_of(given: ForeignModel, columns: Sequence[str] | None = None, learner: Any = None) -> LinearTagger:
    """Make the tagger that says what a model says."""
    learner = LBFGS() if learner is None else learner
    kind = MEMM if given.local else CRF if getattr(learner, "likelihood", False) else LinearTagger
    tagger = kind(given.template, learner)
    tagger._check_options()
    if given.template is None:
        known = of_bags(given.node.names)
    else:
        known = of_template(given.template, given.node.names, given.edge.names)
    columns_read = ("attributes",) if given.template is None else _column_names(given.width, columns)
    training = Training(given.labels, columns_read, None, Late(None), Rules.none(len(given.labels)), None)
    history = History(reason=f"converted from {given.program}")
    tagger.fit_ = tagger._fit_class.of(training, known.encoder, _model(given, known), history)
    return tagger


def _model(given: ForeignModel, known: Known) -> LinearModel:
    node = _by_attribute(given.node, known.node)
    edge = EdgeWeights(*_by_attribute(given.edge, known.edge)) if len(known.edge) else None
    rules = Rules.none(len(given.labels))
    return LinearModel(given.labels, *node, given.moves, given.move_seen, rules, edge=edge)


def _by_attribute(
    given: Weighted, origin: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """(begin, cell, weight) of our attributes: attribute a has the weights of the name origin[a]."""
    order = np.lexsort((given.cell, given.attribute))
    counts = np.bincount(given.attribute, minlength=len(given.names))
    starts = np.cumsum(counts) - counts
    own = counts[origin]
    begin = np.concatenate([[0], np.cumsum(own)]).astype(np.int64)
    entry = order[np.arange(begin[-1]) - np.repeat(begin[:-1] - starts[origin], own)]
    return begin, given.cell[entry].astype(np.int32), np.ascontiguousarray(given.weight[entry])


def _column_names(width: int, columns: Sequence[str] | None) -> tuple[str, ...]:
    if columns is not None:
        return tuple(columns)
    # A file may have more columns than the template reads, the label among them.
    return USUAL if width < len(USUAL) else ("word", *(f"column{i}" for i in range(1, width + len(USUAL))))
