"""Classifiers of scikit-learn as scorers of rows: trained, evaluated for all labels, stored by their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import Scores, choice
from seqlab.errors import OptionError, StoreError
from seqlab.families.local.classifier import NONE, LinearNumbers, LinearScores, numbers_of
from seqlab.families.local.rows import Matrix, Sample
from seqlab.shown import Brief
from seqlab.store.codec import Part
from seqlab.store.fields import Field, Sizes
from seqlab.store.state import State

RESPONSES = ("auto", "probability", "decision")
METHODS = ("predict_log_proba", "predict_proba", "decision_function")
MOST_CELLS = 2**25  # cells of a dense matrix passed to a classifier at a time
PROBES = 32  # rows on which stored parameters and classifier must agree
CLOSE = 1e-9


@dataclass(frozen=True, repr=False)
class Scorer(Brief):
    """A fitted classifier, and its method that computes scores.

    labels   in the order of the scores
    dense    True if it takes only dense matrices
    """

    classifier: Any = field(compare=False)
    method: str
    labels: tuple[str, ...]
    dense: bool = False

    @property
    def probabilistic(self) -> bool:
        """True if the scores are log-probabilities."""
        return self.method != "decision_function"

    @property
    def name(self) -> str:
        """Name of the scikit-learn class."""
        return str(getattr(self.classifier, "name", type(self.classifier).__name__))

    @cached_property
    def order(self) -> list[int]:
        """The column of each label."""
        classes = _classes(self.classifier, self.labels)
        return [classes.index(label) for label in self.labels]

    @staticmethod
    def of(classifier: Any, wanted: str, labels: Sequence[str], *, dense: bool = False) -> Scorer:
        """Make a scorer of a fitted classifier with this kind of scores."""
        method = method_of(classifier, wanted)
        classes = _classes(classifier, labels)
        if sorted(classes) != sorted(labels):
            raise OptionError(
                f"{type(classifier).__name__} knows the classes {classes!r:.80}, "
                f"but the labels are {list(labels)!r:.80}"
            )
        by_pairs = getattr(classifier, "decision_function_shape", None) == "ovo"
        if method == "decision_function" and by_pairs and len(labels) > 2:
            raise OptionError(
                f"{type(classifier).__name__} scores pairs of labels, but one score for each label is wanted; write "
                f"decision_function_shape='ovr'"
            )
        return Scorer(classifier, method, tuple(labels), dense)

    def scores(self, rows: Matrix) -> Scores:
        """Compute (rows, L): log-probabilities, or the values of the decision function."""
        count = rows.shape[0]
        most = max(MOST_CELLS // max(rows.shape[1], 1), 1) if self.dense else count
        if 0 < count <= most:
            return self._scores(rows)
        parts = [self._scores(rows[begin : begin + most]) for begin in range(0, count, most or 1)]
        return np.concatenate([np.zeros((0, len(self.labels))), *parts])

    def _scores(self, rows: Matrix) -> Scores:
        size = len(self.labels)
        with np.errstate(divide="ignore"):  # probability 0 is impossible
            asked = getattr(self.classifier, self.method)
            found = np.asarray(asked(rows.toarray() if self.dense else rows), dtype=np.float64)
            if self.method == "predict_proba":
                found = np.log(found)
        if found.ndim == 1 and size == 2:  # one number for two classes: the score of the second
            found = np.stack([-found, found], axis=1)
        if found.shape != (rows.shape[0], size):
            raise OptionError(
                f"{self.method} of {type(self.classifier).__name__} gives an array of shape {found.shape} for "
                f"{rows.shape[0]} tokens, but one column for each of the {size} labels is wanted; "
                f"OneVsRestClassifier gives that for any classifier"
            )
        return found[:, self.order]


def _classes(classifier: Any, labels: Sequence[str]) -> list[str]:
    return [str(name) for name in getattr(classifier, "classes_", labels)]


def method_of(classifier: Any, wanted: str) -> str:
    """Choose the method: log-probabilities if there are any, otherwise the decision function."""
    choice(wanted, "scores", RESPONSES)
    # Log-probabilities first: the log of a probability that underflowed to 0 would mean "impossible".
    for method in {"probability": METHODS[:2], "decision": METHODS[2:]}.get(wanted, METHODS):
        if hasattr(classifier, method):
            return method
    both = {"probability": "predict_proba", "decision": "decision_function"}
    needed = both.get(wanted, "decision_function or predict_proba")
    raise OptionError(f"a classifier with {needed} is wanted, but {type(classifier).__name__} has none")


# ---------------------------------------------------------------------------------------------- in a model file


class ByNumbers(Field):
    """A Scorer stored as the parameters of its classifier, so that loading needs no scikit-learn."""

    def put(self, state: State, name: str, value: Scorer) -> None:
        """Write the parameters as a part, and the method."""
        numbers = numbers_of(value.classifier)
        _check_alike(value, numbers)
        state.settings["method"] = value.method
        Part(LinearNumbers).put(state, name, numbers)

    def get(self, state: State, name: str, sizes: Sizes) -> Scorer:
        """Read the parameters."""
        method, numbers = state.setting("method", str), Part(LinearNumbers).get(state, name, sizes)
        if method not in METHODS or (numbers.link == NONE and method != "decision_function"):
            raise StoreError(f"scores of the kind {numbers.link!r} have no method {method!r:.80}")
        return Scorer(LinearScores(numbers), method, tuple(sorted(numbers.classes)))


def _check_alike(scorer: Scorer, numbers: LinearNumbers) -> None:
    """Reject a classifier whose scores differ from our formula, as may happen with other releases of scikit-learn."""
    from scipy.sparse import csr_matrix

    columns = len(numbers.weights)
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, columns, size=(PROBES, min(columns, 8)))
    begins = np.arange(PROBES + 1, dtype=np.int32) * chosen.shape[1]
    arrays = np.ones(chosen.size), chosen.reshape(-1).astype(np.int32), begins
    rows = csr_matrix(arrays, shape=(PROBES, columns))
    ours = Scorer(LinearScores(numbers), scorer.method, scorer.labels).scores(rows)
    # Not bit-identical: dense storage may replace sparse, and other releases round differently.
    if not np.allclose(ours, scorer.scores(rows), rtol=CLOSE, atol=CLOSE):
        raise StoreError(
            f"{numbers.name} of this scikit-learn computes {scorer.method} in a way that seqlab does not know, so a "
            f"model file would answer otherwise; pass scores='decision' to LocalTagger, or use another classifier"
        )


INSTALL = "pip install 'seqlab[sklearn]'"
MOST_DENSE = 2**28  # cells of a dense matrix for training: 2 GB


def cloned(classifier: Any) -> Any:
    """Clone a classifier, unfitted; reject other objects."""
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
    """Train the classifier on labels by name; also return True if it takes only dense matrices."""
    names = np.array(labels, dtype=object)[rows.labels]
    try:
        return _trained(classifier, matrix, names, rows.weights), False
    except TypeError as error:
        if "dense data is required" not in str(error):
            raise
        tokens, width = matrix.shape
        if tokens * width > MOST_DENSE:
            raise OptionError(
                f"{type(classifier).__name__} takes no sparse rows, and {tokens} tokens with {width} attributes are "
                f"too much without gaps; choose another classifier, or fewer attributes (min_count)"
            ) from None
    return _trained(classifier, matrix.toarray(), names, rows.weights), True


def _trained(classifier: Any, matrix: Any, names: Any, weights: npt.NDArray[np.float64] | None) -> Any:
    if weights is None:
        return classifier.fit(matrix, names)
    # One-versus-rest and others pass weights on when configured to.
    inner: Any = getattr(classifier, "estimator", None)
    if not _takes_weights(classifier) and _takes_weights(inner) and hasattr(inner, "set_fit_request"):
        from sklearn import config_context

        with config_context(enable_metadata_routing=True):
            inner.set_fit_request(sample_weight=True)
            if hasattr(inner, "set_score_request"):  # a search computes scores, too
                inner.set_score_request(sample_weight=True)
            return classifier.fit(matrix, names, sample_weight=weights)
    return classifier.fit(matrix, names, **{_weight_argument(classifier): weights})


def _weight_argument(classifier: Any) -> str:
    """Find the argument of fit for weights of rows; a Pipeline passes it to its last step."""
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
