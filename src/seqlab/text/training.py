"""Training of a tokeniser: from documents to places with labels and features, and by a learner to weights."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import number, thread_count, whole_number
from seqlab.errors import CorpusError, OptionError, ScoreError
from seqlab.text.conllu import PARAGRAPH, read_conllu
from seqlab.text.document import Document
from seqlab.text.rules import RuleTokeniser

LABELS = 4
INSIDE, WORD, TOKEN, SENTENCE = range(LABELS)
BLANKS = (1, 2)  # classes of cpp/text/characters.hpp
UPPER, LETTERS, WORDLIKE = 3, (3, 4, 5), (3, 4, 5, 6, 7, 8, 9, 10)
LONGEST = 24  # characters of a word that features look at
SELDOM = 0.004  # share of places between two classes that are boundaries, below which only known contexts are decided
RARE, OFTEN = 0.2, 0.8  # share of capital letters of a word
TOGETHER = 60  # places of a training sequence
SMALLEST = 200  # places between two classes from which a share is believed

Codes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


class Options(NamedTuple):
    """Options of TrainedTokeniser.train."""

    rules: RuleTokeniser
    epochs: int
    l2: float
    min_count: int
    prune: float
    seed: int
    threads: int | None

    def check(self) -> None:
        """Reject options that make no sense."""
        if not isinstance(self.rules, RuleTokeniser):
            raise OptionError(f"rules is a RuleTokeniser, got {self.rules!r:.60}", option="rules")
        whole_number(self.epochs, "epochs", 1)
        number(self.l2, "l2")
        whole_number(self.min_count, "min_count", 1)
        number(self.prune, "prune")
        whole_number(self.seed, "seed", 0)
        thread_count(self.threads)


def learn(kind: Any, documents: Iterable[Document] | str | os.PathLike[str], options: Options) -> Any:
    """Train a tokeniser: join the texts, find the places to decide, and estimate the weights of their features."""
    options.check()
    given = read_conllu(documents) if isinstance(documents, (str, os.PathLike)) else list(documents)
    for one in given:
        if not isinstance(one, Document):
            raise CorpusError(
                f"a tokeniser learns from Document objects or a CoNLL-U file, got {one!r:.60}; read_conllu and align "
                f"make documents"
            )
    text, labels = joined(given)
    if not labels.any():
        raise CorpusError("a tokeniser learns from texts with tokens, and there is none")
    classes = _core.class_codes(text)
    pairs, cuts = decided(text, classes, labels)
    words, kinds = known_words(text, classes, labels)
    learned = _core.LearnedTokens(options.rules._rules, pairs.reshape(-1), cuts, words, kinds)
    at, gap, offsets, indptr, entries = learned.examples(text)
    targets = np.where(gap.astype(bool) & (labels[at] < TOKEN), TOKEN, labels[at]).astype(np.int32)
    keys, indptr, ids = numbered(indptr, entries, options.min_count)
    theta = estimated(targets, gap, offsets, indptr, ids, len(keys), options)
    weights = theta[: LABELS * len(keys)].reshape(-1, LABELS)
    weights = weights - weights.mean(axis=1, keepdims=True)
    kept = np.abs(weights).max(axis=1, initial=0) > options.prune
    return kind(
        options.rules,
        pairs,
        cuts,
        words,
        kinds,
        keys[kept],
        weights[kept].astype(np.float16),
        theta[LABELS * len(keys) :].reshape(LABELS, LABELS).astype(np.float32),
        documents=len(given),
        sentences=sum(len(one.sentences) for one in given),
        tokens=sum(map(len, given)),
        multiwords=contracted(given),
    )


def contracted(documents: list[Document]) -> tuple[str, ...]:
    """List the tokens that mostly stand for several words, each with these: "du<tab>de<tab>le"."""
    seen: dict[str, Counter[tuple[str, ...]]] = {}
    for one in documents:
        for at, words in one.multiword.items():
            seen.setdefault(one.words[at].lower(), Counter())[tuple(map(str.lower, words))] += 1
    if not seen:
        return ()
    often = Counter(word.lower() for one in documents for word in one.words)
    best = {token: words.most_common(1)[0] for token, words in seen.items()}
    return tuple(
        "\t".join((token, *words))
        for token, (words, count) in sorted(best.items())
        if 2 * count > often[token]
    )


def joined(documents: list[Document]) -> tuple[str, npt.NDArray[np.int8]]:
    """Return one text of all documents, and the label of every character: what begins there."""
    text = PARAGRAPH.join(one.text for one in documents)
    labels, base = np.zeros(len(text), dtype=np.int8), 0
    for one in documents:
        if len(one):
            parts = np.zeros(len(one), dtype=bool) if one.joined is None else one.joined
            labels[base + one.begins] = np.where(parts, WORD, TOKEN)
            labels[base + one.begins[one.offsets[:-1]]] = SENTENCE
        base += len(one.text) + len(PARAGRAPH)
    return text, labels


def decided(text: str, classes: Codes, labels: npt.NDArray[np.int8]) -> tuple[Codes, Keys]:
    """Find the places without blanks that are worth a decision, by the classes or the context of two characters."""
    count = _core.class_count
    blank = np.isin(classes, BLANKS)
    inner = np.flatnonzero(~blank[1:] & ~blank[:-1]) + 1
    pair = classes[inner - 1].astype(np.int64) * count + classes[inner]
    seen = np.bincount(pair, minlength=count * count)
    cut = np.bincount(pair, weights=labels[inner] > 0, minlength=count * count)
    pairs = ((seen < SMALLEST) | (cut >= SELDOM * seen)).astype(np.uint8)
    letters = [a * count + b for a in LETTERS for b in LETTERS]  # in small corpora, too
    pairs[letters] = cut[letters] >= SELDOM * np.maximum(seen[letters], SMALLEST)
    other = inner[(labels[inner] > 0) & (pairs[pair] == 0)]
    return pairs.reshape(count, count), np.unique(_core.cut_keys(text, other))


def known_words(text: str, classes: Codes, labels: npt.NDArray[np.int8]) -> tuple[Keys, Codes]:
    """Collect words that are met twice inside sentences, and how often they have a capital letter there."""
    size = len(classes)
    breaks = np.where(np.isin(classes, WORDLIKE), size, np.arange(size))
    ends = np.minimum.accumulate(breaks[::-1])[::-1]
    begins = np.flatnonzero((labels > 0) & (labels < SENTENCE) & np.isin(classes, LETTERS))
    if not len(begins):
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint8)
    stops = np.minimum(ends[begins], begins + LONGEST)
    keys, which, counts = np.unique(
        _core.word_keys(text, begins, stops), return_inverse=True, return_counts=True
    )
    capital = np.bincount(which, weights=classes[begins] == UPPER) / counts
    kinds = np.where(capital < RARE, 1, np.where(capital > OFTEN, 3, 2)).astype(np.uint8)
    return keys[counts > 1], kinds[counts > 1]


def numbered(indptr: Places, entries: Keys, least: int) -> tuple[Keys, Places, npt.NDArray[np.int32]]:
    """Number the features that are met often enough: their keys, and the entries of each place."""
    keys, which, counts = np.unique(entries, return_inverse=True, return_counts=True)
    often = counts >= least
    number_of = np.cumsum(often) - 1
    kept = often[which]
    before = np.concatenate([[0], np.cumsum(kept)])
    return keys[often], before[indptr].astype(np.int64), number_of[which[kept]].astype(np.int32)


def estimated(
    targets: npt.NDArray[np.int32],
    gap: Codes,
    offsets: Places,
    indptr: Places,
    ids: npt.NDArray[np.int32],
    size: int,
    options: Options,
) -> npt.NDArray[np.float64]:
    """Estimate the weights of a conditional random field over the places: those of features, then of transitions."""
    empty = np.zeros(LABELS * size + LABELS * LABELS)
    if not len(targets):
        return empty
    begin = np.arange(0, LABELS * size + 1, LABELS, dtype=np.int64)
    label = np.tile(np.arange(LABELS, dtype=np.int32), size)
    moves = np.arange(LABELS * LABELS, dtype=np.int32)
    # Long paragraphs are cut: a step of the learner sees one sequence.
    steps = np.concatenate([np.arange(a, b, TOGETHER) for a, b in pairwise(offsets.tolist()) if a < b])
    offsets = np.append(steps, len(targets)).astype(np.int64)
    task = _core.Task(LABELS, offsets, targets, indptr, ids, None, begin, label, moves)
    blank = gap.astype(bool)
    allowed = np.ones((len(targets), LABELS), dtype=bool)
    allowed[blank, :TOKEN] = False  # behind a blank a token begins
    counts = np.concatenate([[0], np.cumsum(allowed.sum(axis=1))]).astype(np.int64)
    task.set_active(counts, np.nonzero(allowed)[1].astype(np.int32))
    schedule = _core.RateSchedule.inverse
    descent = _core.Stochastic(
        task, empty, float(options.l2), 1, 0.0, schedule, False, True, True, options.seed
    )
    for _ in range(options.epochs):
        loss, *_ = descent.epoch(thread_count(options.threads))
        if not np.isfinite(loss):
            raise ScoreError("training left the range of numbers; a larger l2 keeps weights small")
    theta = np.empty(descent.size)
    descent.weights(theta)
    return theta
