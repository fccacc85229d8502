"""`seqlab train`: a model from labelled sentences."""

from __future__ import annotations

import argparse
import contextlib
import time
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlab.cli import kinds, parsing
from seqlab.errors import OptionError

if TYPE_CHECKING:
    from seqlab.cli.command import Subparsers
    from seqlab.cli.progress import Silent
    from seqlab.corpus import Corpus

DESCRIPTION = """\
Learn a model from labelled sentences and write it to a file.

The labels stand in the last column unless --label names another one (upos in CoNLL-U).
Without --features, a preset that fits the labels is chosen. The first Ctrl-C ends training
and saves the best model so far; the second one quits."""

EXAMPLES = """\
seqlab train train.txt -o chunks.model
seqlab train train.txt --dev dev.txt --constraints IOB2 -o ner.model
seqlab train en.conllu --label upos --model perceptron -i 10 -o pos.model
seqlab train train.txt --features template.crfpp --l1 0.5 -o small.model
seqlab train train.txt --config settings.toml -o chunks.model"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """The arguments of the command; every default is None, so that a config file can be seen below them."""
    parser = parsing.add_command(subparsers, "train", "FILE ... -o MODEL", DESCRIPTION, EXAMPLES)
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="FILE",
        help="labelled sentences; - is standard input, demo:train comes with seqlab",
    )
    parser.add_argument("-o", "--output", metavar="MODEL", help="where the model goes; - is standard output")
    parser.add_argument("--label", "-l", metavar="COLUMN", help="the column to learn (default: the last one)")
    parser.add_argument("--config", metavar="TOML", help="settings by the names of these flags; flags win")
    _add_model(parser.add_argument_group("the model"))
    _add_learning(parser.add_argument_group("learning"))
    parsing.add_reading(parser)
    parser.add_argument("-q", "--quiet", action="store_true", default=None, help="errors only")
    parser.add_argument("--json", action="store_true", default=None, help="the record of training, as JSON")
    parser.set_defaults(parser=parser)
    return parser


def _add_model(group: Any) -> None:
    words = "; ".join(f"{name} {kind.help}" for name, kind in kinds.KINDS.items())
    group.add_argument(
        "--model", "-m", choices=list(kinds.KINDS), metavar="KIND", help=f"{words} (default: crf)"
    )
    group.add_argument(
        "--features",
        metavar="WHAT",
        help="a preset (pos, chunk, ner, segment, supertag), a template file (ours, CRF++'s or Wapiti's), "
        "template text, or none for ready-made attributes",
    )
    group.add_argument("--order", type=parsing.whole(1), metavar="K", help="labels that a move looks back")
    group.add_argument(
        "--constraints", metavar="SCHEME", help="a tag scheme to obey, as IOB2; auto looks at the labels"
    )
    group.add_argument(
        "--min-count", type=parsing.whole(1), metavar="N", help="drop attributes met less often"
    )
    group.add_argument(
        "--prune", type=parsing.number, metavar="X", help="after training, drop weights of at most this size"
    )
    group.add_argument(
        "--storage",
        choices=("float64", "float32", "float16", "int8"),
        metavar="TYPE",
        help="of weights in the file: float64, float32, float16, int8",
    )


def _add_learning(group: Any) -> None:
    group.add_argument(
        "--learner",
        choices=list(kinds.LEARNERS),
        metavar="NAME",
        help="how a crf or memm learns: lbfgs, sgd, cg, gradient",
    )
    group.add_argument("--l1", type=parsing.number, metavar="X", help="penalty on the size of weights")
    group.add_argument("--l2", type=parsing.number, metavar="X", help="penalty on their squares")
    group.add_argument("--iterations", "-i", type=parsing.whole(1), metavar="N", help="at most so many")
    group.add_argument(
        "-p",
        "--param",
        type=parsing.param,
        action="append",
        metavar="NAME=VALUE",
        help="any option of model or learner",
    )
    group.add_argument(
        "--dev", action="append", metavar="FILE", help="sentences that choose the best weights"
    )
    group.add_argument("--metric", metavar="NAME", help="what counts on --dev: accuracy, span_f1, ...")
    group.add_argument("--patience", type=parsing.whole(1), metavar="N", help="epochs without a better score")
    group.add_argument("--start", metavar="MODEL", help="a model to go on from")
    group.add_argument(
        "--seed", type=parsing.whole(0), metavar="N", help="for what is drawn by chance (default: 0)"
    )
    parsing.add_threads(group)


# ------------------------------------------------------------------------------------------------ run


def run(arguments: argparse.Namespace) -> None:
    """Read, learn, save, report."""
    from seqlab.cli.config import with_config
    from seqlab.cli.progress import training_progress

    settings = with_config(arguments, arguments.parser)
    _check(settings)
    began = time.perf_counter()
    with training_progress(
        quiet=bool(settings.quiet or settings.output == "-"), json=bool(settings.json)
    ) as screen:
        facts = _Training(settings, screen).run(began)
    if settings.json:
        from seqlab.cli.printing import print_json

        print_json(facts)


def _check(settings: argparse.Namespace) -> None:
    """What can be known to fail is refused before anything is read."""
    if not settings.files:
        parsing.fail("train", "a file of labelled sentences is wanted")
    if not settings.output:
        parsing.fail("train", "where shall the model go? pass -o MODEL")
    if settings.output == "-" and settings.json:
        raise OptionError("-o - and --json would both write to standard output; name a file for the model")
    if settings.output != "-":
        from pathlib import Path

        target = Path(settings.output)
        if target.is_dir():
            raise OptionError(
                f"{settings.output}: this is a directory, but the model needs the name of a file"
            )
        if not target.parent.is_dir():
            raise OptionError(f"{settings.output}: there is no folder {str(target.parent)!r}; make it first")
    if not settings.dev and (settings.metric or settings.patience):
        raise OptionError("--metric and --patience look at a development set; pass one with --dev")


class _Training:
    """One run of the command."""

    def __init__(self, settings: argparse.Namespace, screen: Silent) -> None:
        self.settings = settings
        self.screen = screen
        self.facts: dict[str, Any] = {}

    def run(self, began: float) -> dict[str, Any]:
        """What was done, as data."""
        settings = self.settings
        train, dev, label = self._read()
        tagger = self._made(train, label)
        self._fit(tagger, train, dev, label)
        pruned = self._pruned(tagger, dev)
        self._save(pruned, train, label)
        self.facts["seconds"] = time.perf_counter() - began
        if dev is not None and not settings.quiet and settings.output != "-":
            self._report(pruned, dev, label)
        return self.facts

    def _read(self) -> tuple[Corpus, Corpus | None, str]:
        from seqlab.cli.inputs import dev_label, label_column, read_corpora
        from seqlab.cli.train_report import corpus_facts, labels_line, odd_labels

        settings, reading = self.settings, parsing.reading_of(self.settings)
        self.screen.step("reading")
        train = read_corpora(settings.files, reading)
        label = label_column(train, settings.label)
        self.facts["train"] = corpus_facts(train)
        self.screen.line(f"train     {train.name}\n          {self.facts['train']['text']}")
        dev = None
        if settings.dev:
            dev = read_corpora(settings.dev, reading)
            dev_label(dev, label)
            self.facts["dev"] = corpus_facts(dev)
            self.screen.line(f"dev       {dev.name}\n          {self.facts['dev']['text']}")
        self.screen.line(f"labels    {labels_line(train, label)}")
        for line in odd_labels(train, label):
            self.screen.line(line)
        self.facts["label"] = label
        return train, dev, label

    def _made(self, train: Corpus, label: str) -> Any:
        from seqlab.cli.train_report import settings_lines

        settings = self.settings
        constraints = kinds.constraints_of(settings.constraints, train, label)
        features: Any = ...
        if "features" in _options_of(settings.model or "crf"):
            features, origin = kinds.features_of(settings.features, train, label)
            self.screen.line(f"features  {origin}")
            self.facts["features"] = origin
        elif settings.features is not None:
            raise OptionError(
                f"--features means nothing to --model {settings.model}, which looks at words alone"
            )
        tagger = kinds.tagger_of(settings, features, constraints)
        if (settings.prune is not None or settings.storage is not None) and not hasattr(tagger, "prune"):
            raise OptionError(
                f"--prune and --storage mean nothing to --model {settings.model}: it has no weights"
            )
        for line in settings_lines(tagger):
            self.screen.line(line)
        self.facts["settings"] = repr(tagger)
        if constraints is None and settings.constraints is None:
            scheme = kinds.scheme_of(train, label)
            if scheme is not None:
                self.screen.line(
                    f"hint      labels follow {scheme}; --constraints {scheme} rules out what does not"
                )
        self.screen.line("")
        return tagger

    def _fit(self, tagger: Any, train: Corpus, dev: Corpus | None, label: str) -> None:
        from seqlab.cli.inputs import placed
        from seqlab.cli.signals import impatient
        from seqlab.cli.train_report import EpochTable, ended

        settings, options = self.settings, dict[str, Any]()
        shown = EpochTable(
            self.screen, settings.iterations or getattr(getattr(tagger, "learner", None), "epochs", None)
        )
        if kinds.takes(tagger, "callbacks"):
            options["callbacks"] = shown
        if kinds.KINDS[settings.model or "crf"].learners:
            options |= {"dev": dev, "metric": settings.metric, "patience": settings.patience}
        elif settings.metric or settings.patience:
            raise OptionError(
                f"--metric and --patience mean nothing to --model {settings.model}: it has no epochs"
            )
        if settings.start:
            from seqlab import load

            if not kinds.takes(tagger, "start"):
                raise OptionError(f"--start means nothing to --model {settings.model}")
            options["start"] = load(settings.start)
        self.screen.step("making features, looking for a first guess")
        began = time.perf_counter()
        with impatient(), self._warnings_shown(), placed(train):
            tagger.fit(train, label, **options)
        history = getattr(tagger, "history_", None)
        self.facts["training_seconds"] = time.perf_counter() - began
        self.facts["history"] = None if history is None else history.to_dict()
        self.screen.line(ended(history, self.facts["training_seconds"]))

    @contextlib.contextmanager
    def _warnings_shown(self) -> Iterator[None]:
        """Warnings stand among the other lines; that training was interrupted is said below anyway."""

        def show(message: Warning | str, *_: Any) -> None:
            if not str(message).startswith("training was interrupted"):
                self.screen.line(f"warning   {message}")

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show  # type: ignore[assignment]
            yield

    def _pruned(self, tagger: Any, dev: Corpus | None) -> Any:
        settings = self.settings
        if settings.prune is None and settings.storage is None:
            return tagger
        self.screen.step("pruning")
        less = tagger.prune(
            threshold=settings.prune or 0.0,
            storage=settings.storage or "float64",
            dev=dev,
            metric=settings.metric,
        )
        self.screen.line(f"pruned    {less.pruned_}")
        self.facts["pruned"] = less.pruned_.to_dict()
        return less

    def _save(self, tagger: Any, train: Corpus, label: str) -> None:
        from pathlib import Path

        from seqlab import store
        from seqlab.cli.printing import put_bytes
        from seqlab.cli.train_report import record_of, saved_line

        state = tagger.state()
        state = state.replaced(record={**state.record, "command": record_of(self.settings, train, label)})
        if self.settings.output == "-":
            put_bytes(store.as_bytes(state))
            return
        store.write(self.settings.output, state)
        self.facts["model"] = self.settings.output
        self.facts["bytes"] = Path(self.settings.output).stat().st_size
        self.screen.line(saved_line(self.settings.output, self.facts["bytes"], tagger))

    def _report(self, tagger: Any, dev: Corpus, label: str) -> None:
        self.screen.step("scoring the development set")
        report = tagger.evaluate(dev, label)
        self.facts["report"] = report.to_dict()
        self.screen.line(f"\non {dev.name}\n\n{report.text()}")


def _options_of(model: str) -> list[str]:
    import seqlab

    found: list[str] = getattr(seqlab, kinds.KINDS[model].tagger)._option_names()
    return found
