"""Comparison of several models, trained and scored on the same sentences, with its table."""

from __future__ import annotations

import inspect
import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any

from seqlab.arrays import thread_count, whole_number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, SeqlabError
from seqlab.evaluation import Report, evaluate, significance
from seqlab.families.linear import learners
from seqlab.features.presets import usual_features
from seqlab.shown import Brief, Table, Written, columns_of, cut
from seqlab.tuning.data import Data, checked_data, report_of
from seqlab.tuning.trials import fitted, fresh, was_interrupted
from seqlab.views import html
from seqlab.views.text import clip, laid_out

USUAL = ("baseline", "hmm", "memm", "perceptron", "crf")
_OF_LEARNERS = {name: one.learner for name, one in learners.LEARNERS.items() if not one.models}
MODELS = (*USUAL, *(name for name in _OF_LEARNERS if name not in USUAL))
LEAST_SECONDS = 0.05  # shortest time of tagging that is measured
MOST_REPEATS = 5
LONGEST_NAME = 16
MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
METRICS = ("accuracy", "sentence_accuracy", "span_f1")
NAMES = {"accuracy": "accuracy", "unseen_accuracy": "unseen", "span_f1": "span F1"}


@dataclass(frozen=True, repr=False)
class Row(Brief):
    """Results of one model, by its name.

    report              its figures with confidence intervals
    training_seconds    time of fit
    tokens_per_second   speed of predict, the best of several runs
    size                of its file in bytes; None when it cannot be saved
    model               trained
    p_best, p_before    p-values of the difference from the best row, and from the row before;
                        None for the best row itself, and for the first
    """

    name: str
    report: Report = field(repr=False)
    training_seconds: float
    tokens_per_second: float
    size: int | None
    model: Any = field(repr=False)
    p_best: float | None = None
    p_before: float | None = None

    @property
    def mark(self) -> str:
        """Return the stars of a row that is significantly worse than the best."""
        p = self.p_best
        return next((stars for bound, stars in MARKS if p is not None and p < bound), "")

    def figure(self, name: str, *, interval: bool = True) -> str:
        """Write the figure of that name in percent, and its interval: 95.61 ±0.65."""
        if name not in self.report.figures:
            return "-"
        text, found = f"{100 * self.report.figures[name]:.2f}", self.report.intervals.get(name)
        return text if found is None or not interval else f"{text} ±{50 * (found.high - found.low):.2f}"

    def costs(self) -> list[str]:
        """Format time of training, tokens per second, and size."""
        seconds, rate, size = self.training_seconds, self.tokens_per_second, self.size
        time_text = f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
        rate_text = f"{rate / 1e3:.0f} k" if rate >= 1e4 else f"{rate:,.0f}"
        size_text = "-" if size is None else f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
        return [
            f"{seconds / 60:.1f} min" if seconds >= 90 else time_text,
            f"{rate / 1e6:.1f} M" if rate >= 1e6 else rate_text,
            size_text,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without the model."""
        return {
            "name": self.name,
            "options": repr(self.model),
            "figures": dict(self.report.figures),
            "intervals": {name: asdict(one) for name, one in self.report.intervals.items()},
            "training_seconds": self.training_seconds,
            "tokens_per_second": self.tokens_per_second,
            "bytes": self.size,
            "p_best": self.p_best,
            "p_before": self.p_before,
        }


@dataclass(frozen=True)
class Comparison(Written):
    """Several models, trained and scored on the same sentences.

    rows      in the order in which they were named
    metric    what decides: "span_f1" where labels are tags, else "accuracy"
    best      the number of the best row
    train_sentences, tokens, confidence, threads   sizes of the data; of the intervals; how many were used
    """

    rows: tuple[Row, ...]
    metric: str
    best: int
    train_sentences: int
    sentences: int
    tokens: int
    confidence: float
    threads: int

    def __getitem__(self, name: str) -> Row:
        for one in self.rows:
            if one.name == name:
                return one
        raise KeyError(f"there is no model {name!r}, only {', '.join(row.name for row in self.rows)}")

    @property
    def columns(self) -> list[str]:
        """List the figures of the table."""
        return [name for name in NAMES if any(name in row.report.figures for row in self.rows)]

    def __repr__(self) -> str:
        return cut(f"Comparison({', '.join(f'{one.name} {one.figure(self.metric)}' for one in self.rows)})")

    def _columns(self) -> Table:
        reports = [one.report for one in self.rows]
        columns = columns_of(
            self.rows, "name", "training_seconds", "tokens_per_second", "size", "p_best", "p_before"
        )
        for name in self.columns:
            columns[name] = [one.figures.get(name) for one in reports]
            for side in ("low", "high") if any(one.intervals for one in reports) else ():
                bounds = [one.intervals.get(name) for one in reports]
                columns[f"{name}_{side}"] = [one and getattr(one, side) for one in bounds]
        return columns

    def _views(self) -> Iterator[str | Table]:
        from seqlab.views.notebook import Markup

        yield f"{len(self.rows)} models, trained on {self.train_sentences:,} sentences"
        yield Markup(self.html_table())

    def __str__(self) -> str:
        return self.text()

    def text(self) -> str:
        """Write a table of at most 80 columns, as long as names are short."""
        cells = [["", *(NAMES[name] for name in self.columns), "", "training", "tokens/s", "size"]]
        for i, row in enumerate(self.rows):
            sign = "> " if i == self.best and len(self.rows) > 1 else "  "
            figures = [row.figure(name, interval=name != "unseen_accuracy") for name in self.columns]
            cells.append([sign + clip(row.name, LONGEST_NAME, "…"), *figures, row.mark, *row.costs()])
        return "\n".join([*laid_out(cells, f"l{'r' * len(self.columns)}mrrr"), "", *self.notes()])

    def notes(self) -> list[str]:
        """Return the notes below the table."""
        figure = NAMES.get(self.metric, self.metric.replace("_", " "))
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        lines = [f"{self.sentences:,} sentences, {self.tokens:,} tokens, {threads}; figures in percent"]
        if any(row.report.intervals for row in self.rows):
            lines[0] += f"; ±: {100 * self.confidence:g} % interval"
        if len(self.rows) > 1:
            lines.append(f"> best {figure}; worse by more than luck: * p < .05, ** p < .01, *** p < .001")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the models, in plain lists, dicts and numbers."""
        facts = {name: value for name, value in vars(self).items() if name != "rows"}
        return {**facts, "best": self.rows[self.best].name, "models": [row.to_dict() for row in self.rows]}

    def html(self, path: str | os.PathLike[str] | None = None, *, title: str = "Comparison") -> str:
        """Make one self-contained page with a title; written to `path` if there is one."""
        return html.page(title, [self.html_table()], path)

    def html_table(self) -> str:
        """Return the table as HTML, with a sentence about it."""
        numbers = ["p against the best", "training", "tokens/s", "size"]
        head = ["model", *(NAMES[name] for name in self.columns), *numbers]
        rows = []
        for one in self.rows:
            p = "best" if one.p_best is None else f"{one.p_best:.2g} {one.mark}"
            cells = [*(one.figure(name) for name in self.columns), p, *one.costs()]
            best = one is self.rows[self.best] and len(self.rows) > 1
            rows.append(html.row(one.name, cells, kind="best" if best else ""))
        return f'{html.table(head, rows)}<p class="faint">{escape(self.notes()[0])}.</p>'


def compare(
    train: Any,
    test: Any,
    models: Sequence[Any] | Mapping[str, Any] | str = USUAL,
    y: Any = None,
    *,
    features: Any = "auto",
    metric: str | None = None,
    bootstrap: int = 1000,
    trials: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
    on_model: Callable[[str, int, int], object] | None = None,
) -> Comparison:
    """Train every model on `train`, evaluate it on `test`, and return a table of their scores.

    train, test   corpora, or (X, y) each
    models        names ("baseline", "hmm", "memm", "perceptron", "crf", "svm", "pa", "arow"), models with options of
                  your own, or {name: model}; they do not change
    y             the column of labels; None for the last one (upos in CoNLL-U)
    features      for models by name: "auto" for a preset that fits the labels, or whatever a tagger takes
    metric        score that decides which is best: "accuracy" or "span_f1"; None for span_f1 if labels are tags
    bootstrap     number of bootstrap samples of `test` for confidence intervals
    trials        number of trials of the significance test
    threads       for models by name, and for tagging; seed: of training, bootstrap and trials
    on_model      a function (name, number, how many), called before each model is trained
    """
    learn, tried = _data(train, y), _data(test, y if y is not None else _column(train))
    chosen = _models(models, learn, features, seed, threads)
    gold = tried.gold()
    if gold is None or not any(len(labels) for labels in gold):
        raise OptionError("compare needs right labels to compare with, and test has no token")
    known = [name for name in METRICS if name in evaluate(gold, gold).figures]
    measure = ("span_f1" if "span_f1" in known else "accuracy") if metric is None else metric
    if not isinstance(measure, str) or measure not in known:
        more = "" if "span_f1" in known else " (these labels are no tags, so there are no spans)"
        raise OptionError(f"metric must be {', '.join(map(repr, known))}{more}, got {metric!r:.40}")
    options = {"bootstrap": whole_number(bootstrap, "bootstrap", 0), "confidence": confidence, "seed": seed}
    count = thread_count(threads)
    outputs: list[Any] = []
    rows: list[Row] = []
    for number, (name, model) in enumerate(chosen.items()):
        if on_model is not None:
            on_model(name, number, len(chosen))
        row, predicted = _tried(name, fresh(model), learn, tried, options, count)
        rows.append(row)
        outputs.append(predicted)
    best = max(range(len(rows)), key=lambda i: (rows[i].report.figures[measure], -i))

    def p_value(i: int, j: int) -> float:
        return significance(gold, outputs[i], outputs[j], measure, trials=trials, seed=seed).p_value

    for i, row in enumerate(rows):
        p_best, p_before = None if i == best else p_value(i, best), p_value(i, i - 1) if i else None
        rows[i] = replace(row, p_best=p_best, p_before=p_before)
    size = (len(learn), rows[0].report.sentences, rows[0].report.tokens)
    return Comparison(tuple(rows), measure, best, *size, confidence, count)


def _tried(
    name: str, model: Any, learn: Data, tried: Data, options: Mapping[str, Any], threads: int
) -> tuple[Row, Any]:
    """Train a model, measure the quickest of several times that it tags, and evaluate it."""
    began = time.perf_counter()
    fitted(model, learn.X, learn.y)
    training = time.perf_counter() - began
    if was_interrupted(model):  # half a training is no match for the others
        raise KeyboardInterrupt
    threaded = {"threads": threads} if "threads" in inspect.signature(model.predict).parameters else {}
    predicted = model.predict(tried.X[:1], **threaded)  # builds tables that are made on first use
    seconds: list[float] = []
    while len(seconds) < MOST_REPEATS and sum(seconds) < LEAST_SECONDS:
        began = time.perf_counter()
        predicted = model.predict(tried.X, **threaded)
        seconds.append(time.perf_counter() - began)
    report = report_of(model, tried, **options)
    try:
        size = len(model.as_bytes())
    except (AttributeError, SeqlabError):  # it cannot be saved
        size = None
    return Row(name, report, training, report.tokens / max(min(seconds), 1e-9), size, model), predicted


def _column(train: Any) -> str | None:
    """Find the column of labels: the last one; in CoNLL-U the parts of speech."""
    if not isinstance(train, Corpus):
        return None
    return "upos" if train.layout.format == "conllu" and "upos" in train.columns else train.columns[-1]


def _data(given: Any, y: Any) -> Data:
    if isinstance(given, Corpus):
        return checked_data(given, _column(given) if y is None else y)
    if isinstance(given, tuple) and len(given) == 2:
        return checked_data(*given)
    raise OptionError(f"train and test must be corpora, or (X, y) each, got {type(given).__name__}")


def _models(models: Any, learn: Data, features: Any, seed: int, threads: int | None) -> dict[str, Any]:
    if isinstance(models, str):
        models = [name.strip() for name in models.split(",")]
    if isinstance(models, Mapping):
        named = [(str(name), model) for name, model in models.items()]
    else:
        named = [(model if isinstance(model, str) else type(model).__name__, model) for model in models]
    if not named:
        raise OptionError("models is empty: there is nothing to compare")
    if features == "auto" and any(isinstance(model, str) for _, model in named):
        if not (isinstance(learn.X, Corpus) and isinstance(learn.y, str)):
            raise OptionError("models by name need a Corpus to choose features for; pass features=")
        features = usual_features(learn.X, learn.y)
    found: dict[str, Any] = {}
    for name, model in named:
        made = usual_model(model, features, seed=seed, threads=threads) if isinstance(model, str) else model
        if not (hasattr(made, "fit") and hasattr(made, "predict") and hasattr(made, "get_params")):
            raise OptionError(f"models[{name!r:.40}] is no tagger but {made!r:.60}")
        numbered = (f"{name} {number}" for number in itertools.count(2))  # CRF, CRF 2, CRF 3
        found[next(free for free in itertools.chain([name], numbered) if free not in found)] = made
    return found


def usual_model(name: str, features: Any, *, seed: int, threads: int | None) -> Any:
    """Make the model that textbooks call by this name."""
    from seqlab.families import CRF, HMM, MEMM, LinearTagger, MostFrequentTag

    more: dict[str, Any] = {"seed": seed, "threads": threads}
    if name in _OF_LEARNERS:
        return LinearTagger(features, getattr(learners, _OF_LEARNERS[name])(), **more)
    match name:
        case "baseline":
            return MostFrequentTag()
        case "hmm":
            return HMM(**more)
        case "memm":
            return MEMM(features, **more)
        case "crf":
            return CRF(features, **more)
    raise OptionError(f"there is no model {name!r:.40}; the names are {', '.join(MODELS)}")
