"""scikit-learn's estimator interface, without importing scikit-learn.

Only methods that scikit-learn itself calls (tags, metadata routing) import it; by then it is already loaded.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from seqlab.errors import AbsentError, NotFittedError, OptionError, Place, SeqlabError
from seqlab.shown import Shown, Table, brief, called, same

LONG = ("classes_", "rules_", "state_features_", "transition_features_")  # left out in notebooks
ROUTED = ("fit", "partial_fit", "score")  # methods that take more than X and y from scikit-learn's searches


class Estimator(Shown):
    """Options stored as given, and the methods by which scikit-learn reads and sets them.

    A subclass names every option in its __init__ and stores it unchanged under the same name; what it learns gets a
    name that ends in "_". Checks belong to fit().
    """

    # Methods that other taggers have and this one does not, with the reason for the message; base classes add theirs.
    # The error is an AttributeError, because scikit-learn uses hasattr to find what an estimator can do.
    _no_meaning: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("log_likelihood", "log_likelihoods", "log_joint", "generate"),
        "it speaks of labels when tokens are given, and knows no probability of the tokens themselves; an HMM does",
    )

    _metadata_request: Any  # set by set_fit_request and others; scikit-learn checks if it exists

    # ------------------------------------------------------------------------------------------ options

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  (scikit-learn's signature)
        """Return {option name: value}; with deep=True also the options of options, as "learner__l2"."""
        own = {name: getattr(self, name) for name in self._option_names()}
        if not deep:
            return own
        inner = {f"{name}__{key}": part for name, value in own.items() for key, part in _inner(value).items()}
        return {**own, **inner}

    def set_params(self, **options: Any) -> Self:
        """Set options; "learner__l2" sets the l2 of the learner. An unknown option is an error, and nothing is set."""
        new = _merged(self, self._option_names(), options, type(self).__name__)
        for name, value in new.items():
            setattr(self, name, value)
        return self

    @classmethod
    def _option_names(cls) -> list[str]:
        return [name for name, parameter in _signature(cls).items() if parameter.kind in _NAMED]

    # scikit-learn's tools ask under this name.
    _get_param_names = _option_names

    def __repr__(self) -> str:
        return called(type(self).__name__, {name: brief(value) for name, value in self._unusual().items()})

    def _unusual(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        defaults = {name: parameter.default for name, parameter in _signature(type(self)).items()}
        given = ((name, getattr(self, name, defaults[name])) for name in self._option_names())
        return {name: value for name, value in given if not same(value, defaults[name])}

    def _views(self) -> Iterator[str | Table]:
        yield f"{type(self).__name__}, {'fitted' if self._fitted() else 'not fitted yet'}"
        unusual = self._unusual()
        if unusual:
            yield {"option": [*unusual], "value": [brief(value) for value in unusual.values()]}
        rest = [
            f"{name}={brief(value)}"
            for name, value in self.get_params(deep=False).items()
            if name not in unusual
        ]
        yield f"{'other options' if unusual else 'options'}, at their defaults: {', '.join(rest) or 'none'}"
        kinds = (vars(kind) for kind in reversed(type(self).__mro__) if self._fitted())
        told = [
            name
            for own in kinds
            for name, one in own.items()
            if isinstance(one, property) and name[-1] == "_"
        ]
        learned = {name: brief(getattr(self, name)) for name in dict.fromkeys(told) if _has(self, name)}
        learned = {name: text for name, text in learned.items() if text != "None"}
        if learned:
            yield {"learned": [*learned], "value": [*learned.values()]}

    # ------------------------------------------------------------------------------------------ fitted or not

    def _fitted(self) -> bool:
        """Return True if fit() has been called."""
        return False

    def _check_fitted(self, question: str) -> None:
        if not self._fitted():
            raise NotFittedError(
                f"{question}: this {type(self).__name__} has learned nothing yet; call fit(X, y) first"
            )

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted()

    if not TYPE_CHECKING:  # otherwise a type checker would accept any attribute

        def __getattr__(self, name: str) -> Any:
            learned = name.endswith("_") and not name.startswith("_")
            if learned and not self._fitted():
                raise NotFittedError(
                    f"{name} is learned by fit, but this {type(self).__name__} has learned nothing yet; "
                    f"call fit(X, y) first"
                )
            if isinstance(getattr(type(self), name, None), property):
                self._check_fitted(name)  # otherwise the property itself raised AttributeError
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            for kind in type(self).__mro__:
                reasons: Mapping[str, str] = getattr(kind, "_no_meaning", {})
                if name in reasons:
                    raise AbsentError(reasons[name], place=Place(within=(message,)))
            raise AttributeError(message)

    # ------------------------------------------------------------------------------------------ called by scikit-learn

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        # Not a classifier: scikit-learn would treat y as a flat array and stratify by it.
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False, string=True, dict=True),
            no_validation=True,
        )

    def get_metadata_routing(self) -> Any:
        """Return the arguments of fit, partial_fit and score beside X and y, as scikit-learn's MetadataRequest."""
        from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

        if hasattr(self, "_metadata_request"):
            return get_routing_for_object(self._metadata_request)
        request = MetadataRequest(owner=type(self).__name__)
        for method in ROUTED:
            for name in self._routable(method):
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Tell scikit-learn the requests of fit: sample_weight=True, False, None (refuse), or another name for it."""
        return self._request("fit", requests)

    def set_partial_fit_request(self, **requests: bool | str | None) -> Self:
        """Tell scikit-learn the requests of partial_fit, as set_fit_request does for fit."""
        return self._request("partial_fit", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Tell scikit-learn the requests of score, as set_fit_request does for fit."""
        return self._request("score", requests)

    def _request(self, method: str, requests: Mapping[str, bool | str | None]) -> Self:
        from sklearn import get_config

        if not get_config().get("enable_metadata_routing", False):
            raise OptionError(
                f"set_{method}_request has no effect while metadata routing is off; "
                f"switch it on with sklearn.set_config(enable_metadata_routing=True)"
            )
        known = self._routable(method)
        routing = self.get_metadata_routing()
        for name, wanted in requests.items():
            if name not in known:
                raise OptionError(
                    f"{type(self).__name__}.{method} takes no {name!r}, only {_listed(known)}, beside X and y"
                )
            getattr(routing, method).add_request(param=name, alias=wanted)
        self._metadata_request = routing
        return self

    def _routable(self, method: str) -> list[str]:
        found = getattr(type(self), method, None)
        if found is None:
            return []
        parameters = list(inspect.signature(found).parameters.values())[1:]
        return [p.name for p in parameters if p.name not in {"X", "y"} and p.kind in _NAMED]


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _signature(kind: type) -> dict[str, inspect.Parameter]:
    """Return the options of a class: the arguments of its constructor."""
    construct: Any = getattr(kind, "__init__")  # noqa: B009  (the types say that it may be another's; it is not)
    if construct is object.__init__:
        return {}
    return dict(list(inspect.signature(construct).parameters.items())[1:])


