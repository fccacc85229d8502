"""`seqlab tune`: search for the best options."""

from __future__ import annotations

import argparse
import math
from functools import partial
from typing import Any

import seqlab
from seqlab.cli import kinds, parsing
from seqlab.cli.kinds.data import fit_arguments
from seqlab.cli.parsing import Group, option, param, value_of, whole
from seqlab.cli.reading.corpora import placed, read_training
from seqlab.cli.terminal import INTERRUPTED, Screen, duration, impatient, settings_text, training_progress
from seqlab.errors import OptionError

USAGE = "FILE ... --set NAME=VALUES ..."
DESCRIPTION = """\
Try combinations of options and say which is best on sentences that they were not trained on:
those of --dev, or with --folds each part of FILE in turn.

--set says what to try, once for each option: l2=0.01,0.1,1 takes these values, l2=0.001..10:5
five between these two, l2=0.001..10 any (with --how random or halving). Options are those of
model and learner, as order, min_count, l1, epochs, and features (presets and template files)
and learner. With --resume, a search that was stopped continues after the trainings that are
done, with --checkpoint also within a training; Ctrl-C ends it and says what is done."""

EXAMPLES = """\
seqlab tune train.txt --dev dev.txt --set l2=0.01,0.1,1,10 --picture l2.svg
seqlab tune train.txt --set l1=0..1 --set l2=0.01..10 --how random -n 30
seqlab tune train.txt --set features=chunk,ner --set order=1,2 --resume it
seqlab tune demo:train -l pos --how halving --set l2=0.01..10:9 -o pos.model"""

# Flags whose options have other names in Python.
ALIASES = {
    "iterations": kinds.ITERATIONS,
    "states": ("n_states", "n_components"),
    "tol": ("tolerance", "tol"),
}
WAYS = ("grid", "random", "halving")
DRAWN = 20  # default number of random combinations
ASKED = (
    "folds",
    "by",
    "how",
    "metric",
    "n",
    "resource",
    "factor",
    "jobs",
    "threads",
    "resume",
    "checkpoint",
    "seed",
)  # also arguments of seqlab.tune


def _setting(text: str) -> tuple[str, str]:
    name, sign, values = text.partition("=")
    if not name or not sign or not values:
        raise argparse.ArgumentTypeError(f"NAME=VALUE,VALUE,... is wanted, got {text!r}")
    return name, values


_RESOURCE = "what halving gives more of: sentences (the default) or iterations"
_KINDS = list(kinds.KINDS)
OPTIONS = (
    option("files FILE", parsing.LABELLED, nargs="+", reads=True),
    option("--set NAME=VALUES", "an option and what to try", _setting, dest="search", action="append"),
    parsing.LEARNED,
    option("--dev FILE", "sentences to score on", action="append", reads=True),
    option("--folds K", "parts of FILE to score on (default: 5)", whole(2)),
    option("--by WHAT", "document: folds keep documents whole", choices=("document",)),
    option("--metric NAME", "accuracy, span_f1, sentence_accuracy, ..."),
    option("--how WAY", "grid (the default), random or halving", choices=WAYS, default="grid"),
    option("-n N", "combinations of random and halving", whole(1)),
    option("--resource NAME", _RESOURCE, default="sentences"),
    option("--factor N", "keep 1 in N for the next round (default: 3)", whole(2), default=3),
    option("--jobs -j N", "trainings at a time (default: as many as threads)", whole(1)),
    option("--threads -t N", "of all trainings together (default: every core)", whole(1)),
    option("--resume FILE", "record finished trainings there, and resume from them", writes="journal"),
    option("--checkpoint DIR", "instead: record finished and running trainings there"),
    parsing.SEED,
    Group(
        "the model",
        option("--model -m KIND", f"{', '.join(_KINDS)} (default: crf)", choices=_KINDS),
        *parsing.FEATURES,
        option("--learner NAME", "as for seqlab train", choices=kinds.LEARNER_NAMES),
        parsing.SMOOTHING,
        parsing.CLASSIFIER,
        parsing.GENERATOR,
        parsing.ITERATIONS,
        option("-p --param NAME=VALUE", "an option that is the same in all trials", param, action="append"),
    ),
    parsing.HIDDEN,
    option("-o --output MODEL", "save the best one, trained on all of FILE", writes="model"),
    option("--picture FILE", "error over an option: .svg, .png or .pdf", writes="picture"),
    option("--over NAME", "the option of --picture (default: a penalty)"),
    option("-q --quiet", "errors only"),
    parsing.JSON,
    parsing.READING,
)


