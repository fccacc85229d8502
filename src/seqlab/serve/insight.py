"""Answer what the page asks beside labels: tables of the algorithms, scores on a file, weights, learning."""

from __future__ import annotations

import contextlib
import io
import os
import re
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

import seqlab
from seqlab import inference
from seqlab.corpus.columns import WORD_COLUMNS
from seqlab.errors import CorpusError, EvaluationWarning, QuestionError, SeqlabError, StoreError
from seqlab.serve.answers import Answer, explains, plain, probabilistic
from seqlab.serve.models import Models, Served
from seqlab.serve.problems import Problem, from_error
from seqlab.serve.questions import POSITION, is_strings, is_tokens
from seqlab.serve.settings import MOST_LABELS, MOST_WEIGHTS, Limits
from seqlab.trellis import Trellis

MOST_CELLS = 20_000  # of the tables that are shown step by step
LOOKED_AT = 100  # sentences of a gold file, to find the column of the labels
MOST_ERRORS = 2_000  # sentences of a gold file that are listed
HINT = re.compile(r",? or pass \w+=[^;?]*| \(pass \w+=[^)]*\)|, pass \w+=\.\.\. if it is another")
_WARNINGS = threading.Lock()


def summary(served: Served) -> dict[str, Any]:
    """Describe a model in a few words.

    served   the model
    """
    return {
        "name": served.name,
        "kind": type(served.model).__name__,
        "version": served.version,
        "since": served.since,
        "reads_text": served.pipeline is not None,
        "layers": [
            {
                "name": name,
                "kind": type(tagger).__name__,
                "labels": list(tagger.labels_),
                "columns": list(getattr(tagger, "columns_", None) or ()),
                "probabilities": probabilistic(tagger),
                "explains": explains(tagger),
            }
            for name, tagger in served.taggers.items()
        ],
    }


def description(served: Served) -> dict[str, Any]:
    """Describe a model with its options.

    served   the model
    """
    found = summary(served)
    for layer, tagger in zip(found["layers"], served.taggers.values(), strict=True):
        layer["options"] = {name: repr(value) for name, value in tagger.get_params(deep=False).items()}
    return found


# ------------------------------------------------------------------------------------------------ tables


def steps(trellis: Trellis) -> Answer:
    """Compute the tables of forward, backward and Viterbi for a trellis of order 1, in logs; None for -inf."""
    if trellis.order != 1:
        raise QuestionError(f"the tables are shown for models of order 1; this one has order {trellis.order}")
    if trellis.T * trellis.L > MOST_CELLS:
        raise QuestionError(
            f"tables of at most {MOST_CELLS} cells are shown; this one has {trellis.T * trellis.L}"
        )
    node = np.array(trellis.node, dtype=np.float64)
    for t, labels in trellis.allowed.items():
        node[t, np.setdiff1d(np.arange(trellis.L), labels)] = -np.inf
    best = inference.viterbi_table(trellis)
    found: Answer = {
        "labels": list(trellis.labels or ()),
        "node": node,
        "edge": np.asarray(trellis.edge, dtype=np.float64),
        "per_position": bool(trellis.per_position),
        "forward": inference.forward(trellis),
        "backward": inference.backward(trellis),
        "viterbi": best.score,
        "back": best.back,
        "log_z": float(inference.log_partition(trellis)),
    }
    return {**plain(found), "best": list(inference.viterbi(trellis).labels)}


def table_trellis(given: Mapping[str, Any], limits: Limits) -> tuple[Trellis, list[str]]:
    """Make the trellis of a hidden Markov model from the tables of a request.

    given    {"labels", "start", "transitions", "emissions": {word: [...]}, "words"}, all probabilities
    limits   bounds of a request
    """
    labels, words, emissions = given.get("labels"), given.get("words"), given.get("emissions")
    if not is_strings(labels) or not 1 <= len(labels) <= MOST_LABELS:
        raise Problem(422, f"labels is to be a list of 1 to {MOST_LABELS} strings", option="labels")
    if not is_strings(words) or len(words) > limits.tokens:
        raise Problem(422, f"words is to be a list of at most {limits.tokens} strings", option="words")
    if not isinstance(emissions, dict) or not all(map(_is_row, emissions.values())):
        raise Problem(422, f"emissions is to have {ROW} for each word", option="emissions")
    start, moves = given.get("start"), given.get("transitions")
    if not _is_row(start):
        raise Problem(422, f"start is to be {ROW}", option="start")
    if not isinstance(moves, list) or len(moves) > MOST_LABELS or not all(map(_is_row, moves)):
        raise Problem(422, f"transitions is to be a list of rows, each {ROW}", option="transitions")
    L = len(labels)
    rows = [emissions.get(word, [0.0] * L) for word in words]
    if {len(start), len(moves), *map(len, moves), *map(len, rows)} != {L}:
        raise Problem(
            409, f"{L} labels need {L} start probabilities, {L} x {L} transitions, {L} emissions a word"
        )
    with np.errstate(divide="ignore"):
        node, edge = np.log(np.array(rows).reshape(-1, L)), np.log(np.array(moves))
        if len(node):
            node[0] += np.log(np.array(start))
    return Trellis(node, edge, labels=labels), words


