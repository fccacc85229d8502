"""What a classifier of scikit-learn is trained on: rows, labels, weights; and whether it takes them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError
from seqlab.taggers.gold import Gold
from seqlab.taggers.linear_scores import LinearScores
from seqlab.taggers.local_rows import NO_LABEL, NOT_KNOWN, Matrix, Numbers

INSTALL = "pip install 'seqlab[sklearn]'"


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows to train on.

    tokens     (rows,)   which token
    labels     (rows,)   its label
    previous   (rows,)   the label before it, NO_LABEL at the start of a sentence, NOT_KNOWN after an unlabelled token
    weights    (rows,)   or None when all are 1
    """

    tokens: Numbers
    labels: Numbers
    previous: Numbers
    weights: npt.NDArray[np.float64] | None


def samples(
    gold: Gold,
    offsets: Numbers,
    weights: npt.NDArray[np.float64] | None,
    worth: npt.NDArray[np.float64] | None,
) -> Sample:
    """A row for every token with a label, and one for each label of a token with several, which share its weight."""
    ids = gold.ids.astype(np.int64)
    before = np.concatenate([[NOT_KNOWN], ids[:-1]])
    before[before < 0] = NOT_KNOWN
    before[offsets[:-1][offsets[:-1] < offsets[1:]]] = NO_LABEL
    tokens = np.flatnonzero(ids >= 0)
    labels, shares = ids[tokens], np.ones(len(tokens))
    if gold.sets:
        several = [(t, y, 1.0 / len(some)) for t, some in gold.sets.items() for y in some]
        token, label, share = (np.array(part) for part in zip(*several, strict=True))
        tokens, labels = np.concatenate([tokens, token]), np.concatenate([labels, label])
        shares = np.concatenate([shares, share])
    if weights is not None:
        shares = shares * weights[tokens]
    if worth is not None:
        shares = shares * worth[labels]
    plain = weights is None and worth is None and not gold.sets
    return Sample(tokens, labels, before[tokens], None if plain else shares)


def cloned(classifier: Any) -> Any:
    """A copy that has learned nothing; says so when this is no classifier of scikit-learn, or that is not installed."""
    if isinstance(classifier, LinearScores):
        raise OptionError(
            f"this tagger was loaded from a file, which has the numbers of its {classifier.name} and no classifier; to "
            f"train it, give it one of scikit-learn, for example tagger.set_params(classifier=LinearSVC())"
        )
    try:
        from sklearn.base import clone
    except ImportError:
        raise ImportError(f"scikit-learn is not installed; write `{INSTALL}`", name="sklearn") from None
    if isinstance(classifier, type):
        raise OptionError(
            f"classifier must be an object, got the class {classifier.__name__}; write {classifier.__name__}()"
        )
    if not hasattr(classifier, "fit") or not hasattr(classifier, "get_params"):
        raise OptionError(
            f"classifier must be a classifier of scikit-learn, such as LinearSVC(), got {classifier!r:.60}"
        )
    return clone(classifier)


def fitted(classifier: Any, matrix: Matrix, rows: Sample, labels: Sequence[str]) -> Any:
    """The classifier, trained on labels by name."""
    names = np.array(labels, dtype=object)[rows.labels]
    if rows.weights is None:
        return classifier.fit(matrix, names)
    return classifier.fit(matrix, names, **{_weight_argument(classifier): rows.weights})


def _weight_argument(classifier: Any) -> str:
    """The argument of fit that takes a weight per row; a Pipeline hands it to its last step."""
    if _takes_weights(classifier):
        return "sample_weight"
    steps = getattr(classifier, "steps", None)
    if steps and _takes_weights(steps[-1][1]):
        return f"{steps[-1][0]}__sample_weight"
    raise OptionError(
        f"sample_weight, class_weight and sets of labels weigh tokens, but the fit of {type(classifier).__name__} "
        f"takes no sample_weight; choose a classifier that does, such as LinearSVC or SGDClassifier"
    )


def _takes_weights(classifier: Any) -> bool:
    return "sample_weight" in inspect.signature(classifier.fit).parameters
