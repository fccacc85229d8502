"""What `seqlab inspect` tells of models whose weights are no chain's: classifiers of single tokens, and re-rankers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from seqlab.cli.printing import section


def classifier_facts(tagger: Any, top: int, labels: list[str]) -> dict[str, Any]:
    """The numbers of a LocalTagger's classifier, and the heaviest features of these labels."""
    scores, columns = tagger.classifier_, tagger.layout_
    rules, names = tagger.rules_, tagger.labels_
    return {
        "classifier": f"{scores.name}, by its {tagger.response_.method}",
        "attributes": columns.attributes,
        "edge_attributes": columns.pairs if columns.previous else 0,
        "weights": int(scores.weights.size),
        "template": None if tagger.encoder_.features is None else str(tagger.encoder_.features),
        "top_features": {label: _heaviest(tagger, label, top) for label in labels},
        "likely_moves": [],
        "unlikely_moves": [],
        "forbidden": {
            "moves": [[names[a], names[b]] for a, b in zip(*rules.forbidden.nonzero(), strict=True)],
            "starts": [names[y] for y in rules.no_start.nonzero()[0]],
            "ends": [names[y] for y in rules.no_end.nonzero()[0]],
        },
    }


def _heaviest(tagger: Any, label: str, top: int) -> list[list[Any]]:
    weights = tagger.classifier_.weights_of(label)
    chosen = abs(weights).argsort(kind="stable")[::-1][:top]
    return [[_column(tagger, i), float(weights[i])] for i in chosen.tolist()]


def _column(tagger: Any, i: int) -> str:
    """The name of a column of the matrix that the classifier sees."""
    encoder, labels = tagger.encoder_, tagger.labels_
    if i < encoder.size:
        return str(encoder.attributes[i])
    i -= encoder.size
    if i <= len(labels):
        return f"after {labels[i]}" if i < len(labels) else "at the beginning"
    pair, label = divmod(i - len(labels) - 1, len(labels))
    return f"{encoder.edge_attributes[pair]} after {labels[label]}"


def reranker_facts(reranker: Any, top: int) -> dict[str, Any]:
    """Where the lists come from, how good they were in training, and what was learned about them."""
    learned = reranker.learned_
    return {
        "generator": {"kind": type(reranker.generator_).__name__, "python": f"{reranker.generator_!r:.2000}"},
        "features": len(reranker.coef_),
        "oracle": asdict(reranker.oracle_),
        "learned": {
            "iterations": learned.iterations,
            "reason": learned.reason,
            "objective": learned.objective,
        },
        "heaviest": [[name, weight] for name, weight in reranker.top_features(top)],
    }


def reranker_text(facts: dict[str, Any]) -> str:
    """The same for people."""
    from seqlab.cli.inspected import WIDTH
    from seqlab.views.text.width import clip, printable

    oracle, learned = facts["oracle"], facts["learned"]
    rows = [
        ("generator", facts["generator"]["kind"]),
        ("lists", f"{oracle['mean_length']:.1f} labellings on average in training"),
        (
            "accuracy",
            f"{oracle['first_accuracy']:.4f} of the first, {oracle['accuracy']:.4f} of the best of each",
        ),
        ("features", f"{facts['features']:,}"),
        ("learned", f"in {learned['iterations']} iterations, ended by {learned['reason']!r}"),
    ]
    lines = [
        f"  {weight:>+9.3f}  {clip(printable(name), WIDTH - 14, '…')}" for name, weight in facts["heaviest"]
    ]
    return "\n".join([section("re-ranking", rows), "", "heaviest features", *lines])
