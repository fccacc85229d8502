"""Trainers of python-crfsuite: from data and parameters to a model file, with a log."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from seqlab import _core
from seqlab.compat.pycrfsuite import _logparser, parameters
from seqlab.compat.pycrfsuite.algorithms import learner_of
from seqlab.compat.pycrfsuite.items import ItemError, Items, read_items, whole
from seqlab.compat.pycrfsuite.report import TrainingLog
from seqlab.compat.pycrfsuite.tagger import label_of, path_of
from seqlab.corpus import BagColumn, Corpus
from seqlab.corpus.columns import offsets_of
from seqlab.encode.encoder import ATTRIBUTES
from seqlab.errors import LabelError, OptionError, ShapeError, TrainingWarning
from seqlab.families.linear.tagger import LinearTagger
from seqlab.files import write_whole
from seqlab.foreign import crfsuite
from seqlab.foreign.converting import foreign_of
from seqlab.foreign.parts import ForeignModel, Weighted, nothing_learned, used


class CRFSuiteError(Exception):
    """An error with a code of CRFsuite.

    code   the number of the error
    """

    _messages: ClassVar[dict[int, str]] = {}

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(self._messages.get(code, f"unexpected error {code}"))


class BaseTrainer:
    """A trainer that collects sequences, trains on them and writes a CRFsuite model file.

    algorithm   "lbfgs", "l2sgd", "ap", "pa" or "arow"
    params      {name: value} of its parameters
    verbose     True to print messages

    model_      the tagger that train() made; its save(path) writes a model file of seqlab
    """

    verbose: Any
    model_: Any  # a LinearTagger, or None before train()
    _sequences: list[tuple[Items, list[str], int]] | None  # attributes, labels, group; None after clear()
    _pool: _core.StringPool  # their attributes

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make a trainer with the defaults of L-BFGS, even if a subclass does not call __init__ of this class."""
        self = super().__new__(cls)
        self.verbose, self.model_ = None, None
        self._sequences, self._pool = [], _core.StringPool()
        self.select("lbfgs")
        return self

    def __init__(
        self,
        algorithm: str | None = None,
        params: Mapping[str, Any] | None = None,
        verbose: bool = True,  # noqa: FBT001, FBT002 - their signature
    ) -> None:
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    def message(self, message: str) -> None:
        """Receive a message of the log, and print it if the trainer is verbose; subclasses may override it.

        message   a line, or a part of one
        """
        if self.verbose:
            print(message, end="")

    def append(self, xseq: Any, yseq: Iterable[str], group: int = 0) -> None:
        """Add a sequence to the training data.

        xseq    the features of each item, or an ItemSequence
        yseq    the label of each item
        group   a number; one group can be held out for evaluation
        """
        self._sequences = self._sequences or []
        try:
            items = read_items(self._pool, xseq)
        except ItemError as error:
            place = error.place._replace(sentence=len(self._sequences), unit="sequence", item="item")
            raise ItemError(error.message, place=place) from error.__cause__
        labels = [label_of(label) for label in yseq]
        if len(items[0]) - 1 != len(labels):
            raise ShapeError(
                f"the numbers of items and labels differ: |x| = {len(items[0]) - 1}, |y| = {len(labels)}"
            )
        if "" in labels:
            raise LabelError("a label is a string with at least one character, got ''")
        self._sequences.append((items, labels, whole(group)))

    def clear(self) -> None:
        """Remove all sequences."""
        self._sequences, self._pool = None, _core.StringPool()

    def select(self, algorithm: str, type: str = "crf1d") -> None:  # noqa: A002 - their name
        """Choose an algorithm; its parameters get their defaults.

        algorithm   "lbfgs", "l2sgd", "ap" (averaged perceptron), "pa" (passive-aggressive) or "arow"
        type        type of model: "crf1d", a linear chain
        """
        name = parameters.ALIASES.get(algorithm.lower(), algorithm.lower())
        if name not in parameters.PARAMETERS or type != "crf1d":
            known = "lbfgs, l2sgd, ap, pa, arow"
            raise OptionError(
                f"the algorithm should be one of {known} and the type 'crf1d', got {algorithm!r} and {type!r}"
            )
        self._algorithm = name
        self._parameters = parameters.of_algorithm(name)
        self._values = {key: parameter.default for key, parameter in self._parameters.items()}

    def params(self) -> list[str]:
        """Return the names of the parameters of the algorithm."""
        return list(self._parameters)

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Set several parameters.

        params   {name: value}
        """
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Any]:
        """Return the values of all parameters by name."""
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str, value: Any) -> None:
        """Set a parameter of the algorithm.

        name    one of params()
        value   a number, a bool, or a string that spells it
        """
        self._values[name] = parameters.read_value(name, self._known(name), value)

    def get(self, name: str) -> Any:
        """Return the value of a parameter.

        name   one of params()
        """
        self._known(name)
        return self._values[name]

    def help(self, name: str) -> str:
        """Describe a parameter.

        name   one of params()
        """
        return self._known(name).help

    def _known(self, name: str) -> parameters.Parameter:
        if name not in self._parameters:
            known = ", ".join(self._parameters)
            raise OptionError(f"{self._algorithm} has no parameter {name!r}; it has {known}")
        return self._parameters[name]

    def _before_train(self) -> None:
        """Prepare for training."""

    # ------------------------------------------------------------------------------------------ training

    def train(self, model: str | bytes, holdout: int = -1) -> None:
        """Train a model, and write it in CRFsuite's format.

        model     path of the file; "" for no file
        holdout   number of the group that is left out of training, to evaluate the model after every iteration; -1
                  for none
        """
        self._before_train()
        path, holdout = path_of(model), whole(holdout)
        if self._sequences is None:
            raise ShapeError("the data is empty; append(xseq, yseq) comes first")
        given = self._given()
        groups = [group for _, _, group in given]
        labels = list(dict.fromkeys(label for _, y, _ in given for label in y))
        train = [i for i, group in enumerate(groups) if group != holdout]
        held = [i for i, group in enumerate(groups) if group == holdout and holdout >= 0]
        if (labels or holdout >= 0) and not (train and (held or holdout < 0)):
            raise ShapeError(
                f"holdout={holdout} leaves {len(train)} sequences to train on and {len(held)} to evaluate"
            )
        log = TrainingLog(self.message, self._algorithm, self._values, labels)
        log.start(holdout)
        trained, attributes = nothing_learned("CRFsuite"), 0
        if labels:
            bags, offsets = _joined([items for items, _, _ in given], self._pool)
            corpus = Corpus({ATTRIBUTES: bags}, offsets)
            self.model_ = self._fitted(corpus, train, held, labels, log)
            trained = _by_occurrence(foreign_of(self.model_, labels), bags)
            attributes = len(self.model_.encoder_.attributes)
        else:
            log.prepared(0)
        log.trained()
        content = crfsuite.written(trained)
        log.stored(_active(trained), attributes, lambda: write_whole(path, content) if path else None)

    def _given(self) -> list[tuple[Items, list[str], int]]:
        """List the sequences that are not empty."""
        return [one for one in self._sequences or () if one[1]]

    def _fitted(
        self, corpus: Corpus, train: list[int], held: list[int], labels: list[str], log: TrainingLog
    ) -> LinearTagger:
        """Train a tagger of seqlab on the sequences of the corpus with these numbers, without those held out."""
        values = self._values
        learner = learner_of(self._algorithm, values, log, len(train))
        tagger = LinearTagger(
            None,
            learner,
            states="all" if values["feature.possible_states"] else "observed",
            transitions="all" if values["feature.possible_transitions"] else "observed",
        )
        tagger._min_sum, tagger._zeros = values["feature.minfreq"], True
        tagger._label_order = tuple(labels)  # of paths that are equally good, the first label decides
        gold = [y for _, y, _ in self._given()]
        whole = not held and len(train) == len(corpus)
        X: Any = corpus if whole else corpus.take(train)
        y = [gold[i] for i in train]
        if not len(X.data(ATTRIBUTES).codes):
            # Data without attributes get one of value 0; it has no weight, and is not written.
            X = [[{"": 0.0}] * len(row) for row in y]
        dev = (corpus.take(held), [gold[i] for i in held]) if held else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)
            metric = log.evaluated if held else None
            return tagger.partial_fit(X, y, dev=dev, metric=metric, classes=labels)


def _joined(sequences: list[Items], pool: _core.StringPool) -> tuple[BagColumn, Any]:
    """Join the attributes of sequences, with the offsets of the sequences."""
    sizes = np.concatenate([np.diff(offsets) for offsets, _, _ in sequences])
    codes = np.concatenate([numbers for _, numbers, _ in sequences])
    values = None
    if any(weights is not None for _, _, weights in sequences):
        ones = (np.ones(len(numbers)) if weights is None else weights for _, numbers, weights in sequences)
        values = np.concatenate(list(ones))
    lengths = [len(offsets) - 1 for offsets, _, _ in sequences]
    return BagColumn(offsets_of(sizes), codes, values, copy(pool)), offsets_of(lengths)


def _by_occurrence(model: ForeignModel, bags: BagColumn) -> ForeignModel:
    """Number the attributes of a model in the order in which they occur, as CRFsuite does."""
    first = np.full(len(bags.pool) + 1, len(bags.codes))
    first[bags.codes[::-1]] = np.arange(len(bags.codes))[::-1]  # of equal indices, the last assignment counts
    node = model.node
    order = np.argsort(first[[bags.pool.find(name) for name in node.names]], kind="stable")
    place = np.argsort(order)
    names = [node.names[i] for i in order.tolist()]
    return replace(model, node=Weighted(names, place[node.attribute], node.cell, node.weight))


def _active(model: ForeignModel) -> tuple[int, int]:
    """Count the weights that are not 0, and the attributes with such a weight."""
    node, active = model.node, model.node.weight != 0
    kept = used(node.names, node.attribute[active], node.cell[active], node.weight[active])
    return int(active.sum() + np.count_nonzero(model.moves)), len(kept.names)


class Trainer(BaseTrainer):
    """A trainer with a log parser, which calls a method at the end of every stage of training.

    algorithm, params, verbose   as for BaseTrainer
    logparser                    the TrainLogParser of the last training: iterations, last_iteration, log, ...
    """

    logparser: _logparser.TrainLogParser | Any = None

    def _before_train(self) -> None:
        self.logparser = _logparser.TrainLogParser()

    def message(self, message: str) -> None:
        """Pass a message to the log parser, and call the method of the stage that it ends, if the trainer is verbose.

        message   a line, or a part of one
        """
        event = self.logparser.feed(message)
        if not self.verbose or event is None:
            return
        more = {
            "featgen_progress": (self.logparser.featgen_percent,),
            "iteration": (self.logparser.last_iteration,),
        }
        getattr(self, f"on_{event}")(self.logparser.last_log, *more.get(event, ()))

    def on_start(self, log: str) -> None:
        """Print the log of the beginning."""
        print(log, end="")

    def on_featgen_progress(self, log: str, percent: int) -> None:  # noqa: ARG002 - for subclasses
        """Print the log of a step of feature generation; `percent` of it is done."""
        print(log, end="")

    def on_featgen_end(self, log: str) -> None:
        """Print the log of the end of feature generation."""
        print(log, end="")

    def on_prepared(self, log: str) -> None:
        """Print the log of the algorithm and its parameters."""
        print(log, end="")

    def on_prepare_error(self, log: str) -> None:
        """Print the log of a failure before the first iteration."""
        print(log, end="")

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002 - for subclasses
        """Print the log of an iteration; info is the iteration as the log parser has read it."""
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        """Print the log of the end of the iterations."""
        print(log, end="")

    def on_end(self, log: str) -> None:
        """Print the log of storing the model."""
        print(log, end="")
