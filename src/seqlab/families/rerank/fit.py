"""The fitted value of a Reranker, and the storage of its generator and features."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from seqlab.encode.stored import function_name
from seqlab.errors import StoreError
from seqlab.families.rerank.features import Features, GlobalFeatures
from seqlab.families.rerank.learners import Learned, ListPerceptron, LogLinear
from seqlab.families.rerank.lists import SCORE, SCORE_NAME, SCORER_NAME, Oracle, check_generator
from seqlab.families.rerank.scorers import check_scorer
from seqlab.lazy import hooks
from seqlab.shown import Brief
from seqlab.store.codec import put_part
from seqlab.store.fields import Field, Listed, Names, Packed, Record, Sizes, Strings
from seqlab.store.state import State
from seqlab.store.values import Values, kinds_of
from seqlab.tagging.model import COMMON, Apart, Model

KINDS = {**COMMON, **kinds_of(LogLinear, ListPerceptron, GlobalFeatures)}
GIVEN = "given"  # the part with the generator as given, if that is not the trained one
GIVEN_SCORER = "given scorer"
TRAINED = object()  # stands for a given scorer that is the trained one


class _Generator(Field):
    """The stored generator, fitted or not."""

    role = "generator"
    check: Callable[[Any], None] = staticmethod(check_generator)

    def put(self, state: State, name: str, value: Any) -> None:
        """Write the generator, which must be a model that can be stored."""
        ask = getattr(value, "state", None)
        if isinstance(value, Model) and not value._fitted():
            ask = value._untrained_state
        found = ask() if callable(ask) and not isinstance(value, type) else None
        if not isinstance(found, State) or found.kind not in hooks["kinds"]():
            what = getattr(value, "__name__", type(value).__name__)
            raise StoreError(
                f"a re-ranker is stored with its {self.role}, and {what!r:.80} cannot be stored: a model file holds no "
                f"code, so the {self.role} must be a model of seqlab that has save(), such as a CRF"
            )
        put_part(state, name, found)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:  # noqa: ARG002
        part, known = state.any_part(name).replaced(where=state.where), hooks["kinds"]()
        if part.kind not in known:
            raise StoreError(f"the {self.role} is of the unknown kind {part.kind!r:.80}")
        model = known[part.kind](part)
        self.check(model)
        return model


class _Scorer(_Generator):
    """Field for the scorer: a model, the name of a function, or nothing."""

    role = "scorer"
    check: Callable[[Any], None] = staticmethod(check_scorer)

    def put(self, state: State, name: str, value: Any) -> None:
        """Store the scorer, if there is one."""
        if inspect.isroutine(value):
            state.settings[name] = {"function": function_name(value, "give a model of seqlab")}
        elif value is not None:
            super().put(state, name, value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read the scorer; a function comes from the arguments of load()."""
        told = state.settings.get(name)
        if told is not None:
            return state.function(
                State(name, told if isinstance(told, dict) else {}).setting("function", str)
            )
        return super().get(state, name, sizes) if state.has_part(name) else None


class _Features(Field):
    """The stored features of a labelling: the default ones by value, a function by name."""

    def put(self, state: State, name: str, value: Any) -> None:
        """Write the fitted features."""
        state.settings[name] = _put_features(state, value)

    def get(self, state: State, name: str, sizes: Sizes) -> Features | None:  # noqa: ARG002
        """Read the fitted features; None if there is only a scorer."""
        found: Features | None = _get_features(state, state.settings.get(name))
        return found


def _put_features(state: State, given: Any, _fit: Any = None) -> Any:
    if given is None or type(given) is GlobalFeatures:
        return Values(KINDS).put(state, "features", given)
    return {"function": function_name(given, "leave features out for the usual ones")}


def _get_features(state: State, data: Any) -> Any:
    features = Values(KINDS).get(state, "features", data)
    if isinstance(features, GlobalFeatures):
        features.check()
    elif features is not None and not callable(features):
        raise StoreError(f"the features are of an unknown kind, {data!r:.80}")
    return features


def _put_given(state: State, given: Any, fit: RerankFit | None) -> Any:
    if fit is not None and given is fit.generator:
        return None
    _Generator().put(state, GIVEN, given)
    return {"model": GIVEN}


def _get_given(state: State, data: Any) -> Any:
    return None if data is None else _Generator().get(state, GIVEN, {})


def _put_scorer(state: State, given: Any, fit: RerankFit | None) -> Any:
    if given is None:
        return None
    if fit is not None and given is fit.scorer:
        return {"scorer": "trained"}
    _Scorer().put(state, GIVEN_SCORER, given)
    return {"scorer": GIVEN_SCORER}


def _get_scorer(state: State, data: Any) -> Any:
    if data is None:
        return None
    match State("scorer", data if isinstance(data, dict) else {}).setting("scorer", str):
        case "trained":
            return TRAINED
        case _:
            return _Scorer().get(state, GIVEN_SCORER, {})


APART = {
    "generator": Apart(_put_given, _get_given),
    "scorer": Apart(_put_scorer, _get_scorer),
    "features": Apart(_put_features, _get_features),
}


@dataclass(frozen=True, slots=True, repr=False)
class Facts(Brief):
    """Facts of training; see Learned.

    score_weight   learned weight of the generator's score, beside its initial weight of 1
    """

    score_weight: float
    reason: str
    iterations: int
    objective: float | None

    def check(self) -> None:
        """Reject a negative number of iterations."""
        if self.iterations < 0:
            raise StoreError(f"'iterations' should lie above 0, found {self.iterations}")


@dataclass(frozen=True, eq=False, repr=False)
class RerankFit(Brief):
    """A fitted Reranker.

    labels       the labels that occur
    column       the column of the labels; None if they were given as lists
    vocabulary   the words of training; None if it had none
    names        names of the features; the first is the generator's score
    coef         (names,) weights of the features
    features     the features of a labelling
    generator    the trained generator
    scorer       the trained scorer, or None
    """

    labels: Annotated[tuple[str, ...], Names(ordered=True)]
    column: Annotated[str | None, Listed()]
    vocabulary: Annotated[frozenset[str] | None, Strings(make=frozenset, optional=True)]
    names: Annotated[tuple[str, ...], Strings("F")]
    coef: Annotated[npt.NDArray[np.float64], Packed("F")]
    features: Annotated[Features | None, _Features()]
    generator: Annotated[Any, _Generator()]
    learned: Annotated[Facts, Record(Facts)]
    oracle: Annotated[Oracle, Record(Oracle)]
    scorer: Annotated[Any, _Scorer()] = None

    def check(self) -> None:
        """Check that the first features are the scores of the models."""
        wanted = (SCORE_NAME,) if self.scorer is None else (SCORE_NAME, SCORER_NAME)
        if self.names[: len(wanted)] != wanted:
            raise StoreError(
                f"the features should begin with {', '.join(map(repr, wanted))}, each of them once"
            )
        if self.features is None and self.scorer is None:
            raise StoreError("a re-ranker needs features or a scorer")

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Return {name: number} of the features."""
        return {name: i for i, name in enumerate(self.names)}

    @property
    def outcome(self) -> Learned:
        """Return the result of the learner."""
        facts, theta = self.learned, self.coef.copy()
        theta[SCORE] = facts.score_weight
        return Learned(theta, facts.reason, facts.iterations, facts.objective)
