"""`seqlab train`: train a model on labelled sentences."""

from __future__ import annotations

import argparse
import contextlib
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import seqlab
from seqlab import learning
from seqlab.cli import kinds, parsing, terminal
from seqlab.cli.corpora import corpus_facts, placed, read_training, values_in
from seqlab.cli.parsing import Group, number, option, param, whole
from seqlab.cli.terminal import Screen, counted, duration
from seqlab.errors import OptionError
from seqlab.families.linear.learners import LEARNERS

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

_FILES = "labelled sentences; - is standard input, demo:train comes with seqlab"
_KINDS = "; ".join(f"{name} {kind.help}" for name, kind in kinds.KINDS.items())
_FEATURES = (
    "a preset (pos, chunk, ner, segment, supertag), a template file (ours, CRF++'s or Wapiti's), "
    "template text, or none for ready-made attributes"
)
_TYPES = ("float64", "float32", "float16", "int8")
_LEARNERS = f"how a crf or memm learns: {', '.join(kinds.KINDS['crf'].learners)}"
OPTIONS = (  # every default is None, so that the values of a config file can apply
    option("files FILE", _FILES, nargs="*", default=[]),
    option("-o --output MODEL", "where the model goes; - is standard output"),
    parsing.LEARNED,
    option("--config TOML", "settings by the names of these flags; flags win"),
    Group(
        "the model",
        option("--model -m KIND", f"{_KINDS} (default: crf)", choices=list(kinds.KINDS)),
        option("--features WHAT", _FEATURES),
        option("--order K", "labels that a move looks back", whole(1)),
        option("--constraints SCHEME", "a tag scheme to obey, as IOB2; auto looks at the labels"),
        option("--min-count N", "drop attributes met less often", whole(1)),
        option("--prune X", "after training, drop weights of at most this size", number),
        option("--storage TYPE", f"of weights in the file: {', '.join(_TYPES)}", choices=_TYPES),
    ),
    Group(
        "learning",
        option("--learner NAME", _LEARNERS, choices=list(LEARNERS)),
        option("--l1 X", "penalty on the size of weights", number),
        option("--l2 X", "penalty on their squares", number),
        parsing.ITERATIONS,
        option("-p --param NAME=VALUE", "any option of model or learner", param, action="append"),
        option("--dev FILE", "sentences that choose the best weights", action="append"),
        option("--metric NAME", "what counts on --dev: accuracy, span_f1, ..."),
        option("--patience N", "epochs without a better score", whole(1)),
        option("--start MODEL", "a model to go on from"),
        option("--seed N", "for what is drawn by chance (default: 0)", whole(0)),
        parsing.THREADS,
    ),
    parsing.READING,
    option("-q --quiet", "errors only", default=None),
    option("--json", "the record of training, as JSON", default=None),
)


def run(arguments: argparse.Namespace) -> None:
    """Read, train, save, report."""
    settings = parsing.with_config(arguments)
    _check(settings)
    quiet = bool(settings.quiet or settings.output == "-")
    with terminal.training_progress(quiet=quiet, json=bool(settings.json)) as screen:
        facts = _Training(settings, screen).run()
    if settings.json:
        terminal.print_json(facts)


def _check(settings: argparse.Namespace) -> None:
    """Check everything that can be checked before reading."""
    if not settings.files:
        settings.parser.error("a file of labelled sentences is wanted")
    if not settings.output:
        settings.parser.error("where shall the model go? pass -o MODEL")
    if settings.output == "-" and settings.json:
        raise OptionError("-o - and --json would both write to standard output; name a file for the model")
    if settings.output != "-":
        terminal.check_target(settings.output, "the model")
    if not settings.dev and (settings.metric or settings.patience):
        raise OptionError("--metric and --patience look at a development set; pass one with --dev")


