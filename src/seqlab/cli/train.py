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
from seqlab.cli import cluster, kinds, parsing, terminal
from seqlab.cli.epochs import EpochTable, ended, runs
from seqlab.cli.kinds import tokeniser
from seqlab.cli.kinds.data import fit_arguments, observed
from seqlab.cli.kinds.parts import is_hidden
from seqlab.cli.parsing import Group, number, option, param, whole
from seqlab.cli.reading import documents
from seqlab.cli.reading.corpora import corpus_facts, placed, read_training, streamed, values_in
from seqlab.cli.score import scored
from seqlab.cli.terminal import Screen, counted
from seqlab.errors import OptionError

USAGE = "FILE ... -o MODEL"
DESCRIPTION = """\
Learn a model from sentences and write it to a file.

The labels are in the last column unless --label names another one (upos in CoNLL-U).
Without --features, a preset that fits the labels is chosen. A markov or mixture needs no
labels, nor does an hmm with --states. Texts with places (doccano, prodigy, labelstudio, brat,
webanno) are cut by rules, or by --tokeniser, which becomes part of the model. Ctrl-C saves the best
model so far and exits with 130; a second one quits at once. With --checkpoint, a training that
was killed or stopped continues when the same command is given again, and gives the same model
bit for bit."""

EXAMPLES = """\
seqlab train train.txt -o chunks.model
seqlab train train.txt --dev dev.txt --constraints IOB2 -o ner.model
seqlab train en.conllu --label upos --model perceptron -i 10 -o pos.model
seqlab train train.txt --features template.crfpp --l1 0.5 -o small.model
seqlab train train.txt --config settings.toml -o chunks.model
seqlab train big.txt --checkpoint chunks.ckpt -o chunks.model
seqlab train raw.txt -m hmm --states 10 --restarts 5 -o states.model
seqlab train raw.txt -m markov --order 2 --smoothing kneser-ney -o 3gram.model
seqlab train train.txt -m local --classifier LinearSVC -p C=0.5 -o svc.model
seqlab train train.txt -m rerank --generator hmm.model -o better.model
seqlab train letters.jsonl --format doccano --align shrink -o names.model
seqlab train en.conllu -m tokeniser --dev dev.conllu -o tokens.model
seqlab train en.conllu -l upos --tokeniser tokens.model -o english.model
seqlab train big-*.gz --max-memory 2G --cache DIR -o big.model
seqlab train big-*.gz --cache DIR --scheduler tcp://10.0.0.1:8786 -o big.model"""

