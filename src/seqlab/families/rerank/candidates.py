"""n-best lists of any generator: a tagger, an object with nbest(tokens, n), or a function (tokens, n)."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqlab import inference
from seqlab.corpus import Corpus, Sentence
from seqlab.errors import CorpusError, LabelError, NotFittedError, OptionError, Place, ScoreError, ShapeError
from seqlab.tagging.decoding import blocks, located
from seqlab.tagging.tagger import Tagger
from seqlab.threads import thread_count

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The labellings that a generator gives one sentence, best first, and its scores."""

    labels: list[Labels]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.labels)


def check_generator(generator: Any) -> None:
    """Refuse what cannot make lists."""
    if isinstance(generator, type):
        raise OptionError(
            f"generator must be an object, got the class {generator.__name__}; write {generator.__name__}()"
        )
    if not callable(getattr(generator, "nbest", None)) and not callable(generator):
        raise OptionError(
            f"generator must have nbest(tokens, n), or be a function (tokens, n) that gives (labels, score) pairs, "
            f"got {generator!r:.60}"
        )


def cloned(generator: Any) -> Any:
    """A copy that has learned nothing."""
    if hasattr(generator, "get_params"):
        return type(generator)(**{name: copy.copy(v) for name, v in generator.get_params(deep=False).items()})
    return copy.deepcopy(generator)


def sentences_of(X: Any, *, without: str | None = None) -> Sequence[Any]:
    """X as a sequence of sentences; a corpus stays one, without the column of labels."""
    if isinstance(X, Corpus):
        return X if without is None else X.select(*(name for name in X.columns if name != without))
    if isinstance(X, (str, bytes, Sentence)) or not isinstance(X, Iterable):
        raise CorpusError(f"X must be a Corpus or a list of sentences, got {X!r:.60}")
    listed = list(X)
    for s, sentence in enumerate(listed):
        if isinstance(sentence, (str, bytes)) or not hasattr(sentence, "__len__"):
            raise CorpusError(f" is {sentence!r:.60}, but a list of tokens is wanted", place=Place(s, of="X"))
    return listed


def candidate_lists(
    generator: Any, X: Sequence[Any], n: int, *, threads: int | None = None, first: int = 0
) -> list[CandidateList]:
    """The n best labellings of every sentence; `first` is the number that messages give to the first one."""
    if isinstance(generator, Tagger):
        return _of_tagger(generator, X, n, thread_count(threads), first)
    ask = generator.nbest if callable(getattr(generator, "nbest", None)) else generator
    return [
        _checked(ask(tokens, n), len(tokens), n, first + s) if len(tokens) else _nothing()
        for s, tokens in enumerate(X)
    ]


def _of_tagger(generator: Tagger, X: Any, n: int, threads: int, first: int) -> list[CandidateList]:
    """All sentences of a block in one call."""
    generator._check_fitted("nbest")
    corpus = generator._corpus(X)
    found: list[CandidateList] = []
    for begin, part in blocks(corpus, generator._block):
        with located(first + begin):
            batch = generator._trellises(part, threads)
            found += map(_of_paths, inference.nbest(batch, n, threads=threads))
    return found


def _of_paths(paths: Iterable[inference.Path]) -> CandidateList:
    listed = list(paths)
    return CandidateList([tuple(map(str, path.labels)) for path in listed], [path.score for path in listed])


def _nothing() -> CandidateList:
    """An empty sentence has one labelling, the empty one."""
    return CandidateList([()], [0.0])


def _checked(given: Any, length: int, n: int, s: int) -> CandidateList:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ShapeError(f"the generator should give a list of labellings, got {given!r:.60}", place=Place(s))
    read = [_candidate(one, length, s, rank) for rank, one in enumerate(given)]
    if not read:
        raise ShapeError("the generator gave no labelling at all; at least one is wanted", place=Place(s))
    kept: dict[Labels, float] = {}
    for labels, score in read:
        kept[labels] = max(score, kept.get(labels, score))  # of the same labelling twice, the better
    order = sorted(kept, key=lambda labels: -kept[labels])[:n]
    return CandidateList(order, [kept[labels] for labels in order])


def _candidate(one: Any, length: int, s: int, rank: int) -> tuple[Labels, float]:
    pair = (one.labels, one.score) if hasattr(one, "labels") and hasattr(one, "score") else one
    where = f"sentence {s}, labelling {rank} of the generator"
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or isinstance(pair[0], (str, bytes)):
        raise ShapeError(f"{where}: a pair (labels, score) is wanted, got {one!r:.60}")
    labels, score = tuple(pair[0]), pair[1]
    if len(labels) != length:
        raise ShapeError(f"{where} has {len(labels)} labels, but the sentence has {length} tokens")
    for t, label in enumerate(labels):
        if not isinstance(label, str):
            raise LabelError(f"{where}, position {t}: a label is a string, got {label!r:.60}")
    real = isinstance(score, (int, float, np.integer, np.floating)) and not isinstance(score, bool)
    if not real or not math.isfinite(score):
        raise ScoreError(f"{where} has the score {score!r:.60}, but a finite number is wanted")
    return labels, float(score)


# ------------------------------------------------------------------------------------------- lists for training


def jackknifed(
    generator: Any, X: Sequence[Any], fit_on: Any, folds: int, n: int
) -> tuple[Any, list[CandidateList]]:
    """A generator trained on everything, and lists for every sentence by one that has not seen it.

    fit_on   (generator, numbers of sentences) -> the generator, trained on them
    """
    if folds > len(X):
        raise OptionError(
            f"folds={folds} needs at least as many sentences, but X has {len(X)}; pass fewer folds"
        )
    found: list[CandidateList] = []
    for fold in np.array_split(np.arange(len(X)), folds):
        rest = np.setdiff1d(np.arange(len(X)), fold)
        trained = fit_on(cloned(generator), rest)
        part = X.take(fold) if isinstance(X, Corpus) else [X[i] for i in fold.tolist()]
        found += candidate_lists(trained, part, n, first=int(fold[0]))
    return fit_on(cloned(generator), np.arange(len(X))), found


def as_it_stands(generator: Any, X: Sequence[Any], n: int) -> list[CandidateList]:
    """Lists of a generator that is used as it is."""
    try:
        return candidate_lists(generator, X, n)
    except NotFittedError as error:
        raise NotFittedError(
            f"the generator has learned nothing yet ({type(generator).__name__}); pass folds=5 to have it trained "
            f"here, or fit it before, on other sentences"
        ) from error
