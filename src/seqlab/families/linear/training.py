"""How a linear model is trained: from sentences and labels to weights, one model after another for order 2."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seqlab import _core
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder
from seqlab.errors import CorpusError
from seqlab.families.linear.continuing import going_on
from seqlab.families.linear.label_pruning import pruned, sharpness
from seqlab.families.linear.learners.batch import BatchLearner
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.shape import empty_model, joined
from seqlab.families.linear.training_set import Lesson, active_labels, check_possible, check_rules
from seqlab.learning.monitor import Watch
from seqlab.learning.progress import Job, Outcome, Weights
from seqlab.tagging.dev import Course, judge_of
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.door.dictionary import TagDictionary
from seqlab.tagging.door.labels import Gold, listed_labels
from seqlab.tagging.door.sentences import vocabulary, word_column
from seqlab.tagging.door.weights import token_weights, with_classes
from seqlab.threads import thread_count

if TYPE_CHECKING:
    from seqlab.families.linear.tagger import LinearTagger

ENDED = ("interrupted", "stopped")  # who ends the first part of a training wants no second one


def learn(
    tagger: LinearTagger,
    X: Any,
    y: Any,
    sample_weight: Any,
    course: Course,
    before: LinearTagger | None = None,
    *,
    classes: Any = None,
    continued: bool = False,
) -> None:
    """Give a tagger its weights, and all else that it has after fit.

    before      a tagger whose weights to begin with
    classes     labels that may come later
    continued   whether these sentences come on top of what `before` has learned from
    """
    tagger._check_options()
    threads = thread_count(tagger.threads)
    corpus, gold = tagger._read(X, y)
    encoder, encoded = _encoded(tagger, corpus, before, threads)
    labels = tuple(sorted({*gold.names, *listed_labels(classes), *(before.labels_ if before else ())}))
    gold = gold.numbered(labels)
    weights = with_classes(gold, token_weights(corpus, sample_weight), tagger.class_weight)
    rules = Rules.of(tagger.constraints, labels)
    check_rules(gold, rules, corpus.offsets, tagger.constraints)
    dictionary = TagDictionary.of(tagger.allowed, labels, word_column(corpus))
    lesson = Lesson(encoded, gold, weights, active_labels(dictionary, corpus, gold))
    check_possible(lesson, rules, tagger.constraints)
    model = _shaped(tagger, encoded, gold, rules, 1, threads)
    if before is not None:
        model = joined(model, first_order(before.model_))
    seen = vocabulary(corpus)
    if continued and before is not None and before.vocabulary_ is not None and seen is not None:
        seen |= before.vocabulary_
    judge = judge_of(course, tagger, gold.column, encoder, dictionary, threads, labels=labels, known=seen)
    watch = course.watch(judge, model)
    model = trained(tagger, lesson, model, watch, threads, continued=continued)
    if tagger.order == 2:
        fine = _second_order(tagger, lesson, model, before, threads)
        if watch.history.reason not in ENDED:
            lesson = replace(lesson, active=pruned(lesson, fine.coarse, tagger.keep, threads))
            watch = course.watch(judge, fine)
            fine = trained(tagger, lesson, fine, watch, threads, continued=continued)
        model = fine
    tagger.model_, tagger.encoder_, tagger.dictionary_ = model, encoder, dictionary
    tagger.history_ = watch.history
    tagger.sentences_ = len(corpus) + (getattr(before, "sentences_", 0) if continued else 0)
    for stale in ("_decoder", "pruned_", "_folded", "_memory", "_made"):
        tagger.__dict__.pop(stale, None)
    tagger._remember(corpus, gold, labels)
    tagger.vocabulary_ = seen


def _encoded(
    tagger: LinearTagger, corpus: Corpus, before: LinearTagger | None, threads: int
) -> tuple[Encoder, EncodedCorpus]:
    if before is None:
        encoder = Encoder(tagger.features, min_count=tagger.min_count)
        encoded = encoder.fit(corpus, threads=threads)
    else:
        encoder = copy(before.encoder_)  # extend makes its parts anew
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
    tagger: LinearTagger, lesson: Lesson, coarse: LinearModel, before: LinearTagger | None, threads: int
) -> LinearModel:
    """A model of order 2 that begins where the one of order 1 ended."""
    model = joined(_shaped(tagger, lesson.encoded, lesson.gold, coarse.rules, 2, threads), coarse)
    if before is not None and before.model_.triples is not None:
        model = joined(model, before.model_)
    if tagger.keep <= 0:
        return replace(model, coarse=None, keep=0.0, _scorers={})
    by = 1.0 if tagger._probabilistic else sharpness(lesson, coarse, threads)
    return replace(model, coarse=coarse.multiplied(by), keep=float(tagger.keep), sharpness=by, _scorers={})


def trained(
    tagger: LinearTagger,
    lesson: Lesson,
    model: LinearModel,
    watch: Watch,
    threads: int,
    *,
    continued: bool = False,
) -> LinearModel:
    """The model with the weights that the tagger's learner finds, from those that it has."""
    theta = model.theta
    task = lesson.task(model, layered=tagger._layered and tagger._probabilistic)
    centre = theta.copy() if continued else None
    outcome = watch.over(
        lambda report: _run(tagger, task, theta, report, threads, centre=centre, watch=watch)
    )
    return model.with_theta(outcome.theta)


def _run(
    tagger: LinearTagger,
    task: _core.Task,
    theta: Weights,
    report: Any,
    threads: int,
    *,
    centre: Weights | None,
    watch: Watch,
) -> Outcome:
    learner = tagger.learner
    if not isinstance(learner, BatchLearner):
        if centre is not None:
            learner = going_on(learner, task, getattr(tagger, "sentences_", None))
        outcome: Outcome = learner.train(task, theta, threads=threads, seed=tagger.seed, report=report)
        return outcome

    wide = tagger._loss64(task)
    wants32 = getattr(learner, "dtype", "float64") == "float32"
    quick = tagger._loss32(task) if wants32 else wide
    guess = _first_guess(tagger, task, float(learner.l2), watch, threads)
    return learner.train(Job(quick, wide, guess, threads, tagger.seed, centre), theta, report)


def _first_guess(tagger: LinearTagger, task: _core.Task, l2: float, watch: Watch, threads: int) -> Any:
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
