"""Explain why a token has its label, and not another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seqlab import families, inference
from seqlab.arrays import position_number
from seqlab.encode import EncodedCorpus
from seqlab.errors import ImpossibleError, LabelError, OptionError, Place, ShapeError
from seqlab.families.linear.explain.accounts import Logs, Pieces, margin_account
from seqlab.families.linear.explain.explanation import Explanation
from seqlab.families.linear.explain.log_odds import log_odds_account, log_sum
from seqlab.families.linear.higher_order import widened
from seqlab.families.linear.model import LinearModel
from seqlab.inference import Semiring
from seqlab.tagging.tagger import Known
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition
from seqlab.trellis.labels import Label

MOST_ODDS = 2  # highest order with log-odds: each further order squares the number of terms


def explain(
    model: LinearModel,
    encoded: EncodedCorpus,
    trellis: Trellis,
    t: int,
    *,
    sentence: int = 0,
    tokens: Sequence[str] | None = None,
    label: Label | None = None,
    rival: Label | None = None,
    probabilistic: bool = True,
) -> Explanation:
    """Explain why the label at position t was chosen over a rival, by contributions that add up.

    encoded         the sentence as numbers, and `sentence` its place there
    trellis         the scores of that sentence, with all masks applied
    tokens          its words, for the text; without them, tokens are shown by their numbers
    label           the label to explain; by default the one on the best path
    rival           the label to compare with; by default the second best at t: by probability (eq:log-odds), or by the
                    best path through it (eq:margin-account)
    probabilistic   True if the scores define probabilities (a CRF, an MEMM), False if only a ranking (perceptron, SVM);
                    a model of order 3 is always explained by its two best paths (eq:margin-account)
    """
    t = position_number(t, "an explanation")
    _check_match(model, encoded, trellis, t, sentence)
    scores = _label_scores(trellis, t, Semiring.log_sum if probabilistic else Semiring.max)
    if not np.isfinite(scores).any():
        raise ImpossibleError(
            f"no legal path leads through position {t} (of {trellis.T}): constraints and scores of -inf rule out every "
            f"label there; allow one of them",
            position=t,
        )
    y, r = _two_labels(trellis, t, label, rival, scores)
    words = tuple(map(str, range(trellis.T))) if tokens is None else tuple(tokens)
    if len(words) != trellis.T:
        raise ShapeError(f"{len(words)} tokens for a trellis of {trellis.T} positions")
    pieces = Pieces(model, encoded, sentence, trellis)
    if probabilistic and model.order <= MOST_ODDS:
        found = log_odds_account(pieces, words, t, y, r, scores)
    else:
        found = margin_account(pieces, words, t, y, r)
    features = sorted(found.features, key=lambda row: (-abs(row.difference), row.position, row.attribute))
    moves = sorted(found.moves, key=lambda row: (-abs(row.difference), row.position, row.labels))
    return replace(found, features=tuple(features), moves=tuple(moves))


def _label_scores(trellis: Trellis, t: int, semiring: Semiring) -> Logs:
    """Compute (L,): the sum over all paths with each label at t, or the best one; -inf for impossible labels."""
    alpha, beta = (ask(trellis, semiring=semiring) for ask in (inference.forward, inference.backward))
    through: Logs = (alpha[t] + beta[t]).reshape(-1, trellis.L)
    best: Logs = through.max(axis=0)
    return best if semiring == Semiring.max else log_sum(through, 0)


def _check_match(model: LinearModel, encoded: EncodedCorpus, trellis: Trellis, t: int, sentence: int) -> None:
    if not 0 <= t < trellis.T:
        held = f"the sentence has positions 0 to {trellis.T - 1}" if trellis.T else "the sentence is empty"
        raise LabelError(f"position {t} does not exist; {held}")
    if trellis.L != model.L or trellis.order != model.order:
        raise ShapeError(
            f"the trellis has {trellis.L} labels and order {trellis.order}, the model {model.L} labels and order "
            f"{model.order}; pass the trellis that this model made"
        )
    if not 0 <= sentence < len(encoded):
        raise LabelError(f"there is no sentence {sentence}: the encoded corpus has {len(encoded)}")
    length = int(encoded.offsets[sentence + 1] - encoded.offsets[sentence])
    if length != trellis.T:
        raise ShapeError(
            f" has {length} tokens, but the trellis {trellis.T} positions",
            place=Place(sentence, of="the encoded corpus"),
        )


def _two_labels(
    trellis: Trellis, t: int, label: Label | None, rival: Label | None, scores: Logs
) -> tuple[int, int]:
    """Find the numbers of the label and of its rival, both possible at t."""
    names = trellis.label_set
    chosen = int(inference.viterbi(trellis).ids[t]) if label is None else names.id(label)
    if rival is None:
        others = scores.copy()
        others[chosen] = -np.inf
        other = int(others.argmax())
        if np.isneginf(others[other]):
            raise LabelError(
                f"position {t} can have no other label than {names.name(chosen)!r}, so there is no rival to compare "
                f"it with: the model has no other, or constraints, known= or allowed= rule them out"
            )
    else:
        other = names.id(rival)
    if chosen == other:
        raise OptionError(f"label and rival are both {names.name(chosen)!r}; compare two different labels")
    for one in (chosen, other):
        if np.isneginf(scores[one]):
            possible = ", ".join(repr(names.name(int(i))) for i in np.flatnonzero(np.isfinite(scores))[:12])
            raise LabelError(
                f"label {names.name(one)!r} cannot stand at position {t}: constraints rule it out; "
                f"possible there: {possible}"
            )
    return chosen, other


def explained(
    tagger: families.LinearTagger,
    tokens: Any,
    t: int,
    label: Label | None,
    rival: Label | None,
    known: Known | None,
    allowed: PerPosition | None,
) -> Explanation:
    """Explain the label of token t; see LinearTagger.explain."""
    corpus, model = tagger._corpus_of_one(tokens), tagger.model_
    encoded = tagger.encoder_.encode(corpus)
    column = next((name for name in ("word", "form") if name in corpus.columns), None)
    options: dict[str, Any] = {
        "tokens": None if column is None else list(map(str, corpus[0][column])),
        "rival": rival,
        "probabilistic": tagger._probabilistic,
    }
    trellis = tagger.trellis(tokens, known=known, allowed=allowed)
    try:
        return explain(model, encoded, trellis, t, label=label, **options)
    except LabelError:
        if model.coarse is None:
            raise
    # A confident model of higher order may have pruned every rival; use the scores of all labels then.
    if label is None and isinstance(t, (int, np.integer)) and 0 <= t < trellis.T:
        label = inference.viterbi(trellis).labels[t]
    words = None if tagger.dictionary_ is None else tagger.dictionary_.allowed(corpus)
    return explain(model, encoded, widened(model, encoded, words, known, allowed), t, label=label, **options)