class _Training:
    """One run of the command."""

    def __init__(self, settings: argparse.Namespace, screen: Screen) -> None:
        self.settings, self.screen, self.say = settings, screen, screen.line
        self.facts: dict[str, Any] = {}

    def run(self) -> dict[str, Any]:
        """Run the command, and return the results as data."""
        settings, began = self.settings, time.perf_counter()
        train, dev, label = self._read()
        tagger = self._made(train, label)
        self._fit(tagger, train, dev, label)
        if settings.prune is not None or settings.storage is not None:
            self.screen.step("pruning")
            less = {"threshold": settings.prune or 0.0, "storage": settings.storage or "float64"}
            tagger = tagger.prune(**less, dev=dev, metric=settings.metric)
            self.say(f"pruned    {tagger.pruned_}")
            self.facts["pruned"] = tagger.pruned_.to_dict()
        self._save(tagger, train, label)
        self.facts["seconds"] = time.perf_counter() - began
        if dev is not None and not settings.quiet and settings.output != "-":
            self.screen.step("scoring the development set")
            report = tagger.evaluate(dev, label)
            self.facts["report"] = report.to_dict()
            self.say(f"\non {dev.name}\n\n{report.text()}")
        return self.facts

    def _read(self) -> tuple[seqlab.Corpus, seqlab.Corpus | None, str]:
        self.screen.step("reading")
        settings = self.settings
        train, dev, label = read_training(settings, settings.files, "dev", self.say)
        found = {"train": train, "dev": dev}
        self.facts = {name: corpus_facts(one) for name, one in found.items() if one is not None}
        for line in _odd_labels(train, label):
            self.say(line)
        self.facts["label"] = label
        return train, dev, label

    def _made(self, train: seqlab.Corpus, label: str) -> Any:
        settings = self.settings

        def tell_features(origin: str) -> None:
            self.say(f"features  {origin}")
            self.facts["features"] = origin

        tagger, constraints = kinds.tagger_of(settings, train, label, tell_features)
        if (settings.prune is not None or settings.storage is not None) and not hasattr(tagger, "prune"):
            raise OptionError(
                f"--prune and --storage mean nothing to --model {settings.model}: it has no weights"
            )
        self.say(terminal.settings_text(tagger))
        self.facts["settings"] = repr(tagger)
        scheme = kinds.scheme_of(train, label) if constraints is settings.constraints is None else None
        if scheme is not None:
            self.say(f"hint      labels follow {scheme}; --constraints {scheme} rules out what does not")
        self.say("")
        return tagger

    def _fit(self, tagger: Any, train: seqlab.Corpus, dev: seqlab.Corpus | None, label: str) -> None:
        from seqlab import load

        settings, options = self.settings, dict[str, Any]()
        limit = settings.iterations or getattr(getattr(tagger, "learner", None), "epochs", None)
        if kinds.takes(tagger, "callbacks"):
            options["callbacks"] = _EpochTable(self.screen, limit)
        if kinds.KINDS[settings.model or "crf"].learners:
            options |= {"dev": dev, "metric": settings.metric, "patience": settings.patience}
        elif settings.metric or settings.patience:
            raise OptionError(
                f"--metric and --patience mean nothing to --model {settings.model}: it has no epochs"
            )
        if not kinds.takes(tagger, "start"):
            parsing.refuse(settings, ["start"], f"means nothing to --model {settings.model}")
        elif settings.start:
            options["start"] = load(settings.start)
        self.screen.step("making features, looking for a first guess")
        began = time.perf_counter()
        with terminal.impatient(), self._warnings_shown(), placed(train):
            tagger.fit(train, label, **options)
        history = getattr(tagger, "history_", None)
        self.facts["training_seconds"] = time.perf_counter() - began
        self.facts["history"] = None if history is None else history.to_dict()
        self.say(_ended(history, self.facts["training_seconds"]))

    @contextlib.contextmanager
    def _warnings_shown(self) -> Iterator[None]:
        """Print warnings among the other lines; an interruption is reported separately."""

        def show(message: Warning | str, *_: Any) -> None:
            if not str(message).startswith("training was interrupted"):
                self.say(f"warning   {message}")

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show  # type: ignore[assignment]
            yield

    def _save(self, tagger: Any, train: seqlab.Corpus, label: str) -> None:
        from seqlab import store

        state, target = tagger.state(), self.settings.output
        state = state.replaced(record={**state.record, "command": _record(self.settings, train, label)})
        if target == "-":
            terminal.put_bytes(store.as_bytes(state))
            return
        store.write(target, state)
        self.facts |= {"model": target, "bytes": Path(target).stat().st_size}
        more = ""
        if hasattr(tagger, "top_features"):
            more = f", {tagger.encoder_.size:,} attributes, {tagger.model_.size:,} weights"
        self.say(f"saved     {target}\n          {terminal.size(self.facts['bytes'])}{more}")


