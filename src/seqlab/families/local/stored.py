"""A LocalTagger as plain data, there and back: its classifier by the numbers that it has learned."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.encode import Encoder
from seqlab.encode.given import as_features
from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import features_state
from seqlab.errors import StoreError
from seqlab.families.local.classifier import KIND as SCORES
from seqlab.families.local.classifier import LINKS, NONE, REST, Floats, LinearScores, rows_of
from seqlab.families.local.rows import RESPONSES, Columns, Response
from seqlab.store.state import State
from seqlab.tagging.given import (
    allowed_arrays,
    allowed_given,
    features_data,
    features_given,
    options_given,
    plain_options,
)
from seqlab.tagging.memory import KIND as MEMORY
from seqlab.tagging.memory import memory_state, recall
from seqlab.tagging.storing import refuse_own_class

if TYPE_CHECKING:
    from typing_extensions import Self

    from seqlab.tagging.door.constraints import Rules
    from seqlab.tagging.door.dictionary import TagDictionary

KIND = "local tagger"
APART = ("classifier", "features", "allowed")  # options that have a form of their own
METHODS = ("predict_log_proba", "predict_proba", "decision_function")
PROBES = 32  # rows on which the numbers must say what the classifier says
CLOSE = 1e-9


class StoredLocal:
    """Mixed into LocalTagger."""

    if TYPE_CHECKING:
        classifier: Any
        features: Any
        allowed: Any
        scores: Any
        classifier_: Any
        encoder_: Encoder
        layout_: Columns
        response_: Response
        rules_: Rules
        dictionary_: TagDictionary | None
        labels_: tuple[str, ...]

        def __init__(self, classifier: Any, features: Any = None, **options: Any) -> None: ...
        def _check_fitted(self, question: str) -> None: ...
        def _check_options(self, dev: Any) -> None: ...
        @classmethod
        def _option_names(cls) -> list[str]: ...

    def state(self) -> State:
        """Everything that must come back, for a model file."""
        self._check_fitted("state")
        refuse_own_class(self, "LocalTagger")
        own: Any = self
        settings = {
            "options": plain_options(own, self.rules_, APART),
            "features": features_data(self.features, self.encoder_.features),
            "previous": self.layout_.previous,
            "method": self.response_.method,
        }
        parts = {
            "encoder": self.encoder_.state(),
            "scores": scores_of(self.classifier_, self.response_, self.layout_.width).state(),
            "training": memory_state(own, self.rules_, self.dictionary_),
        }
        if settings["features"] == {"given": "another"}:
            parts["features"] = features_state(as_features(self.features))
        allowed = allowed_arrays(self.allowed, self.dictionary_, self.labels_)
        return State(KIND, settings, allowed).with_parts(parts)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """The tagger that state() was asked of; LinearScores stands for its classifier."""
        if state.kind != KIND:
            raise StoreError(f"a model of kind {KIND!r} is wanted, found one of kind {state.kind!r:.80}")
        encoder = Encoder.from_state(state.part("encoder", ENCODER))
        features = features_given(state, encoder.features)
        options = options_given(state, cls._option_names(), APART)
        tagger = cls(None, features, allowed=allowed_given(state), **options)
        tagger._check_options(None)
        if tagger.scores not in RESPONSES:
            raise StoreError(f"the option scores should be one of {RESPONSES}, found {tagger.scores!r:.80}")
        own: Any = tagger
        tagger.rules_, tagger.dictionary_ = recall(own, state.part("training", MEMORY))
        size = len(tagger.labels_)
        tagger.encoder_ = encoder
        tagger.layout_ = Columns(encoder.size, encoder.edge_size, size, state.setting("previous", bool))
        scores = LinearScores.from_state(state.part("scores", SCORES), tagger.layout_.width)
        tagger.response_ = _response(state.setting("method", str), scores, tagger.labels_)
        tagger.classifier = tagger.classifier_ = scores
        return tagger


def _response(method: str, scores: LinearScores, labels: tuple[str, ...]) -> Response:
    if method not in METHODS or (scores.link == NONE and method != "decision_function"):
        raise StoreError(f"scores of the kind {scores.link!r} have no method {method!r:.80}")
    if sorted(scores.classes_) != list(labels):
        raise StoreError("the classifier and the tagger should have the same labels")
    return Response(method, tuple(scores.classes_.index(label) for label in labels))


# ---------------------------------------------------------------------------------------------- classifiers as numbers

Numbers = tuple[Any, Any, str]  # coef (rows, columns), intercept, link


def scores_of(classifier: Any, response: Response, columns: int) -> LinearScores:
    """The numbers of a classifier that has learned; says so when there are none that could stand for it."""
    if isinstance(classifier, LinearScores):
        return classifier
    coef, intercept, link = _numbers(classifier)
    classes = [str(name) for name in classifier.classes_]
    rows = rows_of(link, len(classes))
    weights: Floats = np.ascontiguousarray(_dense(coef).reshape(rows, columns).T, dtype=np.float64)
    shifts: Floats = np.broadcast_to(np.asarray(intercept, dtype=np.float64), (rows,)).copy()
    made = LinearScores(_name(classifier), classes, weights, shifts, link)
    if not (np.isfinite(weights).all() and np.isfinite(shifts).all()):
        raise StoreError(
            f"{made.name} has learned a weight that is not finite, which a model file does not hold; naive Bayes "
            f"does so with alpha=0, and for labels of weight 0"
        )
    _check_alike(classifier, made, response, columns)
    return made


def _check_alike(classifier: Any, made: LinearScores, response: Response, columns: int) -> None:
    """Another release of scikit-learn may have another formula: better no file than one that answers otherwise."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    chosen = rng.integers(0, columns, size=(PROBES, min(columns, 8)))
    begins = np.arange(PROBES + 1, dtype=np.int32) * chosen.shape[1]
    rows = csr_matrix(
        (np.ones(chosen.size), chosen.reshape(-1).astype(np.int32), begins), shape=(PROBES, columns)
    )
    theirs, ours = (response.scores(one, rows) for one in (classifier, made))
    # Not the same bits: what is stored dense may have been sparse, and other releases round otherwise.
    if not np.allclose(ours, theirs, rtol=CLOSE, atol=CLOSE):
        raise StoreError(
            f"{made.name} of this scikit-learn computes {response.method} in a way that seqlab does not know, so a "
            f"model file would answer otherwise; pass scores='decision' to LocalTagger, or use another classifier"
        )


