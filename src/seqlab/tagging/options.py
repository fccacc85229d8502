"""Options that several families have, as plain data for a model file."""

from __future__ import annotations

from typing import Any

from seqlab.encode.encoder import as_features
from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import features_of, features_state
from seqlab.errors import StoreError
from seqlab.features.own import FeatureFunction
from seqlab.store.codec import put_part
from seqlab.store.state import State
from seqlab.store.values import OptionKind
from seqlab.tagging.model import Apart
from seqlab.tags import Scheme
from seqlab.trellis import Constraints

_SPELLING = ("delimiter", "suffix", "outside")  # of a tag scheme


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
    """Write features as they were given; the encoder has what was made of them."""
    made = None if fit is None else fit.encoder().features
    if given is None or isinstance(given, str):
        return {"features": given}
    if given == made:
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
