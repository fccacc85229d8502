"""Constraints of a model: forbidden transitions, starts and ends as masks; and the labels that words may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from seqlab.arrays import LabelIds, Scores, check_room, is_iterable
from seqlab.corpus import Corpus
from seqlab.corpus.columns import Offsets, offsets_of
from seqlab.errors import CorpusError, LabelError, OptionError, Place, SeqlabError
from seqlab.shown import Brief
from seqlab.store.fields import Array, Sizes
from seqlab.store.state import State
from seqlab.tagging.door.names import label_name
from seqlab.tagging.door.sentences import Gold
from seqlab.tags import SCHEMES, Scheme
from seqlab.trellis import Constraints
from seqlab.trellis.constraints import move_mask
from seqlab.trellis.labels import LabelSet

Bools = npt.NDArray[np.bool_]

MANY = 1000  # number of labels from which an (L, L) mask without True entries is not stored
AUTO = "auto"  # option constraints: use the tag scheme of the training labels

Given = str | Scheme | Constraints | Iterable[tuple[str, str]] | None


class Mask(Array):
    """Field for a mask of label pairs (L, L); for very many labels, one that forbids nothing is not stored."""

    def put(self, state: State, name: str, value: Any) -> None:
        """Store the mask, unless it was made by _nothing() for very many labels."""
        if any(value.strides):
            super().put(state, name, value)

    def get(self, state: State, name: str, sizes: Sizes) -> Any:
        """Read the mask."""
        if name not in state.arrays and sizes.get("L", 0) > MANY:
            return _nothing(sizes["L"])
        return super().get(state, name, sizes)


def _nothing(size: int) -> Bools:
    """Make a mask (L, L) that forbids nothing; for very many labels it takes no memory."""
    shape = (size, size)
    return np.zeros(shape, bool) if size <= MANY else np.broadcast_to(np.zeros((), bool), shape)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rules(Brief):
    """Constraints as masks, True where forbidden.

    forbidden   (L, L) from label, to label
    no_start    (L,)   labels that cannot be first
    no_end      (L,)   labels that cannot be last
    spelling    (name, delimiter, "suffix" or "prefix", outside) of the tag scheme; None for other constraints
    """

    forbidden: Annotated[Bools, Mask(np.bool_, "L", "L")]
    no_start: Annotated[Bools, Array(np.bool_, "L")]
    no_end: Annotated[Bools, Array(np.bool_, "L")]
    spelling: tuple[str, ...] | None = None

    @staticmethod
    def none(size: int) -> Rules:
        """Allow everything."""
        return Rules(_nothing(size), np.zeros(size, bool), np.zeros(size, bool))

    @staticmethod
    def of(given: Given, labels: Sequence[str]) -> Rules:
        """Read the name of a tag scheme, a Constraints without positions, or pairs (from, to) that are forbidden."""
        check_room(len(labels))
        if given is None:
            return Rules.none(len(labels))
        from seqlab.tags import rules as rules_of_scheme

        if isinstance(given, str) and given == AUTO:
            raise OptionError(
                "constraints='auto' finds the tag scheme of training labels, but there are none here; name the scheme"
            )
        if isinstance(given, (str, Scheme)):
            found, scheme = rules_of_scheme(given, labels), Scheme.of(given)
            return Rules(found.moves, found.starts, found.ends, _spelled(scheme))
        if isinstance(given, Constraints):
            return _of_constraints(given, labels)
        if is_iterable(given):
            return _of_constraints(Constraints(forbidden_moves=list(given)), labels)
        raise OptionError(
            f"constraints must be the name of a tag scheme, a seqlab.Constraints, or pairs (from, to) of labels that "
            f"must not follow each other, got {given!r}"
        )

    @staticmethod
    def learned(
        given: Given,
        labels: Sequence[str],
        gold: Gold | None,
        offsets: Offsets,
        before: Rules | None = None,
        *,
        check: bool = True,
    ) -> Rules:
        """Read the constraints given to fit, and check the training labels against them.

        given    as for `of`; "auto" for the tag scheme of `before`, or else the one that the labels follow
        labels   all labels, in the order of the label numbers
        check    False for a model without transitions, to which invalid sequences of labels do no harm
        """
        wanted = given
        if isinstance(given, str) and given == AUTO:
            wanted = before.scheme if before is not None else None
            wanted = detected(gold, offsets) if wanted is None else wanted
        if gold is not None and gold.whole and not isinstance(wanted, (str, Scheme, Constraints, type(None))):
            wanted = [tuple(map(label_name, pair)) for pair in wanted]  # a number is a label's name
        rules = Rules.of(wanted, labels)
        if gold is not None and check:
            told = wanted.name if isinstance(wanted, Scheme) and given == AUTO else given
            check_rules(gold, rules, offsets, told)
        return rules

    @property
    def scheme(self) -> Scheme | None:
        """The tag scheme of these constraints; None for other constraints."""
        if self.spelling is None:
            return None
        name, delimiter, side, outside = self.spelling
        return Scheme.of(name, delimiter=delimiter, suffix=side == "suffix", outside=outside)

    def __bool__(self) -> bool:
        moves = self.forbidden if any(self.forbidden.strides) else self.forbidden[:1, :1]
        return bool(moves.any() or self.no_start.any() or self.no_end.any())

    def as_constraints(self) -> Constraints | None:
        """Return the rules as an argument of TrellisBatch; None when nothing is forbidden."""
        return Constraints(self.forbidden, self.no_start, self.no_end) if self else None

    def flags(self) -> dict[str, Any]:
        """Return the masks as arguments of the core, or None for each."""
        masks = {"forbidden": self.forbidden, "no_start": self.no_start, "no_end": self.no_end}
        used = bool(self)
        return {
            name: np.ascontiguousarray(mask, np.uint8).reshape(-1) if used else None
            for name, mask in masks.items()
        }


def _spelled(scheme: Scheme) -> tuple[str, ...] | None:
    """Return the spelling of a built-in tag scheme; None for a scheme of the user's own."""
    spelling: dict[str, Any] = {
        "delimiter": scheme.delimiter,
        "suffix": scheme.suffix,
        "outside": scheme.outside,
    }
    if scheme.name not in (one.name for one in SCHEMES) or scheme != Scheme.of(scheme.name, **spelling):
        return None
    return scheme.name, scheme.delimiter, "suffix" if scheme.suffix else "prefix", scheme.outside


