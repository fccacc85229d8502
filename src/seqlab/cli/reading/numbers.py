"""Observations of an HMM or mixture: words, or columns of numbers that become vectors."""

from __future__ import annotations

import argparse
import math
from typing import Any

import seqlab
from seqlab.cli import parsing
from seqlab.errors import CorpusError, OptionError

WORDS = "categorical"
_CLASSES = ("Categorical", "Gaussian", "GaussianMixture", "Poisson", "FeatureBag")
EMISSIONS = dict(zip(parsing.EMISSIONS, _CLASSES, strict=True))
VECTORS = ("gaussian", "gaussian-mixture", "poisson")
WORD_COLUMNS = ("word", "form")
BETWEEN = ","  # joins the names of columns that make one vector
NOT_THERE = ("", "nan", "na", "null", "none")  # cells without a number, in lower case


def emission_of(settings: argparse.Namespace, corpus: seqlab.Corpus, observed: str | None) -> str:
    """Choose the kind of emissions: that of --emissions, otherwise by the type of the observed column."""
    if settings.emissions is not None:
        return str(settings.emissions)
    held = None if observed is None or observed not in corpus.columns else corpus.data(observed)
    return {"VectorColumn": "gaussian", "BagColumn": "bag"}.get(type(held).__name__, WORDS)


def observed_column(settings: argparse.Namespace, corpus: seqlab.Corpus, label: str | None) -> str | None:
    """Return the name of the observed column; None for the words.

    Several columns of numbers make one vector, which is named after them, as in "x,y".
    """
    from seqlab.corpus.columns import resolve

    given, kind = settings.observed, settings.emissions
    if given is not None:
        return BETWEEN.join(resolve(name, corpus.columns) for name in given)
    others = [name for name in corpus.columns if name != label]
    held = {name: type(corpus.data(name)).__name__ for name in others}
    wanted = {WORDS: "StringColumn", "bag": "BagColumn"}.get(kind, "VectorColumn")
    if kind is None:  # words if there are any, otherwise vectors or attributes
        lists = [name for name in others if held[name] != "StringColumn"]
        return None if not lists or any(name in others for name in WORD_COLUMNS) else lists[0]
    found = next((name for name in reversed(others) if held[name] == wanted), None)
    if found is not None or kind not in VECTORS:
        return None if kind == WORDS else found
    return BETWEEN.join(others)


def with_vectors(corpus: seqlab.Corpus, observed: str) -> seqlab.Corpus:
    """Add a column of vectors, made of the columns of numbers that its name lists; a column of vectors is kept."""
    from seqlab.corpus import VectorColumn

    names = [observed] if observed in corpus.columns else observed.split(BETWEEN)
    columns = [_numbers(corpus, name) for name in names]
    if len(names) == 1 and isinstance(corpus.data(observed), VectorColumn):
        return corpus
    import numpy as np

    return corpus.with_column(observed, VectorColumn(np.ascontiguousarray(np.hstack(columns))))


def _numbers(corpus: seqlab.Corpus, name: str) -> Any:
    """Return a column as numbers (tokens, D); NaN for a missing one."""
    import numpy as np

    from seqlab.corpus import StringColumn, VectorColumn
    from seqlab.corpus.columns import resolve, token_place

    column = corpus.data(resolve(name, corpus.columns))
    if isinstance(column, VectorColumn):
        return column.vectors
    if not isinstance(column, StringColumn):
        raise CorpusError(f"{corpus.name}: column {name!r} holds lists of attributes, not numbers")
    column = column.compact()
    values = np.array([*map(_number, column.values), math.nan])  # the last for MISSING, which is -1
    wrong = np.isinf(values[column.codes])
    if wrong.any():
        token = int(np.argmax(wrong))
        text = column.values[int(column.codes[token])]
        raise CorpusError(
            f"column {name!r} holds {text!r:.60}, but a finite number is wanted; name the columns of numbers with "
            f"--columns, and in training those that count with --observed, as --observed x,y",
            place=corpus.located(*token_place(corpus.offsets, token)),
        )
    return values[column.codes].reshape(-1, 1)


def _number(text: str) -> float:
    """Parse a number; NaN for a missing one, infinity for other text."""
    if text.strip().lower() in NOT_THERE:
        return math.nan
    try:
        return float(text)
    except ValueError:
        return math.inf


def vectors_of(model: Any) -> str | None:
    """Return the name of the vector column that a model was trained on; None if it was not trained on vectors."""
    observed = getattr(model, "observed_column_", None)
    if observed is None or getattr(model._check_options(), "holds", "") != "vectors":
        return None
    return str(observed)


def for_model(corpus: seqlab.Corpus, model: Any) -> seqlab.Corpus:
    """Add the vector column that a model was trained on, if it was trained on vectors."""
    observed = vectors_of(model)
    return corpus if observed is None or not corpus.token_count else with_vectors(corpus, observed)


def has_gaps(corpus: seqlab.Corpus, label: str | None) -> bool:
    """Return True if a token has no label."""
    return label is not None and any(None in labels for labels in corpus.column(label))


def points_of(corpus: seqlab.Corpus, observed: str | None) -> Any:
    """Return the vectors of all tokens, (tokens, D)."""
    if observed is None:
        raise OptionError("--emissions gaussian wants columns of numbers; name them with --observed")
    column: Any = with_vectors(corpus, observed).data(observed)
    return column.vectors
