"""Encoders: learn attributes from training data, then turn any corpus into arrays of numbers.

Users may give a corpus, sentences of one, or lists; and as features a template, a preset's name, a function or none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, is_iterable, thread_count, whole_number
from seqlab.corpus import BagColumn, Corpus, Sentence, VectorColumn
from seqlab.corpus.columns import offsets_of
from seqlab.corpus.lists import only_lists
from seqlab.encode.bag_rows import BagRows, BagsOfColumn, BagsOfFunction, VectorRows
from seqlab.encode.encoded import AttributeIds, EncodedCorpus, Producer, learned, merged
from seqlab.encode.pair_rows import BagsOfLabelPairs
from seqlab.encode.several_rows import bags_of
from seqlab.encode.stored import Known, KnownBags, KnownEncoder, KnownTemplate, KnownVectors, Made
from seqlab.encode.template_rows import Plan, TemplateRows
from seqlab.errors import CorpusError, OptionError, ShapeError, StoreError
from seqlab.features import Template
from seqlab.features.own import FeatureFunction, FeatureSum, LabelPairFunction, PairFunction
from seqlab.store.codec import state_of, value_of
from seqlab.store.state import State

One = Template | str | Callable[..., Any]
Features = One | FeatureSum | Sequence[One | FeatureSum] | None
Labels = str | Sequence[Sequence[str]] | None  # the name of a column, or a list for every sentence

ATTRIBUTES = "attributes"  # the column of ready-made attributes


def as_corpus(given: Any, *, words: bool, known: _core.StringPool | None = None) -> Corpus:
    """Read a corpus, sentences of one, lists of words (or tuples of columns) or of ready-made attributes.

    known   the only ready-made attributes that are used; others may be left out
    """
    if isinstance(given, Corpus):
        return given
    if isinstance(given, (str, bytes, Mapping, Sentence)) or not isinstance(given, Iterable):
        raise CorpusError(f"a Corpus or a list of sentences is wanted, got {given!r:.80}")
    sentences = listed(given)
    plain = only_lists(sentences)
    if words and plain:
        return Corpus.from_lists(sentences)
    if plain and known is not None:
        from seqlab.corpus.lists import known_bags

        found = known_bags(sentences, known)
        if found is not None:
            return Corpus({ATTRIBUTES: found[0]}, offsets_of(found[1]))
    if words or (not plain and any(isinstance(sentence, Sentence) for sentence in sentences)):
        read = [{name: s[name] for name in s.columns} if isinstance(s, Sentence) else s for s in sentences]
        return Corpus.from_lists(read)
    return Corpus.from_lists({ATTRIBUTES: sentences})


def listed(sentences: Iterable[Any]) -> list[Any]:
    """Convert arrays, generators, pandas Series and the ItemSequence of python-crfsuite to lists."""
    if isinstance(sentences, list) and only_lists(sentences):
        return sentences
    if not is_iterable(sentences):
        raise CorpusError(f"a list of sentences is wanted, got {sentences!r:.80}")
    return [s if isinstance(s, (list, tuple)) else _listed(s) for s in sentences]


def _listed(sentence: Any) -> Any:
    if type(sentence).__name__ == "ItemSequence":
        return sentence.items()
    if isinstance(sentence, np.ndarray):
        return sentence.tolist() if sentence.ndim <= 1 else sentence
    series = hasattr(sentence, "to_list") and hasattr(sentence, "iloc")  # of pandas, without an import
    return list(sentence) if series or isinstance(sentence, Iterator) else sentence


def as_features(given: Features) -> Made:
    """Read features: a template, the name of a preset, template text, a function, a sum or list of these."""
    if given is None or isinstance(given, Template):
        return given
    if isinstance(given, (list, tuple)) and given:
        for one in given:
            if one is None or not (callable(one) or isinstance(one, (str, Template, FeatureSum))):
                raise OptionError(
                    f"a list of features has presets' names, Templates and functions (sentence, t), got {one!r:.60}"
                )
        return simplest(FeatureSum(tuple(given)))
    if isinstance(given, str):
        from seqlab.features import presets  # importing it parses all presets

        known: Template | None = presets.NAMED.get(given)
        return presets.preset_or_template(given) if known is None else known
    if isinstance(given, FeatureSum) or callable(given):
        return simplest(FeatureSum((given,)))
    raise OptionError(
        f"features must be a preset's name, a Template, a function (sentence, t), a list of these or None, got "
        f"{given!r:.80}"
    )


def simplest(given: FeatureSum) -> Made:
    """Return the part of a sum that has only one, if it is a template or a plain function; otherwise the sum."""
    only = given.parts[0] if len(given.parts) == 1 else None
    return only if isinstance(only, Template) or type(only) is FeatureFunction else given


class Encoder:
    """Turns tokens into attribute numbers and labels into label numbers.

    features    a Template, the name of a preset, a function (sentence, t) -> strings or (string, number) pairs, a sum
                or list of these, or None when the data are attributes already; bags and vectors of a corpus are used in
                any case
    min_count   attributes seen less often in training are dropped

    fit() numbers attributes by falling frequency, and labels by name; encode() leaves out attributes it has not seen.
    """

    def __init__(self, features: Features = None, *, min_count: int = 1) -> None:
        self.features = as_features(features)
        self.min_count = whole_number(min_count, "min_count", 1)
        self.labels: tuple[str, ...] = ()
        self.size = 0  # number of node attributes
        self.edge_size = 0  # number of edge attributes
        self._node: list[Producer] = []
        self._edge: list[Producer] = []
        self._names: dict[str, list[str]] = {}  # of attributes, made on first use
        self.zeros = False  # True if attributes given with value 0 count as seen in training

    def fit(
        self, corpus: Any, labels: Labels = None, *, threads: int | None = None, classes: Sequence[str] = ()
    ) -> EncodedCorpus:
        """Learn attributes and labels, and return the encoded corpus.

        corpus   a Corpus, sentences of one, or lists of lists: of words for a template, of dicts or lists of strings
                 without one
        labels   the name of a column, or a list of labels for every sentence
        threads  how many to use, None for every core
        classes  further labels, which label_pairs(...) functions are called for as well; if all, in their order
        """
        return self._learn(corpus, labels, threads, classes, extend=False)

    def extend(
        self, corpus: Any, labels: Labels = None, *, threads: int | None = None, classes: Sequence[str] = ()
    ) -> EncodedCorpus:
        """Learn further attributes and labels from another corpus, and encode it.

        corpus, labels, threads, classes   as for fit

        Attributes keep their numbers; new ones, seen at least min_count times in this corpus, get the numbers after
        them, by falling frequency. Labels are the old and the new ones in the order of their names, so that label
        numbers may change. An encoder without attributes learns as by fit(). An error changes nothing.
        """
        return self._learn(corpus, labels, threads, classes, extend=True)

    def encode(self, corpus: Any, labels: Labels = None, *, threads: int | None = None) -> EncodedCorpus:
        """Encode another corpus, with labels or without, with what fit() has learned; threads: None for every core."""
        if not self._node and not self._edge:
            raise OptionError("this encoder has learned nothing yet; call fit(corpus) first")
        workers = thread_count(threads)
        read, codes, names = self._read(corpus, labels)
        node = merged([producer.look_up(read, workers) for producer in self._node], read.token_count)
        edge = merged([producer.look_up(read, workers) for producer in self._edge]) if self._edge else None
        return EncodedCorpus(read.offsets, node, edge, self._label_ids(codes, names), self)

    @property
    def producers(self) -> tuple[Producer, ...]:
        """Producers of node attributes, in the order of encode(); empty before fit()."""
        return tuple(self._node)

    @property
    def known(self) -> _core.StringPool | None:
        """Attributes that it looks up in lists of ready-made ones; None if it needs all of them."""
        only = self._node[0] if len(self._node) == 1 and not self._edge else None
        return only.pool if isinstance(only, BagRows) and only.column == ATTRIBUTES else None

    @property
    def sees_labels(self) -> bool:
        """True if features depend on labels, so that fit() must know all labels."""
        parts = self.features.functions if isinstance(self.features, FeatureSum) else ()
        return any(isinstance(part, LabelPairFunction) for part in parts)

    def take(self, node: Sequence[Producer], edge: Sequence[Producer], size: int, edge_size: int) -> None:
        """Replace the learned attributes by those of producers node and edge, of size and edge_size attributes."""
        self._node, self._edge, self.size, self.edge_size = list(node), list(edge), size, edge_size
        self._names = {}

    def restricted(
        self, kept: npt.NDArray[np.bool_], edge_kept: npt.NDArray[np.bool_] | None = None
    ) -> Encoder:
        """Make another encoder that knows some of the attributes only; those that stay keep their order.

        kept        (size,)        True for an attribute that stays
        edge_kept   (edge_size,)   the same for attributes of label pairs; None keeps them all

        An attribute that is left out is new when extend() sees it again.
        """
        numbers, size = _renumbered(kept, self.size, "kept")
        edge_kept = np.ones(self.edge_size, dtype=bool) if edge_kept is None else edge_kept
        edge_numbers, edge_size = _renumbered(edge_kept, self.edge_size, "edge_kept")
        other = Encoder(self.features, min_count=self.min_count)
        other.labels = self.labels
        node = [producer.restricted(numbers) for producer in self._node]
        edge = [producer.restricted(edge_numbers) for producer in self._edge]
        other.take(node, edge, size, edge_size)
        return other

    # ------------------------------------------------------------------------------------------ names

    @property
    def attributes(self) -> list[str]:
        """Names of the node attributes, by number."""
        return self._named("node", self._node, self.size)

    @property
    def edge_attributes(self) -> list[str]:
        """Names of the edge attributes, by number."""
        return self._named("edge", self._edge, self.edge_size)

    def _named(self, what: str, producers: Sequence[Producer], size: int) -> list[str]:
        """Return the names, made on first use."""
        if what not in self._names:
            self._names[what] = [""] * size
            for producer in producers:
                producer.name(self._names[what])
        return self._names[what]

    # ------------------------------------------------------------------------------------------ as plain data

    def state(self) -> State:
        """Return options and learned data, for a model file."""
        node, edge = (tuple(one.known() for one in some) for some in (self._node, self._edge))
        return state_of(
            KnownEncoder(
                self.features, self.min_count, tuple(self.labels), self.size, self.edge_size, node, edge
            )
        )

    @classmethod
    def from_state(cls, state: State) -> Encoder:
        """Make an encoder from the result of state()."""
        known = value_of(KnownEncoder, state)
        encoder = cls(known.features, min_count=known.min_count)
        encoder.labels = known.labels
        made, made_edge = sources_of(known.features, known.min_count, known.labels)
        # Computed attributes come first, then those of columns.
        made += [None] * (len(known.node) - len(made))
        fitted = bool(known.node or known.edge)
        if fitted and (len(known.node), len(known.edge)) != (len(made), len(made_edge)):
            raise StoreError("the attributes do not fit the features of the encoder")
        node = [_producer(one, by, known.min_count) for one, by in zip(known.node, made, strict=False)]
        edge = [_producer(one, by, known.min_count) for one, by in zip(known.edge, made_edge, strict=False)]
        encoder.take(node, edge, known.size, known.edge_size)
        return encoder

    def __repr__(self) -> str:
        return f"Encoder({self.size} attributes, {self.edge_size} of label pairs, {len(self.labels)} labels)"

    # ------------------------------------------------------------------------------------------ inside

    def _read(
        self, corpus: Any, labels: Labels
    ) -> tuple[Corpus, npt.NDArray[np.int32] | None, list[str] | None]:
        """Read the corpus, and the codes and names of its labels."""
        read = as_corpus(corpus, words=self.features is not None)
        if labels is None:
            return read, None, None
        if isinstance(labels, str):
            column = read.strings(labels, missing=True)
        else:
            column = read.with_column("labels", listed(labels)).strings("labels", missing=True)
        used = column.compact()
        return read, used.codes, used.values

    def _learn(
        self, corpus: Any, labels: Labels, threads: int | None, classes: Sequence[str], *, extend: bool
    ) -> EncodedCorpus:
        """Learn attributes and labels, in addition to known ones or from scratch; nothing changes if it fails."""
        workers = thread_count(threads)
        read, codes, names = self._read(corpus, labels)
        size, edge_size = (self.size, self.edge_size) if extend else (0, 0)
        every = {*(self.labels if extend else ()), *(names or ()), *classes}
        known = tuple(classes) if every == {*classes} else tuple(sorted(every))
        producers, edge_producers = self.learners(read, known, extend=bool(size or edge_size))
        for producer in producers:
            if isinstance(producer, BagRows):
                producer.zeros = self.zeros
        node, size = learned(producers, read, workers, size)
        edge = None
        if edge_producers:
            edge, edge_size = learned(edge_producers, read, workers, edge_size)
        self.take(producers, edge_producers, size, edge_size)
        self.labels = known
        return EncodedCorpus(read.offsets, node, edge, self._label_ids(codes, names), self)

    def _label_ids(self, codes: npt.NDArray[np.int32] | None, names: list[str] | None) -> LabelIds | None:
        if codes is None or names is None:
            return None
        number = {name: i for i, name in enumerate(self.labels)}
        known = np.array([*(number.get(name, -1) for name in names), -1], dtype=np.int32)
        return known[codes]  # the last entry is for a missing label, -1

    def learners(
        self, corpus: Corpus, labels: tuple[str, ...] = (), *, extend: bool
    ) -> tuple[list[Producer], list[Producer]]:
        """Make the producers of node and edge attributes that are to learn from a corpus.

        corpus   its beginning, which shows the columns
        labels   all labels, for functions that are called for pairs of them
        extend   True to keep what was learned before
        """
        if not extend:
            return self._producers(corpus, labels)
        producers = [producer.extended() for producer in self._node]
        producers += self._of_columns(corpus, besides={producer.column for producer in producers})
        edge_producers = [producer.extended() for producer in self._edge]
        for i, source in enumerate(sources_of(self.features, self.min_count, labels)[1]):
            one = edge_producers[i]
            if isinstance(source, BagsOfLabelPairs) and isinstance(one, BagRows):
                edge_producers[i] = one.with_bags(source)  # the labels may be more now
        return producers, edge_producers

    def _producers(self, corpus: Corpus, labels: tuple[str, ...]) -> tuple[list[Producer], list[Producer]]:
        """Make untrained producers of node and edge attributes."""
        sources = sources_of(self.features, self.min_count, labels)
        made, edge = ([_untrained(source, self.min_count) for source in some] for some in sources)
        made += self._of_columns(corpus)
        if not made and not edge:
            raise CorpusError(
                f"there are no attributes to encode: the columns {', '.join(map(repr, corpus.columns))} "
                f"hold plain strings; say what to make of them with features='pos' or a Template, or give dicts "
                f"or lists of strings"
            )
        return made, edge

    def _of_columns(self, corpus: Corpus, besides: Collection[str | None] = ()) -> list[Producer]:
        """Make producers for the columns that hold bags or vectors."""
        made: list[Producer] = []
        for name in corpus.columns:
            if name in besides:
                continue
            if isinstance(corpus.data(name), BagColumn):
                made.append(BagRows(BagsOfColumn(name), self.min_count))
            elif isinstance(corpus.data(name), VectorColumn):
                made.append(VectorRows(name))
        return made


def encode(
    corpus: Any,
    features: Features = None,
    labels: Labels = None,
    *,
    min_count: int = 1,
    threads: int | None = None,
) -> EncodedCorpus:
    """Encode a corpus as training data: Encoder(features, min_count=min_count).fit(corpus, labels, threads=threads)."""
    return Encoder(features, min_count=min_count).fit(corpus, labels, threads=threads)


def _renumbered(kept: npt.NDArray[np.bool_], size: int, name: str) -> tuple[AttributeIds, int]:
    """Return (size,) new numbers, -1 for dropped ones, and the number of those kept."""
    if not isinstance(kept, np.ndarray) or kept.dtype != bool or kept.shape != (size,):
        what = (
            f"shape {kept.shape} and dtype {kept.dtype}" if isinstance(kept, np.ndarray) else f"{kept!r:.60}"
        )
        raise ShapeError(
            f"{name} must be a boolean array of shape ({size},), one flag per attribute, got {what}"
        )
    numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return numbers, int(kept.sum())


Bags = Callable[[Corpus], BagColumn]
Source = Plan | Bags  # computes attributes: template features in the core, or a function that makes bags


def sources_of(
    features: Made, min_count: int, labels: tuple[str, ...]
) -> tuple[list[Source | None], list[Source | None]]:
    """List the sources of node attributes and of edge attributes, in the order of their producers."""
    parts = features.parts if isinstance(features, FeatureSum) else () if features is None else (features,)
    node: list[Source | None] = []
    edge: list[Source | None] = []
    for part in parts:
        if isinstance(part, Template):
            plan = Plan(part, min_count, on_moves=True)
            node.append(Plan(part, min_count, on_moves=False))
            edge += [plan] if plan.features() else []
            if part.several:
                node += bags_of(part, on_moves=False)
                edge += bags_of(part, on_moves=True)
        elif isinstance(part, LabelPairFunction):
            edge.append(BagsOfLabelPairs(part, labels))
        elif isinstance(part, PairFunction):
            edge.append(BagsOfFunction(part, on_moves=True))
        else:
            node.append(BagsOfFunction(part))
    return node, edge


def _untrained(source: Any, min_count: int) -> Producer:
    if isinstance(source, Plan):
        return TemplateRows(source)
    return BagRows(source, max(min_count, getattr(source, "min_count", 1)))


def _producer(known: Known, source: Any, min_count: int) -> Producer:
    """Make a producer from stored data, which must fit its source; the source of a column is None."""
    if isinstance(source, Plan):
        if isinstance(known, KnownTemplate) and known.on_moves == source.on_moves:
            return TemplateRows.of(known, source.template, min_count)
    elif isinstance(known, KnownBags) and (source is None) == (known.column is not None):
        bags = BagsOfColumn(known.column) if known.column is not None else source
        least = max(min_count, getattr(source, "min_count", 1))
        return BagRows(bags, least, known.attributes, known.ids)
    elif isinstance(known, KnownVectors) and source is None:
        return VectorRows(known.column, known.ids)
    raise StoreError(f"the part of kind {known.stored_kind!r} does not fit the features of the encoder")