def tag_scheme(sentences: Sequence[Sequence[str]]) -> Scheme | None:
    """Find the tag scheme that all labels follow, if any."""
    from seqlab.tags import detect, violations

    found = detect(sentences).scheme
    return None if found is None or any(violations(sentences, found)) else found


def detected(gold: Gold | None, offsets: Offsets) -> Scheme:
    """Detect the tag scheme of training labels, from sentences without missing labels."""
    if gold is None:
        raise OptionError("constraints='auto' finds the tag scheme of labels, but there are none; name it")
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    parts = (gold.ids[begin:end].tolist() for begin, end in bounds)
    whole = [[gold.names[i] for i in part] for part in parts if part and min(part) >= 0]
    found = tag_scheme(whole) if whole else None
    if found is None:
        raise OptionError(
            f"constraints='auto': the labels {', '.join(map(repr, gold.names)):.100} follow no tag scheme; name one, "
            f"or leave constraints out"
        )
    return found


def examples(blocks: Iterable[tuple[Gold, Offsets]]) -> tuple[Gold, Offsets]:
    """Choose sentences of blocks, numbered alike, with every start, move and end of labels: they show the scheme."""
    found: list[LabelIds] = []
    known = np.zeros(0, dtype=np.int64)
    for gold, offsets in blocks:
        L, ids = len(gold.names), gold.ids.astype(np.int64)
        whole = np.diff(offsets) > 0
        whole[np.searchsorted(offsets, np.flatnonzero(ids < 0), side="right") - 1] = False
        some = np.flatnonzero(whole)
        firsts, lasts = offsets[some], offsets[some + 1] - 1
        events = np.roll(ids, 1) * L + ids
        events[firsts] = L * L + ids[firsts]
        events = np.concatenate([events, L * L + L + ids[lasts]])
        sentence = np.repeat(np.arange(len(whole)), np.diff(offsets))
        sentence = np.concatenate([sentence, some])
        events, sentence = events[whole[sentence]], sentence[whole[sentence]]
        new, at = np.unique(events, return_index=True)
        chosen = np.unique(sentence[at[~np.isin(new, known)]]).tolist()
        known = np.union1d(known, new)
        found += [np.array(gold.ids[offsets[s] : offsets[s + 1]]) for s in chosen]
    joined = np.concatenate([np.zeros(0, dtype=np.int32), *found])
    return replace(gold, ids=joined), offsets_of(np.array([len(one) for one in found], dtype=np.int64))