_FILES = "sentences; - is standard input, demo:train comes with seqlab"
_KINDS = "; ".join(f"{name} {kind.help}" for name, kind in kinds.KINDS.items())
_KINDS += f"; {tokeniser.NAME} {tokeniser.HELP}"
_TOKENISER = "put before the tagger, for raw text: rules, train (on the same files), or a file"
_TEXT = "of a tokeniser: the raw text of a file of tokens (CoNLL-U has it inside)"
_FEATURES = (
    "a preset (pos, chunk, ner, segment, supertag), a template file (ours, CRF++'s or Wapiti's), "
    "template text, or none for ready-made attributes"
)
_TYPES = ("float64", "float32", "float16", "int8")
_LEARNERS = f"how a crf, memm or rerank learns: {', '.join([*kinds.KINDS['crf'].learners, *kinds.RANKING])}"
OPTIONS = (  # every default is None, so that the values of a config file can apply
    option("files FILE", _FILES, nargs="*", default=[], reads=True),
    option("-o --output MODEL", "the file to write; - is standard output", writes="model"),
    parsing.LEARNED,
    option("--config TOML", "settings, named like these flags; flags have priority", reads=True),
    Group(
        "the model",
        option("--model -m KIND", f"{_KINDS} (default: crf)", choices=[*kinds.KINDS, tokeniser.NAME]),
        option("--tokeniser WHAT", _TOKENISER, reads=True),
        option("--text FILE", _TEXT, reads=True),
        option("--features WHAT", _FEATURES, reads=True),
        option("--order K", "number of previous labels (markov: words) to use", whole(1)),
        parsing.SMOOTHING,
        option("--constraints SCHEME", "a tag scheme to obey, as IOB2; auto looks at the labels"),
        option(
            "--allowed FILE", "allowed labels of words: lines of a word and its labels, or .json", reads=True
        ),
        option("--min-count N", "drop attributes seen less often", whole(1)),
        option("--prune X", "after training, drop weights of at most this size", number),
        option("--storage TYPE", f"of weights in the file: {', '.join(_TYPES)}", choices=_TYPES),
        parsing.CLASSIFIER,
        parsing.GENERATOR,
    ),
    parsing.HIDDEN,
    Group(
        "learning",
        option("--learner NAME", _LEARNERS, choices=kinds.LEARNER_NAMES),
        option("--l1 X", "penalty on the size of weights", number),
        option("--l2 X", "penalty on their squares", number),
        parsing.ITERATIONS,
        option("-p --param NAME=VALUE", "any option of model or learner", param, action="append"),
        option("--dev FILE", "development set, which chooses the best weights", action="append", reads=True),
        option("--metric NAME", "score on --dev: accuracy, span_f1, ..."),
        option("--patience N", "end after N epochs without a better score on --dev", whole(1)),
        option("--start MODEL", "a model to continue training from", reads=True),
        option("--checkpoint DIR", "store the training there; the same command continues it"),
        option("--checkpoint-every S", "seconds from one to the next (default: 5 %% of the time)", number),
        option("--seed N", "of random numbers (default: 0)", whole(0)),
        parsing.THREADS,
    ),
    Group(
        "more than memory holds",
        option("--max-memory SIZE", "bytes, 512M or 2G: sentences stay on disk and are read as needed"),
        option("--cache DIR", "where they are kept for the next time (default: a temporary folder)"),
    ),
    cluster.OPTIONS,
    parsing.READING,
    option("-q --quiet", "errors only", default=None),
    option("--json", "the record of training, as JSON", default=None),
)


def run(settings: argparse.Namespace) -> int:
    """Read corpora, train a model, save it and report; settings come from arguments and from --config."""
    _check(settings)
    if settings.quiet:  # may come from --config, after warnings were set up
        warnings.simplefilter("ignore")
    quiet = bool(settings.quiet or settings.output == "-")
    with terminal.training_progress(quiet=quiet, json=bool(settings.json)) as screen:
        if settings.model == tokeniser.NAME:
            facts = tokeniser.train(settings, screen.line)
            if settings.json:
                terminal.print_json(facts)
            return 0
        parsing.refuse(settings, ["text"], f"is for --model {tokeniser.NAME}")
        training = _Training(settings, screen)
        facts = training.run()
    if settings.json:
        terminal.print_json(facts)
    return training.code


def _check(settings: argparse.Namespace) -> None:
    """Check everything that can be checked before reading."""
    if not settings.files:
        settings.parser.error("a file of labelled sentences is wanted")
    if not settings.output:
        settings.parser.error("where shall the model go? pass -o MODEL")
    if settings.output == "-" and settings.json:
        raise OptionError("-o - and --json would both write to standard output; name a file for the model")
    if settings.checkpoint_every is not None and not settings.checkpoint:
        raise OptionError("--checkpoint-every is for --checkpoint DIR")
    if _far(settings):
        why = "is for a training in memory, without --max-memory, --cache and a cluster"
        parsing.refuse(settings, ["unlabelled"], why)
    if not settings.dev and (settings.metric or settings.patience):
        raise OptionError("--metric and --patience look at a development set; pass one with --dev")


def _far(settings: argparse.Namespace) -> bool:
    """Return True if sentences stay on disk."""
    return settings.max_memory is not None or settings.cache is not None or cluster.asked(settings)