ROW = f"a list of at most {MOST_LABELS} numbers from 0 to 1"


def _is_row(value: Any) -> TypeGuard[list[float]]:
    return (
        isinstance(value, list)
        and len(value) <= MOST_LABELS
        and all(type(one) in {int, float} and 0 <= one <= 1 for one in value)
    )


# ------------------------------------------------------------------------------------------------ a gold file


def scored(served: Served, given: Mapping[str, Any], limits: Limits) -> Answer:
    """Evaluate a model on a file: scores, confusions, and the sentences, with what is wrong in them.

    given   {"content": the text of the file, "column": the one with the right labels, "format", "layer"}
    """
    del limits
    tagger = served.tagger(_optional(given, "layer"))
    content = given.get("content")
    if not isinstance(content, str):
        raise Problem(422, "content is to be the text of the file", option="content")
    try:
        corpus = read(content, _optional(given, "format"))
        column = _optional(given, "column") or _gold_column(corpus, tagger)
        report, remarks = _evaluated(tagger, corpus, column)
    except SeqlabError as error:
        raise _of_file(error) from None
    told: Answer = plain(report.to_dict())
    predicted = [list(map(str, labels)) for labels in tagger.predict(corpus, threads=1)]
    gold = [list(sentence[column]) for sentence in corpus]
    words = _word_column(corpus)
    chances = tagger.predict_proba(corpus, threads=1) if probabilistic(tagger) else None
    names = list(tagger.labels_)
    rows = []
    for i, sentence in enumerate(corpus):
        row: Answer = {
            "number": i,
            "tokens": [str(one) for one in sentence[words]],
            "gold": [None if one is None else str(one) for one in gold[i]],
            "predicted": predicted[i],
            "wrong": sum(g is not None and g != p for g, p in zip(gold[i], predicted[i], strict=True)),
        }
        if chances is not None:
            numbers = chances[i]
            row["probabilities"] = [float(numbers[t, names.index(y)]) for t, y in enumerate(predicted[i])]
        rows.append(row)
    rows.sort(key=lambda row: (-row["wrong"], row["number"]))
    return {
        "model": served.name,
        "column": column,
        "columns": list(corpus.columns),
        "report": told,
        "text": str(report),
        "remarks": remarks,
        "sentences": rows[:MOST_ERRORS],
        "left_out": max(0, len(rows) - MOST_ERRORS),
    }


def corrected(given: Mapping[str, Any]) -> bytes:
    """Write a file anew with some of its labels corrected; all else in it stays as it is.

    given   {"content": the text of the file, "labels": {sentence: {position: label}}, "column", "format"}
    """
    content, labels = given.get("content"), given.get("labels")
    if not isinstance(content, str):
        raise Problem(422, "content is to be the text of the file", option="content")
    if not isinstance(labels, dict) or not all(isinstance(one, dict) for one in labels.values()):
        raise Problem(422, 'labels is to be an object such as {"0": {"3": "B-PER"}}', option="labels")
    out = io.BytesIO()
    try:
        corpus = read(content, _optional(given, "format"))
        column = _optional(given, "column") or corpus.columns[-1]
        values = [list(sentence[column]) for sentence in corpus]
        for number, row in labels.items():
            for t, label in row.items():
                _check_correction(values, number, t, label)
                values[int(number)][int(t)] = label
        seqlab.write(corpus.with_column(column, values), out)
    except SeqlabError as error:
        raise _of_file(error) from None
    return out.getvalue()


def _of_file(error: SeqlabError) -> Problem:
    """Make the problem of an error in a file that came with the request: it has no name, and no options of Python."""
    told = error.at(path=None)
    told.message = HINT.sub("", told.message)
    return from_error(told, asked=False)


def _check_correction(values: list[list[Any]], number: str, t: str, label: Any) -> None:
    if not POSITION.fullmatch(number) or not POSITION.fullmatch(t) or not isinstance(label, str):
        told = f"labels has {number!r:.40}: {{{t!r:.40}: ...}}; numbers from 0 and a label are wanted"
        raise Problem(422, told, option="labels")
    if int(number) >= len(values) or int(t) >= len(values[int(number)]):
        raise Problem(409, f"the file has no sentence {number} with a position {t}", option="labels")


def _evaluated(tagger: Any, corpus: Any, column: str) -> tuple[Any, list[str]]:
    """Evaluate, and return what the library warns of; one at a time, since Python has one list of warnings."""
    with _WARNINGS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EvaluationWarning)
        report = tagger.evaluate(corpus, column)
    return report, [str(one.message) for one in caught if issubclass(one.category, EvaluationWarning)]