def _numbers(classifier: Any) -> Numbers:
    found = _KNOWN.get(type(classifier).__name__) if _is_theirs(classifier) else None
    if found is None:
        raise StoreError(
            f"a LocalTagger of {type(classifier).__name__} cannot be stored: a model file holds numbers and no code, "
            f"and only classifiers with scores linear in the attributes are numbers: {', '.join(_KNOWN)} of "
            f"scikit-learn; use one of these, or pickle the tagger for files that you trust"
        )
    return found(classifier)


def _is_theirs(classifier: Any) -> bool:
    """Not a subclass of somebody else's, which may do anything."""
    return type(classifier).__module__.startswith("sklearn.")


def _name(classifier: Any) -> str:
    parts = getattr(classifier, "estimators_", None)
    name = type(classifier).__name__
    return f"{name}({type(parts[0]).__name__})" if parts else name


def _dense(coef: Any) -> Any:
    return coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)


def _margins(classifier: Any) -> Numbers:
    return classifier.coef_, classifier.intercept_, NONE


def _logistic(classifier: Any) -> Numbers:
    way = getattr(classifier, "multi_class", "auto")  # an option until scikit-learn 1.7
    each = way == "ovr" or (
        way != "multinomial" and (len(classifier.classes_) == 2 or classifier.solver == "liblinear")
    )
    return classifier.coef_, classifier.intercept_, "logistic" if each else "softmax"


def _sgd(classifier: Any) -> Numbers:
    link = {"log_loss": "logistic", "modified_huber": "huber"}.get(classifier.loss, NONE)
    return classifier.coef_, classifier.intercept_, link


def _multinomial(classifier: Any) -> Numbers:
    return classifier.feature_log_prob_, classifier.class_log_prior_, "bayes"


def _complement(classifier: Any) -> Numbers:
    return classifier.feature_log_prob_, 0.0, "bayes"


def _one_by_one(classifier: Any) -> Numbers:
    """OneVsRestClassifier: the rows of its classifiers, one below the other."""
    parts = [_numbers(one) for one in classifier.estimators_]
    coef = np.concatenate([np.atleast_2d(_dense(part[0])) for part in parts])
    sizes = [np.atleast_2d(_dense(part[0])).shape[0] for part in parts]
    shifts = [np.broadcast_to(np.asarray(part[1]), (n,)) for part, n in zip(parts, sizes, strict=True)]
    inner = parts[0][2]
    if inner != NONE and f"{REST}{inner}" not in LINKS:
        raise StoreError(f"a OneVsRestClassifier of classifiers with {inner} probabilities cannot be stored")
    return coef, np.concatenate(shifts), inner if inner == NONE else f"{REST}{inner}"


_KNOWN: dict[str, Callable[[Any], Numbers]] = {
    "LinearSVC": _margins,
    "LogisticRegression": _logistic,
    "LogisticRegressionCV": _logistic,
    "RidgeClassifier": _margins,
    "RidgeClassifierCV": _margins,
    "SGDClassifier": _sgd,
    "Perceptron": _margins,
    "PassiveAggressiveClassifier": _margins,
    "MultinomialNB": _multinomial,
    "ComplementNB": _complement,
    "OneVsRestClassifier": _one_by_one,
}