def _record(settings: argparse.Namespace, train: seqlab.Corpus, label: str) -> dict[str, Any]:
    """Collect the facts of training for the model file; `seqlab inspect` shows them."""

    def text(value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return " ".join(map(text, value))
        if isinstance(value, dict):
            return ",".join(f"{name}={one}" for name, one in value.items())
        return str(value)

    unsaid = {"parser", "command", "files", "json", "quiet", "output"}
    given = {k: v for k, v in vars(settings).items() if k not in unsaid and v not in (None, [])}
    return {
        "files": [str(name) for name in settings.files],
        "sentences": len(train),
        "tokens": train.token_count,
        "columns": list(train.columns),
        "label": label,
        "given": {k: v if isinstance(v, (int, float)) else text(v) for k, v in given.items()},
    }


REASONS = {
    "gradient": "converged: the gradient is small",
    "value": "converged: the objective no longer falls",
    "iterations": "the limit of iterations",
    "epochs": "the limit of epochs",
    "patience": "no better score on the development set",
    "interrupted": "interrupted, the best so far is kept",
    "no mistakes": "no mistakes left",
    "no loss": "no loss left",
    "gap": "converged: the duality gap is small",
    "no progress": "no further progress",
}
FURTHER = ("mistakes", "loss", "duality_gap", "rate")  # numbers of a learner that get a column
# Columns of the table: heading, width, format of a number.
SHOWN = {
    "objective": ("objective", 13, ".4f"),
    "gradient_norm": ("gradient", 10, ".3g"),
    **{name: (name.replace("_", " "), 12, "") for name in FURTHER},
    "active": ("weights", 10, ""),
    "dev_score": ("dev score", 10, ".4f"),
}


def _odd_labels(corpus: seqlab.Corpus, label: str) -> Iterator[str]:
    """Warn of a label that all tokens have (often the wrong column), and of an empty label."""
    found = values_in(corpus, label)
    if len(found) == 1:
        others = ", ".join(name for name in corpus.columns if name != label)
        yield f"warning   every token has the label {min(found)!r}; --label names another column: {others}"
    if not all(map(str.strip, found)):
        labels = enumerate(corpus.column(label))
        blank = [(i, t) for i, sentence in labels for t, y in enumerate(sentence) if not y.strip()]
        yield f"warning   {counted(len(blank), 'token')} without a label, the first at {corpus.place(*blank[0])}"


class _EpochTable:
    """A callback that prints one line per epoch, below a head that fits the first one.

    limit   largest number of epochs; None if unknown
    """

    def __init__(self, screen: Screen, limit: int | None = None) -> None:
        self._screen, self._limit, self._began = screen, limit, time.perf_counter()
        self._last: int | None = None
        self._first: set[str] = set()  # numbers of the first epoch

    def __call__(self, epoch: learning.Epoch) -> None:
        """Show an epoch."""
        known = {name: epoch.more.get(name) if name in FURTHER else getattr(epoch, name) for name in SHOWN}
        there = {name for name, value in known.items() if value is not None}
        if self._last is None:
            self._first = there
            heads = (f"{SHOWN[name][0]:>{SHOWN[name][1]}}" for name in SHOWN if name in there)
            self._screen.line(" ".join([f"{'iteration':>9}", *heads, f"{'seconds':>8}"]))
            self._screen.step("training", self._limit)
        elif epoch.iteration < self._last:  # one iteration is told twice where float64 takes over
            self._screen.line("from here on with order 2")
        self._last = epoch.iteration
        self._screen.advance(1, f"iteration {epoch.iteration}")
        # Some learners compute their objective only in some epochs, not in the first.
        shown = self._first | (there - set(FURTHER))
        cells = (_cell(known[name], width, form) for name, (_, width, form) in SHOWN.items() if name in shown)
        seconds = f"{time.perf_counter() - self._began:>8.1f}"
        self._screen.line(" ".join([f"{epoch.iteration:>9}", *cells, seconds]))


def _cell(value: float | None, width: int, form: str) -> str:
    if value is None:
        return " " * width
    return f"{value:>{width}{form or ('.0f' if float(value).is_integer() else '.4g')}}"


def _ended(history: learning.History | None, seconds: float) -> str:
    """Report why training ended, and which weights were kept."""
    if history is None or not len(history):
        return f"\ncounted in {duration(seconds)}"
    why = REASONS.get(history.reason, history.reason)
    text = f"\nended     after {counted(history[-1].iteration, 'iteration')} ({duration(seconds)}), {why}"
    if history.metric is not None and history.best is not None:
        score = next(e.dev_score for e in reversed(history.epochs) if e.iteration == history.best)
        text += f"\nbest      iteration {history.best}, {history.metric} {score:.4f}"
    return text
