"""The conditional random field: a linear tagger whose learner makes the likelihood large."""

from __future__ import annotations

from seqlab.errors import OptionError
from seqlab.families.linear.tagger import LinearTagger


class CRF(LinearTagger):
    """A linear-chain conditional random field: LinearTagger with a learner that makes the likelihood large.

    P(y | x) = exp(score(x, y)) / Z(x)   (eq:crf-likelihood)
    """

    _kind = "crf"

    def _check_options(self) -> None:
        super()._check_options()
        if not self._probabilistic:
            raise OptionError(
                f"a CRF maximises a likelihood, but {type(self.learner).__name__} learns from mistakes; "
                f"write LinearTagger(learner={type(self.learner).__name__}(...)), or use LBFGS() or SGD()"
            )
