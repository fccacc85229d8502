"""Training of taggers: the facts stored in every fitted tagger, options of fit, and the score on a development set."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from seqlab import _core, inference
from seqlab.corpus import Corpus
from seqlab.corpus.columns import WORD_COLUMNS
from seqlab.encode import Encoder
from seqlab.errors import CorpusError, LabelError, OptionError, ShapeError, StoreError
from seqlab.learning.checkpoint import Checkpoint, Directory, Run, checked_checkpoint, opened
from seqlab.learning.identity import digest, facts_of
from seqlab.learning.monitor import Bar, Callback, Monitor, checked_callbacks, checked_patience
from seqlab.shown import Brief
from seqlab.store.codec import Inside, Late, Lazily
from seqlab.store.fields import Field, Listed, Names, Sizes, Strings
from seqlab.store.state import State, string_arrays
from seqlab.tagging.decoding import located, path_ids
from seqlab.tagging.door.constraints import Allowed, Rules, TagDictionary
from seqlab.tagging.door.names import label_name
from seqlab.tagging.door.sentences import Gold, read_gold, read_sentences, vocabulary
from seqlab.trellis import Constraints

Dev = Corpus | tuple[Any, Any] | None
Metric = str | Callable[[Any, Any], float] | None
Callbacks = Callback | Iterable[Callback] | None
Checkpoints = str | os.PathLike[str] | Checkpoint | None


class _Dictionary(Field):
    """A stored tag dictionary, or None: the setting names its column, arrays have its words and rows."""

    def put(self, state: State, name: str, value: TagDictionary | None) -> None:
        """Write the dictionary."""
        Listed().put(state, name, None if value is None else value.column)
        if value is not None:
            state.arrays |= {f"{name}.rows": value.rows, **string_arrays(f"{name}.words", value.row)}

    def get(self, state: State, name: str, sizes: Sizes) -> TagDictionary | None:
        """Read the dictionary."""
        column = Listed().get(state, name, sizes)
        if column is None:
            return None
        words = state.strings(f"{name}.words")
        rows = state.array(f"{name}.rows", np.bool_, (len(words), sizes["L"]))
        if len(set(words)) != len(words) or not rows.any(axis=1).all():
            raise StoreError("the dictionary should have each word once, and a label for each")
        return TagDictionary(column, {word: i for i, word in enumerate(words)}, rows)


@dataclass(frozen=True, eq=False, repr=False)
class Training(Brief):
    """Facts of a training.

    labels       names of the labels, in the order of every array with an axis of labels
    columns      columns of the corpus, without the label
    column       the column of the labels; None if they were given as lists
    words        the words of training; None if it had none; loaded on first use
    rules        constraints on labels
    dictionary   the allowed labels of words, or None
    whole        True if labels were given as whole numbers, and are given back as such
    """

    stored_kind: ClassVar[str] = "training"

    labels: Annotated[tuple[str, ...], Names("L")]
    columns: Annotated[tuple[str, ...], Names(least=0)]
    column: Annotated[str | None, Listed()]
    vocabulary: Annotated[Late[frozenset[str] | None], Lazily(Strings(make=frozenset, optional=True))]
    rules: Annotated[Rules, Inside(Rules, "rules.")]
    dictionary: Annotated[TagDictionary | None, _Dictionary()]
    whole: bool = False

    @property
    def classes(self) -> list[Any]:
        """The labels as they were given: strings, or whole numbers."""
        if not self.whole:
            return list(self.labels)
        # Hidden states without labels have names.
        return [int(label) if label.removeprefix("-").isdecimal() else label for label in self.labels]

    @staticmethod
    def of(
        corpus: Corpus,
        gold: Gold | None,
        labels: Sequence[str],
        rules: Rules | None = None,
        dictionary: TagDictionary | None = None,
        *,
        before: Training | None = None,
    ) -> Training:
        """Collect the facts of a training on this corpus; words of an earlier training `before` are included."""
        column = None if gold is None else gold.column
        words = vocabulary(corpus)
        earlier = None if before is None else before.vocabulary()
        if earlier is not None:
            words = earlier | (words or frozenset())
        whole = gold is not None and gold.whole
        if before is not None and gold is not None and before.whole != whole:
            kinds = ("strings", "whole numbers")
            raise LabelError(
                f"the labels of training were {kinds[before.whole]}, but these are {kinds[whole]}; write them alike"
            )
        return Training(
            tuple(labels),
            tuple(name for name in corpus.columns if name != column),
            column,
            Late(words),
            Rules.none(len(labels)) if rules is None else rules,
            dictionary,
            whole,
        )

    def inside(self, given: Any) -> Any:
        """Replace labels given as whole numbers by their names, also within lists and dictionaries."""
        if not self.whole or isinstance(given, (str, bytes, np.ndarray)):
            return given
        if isinstance(given, Mapping):
            return {key: self.inside(value) for key, value in given.items()}
        return [self.inside(one) for one in given] if isinstance(given, Iterable) else label_name(given)

    def named_rules(self) -> Constraints | None:
        """Return the rules by the names of labels, so that they apply when labels are added later."""
        rules, labels = self.rules, self.labels
        if not rules:
            return None
        moves = tuple((labels[one], labels[other]) for one, other in np.argwhere(rules.forbidden).tolist())
        starts, ends = (
            tuple(labels[i] for i in np.flatnonzero(flags).tolist())
            for flags in (rules.no_start, rules.no_end)
        )
        return Constraints(moves, starts, ends)

    def named_dictionary(self) -> dict[str, list[str]] | None:
        """Return {word: labels}, as a user would write it."""
        if self.dictionary is None:
            return None
        rows = self.dictionary.rows
        return {
            word: [self.labels[i] for i in np.flatnonzero(rows[row]).tolist()]
            for word, row in self.dictionary.row.items()
        }


# ------------------------------------------------------------------------------------------------ fit under a monitor


@dataclass(frozen=True, slots=True)
class FitOptions:
    """Arguments of fit beside the data."""

    dev: Any
    metric: Any
    patience: Any
    callbacks: Any
    progress: bool
    checkpoint: Any = None

    def __post_init__(self) -> None:
        if self.checkpoint is not None:
            checked_checkpoint(self.checkpoint)
        if self.dev is None and (self.metric is not None or self.patience is not None):
            raise OptionError("metric and patience look at a development set; pass one as dev=")
        checked_callbacks(self.callbacks)
        checked_patience(self.patience)

    def monitor(
        self,
        scorer: DevScorer | None,
        model: Any,
        kept: Directory | None = None,
        run: str = "",
        learner: Any = None,
    ) -> Monitor:
        """Make a monitor for the training of the weights of this model, which `kept` stores as the run of this name.

        learner   knows the largest number of iterations
        """
        limit = next(
            (getattr(learner, name) for name in ("max_iterations", "epochs") if hasattr(learner, name)), None
        )
        return Monitor(
            None if scorer is None else lambda theta: scorer(model.with_theta(theta)),
            None if scorer is None else scorer.name,
            checked_patience(self.patience),
            checked_callbacks(self.callbacks),
            Bar(limit=limit) if self.progress is True else None,
            None if kept is None else Run(kept, run),
        )

    @contextlib.contextmanager
    def stored(
        self, tagger: Any, data: Callable[[], Mapping[str, str]], scorer: DevScorer | None
    ) -> Iterator[Directory | None]:
        """Open the checkpoint of this training; None without one.

        data   computes hashes of the training data, by name
        """
        if self.checkpoint is None:
            yield None
            return

        def facts() -> dict[str, str]:
            if scorer is None:
                return facts_of(tagger, **data())
            held_out = {"dev": digest(scorer.corpus, scorer.right), "metric": scorer.name}
            return facts_of(tagger, **data(), **held_out, patience=self.patience)

        with opened(self.checkpoint, facts) as directory:
            yield directory


def metric_number(name: str, score: Any) -> float:
    """Check that a metric returned a number, and return it."""
    number = isinstance(score, (int, float, np.number)) and not isinstance(score, bool)
    if not number or math.isnan(score):
        raise OptionError(f"metric {name!r} gave {score!r:.60}, but a number is wanted, larger is better")
    return float(score)


class DevScorer:
    """A scorer of models on a development set, encoded once.

    right    the gold labels of its corpus
    decode   computes the label numbers of a model
    labels   all labels of the model
    known    the words of training, or None
    """

    def __init__(
        self,
        corpus: Corpus,
        right: list[list[str]],
        decode: Callable[..., Any],
        metric: Any,
        *,
        labels: Sequence[str],
        known: frozenset[str] | None,
    ) -> None:
        self.corpus, self.right, self._decode, self._metric = corpus, right, decode, metric
        self._options: dict[str, Any] = {}
        if callable(metric):
            self.name = getattr(metric, "__name__", "metric")
            return
        # Metrics that every prediction has: those of spans only where all labels are tags.
        every = [*right, list(labels)]
        figures = list(self._figures(every, every))
        if "span_f1" not in figures:
            self._options["scheme"] = None
        if known is not None and vocabulary(corpus) is not None:
            figures.append("unseen_accuracy")
        usual = "span_f1" if "span_f1" in figures else "accuracy"
        self.name = usual if metric is None else str(metric)
        if self.name not in figures:
            raise OptionError(
                f"metric must be a function or one of {', '.join(map(repr, figures))}, got {metric!r}"
            )
        if self.name == "unseen_accuracy":
            name = next(name for name in WORD_COLUMNS if name in corpus.columns)
            self._options |= {"words": corpus.column(name), "known": known}
            if self.name not in self._figures(right, right):
                raise OptionError(
                    f"metric={self.name!r}: training has seen every word of dev; choose another metric"
                )

    def __call__(self, model: Any) -> float:
        """Score a model: larger is better."""
        predicted = _core.gather_all(list(model.labels), self._decode(model), self.corpus.offsets)
        if callable(self._metric):
            return metric_number(self.name, self._metric(self.right, predicted))
        return float(self._figures(self.right, predicted)[self.name])

    def _figures(
        self, right: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
    ) -> dict[str, float]:
        from seqlab.evaluation import evaluate

        return dict(evaluate(right, predicted, **self._options).figures)


def dev_scorer(
    options: FitOptions,
    tagger: Any,
    column: str | None,
    encoder: Encoder,
    dictionary: TagDictionary | None,
    threads: int,
    *,
    labels: Sequence[str],
    known: frozenset[str] | None,
) -> DevScorer | None:
    """Make a scorer of models on the development set; None without one.

    labels   all labels of the model
    known    the words of training, or None
    """
    if options.dev is None:
        return None
    corpus, right = development(options.dev, tagger, column)
    encoded = encoder.encode(corpus, threads=threads).checked()
    mask = None if dictionary is None else dictionary.mask(corpus)

    def decode(model: Any) -> Any:
        found = []
        for first, part in encoded.blocks(tagger._tokens_at_once(model)):
            begin = int(encoded.offsets[first])
            allowed = None if mask is None else Allowed(mask[begin : begin + part.token_count])
            batch = tagger._batch_for_dev(model, part, allowed, threads)
            with located(first):
                found += inference.viterbi(batch, threads=threads)
        return path_ids(found)

    return DevScorer(corpus, right, decode, options.metric, labels=labels, known=known)


def development(dev: Any, tagger: Any, column: str | None) -> tuple[Corpus, list[list[str]]]:
    """Read a development set: the corpus, and its gold labels."""
    X, y = dev if isinstance(dev, tuple) and len(dev) == 2 else (dev, column)
    if y is None:
        raise OptionError(
            f"dev must be (X, y) when fit was given lists, got {dev!r:.60}; a Corpus alone is enough after a Corpus"
        )
    try:
        corpus = read_sentences(X, words=tagger._reads_words, labelled=isinstance(y, str))
        gold = read_gold(corpus, y)
    except (CorpusError, LabelError, ShapeError) as error:
        raise error.inside("dev", option="dev") from error.__cause__
    if not corpus.token_count:
        raise ShapeError(
            f"dev has {len(corpus)} sentences and no token at all; leave it out, or give it some"
        )
    if gold.partial:
        raise ShapeError(
            "every token of dev needs one label: not None, and not several",
            place=gold.open_place(corpus.offsets)._replace(within=("dev",)),
            option="dev",
        )
    return corpus, _core.gather_all(list(gold.names), gold.ids, corpus.offsets)