def read(content: str, kind: str | None) -> Any:
    """Read a corpus from the text of a file."""
    options: dict[str, Any] = {} if kind is None else {"format": kind}
    return seqlab.read(io.BytesIO(content.encode("utf-8", "surrogatepass")), **options)


def _gold_column(corpus: Any, tagger: Any) -> str:
    if len(corpus.columns) == 1:
        raise CorpusError(
            f"the file has one column, {corpus.columns[0]!r}, and so no labels to compare with; a line is to have a "
            f"word and its label, divided by a tab or a blank"
        )
    if tagger.column_ in corpus.columns:
        return str(tagger.column_)
    known = set(map(str, tagger.labels_))

    def shared(name: str) -> int:
        return sum(str(value) in known for sentence in corpus[:LOOKED_AT] for value in sentence[name])

    others = [name for name in corpus.columns if name != _word_column(corpus)]
    return str(max(reversed(others), key=shared))  # the last one, if none has more of them


def _word_column(corpus: Any) -> str:
    return str(next((one for one in WORD_COLUMNS if one in corpus.columns), corpus.columns[0]))


# ------------------------------------------------------------------------------------------------ weights


def weights(tagger: Any, *, label: str | None, search: str, n: int) -> Answer:
    """List the heaviest features, and all transitions."""
    try:
        rows = tagger.top_features(n, label=label, search=search)
        moves = tagger.top_transitions(MOST_WEIGHTS)
    except (AttributeError, TypeError):  # none, or none of labels, as of a Reranker
        raise Problem(409, f"a {type(tagger).__name__} has no weights of features for labels") from None
    found: Answer = plain(
        {
            "features": [
                {"attribute": one.attribute, "label": one.label, "weight": one.weight} for one in rows
            ],
            "transitions": [{"labels": list(one.labels), "weight": one.weight} for one in moves],
        }
    )
    return found


def training(tagger: Any) -> Answer:
    """Return the progress of the training, a list for each figure; empty for models that were counted."""
    history = getattr(tagger, "history_", None)
    if history is None:
        return {"figures": {}}
    rows = [row for row in history.to_dict()["epochs"] if isinstance(row, dict)]
    names = dict.fromkeys(name for row in rows for name in row)
    return {"figures": plain({name: [row.get(name) for row in rows] for name in names}), "text": str(history)}


# ------------------------------------------------------------------------------------------------ learning


def learned(models: Models, served: Served, given: Mapping[str, Any]) -> Answer:
    """Train a model further on corrected sentences, serve it, and save it beside the file that it came from."""
    if served.model is not served.tagger(_optional(given, "layer")):
        raise Problem(
            409, "a pipeline of several taggers does not learn from the page; serve the tagger alone"
        )
    sentences = given.get("sentences")
    if not isinstance(sentences, list) or not sentences:
        raise Problem(422, "sentences is to be a list of {tokens, labels}", option="sentences")
    for i, one in enumerate(sentences):
        if not isinstance(one, dict) or not is_strings(one.get("labels")) or not is_tokens(one.get("tokens")):
            told = "a sentence is {tokens: [...], labels: [...]}, and labels are strings"
            raise Problem(422, told, option="sentences", place={"sentence": i})
    X, y = [one["tokens"] for one in sentences], [one["labels"] for one in sentences]
    tagger = type(served.model).from_bytes(served.model.as_bytes())  # the one in use stays as it is
    if not hasattr(tagger, "partial_fit"):
        raise Problem(409, f"a {type(tagger).__name__} does not learn further (it has no partial_fit)")
    try:
        column, words = served.model.column_, served.word_column
        if column and words and all(isinstance(one, str) for tokens in X for one in tokens):
            tagger.partial_fit(seqlab.Corpus.from_lists(**{words: X, column: y}), column)  # keeps its column
        else:
            tagger.partial_fit(X, y)
    except SeqlabError as error:
        raise from_error(error, asked=False) from None
    path = _beside(served.path)
    try:
        tagger.save(path)
    except StoreError as error:
        Path(path).unlink(missing_ok=True)
        why = (
            getattr(error.__cause__, "strerror", None) or "an error"
        )  # without the path, which is the service's
        raise Problem(507, f"the model was not saved, and is not served ({why})") from None
    models.replace(served.name, tagger)
    return {"model": served.name, "sentences": len(X), "saved": Path(path).name}


def _beside(path: str) -> str:
    """Make the name of a new file beside a model file."""
    old = Path(path)
    stem, ending = old.name.partition(".")[0], "".join(old.suffixes) or ".model"
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 0
    while True:
        made = old.with_name(f"{stem}-{stamp}{f'-{number}' if number else ''}{ending}")
        try:
            handle = os.open(made, os.O_CREAT | os.O_EXCL, 0o666)  # the name is ours now
        except FileExistsError:
            number += 1
            continue
        except OSError as error:
            raise Problem(507, f"the model cannot be saved ({error.strerror})") from None
        with contextlib.suppress(OSError):
            os.close(handle)
        return str(made)


def _optional(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise Problem(422, f"{name} is to be a string", option=name)
    return value
