"""Labels as users give them for training: one for every token, None, or several of which one is right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds
from seqlab.corpus import Corpus
from seqlab.encode.given import listed
from seqlab.errors import LabelError, OptionError, ShapeError

NOTHING = -1  # no label was given
SEVERAL = -2  # one of several, see `sets`


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """The labels of a corpus as numbers.

    names    the distinct labels, sorted
    ids      (tokens,)   the number of each token's label; NOTHING where None was given, SEVERAL where a set was
    sets     {token: label numbers, rising}   for the tokens with several
    column   the column that the labels came from, or None
    """

    names: tuple[str, ...]
    ids: LabelIds
    sets: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    column: str | None = None

    @property
    def partial(self) -> bool:
        """Whether a token has no label, or several."""
        return bool((self.ids < 0).any())

    def numbered(self, names: Sequence[str]) -> Gold:
        """The same numbered by other names, which must hold these."""
        place = {name: i for i, name in enumerate(names)}
        new = np.array([*(place[name] for name in self.names), SEVERAL, NOTHING], dtype=np.int32)
        sets = {token: tuple(sorted(int(new[i]) for i in some)) for token, some in self.sets.items()}
        return Gold(tuple(names), new[self.ids], sets, self.column)  # -1 and -2 are the last two entries


def read_gold(corpus: Corpus, y: Any) -> Gold:
    """The labels y of a corpus.

    y   the name of a column, or for every sentence a list with one entry per token: a label, None when it is not
        known, or a set of labels of which one is right
    """
    if y is None:
        raise OptionError(
            "labels are wanted: y is the name of a column of the corpus, or a list of labels for every sentence"
        )
    if isinstance(y, str):
        column = corpus.strings(y).compact()
        return _sorted(column.values, column.codes, {}, y)
    if isinstance(y, (bytes, Mapping)) or not isinstance(y, Iterable):
        raise LabelError(
            f"y must be the name of a column, or a list of labels for every sentence, got {y!r:.60}"
        )
    labels = listed(y)
    _check_lengths(corpus, labels)
    pool = _core.StringPool()
    codes, _, wrong, _ = pool.intern_lists(labels)
    if wrong < 0:
        return _sorted(pool.strings(), codes, {}, None)
    return _partial(labels)


def _partial(labels: Sequence[Sequence[Any]]) -> Gold:
    """The slow way: some entry is not a plain string."""
    number: dict[str, int] = {}
    ids: list[int] = []
    sets: dict[int, tuple[int, ...]] = {}
    for s, sentence in enumerate(labels):
        for t, label in enumerate(sentence):
            if label is None:
                ids.append(NOTHING)
                continue
            some = _some(label, s, t)
            found = sorted({number.setdefault(name, len(number)) for name in some})
            if len(found) > 1:
                sets[len(ids)] = tuple(found)
            ids.append(found[0] if len(found) == 1 else SEVERAL)
    return _sorted(list(number), np.array(ids, dtype=np.int32), sets, None)


def _some(label: Any, s: int, t: int) -> Sequence[str]:
    if isinstance(label, str):
        return (str(label),)
    some = sorted(label, key=str) if isinstance(label, (set, frozenset, list, tuple)) else [label]
    for name in some:
        if not isinstance(name, str):
            raise LabelError(
                f"sentence {s}, position {t} of y: a label is a string, None, or a set of strings, got {label!r:.60}"
            )
    if not some:
        raise LabelError(
            f"sentence {s}, position {t} of y: an empty set leaves no label; write None for a label that is not known"
        )
    return some


def _sorted(
    values: Sequence[str], codes: LabelIds, sets: Mapping[int, tuple[int, ...]], column: str | None
) -> Gold:
    """Renumbered by name."""
    names = tuple(sorted(values))
    return Gold(tuple(values), codes, sets, column).numbered(names)


def _check_lengths(corpus: Corpus, labels: Sequence[Any]) -> None:
    if len(labels) != len(corpus):
        raise ShapeError(f"X has {len(corpus)} sentences, but y has {len(labels)}")
    for s, (length, sentence) in enumerate(zip(corpus.lengths.tolist(), labels, strict=True)):
        if not isinstance(sentence, (list, tuple)):
            hint = f"; write list({sentence!r:.20})" if isinstance(sentence, str) else ""
            raise LabelError(
                f"sentence {s} of y must be a list of {length} labels, got {sentence!r:.60}{hint}"
            )
        if len(sentence) != length:
            raise ShapeError(
                f"sentence {s}: X has {length} tokens, but y has {len(sentence)} labels; every token needs one"
            )


# ---------------------------------------------------------------------------------------------- weights

Weights = npt.NDArray[np.float64]


def token_weights(corpus: Corpus, sample_weight: Any) -> Weights | None:
    """(tokens,) weights from one per sentence, or one per token in lists; None when every token counts 1.

    Without sample_weight, the weights that a CRFsuite file gives its sentences.
    """
    if sample_weight is None:
        own = corpus.weights
        return None if (own == 1).all() else np.repeat(own, corpus.lengths)
    if isinstance(sample_weight, (str, bytes, Mapping)) or not isinstance(sample_weight, Iterable):
        raise OptionError(
            f"sample_weight must hold a number, or a list of numbers, for every sentence, got {sample_weight!r:.60}"
        )
    given = list(sample_weight)
    if len(given) != len(corpus):
        raise ShapeError(f"X has {len(corpus)} sentences, but sample_weight has {len(given)} entries")
    lengths = corpus.lengths
    rows = [_weight_row(given[s], length, s) for s, length in enumerate(lengths.tolist())]
    weights = np.concatenate([np.zeros(0), *rows])
    if len(weights) and not weights.any():
        raise OptionError("every sample_weight is 0, so there is nothing to learn from")
    return weights


def _weight_row(value: Any, length: int, s: int) -> Weights:
    single = np.ndim(value) == 0
    try:
        row = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"sentence {s} of sample_weight must be numbers, got {value!r:.60}") from None
    if not single and row.shape != (length,):
        raise ShapeError(f"sentence {s}: X has {length} tokens, but sample_weight has shape {row.shape}")
    bad = ~(np.isfinite(row) & (row >= 0))
    if bad.any():
        where = f"sentence {s}" if single else f"sentence {s}, position {int(np.argmax(bad))}"
        worst = float(row if single else row[np.argmax(bad)])
        raise OptionError(f"{where} of sample_weight is {worst}, but a weight is a number from 0 up")
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
        if not number or not np.isfinite(weight) or weight < 0:
            raise OptionError(f"class_weight of {label!r} is {weight!r}, but a weight is a number from 0 up")
        if label not in place:
            raise LabelError(f"class_weight names the label {label!r}, which the training data does not have")
        made[place[label]] = float(weight)
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
