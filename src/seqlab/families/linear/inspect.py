"""What a tagger with a linear model has learned, and why it chose a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.errors import LabelError

if TYPE_CHECKING:
    from seqlab.corpus import Corpus
    from seqlab.encode import Encoder
    from seqlab.families.linear.explain import Explanation, FeatureWeight, TransitionWeight
    from seqlab.families.linear.model import LinearModel
    from seqlab.tagging.door.dictionary import TagDictionary
    from seqlab.tagging.tagger import Known
    from seqlab.trellis import Trellis
    from seqlab.trellis.constraints import PerPosition
    from seqlab.trellis.labels import Label


class Inspected:
    """Mixed into a Tagger that keeps its weights in `model_` and its attributes in `encoder_`."""

    model_: LinearModel
    encoder_: Encoder
    dictionary_: TagDictionary | None

    if TYPE_CHECKING:  # a Tagger has them

        @property
        def _probabilistic(self) -> bool: ...
        def _check_fitted(self, question: str) -> None: ...
        def _corpus_of_one(self, tokens: Any) -> Corpus: ...
        def trellis(
            self, tokens: Any, *, known: Known | None = None, allowed: PerPosition | None = None
        ) -> Trellis:
            """The scores of one sentence."""

    def explain(
        self,
        tokens: Any,
        t: int,
        *,
        label: Label | None = None,
        rival: Label | None = None,
        known: Known | None = None,
        allowed: PerPosition | None = None,
    ) -> Explanation:
        """Why token t has its label and not another: features and moves with what each adds, and they add up.

        label     the label to explain; the one that tag() gives when not said
        rival     the label to compare it with; the next best one when not said
        known, allowed   as for tag

        A model of order 2 leaves unlikely labels out (`keep`). Where that leaves no rival, or not the one asked for,
        the account is that of the model with every label.
        """
        from seqlab.families.linear.explain import explain

        self._check_fitted("explain")
        corpus = self._corpus_of_one(tokens)
        encoded = self.encoder_.encode(corpus)

        def account(trellis: Trellis, label: Label | None) -> Explanation:
            return explain(
                self.model_,
                encoded,
                trellis,
                t,
                tokens=_words(corpus),
                label=label,
                rival=rival,
                probabilistic=self._probabilistic,
            )

        trellis = self.trellis(tokens, known=known, allowed=allowed)
        try:
            return account(trellis, label)
        except LabelError:
            if self.model_.coarse is None:
                raise
        # A sure model of order 2 has left out every rival; what it would have said of them is still known.
        from seqlab.families.linear.label_pruning import widened
        from seqlab.inference import viterbi

        known_position = isinstance(t, (int, np.integer)) and 0 <= t < trellis.T
        chosen = viterbi(trellis).labels[t] if label is None and known_position else label
        words = None if self.dictionary_ is None else self.dictionary_.allowed(corpus)
        return account(widened(self.model_, encoded, words, known, allowed), chosen)

    def top_features(
        self, n: int = 20, *, label: str | None = None, sign: int = 0
    ) -> tuple[FeatureWeight, ...]:
        """The n attribute-label pairs with the largest weights.

        label   only pairs with this label
        sign    1 for weights above 0 alone, -1 for those below, 0 for both
        """
        from seqlab.families.linear.explain import top_features

        self._check_fitted("top_features")
        return top_features(self.model_, self.encoder_, n, label=label, sign=sign)

    def top_transitions(self, n: int = 20, *, sign: int = 0) -> tuple[TransitionWeight, ...]:
        """The n moves between labels with the largest weights, those that see the token too."""
        from seqlab.families.linear.explain import top_transitions

        self._check_fitted("top_transitions")
        return top_transitions(self.model_, n, encoder=self.encoder_, sign=sign)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """{(attribute, label): weight}, as sklearn-crfsuite has it."""
        from seqlab.families.linear.explain import state_features

        self._check_fitted("state_features_")
        return state_features(self.model_, self.encoder_)

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """{(from, to): weight}, as sklearn-crfsuite has it."""
        from seqlab.families.linear.explain import transition_features

        self._check_fitted("transition_features_")
        return transition_features(self.model_)


def _words(corpus: Corpus) -> list[str] | None:
    """The words of the only sentence; None when its tokens are ready-made attributes."""
    name = next((name for name in ("word", "form") if name in corpus.columns), None)
    return None if name is None else list(map(str, corpus[0][name]))
