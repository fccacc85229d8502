"""Answer questions about sentences with a model: plain lists, dicts and numbers."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.errors import AbsentError, QuestionError, SeqlabError
from seqlab.serve.models import Served
from seqlab.serve.problems import Problem, from_error
from seqlab.serve.questions import Item, Question
from seqlab.serve.room import Room
from seqlab.serve.settings import Limits
from seqlab.tags import spans as spans_of
from seqlab.text.spans import is_span_layer

Answer = dict[str, Any]
EXPLANATION = (
    10_000  # values that an explanation counts for: some hundred features and moves, each with its names
)


def answered(served: Served, asked: str, question: Question, limits: Limits) -> Answer:
    """Answer a request: one object, or {"results": [...]} for a batch, each with the name of the model.

    served     the model
    asked      the question: "tag", "nbest", ...
    question   the request
    limits     bounds of a request
    """
    options, room = question.options, Room(limits)
    tagger = served.tagger(options.get("layer"))
    column, items = served.word_column, question.items
    if column is not None:
        items = [_of_words(one, column, i) for i, one in enumerate(items)]
    if asked == "tag" and not options and _plain(items):
        found = _tagged(tagger, items)
    else:
        for item in items:
            room.take(0 if item.tokens is None else _values(asked, tagger, len(item.tokens), options))
        found = []
        for i, item in enumerate(items):
            try:
                if item.tokens is None:
                    found.append(_of_text(served, asked, item, options, room))
                else:
                    found.append(ASKED[asked](tagger, item, options))
            except SeqlabError as error:
                raise from_error(error, item=None if question.single else i) from None
    if question.single:
        return {"model": served.name, **found[0]}
    return {"model": served.name, "results": found}


def token_count(question: Question, answer: Answer) -> int:
    """Count the tokens of a request; those of a text are in its answer.

    question   the request
    answer     to it
    """
    results = [answer] if question.single else answer["results"]
    return sum(
        len(one["tokens"] if item.tokens is None else item.tokens)
        for item, one in zip(question.items, results, strict=True)
    )


def _of_words(item: Item, column: str, number: int) -> Item:
    """Keep the words of tokens, for a model that reads nothing else."""
    if item.tokens is None or not {list, dict} & set(map(type, item.tokens)):
        return item
    words = []
    for t, token in enumerate(item.tokens):
        word = token
        if isinstance(token, list):
            word = token[0] if token else None
        elif isinstance(token, dict):
            word = token.get(column)
        if not isinstance(word, str):
            place = {"sentence": number, "position": t}
            raise Problem(
                422,
                f"a token is a word, a list that begins with one, or an object with {column!r}",
                place=place,
                option="tokens",
            )
        words.append(word)
    return replace(item, tokens=words)


def _plain(items: list[Item]) -> bool:
    return all(one.tokens is not None and one.known is None and one.allowed is None for one in items)


def _tagged(tagger: Any, items: list[Item]) -> list[Answer]:
    """Label sentences all at once, which is quicker than one by one."""
    try:
        labels = tagger.predict([item.tokens for item in items], threads=1)
    except SeqlabError as error:
        raise from_error(error) from None
    return [{"labels": list(map(str, one))} for one in labels]


def _values(asked: str, tagger: Any, length: int, options: dict[str, Any]) -> int:
    """Return about how many values the answer for a sentence holds."""
    labels, n = len(tagger.labels_), int(options.get("n", 5))
    counts: dict[str, int] = {
        "tag": 4 * length,
        "nbest": n * length,
        "sample": n * length,
        "posterior": labels * length,
        "trellis": labels * (labels + 1) * length + n * length,
        "steps": 5 * labels * length,
        "explain": EXPLANATION if "at" in options else 5 * length,
    }
    return counts[asked]


def _of_text(served: Served, asked: str, item: Item, options: dict[str, Any], room: Room) -> Answer:
    """Answer for a text: its document, and for other questions than "tag" an answer for each of its sentences."""
    document = served.document(str(item.text), room)
    found: Answer = plain(document.to_dict(offsets=options.get("offsets", "code points")))
    layer = options.get("layer") or next(reversed(served.taggers))
    tagger = served.tagger(layer)
    if asked != "tag" or options.get("probabilities"):
        for i, sentence in enumerate(found["sentences"]):
            tokens = cells_of(document, i, tagger)
            if asked != "tag":
                room.take(_values(asked, tagger, len(tokens), options))
                sentence.update(ASKED[asked](tagger, Item(tokens, None), options))
            elif probabilistic(tagger):
                labels = document.layer(layer).labels[slice(*sentence["tokens"])]
                sums = tagger.posterior(tokens)
                sentence["probabilities"] = [sums.label(t, labels[t]) for t in range(len(tokens))]
    return found


def cells_of(document: Any, number: int, tagger: Any) -> list[Any]:
    """Return a sentence of a document as tokens of a tagger: words, or cells of the columns that it knows."""
    sentence = document.sentences[number]
    words = [token.text for token in sentence.tokens]
    layers = {one.name: one.labels for one in document.layers if one.labels is not None}
    columns = [name for name in tagger.columns_ if name in layers]
    if not columns:
        return words
    parts = [list(layers[name][sentence.first : sentence.last]) for name in columns]
    return [dict(zip(("word", *columns), row, strict=True)) for row in zip(words, *parts, strict=True)]


def _way(tagger: Any, item: Item) -> dict[str, Any]:
    wishes = {name: value for name in ("known", "allowed") if (value := getattr(item, name)) is not None}
    if wishes and not hasattr(tagger, "trellis"):
        raise QuestionError(f"a {type(tagger).__name__} heeds no wishes: leave out {' and '.join(wishes)}")
    return wishes


def tag(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Find labels, and on request their probabilities and spans."""
    labels = list(map(str, tagger.tag(item.tokens, **_way(tagger, item))))  # numbers, if training had them
    found: Answer = {"labels": labels}
    sums = None
    spans = options.get("spans") and is_span_layer(tagger)
    if options.get("probabilities") or (spans and probabilistic(tagger)):
        sums = tagger.posterior(item.tokens, **_way(tagger, item))
    if sums is not None and options.get("probabilities"):
        found["probabilities"] = [sums.label(t, y) for t, y in enumerate(labels)]
    if options.get("spans"):
        found["spans"] = [
            {
                "begin": one.start,
                "end": one.end,
                "label": one.type,
                "probability": None if sums is None else sums.span(one.start, one.end, one.type),
            }
            for one in (spans_of(labels) if spans and labels else ())
        ]
    return found


