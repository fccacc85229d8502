"""`seqlab train`: a model from labelled sentences."""

from __future__ import annotations

import argparse
import contextlib
import time
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlab.cli import kinds
from seqlab.cli import options as shared
from seqlab.cli.parsing import add, fail, number, param, whole
from seqlab.errors import OptionError
from seqlab.families.linear.learners import LEARNERS

if TYPE_CHECKING:
    from seqlab.cli.terminal.progress import Silent
    from seqlab.corpus import Corpus

USAGE = "FILE ... -o MODEL"
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


def options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; every default is None, so that a config file can be seen below them."""
    files = "labelled sentences; - is standard input, demo:train comes with seqlab"
    add(parser, "files FILE", files, nargs="*", default=[])
    add(parser, "-o --output MODEL", "where the model goes; - is standard output")
    shared.learned_label(parser)
    add(parser, "--config TOML", "settings by the names of these flags; flags win")
    _model_options(parser.add_argument_group("the model"))
    _learning_options(parser.add_argument_group("learning"))
    shared.reading(parser)
    add(parser, "-q --quiet", "errors only", default=None)
    shared.json(parser, "the record of training, as JSON", default=None)
    parser.set_defaults(parser=parser)


def _model_options(group: Any) -> None:
    words = "; ".join(f"{name} {kind.help}" for name, kind in kinds.KINDS.items())
    add(group, "--model -m KIND", f"{words} (default: crf)", choices=list(kinds.KINDS))
    features = (
        "a preset (pos, chunk, ner, segment, supertag), a template file (ours, CRF++'s or Wapiti's), "
        "template text, or none for ready-made attributes"
    )
    add(group, "--features WHAT", features)
    add(group, "--order K", "labels that a move looks back", whole(1))
    add(group, "--constraints SCHEME", "a tag scheme to obey, as IOB2; auto looks at the labels")
    add(group, "--min-count N", "drop attributes met less often", whole(1))
    add(group, "--prune X", "after training, drop weights of at most this size", number)
    types = ("float64", "float32", "float16", "int8")
    add(group, "--storage TYPE", f"of weights in the file: {', '.join(types)}", choices=types)


def _learning_options(group: Any) -> None:
    learners = ", ".join(kinds.KINDS["crf"].learners)
    add(group, "--learner NAME", f"how a crf or memm learns: {learners}", choices=list(LEARNERS))
    add(group, "--l1 X", "penalty on the size of weights", number)
    add(group, "--l2 X", "penalty on their squares", number)
    shared.iterations(group)
    add(group, "-p --param NAME=VALUE", "any option of model or learner", param, action="append")
    add(group, "--dev FILE", "sentences that choose the best weights", action="append")
    add(group, "--metric NAME", "what counts on --dev: accuracy, span_f1, ...")
    add(group, "--patience N", "epochs without a better score", whole(1))
    add(group, "--start MODEL", "a model to go on from")
    add(group, "--seed N", "for what is drawn by chance (default: 0)", whole(0))
    shared.threads(group)


# ------------------------------------------------------------------------------------------------ run


def run(arguments: argparse.Namespace) -> None:
    """Read, learn, save, report."""
    from seqlab.cli.terminal.printing import print_json
    from seqlab.cli.terminal.progress import training_progress
    from seqlab.cli.train.config import with_config

    settings = with_config(arguments, arguments.parser)
    _check(settings)
    quiet = bool(settings.quiet or settings.output == "-")
    with training_progress(quiet=quiet, json=bool(settings.json)) as screen:
        facts = _Training(settings, screen).run()
    if settings.json:
        print_json(facts)


def _check(settings: argparse.Namespace) -> None:
    """Refuse what can be known to fail before anything is read."""
    from seqlab.cli.outputs import check_target

    if not settings.files:
        fail("train", "a file of labelled sentences is wanted")
    if not settings.output:
        fail("train", "where shall the model go? pass -o MODEL")
    if settings.output == "-" and settings.json:
        raise OptionError("-o - and --json would both write to standard output; name a file for the model")
    if settings.output != "-":
        check_target(settings.output, "the model")
    if not settings.dev and (settings.metric or settings.patience):
        raise OptionError("--metric and --patience look at a development set; pass one with --dev")


class _Training:
    """One run of the command."""

    def __init__(self, settings: argparse.Namespace, screen: Silent) -> None:
        self.settings = settings
        self.screen = screen
        self.facts: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """Do it all, and tell what was done, as data."""
        settings, began = self.settings, time.perf_counter()
        train, dev, label = self._read()
        tagger = self._made(train, label)
        self._fit(tagger, train, dev, label)
        pruned = self._pruned(tagger, dev)
        self._save(pruned, train, label)
        self.facts["seconds"] = time.perf_counter() - began
        if dev is not None and not settings.quiet and settings.output != "-":
            self.screen.step("scoring the development set")
            report = pruned.evaluate(dev, label)
            self.facts["report"] = report.to_dict()
            self.screen.line(f"\non {dev.name}\n\n{report.text()}")
        return self.facts

    def _read(self) -> tuple[Corpus, Corpus | None, str]:
        from seqlab.cli.corpora import corpus_facts, read_training
        from seqlab.cli.train.report import odd_labels

        settings, say = self.settings, self.screen.line
        self.screen.step("reading")
        train, dev, label = read_training(settings, settings.files, "dev", settings.dev, say)
        self.facts["train"] = corpus_facts(train)
        if dev is not None:
            self.facts["dev"] = corpus_facts(dev)
        for line in odd_labels(train, label):
            say(line)
        self.facts["label"] = label
        return train, dev, label

    def _made(self, train: Corpus, label: str) -> Any:
        from seqlab.cli.terminal.printing import settings_lines

        settings, say = self.settings, self.screen.line

        def tell_features(origin: str) -> None:
            say(f"features  {origin}")
            self.facts["features"] = origin

        tagger, constraints = kinds.tagger_of(settings, train, label, tell_features)
        if (settings.prune is not None or settings.storage is not None) and not hasattr(tagger, "prune"):
            raise OptionError(
                f"--prune and --storage mean nothing to --model {settings.model}: it has no weights"
            )
        for line in settings_lines(tagger):
            say(line)
        self.facts["settings"] = repr(tagger)
        scheme = kinds.scheme_of(train, label) if constraints is settings.constraints is None else None
        if scheme is not None:
            say(f"hint      labels follow {scheme}; --constraints {scheme} rules out what does not")
        say("")
        return tagger

    def _fit(self, tagger: Any, train: Corpus, dev: Corpus | None, label: str) -> None:
        from seqlab.cli.corpora import placed
        from seqlab.cli.terminal.signals import impatient
        from seqlab.cli.train.report import EpochTable, ended

        settings, options = self.settings, dict[str, Any]()
        limit = settings.iterations or getattr(getattr(tagger, "learner", None), "epochs", None)
        if kinds.takes(tagger, "callbacks"):
            options["callbacks"] = EpochTable(self.screen, limit)
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
        """Put warnings among the other lines; that training was interrupted is said below anyway."""

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
        from seqlab.cli.outputs import put_bytes
        from seqlab.cli.train.report import record_of, saved_line

        state = tagger.state()
        state = state.replaced(record={**state.record, "command": record_of(self.settings, train, label)})
        if self.settings.output == "-":
            put_bytes(store.as_bytes(state))
            return
        store.write(self.settings.output, state)
        self.facts["model"] = self.settings.output
        self.facts["bytes"] = Path(self.settings.output).stat().st_size
        self.screen.line(saved_line(self.settings.output, self.facts["bytes"], tagger))