def rules_by_blocks(
    given: Given,
    labels: Sequence[str],
    blocks: Callable[[], Iterable[tuple[Gold, Offsets]]],
    before: Rules | None = None,
) -> Rules:
    """Read constraints, and check labels in blocks against them, as Rules.learned does with all of them at once."""
    rules = before
    if isinstance(given, str) and given == AUTO and (before is None or before.scheme is None):
        rules = Rules.learned(AUTO, labels, *examples(blocks()))
    first = 0
    for gold, offsets in blocks():
        try:
            rules = Rules.learned(given, labels, gold, offsets, rules)
        except SeqlabError as error:
            raise error.at(offset=first) from error.__cause__
        first += len(offsets) - 1
    return Rules.none(len(labels)) if rules is None else rules


def _of_constraints(given: Constraints, labels: Sequence[str]) -> Rules:
    if given.known or given.allowed is not None:
        raise OptionError(
            "constraints of a model speak of moves, starts and ends; known and allowed labels belong to one sentence: "
            "pass them to tag(tokens, known=..., allowed=...)"
        )
    names = LabelSet(len(labels), labels, holder="the model")
    try:
        moves = move_mask(given.forbidden_moves, names)
        starts, ends = _flags(given.forbidden_starts, names), _flags(given.forbidden_ends, names)
    except LabelError as error:
        raise error.inside("constraints", option="constraints") from None
    return Rules(_nothing(len(labels)) if moves is None else moves, starts, ends)


def _flags(some: Any, labels: LabelSet) -> Bools:
    if isinstance(some, np.ndarray) and some.dtype == bool:
        if some.shape != (labels.size,):
            raise OptionError(f"a mask of shape {some.shape} does not fit {labels.size} labels")
        return some
    row = np.zeros(labels.size, dtype=bool)
    row[labels.ids(() if some is None else some)] = True
    return row