def probabilistic(tagger: Any) -> bool:
    """Tell whether a model gives probabilities of labels."""
    return hasattr(tagger, "trellis") and bool(tagger._probabilistic)


def explains(tagger: Any) -> bool:
    """Tell whether a model can say why a token has its label."""
    try:
        return callable(tagger.explain)
    except AttributeError:
        return False


def nbest(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Find the n best labellings."""
    paths = tagger.nbest(item.tokens, options.get("n", 5), **_way(tagger, item))
    return {"paths": [path_of(path, tagger) for path in paths]}


def path_of(path: Any, tagger: Any) -> Answer:
    """Return a labelling with its score, and with its probability if there is one."""
    found: Answer = {"labels": list(map(str, path.labels)), "score": finite(path.score)}
    if probabilistic(tagger) and path.log_prob is not None:
        found |= {"log_probability": finite(path.log_prob), "probability": math.exp(path.log_prob)}
    return found


def posterior(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Compute the probability of every label at every position."""
    del options
    sums = tagger.posterior(item.tokens, **_way(tagger, item))
    labels = list(tagger.labels_)
    return {
        "labels": labels,
        "posterior": sums.node.tolist(),
        "best": [labels[i] for i in sums.node.argmax(axis=1).tolist()] if len(sums.node) else [],
        "log_z": finite(sums.log_z),
        "entropy": finite(sums.entropy),
    }


def explain(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Explain a label against its rival; without a position, compare each label with its rival."""
    if "at" not in options:
        return overview(tagger, item)
    try:
        ask = tagger.explain
    except AbsentError as error:  # its message says why there is none
        if not probabilistic(tagger):
            raise QuestionError(error.message) from None
        return by_parts(tagger, item, options)
    names = {name: options[name] for name in ("label", "rival") if name in options}
    found: Answer = plain(ask(item.tokens, options["at"], **names, **_way(tagger, item)).to_dict())
    return found


def by_parts(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Explain a label by the word itself and by what is around it, for a model that has no weights of features.

    P(label) / P(rival) is a product of these parts: α is the score of all that comes before and of the word, β that of
    all that comes after (eq:forward, eq:backward).
    """
    made, t = tagger.trellis(item.tokens, **_way(tagger, item)), options["at"]
    if t >= made.T:
        raise Problem(404, f"there is no position {t}: the sentence has {made.T} tokens", option="at")
    names = [str(name) for name in made.labels]
    chances = inference.posterior(made).node[t]
    label = options.get("label") or str(tagger.tag(item.tokens, **_way(tagger, item))[t])
    ranked = [names[i] for i in np.argsort(-chances, kind="stable")]
    rival = options.get("rival") or next((name for name in ranked if name != label), label)
    for option, name in (("label", label), ("rival", rival)):
        if name not in names:
            raise Problem(404, f"there is no label {name!r}; there are: {', '.join(names)}", option=option)
    y, r = names.index(label), names.index(rival)
    if y == r or not chances[y] or not chances[r]:
        raise QuestionError(
            f"{label!r} and {rival!r} cannot be compared at position {t}: two labels are wanted that are possible there"
        )
    odds = math.log(chances[y]) - math.log(chances[r])
    parts = {"word": float(made.node[t, y]) - float(made.node[t, r])}
    if made.order == 1:
        after = inference.backward(made)[t]
        parts["after"] = float(after[y]) - float(after[r])
    parts["before" if made.order == 1 else "around"] = odds - sum(parts.values())
    return {
        "position": t,
        "label": label,
        "rival": rival,
        "log_odds": odds,
        "total": odds,
        "probability": float(chances[y]),
        "rival_probability": float(chances[r]),
        "parts": [{"part": part, "difference": value} for part, value in parts.items()],
    }


def overview(tagger: Any, item: Item) -> Answer:
    """List the label of each token with its probability, and the next best label with its own."""
    labels = list(map(str, tagger.tag(item.tokens, **_way(tagger, item))))
    rows: list[Answer] = [{"position": t, "label": label} for t, label in enumerate(labels)]
    if probabilistic(tagger):
        chances = tagger.posterior(item.tokens, **_way(tagger, item)).node.tolist()
        for row, numbers in zip(rows, chances, strict=True):
            ranked = dict(zip(tagger.labels_, numbers, strict=True))
            row["probability"] = ranked.pop(row["label"])
            if ranked:
                row["rival"] = max(ranked, key=lambda label: ranked[label])
                row["rival_probability"] = ranked[row["rival"]]
    return {"positions": rows}


def sample(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Draw labellings."""
    drawn = tagger.sample(item.tokens, options.get("n", 1), options.get("seed", 0), **_way(tagger, item))
    return {"samples": [list(map(str, one)) for one in drawn.labels]}


def trellis(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Compute what a picture of the trellis shows: scores, best paths, probabilities of labels and moves."""
    made = tagger.trellis(item.tokens, **_way(tagger, item))
    found: Answer = {"labels": list(made.labels), "order": made.order, "length": made.T}
    found["paths"] = [
        path_of(path, tagger) for path in tagger.nbest(item.tokens, options.get("n", 3), **_way(tagger, item))
    ]
    if probabilistic(tagger) and made.T:
        sums = inference.posterior(made)
        found["posterior"] = sums.node.tolist()
        if made.order == 1:
            found["moves"] = sums.edge.tolist()
    return found


def steps(tagger: Any, item: Item, options: dict[str, Any]) -> Answer:
    """Compute the tables of forward, backward and Viterbi."""
    from seqlab.serve import insight

    del options
    return insight.steps(tagger.trellis(item.tokens, **_way(tagger, item)))


ASKED: dict[str, Callable[[Any, Item, dict[str, Any]], Answer]] = {
    "tag": tag,
    "nbest": nbest,
    "posterior": posterior,
    "explain": explain,
    "sample": sample,
    "trellis": trellis,
    "steps": steps,
}


def conll(question: Question, answer: Answer) -> str:
    """Write the labels of an answer to "tag" as columns: the cells of each token, then its labels."""
    results = [answer] if question.single else answer["results"]
    out = io.StringIO()
    for item, result in zip(question.items, results, strict=True):
        for rows in _rows(item, result):
            out.writelines("\t".join(map(_cell, row)) + "\n" for row in rows)
            out.write("\n")
    return out.getvalue()


def _rows(item: Item, result: Answer) -> Iterator[list[list[Any]]]:
    """Yield the sentences of a result as lists of cells."""
    if item.tokens is not None:
        names = dict.fromkeys(name for one in item.tokens if isinstance(one, dict) for name in one)
        rows = [_cells(token, names) for token in item.tokens]
        yield [[*row, label] for row, label in zip(rows, result["labels"], strict=True)]
        return
    layers = [layer["labels"] for layer in result["layers"].values() if "labels" in layer]
    rows = [list(row) for row in zip((one["text"] for one in result["tokens"]), *layers, strict=True)]
    for sentence in result["sentences"]:
        yield rows[slice(*sentence["tokens"])]


def _cells(token: Any, names: Iterable[str]) -> list[Any]:
    """Return the cells of a token; those of an object by the names that the sentence has."""
    if isinstance(token, dict):
        return [token.get(name, "") for name in names]
    return token if isinstance(token, list) else [token]


def _cell(value: Any) -> str:
    """Write a cell without the characters that divide cells and lines."""
    return " ".join(str(value).split()) or "_"


def finite(number: float) -> float | None:
    """Return a number that JSON has, or None."""
    return float(number) if math.isfinite(number) else None


def plain(value: Any) -> Any:
    """Return lists, dicts, strings and finite numbers."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return finite(value) if isinstance(value, float) else value
