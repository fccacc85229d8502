"""An encoded corpus: arrays of attribute numbers, and the producers whose attributes share one numbering."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from seqlab import _core, encode
from seqlab.arrays import LabelIds, position_number
from seqlab.corpus import Corpus
from seqlab.errors import CorpusError, LabelError, Place

Offsets = npt.NDArray[np.int64]
AttributeIds = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]
ClusterCodes = npt.NDArray[np.uint8]
Number = TypeVar("Number", np.int32, np.int64)

LARGEST_VALUE = 1e18  # its squares and their sums fit float32


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Attribute numbers of every token: those of token i are ids[indptr[i] : indptr[i + 1]].

    indptr   (tokens + 1,)
    ids      (entries,)
    values   (entries,)   value of each entry, or None when all are 1
    cluster_codes      (attributes,)   attributes that occur together (template_rows.py); None if unknown
    moves    (entries,)   label pair that an entry applies to, from * L + to; its attribute then has one weight for all
             pairs. -1 for entries that apply to every pair; None if all do
    """

    indptr: Offsets
    ids: AttributeIds
    values: Weights | None = None
    cluster_codes: ClusterCodes | None = None
    moves: AttributeIds | None = None

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.indptr.nbytes + self.ids.nbytes + (0 if self.values is None else self.values.nbytes)

    def span(self, begin: int, end: int) -> Rows:
        """Cut out tokens begin .. end - 1."""
        indptr = self.indptr[begin : end + 1]
        entries = slice(int(indptr[0]), int(indptr[-1]))
        values = None if self.values is None else self.values[entries]
        moves = None if self.moves is None else self.moves[entries]
        return Rows(indptr - indptr[0], self.ids[entries], values, moves=moves)

    def only(self, kept: npt.NDArray[np.bool_]) -> Rows:
        """Return the rows with some of their entries.

        kept   (entries,)   True for entries that stay
        """
        if kept.all():
            return self
        before = np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(kept, out=before[1:])
        values = None if self.values is None else self.values[kept]
        moves = None if self.moves is None else self.moves[kept]
        return Rows(before[self.indptr], self.ids[kept], values, self.cluster_codes, moves)

    def effective(self) -> Rows:
        """Leave out entries of value 0, which have no effect, and then the values, if all are 1."""
        if self.values is None:
            return self
        rows = self.only(self.values != 0)
        return replace(rows, values=None) if np.all(rows.values == 1) else rows


