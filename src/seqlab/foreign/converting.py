"""Convert a file of another program to a tagger: its weights, and an encoder for its attributes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.encode.bag_rows import BagRows, BagsOfColumn
from seqlab.encode.encoder import ATTRIBUTES, Encoder
from seqlab.encode.template_rows import Plan, TemplateRows
from seqlab.errors import OptionError, StoreError, TemplateError
from seqlab.families.linear.learners import LBFGS
from seqlab.families.linear.memm import MEMM
from seqlab.families.linear.model import EdgeWeights, LinearModel
from seqlab.families.linear.tagger import CRF, LinearTagger
from seqlab.features import Template
from seqlab.foreign import crfpp, crfsuite, wapiti
from seqlab.foreign.parts import ForeignModel, Pooled, Weighted, check_labels
from seqlab.learning.history import History
from seqlab.store.codec import Late
from seqlab.store.reading import file_name
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.sentences import USUAL
from seqlab.tagging.training import Training

Numbers = npt.NDArray[np.int64]

# Limit of the ways to split attributes into values: a URL full of slashes has hundreds, most words one.
MOST_READINGS, MOST_READINGS_EACH = 1_000_000, 16

# An encoder, and the index of each of its attributes in the given list of names: (size,), and (edge_size,)
# for edge attributes.
Known = tuple[Encoder, Numbers, Numbers]


def convert_model(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    learner: Any = None,
    encoding: str = "utf-8",
) -> LinearTagger:
    """Convert a model of another tool to a tagger that predicts the same labels; its save(path) writes our format.

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
    name = file_name(path)
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


def tagger_of(given: ForeignModel, columns: Sequence[str] | None = None, learner: Any = None) -> LinearTagger:
    """Make a tagger with the weights of a foreign model."""
    learner = LBFGS() if learner is None else learner
    kind = MEMM if given.local else CRF if getattr(learner, "likelihood", False) else LinearTagger
    tagger = kind(given.template, learner)
    tagger._check_options()
    rules = Rules.none(len(given.labels))
    if given.template is None:
        encoder, origin, edge_origin = _of_bags(given.node.names)
        read: tuple[str, ...] = (ATTRIBUTES,)
    else:
        encoder, origin, edge_origin = _of_template(given.template, given.node.names, given.edge.names)
        # A file may have more columns than the template reads, including the label.
        more = ("word", *(f"column{i}" for i in range(1, given.width + len(USUAL))))
        read = tuple(columns) if columns is not None else USUAL if given.width < len(USUAL) else more
    node = _by_attribute(given.node, origin)
    edge = EdgeWeights(*_by_attribute(given.edge, edge_origin)) if len(edge_origin) else None
    model = LinearModel(given.labels, *node, given.moves, given.move_seen, rules, edge=edge)
    training = Training(given.labels, read, None, Late(None), rules, None)
    history = History(reason=f"converted from {given.program}")
    tagger.fit_ = tagger._fit_class.of(training, encoder, model, history)
    return tagger


def foreign_of(tagger: LinearTagger, labels: Sequence[str] | None = None) -> ForeignModel:
    """Convert a tagger of order 1 to a foreign model, the inverse of tagger_of.

    labels   the labels of the result: those of the tagger, perhaps with others, in any order; None for those of the
             tagger
    """
    model = tagger.model_
    if model.order != 1 or model.edge is not None or model.rules:
        raise StoreError(
            "files of CRFsuite have no place for order 2, features of label pairs, or constraints; save() has"
        )
    order = model.labels if labels is None else tuple(labels)
    check_labels(order)
    number = {label: i for i, label in enumerate(order)}
    place = np.array([number[label] for label in model.labels], dtype=np.int64)
    moves, seen = np.zeros((len(order),) * 2), np.zeros((len(order),) * 2, dtype=bool)
    moves[np.ix_(place, place)], seen[np.ix_(place, place)] = model.moves, model.move_seen
    attribute = np.repeat(np.arange(len(model.begin) - 1), np.diff(model.begin))
    node = Weighted(tagger.encoder_.attributes, attribute, place[model.label], model.weights)
    return ForeignModel("CRFsuite", order, node, moves, seen)


