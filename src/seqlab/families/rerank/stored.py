"""A Reranker as plain data, there and back: its generator as a part, its features by value or by name."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.encode.stored import function_name
from seqlab.errors import StoreError
from seqlab.families.loading import kinds
from seqlab.families.rerank.candidates import check_generator
from seqlab.families.rerank.data import SCORE, SCORE_NAME, Oracle, Vocabulary
from seqlab.families.rerank.features import GlobalFeatures, ListFeatures, OwnFeatures
from seqlab.families.rerank.learners import Learned, ListPerceptron, LogLinear
from seqlab.store.packing import named, packed, unpacked
from seqlab.store.state import State, string_arrays
from seqlab.tagging.options import plain, revived
from seqlab.tagging.storing import Storable, refuse_own_class
from seqlab.tags import Scheme

if TYPE_CHECKING:
    from typing_extensions import Self

KIND = "reranker"
PLAIN = ("n", "folds", "min_count")
LEARNERS: dict[str, Any] = {"LogLinear": LogLinear, "ListPerceptron": ListPerceptron}
ORACLE = tuple(field.name for field in dataclasses.fields(Oracle))


class StoredReranker(Storable):
    """Mixed into Reranker."""

    if TYPE_CHECKING:
        features: Any
        learner: Any
        generator_: Any
        labels_: tuple[str, ...]
        coef_: Any
        oracle_: Oracle
        learned_: Learned
        column_: str | None
        vocabulary_: frozenset[str] | None
        _features: ListFeatures
        _names: Vocabulary

        def __init__(self, generator: Any, **options: Any) -> None: ...
        def _check_options(self) -> Any: ...

    def state(self) -> State:
        """Everything that must come back, for a model file."""
        self._check_fitted("state")
        refuse_own_class(self, "Reranker")
        words = self.vocabulary_
        settings = {
            "options": {name: plain(getattr(self, name), f"the option {name}") for name in PLAIN},
            "learner": _learner_data(self.learner),
            "given": _features_data(self.features),
            "features": _features_data(self._features),
            "labels": list(self.labels_),
            "column": [] if self.column_ is None else [self.column_],
            "vocabulary": words is not None,
        }
        arrays = {
            **named("coef", packed(np.ascontiguousarray(self.coef_, dtype=np.float64))),
            **string_arrays("names", self._names.names),
            **string_arrays("vocabulary", sorted(words or ())),
        }
        record = {"learned": _learned_data(self.learned_), "oracle": dataclasses.asdict(self.oracle_)}
        return State(KIND, settings, arrays, record).with_parts(
            {"generator": _generator_state(self.generator_)}
        )

    @classmethod
    def from_state(cls, state: State) -> Self:
        """The re-ranker that state() was asked of; its generator is the trained one."""
        if state.kind != KIND:
            raise StoreError(f"a model of kind {KIND!r} is wanted, found one of kind {state.kind!r:.80}")
        given = State("options", state.setting("options", dict))
        options = {name: revived(given.settings.get(name), f"the option {name}") for name in PLAIN}
        generator = _generator_of(state)
        reranker = cls(generator, **options)
        reranker.learner = _learner_of(State("learner", state.setting("learner", dict)))
        reranker._check_options()
        fitted = _features_of(state, "features")
        if fitted is None:
            raise StoreError("a re-ranker needs features")
        reranker._features = fitted if isinstance(fitted, GlobalFeatures) else OwnFeatures(fitted)
        reranker.features = _features_of(state, "given")
        reranker._names = _names_of(state)
        reranker.coef_ = unpacked(state, "coef", (len(reranker._names.names),))
        record = State("record", state.record)
        reranker.learned_ = _learned_of(State("learned", record.setting("learned", dict)), reranker.coef_)
        told = State("oracle", record.setting("oracle", dict))
        reranker.oracle_ = Oracle(**{name: told.setting(name, float) for name in ORACLE})
        _remember(reranker, state)
        reranker.generator_ = generator
        return reranker


def _remember(reranker: Any, state: State) -> None:
    labels, column = state.names("labels"), state.names("column")
    if not labels or list(labels) != sorted(set(labels)):
        raise StoreError("a re-ranker needs labels, each of them once and in order")
    if len(column) > 1:
        raise StoreError(f"the setting 'column' should have one entry at most, found {len(column)}")
    words = state.strings("vocabulary")
    reranker.labels_ = labels
    reranker.column_ = column[0] if column else None
    reranker.vocabulary_ = frozenset(words) if state.setting("vocabulary", bool) else None


def _names_of(state: State) -> Vocabulary:
    names = tuple(state.strings("names"))
    number = {name: i for i, name in enumerate(names)}
    if names[:1] != (SCORE_NAME,) or len(number) != len(names):
        raise StoreError(f"the features should begin with {SCORE_NAME!r}, each of them once")
    return Vocabulary(names, number)


# ---------------------------------------------------------------------------------------------- generator


def _generator_state(generator: Any) -> State:
    state = getattr(generator, "state", None)
    found = state() if callable(state) and not isinstance(generator, type) else None
    if not isinstance(found, State) or found.kind not in kinds():
        what = getattr(generator, "__name__", type(generator).__name__)
        raise StoreError(
            f"a re-ranker is stored with its generator, and {what!r:.80} cannot be stored: a model file holds no code, "
            f"so the generator must be a model of seqlab that has save(), such as a CRF"
        )
    return found


def _generator_of(state: State) -> Any:
    part = state.any_part("generator").replaced(where=state.where)
    known = kinds()
    if part.kind not in known:
        raise StoreError(f"the generator is of the unknown kind {part.kind!r:.80}")
    generator = known[part.kind](part)
    check_generator(generator)
    return generator


# ---------------------------------------------------------------------------------------------- features


def _features_data(features: Any) -> dict[str, Any]:
    """The usual ones by value, a function by name."""
    if features is None:
        return {"kind": "usual"}
    if type(features) is GlobalFeatures:
        return {"kind": "global", "scheme": plain(features.scheme, "the tag scheme of the features")}
    function = features.function if isinstance(features, OwnFeatures) else features
    return {"kind": "function", "name": function_name(function, "leave features out for the usual ones")}


def _features_of(state: State, name: str) -> Any:
    """None for the usual ones, GlobalFeatures, or the function that load() was given."""
    data = State(name, state.setting(name, dict), functions=state.functions)
    match data.setting("kind", str):
        case "usual":
            return None
        case "global":
            return GlobalFeatures(
                _scheme(revived(data.settings.get("scheme"), "the tag scheme of the features"))
            )
        case "function":
            return data.function(data.setting("name", str))
        case other:
            raise StoreError(f"the features are of the unknown kind {other!r:.80}")


def _scheme(given: Any) -> Any:
    if isinstance(given, str):
        Scheme.of(given)  # which says so when there is none of this name
    elif given is not None and not isinstance(given, Scheme):
        raise StoreError(
            f"the tag scheme of the features should be a scheme or its name, found {given!r:.80}"
        )
    return given


# ---------------------------------------------------------------------------------------------- learning


def _learner_data(learner: Any) -> dict[str, Any]:
    name = type(learner).__name__
    if LEARNERS.get(name) is not type(learner):
        raise StoreError(
            f"the learner {learner!r:.80} is of your own making, and a model file holds no code; give the re-ranker "
            f"one of seqlab's before it is saved, for example reranker.set_params(learner=LogLinear())"
        )
    fields = {field.name: getattr(learner, field.name) for field in dataclasses.fields(LEARNERS[name])}
    return {"name": name, "options": {field: plain(one, f"learner.{field}") for field, one in fields.items()}}


def _learner_of(data: State) -> Any:
    name, given = data.setting("name", str), data.setting("options", dict)
    if name not in LEARNERS:
        raise StoreError(f"there is no learner {name!r:.80}, only {', '.join(map(repr, LEARNERS))}")
    for value in given.values():
        if isinstance(value, (dict, list, str)):
            raise StoreError(f"an option of the learner should be a number, found {value!r:.80}")
    return LEARNERS[name](**given)


def _learned_data(learned: Learned) -> dict[str, Any]:
    """Without most of theta, which is coef_; only the weight of the generator's score is another one there."""
    return {
        "score_weight": float(learned.theta[SCORE]),
        "reason": learned.reason,
        "iterations": int(learned.iterations),
        "objective": None if learned.objective is None else float(learned.objective),
    }


def _learned_of(told: State, coef: Any) -> Learned:
    theta = np.array(coef)
    theta[SCORE] = told.setting("score_weight", float)
    objective = None if told.settings.get("objective") is None else told.setting("objective", float)
    return Learned(theta, told.setting("reason", str), told.number("iterations", 0), objective)
