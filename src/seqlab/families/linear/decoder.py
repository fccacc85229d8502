"""The fast decoder: from a corpus to the label numbers of the best path of every sentence (eq:viterbi).

A first-order model without edge attributes is decoded in the core, block by block, on tables that are used in place:
directly from the columns when a template makes all its features, otherwise from rows of attribute numbers. All other
models are decoded through trellises, which are the definition.

The tables are built from a model and its encoder, or mapped from a file. A template's decoder reads
(numbers are those of encode.template_rows.Plan and of the core's cpp/linear/tagging)

    values.P.bytes .begins .slots   strings of pool P, and the table from strings to numbers
    places.G                        of a group of features on one atom: location of the weights of each value
    owners.P, buckets, chains       the same for features on several atoms
    rows                            weights of attributes that have many, one row of L float32 numbers for each
    words.C.bytes .begins .slots    words of column C with precomputed sums,
    words.C.values .rows            and those sums
    label, weights                  of the model itself

and one of ready-made attributes attributes.bytes, .begins, .slots, ids, places, rows, label and weights. A file has
strings, ids, label and weights once, in the parts of the encoder and of the model.

Lists of ready-made attributes take a shorter way (`Decoder.attribute_tagger`): the core reads, scores and decodes them
in one call, with the weights of the same tables, so that the labels are those of a corpus to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from seqlab import _core, inference
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode import EncodedCorpus, Encoder, Rows, TemplateRows
from seqlab.encode.bag_rows import BagRows
from seqlab.encode.encoded import LARGEST_VALUE
from seqlab.encode.encoder import ATTRIBUTES
from seqlab.encode.stored import KnownBags, KnownTemplate, features_of
from seqlab.encode.template_rows import Plan, read_columns
from seqlab.errors import ImpossibleError, StoreError
from seqlab.families.linear.model import LinearModel
from seqlab.features import Template
from seqlab.store.codec import Late, put_part
from seqlab.store.fields import Field, Sizes, unpacked
from seqlab.store.reading import misfits_told
from seqlab.store.state import Array, State
from seqlab.tagging.door.constraints import Mask, Rules

Scores = npt.NDArray[np.float32]

KIND = "decoder tables"
# Sums of some thousand weights of this size, times the largest value of an attribute, fit float32; larger weights are
# left to trellises of float64.
LARGEST_WEIGHT = 1e12
LARGEST_SCORE = LARGEST_WEIGHT * LARGEST_VALUE
STRINGS = {"bytes": np.uint8, "begins": np.int64, "slots": np.uint64}
# Arrays that a file holds in the parts of the encoder and of the model; the others belong to the decoder.
SHARED = (".bytes", ".begins")


@dataclass(frozen=True, slots=True, eq=False)
class DecoderTables:
    """The arrays of the fast decoder; frozen.

    plan               the features of a template, or None
    column             the column of ready-made attributes, or None; without both, an encoder makes attributes
    arrays             by name
    edge, start, end   (L, L), (L,), (L,)   scores of transitions, first and last labels; -inf where forbidden
    """

    plan: Plan | None
    column: str | None
    arrays: dict[str, Array]
    edge: Scores
    start: Scores
    end: Scores


def tables_of(model: LinearModel, encoder: Encoder) -> DecoderTables | None:
    """Build the tables; None for a model that is decoded through trellises."""
    if model.order > 1 or model.edge is not None or largest_weight(model) > LARGEST_WEIGHT:
        return None
    producers, L = encoder.producers, model.L
    weights: Any = (model.begin, model.label, np.ascontiguousarray(model.weights, dtype=np.float64), L)
    only = producers[0] if len(producers) == 1 else None
    plan, column = None, None
    if isinstance(only, TemplateRows):
        plan, arrays = only.plan, _core.template_tables(only.bank, *weights)
    else:
        arrays = _core.row_tables(*weights)
        if isinstance(only, BagRows) and only.column is not None:
            column = only.column
            arrays.update(only.laid_out())
    arrays.update(label=model.label, weights=weights[2])
    return DecoderTables(plan, column, arrays, *_chain(model.moves, model.rules))


def largest_weight(model: LinearModel) -> float:
    """Return the largest absolute weight."""
    return max(
        float(np.abs(part).max(initial=0.0))
        for part in (model.weights, *(weights for weights, _ in model.tables))
    )


def _chain(moves: Array, rules: Rules) -> tuple[Scores, Scores, Scores]:
    edge = np.array(moves, dtype=np.float32, order="C")
    edge[rules.forbidden] = -np.inf
    start, end = np.zeros(len(edge), np.float32), np.zeros(len(edge), np.float32)
    start[rules.no_start] = -np.inf
    end[rules.no_end] = -np.inf
    return edge, start, end


# ------------------------------------------------------------------------------------------------ files


class LateTables(Late["DecoderTables | None"]):
    """Tables of a model and an encoder, built or mapped on first use.

    source   the model they belong to; they cannot be used with another one
    """

    source: tuple[Late[LinearModel], Late[Encoder]] | None = None


class StoredTables(Field):
    """The tables of a fitted linear tagger, beside its parts "encoder" and "model"."""

    def put(self, state: State, name: str, value: LateTables) -> None:
        """Write the arrays that other parts do not have; nothing if tables are not used, or a small file is wanted."""
        model = state.any_part("model")
        if model.setting("dtype", str) not in {"float64", "float32"}:
            return
        tables = value()
        if tables is None or (tables.plan is None and tables.column is None):
            return
        shared = {"ids", "label", "weights"}
        shared |= {one for one in tables.arrays if one.endswith(SHARED) and not one.startswith("words.")}
        own = {one: array for one, array in tables.arrays.items() if one not in shared}
        put_part(state, name, State(KIND, {}, own))

    def get(self, state: State, name: str, sizes: Sizes) -> LateTables:  # noqa: ARG002
        """Read nothing yet."""

        def make() -> DecoderTables:
            with misfits_told(state.where):
                return _stored(state, name)

        return LateTables(make=make)

    def absent(self, state: State, name: str) -> bool:
        """Return True if the file does not contain it."""
        return not state.has_part(name)


def _stored(state: State, name: str) -> DecoderTables:
    """Combine the arrays of three parts; dtypes and shapes are checked, contents are not."""
    encoder, model = state.any_part("encoder"), state.any_part("model")
    rows = encoder.any_part("node0")
    if encoder.has_part("node1") or encoder.has_part("edge0") or model.setting("edge", bool):
        raise StoreError("there are tables for a decoder, but the model is not one that it knows")
    own = state.part(name, KIND)
    arrays = {**rows.arrays, **own.arrays}
    arrays.update({one: model.arrays[one] for one in ("label", "weights") if one in model.arrays})
    everything = State(KIND, {}, arrays)
    plan, column = None, None
    if rows.kind == KnownTemplate.stored_kind:
        template = features_of(encoder)
        if not isinstance(template, Template):
            raise StoreError("the tables are those of a template, but there is none")
        plan = Plan(template, 1, on_moves=False)
        wanted = _of_template(plan, arrays)
    elif rows.kind == KnownBags.stored_kind:
        column, wanted = rows.setting("column", str), _OF_ATTRIBUTES
    else:
        raise StoreError(f"there are no tables for attributes of kind {rows.kind!r:.80}")
    dtype = np.float32 if model.setting("dtype", str) == "float32" else np.float64
    wanted = {**wanted, "rows": np.float32, "label": np.int32, "weights": dtype}
    found = {one: _plain(everything, one, kind) for one, kind in wanted.items()}
    L = len(model.names("labels"))
    rules = Rules(
        Mask(np.bool_, "L", "L").get(model, "rules.forbidden", {"L": L}),
        model.array("rules.no_start", np.bool_, (L,)),
        model.array("rules.no_end", np.bool_, (L,)),
    )
    return DecoderTables(plan, column, found, *_chain(unpacked(model, "moves", (L, L)), rules))


def _strings(name: str) -> dict[str, Any]:
    return {f"{name}.{part}": dtype for part, dtype in STRINGS.items()}


_OF_ATTRIBUTES: dict[str, Any] = {**_strings("attributes"), "ids": np.int32, "places": np.uint64}


def _of_template(plan: Plan, arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Name the arrays that the decoder of a template reads, with their dtypes."""

    def size(pool: int) -> int:
        begins = arrays.get(f"values.{pool}.begins")
        return 0 if begins is None else len(begins)

    names: dict[str, Any] = {"buckets": np.uint64, "chains": np.uint64}
    for pool in sorted(set(plan.pools())):
        names.update(_strings(f"values.{pool}"))
    for group, places in enumerate(plan.places()):
        if len(places) <= 1:
            names[f"places.{group}"] = np.uint64
        elif len(places) == 2:
            names[f"owners.{max(places, key=size)}"] = np.uint64  # the first of two pools of equal size
    for column in range(len(plan.sources)):
        names.update(_strings(f"words.{column}"))
        names.update({f"words.{column}.values": np.int32, f"words.{column}.rows": np.float32})
    return names


