"""A fitted hidden Markov model as one frozen value, its options, and the conversion of files of version 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from seqlab import _core, families
from seqlab.arrays import switch, whole_number
from seqlab.corpus import Corpus
from seqlab.corpus.columns import BagColumn, StringColumn, VectorColumn
from seqlab.errors import OptionError, StoreError
from seqlab.families.hmm import emissions as kind
from seqlab.families.hmm.counted import CountedHMM
from seqlab.families.hmm.counting import Counting, SuffixModel
from seqlab.families.hmm.em import BaumWelch, HardEM
from seqlab.families.hmm.emissions import Categorical, Emission
from seqlab.families.hmm.emissions.symbols import Symbols
from seqlab.families.hmm.running import Running
from seqlab.families.hmm.tables import Dirichlet, HiddenMarkov
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.learning.history import History
from seqlab.learning.smoothing import NAMES
from seqlab.shown import Brief
from seqlab.store.codec import Late, Part
from seqlab.store.fields import Listed, Record
from seqlab.store.state import State
from seqlab.store.values import OptionKind, kinds_of
from seqlab.tagging.door.constraints import TagDictionary
from seqlab.tagging.model import COMMON
from seqlab.tagging.training import Training

HiddenModel = HiddenMarkov | CountedHMM


@dataclass(frozen=True, eq=False, repr=False)
class HmmFit(Brief):
    """A fitted hidden Markov model.

    training          labels, columns, words, rules and dictionary
    model             tables, or counts of labelled words
    history           of the training
    observed_column   the column of the observations; None for streams and for given tables
    unknown           treatment of unseen symbols: "error", "missing" or "suffix"
    restarts          histories of all runs
    running           the state of partial_fit; None before its first call
    """

    training: Annotated[Training, Part(Training)]
    model: Annotated[HiddenModel, Part(HiddenMarkov, CountedHMM)]
    history: Annotated[History, Record(History)]
    observed_column: Annotated[str | None, Listed()]
    unknown: str
    restarts: Annotated[tuple[History, ...], Record(tuple[History, ...])] = ()
    running: Annotated[Running | None, Part(Running, optional=True)] = None

    @staticmethod
    def of(
        model: HiddenModel,
        dictionary: TagDictionary | None,
        history: History,
        unknown: str,
        data: TrainingSet | None = None,
        **more: Any,
    ) -> HmmFit:
        """Make a fitted value from the results of training, or from tables of a user (without data)."""
        column = None if data is None or data.gold is None else data.gold.column
        columns = () if data is None else tuple(name for name in data.corpus.columns if name != column)
        words = Late(make=lambda: model.vocabulary)
        whole = data is not None and data.gold is not None and data.gold.whole
        training = Training(model.labels, columns, column, words, model.rules, dictionary, whole)
        return HmmFit(training, model, history, None if data is None else data.column, unknown, **more)

    def check(self) -> None:
        """Check that parts of a file fit together."""
        if self.model.labels != self.training.labels:
            raise StoreError("the labels of the model are not those of the tagger")
        tables = isinstance(self.model, HiddenMarkov)
        if self.running is not None and not (tables and self.running.fits(self.model)):  # type: ignore[arg-type]
            raise StoreError("the running counts are not those of the model")

    def with_model(self, model: HiddenModel) -> HmmFit:
        """Return a copy with this model, which may have other labels, words and rules."""
        words = Late(make=lambda: model.vocabulary)
        training = replace(self.training, labels=model.labels, rules=model.rules, vocabulary=words)
        return replace(self, training=training, model=model, running=None)


_OPTIONS = {"gaussian": "Gaussian", "gaussian mixture": "GaussianMixture", "poisson": "Poisson"}


def upgraded(state: State) -> State:
    """Convert version 1: options in one place, labels and rules in the model, options in emissions, counts renamed."""
    if "objects" not in state.settings:
        return state
    objects = {name: _given(data) for name, data in state.setting("objects", dict).items()}
    options = {**state.setting("options", dict), **objects, "init": state.settings.get("init") or None}
    training = state.part("training", "training")
    options["allowed"] = _allowed(training)
    model = state.any_part("model")
    rules = {name: one for name, one in training.arrays.items() if name.startswith("rules.")}
    settings = {"labels": list(training.names("labels")), **model.settings}
    model = model.replaced(settings=settings, arrays={**model.arrays, **rules})
    if model.kind == CountedHMM.stored_kind:
        model = _counts(model)
    else:
        emissions = _with_options(model.any_part("emissions"), objects.get("emissions"))
        model = model.with_parts({"emissions": emissions})
    settings = {name: one for name, one in state.settings.items() if name != "objects"}
    return state.replaced(settings={**settings, "options": options}).with_parts({"model": model})


def _given(data: Any) -> Any:
    """Convert an option object to the current form: streams were a separate kind."""
    if not (isinstance(data, dict) and isinstance(data.get("streams"), list)):
        return data
    return {"object": {"name": "Streams", "fields": {"parts": {"dict": data["streams"]}}}}


def _allowed(training: State) -> Any:
    """Convert the dictionary to the option that it was given as; words had lists of labels."""
    if not training.names("dictionary"):
        return None
    labels = training.names("labels")
    words = training.strings("dictionary.words")
    rows = training.array("dictionary.rows", np.bool_, (len(words), len(labels)))
    allowed = ([labels[i] for i in np.flatnonzero(row).tolist()] for row in rows)
    return {"dict": [[word, {"list": some}] for word, some in zip(words, allowed, strict=True)]}


def _counts(model: State) -> State:
    """Convert the names of the words of a counted model, its smoothing and its suffix model."""
    renamed = {name.replace("words.", "word.pool.", 1): one for name, one in model.arrays.items()}
    old = State("", model.setting("smoothing", dict))
    kind = NAMES.get(old.setting("name", str))
    fields = {name: one for name, one in old.settings.items() if name != "name"}
    if "discounts" in fields:
        fields["discounts"] = {"tuple": fields["discounts"]} if fields["discounts"] else None
    smoothing = {"object": {"name": type(kind).__name__, "fields": fields}}
    suffix = model.setting("unknown", dict).get("suffix")
    unknown = None if suffix is None else {"object": {"name": "SuffixModel", "fields": suffix}}
    told = {"smoothing": smoothing, "unknown": unknown, "word.L": len(model.names("labels"))}
    return model.replaced(arrays=renamed, settings={**model.settings, **told})


def _with_options(emissions: State, given: Any) -> State:
    """Copy the options of the tagger to the emissions; old files stored only the kind of covariance."""
    inside = State("", given if isinstance(given, dict) else {}).settings.get("object", {})
    fields: dict[str, Any] = dict(inside.get("fields", {}))
    if emissions.kind == "streams":
        pairs = dict(State("", fields.get("parts", {})).settings.get("dict", []))
        parts = {
            f"stream{i}": _with_options(emissions.any_part(f"stream{i}"), pairs.get(name))
            for i, name in enumerate(emissions.names("names"))
        }
        return emissions.with_parts(parts)
    name = _OPTIONS.get(emissions.kind)
    if name is None:
        return emissions
    own = fields if inside.get("name") == name else {}
    if name != "Poisson":
        own["covariance"] = emissions.setting("covariance", str)
    if name == "GaussianMixture" and "means" in emissions.arrays:
        own["components"] = emissions.arrays["means"].shape[1]
    options = {"object": {"name": name, "fields": own}}
    return emissions.replaced(settings={**emissions.settings, "options": options})


UNKNOWN = ("error", "missing", "suffix", "none")


def _corpus_fields(corpus: Corpus) -> dict[str, Any]:
    """Convert a corpus to plain arrays and strings, for storage; the path of its file is dropped."""
    columns: list[Any] = []
    for name in corpus.columns:
        data = corpus.data(name)
        if isinstance(data, VectorColumn):
            columns.append((name, data.vectors))
        elif isinstance(data, StringColumn):
            columns.append((name, data.codes, data.values))
        else:
            columns.append((name, data.codes, data.values, data.indptr, data.weights))
    return {"offsets": corpus.offsets, "columns": columns}


def _corpus(offsets: Any, columns: Any) -> Corpus:
    """Make a corpus from the result of _corpus_fields."""
    made: dict[str, Any] = {}
    for name, data, *more in columns:
        if not more:
            made[name] = VectorColumn(data)
            continue
        pool = _core.StringPool()
        for text in more[0]:
            pool.intern(text)
        made[name] = StringColumn(data, pool) if len(more) == 1 else BagColumn(more[1], data, more[2], pool)
    return Corpus(made, offsets)


def _streams(parts: Any) -> kind.Streams:
    return kind.Streams(parts)  # as a keyword, "parts" would be the name of a stream


OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    **kinds_of(kind.Categorical, kind.FeatureBag, kind.Gaussian, kind.GaussianMixture),
    **kinds_of(kind.Poisson, Dirichlet, SuffixModel, BaumWelch, HardEM, Counting, Symbols),
    **kinds_of(*kind.DISTRIBUTIONS, *map(type, NAMES.values())),
    "Streams": OptionKind(kind.Streams, lambda streams: {"parts": streams.parts}, _streams),
    "Corpus": OptionKind(Corpus, _corpus_fields, _corpus),
}


def _emissions_of(hmm: families.HMM) -> Any:
    """Return the option emissions; if it is None, those of a model given as init, or Categorical()."""
    fitted = getattr(hmm.init, "fit_", None)
    if not isinstance(fitted, HmmFit):
        return Categorical() if hmm.emissions is None else hmm.emissions
    own = _emissions_of(hmm.init)
    if hmm.emissions is not None and _shape(hmm.emissions) != _shape(own):
        raise OptionError(
            f"emissions are {_shape(hmm.emissions)}, but init is a model whose emissions are {_shape(own)}; leave out "
            f"emissions, or init"
        )
    return own if hmm.emissions is None else hmm.emissions


def _shape(emissions: Any) -> str:
    """Describe emissions by the options that models must share to be compatible."""
    if isinstance(emissions, type) or not isinstance(emissions, Emission):
        return f"{emissions!r:.60}"
    inside = {name: getattr(emissions, name, None) for name in ("covariance", "components")}
    told = ", ".join(f"{name}={value!r}" for name, value in inside.items() if value is not None)
    return f"{type(emissions).__name__}({told})"


def check_options(hmm: families.HMM) -> Emission:
    """Check options that do not depend on the data; return the emissions, or the default for None."""
    emissions = _emissions_of(hmm)
    if isinstance(emissions, type) or not isinstance(emissions, Emission):
        raise OptionError(f"emissions must be Categorical(), Gaussian(), ..., got {emissions!r:.60}")
    if hmm.n_states is not None:
        whole_number(hmm.n_states, "n_states", 1)
    named = isinstance(hmm.unknown, str) and hmm.unknown in UNKNOWN
    if hmm.unknown is not None and not isinstance(hmm.unknown, SuffixModel) and not named:
        raise OptionError(
            f"unknown must be 'error', 'missing', 'suffix', 'none', a SuffixModel or None, got {hmm.unknown!r:.60}"
        )
    if hmm.order not in (None, 1, 2, 3) or isinstance(hmm.order, bool):
        raise OptionError(f"order must be 1, 2 or 3, got {hmm.order!r}")
    if hmm.learner is not None and not isinstance(hmm.learner, (BaumWelch, HardEM, Counting)):
        raise OptionError(
            f"learner must be BaumWelch(...), HardEM(...) or Counting(...), got {hmm.learner!r:.60}"
        )
    switch(hmm.end, "end")
    whole_number(hmm.seed, "seed", 0)
    return emissions
