"""Scores of candidates by another model: log P(labels | tokens), or the score of a path."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.arrays import thread_count
from seqlab.errors import OptionError, Place, ScoreError
from seqlab.families.rerank.lists import CandidateList
from seqlab.tagging.decoding import blocks, located
from seqlab.tagging.tagger import Tagger
from seqlab.trellis import Trellis

DROP = 100.0  # distance of impossible candidates below the worst of the others, in log-probabilities

Scores = list[list[float]]  # a score per candidate, for every list


def check_scorer(scorer: Any) -> None:
    """Reject an object that cannot score a labelling; None is no scorer."""
    if scorer is None or isinstance(scorer, Tagger):
        return
    if isinstance(scorer, type):
        raise OptionError(
            f"scorer must be an object, got the class {scorer.__name__}; write {scorer.__name__}()"
        )
    if not _takes_two(_asked(scorer)):
        raise OptionError(
            f"scorer must be a tagger, have log_prob(tokens, labels), or be a function (tokens, labels) that gives a "
            f"number, got {scorer!r:.60}"
        )


def scores_of(
    scorer: Any,
    X: Sequence[Any],
    lists: Sequence[CandidateList],
    *,
    threads: int | None = None,
    first: int = 0,
) -> Scores:
    """Score the candidates of every sentence; `first` is the number of the first sentence in messages.

    A tagger with probabilities gives log P(labels | tokens), others the score of the path.
    """
    if not isinstance(scorer, Tagger):
        ask = _asked(scorer)
        return [
            _finite([_number(ask(tokens, labels), first + s) for labels in one.labels])
            for s, (tokens, one) in enumerate(zip(X, lists, strict=True))
        ]
    scorer._check_fitted("log_prob" if scorer._probabilistic else "score")
    count = thread_count(threads)
    found: Scores = []
    for begin, part in blocks(scorer._corpus(X), scorer._block):
        with located(first + begin):
            trellises = scorer._trellises(part, count)
            norms = np.asarray(inference.log_partition(trellises, threads=count))
            shifts = norms.tolist() if scorer._probabilistic else [0.0] * len(norms)
            for trellis, shift in zip(trellises, shifts, strict=True):
                candidates = lists[len(found)].labels
                found.append(_finite([_path_score(trellis, labels) - shift for labels in candidates]))
    return found


def _path_score(trellis: Trellis, labels: Sequence[str]) -> float:
    known = set(trellis.label_set.names or ())
    return trellis.score(labels) if known.issuperset(labels) else -math.inf


def _takes_two(ask: Any) -> bool:
    try:
        inspect.signature(ask).bind(None, None)
    except TypeError:  # not callable with tokens and labels
        return False
    except ValueError:  # some extension functions have no signature
        return callable(ask)
    return True


def _asked(scorer: Any) -> Any:
    return scorer.log_prob if callable(getattr(scorer, "log_prob", None)) else scorer


def _number(given: Any, s: int) -> float:
    real = isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool)
    if not real or math.isnan(given) or given == math.inf:
        raise ScoreError(
            f"the scorer gave {given!r:.60}, but a finite number is wanted, or -inf for a labelling that is impossible",
            place=Place(s),
        )
    return float(given)


def _finite(scores: list[float]) -> list[float]:
    """Replace scores of impossible candidates by finite ones below all others."""
    possible = [score for score in scores if score > -math.inf]
    floor = min(possible) - DROP if possible else 0.0
    return [max(score, floor) for score in scores]
