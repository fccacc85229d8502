"""How a linear model is trained: from sentences and labels to weights, one model after another for order 2."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder
from seqlab.errors import CorpusError, OptionError
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.learners.sgd import SGD
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.second_order import likely_labels
from seqlab.families.linear.shape import empty_model, joined
from seqlab.families.linear.training_set import (
    TrainingSet,
    active_labels,
    check_possible,
    check_rules,
    keep_given,
    only_given,
)
from seqlab.learning.monitor import Job, Monitor, Outcome, Weights
from seqlab.tagging.door.constraints import Allowed, Bools, Rules, TagDictionary
from seqlab.tagging.door.sentences import Gold, listed_labels, token_weights, with_classes, word_column
from seqlab.tagging.training import FitOptions, Training, dev_scorer
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from seqlab.families.linear.tagger import LinearTagger

USUAL_KEEP = 1e-3
LEFT = 3.0  # labels a token that a CRF usually leaves then
SAMPLE = 20_000  # tokens that are enough to see how many are left
ENDED = ("interrupted", "stopped")  # who ends the first part of a training wants no second one


def learn(
    tagger: LinearTagger,
    X: Any,
    y: Any,
    sample_weight: Any,
    options: FitOptions,
    before: LinearFit | None = None,
    *,
    classes: Any = None,
    continued: bool = False,
) -> LinearFit:
    """Train a linear model: read, encode, give it a shape, find its weights.

    before      a fitted value whose weights to begin with
    classes     labels that may come later
    continued   whether these sentences come on top of what `before` has learned from
    """
    tagger._check_options()
    threads = thread_count(tagger.threads)
    corpus, gold = tagger._read(X, y)
    encoder, encoded = _encoded(tagger, corpus, before, threads)
    labels = tuple(
        sorted({*gold.names, *listed_labels(classes), *(before.training.labels if before else ())})
    )
    gold = gold.numbered(labels)
    weights = with_classes(gold, token_weights(corpus, sample_weight), tagger.class_weight)
    rules = Rules.of(tagger.constraints, labels)
    check_rules(gold, rules, corpus.offsets, tagger.constraints)
    dictionary = TagDictionary.of(tagger.allowed, labels, word_column(corpus))
    lesson = TrainingSet(encoded, gold, weights, active_labels(dictionary, corpus, gold))
    check_possible(lesson, rules, tagger.constraints)
    model = _shaped(tagger, encoded, gold, rules, 1, threads)
    if before is not None:
        model = joined(model, first_order(before.model()))
    earlier = before if continued else None
    training = Training.of(
        corpus, gold, labels, rules, dictionary, before=None if earlier is None else earlier.training
    )
    judge = dev_scorer(
        options, tagger, gold.column, encoder, dictionary, threads, labels=labels, known=training.vocabulary()
    )
    watch = options.watch(judge, model)
    model = trained(tagger, lesson, model, watch, threads, earlier=earlier)
    if tagger.order == 2:
        fine = _second_order(tagger, lesson, model, before, threads)
        if watch.history.reason not in ENDED:
            lesson = replace(lesson, active=pruned(lesson, fine.coarse, tagger.keep, threads))
            watch = options.watch(judge, fine)
            fine = trained(tagger, lesson, fine, watch, threads, earlier=earlier)
        model = fine
    seen = len(corpus) + (0 if earlier is None else earlier.sentences or 0)
    return LinearFit.of(training, encoder, model, watch.history, sentences=seen)


def _encoded(
    tagger: LinearTagger, corpus: Corpus, before: LinearFit | None, threads: int
) -> tuple[Encoder, EncodedCorpus]:
    if before is None:
        encoder = Encoder(tagger.features, min_count=tagger.min_count)
        encoded = encoder.fit(corpus, threads=threads)
    else:
        encoder = copy(before.encoder())  # extend makes its parts anew
        encoded = encoder.extend(corpus, threads=threads)
    if not encoder.size:
        raise CorpusError("no attribute is left to learn from; lower min_count, or look at the features")
    return encoder, encoded.checked()


def _shaped(
    tagger: LinearTagger, encoded: EncodedCorpus, gold: Gold, rules: Rules, order: int, threads: int
) -> LinearModel:
    return empty_model(
        encoded,
        gold.names,
        gold.ids,
        gold.sets,
        rules,
        order=order,
        all_states=tagger.states == "all",
        all_moves=tagger.transitions == "all",
        bigrams=getattr(encoded.encoder.features, "bigram", True),
        threads=threads,
    )


def first_order(model: LinearModel) -> LinearModel:
    """The model of order 1 as its training left it."""
    return model if model.coarse is None else model.coarse.multiplied(1 / model.sharpness)


def _second_order(
    tagger: LinearTagger, lesson: TrainingSet, coarse: LinearModel, before: LinearFit | None, threads: int
) -> LinearModel:
    """A model of order 2 that begins where the one of order 1 ended."""
    model = joined(_shaped(tagger, lesson.encoded, lesson.gold, coarse.rules, 2, threads), coarse)
    if before is not None and before.model().triples is not None:
        model = joined(model, before.model())
    if tagger.keep <= 0:
        return replace(model, coarse=None, keep=0.0, _scorers={})
    by = 1.0 if tagger._probabilistic else sharpness(lesson, coarse, threads)
    return replace(model, coarse=coarse.multiplied(by), keep=float(tagger.keep), sharpness=by, _scorers={})


def sharpness(lesson: TrainingSet, coarse: LinearModel, threads: int) -> float:
    """A factor for scores that are no logarithms of probabilities, so that they leave as many labels as a CRF's.

    A perceptron's are so large that hardly a second label is left, those of a structured SVM so small that all are.
    """
    if coarse.L <= LEFT or USUAL_KEEP * coarse.L >= 1:
        return 1.0
    encoded = lesson.encoded
    last = max(int(np.searchsorted(encoded.offsets, SAMPLE, side="right")) - 1, 1)
    sample = encoded.stretch(0, min(last, len(encoded)))
    allowed = None if lesson.active is None else Allowed(lesson.active[: sample.token_count])
    low, high = -32.0, 32.0  # of its logarithm to base 2: low leaves all labels, high leaves one
    for _ in range(12):
        middle = (low + high) / 2
        likely = likely_labels(
            coarse.multiplied(2.0**middle), sample, USUAL_KEEP, allowed=allowed, threads=threads
        )
        low, high = (middle, high) if likely.sum() > LEFT * sample.token_count else (low, middle)
    return float(2.0**high)


def pruned(lesson: TrainingSet, coarse: LinearModel | None, keep: float, threads: int) -> Bools | None:
    """(tokens, L): labels that the coarse model thinks possible, and always those given; None for any label."""
    if coarse is None:
        return lesson.active
    masks = [lesson.active]
    if lesson.gold.partial:  # what fits the labels given must stay possible as well
        given = only_given(lesson.gold, coarse.L)
        masks.append(given if lesson.active is None else given & lesson.active)
    likely = np.zeros((lesson.encoded.token_count, coarse.L), dtype=bool)
    for mask in masks:
        allowed = None if mask is None else Allowed(mask)
        likely |= likely_labels(coarse, lesson.encoded, keep, allowed=allowed, threads=threads)
    keep_given(likely, lesson.gold)
    return likely


def trained(
    tagger: LinearTagger,
    lesson: TrainingSet,
    model: LinearModel,
    watch: Monitor,
    threads: int,
    *,
    earlier: LinearFit | None = None,
) -> LinearModel:
    """Find weights by the tagger's learner, from those that the model has; `earlier` is what it goes on from."""
    theta = model.theta
    task = lesson.task(model, layered=tagger._layered and tagger._probabilistic)
    outcome = watch.over(
        lambda report: _run(tagger, task, theta, report, threads, earlier=earlier, watch=watch)
    )
    return model.with_theta(outcome.theta)