Dictionary = Mapping[str, Iterable[str]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TagDictionary(Brief):
    """A tag dictionary: the allowed labels of words; unlisted words may have any label.

    column   the column that holds the words
    row      word -> row of `rows`
    rows     (words, L)   True for the allowed labels of the word
    """

    column: str
    row: Mapping[str, int]
    rows: npt.NDArray[np.bool_]

    @staticmethod
    def of(allowed: Dictionary | None, labels: Sequence[str], column: str | None) -> TagDictionary | None:
        """Read {word: labels}. Labels that training does not have are left out, but one must remain for each word."""
        if allowed is None:
            return None
        if not isinstance(allowed, Mapping):
            raise OptionError(f"allowed must be {{word: labels}}, got {allowed!r:.60}")
        if column is None:
            raise CorpusError("allowed speaks of words, but there is no column that holds them")
        place = {label: i for i, label in enumerate(labels)}
        rows = np.zeros((len(allowed), len(labels)), dtype=bool)
        for i, (word, some) in enumerate(allowed.items()):
            if not isinstance(word, str):
                raise OptionError(f"allowed must have words as keys, got {word!r:.60}, which is no string")
            known = [place[label] for label in label_list(word, some, "allowed") if label in place]
            if not known:
                raise LabelError(f"allowed[{word!r}] is {some!r:.60}, but training has none of these labels")
            rows[i, known] = True
        return TagDictionary(column, {word: i for i, word in enumerate(allowed)}, rows)

    def mask(self, corpus: Corpus) -> npt.NDArray[np.bool_]:
        """(tokens, L)   True for the allowed labels of each token."""
        words = corpus.strings(self.column, missing=True).compact()
        flags = self.flags(words.values)
        return np.append(flags, np.ones((1, flags.shape[1]), dtype=bool), axis=0)[words.codes]

    def allowed(self, corpus: Corpus) -> Allowed:
        """Return the mask as models take it."""
        return Allowed(self.mask(corpus))

    def flags(self, words: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(words, L)   True for the allowed labels of each word."""
        table = np.vstack([self.rows, np.ones(self.rows.shape[1:], dtype=bool)])  # the last row: any label
        found = np.array([self.row.get(word, -1) for word in words], dtype=np.int64)
        flags: npt.NDArray[np.bool_] = table[found]
        return flags


def label_list(word: str, some: Any, name: str) -> Iterable[str]:
    """Check the labels of a word in the dictionary of this name."""
    if isinstance(some, str) or not isinstance(some, Iterable):
        raise LabelError(f"{name}[{word!r}] must be a list of labels, got {some!r}; write [{some!r}]")
    return [label_name(label) for label in some]


class Allowed:
    """Allowed labels of tokens, applied to scores as a mask."""

    def __init__(self, mask: npt.NDArray[np.bool_]) -> None:
        self._mask = mask

    def mask(self, node: Scores) -> None:
        """Set the scores (tokens, L) of labels that are not allowed to -inf."""
        node[~self._mask] = -np.inf


# ------------------------------------------------------------------------------------------------ labels of training


def check_rules(gold: Gold, rules: Rules, offsets: Offsets, constraints: Any) -> None:
    """Raise an error for training labels that the constraints forbid, naming the first."""
    if not rules or not len(gold.ids):
        return
    known, ids = gold.ids >= 0, np.maximum(gold.ids, 0)
    before, pair = np.roll(ids, 1), known & np.roll(known, 1)
    first = np.zeros(len(ids), dtype=bool)
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    after = pair & ~first & rules.forbidden[before, ids]
    start = known & first & rules.no_start[ids]
    end = known & np.roll(first, -1) & rules.no_end[ids]
    bad = after | start | end
    if not bad.any():
        return
    token = int(np.argmax(bad))
    s = int(np.searchsorted(offsets, token, side="right")) - 1
    where = "at the beginning" if start[token] else "at the end"
    if after[token]:
        where = f"after {gold.names[before[token]]!r}"
    more = int(bad.sum()) - 1
    raise LabelError(
        f"the label {gold.names[ids[token]]!r} {where} breaks constraints={constraints!r}"
        + (f" (and so do {more} more tokens)" if more else "")
        + "; repair the labels (seqlab.tags.repair), or train without constraints",
        place=Place(s, token - int(offsets[s])),
    )


def check_possible(
    gold: Gold, rules: Rules, offsets: Offsets, active: Bools | None, constraints: Any
) -> None:
    """Raise an error for partly labelled sentences without a labelling that constraints and dictionary allow."""
    if not rules or not gold.partial:
        return
    allowed = gold.given(len(gold.names))
    if active is not None:
        allowed &= active
    for s in np.unique(np.searchsorted(offsets, np.flatnonzero(gold.ids < 0), side="right") - 1).tolist():
        t = _dead_end(allowed[offsets[s] : offsets[s + 1]], rules)
        if t is not None:
            raise LabelError(
                f"no labelling that fits the labels given keeps to "
                f"constraints={constraints!r}" + ("" if active is None else " and to allowed=..."),
                place=Place(s, t),
            )


def _dead_end(allowed: Bools, rules: Rules) -> int | None:
    """Find the first position of (T, L) that no path reaches, or None."""
    reached: npt.NDArray[np.bool_] = ~rules.no_start
    for t, here in enumerate(allowed):
        reached = (reached if t == 0 else (~rules.forbidden[reached]).any(axis=0)) & here
        if t == len(allowed) - 1:
            reached = reached & ~rules.no_end
        if not reached.any():
            return t
    return None
