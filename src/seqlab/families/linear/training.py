"""Train a linear model: from sentences and labels to weights; order 2 trains a first-order model before."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

from seqlab import _core, families
from seqlab.arrays import thread_count
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder
from seqlab.errors import CorpusError, OptionError
from seqlab.families.linear.fit import LinearFit
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.learners.sgd import SGD
from seqlab.families.linear.model import LinearModel, empty_model, joined
from seqlab.families.linear.second_order import first_order, likely_in_training, sharpness
from seqlab.families.linear.training_set import TrainingSet, active_labels, check_possible, check_rules
from seqlab.learning.monitor import Job, Monitor, Outcome, Report, Weights
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import listed_labels, token_weights, with_classes, word_column
from seqlab.tagging.training import FitOptions, Training, dev_scorer

ENDED = ("interrupted", "stopped")  # a training ended in its first phase gets no second phase


def learn(
    tagger: families.LinearTagger,
    X: Any,
    y: Any,
    sample_weight: Any,
    options: FitOptions,
    before: LinearFit | None = None,
    *,
    classes: Any = None,
    continued: bool = False,
) -> LinearFit:
    """Train a linear model: read, encode, choose its weights, estimate them.

    before      a fitted value whose weights are the start
    classes     further labels, which may come later
    continued   True for partial_fit: these sentences are added to those of `before`
    """
    tagger._check_options()
    threads = thread_count(tagger.threads)
    corpus, gold = tagger._read(X, y)
    encoder, encoded = _encoded(tagger, corpus, before, threads)
    earlier_labels = before.training.labels if before else ()
    labels = tuple(sorted({*gold.names, *listed_labels(classes), *earlier_labels}))
    gold = gold.numbered(labels)
    weights = with_classes(gold, token_weights(corpus, sample_weight), tagger.class_weight)
    rules = Rules.of(tagger.constraints, labels)
    check_rules(gold, rules, corpus.offsets, tagger.constraints)
    dictionary = TagDictionary.of(tagger.allowed, labels, word_column(corpus))
    data = TrainingSet(encoded, gold, weights, active_labels(dictionary, corpus, gold))
    check_possible(data, rules, tagger.constraints)
    every = {"all_states": tagger.states == "all", "all_moves": tagger.transitions == "all"}
    shaped = partial(empty_model, encoded, gold, rules, **every, threads=threads)
    model = shaped() if before is None else joined(shaped(), first_order(before.model()))
    earlier = before if continued else None
    training = Training.of(
        corpus, gold, labels, rules, dictionary, before=None if earlier is None else earlier.training
    )
    judge = dev_scorer(
        options, tagger, gold.column, encoder, dictionary, threads, labels=labels, known=training.vocabulary()
    )
    monitor = options.monitor(judge, model)
    model = trained(tagger, data, model, monitor, threads, earlier=earlier)
    if tagger.order == 2:
        fine = _refined(tagger, data, joined(shaped(order=2), model), model, before, threads)
        if monitor.history.reason not in ENDED:
            data = replace(data, active=likely_in_training(data, fine, threads))
            monitor = options.monitor(judge, fine)
            fine = trained(tagger, data, fine, monitor, threads, earlier=earlier)
        model = fine
    seen = len(corpus) + (0 if earlier is None else earlier.sentences or 0)
    fit: LinearFit = tagger._fit_class.of(training, encoder, model, monitor.history, sentences=seen)
    return fit


def _encoded(
    tagger: families.LinearTagger, corpus: Corpus, before: LinearFit | None, threads: int
) -> tuple[Encoder, EncodedCorpus]:
    if before is None:
        encoder = Encoder(tagger.features, min_count=tagger.min_count)
        encoded = encoder.fit(corpus, threads=threads)
    else:
        encoder = copy(before.encoder())  # extend replaces its parts
        encoded = encoder.extend(corpus, threads=threads)
    if not encoder.size:
        raise CorpusError("no attribute is left to learn from; lower min_count, or look at the features")
    return encoder, encoded.checked()


def _refined(
    tagger: families.LinearTagger,
    data: TrainingSet,
    model: LinearModel,
    coarse: LinearModel,
    before: LinearFit | None,
    threads: int,
) -> LinearModel:
    """Prepare a second-order model, initialised by the first-order one, for training."""
    if before is not None and before.model().triples is not None:
        model = joined(model, before.model())
    if tagger.keep <= 0:
        return replace(model, coarse=None, keep=0.0)
    by = 1.0 if tagger._probabilistic else sharpness(data, coarse, threads)
    return replace(model, coarse=coarse.multiplied(by), keep=float(tagger.keep), sharpness=by)


def trained(
    tagger: families.LinearTagger,
    data: TrainingSet,
    model: LinearModel,
    monitor: Monitor,
    threads: int,
    *,
    earlier: LinearFit | None = None,
) -> LinearModel:
    """Estimate weights with the tagger's learner, from those of the model; `earlier` is the model it continues."""
    learner: Any = tagger.learner
    theta = model.theta
    task = data.task(model, layered=tagger._layered and tagger._probabilistic)

    def first_guess(at: Weights, epochs: int) -> None:
        burn_in, go_on = max(epochs - 2, 0), lambda: not monitor.interrupted()
        options = (float(learner.l2), epochs, burn_in, 0.0, tagger.seed, tagger._local, threads)
        _core.averaged_start(task, at, *options, go_on)

    def train(report: Report) -> Outcome:
        outcome: Outcome
        if isinstance(learner, BatchLearner):
            exact = tagger._losses[1](task)
            quick = tagger._losses[0](task) if getattr(learner, "dtype", "") == "float32" else exact
            centre = None if earlier is None else theta.copy()
            outcome = learner.train(Job(quick, exact, first_guess, threads, centre), theta, report)
        else:
            own = learner if earlier is None else going_on(learner, task, earlier.sentences)
            outcome = own.train(task, theta, threads=threads, seed=tagger.seed, report=report)
        return outcome

    return model.with_theta(monitor.over(train).theta)


def going_on(learner: Any, task: _core.Task, seen: int | None) -> Any:
    """Adapt a learner to further sentences: its penalty is that of the whole corpus, of which these are a part.

    seen   number of earlier training sentences; None in files of earlier versions
    """
    if getattr(learner, "method", None) == "frank-wolfe":
        raise OptionError(
            "StructuredSVM(method='frank-wolfe') always begins at 0, so it cannot go on from an earlier model; "
            "use method='subgradient'"
        )
    if not isinstance(learner, SGD):  # subgradient steps grow as the penalty falls
        return learner
    before = 9 * task.sentences if seen is None else seen
    return replace(learner, l2=learner.l2 * task.sentences / (task.sentences + before))