def _values(name: str, text: str) -> Any:
    """Read values separated by commas, or a range, or steps in it, geometric if both ends are above 0."""
    import numpy as np

    from seqlab.tuning import LogUniform, Uniform

    low, dots, rest = text.partition("..")
    if not dots or "," in text:
        return [value_of(part) for part in text.split(",")]
    high, colon, count = rest.partition(":")
    first, last, number = value_of(low), value_of(high), value_of(count) if colon else 2
    good = all(isinstance(end, (int, float)) for end in (first, last)) and isinstance(number, int)
    if not good or first >= last or number < 2:
        raise OptionError(f"--set {name}={text}: a range is written 0.01..10, or 0.01..10:5 for five values")
    if not colon:
        return LogUniform(float(first), float(last)) if first > 0 else Uniform(float(first), float(last))
    steps = np.geomspace(first, last, number) if first > 0 else np.linspace(first, last, number)
    return [float(f"{value:.6g}") for value in steps]


def run(arguments: argparse.Namespace) -> int:
    """Read, search, report."""
    from seqlab.tuning import Interrupted

    _check(arguments)
    stopped = False
    with training_progress(quiet=arguments.quiet, json=arguments.json) as screen:
        try:
            found = _searched(arguments, screen)
        except Interrupted as error:
            if error.tuning is None:
                raise
            found, stopped = error.tuning, True
    if arguments.picture:
        found.picture(arguments.over).save(arguments.picture)
    if arguments.output and found.model is not None:
        found.model.save(arguments.output)
    if arguments.json:
        print(found.json())
    elif not arguments.quiet:
        print("\n".join(_ending(arguments, found)))
    return INTERRUPTED if stopped else 0


def _check(arguments: argparse.Namespace) -> None:
    """Check everything that can be checked before training."""
    if not arguments.search:
        arguments.parser.error("what shall be tried? pass --set NAME=VALUES, for example --set l2=0.1,1")
    if arguments.dev and arguments.folds:
        raise OptionError("--dev and --folds exclude each other: score on one set, or on each part in turn")
    if arguments.n and arguments.how == "grid":
        raise OptionError("-n is for --how random and --how halving; a grid has all combinations")
    if arguments.picture and not arguments.picture.lower().endswith((".svg", ".png", ".pdf")):
        raise OptionError(f"--picture {arguments.picture}: a picture is written as .svg, .png or .pdf")
    if arguments.over and not arguments.picture:
        raise OptionError("--over says what --picture is drawn over; pass --picture FILE too")


def _searched(given: argparse.Namespace, screen: Screen) -> seqlab.tuning.Tuning:
    """Search, printing a line for each trial."""
    from seqlab import tune

    screen.step("reading")
    train, dev, label = read_training(given, given.files, "dev", screen.line, kinds.target_of)
    # tune distributes the threads itself; its seed is also the model's, if that has one.
    seed = given.seed if "seed" in kinds.KINDS[given.model or "crf"].options else None
    together = argparse.Namespace(**vars(given) | {"threads": None, "seed": seed})
    model, _ = kinds.tagger_of(together, train, label)
    X, y = fit_arguments(given, train, label)
    held_out = None if dev is None else fit_arguments(_alone(given), dev, label)[0]
    screen.line(settings_text(model))
    search = _search_space(given, model, train, label, screen)
    finite = given.how != "halving" and all(isinstance(values, list) for values in search.values())
    most = math.prod(map(len, search.values())) if finite else math.inf
    drawn = (given.n or DRAWN) if given.how == "random" else math.inf
    count = min(most, drawn)
    screen.step("searching", count if count < math.inf else None)
    chosen = {name: getattr(given, name) for name in ASKED} | {"refit": given.output is not None}
    if given.resource != "sentences":
        chosen["resource"] = _option_named(model, given.resource)
    show = partial(_show_trial, screen)
    with impatient(), placed(train):
        return tune(model, X, y, search=search, dev=held_out, on_trial=show, **chosen)