@dataclass(frozen=True, slots=True, eq=False)
class EncodedCorpus:
    """A corpus as numbers of attributes and labels.

    offsets       (N + 1,)        sentence s has tokens offsets[s] .. offsets[s + 1]
    indptr        (tokens + 1,)   attributes of token i are ids[indptr[i] : indptr[i + 1]]
    ids           (entries,)      attribute numbers
    values        (entries,)      or None when every attribute counts 1
    labels        (tokens,)       label numbers, -1 for a label that training did not have; or None
    edge_indptr   (tokens + 1,)   for edge attributes (of the transition into a token); None without any
    edge_ids      (entries,)
    encoder                       has the names: encoder.attributes, encoder.labels
    node, edge                    Rows of node attributes and of edge attributes, which hold the arrays above
    """

    offsets: Offsets
    node: Rows
    edge: Rows | None
    labels: LabelIds | None
    encoder: encode.Encoder = field(repr=False)

    @property
    def indptr(self) -> Offsets:
        """(tokens + 1,)."""
        return self.node.indptr

    @property
    def ids(self) -> AttributeIds:
        """(entries,)."""
        return self.node.ids

    @property
    def values(self) -> Weights | None:
        """(entries,) or None."""
        return self.node.values

    @property
    def edge_indptr(self) -> Offsets | None:
        """(tokens + 1,) or None."""
        return None if self.edge is None else self.edge.indptr

    @property
    def edge_ids(self) -> AttributeIds | None:
        """(entries,) or None."""
        return None if self.edge is None else self.edge.ids

    @property
    def token_count(self) -> int:
        """Tokens of all sentences."""
        return len(self.indptr) - 1

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        labels = 0 if self.labels is None else self.labels.nbytes
        edge = 0 if self.edge is None else self.edge.nbytes
        return self.offsets.nbytes + self.node.nbytes + edge + labels

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return (
            f"EncodedCorpus({len(self)} sentences, {self.token_count} tokens, {len(self.ids)} entries, "
            f"{self.encoder.size} attributes, {len(self.encoder.labels)} labels, {self.nbytes / 1e6:.1f} MB)"
        )

    def attributes(self, sentence: int, t: int) -> list[str]:
        """Return the names of the node attributes at token t of a sentence."""
        return _names(self.node, self._token(sentence, t), self.encoder.attributes)

    def edge_attributes(self, sentence: int, t: int) -> list[str]:
        """Return the names of the edge attributes at token t of a sentence."""
        token = self._token(sentence, t)
        return [] if self.edge is None else _names(self.edge, token, self.encoder.edge_attributes)

    def span(self, first: int, last: int) -> EncodedCorpus:
        """Cut out sentences first .. last - 1, without their labels."""
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        edge = None if self.edge is None else self.edge.span(begin, end)
        offsets = self.offsets[first : last + 1] - begin
        return EncodedCorpus(offsets, self.node.span(begin, end), edge, None, self.encoder)

    def blocks(self, tokens: int) -> Iterator[tuple[int, EncodedCorpus]]:
        """Split into blocks of about this many tokens; yield each with the number of its first sentence."""
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self.offsets, self.offsets[first] + tokens, side="right")) - 1
            last = min(max(last, first + 1), len(self))
            yield first, self if last - first == len(self) else self.span(first, last)
            first = last

    def checked(self) -> EncodedCorpus:
        """Reject values so large that scores would overflow; return the corpus itself."""
        for rows, names in ((self.node, "attributes"), (self.edge, "edge_attributes")):
            if rows is None or rows.values is None or not len(rows.values):
                continue
            i = int(np.argmax(np.abs(rows.values)))
            if abs(rows.values[i]) <= LARGEST_VALUE:
                continue
            token = int(np.searchsorted(rows.indptr, i, side="right")) - 1
            s = int(np.searchsorted(self.offsets, token, side="right")) - 1
            name = getattr(self.encoder, names)[rows.ids[i]]
            raise CorpusError(
                f"attribute {name!r} has the value {float(rows.values[i])!r}, but values up to {LARGEST_VALUE:g} are "
                f"wanted; scale them to about 1",
                place=Place(s, token - int(self.offsets[s])),
            )
        return self

    def _token(self, sentence: int, t: int) -> int:
        sentence = position_number(sentence, "an encoded corpus")
        t = position_number(t, "an encoded corpus")
        if not 0 <= sentence < len(self):
            raise LabelError(f"there is no sentence {sentence}: the corpus has {len(self)}")
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        if not 0 <= t < end - begin:
            raise LabelError(f"there is no token {t} in sentence {sentence}, which has {end - begin}")
        return int(begin + t)


def _names(rows: Rows, token: int, names: Sequence[str]) -> list[str]:
    return [names[i] for i in rows.ids[rows.indptr[token] : rows.indptr[token + 1]].tolist()]