def _run(
    tagger: LinearTagger,
    task: _core.Task,
    theta: Weights,
    report: Any,
    threads: int,
    *,
    earlier: LinearFit | None,
    watch: Monitor,
) -> Outcome:
    learner = tagger.learner
    if not isinstance(learner, BatchLearner):
        if earlier is not None:
            learner = going_on(learner, task, earlier.sentences)
        outcome: Outcome = learner.train(task, theta, threads=threads, seed=tagger.seed, report=report)
        return outcome

    centre = None if earlier is None else theta.copy()
    wide = tagger._losses[1](task)
    wants32 = getattr(learner, "dtype", "float64") == "float32"
    quick = tagger._losses[0](task) if wants32 else wide
    guess = _first_guess(tagger, task, float(learner.l2), watch, threads)
    return learner.train(Job(quick, wide, guess, threads, tagger.seed, centre), theta, report)


def _first_guess(tagger: LinearTagger, task: _core.Task, l2: float, watch: Monitor, threads: int) -> Any:
    """A function that finds better weights to begin with, in so many epochs."""

    def first_guess(at: Weights, epochs: int) -> None:
        burn_in = max(epochs - 2, 0)
        _core.averaged_start(
            task,
            at,
            l2,
            epochs,
            burn_in,
            0.0,
            tagger.seed,
            tagger._local,
            threads,
            lambda: not watch.interrupted(),
        )

    return first_guess


def going_on(learner: Any, task: _core.Task, seen: int | None) -> Any:
    """Adapt a learner to further sentences: its penalty is that of the whole corpus, of which these are a part.

    seen   sentences learned from before; None when a model from a file has not counted
    """
    if getattr(learner, "method", None) == "frank-wolfe":
        raise OptionError(
            "StructuredSVM(method='frank-wolfe') always begins at 0, so it cannot go on from an earlier model; "
            "use method='subgradient'"
        )
    if not isinstance(learner, SGD):  # a subgradient's steps grow as the penalty falls
        return learner
    before = 9 * task.sentences if seen is None else seen
    return replace(learner, l2=learner.l2 * task.sentences / (task.sentences + before))