def _plain(state: State, name: str, dtype: Any) -> Array:
    found = state.array(name, dtype, (None,), mapped=True)  # the core checks numbers when it uses them
    if name.endswith(".slots") and (not len(found) or len(found) & (len(found) - 1)):
        raise StoreError(f"the array {name!r} should have 2, 4, 8, ... entries, found {len(found)}")
    if name == "buckets" and len(found) < 8:
        raise StoreError(f"the array 'buckets' should have 8 entries at least, found {len(found)}")
    return found


Offsets = npt.NDArray[np.int64]

# Tokens per block of trellises; edge attributes have L * L numbers for each.
BLOCK_TOKENS = 4096


class Decoder:
    """Decoder of one model, for corpora that one encoder reads.

    tables       arrays that the core reads in place; None for a model that is decoded through trellises
    definition   returns model and encoder, for sentences that the tables cannot handle; called on first use

    Several threads may use one decoder at once. The encoder must not be refitted meanwhile.
    """

    def __init__(
        self, tables: DecoderTables | None, definition: Callable[[], tuple[LinearModel, Encoder]]
    ) -> None:
        self._definition = definition
        self._tables = tables
        self._template: _core.TemplateDecoder | None = None
        self._attributes: BagRows | None = None
        if tables is None:
            return
        if tables.plan is not None:
            self._template = _core.TemplateDecoder(tables.arrays, *tables.plan.compiled(), *self._chain)
        if tables.column is not None:
            self._attributes = BagRows.of_laid_out(tables.column, tables.arrays)

    @property
    def _chain(self) -> tuple[Any, Any, Any]:
        assert self._tables is not None  # noqa: S101  (asked only where there are tables)
        return self._tables.edge, self._tables.start, self._tables.end

    @cached_property
    def _rows(self) -> _core.RowDecoder | None:
        """The decoder of encoded attributes; None without tables."""
        return None if self._tables is None else _core.RowDecoder(self._tables.arrays, *self._chain)

    def attribute_tagger(self, labels: Sequence[Any]) -> _core.AttributeTagger | None:
        """Make a tagger that reads lists of ready-made attributes itself; None for a model that needs a corpus.

        labels   what it calls them
        """
        if self._tables is None or self._tables.column != ATTRIBUTES:
            return None
        return _core.AttributeTagger(self._tables.arrays, list(labels), *self._chain)

    @staticmethod
    def of(model: LinearModel, encoder: Encoder) -> Decoder:
        """Return the decoder of a model in memory."""
        return Decoder(tables_of(model, encoder), lambda: (model, encoder))

    def __reduce__(self) -> tuple[Any, ...]:
        return Decoder.of, self._definition()

    @property
    def known(self) -> _core.StringPool | None:
        """Attributes that it looks up in lists of ready-made ones; None if it needs all of them."""
        if self._attributes is not None:
            return self._attributes.pool if self._attributes.column == ATTRIBUTES else None
        return None if self._template is not None else self._definition()[1].known

    def label_ids(self, corpus: Corpus, threads: int = 1) -> LabelIds:
        """Return (tokens,) label numbers of the best paths; ImpossibleError names a sentence without one."""
        ids = np.empty(corpus.token_count, dtype=np.int32)
        if self._template is not None:
            columns = read_columns(self._tables.plan, corpus)  # type: ignore[union-attr, arg-type]
            lost = self._template(columns, corpus.offsets, ids, threads)
        else:
            rows = None if self._attributes is None else self._attributes.look_up(corpus, threads)
            if rows is None or _too_large(rows):
                encoded = self._encoded(corpus, rows, threads).checked()
                if self._rows is None:
                    return self._through_trellises(encoded, threads)
                rows = encoded.node
            assert self._rows is not None  # noqa: S101  (where attributes are laid out, rows are)
            lost = self._rows(rows.indptr, rows.ids, rows.values, corpus.offsets, ids, threads)
        if lost >= 0:
            self._refuse(corpus, lost)
        return ids

    def _encoded(self, corpus: Corpus, rows: Rows | None, threads: int) -> EncodedCorpus:
        """Return the corpus as encoded rows for the trellises."""
        encoder = self._definition()[1]
        if rows is None or int(rows.ids.max(initial=-1)) >= encoder.size:
            return encoder.encode(corpus, threads=threads)
        return EncodedCorpus(corpus.offsets, rows, None, None, encoder)

    @cached_property
    def _largest(self) -> float:
        return largest_weight(self._definition()[0])

    def _refuse(self, corpus: Corpus, sentence: int) -> NoReturn:
        """Raise the error of the trellis for a sentence without a legal path."""
        encoded = self._definition()[1].encode(corpus[sentence : sentence + 1])
        self._best(encoded, sentence, 1)
        raise RuntimeError(f"sentence {sentence}: the trellis has a path that the decoder did not find")

    def _through_trellises(self, encoded: EncodedCorpus, threads: int) -> LabelIds:
        tokens = self._definition()[0].tokens_at_once(BLOCK_TOKENS)
        blocks = [self._best(part, first, threads) for first, part in encoded.blocks(tokens)]
        return np.concatenate([np.zeros(0, dtype=np.int32), *blocks])

    def _best(self, encoded: EncodedCorpus, first: int, threads: int) -> LabelIds:
        """Find the labels of sentences numbered first, first + 1, ... in their corpus."""
        exact = _overflows(encoded.node, self._largest)
        dtype = np.float64 if exact else np.float32
        try:
            paths = inference.viterbi(
                self._definition()[0].trellises(encoded, dtype=dtype, threads=threads), threads=threads
            )
        except ImpossibleError as error:
            raise error.at(sentence=first + (error.sequence or 0), unit="sentence") from None
        return np.concatenate([np.zeros(0, dtype=np.int32), *(path.ids for path in paths)])


def _overflows(rows: Rows, largest: float) -> bool:
    """Return True if sums of values times weights may overflow float32."""
    value = 1.0 if rows.values is None else float(np.abs(rows.values).max(initial=1.0))
    return value * max(largest, 1.0) > LARGEST_SCORE


def _too_large(rows: Rows) -> bool:
    return rows.values is not None and float(np.abs(rows.values).max(initial=0.0)) > LARGEST_VALUE
