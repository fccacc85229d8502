"""Models that learn by fit, keep one fitted value, and can be saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Self

from seqlab import store
from seqlab.encode.encoder import as_features
from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import features_of, features_state
from seqlab.errors import SeqlabError, StoreError
from seqlab.features.own import FeatureFunction
from seqlab.lazy import hooks
from seqlab.store.codec import Late, put_part, read_fields, write_fields
from seqlab.store.state import State
from seqlab.store.values import OptionKind, Values
from seqlab.tagging.sklearn import Estimator
from seqlab.tags import Scheme
from seqlab.trellis import Constraints

Functions = Mapping[str, Callable[..., Any]]


class Apart(NamedTuple):
    """Custom storage of an option: `put` gets state, option and fitted value; `get` gets the result of put."""

    put: Callable[[State, Any, Any], Any]
    get: Callable[[State, Any], Any]


def from_fit(path: str, doc: str) -> Any:
    """Make a property that returns a part of the fitted value, such as "training.labels"."""
    found = attrgetter(path)

    def told(model: Any) -> Any:
        value = found(model.fit_)  # fails before fit, and Estimator raises the error
        return value() if isinstance(value, Late) else value

    return property(told, doc=doc)


class Model(Estimator):
    """A model with options and, after fit, one frozen value of what it has learned.

    fit_   the fitted value, a frozen dataclass whose fields say how they are stored; None before fit. Everything else
           that ends in "_" is a property of it: dataclasses.replace(model.fit_, ...) changes all answers alike

    A subclass has a `_kind` (of its model file), a `_fit_class`, and `_option_kinds()`: the classes of its options.
    """

    _kind: ClassVar[str]
    _fit_class: ClassVar[Any]
    _apart: ClassVar[Mapping[str, Apart]] = {}  # options with custom storage
    fit_: Any = None

    @classmethod
    def _option_kinds(cls) -> Mapping[str, OptionKind]:
        """Classes whose objects this model takes as options, by name."""
        return {}

    def _fitted(self) -> bool:
        return self.fit_ is not None

    def _check_fitted(self, question: str) -> None:
        if self.fit_ is None:
            super()._check_fitted(question)

    # ------------------------------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file at path, whole or not at all; seqlab.load(path) reads it."""
        self._check_fitted("save")
        store.save(self, path)

    def save_pretrained(
        self, folder: str | os.PathLike[str], *, report: Any = None, name: str | None = None
    ) -> None:
        """Write the model as a folder for a model hub: model.safetensors, config.json, README.md (its card).

        folder   which seqlab.load(folder) reads
        report   its evaluation, for the card: self.evaluate(test)
        name     in the card; None for that of the folder
        """
        from seqlab.store.pretrained import write_folder

        self._check_fitted("save_pretrained")
        column = getattr(self, "column_", None) or "label"
        labels = {column: list(self.labels_)} if hasattr(self, "labels_") else {}
        write_folder(folder, self.state(), {"labels": labels}, report, name)

    def as_bytes(self) -> bytes:
        """Return what save() would write."""
        self._check_fitted("as_bytes")
        return store.as_bytes(self.state())

    @classmethod
    def from_bytes(cls, content: bytes, *, functions: Functions | None = None, verify: bool = False) -> Self:
        """Read a model from content, the result of as_bytes(); functions and verify are those of seqlab.load."""
        model = store.from_bytes(content, hooks["kinds"](), functions=functions, verify=verify)
        if not isinstance(model, cls):
            raise StoreError(
                f"these bytes hold a {type(model).__name__}, a {cls.__name__} is wanted; "
                f"call {type(model).__name__}.from_bytes"
            )
        return model

    # ------------------------------------------------------------------------------------------ as plain data

    def state(self) -> State:
        """Return the options and the fitted value as a State, for a model file."""
        self._check_fitted("state")
        state = self._untrained_state()
        del state.settings["untrained"]
        write_fields(state, self.fit_)
        return state

    def _untrained_state(self) -> State:
        """Return the options alone; from_state() makes an unfitted model of them."""
        if not type(self).__module__.startswith("seqlab."):
            ours = next(kind for kind in type(self).__mro__ if kind.__module__.startswith("seqlab."))
            raise StoreError(
                f"{type(self).__name__} is a class of your own, and seqlab.load would make a {ours.__name__} of it; "
                f"give it state() and from_state()"
            )
        state = State(self._kind, {"options": {}, "untrained": True})
        for name in self._option_names():
            state.settings["options"][name] = self._put_option(state, name, getattr(self, name))
        return state

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Make a model from the result of state(); the state is checked."""
        if state.kind != cls._kind:
            raise StoreError(f"a model of kind {cls._kind!r} is wanted, found one of kind {state.kind!r:.80}")
        state = cls._upgraded(state)
        options, known = state.setting("options", dict), cls._option_names()
        for name in options:
            if name not in known:
                raise StoreError(f"there is no option {name!r:.80}")
        model = cls(**{name: cls._get_option(state, name, data) for name, data in options.items()})
        if not state.settings.get("untrained"):
            model.fit_ = read_fields(cls._fit_class, state, {})
        try:
            model._check_options()
        except SeqlabError as error:
            raise StoreError(f"an option of the model makes no sense: {error}") from error
        return model

    @classmethod
    def _upgraded(cls, state: State) -> State:
        """Convert the state of a file of an earlier version."""
        return state

    def _put_option(self, state: State, name: str, value: Any) -> Any:
        """Write one option; an iterator consumed by fit is written as stored in the fitted value."""
        if name in self._apart:
            return self._apart[name].put(state, value, self.fit_)
        if isinstance(value, Iterator):
            value = self._read_to_the_end(name)
        return self._values().put(state, name, value)

    @classmethod
    def _get_option(cls, state: State, name: str, data: Any) -> Any:
        if name in cls._apart:
            return cls._apart[name].get(state, data)
        return cls._values().get(state, name, data)

    @classmethod
    def _values(cls) -> Values:
        return Values(cls._option_kinds(), hooks["kinds"])

    def _read_to_the_end(self, name: str) -> Any:
        raise StoreError(
            f"the option {name} cannot be stored: it is an iterator, which can be read only once"
        )

    def _check_options(self) -> Any:
        """Reject options that make no sense."""


_SPELLING = ("delimiter", "suffix", "outside")  # spelling options of a tag scheme


def _scheme_fields(scheme: Scheme) -> dict[str, Any]:
    spelling = {name: getattr(scheme, name) for name in _SPELLING}
    if scheme != Scheme.of(scheme.name, **spelling):
        raise StoreError(
            f"the tag scheme {scheme.name!r} is of your own making, and a model file has only names of "
            f"seqlab's; give its rules as a Constraints"
        )
    return {"name": scheme.name, **spelling}


COMMON = {
    "Constraints": OptionKind(Constraints),
    "Scheme": OptionKind(Scheme, _scheme_fields, Scheme.of),
}


def put_features(state: State, given: Any, fit: Any) -> dict[str, Any]:
    """Write features as given by the user; the encoder has the compiled ones."""
    made = None if fit is None else fit.encoder().features
    if given is None or isinstance(given, str):
        return {"features": given}
    if given == made or (isinstance(given, (list, tuple)) and as_features(given) == made):
        return {"features": {"given": "encoder"}}
    if given == getattr(made, "function", None):
        return {"features": {"given": "function"}}
    put_part(state, "features", features_state(as_features(given)))  # set after fit
    return {"features": {"given": "another", "wrapped": given == as_features(given)}}


def get_features(state: State, data: Any) -> Any:
    """Read the features as they were given."""
    inside = State("features", data if isinstance(data, dict) else {}).settings.get("features")
    if inside is None or isinstance(inside, str):
        return inside
    if not isinstance(inside, dict):
        raise StoreError(f"the features should be an object, found {inside!r:.80}")
    given = State("features", inside)
    match given.setting("given", str):
        case "encoder":
            return features_of(state.part("encoder", ENCODER))
        case "function":
            made = features_of(state.part("encoder", ENCODER))
            if not isinstance(made, FeatureFunction):
                raise StoreError("the features were given in an unknown way, 'function'")
            return made.function
        case "another":
            made = features_of(state.part("features", ENCODER))
            bare = hasattr(made, "function") and given.settings.get("wrapped") is False
            return made.function if bare else made  # type: ignore[union-attr]
        case other:
            raise StoreError(f"the features were given in an unknown way, {other!r:.80}")


FEATURES = {"features": Apart(put_features, get_features)}


def upgraded_options(state: State) -> State:
    """Move features and dictionaries of a file of version 1 into its options."""
    if "features" not in state.settings:
        return state
    options, given = dict(state.setting("options", dict)), dict(state.setting("features", dict))
    told = {"none": None, "text": given.get("text")}
    options["features"] = {"features": told.get(given.get("given", ""), given)}
    if "allowed.begin" in state.arrays:
        options["allowed"] = {"dictionary": "allowed"}
    settings = {name: one for name, one in state.settings.items() if name != "features"}
    return state.replaced(settings={**settings, "options": options})
