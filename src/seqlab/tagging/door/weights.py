"""What tokens and labels weigh in training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab.corpus import Corpus
from seqlab.errors import LabelError, OptionError, Place, ShapeError
from seqlab.tagging.door.labels import Gold

Weights = npt.NDArray[np.float64]

LARGEST_WEIGHT = 1e18  # summed over all tokens and squared, it still is a number


def token_weights(corpus: Corpus, sample_weight: Any) -> Weights | None:
    """(tokens,) weights from one per sentence, or one per token in lists; None when every token counts 1.

    Without sample_weight, the weights that a CRFsuite file gives its sentences.
    """
    if sample_weight is None:
        own = corpus.weights
        return None if (own == 1).all() else np.repeat(own, corpus.lengths)
    return _joined(sample_weight, corpus.lengths.tolist())


def sentence_weights(count: int, sample_weight: Any) -> Weights:
    """(N,) weights of sentences; 1 for each without sample_weight."""
    return np.ones(count) if sample_weight is None else _joined(sample_weight, [1] * count)


def _joined(sample_weight: Any, lengths: list[int]) -> Weights:
    if isinstance(sample_weight, (str, bytes, Mapping)) or not isinstance(sample_weight, Iterable):
        raise OptionError(
            f"sample_weight must hold a number, or a list of numbers, for every sentence, got {sample_weight!r:.60}"
        )
    given = list(sample_weight)
    if len(given) != len(lengths):
        raise ShapeError(f"X has {len(lengths)} sentences, but sample_weight has {len(given)} entries")
    rows = [_weight_row(given[s], length, s) for s, length in enumerate(lengths)]
    weights = np.concatenate([np.zeros(0), *rows])
    if len(weights) and not weights.any():
        raise OptionError("every sample_weight is 0, so there is nothing to learn from")
    return weights


def _weight_row(value: Any, length: int, s: int) -> Weights:
    single = np.ndim(value) == 0
    try:
        row = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(
            f" must be numbers, got {value!r:.60}", place=Place(s, of="sample_weight")
        ) from None
    if not single and row.shape != (length,):
        raise ShapeError(f"X has {length} tokens, but sample_weight has shape {row.shape}", place=Place(s))
    bad = ~((row >= 0) & (row <= LARGEST_WEIGHT))
    if bad.any():
        position = None if single else int(np.argmax(bad))
        worst = float(row if single else row[np.argmax(bad)])
        raise OptionError(
            f" is {worst}, but a weight is a number from 0 up to {LARGEST_WEIGHT:g}",
            place=Place(s, position, of="sample_weight"),
        )
    return np.full(length, float(row)) if single else row


def label_weights(gold: Gold, class_weight: Any, weights: Weights | None = None) -> Weights | None:
    """(L,) weights of the labels of gold.names: from {label: weight}, or "balanced"; None without any.

    "balanced" gives every label the same total, as in scikit-learn: tokens / (labels * tokens of the label).
    """
    if class_weight is None:
        return None
    size = len(gold.names)
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = label_counts(gold, weights)
        seen = counts > 0
        return np.where(seen, counts.sum() / (seen.sum() * np.where(seen, counts, 1.0)), 1.0)
    if not isinstance(class_weight, Mapping):
        raise OptionError(
            f"class_weight must be {{label: weight}}, 'balanced' or None, got {class_weight!r:.60}"
        )
    made = np.ones(size)
    place = {name: i for i, name in enumerate(gold.names)}
    for label, weight in class_weight.items():
        number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
        if not number or not 0 <= weight <= LARGEST_WEIGHT:
            raise OptionError(
                f"class_weight of {label!r} is {weight!r:.60}, but a weight is a number from 0 up to {LARGEST_WEIGHT:g}"
            )
        if label not in place:
            raise LabelError(f"class_weight names the label {label!r}, which the training data does not have")
        made[place[label]] = float(weight)
    return made


def with_classes(gold: Gold, weights: Weights | None, class_weight: Any) -> Weights | None:
    """Weights of tokens times those of their labels; a token without a single label counts as before."""
    worth = label_weights(gold, class_weight, weights)
    if worth is None:
        return weights
    of_label: Weights = np.concatenate([worth, [1.0, 1.0]])[gold.ids]
    made = of_label if weights is None else weights * of_label
    if len(made) and not made.any():
        raise OptionError("every token has the weight 0, so there is nothing to learn from")
    return made


def label_counts(gold: Gold, weights: Weights | None = None) -> Weights:
    """(L,) how often each label was given; a token with several labels shares its count among them."""
    size = len(gold.names)
    known = gold.ids >= 0
    counts = np.bincount(gold.ids[known], None if weights is None else weights[known], minlength=size).astype(
        np.float64
    )
    for token, some in gold.sets.items():
        counts[list(some)] += (1.0 if weights is None else weights[token]) / len(some)
    return counts
