"""Hyperparameter search: every combination of options is scored on held-out sentences."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from seqlab.arrays import thread_count, whole_number
from seqlab.errors import OptionError
from seqlab.learning.checkpoint import Checkpoint, checked_checkpoint
from seqlab.learning.identity import digest
from seqlab.shown import exact
from seqlab.tuning.data import LEAST_SENTENCES, Data, Split, checked_data, scorer_of, splits
from seqlab.tuning.result import Interrupted, Trial, Tuning, is_number
from seqlab.tuning.space import Params, candidates, checked_search, key_of
from seqlab.tuning.trials import (
    Journal,
    Outcome,
    Task,
    Work,
    fitted,
    fresh,
    run_all,
    was_interrupted,
)

WAYS = ("grid", "random", "halving")
SENTENCES = "sentences"
JOURNAL = "seqlab-journal.jsonl"  # in the directory of a checkpoint
OnTrial = Callable[[Trial], object]


def tune(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    search: Mapping[str, Any],
    dev: Any = None,
    folds: int | None = None,
    by: str | None = None,
    how: str = "grid",
    metric: Any = None,
    n: int | None = None,
    factor: int = 3,
    resource: str = SENTENCES,
    jobs: int | None = None,
    threads: int | None = None,
    resume: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None,
    seed: int = 0,
    train_score: bool = True,
    refit: bool = True,
    on_trial: OnTrial | None = None,
) -> Tuning:
    """Find the best options of a model.

    model         any estimator of seqlab; it does not change
    X, y          as for its fit
    search        option -> list of values, LogUniform or Uniform; "learner__l2" is the l2 of the learner. Values may be
                  numbers, presets, templates, learners: whatever the option takes
    dev, folds    a development set, a Corpus or (X, y); or the number of folds for cross-validation on X, 5 by default
    by            "document" keeps the documents of a Corpus whole: the folds are parts of its documents
    how           "grid" for every combination, "random" for n of them, "halving" (successive halving): n of which the
                  best 1 / `factor` train again with `factor` times the resource, until all of it is used
    metric        as for fit: "accuracy", "span_f1", any figure of Report, or a function (gold labels, predicted
                  labels) -> number, larger is better; "score" for the model's score(), the default without labels
    n             number of combinations; None for 20 in "random" and the whole grid in "halving"
    resource      of "halving": "sentences", or an option that is a whole number, such as "learner__max_iterations"
    jobs          number of trainings at a time; None for as many as threads. The result is the same for any number
    threads       number of threads of all trainings together; None for every core
    seed          for "random", "halving" and the folds; the same seed gives the same search
    resume        path of a journal, a file with a line per finished training; a search that was stopped continues there
    checkpoint    instead: a directory, or a Checkpoint, for the journal and the state of running trainings, which then
                  continue too
    train_score   True to score the training sentences too, for the picture
    refit         True to train a model with the best options on all of X at the end
    on_trial      a function of a Trial, called when it is complete

    Ctrl-C ends the search and raises Interrupted, a KeyboardInterrupt whose `tuning` has the results so far.
    """
    began = time.perf_counter()
    if how not in WAYS:
        raise OptionError(f"how must be one of {', '.join(map(repr, WAYS))}, got {how!r:.40}")
    place = checked_checkpoint(checkpoint)
    resume = _journal(place, resume)
    data, seed = checked_data(X, y), whole_number(seed, "seed", 0)
    scorer = scorer_of(metric, model, data)
    tried = candidates(how, checked_search(search), None if n is None else whole_number(n, "n", 1), seed)
    for params in tried:
        fresh(model).set_params(**params)  # raises an error for unknown options
    parts = splits(data, dev, folds, seed, by)
    cores = thread_count(threads)
    workers = cores if jobs is None else whole_number(jobs, "jobs", 1)
    budgets = _budgets(how, len(tried), factor, resource, model, parts)
    budget_name = None if how != "halving" or resource == SENTENCES else resource
    # Parallel trainings share the cores; the number of threads changes no result.
    free = model.get_params(deep=False).get("threads", 1) is None and "threads" not in search
    shares = {"threads": max(1, cores // workers)} if free else {}
    work = Work(model, parts, scorer, budget_name, shares, train_score, place)
    facts = {} if resume is None else _facts(work, data, dev, seed, resource, tried, by)
    trials: list[Trial] = []
    whole, staying = True, dict(enumerate(tried))
    with contextlib.closing(Journal(resume, facts)) as journal:
        for budget in budgets:
            done, whole = _round(staying, budget, work, journal, workers, on_trial)
            trials += done
            if not whole:
                break
            ranked = sorted((one for one in done if one.is_complete(len(parts))), key=lambda one: -one.score)
            kept = {one.number for one in ranked[: max(1, math.ceil(len(staying) / factor))]}
            staying = {i: params for i, params in staying.items() if i in kept}
    best = min(trials, key=lambda trial: trial.rank(len(parts)), default=None)
    if best is None or not best.is_complete(len(parts)):
        if not whole:
            raise Interrupted(None)
        why = next((trial.error for trial in trials if trial.error is not None), "there was none")
        raise OptionError(f"no trial of {len(trials)} succeeded; the first one: {why}")
    final = None
    try:
        if refit and whole:
            final = fresh(model).set_params(**best.params)
            fitted(final, X, y, checkpoint=None if place is None else place.below("refit"))
    except KeyboardInterrupt:
        whole, final = False, final if was_interrupted(final) else None
    found = Tuning(
        tuple(trials),
        scorer.name,
        scorer.is_share,
        how,
        len(parts),
        best,
        final,
        not whole or was_interrupted(final),
        time.perf_counter() - began,
        _edges(search, best.params),
    )
    if not whole:
        raise Interrupted(found)
    return found


def _journal(place: Checkpoint | None, resume: Any) -> Any:
    """Return the path of the journal: the one given, or that of the checkpoint; None without."""
    if place is None:
        return resume
    if resume is not None:
        raise OptionError("checkpoint= has a journal of its own; leave out resume=, or checkpoint=")
    return place.file(JOURNAL)


def _edges(search: Mapping[str, Any], best: Mapping[str, Any]) -> dict[str, str]:
    """Find the options whose best value is the smallest or largest in its list of numbers.

    A smallest value of 0, or of 1 among whole numbers, is no edge: smaller ones would make no sense.
    """
    found = {}
    for name, values in search.items():
        tried = list(values) if isinstance(values, Sequence) and not isinstance(values, str) else []
        if len(set(map(repr, tried))) < 2 or not all(is_number(one) for one in tried):
            continue
        if best[name] == max(tried):
            found[name] = "largest"
        elif (
            best[name] == min(tried)
            and best[name] != 0
            and not (isinstance(best[name], int) and best[name] == 1)
        ):
            found[name] = "smallest"
    return found


def _budgets(
    how: str, count: int, factor: int, resource: str, model: Any, parts: Sequence[Split]
) -> list[float]:
    """List the budget of each round, a share of sentences or iterations; the last is the full one."""
    if how != "halving":
        if resource != SENTENCES:
            raise OptionError("resource= is for how='halving'")
        return [1.0]
    factor = whole_number(factor, "factor", 2)
    rounds = 1 + math.floor(math.log(max(count, 1)) / math.log(factor) + 1e-9)
    if resource == SENTENCES:
        least = min(len(part.train) for part in parts)
        while rounds > 1 and least / factor ** (rounds - 1) < LEAST_SENTENCES:
            rounds -= 1
        return [float(factor) ** (i + 1 - rounds) for i in range(rounds)]
    full = model.get_params(deep=True).get(resource)
    if not isinstance(full, int) or isinstance(full, bool) or full < 1:
        raise OptionError(
            f"resource must be 'sentences' or an option of the model that is a whole number from 1 up, "
            f"but {resource!r:.60} is {full!r:.40}; set it in the model to what the last round shall have"
        )
    return sorted({float(max(1, round(full / factor**i))) for i in range(rounds)})


def _facts(
    work: Work, data: Data, dev: Any, seed: int, resource: str, tried: list[Params], by: str | None
) -> dict[str, Any]:
    """Describe the search: a journal can be resumed only by an equal search."""
    plain, held_out = fresh(work.model), work.splits[0].test
    if "threads" in plain.get_params(deep=False):
        plain.set_params(threads=None)
    for what, text in [
        ("model", exact(plain)),
        *((f"trial {i}", key_of(one)) for i, one in enumerate(tried)),
    ]:
        if " at 0x" in text:  # the default repr, with the object's address
            raise OptionError(
                f"resume= needs values that say what they are, but {what} has {text!r:.120}; "
                f"give its class a __repr__, or leave resume out"
            )
    return {
        "model": exact(plain),
        "metric": work.scorer.name,
        "sentences": digest(data.X, data.y),
        "dev": digest(held_out.X, held_out.y) if dev is not None else None,
        "folds": len(work.splits),
        "seed": seed,
        "resource": resource,
        **({} if by is None else {"by": by}),
    }


def _round(
    staying: Mapping[int, Params],
    budget: float,
    work: Work,
    journal: Journal,
    jobs: int,
    on_trial: OnTrial | None,
) -> tuple[list[Trial], bool]:
    """Train every combination on every fold that is not in the journal; False after Ctrl-C."""
    folds = range(len(work.splits))
    found: dict[int, dict[int, Outcome]] = {i: {} for i in staying}

    def trial(i: int) -> Trial:
        done = [found[i][fold] for fold in folds if fold in found[i]]
        scores = tuple(one.score for one in done if one.score is not None)
        own = tuple(one.train_score for one in done if one.train_score is not None)
        error = next((one.error for one in done if one.error is not None), None)
        return Trial(i, dict(staying[i]), budget, scores, own, sum(one.seconds for one in done), error)

    def keep(task: Task, outcome: Outcome) -> None:
        found[task.number][task.fold] = outcome
        if len(found[task.number]) == len(folds) and on_trial is not None:
            on_trial(trial(task.number))

    def done(task: Task, outcome: Outcome) -> None:
        journal.add(task, outcome)
        work.forget(task)
        keep(task, outcome)

    left = []
    for task in (Task(i, params, budget, fold) for i, params in staying.items() for fold in folds):
        known = journal.done(task)
        if known is None:
            left.append(task)
        else:
            work.forget(task)
            keep(task, known)
    whole = run_all(left, work, jobs, done)
    return [trial(i) for i in staying if len(found[i]) == len(folds)], whole