def _alone(given: argparse.Namespace) -> argparse.Namespace:
    """Return the flags without --unlabelled, whose sentences are for training only."""
    return argparse.Namespace(**vars(given) | {"unlabelled": None})


def _search_space(
    given: argparse.Namespace, model: Any, train: seqlab.Corpus, label: str, screen: Screen
) -> dict[str, Any]:
    search: dict[str, Any] = {}
    for typed, text in given.search:
        name = _option_named(model, typed)
        if name in search:
            raise OptionError(f"--set {typed} came twice; name all its values at once")
        values = _values(typed, text)
        if isinstance(values, list):
            values = [_made(name, value, train, label) for value in values]
        elif given.how == "grid":
            raise OptionError(
                f"--set {typed}={text} is any number between two, of which a grid has too many; "
                f"write {typed}={text}:5 for five of them, or pass --how random"
            )
        search[name] = values
        screen.line(f"{'try' if len(search) == 1 else '':<10}{typed}={text}")
    screen.line("")
    return search


def _show_trial(screen: Screen, trial: seqlab.tuning.Trial) -> None:
    from seqlab.tuning.space import shown

    pairs = ((name.rpartition("__")[2], shown(value, 30)) for name, value in trial.params.items())
    params = ", ".join(f"{name}={value}" for name, value in pairs)
    budget = "" if trial.budget == 1 else f" with {trial.budget:.3g}"
    score = f"{trial.score:.4f}" if trial.error is None else f"failed: {trial.error}"
    screen.line(f"  {score}  {params}{budget}")
    screen.advance()


def _option_named(model: Any, typed: str) -> str:
    """Find an option by its last word: learner__l2 for l2; iterations by the learner's own name."""
    known: list[str] = list(model.get_params(deep=True))
    wanted = [name for name in ALIASES.get(typed, ()) if name in {one.rpartition("__")[2] for one in known}]
    if not wanted and (typed in known or "__" in typed):
        return typed
    wanted = wanted or [typed.replace("-", "_")]
    found = [name for name in known if name.rpartition("__")[2] in wanted]
    if len(found) == 1:
        return found[0]
    ends = sorted({name.rpartition("__")[2] for name in known})
    why = f"is more than one option: {', '.join(found)}" if found else f"is no option: {', '.join(ends)}"
    raise OptionError(f"--set {typed} {why}")


def _made(name: str, value: Any, train: seqlab.Corpus, label: str) -> Any:
    """Convert a word that stands for a value, such as the name of a preset."""
    if name == "features":
        return kinds.features_of("none" if value is None else str(value), train, label)[0]
    if name == "learner":
        if value not in kinds.LEARNER_NAMES:
            raise OptionError(f"--set learner={value}: the learners are {', '.join(kinds.LEARNER_NAMES)}")
        return kinds.learner_class(value)()
    if name == "constraints":
        return kinds.constraints_of("none" if value is None else str(value), train, label)
    return value


def _ending(arguments: argparse.Namespace, found: seqlab.tuning.Tuning) -> list[str]:
    from seqlab.tuning.result import short
    from seqlab.tuning.space import shown

    names = list(found.best.params)
    best = ", ".join(f"{short(name, names)}={shown(value, 60)}" for name, value in found.best.params.items())
    lines = ["", found.text(), "", f"best      {best}", f"          {found.metric} {found.best.score:.4f}"]
    lines[-1] += f" ± {found.best.spread:.4f} over {found.folds} folds" if found.folds > 1 else ""
    lines.append(f"took      {duration(found.seconds)}")
    if arguments.picture:
        lines.append(f"picture   {arguments.picture}")
    if found.interrupted and found.model is None:
        lines.append("stopped   by Ctrl-C: these are the trials that were done")
        later, stored = "pass --resume FILE to go on later", arguments.resume or arguments.checkpoint
        lines.append(f"{'':10}{'the same command goes on from there' if stored else later}")
    elif found.interrupted:
        lines.append(f"saved     {arguments.output}, whose last training was ended by Ctrl-C")
    elif arguments.output:
        lines.append(f"saved     {arguments.output}, trained on all sentences")
    return lines
