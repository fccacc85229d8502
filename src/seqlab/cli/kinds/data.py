"""Arguments of fit, made from corpora: words, vectors or bags of words, labels, and unlabelled sentences."""

from __future__ import annotations

import argparse
from typing import Any

import seqlab
from seqlab.cli.parsing import reading_of
from seqlab.cli.reading import numbers
from seqlab.cli.reading.corpora import read_corpora, words_of
from seqlab.errors import CorpusError


def fit_arguments(settings: argparse.Namespace, train: seqlab.Corpus, label: str | None) -> tuple[Any, Any]:
    """Return the arguments X and y of fit; y is None for unsupervised training."""
    from seqlab.tagging.door.sentences import word_column

    if settings.model == "mixture":
        name = numbers.observed_column(settings, train, None)
        return bags(
            train, points=numbers.emission_of(settings, train, name) == "gaussian", observed=name
        ), None
    if settings.model != "hmm":
        return train, label
    y: Any = label
    if settings.unlabelled is not None:
        train, y = _with_unlabelled(settings, train, label)
    train = observed(settings, train, label)
    name = numbers.observed_column(settings, train, label) or word_column(train)
    return (train if label is not None or name is None else train.select(name)), y


def observed(settings: argparse.Namespace, corpus: seqlab.Corpus, label: str | None) -> seqlab.Corpus:
    """Add the column of vectors that an HMM with numeric emissions observes."""
    if settings.model != "hmm":
        return corpus
    name = numbers.observed_column(settings, corpus, label)
    if name is None or numbers.emission_of(settings, corpus, name) not in numbers.VECTORS:
        return corpus
    return numbers.with_vectors(corpus, name)


def bags(corpus: seqlab.Corpus, *, points: bool, observed: str | None) -> Any:
    """Return the observations of a mixture: the words or attributes of each sentence, or the vector of each token."""
    from seqlab.corpus import BagColumn
    from seqlab.corpus.columns import resolve

    if points:
        return numbers.points_of(corpus, observed)
    lists = [name for name in corpus.columns if isinstance(corpus.data(name), BagColumn)]
    name = resolve(observed, corpus.columns) if observed is not None else lists[0] if lists else None
    if name is None:
        return [words_of(corpus, i, ()) for i in range(len(corpus))]
    return [
        [one for token in row for one in ([token] if isinstance(token, str) else token)]
        for row in corpus.column(name)
    ]


def _with_unlabelled(
    settings: argparse.Namespace, train: seqlab.Corpus, label: str | None
) -> tuple[seqlab.Corpus, Any]:
    """Add the sentences of --unlabelled; return all sentences, and their labels, None for an unlabelled sentence."""
    from seqlab.corpus import Corpus

    raw = read_corpora(settings.unlabelled, reading_of(settings))
    names = [name for name in train.columns if name != label and name in raw.columns]
    if not names:
        raise CorpusError(
            f"{raw.name}:1: there is no column as in training: the columns are "
            f"{', '.join(map(repr, raw.columns))}; name them alike with --columns"
        )
    joined = Corpus.join([train.select(*names), raw.select(*names)])
    return joined, None if label is None else [*train.column(label), *[None] * len(raw)]
