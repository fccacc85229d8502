"""A hidden Markov model as plain data, there and back: tables, options and what it remembers of training."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlab.errors import SeqlabError, StoreError
from seqlab.families.hmm import emissions as families
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counted_state import KIND as COUNTED
from seqlab.families.hmm.counted_state import counted_model, counted_state
from seqlab.families.hmm.counting import Counting
from seqlab.families.hmm.emissions import Streams, distribution_of
from seqlab.families.hmm.suffixes import SuffixModel
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.learning import smoothing as smoothings
from seqlab.store.state import State
from seqlab.tagging.door.constraints import Rules
from seqlab.tagging.memory import KIND as MEMORY
from seqlab.tagging.memory import memory_state, named_dictionary, recall
from seqlab.tagging.options import plain, revived
from seqlab.tagging.record import history_of

if TYPE_CHECKING:
    from typing_extensions import Self

KIND = "hmm"
TABLES = "hidden markov model"
PLAIN = ("n_states", "order", "end", "states", "column", "seed", "threads", "constraints")
OBJECTS = ("emissions", "smoothing", "unknown", "learner")
MODULES: dict[str, Any] = {
    **dict.fromkeys(("Categorical", "FeatureBag", "Gaussian", "GaussianMixture", "Poisson"), families),
    **dict.fromkeys(("MLE", "AddLambda", "WittenBell", "KneserNey", "Interpolated"), smoothings),
}
OTHERS: dict[str, Any] = {"Dirichlet": Dirichlet, "SuffixModel": SuffixModel, "Counting": Counting}


class StoredHMM:
    """Mixed into HMM."""

    if TYPE_CHECKING:
        model_: Any
        history_: Any
        dictionary_: Any
        observed_column_: str | None
        unknown_: str
        labels_: tuple[str, ...]
        constraints: Any
        init: Any

        def __init__(self, **options: Any) -> None: ...
        def _check_fitted(self, question: str) -> None: ...
        def _check_options(self) -> Any: ...

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy; counted words go as plain data."""
        kept = dict(self.__dict__)
        if isinstance(kept.get("model_"), CountedHMM):
            kept["model_"] = counted_state(kept["model_"])
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        model = kept.get("model_")
        self.__dict__.update({**kept, "model_": counted_model(model)} if isinstance(model, State) else kept)

    def state(self) -> State:
        """Everything that must come back, for a model file."""
        self._check_fitted("state")
        own: Any = self
        options = {name: plain(getattr(self, name), name) for name in PLAIN}
        objects = {name: _data(getattr(self, name), name) for name in OBJECTS}
        settings = {
            "options": options,
            "objects": objects,
            "init": self.init if isinstance(self.init, str) else "",
            "observed_column": [] if self.observed_column_ is None else [self.observed_column_],
            "unknown": self.unknown_,
        }
        record = {"history": self.history_.to_dict()}
        parts = {
            "model": chain_state(self.model_)
            if isinstance(self.model_, HiddenMarkov)
            else counted_state(self.model_),
            "training": memory_state(own, own.rules_, self.dictionary_),
        }
        return State(KIND, settings, {}, record).with_parts(parts)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """The model that state() was asked of."""
        given = state.setting("options", dict)
        objects = state.setting("objects", dict)
        options = {name: revived(given.get(name), name) for name in PLAIN}
        options |= {name: _object(objects.get(name), name) for name in OBJECTS}
        hmm: Any = cls(**options)
        memory = state.part("training", MEMORY)
        rules, dictionary = recall(hmm, memory, in_order=False)
        part = state.any_part("model")
        hmm.model_ = (
            counted_model(part)
            if part.kind == COUNTED
            else chain_of(state.part("model", TABLES), hmm.labels_, rules)
        )
        if hmm.model_.labels != hmm.labels_:
            raise StoreError("the labels of the model are not those of the tagger")
        hmm.rules_ = rules
        hmm.init = state.setting("init", str) or None
        hmm.allowed = named_dictionary(dictionary, hmm.labels_)
        hmm.dictionary_ = dictionary
        hmm.observed_column_ = next(iter(state.names("observed_column")), None)
        hmm.unknown_ = state.setting("unknown", str)
        hmm.history_ = history_of(State("", state.record).setting("history", dict))
        hmm.restarts_ = ()
        try:
            hmm._check_options()
        except SeqlabError as error:
            raise StoreError(f"an option of the model makes no sense: {error}") from error
        return hmm  # type: ignore[no-any-return]


def chain_state(model: HiddenMarkov) -> State:
    """The tables of a model."""
    arrays = {"pi": np.ascontiguousarray(model.pi), "A": np.ascontiguousarray(model.A)}
    if model.end is not None:
        arrays["end"] = np.ascontiguousarray(model.end)
    state = State(TABLES, {"end": model.end is not None}, arrays)
    return state.with_parts({"emissions": model.emissions.state()})


def chain_of(state: State, labels: tuple[str, ...], rules: Rules) -> HiddenMarkov:
    """The model of tables that somebody may have tampered with."""
    size = len(labels)
    end = state.finite("end", (size,)) if state.setting("end", bool) else None
    model = HiddenMarkov(
        labels,
        state.finite("pi", (size,)),
        state.finite("A", (size, size)),
        end,
        distribution_of(state.any_part("emissions"), size),
        rules,
    )
    return model.checked()


# ------------------------------------------------------------------------------------------------ options


def _data(value: Any, what: str) -> Any:
    """An option object as JSON can hold it."""
    if isinstance(value, Streams):
        return {"streams": [[name, _data(part, what)] for name, part in value.parts.items()]}
    name = type(value).__name__
    known = MODULES.get(name)
    ours = isinstance(value, tuple(OTHERS.values())) or (
        known is not None and getattr(known, name) is type(value)
    )
    if ours:
        fields = {f.name: _data(getattr(value, f.name), what) for f in dataclasses.fields(value) if f.init}
        return {"object": {"name": name, "fields": fields}}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, Mapping):
        return {"mapping": [[str(key), _data(one, what)] for key, one in value.items()]}
    return plain(value, what)


def _object(data: Any, what: str) -> Any:
    """The object that _data() was given."""
    if not isinstance(data, dict) or len(data) != 1:
        return revived(data, what)
    ((key, inside),) = data.items()
    if key == "streams":
        pairs = _pairs(inside, what)
        return _made(lambda: Streams({name: _object(part, what) for name, part in pairs}), what)
    if key == "object":
        given = State(what, inside if isinstance(inside, dict) else {})
        name, fields = given.setting("name", str), given.setting("fields", dict)
        kind = OTHERS.get(name) or getattr(MODULES.get(name), name, None)
        if kind is None:
            raise StoreError(f"{what} is a {name!r:.80}, which seqlab does not have")
        values = {field: _object(one, what) for field, one in fields.items()}
        return _made(lambda: kind(**values), what)
    if key == "array":
        return _made(lambda: np.array(inside, dtype=np.float64), what)
    if key == "mapping":
        return {name: _object(part, what) for name, part in _pairs(inside, what)}
    return revived(data, what)


def _pairs(inside: Any, what: str) -> list[tuple[str, Any]]:
    sound = isinstance(inside, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in inside
    )
    if not sound:
        raise StoreError(f"{what} should hold pairs of name and value, found {inside!r:.80}")
    return [(pair[0], pair[1]) for pair in inside]


def _made(make: Any, what: str) -> Any:
    try:
        return make()
    except (SeqlabError, TypeError, ValueError) as error:
        raise StoreError(f"{what} of the model makes no sense: {error}") from error