class _Training:
    """One run of the command."""

    def __init__(self, settings: argparse.Namespace, screen: Screen) -> None:
        self.settings, self.screen, self.say = settings, screen, screen.line
        self.far = _far(settings)
        self.source: Any = (
            None  # the files, where they may be larger than memory: then `train` is their beginning
        )
        self.facts: dict[str, Any] = {}
        self.code = 0

    def run(self) -> dict[str, Any]:
        """Run the command, and return the results as data."""
        settings, began = self.settings, time.perf_counter()
        if settings.tokeniser is None and self._reads_text():
            settings.tokeniser = tokeniser.RULES
        # Before anything is learned; texts are cut by it.
        cutter = settings.tokens_by = None if settings.tokeniser is None else tokeniser.before(settings)
        train, dev, label = self._read()
        tagger = self._made(train, label)
        self._check_far(tagger)
        if dev is not None:
            dev = observed(settings, dev, label)
        self._fit(tagger, train, dev, label)
        if settings.prune is not None or settings.storage is not None:
            self.screen.step("pruning")
            less = {"threshold": settings.prune or 0.0, "storage": settings.storage or "float64"}
            tagger = tagger.prune(**less, dev=dev, metric=settings.metric)
            self.say(f"pruned    {tagger.pruned_}")
            self.facts["pruned"] = tagger.pruned_.to_dict()
        self._save(tagger, train, label, cutter)
        self.facts["seconds"] = time.perf_counter() - began
        if dev is not None and not settings.quiet and settings.output != "-" and not self.code:
            self.screen.step("scoring the development set")
            report = self._report(tagger, dev, label)
            self.facts["report"] = report.to_dict()
            self.say(f"\non {dev.name}\n\n{report.text()}")
        return self.facts

    def _reads_text(self) -> bool:
        """Return True if the files are texts with places, and the model labels their tokens."""
        labels = kinds.KINDS[self.settings.model or "crf"].labels
        return labels and documents.are_documents(self.settings.files, self.settings.format)

    def _report(self, tagger: Any, dev: seqlab.Corpus, label: str | None) -> Any:
        """Evaluate the labels of the development set; without labels, compute its log-probability."""
        if label is not None and hasattr(tagger, "evaluate"):
            return tagger.evaluate(dev, label)
        return scored(tagger, dev, label)

    def _read(self) -> tuple[seqlab.Corpus, seqlab.Corpus | None, str | None]:
        self.screen.step("reading")
        settings = self.settings
        if self.far:
            self.source, first = streamed(settings.files, parsing.reading_of(settings))
        else:
            self.source, first = None, None
        train, dev, label = read_training(settings, settings.files, "dev", self.say, kinds.target_of, first)
        found = {"train": train, "dev": dev}
        self.facts = {name: corpus_facts(one) for name, one in found.items() if one is not None}
        if label is not None and kinds.KINDS[settings.model or "crf"].labels:
            for line in _odd_labels(train, label):
                self.say(line)
        self.facts["label"] = label
        return train, dev, label

    def _made(self, train: seqlab.Corpus, label: str | None) -> Any:
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
        may_obey = label is not None and "constraints" in tagger.get_params(deep=False)
        free = may_obey and constraints is settings.constraints is None
        scheme = kinds.scheme_of(train, str(label)) if free else None
        if scheme is not None:
            self.say(f"hint      labels follow {scheme}; --constraints {scheme} rules out what does not")
        self.say("")
        return tagger

    def _options(
        self,
        tagger: Any,
        train: seqlab.Corpus,
        dev: seqlab.Corpus | None,
        label: str | None,
        *,
        several: bool,
    ) -> dict[str, Any]:
        """Collect the arguments of fit besides the data; with `several` restarts, epochs are not shown."""
        from seqlab import Checkpoint, load

        settings, options, learner = self.settings, dict[str, Any](), getattr(tagger, "learner", None)
        if kinds.takes(tagger, "callbacks") and not several:
            options["callbacks"] = EpochTable(self.screen, self._limit(learner))
        asked = {"dev": dev, "metric": settings.metric, "patience": settings.patience}
        for name, value in asked.items():
            if self._watches(tagger, train, label) and kinds.takes(tagger, name):
                options[name] = value
            elif name != "dev" and value is not None:
                raise OptionError(
                    f"--{name} means nothing to --model {settings.model}: its training has no epochs to choose from"
                )
        if not kinds.takes(tagger, "checkpoint"):
            parsing.refuse(settings, ["checkpoint"], f"means nothing to --model {settings.model}")
        elif settings.checkpoint:
            options["checkpoint"] = Checkpoint(settings.checkpoint, settings.checkpoint_every)
            self._tell_checkpoint(settings.checkpoint)
        if not kinds.takes(tagger, "start"):
            parsing.refuse(settings, ["start"], f"means nothing to --model {settings.model}")
        elif settings.start:
            options["start"] = load(settings.start)
        if "threads" not in tagger.get_params(deep=False) and kinds.takes(tagger, "threads"):
            options["threads"] = settings.threads
        return options

    def _fit(self, tagger: Any, train: seqlab.Corpus, dev: seqlab.Corpus | None, label: str | None) -> None:
        settings = self.settings
        several = (
            getattr(getattr(tagger, "learner", None), "restarts", 1) > 1
        )  # epochs of parallel restarts would be mixed up
        options = self._options(tagger, train, dev, label, several=several)
        self.screen.step("making features, looking for a first guess")
        began = time.perf_counter()
        X, y = fit_arguments(settings, train, label)
        if self.far:
            X = self.source if X is train else self.source.select(*X.columns)
            options |= {"max_memory": settings.max_memory, "cache": settings.cache}
            if kinds.takes(tagger, "progress"):
                options["progress"] = self._tell_far
        with (
            terminal.orderly(),  # temporary data are removed
            cluster.client_of(settings) as client,
            terminal.impatient(),
            self._warnings_shown(),
            placed(train),
        ):
            if client is not None:
                options["client"] = client
            try:
                tagger.fit(*((X,) if y is None else (X, y)), **options)
            except (KeyboardInterrupt, SystemExit) as error:  # SystemExit: SIGTERM or SIGHUP
                self.code = getattr(error, "code", terminal.INTERRUPTED)
                if not tagger._fitted():
                    self.say("\nended     without a model: nothing is saved")
                    raise
        history: Any = getattr(tagger, "history_", None)
        self.facts["training_seconds"] = time.perf_counter() - began
        self.facts["history"] = history.to_dict() if hasattr(history, "to_dict") else None
        if several:
            self.facts["restarts"] = [one.to_dict() for one in tagger.restarts_]
            self.say(runs(tagger.restarts_, tagger.history_))
        self.say(ended(tagger, self.facts["training_seconds"]))

    def _tell_checkpoint(self, path: str) -> None:
        """Say where training goes on, if a checkpoint is there."""
        from seqlab.learning.checkpoint import told_of

        for name, (iteration, done) in told_of(path).items():
            which = "" if name in ("order-1", "run-0") else f" of {name.replace('-', ' ')}"
            self.say(f"stored    {path}: {'the end' if done else f'iteration {iteration}'}{which}")

    def _limit(self, learner: Any) -> int | None:
        """Return the largest number of epochs; on disk also where it is a mere limit, for an estimate of the time."""
        epochs: int | None = self.settings.iterations or getattr(learner, "epochs", None)
        return epochs or (getattr(learner, "max_iterations", None) if self.far else None)

    def _check_far(self, tagger: Any) -> None:
        """Refuse --max-memory and --cache where sentences cannot stay on disk."""
        settings = self.settings
        if cluster.asked(settings) and not kinds.takes(tagger, "client"):
            why = f"means nothing to --model {settings.model}, which is trained on one machine"
            parsing.refuse(settings, ["scheduler", "workers"], why)
        if self.far and not kinds.takes(tagger, "max_memory"):
            why = f"means nothing to --model {settings.model}, which is trained in memory"
            parsing.refuse(settings, ["max_memory", "cache"], why)

    def _tell_far(self, what: str, done: int, total: int | None) -> None:
        """Show how far the data have come to disk."""
        if what != self._step:
            self._step, self._done = what, 0
            self.screen.step(what, total)
        self.screen.advance(done - self._done, what if total else f"{what}, {done:,} tokens", total)
        self._done = done

    _step, _done = "", 0

    def _watches(self, tagger: Any, train: seqlab.Corpus, label: str | None) -> bool:
        """Return True if training has epochs, of which a development set can choose the best."""
        if self.settings.model == "hmm":
            return is_hidden(self.settings, train, label)
        return self.settings.model != "local" and hasattr(tagger, "learner")

    @contextlib.contextmanager
    def _warnings_shown(self) -> Iterator[None]:
        """Print warnings between the lines of progress."""

        def show(message: Warning | str, *_: Any) -> None:
            self.say(terminal.hanging("warning", terminal.for_shell(str(message))))

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show  # type: ignore[assignment]
            yield

    def _save(self, tagger: Any, train: seqlab.Corpus, label: str | None, cutter: Any) -> None:
        from seqlab import store
        from seqlab.store.codec import state_of

        state = tagger.state() if cutter is None else state_of(seqlab.Pipeline(cutter, tagger))
        target, record = self.settings.output, _record(self.settings, train, label)
        if self.far:  # `train` is their beginning
            del record["sentences"], record["tokens"]
        state = state.replaced(record={**state.record, "command": record})
        if target == "-":
            terminal.put_bytes(store.as_bytes(state))
            return
        store.write(target, state)
        self.facts |= {"model": target, "bytes": Path(target).stat().st_size}
        more = ""
        if hasattr(tagger, "top_features") and hasattr(tagger, "encoder_"):
            more = f", {tagger.encoder_.size:,} attributes, {tagger.model_.size:,} weights"
        self.say(f"saved     {target}\n          {terminal.size(self.facts['bytes'])}{more}")


