"""Why a fitted linear tagger chose a label: which trellis the account is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.corpus import Corpus
from seqlab.errors import LabelError
from seqlab.families.linear.explain import Explanation, explain
from seqlab.families.linear.label_pruning import widened
from seqlab.tagging.tagger import Known
from seqlab.trellis import Trellis
from seqlab.trellis.constraints import PerPosition
from seqlab.trellis.labels import Label

if TYPE_CHECKING:
    from seqlab.families.linear.tagger import LinearTagger


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
