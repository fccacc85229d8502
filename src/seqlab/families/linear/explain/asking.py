"""explain: why this label, and not another?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab import inference
from seqlab.arrays import position_number
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus
from seqlab.errors import ImpossibleError, LabelError, OptionError, Place, ShapeError
from seqlab.families.linear.explain.around import Around, Logs, best_scores
from seqlab.families.linear.explain.explanation import Contribution, Explanation, MoveContribution
from seqlab.families.linear.explain.log_odds import LogOdds
from seqlab.families.linear.explain.margin import Margin
from seqlab.families.linear.explain.pieces import Pieces
from seqlab.families.linear.model import LinearModel
from seqlab.families.linear.second_order import widened
from seqlab.tagging.tagger import Known
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition
from seqlab.trellis.labels import Label

if TYPE_CHECKING:
    from seqlab.families.linear.tagger import LinearTagger


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
    """Why the label at position t was chosen over a rival: an account that adds up.

    encoded         the sentence as numbers, and `sentence` its place there
    trellis         the scores of that sentence, with all masks on
    tokens          its words, for the text; without them, tokens are called by their numbers
    label           the label to explain; the one on the best path when not given
    rival           what to compare it with; when not given, the next best label at t: by probability (eq:log-odds),
                    or by the best path through it (eq:margin-account)
    probabilistic   whether the scores define probabilities (a CRF, an MEMM) or only an order (perceptron, SVM)
    """
    t = _checked_position(t, trellis)
    _check_match(model, encoded, trellis, sentence)
    pieces = Pieces(model, encoded, sentence)
    around = Around(trellis, t) if probabilistic else None
    scores = best_scores(trellis, t) if around is None else around.scores()
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
    if around is not None:
        return _log_odds(LogOdds(around, pieces, y, r), words, t, model.labels[y], model.labels[r])
    return _margin(Margin(trellis, pieces, t, y, r), words, t, model.labels)


def _log_odds(account: LogOdds, words: tuple[str, ...], t: int, label: str, rival: str) -> Explanation:
    probability, rival_probability = account.probabilities
    return Explanation(
        words,
        t,
        label,
        rival,
        account.value,
        None,
        _by_size(account.features),
        _moves_by_size(account.moves),
        account.other_moves,
        account.normaliser,
        probability,
        rival_probability,
    )


def _margin(account: Margin, words: tuple[str, ...], t: int, names: Sequence[str]) -> Explanation:
    path, rival_path = (tuple(names[i] for i in ids.tolist()) for ids in (account.path, account.rival_path))
    return Explanation(
        words,
        t,
        path[t],
        rival_path[t],
        None,
        account.value,
        _by_size(account.features),
        _moves_by_size(account.moves),
        normaliser=account.normaliser,
        path=path,
        rival_path=rival_path,
    )


def _by_size(rows: list[Contribution]) -> tuple[Contribution, ...]:
    return tuple(sorted(rows, key=lambda row: (-abs(row.difference), row.position, row.attribute)))


def _moves_by_size(rows: list[MoveContribution]) -> tuple[MoveContribution, ...]:
    return tuple(sorted(rows, key=lambda row: (-abs(row.difference), row.position, row.labels)))


# ---------------------------------------------------------------------------------------------- at the door


def _checked_position(t: int, trellis: Trellis) -> int:
    t = position_number(t, "an explanation")
    if not 0 <= t < trellis.T:
        held = f"the sentence has positions 0 to {trellis.T - 1}" if trellis.T else "the sentence is empty"
        raise LabelError(f"position {t} does not exist; {held}")
    return t


def _check_match(model: LinearModel, encoded: EncodedCorpus, trellis: Trellis, sentence: int) -> None:
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
    """The numbers of the label and of its rival, both possible at t."""
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
    tagger: LinearTagger,
    tokens: Any,
    t: int,
    label: Label | None,
    rival: Label | None,
    known: Known | None,
    allowed: PerPosition | None,
) -> Explanation:
    """Explain the label of token t; see LinearTagger.explain."""
    corpus = tagger._corpus_of_one(tokens)
    encoded = tagger.encoder_.encode(corpus)

    def account(trellis: Trellis, label: Label | None) -> Explanation:
        return explain(
            tagger.model_,
            encoded,
            trellis,
            t,
            tokens=_words(corpus),
            label=label,
            rival=rival,
            probabilistic=tagger._probabilistic,
        )

    trellis = tagger.trellis(tokens, known=known, allowed=allowed)
    try:
        return account(trellis, label)
    except LabelError:
        if tagger.model_.coarse is None:
            raise
    # A sure model of order 2 has left out every rival; what it would have said of them is still known.
    from seqlab.inference import viterbi

    known_position = isinstance(t, (int, np.integer)) and 0 <= t < trellis.T
    chosen = viterbi(trellis).labels[t] if label is None and known_position else label
    words = None if tagger.dictionary_ is None else tagger.dictionary_.allowed(corpus)
    return account(widened(tagger.model_, encoded, words, known, allowed), chosen)


def _words(corpus: Corpus) -> list[str] | None:
    """The words of the only sentence; None when its tokens are ready-made attributes."""
    name = next((name for name in ("word", "form") if name in corpus.columns), None)
    return None if name is None else list(map(str, corpus[0][name]))