def _inner(value: Any) -> dict[str, Any]:
    """Return the options of an option, recursively: of a learner, or of a foreign estimator."""
    if isinstance(value, type):
        return {}
    if dataclasses.is_dataclass(value):
        own = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        deeper = {f"{name}__{key}": part for name, one in own.items() for key, part in _inner(one).items()}
        return {**own, **deeper}
    return dict(value.get_params(deep=True)) if hasattr(value, "get_params") else {}


def _merged(owner: Any, known: list[str], options: Mapping[str, Any], who: str) -> dict[str, Any]:
    """Return new values of options by name; "learner__l2" makes a new learner from the old one."""
    new: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for key, value in options.items():
        name, _, rest = key.partition("__")
        if name not in known:
            raise OptionError(f"{who} has no option {name!r}, only {_listed(known)}")
        if rest:
            nested.setdefault(name, {})[rest] = value
        else:
            new[name] = value
    prefix = "" if isinstance(owner, Estimator) else f"{who.partition(',')[0]}__"
    for name, inner in nested.items():
        new[name] = _changed(new.get(name, getattr(owner, name, None)), inner, f"{prefix}{name}")
    return new


def _changed(value: Any, options: Mapping[str, Any], path: str) -> Any:
    """Change some options of an option: frozen ones are copied, estimators are set."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        known = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(
            value, **_merged(value, known, options, f"{path}, a {type(value).__name__},")
        )
    if hasattr(value, "set_params") and not isinstance(value, type):
        return value.set_params(**options)
    raise OptionError(
        f"{path}__{next(iter(options))} cannot be set, because {path} is {brief(value)}, "
        f"which has no options of its own; set {path} first"
    )


def _has(model: Any, name: str) -> bool:
    """Return True if an option has its default; arrays do not compare to a single bool."""
    try:
        return not name.startswith("_") and name not in LONG and hasattr(model, name)
    except SeqlabError:
        return False


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names)) or "none at all"