def _record(settings: argparse.Namespace, train: seqlab.Corpus, label: str | None) -> dict[str, Any]:
    """Collect the facts of training for the model file; `seqlab inspect` shows them."""

    def text(value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return " ".join(map(text, value))
        if isinstance(value, dict):
            return ",".join(f"{name}={one}" for name, one in value.items())
        return str(value)

    unsaid = {"parser", "command", "files", "json", "quiet", "output", "checkpoint", "checkpoint_every"}
    unsaid |= {"tokens_by"}
    given = {k: v for k, v in vars(settings).items() if k not in unsaid and v not in (None, [])}
    return {
        "files": [str(name) for name in settings.files],
        "sentences": len(train),
        "tokens": train.token_count,
        "columns": list(train.columns),
        "label": label,
        "given": {k: v if isinstance(v, (int, float)) else text(v) for k, v in given.items()},
    }


def _odd_labels(corpus: seqlab.Corpus, label: str) -> Iterator[str]:
    """Warn of a label that all tokens have (often the wrong column), and of an empty label."""
    found = values_in(corpus, label)
    if len(found) == 1:
        others = ", ".join(name for name in corpus.columns if name != label)
        yield f"warning   every token has the label {min(found)!r}; --label names another column: {others}"
    if not all(map(str.strip, found)):
        labels = enumerate(corpus.column(label))
        blank = [
            (i, t)
            for i, sentence in labels
            for t, y in enumerate(sentence)
            if y is not None and not y.strip()
        ]
        yield f"warning   {counted(len(blank), 'token')} without a label, the first at {corpus.place(*blank[0])}"
