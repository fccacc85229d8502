"""compare: several models, trained and tried on the same sentences."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from seqlab.arrays import whole_number
from seqlab.corpus import Corpus
from seqlab.errors import OptionError, SeqlabError
from seqlab.evaluation import Report, evaluate, significance
from seqlab.families.linear import learners
from seqlab.features.usual import usual_features
from seqlab.threads import thread_count
from seqlab.tuning.comparison import Comparison, Row
from seqlab.tuning.parts import Data, checked_data
from seqlab.tuning.running import fitted, fresh, was_interrupted

USUAL = ("baseline", "hmm", "memm", "perceptron", "crf")
_OF_LEARNERS = {name: one.learner for name, one in learners.LEARNERS.items() if not one.models}
MODELS = (*USUAL, *(name for name in _OF_LEARNERS if name not in USUAL))
LEAST_SECONDS = 0.05  # of tagging that are measured
MOST_REPEATS = 5

OnRow = Callable[[str, int, int], object]


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
    on_model: OnRow | None = None,
) -> Comparison:
    """Train every model on `train` and try it on `test`: the table that every textbook has.

    train, test   corpora, or (X, y) each
    models        names ("baseline", "hmm", "memm", "perceptron", "crf", "svm", "pa", "arow"), models with options of
                  your own, or {name: model}; they stay as they are
    y             the column of labels; None for the last one (upos in CoNLL-U)
    features      for models by name: "auto" for a preset that fits the labels, or whatever a tagger takes
    metric        what decides which is best: "accuracy" or "span_f1"; None for span_f1 where labels are tags
    bootstrap     times that the sentences of `test` are drawn anew for confidence intervals
    trials        of the test whether a difference is more than luck
    threads       for models by name, and for tagging
    on_model      a function (name, number, how many), called before each model is trained
    """
    learn, tried = _data(train, y), _data(test, y if y is not None else _column(train))
    chosen = _models(models, learn, features, seed, threads)
    gold = tried.gold()
    if gold is None or not any(len(labels) for labels in gold):
        raise OptionError("compare needs right labels to compare with, and test has no token")
    measure = _checked_metric(metric, gold)
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
    against_best = [
        _p(gold, outputs[i], outputs[best], measure, trials, seed) if i != best else None
        for i in range(len(rows))
    ]
    before = [
        None,
        *(_p(gold, outputs[i], outputs[i - 1], measure, trials, seed) for i in range(1, len(rows))),
    ]
    marked = tuple(
        row.judged(*found) for row, found in zip(rows, zip(against_best, before, strict=True), strict=True)
    )
    return Comparison(
        marked, measure, best, len(learn), rows[0].report.sentences, rows[0].report.tokens, confidence, count
    )


def _tried(
    name: str, model: Any, learn: Data, tried: Data, options: Mapping[str, Any], threads: int
) -> tuple[Row, Any]:
    began = time.perf_counter()
    fitted(model, learn.X, learn.y)
    training = time.perf_counter() - began
    if was_interrupted(model):  # half a training is no match for the others
        raise KeyboardInterrupt
    predicted, seconds = _tagged(model, tried.X, threads)
    report = _report(model, tried, predicted, options)
    return Row(name, report, training, report.tokens / seconds, _size(model), model), predicted


def _report(model: Any, tried: Data, predicted: Any, options: Mapping[str, Any]) -> Report:
    """The figures of labels that are there already; words that training has not seen count apart."""
    known = getattr(model, "vocabulary_", None)
    words = None
    if isinstance(tried.X, Corpus) and known is not None:
        from seqlab.tagging.door.sentences import word_column

        name = word_column(tried.X)
        words = None if name is None or name == tried.y else tried.X.column(name)
    elif known is not None and all(isinstance(token, str) for sentence in tried.X for token in sentence):
        words = tried.X
    if words is None:
        return evaluate(tried.gold(), predicted, **options)
    return evaluate(tried.gold(), predicted, words=words, known=known, **options)


def _tagged(model: Any, X: Any, threads: int) -> tuple[Any, float]:
    """The labels, and the seconds of the quickest of several times."""
    import inspect

    options = {"threads": threads} if "threads" in inspect.signature(model.predict).parameters else {}
    model.predict(X[:1], **options)  # what is made when it is first used
    quickest, total = float("inf"), 0.0
    predicted: Any = None
    for _ in range(MOST_REPEATS):
        began = time.perf_counter()
        predicted = model.predict(X, **options)
        seconds = time.perf_counter() - began
        quickest, total = min(quickest, seconds), total + seconds
        if total >= LEAST_SECONDS:
            break
    return predicted, max(quickest, 1e-9)


def _size(model: Any) -> int | None:
    """Bytes of the model file; None for a model that cannot be saved."""
    try:
        return len(model.as_bytes())
    except (AttributeError, SeqlabError):
        return None


def _p(gold: Any, a: Any, b: Any, metric: str, trials: int, seed: int) -> float:
    return significance(gold, a, b, metric, trials=trials, seed=seed).p_value


def _column(train: Any) -> str | None:
    """The last column; in CoNLL-U the parts of speech."""
    if not isinstance(train, Corpus):
        return None
    return "upos" if train.layout.format == "conllu" and "upos" in train.columns else train.columns[-1]


def _data(given: Any, y: Any) -> Data:
    if isinstance(given, Corpus):
        column = _column(given) if y is None else y
        if isinstance(column, str):
            given.strings(column)  # which says what columns there are
        return checked_data(given, column)
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
        made = model
        if isinstance(model, str):
            made = usual_model(model, features, seed=seed, threads=threads)
        if not (hasattr(made, "fit") and hasattr(made, "predict") and hasattr(made, "get_params")):
            raise OptionError(f"models[{name!r:.40}] is no tagger but {made!r:.60}")
        found[_free(name, found)] = made
    return found


def usual_model(name: str, features: Any, *, seed: int, threads: int | None) -> Any:
    """Make the model that textbooks call by this name."""
    from seqlab.families import CRF, HMM, MEMM, LinearTagger, MostFrequentTag

    more: dict[str, Any] = {"seed": seed, "threads": threads}
    made: dict[str, Callable[[], Any]] = {
        "baseline": MostFrequentTag,
        "hmm": lambda: HMM(**more),
        "memm": lambda: MEMM(features, **more),
        "crf": lambda: CRF(features, **more),
    }
    if name in _OF_LEARNERS:
        return LinearTagger(features, getattr(learners, _OF_LEARNERS[name])(), **more)
    if name not in made:
        raise OptionError(f"there is no model {name!r:.40}; the names are {', '.join(MODELS)}")
    return made[name]()


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """CRF, CRF 2, CRF 3."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _checked_metric(metric: str | None, gold: Any) -> str:
    spans = "span_f1" in evaluate(gold, gold).figures
    if metric is None:
        return "span_f1" if spans else "accuracy"
    if metric not in {"accuracy", "sentence_accuracy", *(["span_f1"] if spans else [])}:
        more = ", 'span_f1'" if spans else " (these labels are no tags, so there are no spans)"
        raise OptionError(f"metric must be 'accuracy', 'sentence_accuracy'{more}, got {metric!r:.40}")
    return metric
