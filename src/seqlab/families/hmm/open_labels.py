"""EM for counted HMMs: counts of labelled sentences, plus expected counts of sentences with missing ("open") labels.

The E step uses the counted model with its smoothing and suffix model, so unknown words are treated as in tagging. A
smoothed M step does not maximise the likelihood, which may fall: training ends when it hardly changes, not when it
falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core, families
from seqlab.corpus.columns import offsets_of
from seqlab.errors import OptionError
from seqlab.families.hmm import histories
from seqlab.families.hmm.counted import CountedHMM, Flags, WordCounts
from seqlab.families.hmm.counting import (
    DEFAULT,
    Counting,
    SuffixModel,
    suffixes_of,
    table_shape,
    usual_order,
)
from seqlab.families.hmm.em import BaumWelch, Evidence, HardEM, chain_sums, progress, say_lost
from seqlab.families.hmm.emissions.base import Floats
from seqlab.families.hmm.emissions.symbols import MISSING
from seqlab.families.hmm.training_set import TrainingSet
from seqlab.learning.monitor import Outcome, Report, model_in, resumed
from seqlab.learning.smoothing import smoothing_of
from seqlab.tagging.door.constraints import Rules, TagDictionary
from seqlab.tagging.door.sentences import NOTHING

# Chosen on a development set, with 50, 200, 1000 and 2500 labelled sentences; docs/guide/hmm-tagging.md.
USUAL = HardEM(max_iterations=5, unlabelled_weight=0.5)
BLOCK = 50_000  # tokens whose scores are in memory at a time
LOST = "smoothing=None (Kneser-Ney), or smoothing=0.1, makes all labels possible"
DIGITS = 9  # to which counts are rounded, since smoothing uses the numbers of counts that equal 1, 2, 3 and 4
FAINT = 1e-6  # expected counts of a word's label below this share of its weight are not kept


@dataclass(frozen=True, slots=True, eq=False)
class OpenText:
    """Words of N sentences with missing labels.

    pool      the distinct words
    flags     (words, L) True for the labels that a dictionary allows; None without one
    codes     (T,) the number of each token's word
    offsets   (N + 1,)
    weights   (N,) weights of the sentences
    allowed   (T, L) True for labels that given labels allow; None if all are allowed
    """

    pool: _core.StringPool
    flags: Flags | None
    codes: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    weights: Floats
    allowed: Flags | None

    def __len__(self) -> int:
        return len(self.weights)

    def blocks(self) -> Iterator[OpenText]:
        """Split into blocks of about BLOCK tokens."""
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self.offsets, self.offsets[first] + BLOCK, side="right")) - 1
            last = min(max(last, first + 1), len(self))
            tokens = slice(int(self.offsets[first]), int(self.offsets[last]))
            allowed = None if self.allowed is None else self.allowed[tokens]
            offsets = self.offsets[first : last + 1] - self.offsets[first]
            codes, weights = np.ascontiguousarray(self.codes[tokens]), self.weights[first:last]
            yield OpenText(self.pool, self.flags, codes, offsets, weights, allowed)
            first = last

    def scores(self, model: CountedHMM) -> Floats:
        """Compute log P(word | label), (T, L), -inf for labels not allowed; 0 if the word never had an allowed one."""
        node = model.word_scores(self.pool, self.codes, self.flags)[0]
        if self.allowed is not None:
            node[~self.allowed] = -np.inf
            lost = ~np.isfinite(node).any(axis=1)
            node[lost] = np.where(self.allowed[lost], 0.0, -np.inf)
        return np.asarray(node, dtype=np.float64)


def count_options(hmm: families.HMM, L: int) -> dict[str, Any]:
    """Read the options of CountedHMM.count from those of the tagger, for L labels."""
    smoothing = hmm.smoothing
    unknown: SuffixModel | None = SuffixModel()
    if isinstance(hmm.learner, Counting):
        smoothing = smoothing if hmm.learner.smoothing is None else hmm.learner.smoothing
        unknown = hmm.learner.suffixes()
    elif hmm.unknown is not None:
        unknown = None if hmm.unknown == "missing" else suffixes_of(hmm.unknown)
    order = usual_order(L) if hmm.order is None else hmm.order
    return {"order": order, "smoothing": smoothing, "unknown": unknown, "end": bool(hmm.end)}


def opened(
    hmm: families.HMM,
    data: TrainingSet,
    labels: tuple[str, ...],
    dictionary: TagDictionary | None,
    learner: BaumWelch,
    sample_weight: Any,
) -> tuple[Any, CountedHMM | None, OpenText]:
    """Count fully labelled sentences; return the start of EM, these counts (None without any), and other sentences.

    If no sentence is fully labelled, EM starts with the labelled words and uniform transitions.
    """
    corpus, L = data.corpus, len(labels)
    weights = data.sentence_weights(sample_weight, learner.unlabelled_weight)
    weights = np.ones(len(corpus)) if weights is None else weights
    if not data.labelled.any():
        weights = weights * learner.unlabelled_weight
    ids = np.full(corpus.token_count, NOTHING, dtype=np.int32) if data.gold is None else data.gold.ids
    lengths, column = corpus.lengths, corpus.strings(str(data.column), missing=True).filled(MISSING).compact()
    unknown = np.concatenate([[0], np.cumsum(ids < 0)])
    is_open = np.diff(unknown[corpus.offsets]) > 0
    tokens, token_weight = np.repeat(is_open, lengths), np.repeat(weights, lengths)

    closed = start = None
    options = count_options(hmm, L)
    rules = Rules.learned(hmm.constraints, labels, data.gold, corpus.offsets)
    shut = ~tokens
    if (shut & (token_weight > 0) & (column.codes != column.pool.find(MISSING))).any():
        plain = (weights == 1).all()
        closed = start = CountedHMM.count(
            column.pool,
            np.ascontiguousarray(column.codes[shut]),
            offsets_of(lengths[~is_open]),
            np.ascontiguousarray(ids[shut]),
            labels,
            weights=None if plain else np.ascontiguousarray(token_weight[shut]),
            rules=rules,
            **options,
        )
    named = ids >= 0
    if named[tokens].any():
        words = WordCounts.of(column.pool, column.codes[named], ids[named], token_weight[named], L).some()
        if start is None:
            start = _even(labels, words, rules, **options)
        start = replace(start, words=words)
    flags = None if dictionary is None else dictionary.flags(column.values)
    allowed = data.allowed(None, L)
    text = OpenText(
        column.pool,
        flags,
        np.ascontiguousarray(column.codes[tokens]),
        offsets_of(lengths[is_open]),
        weights[is_open],
        None if allowed is None or (ids[tokens] == NOTHING).all() else allowed[tokens],
    )
    return start, closed, text


def _even(
    labels: tuple[str, ...],
    words: WordCounts,
    rules: Rules,
    *,
    order: int,
    smoothing: Any,
    unknown: Any,
    end: bool,
) -> CountedHMM:
    """Make a model with uniform transitions."""
    moves = np.full(table_shape(order, len(labels)), 1.0 / len(labels))
    chosen = DEFAULT if smoothing is None else smoothing_of(smoothing)
    last = np.full(len(labels), 1.0 / len(labels))
    return CountedHMM(labels, order, moves, last, words, chosen, unknown, end, rules)


@dataclass(slots=True, eq=False)
class ExpectedCounts:
    """Expected counts of an E step.

    moves, last   as in CountedHMM
    words         expected counts of words; None without words
    log_z         (N,) log P of each sentence
    value         weighted sum of log_z
    """

    moves: Floats
    last: Floats
    words: WordCounts | None
    log_z: Floats
    value: float

    # eq:open-counts   c(h, y) + w E[h, y] for labels, c(v, y) + w E[v, y] for words
    def added(self, base: CountedHMM, closed: CountedHMM | None, frozen: Any = ()) -> CountedHMM:
        """Run the M step: add these counts to those of fully labelled sentences (closed), with options of `base`."""
        moves, last, words = self.moves, self.last, self.words
        if closed is not None:
            moves, last = moves + closed.moves, last + closed.last
            words = closed.words if words is None else closed.words.plus(words)
        moves = np.round(moves, DIGITS)
        if "transitions" in frozen or not moves.any():
            moves, last = base.moves, base.last
        if "emissions" in frozen or words is None:
            words = base.words
        return replace(base, moves=moves, last=last, words=words)


def expected(model: CountedHMM, text: OpenText, *, hard: bool, threads: int) -> ExpectedCounts:
    """Run the E step: expected counts, or with `hard` those of the best paths."""
    found = ExpectedCounts(np.zeros_like(model.moves), np.zeros(model.L), None, np.zeros(len(text)), 0.0)
    seen: list[tuple[Any, ...]] = []
    first = 0
    for block in text.blocks():
        evidence = Evidence(None, block.offsets, block.weights)
        step = _best_paths if hard else _all_paths
        moves, last, gamma, log_z = step(model, block, evidence, threads)
        found.moves += moves
        found.last += last
        found.log_z[first : first + len(block)] = log_z
        found.value += evidence.total(log_z)
        first += len(block)
        least = FAINT * np.repeat(block.weights, np.diff(block.offsets))
        token, label = np.nonzero(gamma > least[:, None])
        seen.append((block.codes[token], label.astype(np.int32), gamma[token, label]))
    if seen:
        codes, labels, counts = (np.concatenate(some) for some in zip(*seen, strict=True))
        if (codes != text.pool.find(MISSING)).any():
            found.words = WordCounts.of(text.pool, codes, labels, counts, model.L).some()
    return found


def _all_paths(model: CountedHMM, text: OpenText, evidence: Evidence, threads: int) -> tuple[Any, ...]:
    """Compute expected counts over all paths (eq:baum-welch)."""
    node = text.scores(model)
    gamma = np.zeros(node.size)
    moves, last = model._scores
    start, (*head, edge) = histories.split(moves)
    found = chain_sums(evidence, (start, edge, last, head), (node.reshape(-1), gamma), threads)
    counts = histories.joined(found.start, (*found.head, found.edge))
    return counts, found.end, gamma.reshape(-1, model.L), found.log_z


def _best_paths(model: CountedHMM, text: OpenText, evidence: Evidence, threads: int) -> tuple[Any, ...]:
    """Count along the best paths (eq:hard-em)."""
    node, offsets = text.scores(model), evidence.offsets
    ids, log_z = np.zeros(len(node), dtype=np.int32), np.zeros(len(evidence))
    _core.viterbi(model.batch(node, offsets), ids, log_z, threads)
    weights = np.repeat(np.where(log_z > -np.inf, text.weights, 0.0), np.diff(offsets))
    ids = np.maximum(ids, 0)
    gamma = np.zeros(node.shape)
    gamma[np.arange(len(ids)), ids] = weights
    return *histories.counted(ids, weights, offsets, model.order, model.L), gamma, log_z


def checked(learner: Any) -> BaumWelch:
    """Reject options of EM that do not apply to counts, and return the learner."""
    strange = [name for name in learner.frozen if name not in ("transitions", "emissions")]
    if strange:
        raise OptionError(
            f"frozen may name 'transitions' and 'emissions' of counted words, got {strange[0]!r}"
        )
    if learner.tied:
        raise OptionError("tied is for tables: counted words have labels, and each label has its own words")
    found: BaumWelch = learner
    return found


def train(
    start: CountedHMM,
    closed: CountedHMM | None,
    text: OpenText,
    learner: BaumWelch,
    threads: int,
    report: Report,
) -> Outcome:
    """Run EM from a start; `report` is called after every iteration."""
    model: Any = start
    before, value, said, first = 0.0, 0.0, False, 0
    earlier = resumed(report)
    if earlier is not None:
        model, done = model_in(earlier.any_part("model"), (CountedHMM,)), earlier.number("iteration", 0)
        before, value = earlier.setting("before", float), earlier.setting("value", float)
        said = earlier.setting("said", bool)
        if done and learner.enough(abs(value - before), value):
            return Outcome(model, "value", done, -value)
        if done < learner.max_iterations:
            found = expected(model, text, hard=isinstance(learner, HardEM), threads=threads)
            model, before = found.added(start, closed, learner.frozen), value
        first = done + 1
    for iteration in range(first, learner.max_iterations + 1):
        found = expected(model, text, hard=isinstance(learner, HardEM), threads=threads)
        said = said or say_lost(found.log_z, " with open labels", f"they are left out; {LOST}")
        value = found.value
        numbers = {"before": before, "value": value, "said": said}
        if not report(progress(iteration, model, found, value, numbers)):
            return Outcome(model, "stopped", iteration, -value)
        if iteration and learner.enough(abs(value - before), value):
            return Outcome(model, "value", iteration, -value)
        if iteration < learner.max_iterations:
            model, before = found.added(start, closed, learner.frozen), value
    return Outcome(model, "iterations", learner.max_iterations, -value)
