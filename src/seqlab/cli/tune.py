"""`seqlab tune`: which options are best."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from seqlab.cli import kinds, parsing
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers
    from seqlab.cli.progress import Silent
    from seqlab.corpus import Corpus
    from seqlab.tuning import Trial, Tuning

DESCRIPTION = """\
Try combinations of options and say which is best on sentences that they were not trained on:
those of --dev, or with --folds each part of FILE in turn.

--set says what to try, once for each option: l2=0.01,0.1,1 takes these values, l2=0.001..10:5
five between these two, l2=0.001..10 any (with --how random or halving). Options are those of
model and learner, as order, min_count, l1, epochs, and features (presets and template files)
and learner. With --resume, a search that was killed goes on where it was; Ctrl-C ends it
with what is done."""

EXAMPLES = """\
seqlab tune train.txt --dev dev.txt --set l2=0.01,0.1,1,10 --picture l2.svg
seqlab tune train.txt --set l1=0..1 --set l2=0.01..10 --how random -n 30
seqlab tune train.txt --set features=chunk,ner --set order=1,2 --resume it
seqlab tune demo:train -l pos --how halving --set l2=0.01..10:9 -o pos.model"""

WAYS = ("grid", "random", "halving")


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = parsing.add_command(subparsers, "tune", "FILE ... --set NAME=VALUES ...", DESCRIPTION, EXAMPLES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled sentences; - is standard input")
    parser.add_argument(
        "--set",
        dest="search",
        action="append",
        type=_setting,
        metavar="NAME=VALUES",
        help="an option and what to try",
    )
    _add_search(parser)
    _add_model(parser.add_argument_group("the model"))
    parser.add_argument("-o", "--output", metavar="MODEL", help="save the best one, trained on all of FILE")
    parser.add_argument("--picture", metavar="FILE", help="error over an option: .svg, .png or .pdf")
    parser.add_argument("--over", metavar="NAME", help="the option of --picture (default: a penalty)")
    parser.add_argument("-q", "--quiet", action="store_true", help="errors only")
    parsing.add_json(parser)
    parsing.add_reading(parser)
    return parser


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--label", "-l", metavar="COLUMN", help="the column to learn (default: the last one)")
    parser.add_argument("--dev", action="append", metavar="FILE", help="sentences to score on")
    parser.add_argument(
        "--folds", type=parsing.whole(2), metavar="K", help="parts of FILE to score on (default: 5)"
    )
    parser.add_argument("--metric", metavar="NAME", help="accuracy, span_f1, sentence_accuracy, ...")
    parser.add_argument(
        "--how", choices=WAYS, default="grid", metavar="WAY", help="grid (the default), random or halving"
    )
    parser.add_argument("-n", type=parsing.whole(1), metavar="N", help="combinations of random and halving")
    parser.add_argument(
        "--resource",
        default="sentences",
        metavar="NAME",
        help="what halving gives more of: sentences (the default) or iterations",
    )
    parser.add_argument(
        "--factor", type=parsing.whole(2), default=3, metavar="N", help="1 in N goes on (default: 3)"
    )
    parser.add_argument(
        "--jobs", "-j", type=parsing.whole(1), metavar="N", help="trainings side by side (default: cores)"
    )
    parser.add_argument("--resume", metavar="FILE", help="write down what is done, and go on from there")
    parser.add_argument("--seed", type=parsing.whole(0), default=0, metavar="N", help="for what chance draws")


def _add_model(group: Any) -> None:
    group.add_argument(
        "--model",
        "-m",
        choices=list(kinds.KINDS),
        metavar="KIND",
        help=f"{', '.join(kinds.KINDS)} (default: crf)",
    )
    group.add_argument("--features", metavar="WHAT", help="as for seqlab train")
    group.add_argument(
        "--constraints", metavar="SCHEME", help="a tag scheme to obey; auto looks at the labels"
    )
    group.add_argument("--learner", choices=list(kinds.LEARNERS), metavar="NAME", help="as for seqlab train")
    group.add_argument("--iterations", "-i", type=parsing.whole(1), metavar="N", help="at most so many")
    group.add_argument(
        "-p",
        "--param",
        type=parsing.param,
        action="append",
        metavar="NAME=VALUE",
        help="any option that stays as it is",
    )
    group.set_defaults(order=None, min_count=None, l1=None, l2=None, threads=None)


# ------------------------------------------------------------------------------------------------ what is typed


def _setting(text: str) -> tuple[str, str]:
    name, sign, values = text.partition("=")
    if not name or not sign or not values:
        raise argparse.ArgumentTypeError(f"NAME=VALUE,VALUE,... is wanted, got {text!r}")
    return name, values


def _values(name: str, text: str) -> Any:
    """Values with commas between them, or a range."""
    low, dots, rest = text.partition("..")
    if not dots or "," in text:
        return [parsing.value(part) for part in text.split(",")]
    high, colon, count = rest.partition(":")
    ends = (parsing.value(low), parsing.value(high))
    number = parsing.value(count) if colon else None
    good = all(isinstance(end, (int, float)) for end in ends) and (not colon or isinstance(number, int))
    if not good or ends[0] >= ends[1] or (number is not None and number < 2):
        raise OptionError(f"--set {name}={text}: a range is written 0.01..10, or 0.01..10:5 for five values")
    return _range(float(ends[0]), float(ends[1]), number)


def _range(low: float, high: float, count: int | None) -> Any:
    """Steps multiply where both ends are above 0."""
    from seqlab.tuning import LogUniform, Uniform

    if count is None:
        return LogUniform(low, high) if low > 0 else Uniform(low, high)
    steps = range(count)
    if low > 0:
        found = [low * (high / low) ** (i / (count - 1)) for i in steps]
    else:
        found = [low + (high - low) * i / (count - 1) for i in steps]
    return [float(f"{value:.6g}") for value in found]


# ------------------------------------------------------------------------------------------------ run


def run(arguments: argparse.Namespace) -> None:
    """Read, search, report."""
    from seqlab.cli.progress import training_progress

    if not arguments.search:
        parsing.fail("tune", "what shall be tried? pass --set NAME=VALUES, for example --set l2=0.1,1")
    if arguments.dev and arguments.folds:
        raise OptionError("--dev and --folds exclude each other: score on one set, or on each part in turn")
    if arguments.n and arguments.how == "grid":
        raise OptionError("-n is for --how random and --how halving; a grid has all combinations")
    _check_targets(arguments)
    with training_progress(quiet=arguments.quiet, json=arguments.json) as screen:
        found = _Search(arguments, screen).run()
    if arguments.picture:
        found.picture(arguments.over).save(arguments.picture)
    if arguments.output and found.model is not None:
        found.model.save(arguments.output)
    if arguments.json:
        print(found.json())
    elif not arguments.quiet:
        print("\n".join(_ending(arguments, found)))


def _check_targets(arguments: argparse.Namespace) -> None:
    """What cannot be written is refused before anything is trained."""
    from pathlib import Path

    for path in (arguments.output, arguments.picture, arguments.resume):
        if path and (Path(path).is_dir() or not Path(path).parent.is_dir()):
            raise OptionError(f"{path}: the name of a file is wanted, in a folder that is there")
    if arguments.picture and Path(arguments.picture).suffix.lower() not in {".svg", ".png", ".pdf"}:
        raise OptionError(f"--picture {arguments.picture}: a picture is written as .svg, .png or .pdf")
    if arguments.over and not arguments.picture:
        raise OptionError("--over says what --picture is drawn over; pass --picture FILE too")


class _Search:
    """One run of the command."""

    def __init__(self, arguments: argparse.Namespace, screen: Silent) -> None:
        self.arguments, self.screen = arguments, screen
        self.metric = "score"

    def run(self) -> Tuning:
        """The search, with a line for each trial."""
        from seqlab import tune
        from seqlab.cli.inputs import placed
        from seqlab.cli.signals import impatient

        given = self.arguments
        train, dev, label = self._read()
        model = self._model(train, label)
        search = self._search(model, train, label)
        self.screen.step("searching", self._count(search))
        with impatient(), placed(train):
            return tune(
                model,
                train,
                label,
                search=search,
                dev=dev,
                folds=given.folds,
                how=given.how,
                metric=given.metric,
                n=given.n,
                factor=given.factor,
                resource=self._resource(model),
                jobs=given.jobs,
                resume=given.resume,
                seed=given.seed,
                refit=given.output is not None,
                on_trial=self._trial,
            )

    def _read(self) -> tuple[Corpus, Corpus | None, str]:
        from seqlab.cli.inputs import dev_label, label_column, read_corpora
        from seqlab.cli.train_report import corpus_facts, labels_line

        reading = parsing.reading_of(self.arguments)
        self.screen.step("reading")
        train = read_corpora(self.arguments.files, reading)
        label = label_column(train, self.arguments.label)
        self.screen.line(f"train     {train.name}\n          {corpus_facts(train)['text']}")
        dev = None
        if self.arguments.dev:
            dev = read_corpora(self.arguments.dev, reading)
            dev_label(dev, label)
            self.screen.line(f"dev       {dev.name}\n          {corpus_facts(dev)['text']}")
        self.screen.line(f"labels    {labels_line(train, label)}")
        return train, dev, label

    def _model(self, train: Corpus, label: str) -> Any:
        import seqlab
        from seqlab.cli.train_report import settings_lines

        given = self.arguments
        features: Any = ...
        name = given.model or "crf"
        if "features" in getattr(seqlab, kinds.KINDS[name].tagger)._option_names():
            features, _ = kinds.features_of(given.features, train, label)
        elif given.features is not None:
            raise OptionError(f"--features means nothing to --model {name}, which looks at words alone")
        model = kinds.tagger_of(given, features, kinds.constraints_of(given.constraints, train, label))
        for line in settings_lines(model):
            self.screen.line(line)
        return model

    def _search(self, model: Any, train: Corpus, label: str) -> dict[str, Any]:
        search: dict[str, Any] = {}
        for typed, text in self.arguments.search:
            name = option_named(model, typed)
            if name in search:
                raise OptionError(f"--set {typed} came twice; name all its values at once")
            values = _values(typed, text)
            if not isinstance(values, list) and self.arguments.how == "grid":
                raise OptionError(
                    f"--set {typed}={text} is any number between two, of which a grid has too many; "
                    f"write {typed}={text}:5 for five of them, or pass --how random"
                )
            if isinstance(values, list):
                values = [_made(name, value, train, label) for value in values]
            search[name] = values
            self.screen.line(f"{'try' if len(search) == 1 else '':<10}{typed}={text}")
        self.screen.line("")
        return search

    def _count(self, search: dict[str, Any]) -> int | None:
        """How many trials there will be, where that is known."""
        from math import prod

        if self.arguments.how == "halving":
            return None
        finite = all(isinstance(values, list) for values in search.values())
        whole = prod(len(values) for values in search.values()) if finite else None
        if self.arguments.how == "grid":
            return whole
        drawn = self.arguments.n or 20
        return drawn if whole is None else min(drawn, whole)

    def _resource(self, model: Any) -> str:
        name: str = self.arguments.resource
        return name if name == "sentences" else option_named(model, name)

    def _trial(self, trial: Trial) -> None:
        from seqlab.tuning.space import shown

        params = ", ".join(
            f"{name.rpartition('__')[2]}={shown(value, 30)}" for name, value in trial.params.items()
        )
        budget = "" if trial.budget == 1 else f" with {trial.budget:.3g}"
        score = f"{trial.score:.4f}" if trial.error is None else f"failed: {trial.error}"
        self.screen.line(f"  {score}  {params}{budget}")
        self.screen.advance()


def option_named(model: Any, typed: str) -> str:
    """learner__l2 for l2, iterations by whatever name the learner has for them."""
    known: list[str] = list(model.get_params(deep=True))
    if typed in known or "__" in typed:
        return typed
    wanted = kinds.ITERATIONS if typed == "iterations" else (typed.replace("-", "_"),)
    found = [name for name in known if name.rpartition("__")[2] in wanted]
    if len(found) == 1:
        return found[0]
    ends = sorted({name.rpartition("__")[2] for name in known})
    why = f"is more than one option: {', '.join(found)}" if found else f"is no option: {', '.join(ends)}"
    raise OptionError(f"--set {typed} {why}")


def _made(name: str, value: Any, train: Corpus, label: str) -> Any:
    """Words that stand for something else than themselves."""
    import seqlab

    if name == "features":
        return kinds.features_of("none" if value is None else str(value), train, label)[0]
    if name == "learner":
        if value not in kinds.LEARNERS:
            raise OptionError(f"--set learner={value}: the learners are {', '.join(kinds.LEARNERS)}")
        return getattr(seqlab, kinds.LEARNERS[value])()
    if name == "constraints":
        return kinds.constraints_of("none" if value is None else str(value), train, label)
    return value


def _ending(arguments: argparse.Namespace, found: Tuning) -> list[str]:
    from seqlab.cli.printing import duration
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
        more = (
            "the same command goes on from there" if arguments.resume else "pass --resume FILE to go on later"
        )
        lines.append(f"          {more}")
    elif found.interrupted:
        lines.append(f"saved     {arguments.output}, whose last training was ended by Ctrl-C")
    elif arguments.output:
        lines.append(f"saved     {arguments.output}, trained on all sentences")
    return lines
