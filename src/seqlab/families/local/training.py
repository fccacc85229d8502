"""Train a classifier of scikit-learn on rows, labels and weights."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.errors import OptionError
from seqlab.families.local.classifier import LinearScores
from seqlab.families.local.rows import NO_LABEL, NOT_KNOWN, Matrix, Numbers
from seqlab.tagging.door.labels import Gold

INSTALL = "pip install 'seqlab[sklearn]'"
MOST_CELLS = 2**28  # of a matrix without gaps: 2 GB


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
    tokens, labels, shares = gold.entries(weights, worth)
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


def fitted(classifier: Any, matrix: Matrix, rows: Sample, labels: Sequence[str]) -> tuple[Any, bool]:
    """The classifier, trained on labels by name; and whether it takes rows only without gaps."""
    names = np.array(labels, dtype=object)[rows.labels]
    try:
        return _trained(classifier, matrix, names, rows.weights), False
    except TypeError as error:
        if "dense data is required" not in str(error):
            raise
        tokens, width = matrix.shape
        if tokens * width > MOST_CELLS:
            raise OptionError(
                f"{type(classifier).__name__} takes no sparse rows, and {tokens} tokens with {width} attributes are "
                f"too much without gaps; choose another classifier, or fewer attributes (min_count)"
            ) from None
    return _trained(classifier, matrix.toarray(), names, rows.weights), True


def _trained(classifier: Any, matrix: Any, names: Any, weights: npt.NDArray[np.float64] | None) -> Any:
    if weights is None:
        return classifier.fit(matrix, names)
    # One-versus-rest and the like hand weights on when told to.
    inner = getattr(classifier, "estimator", None)
    if not _takes_weights(classifier) and _takes_weights(inner) and hasattr(inner, "set_fit_request"):
        return _handed_on(classifier, inner, matrix, names, weights)
    return classifier.fit(matrix, names, **{_weight_argument(classifier): weights})


def _handed_on(classifier: Any, inner: Any, matrix: Any, names: Any, weights: Any) -> Any:
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        inner.set_fit_request(sample_weight=True)
        if hasattr(inner, "set_score_request"):  # a search scores, too
            inner.set_score_request(sample_weight=True)
        return classifier.fit(matrix, names, sample_weight=weights)


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
    fit = getattr(classifier, "fit", None)
    return fit is not None and "sample_weight" in inspect.signature(fit).parameters
