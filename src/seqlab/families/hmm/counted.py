"""The hidden Markov model of labelled words: its counts, their probabilities, and decoding (Brants 2000).

score of a path = Σ_t log P(y_t | the k labels before) + log P(x_t | y_t)   [ + log P(end | last label) ]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from seqlab import _core, inference
from seqlab.arrays import LabelIds, Scores
from seqlab.errors import ImpossibleError, OptionError, StoreError
from seqlab.families.hmm import histories
from seqlab.families.hmm.counting import (
    DEFAULT,
    StoredTable,
    SuffixModel,
    Table,
    end_probabilities,
    probabilities,
    table_shape,
)
from seqlab.families.hmm.emissions.symbols import MISSING
from seqlab.learning.smoothing import MLE, NAMES, AddLambda, Smoothing, smoothing_of
from seqlab.shown import Brief
from seqlab.store.codec import Inside
from seqlab.store.fields import Array, Names, Pool, Setting
from seqlab.store.fields import Offsets as StoredOffsets
from seqlab.store.values import Given
from seqlab.tagging.door.constraints import Rules
from seqlab.trellis import Trellis
from seqlab.trellis.checks import Tables, check_order
from seqlab.trellis.constraints import Restrictions
from seqlab.trellis.labels import LabelSet

Offsets = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
LARGEST_TOTAL = 1e300  # sums of counts stay finite


@dataclass(frozen=True, eq=False, repr=False)
class WordCounts(Brief):
    """Counts above 0 of words that were counted at least once.

    pool    V words
    begin   (V + 1,)     the entries of word i are begin[i] .. begin[i + 1]
    label   (entries,)   rising within a word
    count   (entries,)
    L       number of labels
    """

    pool: Annotated[_core.StringPool, Pool("words")]
    begin: Annotated[Offsets, StoredOffsets("entries", "words")]
    label: Annotated[npt.NDArray[np.int32], Array(np.int32, "entries", least=0, below="L")]
    count: Annotated[npt.NDArray[np.float64], Array(np.float64, "entries", finite=True)]
    L: int

    def check(self) -> None:
        """Check counts read from a file."""
        word = np.repeat(np.arange(len(self.pool)), np.diff(self.begin))
        rises = (np.diff(word) > 0) | (np.diff(self.label) > 0)
        if not len(self.count) or not (np.diff(self.begin) > 0).all() or not rises.all():
            raise StoreError("every word should have labels, each of them once, in rising order")
        if not (self.count > 0).all() or not float(self.count.sum()) < LARGEST_TOTAL:
            raise StoreError("the counts of words should be above 0, and their sum a number")

    @staticmethod
    def of(
        pool: _core.StringPool, codes: Codes, label_ids: LabelIds, weights: Table | None, L: int
    ) -> WordCounts:
        """Count tokens with the numbers of their words and labels, each by its weight (eq:counting)."""
        gone = pool.find(MISSING)
        if weights is not None or gone >= 0:
            some = (codes != gone) & (True if weights is None else weights > 0)
            codes, label_ids = codes[some], label_ids[some]
            weights = None if weights is None else weights[some]
        numbers, used = _core.compact_pool(np.ascontiguousarray(codes), pool)
        whole = np.array([0, len(numbers)], dtype=np.int64)
        return WordCounts(used, *_core.count_words(numbers, label_ids, weights, whole, len(used), L), L)

    def some(self) -> WordCounts:
        """Return the counts themselves, if there are any."""
        if not len(self.count):
            raise _nothing()
        return self

    @property
    def label_totals(self) -> npt.NDArray[np.float64]:
        """Compute (L,) counts of each label."""
        return np.bincount(self.label, self.count, self.L).astype(np.float64)

    def plus(self, other: WordCounts) -> WordCounts:
        """Add the counts of another instance."""
        pool, numbers = _core.join_pools([self.pool, other.pool])
        both = zip(numbers, (self, other), strict=True)
        codes = np.concatenate([np.repeat(n, np.diff(one.begin)) for n, one in both]).astype(np.int32)
        labels, counts = (np.append(getattr(self, name), getattr(other, name)) for name in ("label", "count"))
        return WordCounts.of(pool, codes, labels, counts, self.L)


def _nothing() -> OptionError:
    return OptionError("not one token has a word and a weight above 0, so there is nothing to count")


# Words, the word of each token, offsets of sentences, labels and weights of tokens, as for CountedHMM.count.
Block = tuple[_core.StringPool, Codes, Offsets, LabelIds, Table | None]


@dataclass(frozen=True, eq=False, repr=False)
class CountedHMM(Brief):
    """A hidden Markov model of order 1 to 3 whose states are observed labels.

    labels      L names
    order       number of previous labels that a transition depends on
    moves       (L + 1, ..., L + 1, L) counts of transitions; see label_moves
    last        (L,) counts of each label at the end of a sentence
    words       counts of words with labels
    smoothing   of transition probabilities; MLE and AddLambda also apply to words
    unknown     model of unknown words; None: all labels are equally likely for them
    end         True if the end of the sentence is modelled
    rules       constraints on labels
    proper      True if probabilities of words and ends sum to at most 1; False for files of version 1.0, which gave
                new words too much probability, and keep their answers
    """

    stored_kind: ClassVar[str] = "counted hidden Markov model"

    labels: Annotated[tuple[str, ...], Names("L")]
    order: Annotated[int, Setting(int, least=1, most=3)]
    moves: Annotated[Table, StoredTable("order")] = field(repr=False)
    last: Annotated[Table, Array(np.float64, "L", least=0, finite=True)] = field(repr=False)
    words: Annotated[WordCounts, Inside(WordCounts, "word.")] = field(repr=False)
    smoothing: Annotated[Smoothing, Given(*map(type, NAMES.values()))]
    unknown: Annotated[SuffixModel | None, Given(SuffixModel, type(None))]
    end: bool
    rules: Annotated[Rules, Inside(Rules, "rules.")]
    proper: bool = False

    def check(self) -> None:
        """Check that the sums of counts from a file are finite."""
        if self.words.L != self.L:
            raise StoreError(f"words have {self.words.L} labels, but the model has {self.L}")
        for counts in (self.moves, self.last):
            if (counts < 0).any() or not float(counts.sum()) < LARGEST_TOTAL:
                raise StoreError("the counts of labels should be from 0 up, and their sum a number")

    def __getstate__(self) -> dict[str, Any]:
        # Derived tables are recomputed when needed; those in the core cannot be pickled.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    # ------------------------------------------------------------------------------------------ counting

    @classmethod
    def count(
        cls,
        pool: _core.StringPool,
        codes: Codes,
        offsets: Offsets,
        label_ids: LabelIds,
        labels: Sequence[str],
        *,
        order: int = 2,
        smoothing: Any = None,
        unknown: SuffixModel | None = SuffixModel(),  # noqa: B008  (frozen)
        weights: Table | None = None,
        end: bool = False,
        rules: Rules | None = None,
    ) -> CountedHMM:
        """Count labelled words (eq:counting).

        pool        the distinct words; MISSING stands for a missing word
        codes       (tokens,)   the number of each token's word
        offsets     (N + 1,)    sentence i has tokens offsets[i] .. offsets[i + 1]
        label_ids   (tokens,)   the number of each token's label
        weights     (tokens,)   weight of each token; None for 1
        """
        order = check_order(order)
        names = tuple(labels)
        table_shape(order, len(names))
        moves, last = histories.counted(label_ids, weights, offsets, order, len(names))
        counted = WordCounts.of(pool, codes, label_ids, weights, len(names))
        chosen = DEFAULT if smoothing is None else smoothing_of(smoothing)
        rules = Rules.none(len(names)) if rules is None else rules
        return cls(names, order, moves, last, counted, chosen, unknown, end, rules, proper=True)

    @classmethod
    def of_blocks(cls, blocks: Iterable[Block], labels: Sequence[str], **options: Any) -> CountedHMM:
        """Add up the counts of blocks; the last bits of weighted sums depend on where these end."""
        total: CountedHMM | None = None
        for pool, codes, offsets, ids, weights in blocks:
            if weights is None or weights.any():
                own = cls.count(pool, codes, offsets, ids, labels, weights=weights, **options)
                total = own if total is None else total.plus(own)
        if total is None:
            raise _nothing()
        total.words.some()
        return total

    def plus(self, other: CountedHMM) -> CountedHMM:
        """Add the counts of another model, with the options of this one; other labels are sorted in; no rules."""
        if self.order != other.order:
            raise OptionError(f"counts of order {self.order} and of order {other.order} do not add up")
        same = self.labels == other.labels
        names = self.labels if same else tuple(sorted({*self.labels, *other.labels}))
        mine, theirs = self.relabelled(names), other.relabelled(names)
        moves, last = mine.moves + theirs.moves, mine.last + theirs.last
        words, rules = mine.words.plus(theirs.words), Rules.none(len(names))
        return replace(mine, moves=moves, last=last, words=words, rules=rules)

    def relabelled(self, names: tuple[str, ...]) -> CountedHMM:
        """Renumber the labels in the order of `labels`, which may have further ones."""
        if names == self.labels:
            return self
        L, number = len(names), {name: i for i, name in enumerate(names)}
        to = np.array([*(number[name] for name in self.labels), L])
        moves, last = np.zeros((L + 1,) * self.order + (L,)), np.zeros(L)
        moves[np.ix_(*[to] * self.order, to[:-1])] = self.moves
        last[to[:-1]] = self.last
        words = replace(self.words, label=to[self.words.label].astype(np.int32), L=L)
        return replace(self, labels=names, moves=moves, last=last, words=words)

    # ------------------------------------------------------------------------------------------ parameters

    @property
    def L(self) -> int:
        """Number of labels."""
        return len(self.labels)

    @property
    def vocabulary(self) -> frozenset[str]:
        """The words of training."""
        return frozenset(self.words.pool.strings())

    @cached_property
    def move_probabilities(self) -> Table:
        """P(label | previous labels), in the shape of moves; with an end, given that the sentence continues."""
        return probabilities(self.moves, self.smoothing)

    @cached_property
    def end_probabilities(self) -> Table | None:
        """(L,) P(the sentence ends | its last label), or None when the end is not modelled."""
        if not self.end:
            return None
        label_totals = self.moves.reshape(-1, self.L).sum(axis=0)
        return end_probabilities(self.last, label_totals, self.smoothing, proper=self.proper)

    @cached_property
    def _scores(self) -> tuple[Table, Table | None]:
        """Log scores of transitions, in the shape of moves, and of last labels (L,) or None; -inf where forbidden."""
        last = None
        with np.errstate(divide="ignore"):
            moves = np.log(self.move_probabilities)
            if self.end_probabilities is not None:
                # No sentence ends before its first label.
                going_on = np.append(np.log1p(-self.end_probabilities), 0.0)
                moves, last = moves + going_on[:, None], np.log(self.end_probabilities)
        if self.rules:
            moves[..., np.vstack([self.rules.forbidden, self.rules.no_start])] = -np.inf
            last = np.where(self.rules.no_end, -np.inf, np.zeros(self.L) if last is None else last)
        return np.ascontiguousarray(moves), last

    @cached_property
    def lexicon(self) -> _core.Lexicon:
        """The core's table of word scores."""
        shares = self.words.label_totals / self.words.label_totals.sum()
        if self.unknown is None:
            settings = _core.LexiconSettings()
            settings.direct, settings.suffixes = True, False
        else:
            settings = self.unknown.settings(shares, direct=self._direct)
        settings.proper = self.proper
        settings.add = float(self.smoothing.value) if isinstance(self.smoothing, AddLambda) else 0.0
        words = self.words
        return _core.Lexicon(words.pool, words.begin, words.label, words.count, self.L, settings)

    @property
    def _direct(self) -> bool:
        """True if P(word | label) of known words is estimated from counts directly, not by Bayes' rule."""
        return isinstance(self.smoothing, (MLE, AddLambda)) or self.unknown is None

    @cached_property
    def _log_share(self) -> float:
        """Log of a factor for P(word | label) of known words, so that they sum to at most 1 - u for every label.

        Bayes' rule with smoothed P(label | word) gives some labels more than 1 - u (eq:suffix-model). The factor is the
        same for all labels, so it does not change the best labels and is used for probabilities only.
        """
        if self._direct or not self.proper:
            return 0.0
        mass = np.empty(self.L)
        self.lexicon.known_mass(mass)
        return min(0.0, float(np.log1p(-self.lexicon.unseen) - np.log(mass.max())))

    def emissions(self) -> npt.NDArray[np.float64]:
        """Compute P(word | label) of the training words, (L, V); rows sum to at most 1 minus the mass of new words."""
        pool = self.words.pool
        begin, label, score = self.lexicon.rows(pool, np.arange(len(pool), dtype=np.int32), None)
        table = np.zeros((self.L, len(pool)))
        table[label, np.repeat(np.arange(len(pool)), np.diff(begin))] = np.exp(score + self._log_share)
        return table

    # ------------------------------------------------------------------------------------------ answers

    def label_ids(
        self,
        pool: _core.StringPool,
        codes: Codes,
        offsets: Offsets,
        *,
        allowed: Flags | None = None,
        threads: int = 1,
    ) -> LabelIds:
        """Find (tokens,) label numbers of the best paths; ImpossibleError names a sentence without one.

        allowed   (words, L)   True for the allowed labels of each distinct word
        """
        ids, flags = np.empty(len(codes), dtype=np.int32), _flags(allowed)
        moves, last = self._scores
        tables = moves.reshape(-1), last, self.order
        lost = self.lexicon.label_ids(pool, codes, offsets, *tables, flags, ids, threads)
        if lost >= 0:
            self._refuse(pool, codes[offsets[lost] : offsets[lost + 1]], lost, allowed)
        return ids

    def trellises(
        self,
        pool: _core.StringPool,
        codes: Codes,
        offsets: Offsets,
        *,
        allowed: Flags | None = None,
        threads: int = 1,  # noqa: ARG002  (nothing here is worth a thread)
    ) -> list[Trellis]:
        """Make one trellis per sentence, restricted to the labels that its words may have."""
        return self._scored(*self.word_scores(pool, codes, allowed), offsets)

    def word_scores(
        self, pool: _core.StringPool, codes: Codes, allowed: Flags | None
    ) -> tuple[Scores, npt.NDArray[np.int64], LabelIds]:
        """Compute log P(word | label), (T, L), -inf for impossible labels; (T,) number of the others, and a list."""
        begin, label, score = self.lexicon.rows(pool, codes, _flags(allowed))
        counts = np.diff(begin)[codes]
        ends = np.concatenate([[0], np.cumsum(counts)])
        entry = np.arange(int(ends[-1])) + np.repeat(begin[codes] - ends[:-1], counts)
        ids = label[entry]
        node = np.full((len(codes), self.L), -np.inf)
        token = np.repeat(np.arange(len(codes)), counts)
        node[token, ids] = score[entry] + self._shares(pool)[codes[token]]
        return node, counts, ids

    def batch(self, node: Scores, offsets: Offsets) -> _core.Batch64:
        """Make a core batch of trellises with these word scores, which are overwritten."""
        listed = node > -np.inf
        made = _core.Batch64()
        for one in self._scored(node, listed.sum(axis=1), np.nonzero(listed)[1].astype(np.int32), offsets):
            one.add_to(made)
        return made

    def _scored(
        self, node: Scores, counts: npt.NDArray[np.int64], ids: LabelIds, offsets: Offsets
    ) -> list[Trellis]:
        """Make one trellis per sentence from the result of word_scores."""
        ends = np.concatenate([[0], np.cumsum(counts)])
        moves, last = self._scores
        some = np.flatnonzero(np.diff(offsets))
        node[offsets[some]] += moves[(self.L,) * self.order]
        if last is not None:
            node[offsets[some + 1] - 1] += last
        bounds = itertools.pairwise(offsets.tolist())
        return [self._trellis(node[b:e], counts[b:e], ids[ends[b] : ends[e]]) for b, e in bounds]

    # ------------------------------------------------------------------------------------------ inside

    def _shares(self, pool: _core.StringPool) -> Table:
        """Return the log of the factor of each string, (words,): _log_share for known words, 0 for others."""
        known = np.asarray(_core.translate(pool, self.words.pool)) >= 0
        return np.where(known, self._log_share, 0.0) if self._log_share else np.zeros(len(known))

    @cached_property
    def _shared(self) -> tuple[Table, tuple[Table, ...], LabelSet]:
        """Return edge, head and labels of every trellis."""
        _, (*head, edge) = histories.split(self._scores[0])
        return edge, tuple(head), LabelSet(self.L, self.labels)

    def _trellis(self, node: Scores, counts: npt.NDArray[np.int64], ids: LabelIds) -> Trellis:
        edge, head, labels = self._shared
        where = np.flatnonzero(counts < self.L)
        if len(where) < len(counts):
            ids = ids[np.repeat(counts < self.L, counts)]
        offset = np.concatenate([[0], np.cumsum(counts[where])]).astype(np.int64)
        lists = Restrictions.frozen(where, offset, ids.copy())
        made = Trellis._trusted(Tables(node, edge, head, False), self.order, labels, lists)
        made.advice = self.advice
        return made

    def advice(self) -> str:
        """Advise on impossible sentences, when counts of 0 are the reason."""
        if (self.move_probabilities > 0).all() and not isinstance(self.smoothing, MLE):
            return ""
        return (
            f"counts of 0 are probabilities of 0 under smoothing={self.smoothing}: fit with smoothing='kneser-ney', or "
            f"with smoothing=0.1 to add to every count"
        )

    def _refuse(self, pool: _core.StringPool, codes: Codes, sentence: int, allowed: Flags | None) -> NoReturn:
        """Raise the error of the trellis for a sentence without a legal path."""
        made = self.trellises(pool, codes, np.array([0, len(codes)]), allowed=allowed)
        try:
            inference.viterbi(made[0])
        except ImpossibleError as error:
            raise error.at(sentence=sentence, unit="sentence") from None
        raise RuntimeError(f"sentence {sentence}: the trellis has a path that the decoder did not find")


def _flags(allowed: Flags | None) -> npt.NDArray[np.uint8] | None:
    return None if allowed is None else np.ascontiguousarray(allowed, dtype=np.uint8)
