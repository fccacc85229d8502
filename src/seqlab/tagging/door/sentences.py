"""Read data of users: sentences as a corpus, their labels as numbers, and weights of tokens and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqlab import _core
from seqlab.arrays import LabelIds, is_iterable
from seqlab.corpus import Corpus, Sentence, StringColumn
from seqlab.corpus.columns import WORD_COLUMNS, resolve
from seqlab.corpus.lists import only_lists
from seqlab.encode.encoder import as_corpus, listed
from seqlab.errors import CorpusError, LabelError, OptionError, Place, ShapeError
from seqlab.tagging.door.names import by_value, is_whole, label_name

# Default names of a token's cells when its label is separate, in y.
USUAL = ("word", "pos", "chunk", "entity")


def read_sentences(
    X: Any,
    *,
    words: bool,
    columns: Sequence[str] | None = None,
    labelled: bool = False,
    known: _core.StringPool | None = None,
) -> Corpus:
    """Read X as a corpus: a Corpus as it is, sentences of one, a table, or lists of words, tuples, dicts or attributes.

    words      True if strings are words to compute features from; otherwise tokens are ready-made attributes
    columns    names of the cells of tuples, known from training; None before
    labelled   True if the label is among the cells, as when y is the name of a column
    known      the only ready-made attributes that are used; None for all
    """
    if isinstance(X, Corpus):
        return X
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc"):  # tables of Polars, DuckDB, Arrow
        return Corpus.from_arrow(X)
    if isinstance(X, (str, bytes, Mapping, Sentence)) or not isinstance(X, Iterable):
        raise CorpusError(
            f"X must be a Corpus or a list of sentences, got {_shown(X)}; for one sentence there is tag(tokens)"
        )
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # of pandas, without an import
        raise CorpusError(
            "X is a DataFrame, but a Corpus or a list of sentences is wanted; where it has a row for each token and a "
            "column that says which sentence it belongs to, Corpus.from_pandas(X) makes a corpus of it"
        )
    sentences: list[Any] = X if isinstance(X, list) and only_lists(X) else listed(X)
    plain = sentences is X or only_lists(sentences)
    strings = (s for s, sentence in enumerate(sentences) if isinstance(sentence, (str, bytes)))
    if not plain and (first := next(strings, None)) is not None:
        raise CorpusError(
            f" is {_shown(sentences[first])}, but a list of tokens is wanted; X is a list of sentences, "
            f"and for one sentence there is tag(tokens)",
            place=Place(first, of="X"),
        )
    if sentences and not plain and all(isinstance(sentence, Sentence) for sentence in sentences):
        return Corpus.from_lists(sentences)
    width = _width(sentences) if words else 0
    if width:
        return Corpus.from_lists(sentences, columns=_cell_names(width, columns, labelled=labelled))
    if words and plain:
        return Corpus.from_lists(sentences)
    return as_corpus(sentences, words=words, known=known)


def read_sentence(tokens: Any, *, words: bool, columns: Sequence[str] | None = None) -> Corpus:
    """Read one sentence as a corpus of one."""
    if isinstance(tokens, Corpus):
        raise CorpusError(
            f"one sentence is wanted, got a corpus of {len(tokens)}; predict(corpus) takes all of them"
        )
    if isinstance(tokens, (str, bytes)):
        raise CorpusError(
            f"one sentence is a list of tokens, got {_shown(tokens)}; split it first, for example with .split()"
        )
    if not isinstance(tokens, (Sentence, Iterable)):
        raise CorpusError(f"one sentence is a list of tokens, got {_shown(tokens)}")
    return read_sentences([tokens], words=words, columns=columns)


def word_column(corpus: Corpus, name: str | None = None) -> str | None:
    """Find the column of this name; without one "word", "form", or the first that holds strings; None if none does."""
    if name is not None:
        return resolve(name, corpus.columns)
    strings = [column for column in corpus.columns if isinstance(corpus.data(column), StringColumn)]
    return next((column for column in (*WORD_COLUMNS, *strings) if column in strings), None)


def vocabulary(corpus: Corpus) -> frozenset[str] | None:
    """Collect the distinct words of a corpus; None when it has no column of words."""
    name = next((name for name in WORD_COLUMNS if name in corpus.columns), None)
    if name is None or not isinstance(corpus.data(name), StringColumn):
        return None
    return frozenset(corpus.strings(name, missing=True).compact().values)


def _width(sentences: Sequence[Any]) -> int:
    """Count the cells of a token when tokens are tuples of strings, otherwise 0."""
    first = next((s for s in sentences if isinstance(s, (list, tuple)) and s), None)
    token = None if first is None else first[0]
    cells = isinstance(token, (list, tuple)) and all(isinstance(cell, str) for cell in token)
    return len(token) if cells and token else 0


def _cell_names(width: int, columns: Sequence[str] | None, *, labelled: bool) -> tuple[str, ...] | None:
    if labelled:
        return None  # as in a file: the last cell is the label
    if columns is None:
        return USUAL[:width] if width <= len(USUAL) else ("word", *(f"column{i}" for i in range(1, width)))
    if width > len(columns):
        raise CorpusError(
            f"tokens have {width} cells, but in training they had {len(columns)}: {', '.join(map(repr, columns))}; "
            f"give as many, or name them with Corpus.from_lists(..., columns=...)"
        )
    return tuple(columns[:width])


def _shown(value: Any) -> str:
    text = repr(value)
    kind = "the string " if isinstance(value, (str, bytes)) else ""
    return kind + (text if len(text) <= 60 else f"{text[:57]}...")


NOTHING = -1  # no label was given
SEVERAL = -2  # one of several, see `sets`


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """Labels of a corpus as numbers.

    names    the distinct labels, sorted
    ids      (tokens,)   the number of each token's label; NOTHING for None, SEVERAL for a set
    sets     {token: label numbers, rising}   for the tokens with several
    column   the column that the labels came from, or None
    whole    True if the labels were given as whole numbers; their names are the digits
    """

    names: tuple[str, ...]
    ids: LabelIds
    sets: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    column: str | None = None
    whole: bool = False

    @property
    def partial(self) -> bool:
        """True if a token has no label, or several."""
        return bool((self.ids < 0).any())

    def entries(self, weights: Any = None, worth: Any = None) -> tuple[Any, Any, Any]:
        """Return token, label and weight of every given label; labels of one token share its weight.

        weights   (tokens,) weights of the tokens; None if all are 1
        worth     (L,) weights of the labels, likewise
        """
        token = np.flatnonzero(self.ids >= 0)
        label, share = self.ids[token].astype(np.int64), np.ones(len(token))
        if self.sets:
            several = [(t, y, 1.0 / len(some)) for t, some in self.sets.items() for y in some]
            more = [np.array(part) for part in zip(*several, strict=True)]
            token, label, share = (
                np.concatenate(pair) for pair in zip((token, label, share), more, strict=True)
            )
        if weights is not None:
            share = share * weights[token]
        if worth is not None:
            share = share * worth[label]
        return token, label, share

    def keep_given(self, mask: npt.NDArray[np.bool_]) -> None:
        """Set (tokens, L) to True for the labels that tokens were given."""
        token, label, _ = self.entries()
        mask[token, label] = True

    def given(self, size: int) -> npt.NDArray[np.bool_]:
        """(tokens, size): the labels given, or every label where none was."""
        mask: npt.NDArray[np.bool_] = np.repeat((self.ids == NOTHING)[:, None], size, axis=1)
        self.keep_given(mask)
        return mask

    def open_place(self, offsets: npt.NDArray[np.int64]) -> Place:
        """Find the first token without a single label."""
        token = int(np.argmax(self.ids < 0))
        s = int(np.searchsorted(offsets, token, side="right")) - 1
        return Place(s, token - int(offsets[s]), of="y")

    def numbered(self, names: Sequence[str]) -> Gold:
        """Renumber the labels by another list of names, which must contain these."""
        place = {name: i for i, name in enumerate(names)}
        new = np.array([*(place[name] for name in self.names), SEVERAL, NOTHING], dtype=np.int32)
        sets = {token: tuple(sorted(int(new[i]) for i in some)) for token, some in self.sets.items()}
        return Gold(
            tuple(names), new[self.ids], sets, self.column, self.whole
        )  # -1 and -2 index the last two entries


def read_gold(corpus: Corpus, y: Any) -> Gold:
    """Read the labels y of a corpus.

    y   the name of a column, or for every sentence a list with one entry per token: a label (a string or a whole
        number), None when it is not known, or a set of labels of which one is right; None for a sentence when none of
        its labels is known
    """
    if y is None:
        raise OptionError(
            "labels are wanted: y is the name of a column of the corpus, or a list of labels for every sentence"
        )
    if isinstance(y, str):
        column = corpus.strings(y, missing=True).compact()
        return _sorted(column.values, column.codes, {}, y)
    labels = label_lists(y, corpus.lengths.tolist())
    pool = _core.StringPool()
    codes, _, wrong, _ = pool.intern_lists(labels, missing=True)
    if wrong < 0:
        return _sorted(pool.strings(), codes, {}, None)
    some = (label for sentence in labels for label in sentence if label is not None)
    one = next(some, None)
    if isinstance(one, (set, frozenset, list, tuple)):
        one = next(iter(one), None)
    return _partial(labels, whole=is_whole(one))


def read_labelled(X: Any, y: Any, *, words: bool) -> tuple[Corpus, Gold]:
    """Read training data: a corpus with at least one token, and its labels."""
    corpus = read_sentences(X, words=words, labelled=isinstance(y, str))
    gold = read_gold(corpus, y)
    if not corpus.token_count:
        raise ShapeError(
            f"X has {len(corpus)} sentences and no token at all, so there is nothing to learn from"
        )
    if not gold.names:
        raise ShapeError(
            f"none of the {corpus.token_count} tokens has a label, so there is nothing to learn from"
        )
    return corpus, gold


def _partial(labels: Sequence[Sequence[Any]], *, whole: bool) -> Gold:
    """Read labels one by one, if some are missing or sets; with `whole`, labels are whole numbers."""
    number: dict[str, int] = {}
    ids: list[int] = []
    sets: dict[int, tuple[int, ...]] = {}
    for s, sentence in enumerate(labels):
        for t, label in enumerate(sentence):
            if label is None:
                ids.append(NOTHING)
                continue
            some = _some(label, s, t, whole=whole)
            found = sorted({number.setdefault(name, len(number)) for name in some})
            if len(found) > 1:
                sets[len(ids)] = tuple(found)
            ids.append(found[0] if len(found) == 1 else SEVERAL)
    return _sorted(list(number), np.array(ids, dtype=np.int32), sets, None, whole=whole)


def _some(label: Any, s: int, t: int, *, whole: bool) -> Sequence[str]:
    some = sorted(label, key=str) if isinstance(label, (set, frozenset, list, tuple)) else [label]
    for name in some:
        if whole and isinstance(name, str):
            raise LabelError(
                f"the labels before are whole numbers, but this one is the string {name!r:.60}; write all in one way",
                place=Place(s, t, of="y"),
            )
        if whole and is_whole(name):
            continue
        if not isinstance(name, str):
            raise LabelError(
                f"a label is a string, a whole number (then all of them are), None, or a set of labels, got "
                f"{label!r:.60}",
                place=Place(s, t, of="y"),
            )
        if _core.StringPool().intern(name) < 0:  # a lone surrogate
            raise LabelError(
                f"a label is text that UTF-8 can write, got {name!r:.60}", place=Place(s, t, of="y")
            )
    if not some:
        raise LabelError(
            "an empty set leaves no label; write None for a label that is not known",
            place=Place(s, t, of="y"),
        )
    return [str(label_name(name)) for name in some]


def _sorted(
    values: Sequence[str],
    codes: LabelIds,
    sets: Mapping[int, tuple[int, ...]],
    column: str | None,
    *,
    whole: bool = False,
) -> Gold:
    """Number labels by name, or whole numbers by value."""
    return Gold(tuple(values), codes, sets, column, whole).numbered((by_value if whole else sorted)(values))


def label_lists(y: Any, lengths: Sequence[int]) -> list[Sequence[Any]]:
    """Read a list of labels for every sentence; `lengths` are those of the sentences."""
    if isinstance(y, (str, bytes, Mapping)) or not isinstance(y, Iterable):
        raise LabelError(
            f"y must be the name of a column, or a list of labels for every sentence, got {y!r:.60}"
        )
    labels = [row.tolist() if isinstance(row, np.ndarray) and row.ndim == 1 else row for row in listed(y)]
    if len(labels) != len(lengths):
        raise ShapeError(f"X has {len(lengths)} sentences, but y has {len(labels)}")
    for s, (length, sentence) in enumerate(zip(lengths, labels, strict=True)):
        if sentence is None:
            labels[s] = [None] * length
            continue
        if not isinstance(sentence, (list, tuple)):
            hint = f"; write list({sentence!r:.20})" if isinstance(sentence, str) else ""
            raise LabelError(
                f" must be a list of {length} labels, got {sentence!r:.60}{hint}", place=Place(s, of="y")
            )
        if len(sentence) != length:
            raise ShapeError(
                f"X has {length} tokens, but y has {len(sentence)} labels; every token needs one",
                place=Place(s),
            )
    return labels


def listed_labels(given: Any, *, whole: bool) -> list[str]:
    """Read a list of labels, empty for None; with `whole`, labels are whole numbers."""
    if given is None:
        return []
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise OptionError(f"classes must be a list of labels, got {given!r:.60}")
    made = list(given)
    for label in made:
        if not (is_whole(label) if whole else isinstance(label, str)):
            wanted = "whole numbers, as the labels are" if whole else "strings"
            raise OptionError(f"classes must be a list of {wanted}, got {label!r:.60} among them")
    return [str(label_name(label)) for label in made]


Weights = npt.NDArray[np.float64]
LARGEST_WEIGHT = 1e18  # its sum over all tokens, squared, is finite


def token_weights(corpus: Corpus, sample_weight: Any) -> Weights | None:
    """Read weights (tokens,) from one per sentence, or one per token in lists; None when every token counts 1.

    Without sample_weight, the weights that a CRFsuite file gives its sentences.
    """
    if sample_weight is None:
        own = corpus.weights
        return None if (own == 1).all() else np.repeat(own, corpus.lengths)
    return _joined(sample_weight, corpus.lengths.tolist())


def sentence_weights(count: int, sample_weight: Any) -> Weights:
    """Read weights (N,) of sentences; 1 for each without sample_weight."""
    several = isinstance(sample_weight, (list, tuple, np.ndarray)) and is_iterable(sample_weight)
    if several and any(map(np.ndim, sample_weight)):
        raise ShapeError(f"X has {count} sentences: one number for each is wanted, got {sample_weight!r:.60}")
    return np.ones(count) if sample_weight is None else _joined(sample_weight, [1] * count)


def _joined(sample_weight: Any, lengths: list[int]) -> Weights:
    if isinstance(sample_weight, (str, bytes, Mapping)) or not is_iterable(sample_weight):
        raise OptionError(
            f"sample_weight must hold a number, or a list of numbers, for every sentence, got {sample_weight!r:.60}"
        )
    given = list(sample_weight)
    if len(given) != len(lengths):
        raise ShapeError(f"X has {len(lengths)} sentences, but sample_weight has {len(given)} entries")
    weights = weights_of_block(given, lengths)
    if len(weights) and not weights.any():
        raise OptionError("every sample_weight is 0, so there is nothing to learn from")
    return weights


def weights_of_block(given: Sequence[Any], lengths: Sequence[int]) -> Weights:
    """Read weights (tokens,) of some of the sentences, which may all be 0: one each, or one per token in lists."""
    return np.concatenate([np.zeros(0), *(_weight_row(given[s], size, s) for s, size in enumerate(lengths))])


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
    """Read weights (L,) of the labels of gold.names: from {label: weight}, or "balanced"; None without any.

    "balanced" gives every label the same total, as in scikit-learn: tokens / (labels * tokens of the label).
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = label_counts(gold, weights)
        seen = counts > 0
        return np.where(seen, counts.sum() / (seen.sum() * np.where(seen, counts, 1.0)), 1.0)
    if not isinstance(class_weight, Mapping):
        raise OptionError(
            f"class_weight must be {{label: weight}}, 'balanced' or None, got {class_weight!r:.60}"
        )
    made = np.ones(len(gold.names))
    place = {name: i for i, name in enumerate(gold.names)}
    for given, weight in class_weight.items():
        label = label_name(given)
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
    """Multiply weights of tokens by those of their labels; a token without a single label counts as before."""
    worth = label_weights(gold, class_weight, weights)
    if worth is None:
        return weights
    of_label: Weights = np.concatenate([worth, [1.0, 1.0]])[gold.ids]
    made = of_label if weights is None else weights * of_label
    if len(made) and not made.any():
        raise OptionError("every token has the weight 0, so there is nothing to learn from")
    return made


def label_counts(gold: Gold, weights: Weights | None = None) -> Weights:
    """Count how often each label was given (L,); a token with several labels shares its count among them."""
    _, label, share = gold.entries(weights)
    return np.bincount(label, share, len(gold.names)).astype(np.float64)
