"""A tagger with a linear model as plain data, there and back; and made smaller."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from seqlab.encode.stored import KIND as ENCODER
from seqlab.encode.stored import features_of, features_state
from seqlab.errors import StoreError
from seqlab.families.linear import glance
from seqlab.families.linear.glance import SMALL
from seqlab.families.linear.stored_model import KIND as MODEL
from seqlab.families.linear.stored_model import linear_model, linear_state
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
from seqlab.tagging.memory import (
    memory_state,
    recall_all_but_words,
    words_of,
)
from seqlab.tagging.record import history_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from seqlab.arrays import LabelIds
    from seqlab.corpus import Corpus
    from seqlab.encode import Encoder
    from seqlab.families.linear.model import LinearModel
    from seqlab.families.linear.prune import PruneReport
    from seqlab.learning.history import History
    from seqlab.tagging.door.dictionary import TagDictionary

APART = ("features", "allowed")  # options that have a form of their own
FOLDED = ("model_", "encoder_", "vocabulary_")  # made when first asked for, after a large file was loaded


_UNFOLDING = threading.RLock()


class StoredLinear:
    """Mixed into a Tagger that has `model_`, `encoder_`, `dictionary_` and `history_`.

    pruned_   what prune() did; None for a tagger that is as training left it
    """

    _kind: ClassVar[str]  # of its model file
    pruned_: PruneReport | None = None
    _folded: State | None = None  # what from_state left for later
    _memory: State | None = None  # and of this the words of training
    _made: Any = None  # the features, which a glance needs as well
    _glance: glance.Glance | None = None
    _glanced_at = 0  # tokens

    model_: LinearModel
    encoder_: Encoder
    history_: History
    sentences_: int
    dictionary_: TagDictionary | None
    vocabulary_: frozenset[str] | None

    if TYPE_CHECKING:  # a Tagger has them
        labels_: tuple[str, ...]
        features: Any
        allowed: Any
        constraints: Any

        def __init__(self, features: Any = None, learner: Any = None, **options: Any) -> None: ...
        def _check_fitted(self, question: str) -> None: ...
        def _check_options(self) -> None: ...
        @classmethod
        def _option_names(cls) -> list[str]: ...

    def prune(
        self,
        *,
        threshold: float | None = None,
        keep: float | None = None,
        storage: str = "float64",
        dev: Any = None,
        metric: Any = None,
    ) -> Self:
        """A smaller tagger: without small weights, and with a file of fewer bytes. This one stays as it is.

        threshold   weights of attributes with |w| at most this are dropped; 0, when nothing is said, loses nothing
        keep        instead: how many weights stay, the largest ones; an int, or a float for a share up to 1.0
        storage     "float64", "float32", "float16" or "int8": how save() writes weights. They are rounded at once, so
                    that the tagger answers before it is saved as it will after
        dev         a Corpus, or (X, y), on which both are scored
        metric      as for fit

        `print(tagger.pruned_)` says what it saved, and the loss of accuracy. Attributes without a weight are
        forgotten; weights of moves between labels all stay.
        """
        from seqlab.families.linear.prune import prune

        self._check_fitted("prune")
        return prune(self, threshold=threshold, keep=keep, storage=storage, dev=dev, metric=metric)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy; what decodes fast is made again when it is needed."""
        self._unfold()
        self._unfold_words()
        return {name: value for name, value in self.__dict__.items() if name != "_decoder"}

    # ------------------------------------------------------------------------------------------ there

    def state(self) -> State:
        """Everything that must come back, for a model file."""
        self._check_fitted("state")
        if "_kind" not in type(self).__dict__:
            raise StoreError(
                f"{type(self).__name__} is a class of your own, and seqlab.load would make a "
                f"{type(self).__mro__[1].__name__} of it; give it state() and from_state()"
            )
        own: Any = self
        settings = {
            "options": plain_options(own, self.model_.rules, APART),
            "features": features_data(self.features, self.encoder_.features),
        }
        record: dict[str, Any] = {"history": self.history_.to_dict()}
        if "sentences_" in self.__dict__:
            record["sentences"] = self.sentences_
        if self.pruned_ is not None:
            record["pruned"] = self.pruned_.to_dict()
        parts = {
            "encoder": self.encoder_.state(),
            "model": linear_state(self.model_, dtype=self._storage),
            "training": memory_state(own, self.model_.rules, self.dictionary_),
        }
        if settings["features"] == {"given": "another"}:
            from seqlab.encode.given import as_features

            parts["features"] = features_state(as_features(self.features))
        allowed = allowed_arrays(self.allowed, self.dictionary_, self.labels_)
        return State(self._kind, settings, allowed, record).with_parts(parts)

    @property
    def _storage(self) -> str:
        return "float64" if self.pruned_ is None else self.pruned_.storage

    # ------------------------------------------------------------------------------------------ back

    @classmethod
    def from_state(cls, state: State) -> Self:
        """The tagger that state() was asked of."""
        if state.kind != cls._kind:
            raise StoreError(f"a model of kind {cls._kind!r} is wanted, found one of kind {state.kind!r:.80}")
        features = features_of(state.part("encoder", ENCODER))
        tagger = cls(
            features_given(state, features),
            allowed=allowed_given(state),
            **options_given(state, cls._option_names(), APART),
        )
        tagger._check_options()
        own: Any = tagger
        rules, tagger.dictionary_ = recall_all_but_words(own, state.part("training", MEMORY))
        stored = state.part("model", MODEL)
        if stored.names("labels") != tagger.labels_:
            raise StoreError("the model and the tagger should have the same labels")
        for name in rules.__slots__:
            if not np.array_equal(getattr(rules, name), stored.arrays.get(f"rules.{name}", ())):
                raise StoreError("the model and the tagger should have the same rules")
        record = State("record", state.record)
        tagger.history_ = history_of(record.setting("history", dict))
        if "sentences" in state.record:  # files of earlier versions do not say
            tagger.sentences_ = record.number("sentences", 0, 2**53)
        if "pruned" in state.record:
            from seqlab.families.linear.prune import PruneReport

            tagger.pruned_ = PruneReport.from_dict(record.setting("pruned", dict))
            if tagger._storage != stored.setting("dtype", str):
                raise StoreError(f"the weights should be stored as {tagger._storage}")
        tagger._folded, tagger._made = state, features
        tagger._memory = state.part("training", MEMORY).replaced(where=state.where)
        if state.nbytes <= SMALL:
            tagger._unfold()
            tagger._unfold_words()
        return tagger

    def _unfold(self) -> None:
        """Make what a file has left folded, checked in every number; before that, its pages are not even read."""
        if self._folded is None:
            return
        from seqlab import store
        from seqlab.encode import Encoder

        with _UNFOLDING:
            state = self._folded
            if state is None:  # another thread did it meanwhile
                return
            with store.misfits_told(state.where):
                encoder = Encoder.from_state(state.part("encoder", ENCODER))
                sizes = {"attributes": encoder.size, "edge_attributes": encoder.edge_size}
                model = linear_model(state.part("model", MODEL), **sizes)
            self.model_, self.encoder_ = model, encoder
            self._folded = self._glance = self._made = None

    def _glanced(self, corpus: Corpus) -> LabelIds | None:
        """The labels of a few tokens, as long as nothing is unfolded; None when the usual way should say them."""
        state, tokens = self._folded, corpus.token_count
        if state is None or tokens > glance.TOKENS or self._glanced_at + tokens > glance.ALL_TOKENS:
            return None
        self._glanced_at += tokens
        self._glance, labels = glance.glanced(state, self._made, self._glance, corpus)
        return None if labels is None else np.array(labels, dtype=np.int32)

    def _unfold_words(self) -> None:
        """The same for the words of training, which tagging does not ask for."""
        from seqlab import store

        with _UNFOLDING:
            memory = self._memory
            if memory is not None:
                with store.misfits_told(memory.where):
                    self.vocabulary_ = words_of(memory)
                self._memory = None

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            if name in FOLDED:
                self._unfold_words() if name == "vocabulary_" else self._unfold()
                if name in self.__dict__:  # perhaps thanks to another thread
                    return self.__dict__[name]
            return super().__getattr__(name)
