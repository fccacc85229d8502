"""Parameters of HMMs, Markov chains and mixtures, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seqlab.cli.terminal import section
from seqlab.errors import QuestionError


def learned(model: Any, top: int) -> dict[str, Any] | None:
    """Return the most probable symbols, transitions and components; None for models without such parameters."""
    if hasattr(model, "perplexity"):
        first = model.next().most_likely(top)
        return {
            "order": model.model_.order,
            "symbols": len(model.symbols_),
            "first": [list(one) for one in first],
        }
    if hasattr(model, "score_samples"):
        return {"components": [_component(model, i, top) for i in range(len(model.weights_))]}
    return _states(model, top) if hasattr(model, "generate") else None


def _component(mixture: Any, i: int, top: int) -> dict[str, Any]:
    share = float(mixture.weights_[i])
    if not hasattr(mixture, "features_"):
        return {"share": share, "mean": mixture.means_[i].tolist()}
    row = mixture.probabilities_[i]
    names = mixture.features_ or [str(j) for j in range(len(row))]
    return {
        "share": share,
        "features": [[names[j], float(row[j])] for j in (-row).argsort(kind="stable")[:top]],
    }


def _states(hmm: Any, top: int) -> dict[str, Any]:
    """Return the tables of an HMM; only its order if it was counted with a higher order, which has no such tables."""
    try:
        moves = hmm.transition_matrix
    except QuestionError:
        return {"order": hmm.model_.order}
    names, labels = (moves.sources, moves.targets)
    pairs = [
        (names[i], labels[j], p) for i, row in enumerate(moves.matrix.tolist()) for j, p in enumerate(row)
    ]
    likely = sorted(pairs, key=lambda one: -one[2])[:top]
    emissions = hmm._tables("inspect").emissions
    facts: dict[str, Any] = {"order": getattr(hmm.model_, "order", 1)}
    facts["moves"] = [[source, target, p] for source, target, p in likely]
    try:
        facts["emissions"] = {y: [[str(x), p] for x, p in hmm.top_symbols(y, top)] for y in hmm.labels_}
    except QuestionError:
        table = getattr(emissions, "means", getattr(emissions, "rates", None))
        if table is not None:
            what = "means" if hasattr(emissions, "means") else "rates"
            facts[what] = {y: table[i].tolist() for i, y in enumerate(hmm.labels_)}
    return facts


def text(facts: dict[str, Any]) -> Iterator[str]:
    """Lay out the parameters, a section each."""
    if "symbols" in facts:
        rows = [("order", str(facts["order"])), ("symbols", f"{facts['symbols']:,}")]
        yield section("chain", [*rows, ("first", _list(facts["first"]))])
    if "moves" in facts:
        yield section("likely moves", [(f"{a} {b}", f"{p:.4f}") for a, b, p in facts["moves"]])
    if "emissions" in facts:
        yield section("what states emit", [(y, _list(some)) for y, some in facts["emissions"].items()])
    for what in ("means", "rates"):
        if what in facts:
            yield section(what, [(y, _vector(row)) for y, row in facts[what].items()])
    if "components" in facts:
        rows = []
        for i, one in enumerate(facts["components"]):
            told = _vector(one["mean"]) if "mean" in one else _list(one["features"])
            rows.append((str(i), f"{one['share']:.4f}  {told}"))
        yield section("components", rows)


def _list(pairs: list[list[Any]]) -> str:
    from seqlab.views.text import printable

    return ", ".join(f"{printable(str(name))} {p:.4f}" for name, p in pairs)


def _vector(row: Any) -> str:
    return " ".join(_vector(one) if isinstance(one, list) else f"{one:.4g}" for one in row)