def _by_attribute(
    given: Weighted, origin: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return (begin, cell, weight) of our attributes: attribute a has the weights of the name origin[a]."""
    same = np.array_equal(origin, np.arange(len(given.names)))
    if same and given.begin is not None:  # files of CRFsuite are in our order
        return given.begin, given.cell.astype(np.int32, copy=False), given.weight
    order = _sorted(given)
    counts = np.bincount(given.attribute, minlength=len(given.names))
    starts = np.cumsum(counts) - counts
    if order is None and same:
        begin = np.concatenate([starts, [len(given.attribute)]]).astype(np.int64)
        return begin, given.cell.astype(np.int32), np.ascontiguousarray(given.weight)
    order = np.arange(len(given.attribute)) if order is None else order
    own = counts[origin]
    begin = np.concatenate([[0], np.cumsum(own)]).astype(np.int64)
    entry = order[np.arange(begin[-1]) - np.repeat(begin[:-1] - starts[origin], own)]
    return begin, given.cell[entry].astype(np.int32), np.ascontiguousarray(given.weight[entry])


def _sorted(given: Weighted) -> Numbers | None:
    """Return the order that sorts the weights by attribute and cell; None if they are sorted."""
    step = np.diff(given.attribute)
    if (step > 0).all() or ((step >= 0).all() and (np.diff(given.cell)[step == 0] > 0).all()):
        return None
    return np.lexsort((given.cell, given.attribute))


# ------------------------------------------------------------------------------------------------ encoders


def _of_bags(names: Sequence[str]) -> Known:
    """Make an encoder for ready-made attributes with these distinct names."""
    encoder, numbers = Encoder(), np.arange(len(names))
    pool = names.pool if isinstance(names, Pooled) else _core.StringPool()
    if not isinstance(names, Pooled):
        for name in names:
            pool.intern(name)
    rows = BagRows(BagsOfColumn(ATTRIBUTES), encoder.min_count, pool, numbers.astype(np.int32))
    encoder.take([rows], [], len(names), 0)
    return encoder, numbers, numbers[:0]


def _of_template(template: Template, names: Sequence[str], edge_names: Sequence[str]) -> Known:
    """Make an encoder for the attributes of a template with these names; impossible ones are left out.

    "U:a/b/c" is what U:%x[0,0]/%x[0,1] makes of a/b and c, and of a and b/c: then both are known, as attributes of
    their own that come from the same name.
    """
    encoder = Encoder(template)
    rows, origin = _rows(Plan(template, encoder.min_count, on_moves=False), names)
    edges: list[TemplateRows] = []
    edge_origin = np.zeros(0, dtype=np.int64)
    if any(feature.on_edge for feature in template):
        made, edge_origin = _rows(Plan(template, encoder.min_count, on_moves=True), edge_names)
        edges.append(made)
    encoder.take([rows], edges, len(origin), len(edge_origin))
    return encoder, origin, edge_origin


def _rows(plan: Plan, names: Sequence[str]) -> tuple[TemplateRows, Numbers]:
    """Make the producer of the attributes, and find the name of each."""
    pools = [_core.StringPool() for _ in plan.pools()]
    places = plan.places()
    ids: list[list[int]] = [[] for _ in places]
    values: list[list[int]] = [[] for _ in places]
    origin: list[int] = []
    most = MOST_READINGS + MOST_READINGS_EACH * len(names)
    for number, group, reading in _made_by(plan, names):
        if len(origin) == most:
            raise TemplateError(
                f"the attributes can be made of values in more than {most} ways, as {names[number]!r:.80} can; the "
                "template needs text between its values that the values do not have"
            )
        ids[group].append(len(origin))
        values[group] += [
            pools[pool].intern(value) for pool, value in zip(places[group], reading, strict=True)
        ]
        origin.append(number)
    learned = [
        (np.array(some, dtype=np.int32), np.array(flat, dtype=np.int32))
        for some, flat in zip(ids, values, strict=True)
    ]
    words = [_core.StringPool() for _ in plan.sources]
    return TemplateRows(plan, (words, pools, learned)), np.array(origin, dtype=np.int64)


def _made_by(plan: Plan, names: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Find (number of the name, group, values) for every way to make an attribute."""
    by_head: dict[str, list[int]] = {}
    for group, pieces in enumerate(plan.pieces):
        by_head.setdefault(pieces[0], []).append(group)
    lengths = sorted({len(head) for head in by_head})
    for number, name in enumerate(names):
        for length in lengths:
            for group in by_head.get(name[:length], ()) if length <= len(name) else ():
                for values in _readings(name[length:], plan.pieces[group][1:]):
                    yield number, group, values


def _readings(rest: str, pieces: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Find values, each followed by its piece, that give `rest`."""
    if not pieces:
        if not rest:
            yield ()
        return
    if len(pieces) == 1:
        if rest.endswith(pieces[0]):
            yield (rest[: len(rest) - len(pieces[0])],)
        return
    at = rest.find(pieces[0])
    while at >= 0:
        for others in _readings(rest[at + len(pieces[0]) :], pieces[1:]):
            yield (rest[:at], *others)
        at = rest.find(pieces[0], at + 1)