def merged(parts: Sequence[Rows], tokens: int = 0) -> Rows:
    """Concatenate the rows of several producers token by token.

    tokens   number of tokens, used if there is no producer
    """
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Rows(np.zeros(tokens + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    lengths = [np.diff(part.indptr) for part in parts]
    indptr = np.zeros(len(parts[0].indptr), dtype=np.int64)
    np.cumsum(sum(lengths[1:], lengths[0]), out=indptr[1:])
    ids = np.empty(int(indptr[-1]), dtype=np.int32)
    weighted = any(part.values is not None for part in parts)
    values = np.ones(len(ids)) if weighted else None
    moves = np.full(len(ids), -1, dtype=np.int32) if any(part.moves is not None for part in parts) else None
    begins = indptr[:-1].copy()
    for part, own in zip(parts, lengths, strict=True):
        places = np.arange(len(part.ids), dtype=np.int64) + np.repeat(begins - part.indptr[:-1], own)
        ids[places] = part.ids
        if values is not None and part.values is not None:
            values[places] = part.values
        if moves is not None and part.moves is not None:
            moves[places] = part.moves
        begins += own
    codes = next((part.cluster_codes for part in parts if part.cluster_codes is not None), None)
    return Rows(indptr, ids, values, codes, moves)


class Counted(Protocol):
    """Attributes of a producer, as Seen has them."""

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """(n,)."""

    @property
    def least(self) -> npt.NDArray[np.int32]:
        """(n,)."""

    @property
    def known(self) -> AttributeIds:
        """(n,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The attributes of a producer after learn().

    counts   (n,)   occurrences in the current corpus
    least    (n,)   occurrences needed to be kept
    known    (n,)   its earlier number, which it keeps, -1 for a new one
    number   gives them their final numbers, -1 for none, and returns the rows of the corpus
    """

    counts: npt.NDArray[np.int64]
    least: npt.NDArray[np.int32]
    known: AttributeIds
    number: Callable[[AttributeIds], Rows]


class Producer(Protocol):
    """A source of attributes: learn and number once, then look_up any number of times."""

    @property
    def column(self) -> str | None:
        """The column of ready-made attributes that it reads; None when it computes them from others."""

    def learn(self, corpus: Corpus, threads: int) -> Seen:
        """Count every attribute of the corpus."""
        ...

    def look_up(self, corpus: Corpus, threads: int) -> Rows:
        """Return the rows of another corpus, without unseen attributes."""
        ...

    def name(self, names: list[str]) -> None:
        """Write the names of the attributes to their numbers."""

    def extended(self) -> Producer:
        """Copy the attributes; the copy may learn again."""
        ...

    def restricted(self, numbers: AttributeIds) -> Producer:
        """Copy the kept attributes: attribute a gets the number numbers[a], and is dropped where that is -1."""
        ...

    def known(self) -> Any:
        """Return the learned data."""
        ...


def learned(producers: Sequence[Producer], corpus: Corpus, threads: int, size: int = 0) -> tuple[Rows, int]:
    """Return rows with final numbers, and the number of attributes; `size` of them were known before.

    New ones are numbered from `size` up, by falling frequency over all producers.
    """
    if not producers:
        return merged([], corpus.token_count), 0
    seen = [producer.learn(corpus, threads) for producer in producers]
    parts, size = numbered(seen, size)
    rows = merged([part.number(own) for part, own in zip(seen, parts, strict=True)])
    if (
        rows.cluster_codes is not None and len(rows.cluster_codes) < size
    ):  # attributes of other producers have none
        rows = replace(rows, cluster_codes=np.pad(rows.cluster_codes, (0, size - len(rows.cluster_codes))))
    return rows, size


def numbered(seen: Sequence[Counted], size: int = 0) -> tuple[list[AttributeIds], int]:
    """Return the numbers of the attributes of every producer, -1 for those that are dropped, and how many there are.

    size   of those that had a number before
    """
    counts, least = _joined([part.counts for part in seen]), _joined([part.least for part in seen])
    if not size:
        numbers = _core.by_frequency(counts, least)
        size = int(np.count_nonzero(numbers >= 0))
    else:
        numbers = np.concatenate([part.known for part in seen])
        new = numbers < 0
        fresh = _core.by_frequency(counts[new], least[new])
        numbers[new] = np.where(fresh >= 0, fresh + np.int32(size), np.int32(-1))
        size += int(np.count_nonzero(fresh >= 0))
    return np.split(numbers, np.cumsum([len(part.counts) for part in seen])[:-1]), size


def _joined(arrays: Sequence[npt.NDArray[Number]]) -> npt.NDArray[Number]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)  # avoids a copy of large arrays
